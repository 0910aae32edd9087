"""Messages and selectors of every kind, for hypothesis to choose from."""

from __future__ import annotations

from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.message import MQMD, Property

TEXTS = [
    "",
    "a",
    "A",
    "aB%",
    "a_b",
    "it's",
    "Köln",
    'quo"te',
    "back\\slash",
    "tab\there",
    "nul\0x",
    "\u202e",
    "😀",
    "Rome",
]
TEXTS += ['n":{', "\\u0041", "x ", "ID:" + "41" * 24, "ID:" + "AB" * 24, "PERSISTENT", "Infinity", "7"]
IDS = [bytes(24), b"A" * 24, b"\xab" * 24]
NUMBERS = [0, 1, -1, 2, 7, 255, 1 << 31, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63)]
FLOATS = [0.1, 2.5, 7.0, 1e308, 5e-324, 1e23, float("nan"), float("inf"), float("-inf"), 9007199254740993.0]
VALUES = st.one_of(
    st.tuples(st.just(p.MQTYPE_STRING), st.sampled_from(TEXTS)),
    st.tuples(st.just(p.MQTYPE_INT64), st.sampled_from(NUMBERS)),
    st.tuples(st.just(p.MQTYPE_FLOAT64), st.sampled_from([*FLOATS, 7, (1 << 60) + 1])),
    st.tuples(st.just(p.MQTYPE_BOOLEAN), st.booleans()),
    st.tuples(st.just(p.MQTYPE_BYTE_STRING), st.sampled_from([b"", b"\x07", *IDS])),
    st.just((p.MQTYPE_NULL, None)),
)
KEYS = ["n", "usr.n", "größe", "usr.$d.x", "jms.Cid", "JMSXGroupID", "jms.Dst", "jms.Tms", "mcd.Type"]
PROPERTIES = st.dictionaries(st.sampled_from(KEYS), VALUES.map(lambda each: Property(*each)), max_size=4)
MQLONGS = st.sampled_from([0, 1, 2, 7, -1, 255, (1 << 31) - 1])
#: What a message in a store can have, by the type of the field.
FIELDS = {bytes: st.sampled_from(IDS), str: st.sampled_from(TEXTS).map(str.rstrip), int: MQLONGS}
DESCRIPTORS = st.fixed_dictionaries(
    {},
    optional={
        field: FIELDS[type(getattr(MQMD(), field))] for field in MQMD.__slots__ if field not in ("version", "expiry")
    }
    | {"accounting_token": st.sampled_from([bytes(32), b"T" * 32])},
)

NAMES = [
    *("n", "usr.n", "größe", "$d.x", "missing", "JMSCorrelationID", "JMSXGroupID", "JMSDestination", "JMSTimestamp"),
    *("JMSType", "JMSMessageID", "JMSPriority", "JMSDeliveryMode", "JMSXDeliveryCount", "JMSRedelivered"),
    *("JMSExpiration", "JMSXGroupSeq", "JMSReplyTo", "JMSXUserID", "Root.MQMD.Priority", "Root.MQMD.Format"),
    *("Root.MQMD.MsgId", "Root.MQMD.CorrelId", "Root.MQMD.GroupId", "Root.MQMD.AccountingToken"),
    *("Root.MQMD.PutApplName", "Root.MQMD.Expiry"),
    *("Root.MQMD.BackoutCount", "Root.MQMD.Version", "Root.MQMD.Report", "Root.MQMD.MsgSeqNumber"),
]  # fmt: skip


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


LITERALS = st.one_of(
    st.sampled_from(TEXTS).map(quoted),
    st.sampled_from([str(number) for number in NUMBERS if number >= 0]),
    st.sampled_from(["7.0", "0.1", "2.5", "1E23", "1e308", "9007199254740993.0", "-1", "-7.5"]),
    st.sampled_from(["0x07", "0x7FFFFFFF", "0xFFFFFFFFFFFFFFFF", "TRUE", "FALSE", '"0x07"']),
    st.sampled_from(IDS).map(lambda each: f'"0x{each.hex()}"'),
    st.sampled_from(IDS).map(lambda each: f"'ID:{each.hex().upper()}'"),
)
SIGNS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
PATTERNS = st.lists(
    st.sampled_from(["%", "_", "a", "B", "!%", "!_", "!!", "ö", '"', "\\", "o", "\0", "ID:"]), max_size=4
)
name = st.sampled_from(NAMES)
CONDITIONS = st.one_of(
    st.builds("{} {} {}".format, name, SIGNS, LITERALS),
    st.builds("{} {} {}".format, LITERALS, SIGNS, name),
    st.builds("{} {} {} + 1".format, name, SIGNS, name),
    st.builds("{} {} BETWEEN {} AND {}".format, name, st.sampled_from(["", "NOT"]), LITERALS, LITERALS),
    st.builds("{} {} IN ({}, {})".format, name, st.sampled_from(["", "NOT"]), LITERALS, LITERALS),
    st.builds("{} {} LIKE {} ESCAPE '!'".format, name, st.sampled_from(["", "NOT"]), PATTERNS.map("".join).map(quoted)),
    st.builds("{} IS {} NULL".format, name, st.sampled_from(["", "NOT"])),
    name,
    st.sampled_from(["TRUE", "FALSE"]),
)
SELECTORS = st.recursive(
    CONDITIONS,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=5,
)

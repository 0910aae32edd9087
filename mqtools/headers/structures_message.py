"""Structures of messages, objects and subscriptions, as programs pass them to the MQI."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.headers import conversion_bodies, mqmd, mqxqh
from mqtools.headers.layout import Field, Structure, versioned
from mqtools.message import mq_name


def _of_header(name: str, fields: Iterable[Field], **initial: int) -> Structure:
    """Return the structure of a program for a header; bytes and texts are empty at first, but for its identifier."""
    rows = []
    for field in fields:
        value = field.initial.encode() if isinstance(field.initial, str) else field.initial
        rows.append((mq_name(field.name), field.code, b"" if isinstance(field.initial, bytes) else value))
    return Structure(name, *((member, code, initial.get(member, value)) for member, code, value in rows))


MD = _of_header("MD", mqmd.LAYOUT.fields, Version=MQMD_VERSION_1)
GMO = versioned(
    b"GMO ",
    ("Options", "i"),
    ("WaitInterval", "i"),
    ("Signal1", "i"),
    ("Signal2", "i"),
    ("ResolvedQName", "48s"),
    ("MatchOptions", "i", 3),
    ("GroupStatus", "b", 32),
    ("SegmentStatus", "b", 32),
    ("Segmentation", "b", 32),
    ("Reserved1", "c", b" "),
    ("MsgToken", "16s"),
    ("ReturnedLength", "i", -1),
    ("Reserved2", "i"),
    ("MsgHandle", "q"),
)
PMO = versioned(
    b"PMO ",
    ("Options", "i"),
    ("Timeout", "i", -1),
    ("Context", "i"),
    ("KnownDestCount", "i"),
    ("UnknownDestCount", "i"),
    ("InvalidDestCount", "i"),
    ("ResolvedQName", "48s"),
    ("ResolvedQMgrName", "48s"),
    ("RecsPresent", "i"),
    ("PutMsgRecFields", "i"),
    ("PutMsgRecOffset", "i"),
    ("ResponseRecOffset", "i"),
    ("PutMsgRecPtr", "P"),
    ("ResponseRecPtr", "P"),
    ("OriginalMsgHandle", "q"),
    ("NewMsgHandle", "q"),
    ("Action", "i"),
    ("PubLevel", "i"),
)
OD = versioned(
    b"OD  ",
    ("ObjectType", "i", 1),
    ("ObjectName", "48s"),
    ("ObjectQMgrName", "48s"),
    ("DynamicQName", "48s", b"AMQ.*"),
    ("AlternateUserId", "12s"),
    ("RecsPresent", "i"),
    ("KnownDestCount", "i"),
    ("UnknownDestCount", "i"),
    ("InvalidDestCount", "i"),
    ("ObjectRecOffset", "i"),
    ("ResponseRecOffset", "i"),
    ("ObjectRecPtr", "P"),
    ("ResponseRecPtr", "P"),
    ("AlternateSecurityId", "40s"),
    ("ResolvedQName", "48s"),
    ("ResolvedQMgrName", "48s"),
    ("ObjectString", "V"),
    ("SelectionString", "V"),
    ("ResObjectString", "V"),
    ("ResolvedType", "i", -3),
    ("pad", "4s"),
)
SD = versioned(
    b"SD  ",
    ("Options", "i"),
    ("ObjectName", "48s"),
    ("AlternateUserId", "12s"),
    ("AlternateSecurityId", "40s"),
    ("SubExpiry", "i", -1),
    ("ObjectString", "V"),
    ("SubName", "V"),
    ("SubUserData", "V"),
    ("SubCorrelId", "24s"),
    ("PubPriority", "i", -1),
    ("PubAccountingToken", "32s"),
    ("PubApplIdentityData", "32s"),
    ("SelectionString", "V"),
    ("SubLevel", "i"),
    ("ResObjectString", "V"),
)
SRO = versioned(
    b"SRO ",
    ("Options", "i", 8192),
    ("NumPubs", "i"),
)
STS = versioned(
    b"STAT",
    ("CompCode", "i"),
    ("Reason", "i"),
    ("PutSuccessCount", "i"),
    ("PutWarningCount", "i"),
    ("PutFailureCount", "i"),
    ("ObjectType", "i", 1),
    ("ObjectName", "48s"),
    ("ObjectQMgrName", "48s"),
    ("ResolvedObjectName", "48s"),
    ("ResolvedQMgrName", "48s"),
    ("ObjectString", "V"),
    ("SubName", "V"),
    ("OpenOptions", "i"),
    ("SubOptions", "i"),
    version=2,
)
CMHO = versioned(b"CMHO", ("Options", "i"))
DMHO = versioned(b"DMHO", ("Options", "i"))
PD = versioned(
    b"PD  ",
    ("Options", "i"),
    ("Support", "i", 1),
    ("Context", "i"),
    ("CopyOptions", "i", 22),
)
SMPO = versioned(
    b"SMPO",
    ("Options", "i"),
    ("ValueEncoding", "i", 546),
    ("ValueCCSID", "i", -3),
)
IMPO = versioned(
    b"IMPO",
    ("Options", "i"),
    ("RequestedEncoding", "i", 546),
    ("RequestedCCSID", "i", -3),
    ("ReturnedEncoding", "i", 546),
    ("ReturnedCCSID", "i"),
    ("Reserved1", "i"),
    ("ReturnedName", "V"),
    ("TypeString", "8s"),
)
DMPO = versioned(b"DMPO", ("Options", "i"))
XQH = _of_header("XQH", mqxqh.LAYOUT.fields)
TM = _of_header("TM", conversion_bodies.TRIGGER_FIELDS)
TMC2 = Structure(
    "TMC2",
    ("StrucId", "4s", b"TMC "),
    ("Version", "4s", b"   2"),
    ("QName", "48s"),
    ("ProcessName", "48s"),
    ("TriggerData", "64s"),
    ("ApplType", "4s"),
    ("ApplId", "256s"),
    ("EnvData", "128s"),
    ("UserData", "128s"),
    ("QMgrName", "48s"),
)

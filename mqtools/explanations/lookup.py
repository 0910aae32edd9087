"""Lookup of constants of MQ for ``mqx explain``: their meanings and what to do about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from mqtools.constants.names import family, name_of
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQCC_WARNING, MQRC_NONE
from mqtools.explanations.attributes import OWN_ATTRIBUTES
from mqtools.explanations.notes import NOTES
from mqtools.explanations.notes.note import Note
from mqtools.rules.exit_status import exit_status

#: Family to what its members are, in the order in which meanings are listed. A family that is not here is not
#: explained.
FAMILIES = {
    "MQRC": "a reason code",
    "MQFB": "a feedback code",
    "MQRO": "a report option",
    "MQMT": "a type of message",
    "MQPER": "a persistence",
    "MQAT": "a type of program that puts messages",
    "MQMF": "a message flag",
    "MQGMO": "a get option",
    "MQMO": "a match option",
    "MQPMO": "a put option",
    "MQACTP": "an action of a put",
    "MQOO": "an open option",
    "MQCO": "a close option",
    "MQCNO": "a connect option",
    "MQCC": "a completion code",
    "MQFMT": "a format of message data",
    "MQEI": "an expiry time",
    "MQENC": "an encoding of numbers",
    "MQTYPE": "a type of message property",
    "MQCOPY": "a choice of messages that a property is copied to",
    "MQPD": "a setting of a property descriptor",
    "MQPROP": "a way of handing properties to a program",
    "MQOT": "a type of object",
    "MQQT": "a type of queue",
    "MQQDT": "a way in which a queue was defined",
    "MQUS": "a usage of a queue",
    "MQIA": "an integer attribute of an object",
    "MQCA": "a character attribute of an object",
}

#: Family of the attributes that are not of IBM MQ, and are no constants, and what they are.
MQSC = "MQSC"
KINDS = {**FAMILIES, MQSC: "an MQSC attribute"}

#: Families in which a bare number is looked up; in the others one needs the name.
NUMBERED = ("MQRC", "MQFB", "MQRO", "MQMT", "MQPER", "MQAT")

#: First and last name of ranges whose inner values have no names. A number outside of them that has no name is
#: unknown.
RANGES = {
    ("MQRC_APPL_FIRST", "MQRC_APPL_LAST"): Note("A reason code that programs give a meaning of their own."),
    ("MQFB_IMS_FIRST", "MQFB_IMS_LAST"): Note(
        "An error that IMS reported: the value minus 300 is its sense code.",
        "Look the sense code up in the IMS documentation.",
    ),
    ("MQFB_IMS_NACK_1A_REASON_FIRST", "MQFB_IMS_NACK_1A_REASON_LAST"): Note(
        "IMS refused the message: the value minus 600 is its reason.",
        "Look the reason up in the IMS documentation.",
    ),
    ("MQFB_APPL_FIRST", "MQFB_APPL_LAST"): Note(
        "A feedback code that programs give a meaning of their own.",
        "Ask whoever wrote the program that made the report.",
    ),
    ("MQMT_APPL_FIRST", "MQMT_APPL_LAST"): Note("A message type that programs give a meaning of their own."),
    ("MQAT_USER_FIRST", "MQAT_USER_LAST"): Note("A type of putting program that users define."),
}

#: Words of the command line for report options whose names are longer. Other words are the name itself.
COMMAND_WORDS = {
    "coa-data": "MQRO_COA_WITH_DATA",
    "coa-full": "MQRO_COA_WITH_FULL_DATA",
    "cod-data": "MQRO_COD_WITH_DATA",
    "cod-full": "MQRO_COD_WITH_FULL_DATA",
    "exception-data": "MQRO_EXCEPTION_WITH_DATA",
    "exception-full": "MQRO_EXCEPTION_WITH_FULL_DATA",
    "expiration-data": "MQRO_EXPIRATION_WITH_DATA",
    "expiration-full": "MQRO_EXPIRATION_WITH_FULL_DATA",
    "discard": "MQRO_DISCARD_MSG",
}

#: Abbreviations in names, written out when a name must speak for itself. Other words stay as they are.
ABBREVIATIONS = {
    "ADMIN": "administration", "ALT": "alternative", "APPL": "application", "ASYNC": "asynchronous",
    "ATTR": "attribute", "ATTRS": "attributes", "AUTH": "authority", "AUTO": "automatic", "CCSID": "character set",
    "CCSIDS": "character sets", "CERT": "certificate", "CF": "coupling facility", "CHAR": "character",
    "CMD": "command", "CONFIG": "configuration", "CONN": "connection", "CONNS": "connections", "CONV": "conversion",
    "CONVS": "conversations", "COORD": "coordinator", "DEF": "default", "DEFS": "definitions",
    "DEST": "destination", "DISC": "disconnection", "DIST": "distribution", "ENC": "encoding", "ENV": "environment",
    "ERR": "error", "EXCL": "exclusive", "HBAG": "bag handle", "HCONFIG": "configuration handle",
    "HCONN": "connection handle", "HDR": "header", "HMSG": "message handle", "HOBJ": "object handle",
    "IDENT": "identity", "INFO": "information", "INIT": "initialization", "INQ": "inquire", "INT": "integer",
    "MAX": "maximum", "MCAST": "multicast", "MGR": "manager", "MSG": "message", "MSGS": "messages",
    "PARM": "parameter", "PROP": "property", "PROPS": "properties", "PUB": "publication", "Q": "queue",
    "QMGR": "queue manager", "QMID": "queue manager identifier", "REC": "record", "RECOV": "recovery",
    "RECS": "records", "REF": "reference", "REQD": "required", "RES": "resolved", "SERV": "service",
    "SPEC": "specification", "SRC": "source", "STAT": "status", "STRUC": "structure", "SUB": "subscription",
    "SUBS": "subscriptions", "TARGTYPE": "target type", "TERM": "termination", "UNSUP": "unsupported",
    "UOW": "unit of work", "VAL": "validation", "XMIT": "transmission",
}  # fmt: skip

#: Parts of names that stay in capitals when a name must speak for itself.
_INITIALS = frozenset((
    "AIX", "AMQP", "API", "ASID", "B", "CCDT", "CICS", "DB2", "DBCS", "DOS", "DQM", "HTTPS", "ID", "IMS", "JMS",
    "JSSE", "LDAP", "MQI", "MQSC", "MVS", "NSK", "OCSP", "OS2", "OS390", "OS400", "PCF", "RAS", "RRS", "SNI",
    "SOAP", "SSL", "TM", "UCS2", "URL", "VM", "VMS", "VOS", "VSE", "WLM", "XA", "XCF", "XR",
))  # fmt: skip

#: Parts of names that are a structure's name without its MQ.
_STRUCTURES = frozenset((
    "AIR", "BNO", "CBD", "CD", "CFBF", "CFBS", "CFGR", "CFH", "CFIF", "CFIL", "CFIN", "CFSF", "CFSL", "CFST",
    "CSP", "CTLO", "EPH", "PMO", "RFH", "SCO", "SD", "SRO", "STS", "TMC", "WIH", "WXP", "XEPO",
))  # fmt: skip

_RANGE_ENDS = ("_FIRST", "_LAST", "_DEFAULT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Meaning of one constant.

    name: with its prefix; ``FIRST..LAST`` for a value within a range that has no name of its own.
    comp_code: "warning", "failed", "warning or failed"; empty if no call of mqx ends with it.
    exit_status: of a command that ends with this reason, the warning's where it comes both ways; else None.
    aliases: other names of the same value, and the command line's words for it.
    """

    family: str
    name: str
    value: int | str
    meaning: str
    what_to_do: str = ""
    comp_code: str = ""
    exit_status: int | None = None
    aliases: tuple[str, ...] = ()


def explain(text: str) -> list[Explanation]:
    """Explain a number, or a name in any case, with or without its prefix; unknown gives an empty list.

    A number is looked up in the families of NUMBERED, reasons first; ``0x`` begins a hexadecimal one.
    """
    number = _number(text)
    if number is None:
        constants = [_explanation(prefix, name) for prefix, name in _names_meant(text)]
        return [*constants, *_own_attribute(_normal(text))]
    return [found for prefix in NUMBERED for found in _explain_number(prefix, number)]


def _own_attribute(keyword: str) -> Iterator[Explanation]:
    """Yield an MQSC attribute that only mqx has; its value is the default."""
    if keyword in OWN_ATTRIBUTES:
        default, meaning, what_to_do = OWN_ATTRIBUTES[keyword]
        yield Explanation(family=MQSC, name=keyword, value=default, meaning=meaning, what_to_do=what_to_do)


def suggest(text: str, limit: int = 5) -> list[str]:
    """Return full names close to an unknown text, the closest first."""
    number = _number(text)
    if number is not None:
        return _names_near(number)[:limit]
    word = _normal(text)
    known: dict[str, str] = {keyword: keyword for keyword in OWN_ATTRIBUTES}
    for prefix in FAMILIES:
        for name in _plain_names(prefix):
            known.setdefault(name, name)
            known.setdefault(name.removeprefix(prefix + "_"), name)
    close = [known[match] for match in get_close_matches(word, known, limit, 0.7)]
    holding = sorted(
        (name for name in set(known.values()) if len(word) > 2 and word in name), key=lambda name: (len(name), name)
    )
    return list(dict.fromkeys(close + holding))[:limit]


def _number(text: str) -> int | None:
    try:
        return int(text.strip(), 0)
    except ValueError:
        digits = text.strip()
        return int(digits) if digits.isascii() and digits.isdigit() else None


def _normal(text: str) -> str:
    return text.strip().upper().replace("-", "_").replace(" ", "_")


def _names_meant(text: str) -> Iterator[tuple[str, str]]:
    word = _normal(text)
    from_command = COMMAND_WORDS.get(text.strip().lower())
    for prefix in FAMILIES:
        for name, value in family(prefix).items():
            is_format = prefix == "MQFMT" and bool(word) and value == word
            if word in (name, name.removeprefix(prefix + "_")) or name == from_command or is_format:
                yield prefix, name


def _explain_number(prefix: str, number: int) -> Iterator[Explanation]:
    none = f"{prefix}_NONE"
    name = none if family(prefix).get(none) == number else name_of(prefix, number)
    if name is not None:
        yield _explanation(prefix, name)
        return
    for (first, last), note in RANGES.items():
        if first.startswith(prefix + "_") and _value(prefix, first) <= number <= _value(prefix, last):
            yield Explanation(family=prefix, name=f"{first}..{last}", value=number, **note._asdict())


def _value(prefix: str, name: str) -> int:
    return int(family(prefix)[name])


def _explanation(prefix: str, name: str) -> Explanation:
    value = family(prefix)[name]
    same = _same_value(prefix, name)
    note = next((NOTES[noted] for noted in (name, *same) if noted in NOTES), None) or _note_from_name(prefix, name)
    status = _exit_status(value, note.comp_code) if prefix == "MQRC" and isinstance(value, int) else None
    words = tuple(word for word, option in COMMAND_WORDS.items() if option == name)
    return Explanation(
        family=prefix, name=name, value=value, **note._asdict(), exit_status=status, aliases=same + words
    )


def _same_value(prefix: str, name: str) -> tuple[str, ...]:
    """Other names of the value. Zero is the default of many options at once, which makes them no aliases."""
    value = family(prefix)[name]
    if value in (0, "") or _is_structural(prefix, name) or name.endswith(_RANGE_ENDS):
        return ()
    return tuple(n for n in _plain_names(prefix) if n != name and family(prefix)[n] == value)


def _plain_names(prefix: str) -> list[str]:
    """Return the names of a family without versions, lengths and ends of ranges."""
    return [n for n in family(prefix) if not n.endswith(_RANGE_ENDS) and not _is_structural(prefix, n)]


def _is_structural(prefix: str, name: str) -> bool:
    """Whether a name belongs to the layout of the options structure, as MQGMO_VERSION_2 does."""
    has_structure = f"{prefix}_STRUC_ID" in family(prefix)
    return has_structure and any(part in name for part in ("_STRUC_ID", "_VERSION", "_LENGTH"))


def _note_from_name(prefix: str, name: str) -> Note:
    phrase = phrase_of(name.removeprefix(prefix + "_"))
    bounds = next((bounds for bounds in RANGES if name in bounds), None)
    if bounds is not None:
        return RANGES[bounds]
    if prefix == "MQRC":
        return Note(f"By its name: {phrase}. A reason of IBM MQ that mqx itself does not return.")
    if _is_structural(prefix, name):
        return Note(f"Part of the layout of structure {prefix}: {phrase}.")
    what = FAMILIES[prefix]
    return Note(f"{what[0].upper()}{what[1:]}; by its name: {phrase}.")


def phrase_of(name: str) -> str:
    """Return the words that a name in snake_case, or of a constant, is made of, abbreviations written out."""
    return " ".join(_word(part) for part in name.upper().split("_"))


def _word(part: str) -> str:
    if part in _STRUCTURES:
        return f"MQ{part}"
    return part if part in _INITIALS else ABBREVIATIONS.get(part, part.lower())


def _exit_status(reason: int, comp_code: str) -> int | None:
    if reason == MQRC_NONE:
        return exit_status(reason, MQCC_OK)
    if not comp_code:
        return None
    return exit_status(reason, MQCC_WARNING if comp_code.startswith("warning") else MQCC_FAILED)


def _names_near(number: int) -> list[str]:
    """Names of reasons and feedback codes a slip away from a number."""
    near: dict[str, int] = {}
    for prefix in ("MQRC", "MQFB"):
        for name in _plain_names(prefix):
            distance = abs(int(family(prefix)[name]) - number)
            if distance <= 3:
                near[name] = distance
    return sorted(near, key=lambda name: (near[name], name))

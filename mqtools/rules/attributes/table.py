"""Tables of attributes: one for each object type, a row for each attribute; lookup, parsing and formatting.

A further object type is a module with a table ``ATTRIBUTES`` and a line in ``_TABLES``.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

from mqtools.constants.objects import MQCA_VERSION
from mqtools.formats.mqsc.script import suggestion
from mqtools.rules.object_names import CHARACTERS, NAME_LENGTH, matches_name

INTEGER = "integer"
TEXT = "text"
NAME = "name"
WORD = "word"
SWITCH = "switch"
#: Bytes, as their hexadecimal digits.
BYTES = "bytes"
_TEXTS = (TEXT, NAME, BYTES)

#: Object type to the module of this package that holds its table. A type not listed has no attributes.
_TABLES = {
    **dict.fromkeys(("QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QUEUE"), "queue"),
    "QMGR": "qmgr",
    **dict.fromkeys(("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLNTCONN", "CHANNEL"), "channel"),
    "TOPIC": "topic",
    **dict.fromkeys(("NAMELIST", "PROCESS"), "kept_objects"),
    "AUTHINFO": "auth_info",
    **dict.fromkeys(("LISTENER", "SERVICE", "LSSTATUS", "SVSTATUS"), "service_objects"),
    **dict.fromkeys(("QSTATUS", "QSTATUS HANDLE", "CONN", "CONN HANDLE", "CHSTATUS", "QMSTATUS", "QSTATS"), "status"),
    **dict.fromkeys(("APSTATUS", "APSTATUS QMGR", "APSTATUS LOCAL", "AUTHSERV"), "status"),
    **dict.fromkeys(("QUEUE NAMES", "CHANNEL NAMES", "AUTHREC", "ENTAUTH", "CHLAUTH"), "status"),
    **dict.fromkeys(("SUB", "SBSTATUS", "TPSTATUS", "TPSTATUS SUB", "TPSTATUS PUB", "PUBSUB"), "publish_subscribe"),
    "QMGR ALL": "qmgr",
}
#: Object types that mean all the types of their table.
_WHOLE_TABLES = ("QUEUE", "CHANNEL")

#: Operator of a filter to what it asks of a value (left) and its own (right), both of one type.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "EQ": operators.eq, "NE": operators.ne, "LT": operators.lt, "LE": operators.le, "GT": operators.gt,
    "GE": operators.ge,
}  # fmt: skip
#: Operator on a text to whether it has to fit the pattern.
PATTERN_OPERATORS = {"LK": True, "NL": False}
#: Operator on several values to what it asks of them and the wanted value, and whether that must be so.
LIST_OPERATORS: dict[str, tuple[Callable[[Any, Sequence[Any]], bool], bool]] = {
    "CT": (lambda wanted, values: wanted in values, True),
    "EX": (lambda wanted, values: wanted in values, False),
    "CTG": (lambda wanted, values: any(matches_name(str(wanted), str(each)) for each in values), True),
    "EXG": (lambda wanted, values: any(matches_name(str(wanted), str(each)) for each in values), False),
}
_EQUALITY_OPERATORS = ("EQ", "NE")
_DIGITS = frozenset("0123456789ABCDEF")

#: Selector of a character attribute to its length where no table of attributes has it.
_LENGTHS = {MQCA_VERSION: 8}

_tables: dict[str, tuple[Attribute, ...]] = {}


@dataclass(slots=True, frozen=True)
class Attribute:
    """One row: an attribute with its MQSC keyword, its Python and SQL name, and its selector in MQINQ and PCF.

    kind: INTEGER, TEXT, NAME, BYTES, WORD (a value out of ``words``) or SWITCH (a keyword out of them, without value).
    default: what DEFINE starts from; None where there is none.
    minimum, maximum: of an integer, length in bytes of a text or name, or number of digits.
    words: word and value; for an integer the words for special values.
    numbers: value to that of PCF, where they differ.
    local_only: returns whether a value may be set by MQSC only: what arrives from afar names no code or file here.
    owner_only: from afar only the owner of the file sets it.
    settable: by DEFINE and ALTER; otherwise for display only.  mqset: MQSET may change it (BEY-85).
    stored: part of the definition; otherwise known at run time only.  many: it has several values, or none.
    """

    keyword: str
    name: str
    selector: int | None
    kind: str
    object_types: tuple[str, ...] = ()
    _: KW_ONLY
    default: int | str | None = None
    minimum: int = 0
    maximum: int = 999999999
    words: tuple[tuple[str, int | str], ...] = ()
    numbers: Mapping[Any, int] = field(default_factory=dict)
    local_only: Callable[[str], bool] | None = None
    owner_only: bool = False
    synonyms: tuple[str, ...] = ()
    settable: bool = True
    mqset: bool = False
    stored: bool = True
    many: bool = False

    @property
    def keywords(self) -> tuple[str, ...]:
        """Return every keyword of the attribute: its own, its synonyms, the negated form of a switch."""
        switches = tuple(word for word, _ in self.words) if self.kind == SWITCH else ()
        return (self.keyword, *self.synonyms, *(word for word in switches if word != self.keyword))


def any_value(_value: str) -> bool:
    """Return that any value names code or files, or tells that code what to do."""
    return True


def status_type(name: str, selector: int, object_types: tuple[str, ...], kind: str, number: int) -> Attribute:
    """Return the attribute TYPE of a status: its kind, the same for all objects. number: of the kind in PCF."""
    return Attribute("TYPE", name, selector, TEXT, object_types, default=kind, numbers={kind: number}, settable=False)


#: Object type, or its attributes themselves where they differ from object to object.
Table: TypeAlias = "str | tuple[Attribute, ...]"


def attributes_of(object_type: str) -> tuple[Attribute, ...]:
    """Return the attributes of an object type (QLOCAL, QUEUE, QMGR, ...) in display order; none for an unknown type."""
    if object_type not in _tables and object_type in _TABLES:
        rows: dict[str, Attribute] = {}
        for row in import_module(f"mqtools.rules.attributes.{_TABLES[object_type]}").ATTRIBUTES:
            if object_type in _WHOLE_TABLES or object_type in row.object_types:
                rows.setdefault(row.name, row)
        _tables[object_type] = tuple(rows.values())
    return _tables.get(object_type, ())


def rows_of(table: Table) -> tuple[Attribute, ...]:
    """Return the attributes of a table: those of an object type, or the table itself."""
    return attributes_of(table) if isinstance(table, str) else table


def without_effect(object_type: str) -> frozenset[str]:
    """Return the keywords of an object type that DEFINE and ALTER store and that have no effect in mqx."""
    if object_type not in _TABLES:
        return frozenset()
    return frozenset(import_module(f"mqtools.rules.attributes.{_TABLES[object_type]}").WITHOUT_EFFECT.split())


def by_keyword(object_type: str, keyword: str) -> Attribute | None:
    """Find an attribute by its MQSC keyword, a synonym of it, or the negated form of a switch, in any case."""
    wanted = keyword.upper()
    return next((row for row in attributes_of(object_type) if wanted in row.keywords), None)


def by_name(object_type: str, name: str) -> Attribute | None:
    return next((row for row in attributes_of(object_type) if row.name == name), None)


def by_selector(object_type: str, selector: int) -> Attribute | None:
    """Find an attribute by its MQIA or MQCA selector."""
    return next((row for row in attributes_of(object_type) if row.selector == selector), None)


def character_length(attribute: Attribute | None, selector: int) -> int:
    """Return the length of a character attribute in bytes, also where no table has it."""
    return (attribute.maximum if attribute else _LENGTHS.get(selector)) or NAME_LENGTH


def keyword_suggestion(object_type: str, keyword: str) -> str:
    """Return the suggestion to append to a mistake about an unknown keyword; empty where no attribute is near."""
    return suggestion(keyword, [word for row in attributes_of(object_type) for word in row.keywords])


def defaults(object_type: str) -> dict[str, int | str]:
    """Return the value that DEFINE starts from by name, for every stored attribute with a default."""
    return {row.name: row.default for row in attributes_of(object_type) if row.stored and row.default is not None}


def parse_value(attribute: Attribute, text: str | None) -> int | str:
    """Parse the value of an attribute in MQSC syntax.

    text: from the parentheses; for a switch its keyword (SHARE, NOSHARE), None for the plain one.
    Raises ValueError, in words for the operator, when the value is not one of the attribute's.
    """
    if attribute.kind == SWITCH:
        return _parse_word(attribute, attribute.keyword if text is None else text)
    if text is None:
        raise ValueError(f"{attribute.keyword} needs a value")
    if attribute.kind == WORD:
        return _parse_word(attribute, text)
    if attribute.kind == BYTES:
        return _parse_digits(attribute, text)
    return _parse_integer(attribute, text) if attribute.kind == INTEGER else _parse_text(attribute, text)


def parse_parameter(
    object_type: str, keyword: str, values: Sequence[str] | None
) -> tuple[Attribute, int | str | list[str]]:
    """Parse one parameter of DEFINE or ALTER: return the attribute and its value.

    Raises ValueError, in words, for an unknown or display-only keyword and for a value that is not allowed.
    """
    attribute = by_keyword(object_type, keyword)
    if attribute is None:
        raise ValueError(f"{keyword} is not an attribute of {object_type}{keyword_suggestion(object_type, keyword)}")
    if not attribute.settable:
        raise ValueError(f"{keyword} can be displayed, not set")
    if attribute.kind == SWITCH:
        if values is not None:
            raise ValueError(f"{keyword} takes no value")
        return attribute, parse_value(attribute, keyword)
    if attribute.many and values is not None:
        return attribute, [str(parse_value(attribute, value)) for value in values if value.strip()]
    if values is not None and len(values) != 1:
        raise ValueError(f"{keyword} takes one value; put a value with blanks in quotes")
    return attribute, parse_value(attribute, values[0] if values else None)


def format_value(attribute: Attribute, value: int | str) -> str:
    """Return a value as MQSC displays it: its keyword if it has one, a text as it is."""
    return next((word for word, number in attribute.words if number == value), str(value))


def display_pair(attribute: Attribute, value: int | str) -> tuple[str, str | None]:
    """Return keyword and displayed value for DISPLAY; a switch is a keyword alone (NOSHARE, None)."""
    shown = format_value(attribute, value)
    return (shown, None) if attribute.kind == SWITCH else (attribute.keyword, shown)


def meets(attribute: Attribute, operator: str, wanted: str, value: Any) -> bool:
    """Return whether a value passes a WHERE filter.

    operator: of ``mqtools.formats.mqsc.script.OPERATORS``.  wanted: as written in the filter.
    Raises ValueError, in words, when the operator or the wanted value does not suit the attribute.
    """
    if attribute.many:
        if operator not in LIST_OPERATORS:
            raise ValueError(f"{attribute.keyword} has several values; compare it with {' '.join(LIST_OPERATORS)}")
    elif operator in PATTERN_OPERATORS:
        if attribute.kind not in _TEXTS:
            raise ValueError(f"{operator} is for texts and names; {attribute.keyword} is neither")
        return passes(operator, wanted, str(value))
    elif attribute.kind in (WORD, SWITCH) and operator not in _EQUALITY_OPERATORS:
        raise ValueError(f"{attribute.keyword} can be compared with EQ and NE only")
    elif operator not in COMPARISONS:
        raise ValueError(f"{operator} is for attributes with several values; {attribute.keyword} has one")
    return passes(operator, _wanted_value(attribute, wanted), value)


def passes(operator: str, wanted: int | str | bytes, value: object) -> bool:
    """Return whether a value passes a filter in MQSC or PCF; one of another type than the wanted value does not."""
    if operator in LIST_OPERATORS:
        has, expected = LIST_OPERATORS[operator]
        return isinstance(value, (list, tuple)) and has(wanted, value) is expected
    if type(value) is not type(wanted):
        return False
    if operator in PATTERN_OPERATORS:
        return matches_name(str(wanted), str(value)) is PATTERN_OPERATORS[operator]
    return operator in COMPARISONS and COMPARISONS[operator](value, wanted)


def _wanted_value(attribute: Attribute, wanted: str) -> int | str:
    if attribute.kind in _TEXTS:
        return wanted.rstrip(" ")
    if attribute.kind == SWITCH and wanted.upper() in ("YES", "NO"):
        return int(wanted.upper() == "YES")
    return parse_value(attribute, wanted)


def _parse_word(attribute: Attribute, text: str) -> int | str:
    words, wanted = dict(attribute.words), text.strip().upper()
    if wanted not in words:
        raise ValueError(f"{attribute.keyword} must be {_either(list(words))}")
    return words[wanted]


def _parse_integer(attribute: Attribute, text: str) -> int | str:
    words, wanted = dict(attribute.words), text.strip().upper()
    if wanted in words:
        return words[wanted]
    # More digits than any limit has are not worth converting.
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= 20:
        number = int(wanted)
        if attribute.minimum <= number <= attribute.maximum:
            return number
    limits = f"{attribute.minimum} to {attribute.maximum}"
    raise ValueError(f"{attribute.keyword} must be {_either([limits, *words])}")


def _parse_digits(attribute: Attribute, text: str) -> str:
    digits = text.strip().upper()
    if len(digits) > attribute.maximum or len(digits) % 2 or not _DIGITS.issuperset(digits):
        raise ValueError(f"{attribute.keyword} must be up to {attribute.maximum} hexadecimal digits")
    return digits


def _parse_text(attribute: Attribute, text: str) -> str:
    value = text.rstrip(" ")
    if attribute.maximum == 0 and value:
        raise ValueError(f"{attribute.keyword} must be blank")
    try:
        length = len(value.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(f"{attribute.keyword} has bytes that are not text") from error
    if not attribute.minimum <= length <= attribute.maximum:
        limits = f"{attribute.minimum} to " if attribute.minimum else "at most "
        raise ValueError(f"{attribute.keyword} must be {limits}{attribute.maximum} bytes long")
    if attribute.kind == NAME and not CHARACTERS.issuperset(value):
        raise ValueError(f"{attribute.keyword} must be a name: letters, digits and . / _ % only")
    return value


def _either(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last

"""Parameters of one PCF command, parsed by type; a PCFError identifies the invalid parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mqtools.constants import administration as a
from mqtools.constants import cmqc, objects
from mqtools.constants import cmqcfc as c
from mqtools.constants.message import MQCCSI_DEFAULT
from mqtools.errors import MQError
from mqtools.headers.charsets import decode_text
from mqtools.headers.pcf import CFBF, CFBS, CFGR, CFIF, CFIL, CFIL64, CFIN, CFIN64, CFSF, CFSL, CFST, PCFError
from mqtools.rules.attributes.table import (
    BYTES,
    COMPARISONS,
    LIST_OPERATORS,
    NAME,
    PATTERN_OPERATORS,
    TEXT,
    Attribute,
    by_selector,
    parse_value,
    passes,
)
from mqtools.rules.object_names import NAME_LENGTH

if TYPE_CHECKING:
    from mqtools.headers.pcf import Parameter

#: Class of a structure to the reasons for one that the command does not have, and for a duplicate.
_MISPLACED = {
    CFIN: (c.MQRCCF_CFIN_PARM_ID_ERROR, c.MQRCCF_CFIN_DUPLICATE_PARM),
    CFIN64: (c.MQRCCF_CFIN_PARM_ID_ERROR, c.MQRCCF_CFIN_DUPLICATE_PARM),
    CFIL: (c.MQRCCF_CFIL_PARM_ID_ERROR, c.MQRCCF_CFIL_DUPLICATE_VALUE),
    CFIL64: (c.MQRCCF_CFIL_PARM_ID_ERROR, c.MQRCCF_CFIL_DUPLICATE_VALUE),
    CFST: (c.MQRCCF_CFST_PARM_ID_ERROR, c.MQRCCF_CFST_DUPLICATE_PARM),
    CFSL: (c.MQRCCF_CFSL_PARM_ID_ERROR, c.MQRCCF_CFSL_DUPLICATE_PARM),
    CFBS: (c.MQRCCF_CFBS_PARM_ID_ERROR, c.MQRCCF_CFBS_DUPLICATE_PARM),
    CFGR: (c.MQRCCF_CFGR_PARM_ID_ERROR, c.MQRCCF_CFGR_PARM_ID_ERROR),
    CFIF: (c.MQRCCF_CFIF_PARM_ID_ERROR, c.MQRCCF_TOO_MANY_FILTERS),
    CFSF: (c.MQRCCF_CFSF_PARM_ID_ERROR, c.MQRCCF_TOO_MANY_FILTERS),
    CFBF: (c.MQRCCF_CFBF_PARM_ID_ERROR, c.MQRCCF_TOO_MANY_FILTERS),
}
#: Operator of PCF to that of MQSC.
_OPERATORS = {
    a.MQCFOP_LESS: "LT",
    a.MQCFOP_EQUAL: "EQ",
    a.MQCFOP_GREATER: "GT",
    a.MQCFOP_NOT_LESS: "GE",
    a.MQCFOP_NOT_EQUAL: "NE",
    a.MQCFOP_NOT_GREATER: "LE",
    a.MQCFOP_LIKE: "LK",
    a.MQCFOP_NOT_LIKE: "NL",
    a.MQCFOP_CONTAINS: "CT",
    a.MQCFOP_EXCLUDES: "EX",
    a.MQCFOP_CONTAINS_GEN: "CTG",
    a.MQCFOP_EXCLUDES_GEN: "EXG",
}
_OPERATOR_ERRORS = {
    CFIF: c.MQRCCF_CFIF_OPERATOR_ERROR,
    CFSF: c.MQRCCF_CFSF_OPERATOR_ERROR,
    CFBF: c.MQRCCF_CFBF_OPERATOR_ERROR,
}


#: Parameters that monitors send with inquiries and that change no reply here: there are no clusters, no queue sharing
#: groups, no pages and no command scope. An inquiry to which one matters consumes it.
IGNORED_BY_INQUIRIES = frozenset((
    cmqc.MQCA_CF_STRUC_NAME, cmqc.MQCA_STORAGE_CLASS, cmqc.MQIA_DISPLAY_TYPE, cmqc.MQIA_NAMELIST_TYPE,
    cmqc.MQIA_PAGESET_ID, cmqc.MQIA_QSG_DISP, cmqc.MQIA_TOPIC_TYPE, cmqc.MQIA_UR_DISP,
    objects.MQCA_CLUSTER_NAME, objects.MQCA_CLUSTER_NAMELIST, objects.MQIA_Q_TYPE,
    c.MQCACF_COMMAND_SCOPE, c.MQCACF_SERVICE_COMPONENT, c.MQCACH_CLIENT_ID, c.MQIACF_AUTH_PROFILE_ATTRS,
    c.MQIACF_CLUSTER_INFO, c.MQIACF_DURABLE_SUBSCRIPTION, c.MQIACF_OPEN_OPTIONS, c.MQIACF_OPEN_TYPE,
    c.MQIACF_Q_STATUS_TYPE, c.MQIACF_STATUS_TYPE, c.MQIACF_SUB_ATTRS, c.MQIACF_SUB_TYPE, c.MQIACF_WILDCARD_SCHEMA,
    c.MQIACH_CHANNEL_DISP, c.MQIACH_CHANNEL_INSTANCE_TYPE, c.MQIACH_CHANNEL_TYPE,
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class InquiryFilter:
    """The filter of an inquiry. name: of the attribute, which is returned too."""

    name: str
    operator: int
    wanted: int | str | bytes

    def passes(self, values: Mapping[str, object]) -> bool:
        """Return whether an object passes the filter; an object without the attribute does not."""
        return passes(_OPERATORS[self.operator], self.wanted, values.get(self.name))


class PcfParameters:
    """The parameters of a command. Each method consumes parameters; ``finish`` raises an error for the rest.

    ccsid, encoding: of the message, for strings without a CCSID of their own.  ignored: what ``finish`` leaves.
    """

    def __init__(
        self, parameters: Sequence[Parameter], ccsid: int, encoding: int, ignored: frozenset[int] = frozenset()
    ) -> None:
        self._ccsid = ccsid
        self._ignored = ignored
        self._encoding = encoding
        self._left: dict[int, Parameter] = {}
        self._filters: list[CFIF | CFSF | CFBF] = []
        for parameter in parameters:
            if isinstance(parameter, (CFIF, CFSF, CFBF)):
                self._filters.append(parameter)
            elif parameter.parameter in self._left:
                raise self._misplaced(parameter, "is a duplicate", twice=True)
            else:
                self._left[parameter.parameter] = parameter
        if len(self._filters) > 1:
            raise self._misplaced(self._filters[1], "is a second filter", twice=True)

    def has(self, number: int) -> bool:
        """Return whether a parameter is present and not yet consumed."""
        return number in self._left

    def integer(self, number: int) -> int | None:
        """Consume an integer."""
        found = self._take(number, CFIN)
        return None if found is None else int(found.value)

    def integers(self, number: int) -> list[int] | None:
        """Consume a list of integers; a single integer is a list of one."""
        found = self._take(number, CFIL, CFIN)
        if found is None:
            return None
        return [found.value] if isinstance(found, CFIN) else list(found.values)

    def text(self, number: int, maximum: int = NAME_LENGTH) -> str | None:
        """Consume a text and remove blanks and nulls at its end. maximum: length in bytes."""
        found = self._take(number, CFST)
        return None if found is None else self._text(found, found.string, found.coded_char_set_id, maximum)

    def texts(self, number: int, maximum: int = NAME_LENGTH) -> list[str] | None:
        """Consume a list of texts; a single text is a list of one."""
        found = self._take(number, CFSL, CFST)
        if found is None:
            return None
        strings = [found.string] if isinstance(found, CFST) else found.strings
        return [self._text(found, string, found.coded_char_set_id, maximum) for string in strings]

    def byte_string(self, number: int) -> bytes | None:
        """Consume a byte string."""
        found = self._take(number, CFBS)
        return None if found is None else found.string

    def name(self, number: int, maximum: int = NAME_LENGTH) -> str:
        """Consume the required name of one object."""
        found = self.text(number, maximum)
        if found is None:
            reason = c.MQRCCF_CFST_PARM_ID_ERROR if self._left else c.MQRCCF_PARM_COUNT_TOO_SMALL
            raise PCFError(f"parameter {number} is missing", reason, number)
        return found

    def value(self, number: int) -> int:
        """Consume a required integer."""
        found = self.integer(number)
        if found is None:
            reason = c.MQRCCF_CFIN_PARM_ID_ERROR if self._left else c.MQRCCF_PARM_COUNT_TOO_SMALL
            raise PCFError(f"parameter {number} is missing", reason, number)
        return found

    def flag(self, number: int, reason: int) -> bool:
        """Consume a flag, 1 or 0; by default False. reason: for any other value."""
        found = self.integer(number)
        if found not in (None, 0, 1):
            raise PCFError(f"parameter {number} is {found}, neither 0 nor 1", reason, number)
        return found == 1

    def ignore(self, *numbers: int) -> None:
        """Consume parameters that have no effect."""
        for number in numbers:
            self._left.pop(number, None)

    def attributes(self, object_type: str) -> dict[str, object]:
        """Consume the rest as attributes of an object type to set: name to value."""
        values: dict[str, object] = {}
        for number in list(self._left):
            row = by_selector(object_type, number)
            if row is None or not row.settable:
                raise self._misplaced(self._left[number], "is not an attribute that can be set")
            values[row.name] = self._attribute(number, row)
        return values

    def _attribute(self, number: int, row: Attribute) -> object:
        if row.kind == BYTES:
            digits = (self.byte_string(number) or b"").hex().upper()
            if len(digits) > row.maximum:
                raise PCFError(f"{row.keyword} is too long", c.MQRCCF_CFBS_STRING_LENGTH_ERR, number)
            return digits
        if row.kind not in (TEXT, NAME):
            value = self.value(number)
            allowed = value in [word_value for _, word_value in row.words]
            if not allowed and (row.kind != "integer" or not row.minimum <= value <= row.maximum):
                raise PCFError(f"{row.keyword} cannot be {value}", c.MQRCCF_ATTR_VALUE_ERROR, number)
            return value
        texts = self.texts(number, row.maximum) or [""]
        given = [text for text in texts if text]
        try:
            return [parse_value(row, text) for text in given] if row.many else parse_value(row, ",".join(given))
        except ValueError as error:
            raise PCFError(str(error), c.MQRCCF_ATTR_VALUE_ERROR, number) from error

    def filter(self, rows: Sequence[Attribute]) -> InquiryFilter | None:
        """Consume the filter on one of some attributes."""
        if not self._filters:
            return None
        found = self._filters.pop()
        row = next((row for row in rows if row.selector == found.parameter), None)
        if row is None:
            raise self._misplaced(found, "is not an attribute to filter by")
        wanted: int | str | bytes
        if isinstance(found, CFSF):
            wanted = self._text(found, found.filter_value, found.coded_char_set_id, 1 << 16)
        else:
            wanted = found.filter_value
        if not _is_operator(found.operator, wanted, many=row.many):
            text = f"parameter {found.parameter}: operator {found.operator}"
            raise PCFError(text, _OPERATOR_ERRORS[type(found)], found.parameter)
        return InquiryFilter(row.name, found.operator, wanted)

    def finish(self) -> None:
        """Raise an error for parameters that no method consumed and that are not ignored."""
        left = [parameter for number, parameter in self._left.items() if number not in self._ignored]
        filters = [each for each in self._filters if each.parameter not in self._ignored]
        for parameter in (*left, *filters):
            raise self._misplaced(parameter, "is not a parameter of the command")

    def _take(self, number: int, *kinds: type) -> Any:
        found = self._left.get(number)
        if found is None:
            return None
        if type(found) not in kinds:  # no parameter has 64 bits
            raise self._misplaced(found, "is a structure of another type")
        return self._left.pop(number)

    def _misplaced(self, parameter: Parameter, text: str, *, twice: bool = False) -> PCFError:
        number = parameter.parameter
        return PCFError(f"parameter {number} {text}", _MISPLACED[type(parameter)][twice], number)

    def _text(self, parameter: Parameter, raw: bytes, ccsid: int, maximum: int) -> str:
        number = parameter.parameter
        try:
            text = decode_text(raw, self._ccsid if ccsid == MQCCSI_DEFAULT else ccsid, self._encoding)
        except MQError as error:
            raise PCFError(f"parameter {number}: {error.text}", c.MQRCCF_CCSID_ERROR, number) from error
        text = text.partition("\0")[0].rstrip(" ")
        if len(text.encode("utf-8", "replace")) > maximum:
            reason = c.MQRCCF_CFST_STRING_LENGTH_ERR if isinstance(parameter, CFST) else c.MQRCCF_CFSL_STRING_LENGTH_ERR
            raise PCFError(f"parameter {number} is longer than {maximum} bytes", reason, number)
        return text


def _is_operator(operator: int, wanted: int | str | bytes, *, many: bool) -> bool:
    """Return whether an operator exists for filters with such a value. many: the attribute has several values."""
    word = _OPERATORS.get(operator)
    if many:
        return word in LIST_OPERATORS
    return word in COMPARISONS or (isinstance(wanted, str) and word in PATTERN_OPERATORS)

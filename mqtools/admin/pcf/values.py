"""PCF replies: selection of the requested attributes, and their values as parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import MQCA_FIRST, MQCA_LAST, MQMON_NOT_AVAILABLE
from mqtools.constants.reasons import MQRC_SELECTOR_ERROR
from mqtools.headers.charsets import DEFAULT_CCSID, codec_of
from mqtools.headers.pcf import CFBS, CFIL, CFIN, CFIN64, CFSL, CFST, PCFError
from mqtools.rules.pcf.numbers import by_number, length_of, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mqtools.admin.pcf.request import InquiryFilter, PcfParameters
    from mqtools.headers.pcf import Parameter
    from mqtools.rules.attributes.table import Attribute

    #: Replies of a command: one list of parameters per message.
    Replies: TypeAlias = list[list[Parameter]]

_HIGHEST_SELECTOR = 9000
_INTEGER_LIMIT = 1 << 31


class ParameterWriter:
    """Converts values to parameters. ccsid: of the texts in the replies."""

    def __init__(self, ccsid: int) -> None:
        self.ccsid = ccsid
        self._codec = codec_of(ccsid) or codec_of(DEFAULT_CCSID) or "utf_8"

    def parameter(self, number: int, value: object, row: Attribute | None = None) -> Parameter:
        """Return one value as a parameter; a text is padded to the length of its attribute."""
        match value:
            case int():
                return (CFIN if -_INTEGER_LIMIT <= value < _INTEGER_LIMIT else CFIN64)(number, value)
            case bytes():
                return CFBS(number, value)
            case list() if value and isinstance(value[0], int):
                return CFIL(number, value)
            case list():
                return CFSL(number, [self._text(number, str(text), row) for text in value], self.ccsid)
        return CFST(number, self._text(number, str(value), row), self.ccsid)

    def _text(self, number: int, text: str, row: Attribute | None) -> bytes:
        return text.encode(self._codec, "replace").ljust(length_of(number, row), " ".encode(self._codec))

    def integers(self, number: int, values: Sequence[int]) -> Parameter:
        """Return a list of integers, which may be empty, as a parameter."""
        return CFIL(number, values)

    def attributes(
        self, kind: str, rows: Iterable[Attribute], names: frozenset[str] | None, values: Mapping[str, object]
    ) -> list[Parameter]:
        """Return the named or all (None) attributes of an object as parameters; those without a value are left out."""
        found = []
        for row in rows:
            number, value = number_of(kind, row), values.get(row.name, row.default)
            if number is not None and value is not None and (names is None or row.name in names):
                found.append(self.parameter(number, value, row))
        return found

    def complete(self, reply: list[Parameter], asked: Sequence[int] | None) -> list[Parameter]:
        """Return a status with all requested attributes: without a value, a blank text or MQMON_NOT_AVAILABLE."""
        present = {parameter.parameter for parameter in reply} | {c.MQIACF_ALL}
        missing = [number for number in dict.fromkeys(asked or ()) if number <= MQCA_LAST and number not in present]
        return reply + [self.parameter(each, "" if each >= MQCA_FIRST else MQMON_NOT_AVAILABLE) for each in missing]


def requested_names(
    asked: Sequence[int] | None,
    kind: str,
    rows: tuple[Attribute, ...],
    always: frozenset[str],
    where: InquiryFilter | None,
) -> frozenset[str] | None:
    """Return the names of the requested attributes; None for all.

    asked: parameter numbers; None for all.  always: names that are always included.
    Raises PCFError: MQRC_SELECTOR_ERROR for a number that is no attribute of any object; attributes of other kinds of
    objects are ignored.
    """
    if asked is None or c.MQIACF_ALL in asked:
        return None
    names = set(always)
    for selector in asked:
        if not 0 < selector <= _HIGHEST_SELECTOR:
            raise PCFError(f"{selector} is not an attribute", MQRC_SELECTOR_ERROR)
        row = by_number(kind, rows, selector)
        if row is not None:
            names.add(row.name)
    return frozenset(names | ({where.name} if where else set()))


def filter_of(parameters: PcfParameters, kind: str, rows: tuple[Attribute, ...]) -> InquiryFilter | None:
    """Consume the filter of an inquiry on the attributes of a table."""

    def name_of(number: int) -> str | None:
        row = by_number(kind, rows, number)
        return None if row is None else row.name

    return parameters.filter(name_of)

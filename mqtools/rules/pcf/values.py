"""Values as PCF parameters, in replies and in messages of the queue manager itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from mqtools.constants.cmqc import MQBA_FIRST
from mqtools.headers.charsets import DEFAULT_CCSID, codec_of
from mqtools.headers.pcf import CFBS, CFIL, CFIN, CFIN64, CFSL, CFST, Parameter
from mqtools.rules.attributes.table import INTEGER, Attribute, Table, rows_of
from mqtools.rules.pcf.lengths import length_of

#: Replies of a command: one list of parameters per message.
Replies: TypeAlias = list[list[Parameter]]

_INTEGER_LIMIT = 1 << 31
#: Length in bytes of an identifier, which a row has as hexadecimal digits.
_IDENTIFIER_LENGTH = 24


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
            case list() | tuple() if (row is not None and row.kind == INTEGER) or (value and isinstance(value[0], int)):
                return CFIL(number, value)
            case list() | tuple():
                return CFSL(number, [self._text(number, str(text), row) for text in value], self.ccsid)
        return CFST(number, self._text(number, str(value), row), self.ccsid)

    def _text(self, number: int, text: str, row: Attribute | None) -> bytes:
        return text.encode(self._codec, "replace").ljust(length_of(number, row), " ".encode(self._codec))

    def values(self, table: Table, values: Mapping[str, object]) -> dict[str, object]:
        """Return the values of a row by name as PCF has them; those without a value are left out."""
        found = {row.name: _in_pcf(row, values.get(row.name, row.default)) for row in rows_of(table)}
        return {name: value for name, value in found.items() if value is not None}

    def attributes(self, rows: Iterable[Attribute], values: Mapping[str, object]) -> list[Parameter]:
        """Return attributes as parameters, those that have a value. values: as ``values`` returns them."""
        return [
            self.parameter(row.selector, values[row.name], row)
            for row in rows
            if row.selector is not None and row.name in values
        ]


def _in_pcf(row: Attribute, value: object) -> object:
    if isinstance(value, (int, str)) and value in row.numbers:
        return row.numbers[value]
    if row.selector is not None and row.selector >= MQBA_FIRST and isinstance(value, str):
        return bytes.fromhex(value).ljust(_IDENTIFIER_LENGTH, b"\0")
    return value

"""Packing and unpacking of any MQ structure from its field table."""

from __future__ import annotations

from struct import Struct
from struct import error as StructError

from mqtools.constants.message import MQENC_INTEGER_MASK, MQENC_INTEGER_NORMAL, MQENC_INTEGER_REVERSED
from mqtools.constants.reasons import MQRC_HEADER_ERROR
from mqtools.errors import MQError
from mqtools.headers.characters import decode_field, encode_field
from mqtools.headers.charsets import field_codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    #: A row of a field table: name, type, offset and length in bytes, initial value, first structure version
    #: that has the field. What is not in the table is not in the structure: there are no gaps.
    Field: TypeAlias = tuple[str, str, int, int, int | str | bytes, int]

    class Versioned(Protocol):
        """Record of a structure: its version, and an attribute for each field of the table."""

        version: int


#: Field types: a signed 32-bit integer in the byte order of the encoding; characters, padded with blanks;
#: bytes that are never converted.
LONG = "MQLONG"
CHAR = "MQCHAR"
BYTE = "MQBYTE"

#: Integer part of an encoding to byte order; any other integer part has none.
_ORDERS = {MQENC_INTEGER_NORMAL: ">", MQENC_INTEGER_REVERSED: "<"}


def byte_order(encoding: int, what: str = "header", reason: int = MQRC_HEADER_ERROR) -> str:
    """Return ``">"`` or ``"<"`` for the byte order of integers in an encoding.

    Raises MQError: the reason given, when the encoding has none.
    """
    order = _ORDERS.get(encoding & MQENC_INTEGER_MASK)
    if order is None:
        raise MQError(f"{what}: encoding {encoding} defines no byte order of integers", reason)
    return order


#: Texts of character fields by bytes and codec: most fields of most messages say the same. Emptied when it is full.
_texts: dict[tuple[bytes, str, bool], str] = {}
_MOST_TEXTS = 4096


def _text_of(value: bytes, codec: str, keep_nulls: bool) -> str:
    text = _texts.get((value, codec, keep_nulls))
    if text is None:
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        raw = value if keep_nulls else value.partition(b"\0")[0]
        text = _texts[value, codec, keep_nulls] = decode_field(raw, codec).rstrip(" ")
    return text


class _Plan:
    """One version of a structure in one byte order, compiled."""

    __slots__ = ("length", "rows", "struct")

    def __init__(self, fields: tuple[Field, ...], own: int, version: int, order: str) -> None:
        present = [row for row in fields if row[5] <= version]
        self.struct = Struct(order + "".join("i" if row[1] == LONG else f"{row[3]}s" for row in present))
        self.length = self.struct.size
        self.rows = tuple((row[0], row[1], row[3]) for row in present[own:])


class Layout:
    """A structure: its name, identifier, versions and field table.

    The table begins with struc_id, version and, where there is one, struc_length. struc_id and struc_length
    follow from the rest and are no attributes of a record; ``names`` are the others.
    reason: what MQError carries when a structure cannot be written or read.
    """

    __slots__ = (
        "_has_length",
        "_own",
        "_plans",
        "_read_plans",
        "fields",
        "name",
        "names",
        "reason",
        "struc_id",
        "versions",
    )

    def __init__(self, name: str, reason: int, fields: tuple[Field, ...], versions: tuple[int, ...]) -> None:
        self.name = name
        self.reason = reason
        self.fields = fields
        self.versions = versions
        self.struc_id = str(fields[0][4]).ljust(4)
        self._has_length = fields[2][0] == "struc_length"
        self._own = 3 if self._has_length else 2
        self.names = ("version", *(row[0] for row in fields[self._own :]))
        self._plans: dict[tuple[int, str], _Plan] = {}
        # By identifier and version as they stand in the data, byte order and codec: only what was read.
        self._read_plans: dict[tuple[bytes, str, str], _Plan] = {}

    def pack(
        self,
        record: Versioned,
        encoding: int,
        ccsid: int,
        tail: bytes = b"",
        version: int | None = None,
        *,
        keep_nulls: bool = False,
    ) -> bytes:
        """Write a record as bytes; StrucLength counts the tail, which follows the fixed part.

        version: instead of the record's own. Text is padded with blanks and byte fields with zeros; a null ends a
        text unless keep_nulls. Raises MQError: the structure's reason, when a value does not fit its field; nothing
        is cut.
        """
        if version is None:
            version = record.version
        plan = self._plan(version, encoding)
        codec = self.codec(ccsid)
        values: list[object] = [self.struc_id.encode(codec), version]
        if self._has_length:
            values.append(plan.length + len(tail))
        for name, kind, length in plan.rows:
            value = getattr(record, name)
            if kind == CHAR:
                text = value if keep_nulls else value.partition("\0")[0]
                value = self._padded(name, text, length, codec)
            elif kind == BYTE and len(value) > length:
                raise self.error(f"{name} has {len(value)} bytes, {length} fit")
            values.append(value)
        try:
            return plan.struct.pack(*values) + tail
        except StructError as error:
            raise self.error(self._misfit(record, plan, error)) from error

    def unpack_into(
        self, record: Versioned, data: bytes, encoding: int, ccsid: int, offset: int = 0, *, keep_nulls: bool = False
    ) -> bytes:
        """Read bytes into the attributes of a new record; return what StrucLength counts past the fixed part.

        Attributes of later versions keep their initial values. Texts lose trailing blanks and what follows a
        null; bytes that are no text in the CCSID are kept as ``characters`` says.
        keep_nulls: nulls and what follows stay in the texts, for who compares fields as they stand.
        Raises MQError: the structure's reason, when StrucId, Version or a length is wrong.
        """
        order = byte_order(encoding, self.name, self.reason)
        codec = self.codec(ccsid)
        beginning = (bytes(data[offset : offset + 8]), order, codec)
        plan = self._read_plans.get(beginning)
        if plan is None or len(data) - offset < plan.length:
            plan = self._read_plans[beginning] = self._plan_of(data, order, codec, offset)
        values = plan.struct.unpack_from(data, offset)
        record.version = values[1]
        for (name, kind, _), value in zip(plan.rows, values[self._own :], strict=True):
            setattr(record, name, _text_of(value, codec, keep_nulls) if kind == CHAR else value)
        return self._tail(data, offset, plan.length, values[2]) if self._has_length else b""

    def error(self, text: str) -> MQError:
        """Make the error of this structure, its name in front."""
        return MQError(f"{self.name}: {text}", self.reason)

    def codec(self, ccsid: int) -> str:
        """Return the codec of the structure's character fields. Raises MQError: the structure's reason."""
        try:
            return field_codec(ccsid)
        except MQError as error:
            raise self.error(error.text) from error

    def _plan(self, version: int, encoding: int) -> _Plan:
        return self._compiled(version, byte_order(encoding, self.name, self.reason))

    def _compiled(self, version: int, order: str) -> _Plan:
        plan = self._plans.get((version, order))
        if plan is None:
            if version not in self.versions:
                known = " or ".join(str(number) for number in self.versions)
                raise self.error(f"version is {version}, not {known}")
            plan = self._plans[version, order] = _Plan(self.fields, self._own, version, order)
        return plan

    def _plan_of(self, data: bytes, order: str, codec: str, offset: int) -> _Plan:
        available = max(len(data) - offset, 0)
        shortest = self._compiled(self.versions[0], order)
        if available < shortest.length:
            raise self.error(f"{available} bytes, {shortest.length} needed")
        struc_id = data[offset : offset + 4]
        if struc_id != self.struc_id.encode(codec):
            raise self.error(f"StrucId is {bytes(struc_id)!r}, not {self.struc_id!r} in {codec}")
        version = int.from_bytes(data[offset + 4 : offset + 8], "big" if order == ">" else "little", signed=True)
        plan = self._compiled(version, order)
        if available < plan.length:
            raise self.error(f"{available} bytes, {plan.length} needed")
        return plan

    def _tail(self, data: bytes, offset: int, fixed: int, struc_length: int) -> bytes:
        if struc_length < fixed:
            raise self.error(f"StrucLength is {struc_length}, at least {fixed} needed")
        if struc_length > len(data) - offset:
            raise self.error(f"StrucLength is {struc_length}, only {len(data) - offset} bytes are there")
        return data[offset + fixed : offset + struc_length]

    def _padded(self, name: str, text: str, length: int, codec: str) -> bytes:
        try:
            raw = encode_field(text.rstrip(" "), codec)
        except UnicodeError as error:
            raise self.error(f"{name} cannot be written in {codec}: {error}") from error
        if len(raw) > length:
            raise self.error(f"{name} is {len(raw)} bytes long, {length} fit: {text!r}")
        return raw.ljust(length, " ".encode(codec))

    def _misfit(self, record: object, plan: _Plan, error: StructError) -> str:
        for name, kind, _ in plan.rows:
            value = getattr(record, name)
            if kind == LONG and not (isinstance(value, int) and -(2**31) <= value < 2**31):
                return f"{name} is {value!r}, no signed 32-bit integer"
        return str(error)

"""PCF messages: bytes to the records of ``headers.pcf`` and back, in either byte order.

Nothing in a message is believed: each count and length is compared with the bytes, and groups nest
no deeper than ``MAX_DEPTH``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import MQRC_PCF_ERROR
from mqtools.headers.charsets import byte_order
from mqtools.headers.pcf import (
    CFBF,
    CFBS,
    CFGR,
    CFH,
    CFIF,
    CFIL,
    CFIL64,
    CFIN,
    CFIN64,
    CFSF,
    CFSL,
    CFST,
    Parameter,
    PCFError,
)

#: Reads a parameter: what it is, and its bytes behind the common part.
Reader: TypeAlias = Callable[["_Found"], Parameter]

#: How deep groups may nest.
MAX_DEPTH = 8
#: Length in bytes of Type, StrucLength and Parameter, which every parameter begins with.
_COMMON = 12
_FIXED_GROUP = 16
_VERSIONS = range(a.MQCFH_VERSION_1, a.MQCFH_VERSION_3 + 1)

# Writing


def pack_pcf(header: CFH, parameters: Sequence[Parameter], encoding: int) -> bytes:
    """Write a PCF message.

    encoding: MQENC_*, of its integers.  Raises PCFError: MQRC_PCF_ERROR when a value does not fit its field.
    """
    order = byte_order(encoding, "PCF", MQRC_PCF_ERROR)
    fields = (header.type, a.MQCFH_STRUC_LENGTH, header.version, header.command, header.msg_seq_number)
    results = (header.control, header.comp_code, header.reason, len(parameters))
    try:
        front = struct.pack(order + "9i", *fields, *results)
    except struct.error as error:
        raise PCFError(f"MQCFH: {error}", MQRC_PCF_ERROR) from error
    return front + b"".join(pack_parameter(parameter, order) for parameter in parameters)


def pack_parameter(parameter: Parameter, order: str, depth: int = 0) -> bytes:
    """Write one parameter, with all that is in it if it is a group. order: ``<`` or ``>``."""
    if depth == MAX_DEPTH and isinstance(parameter, CFGR):
        raise PCFError(f"groups nest deeper than {MAX_DEPTH}", MQRC_PCF_ERROR, parameter.parameter)
    try:
        body = _body(parameter, order)
        length = _COMMON + len(body)
        front = struct.pack(order + "3i", parameter.kind, length, parameter.parameter)
    except struct.error as error:
        text = f"parameter {parameter.parameter}: {error}"
        raise PCFError(text, MQRC_PCF_ERROR, parameter.parameter) from error
    if isinstance(parameter, CFGR):
        body += b"".join(pack_parameter(inner, order, depth + 1) for inner in parameter.parameters)
    return front + body


def _body(parameter: Parameter, order: str) -> bytes:
    """Return what follows the common part of a parameter; of a group, without its parameters."""
    match parameter:
        case CFIN64():
            return struct.pack(order + "4xq", parameter.value)
        case CFIN():
            return struct.pack(order + "i", parameter.value)
        case CFIL64() | CFIL():
            width = "q" if isinstance(parameter, CFIL64) else "i"
            count = len(parameter.values)
            return struct.pack(order + "i", count) + struct.pack(f"{order}{count}{width}", *parameter.values)
        case CFIF():
            return struct.pack(order + "2i", parameter.operator, parameter.filter_value)
        case CFGR():
            return struct.pack(order + "i", len(parameter.parameters))
    return _body_of_strings(parameter, order)


def _body_of_strings(parameter: CFST | CFSL | CFBS | CFSF | CFBF, order: str) -> bytes:
    if isinstance(parameter, CFSL):
        length = max(map(len, parameter.strings), default=0)
        numbers = [parameter.coded_char_set_id, len(parameter.strings), length]
        text = b"".join(string.ljust(length) for string in parameter.strings)
    else:
        form = _STRINGS[parameter.kind]
        text = getattr(parameter, form.text)
        numbers = [*(getattr(parameter, name) for name in form.numbers), len(text)]
    return struct.pack(f"{order}{len(numbers)}i", *numbers) + text + bytes(-len(text) % 4)


# Reading


def unpack_cfh(data: bytes, encoding: int) -> tuple[CFH, int]:
    """Read the header of a PCF message, and how many parameters it announces.

    Raises PCFError: MQRCCF_MSG_LENGTH_ERROR, MQRCCF_CFH_LENGTH_ERROR, MQRCCF_CFH_VERSION_ERROR,
    MQRCCF_CFH_PARM_COUNT_ERROR, MQRCCF_ENCODING_ERROR.
    """
    order = byte_order(encoding, "PCF", c.MQRCCF_ENCODING_ERROR)
    if len(data) < a.MQCFH_STRUC_LENGTH:
        raise PCFError(f"{len(data)} bytes, an MQCFH has {a.MQCFH_STRUC_LENGTH}", c.MQRCCF_MSG_LENGTH_ERROR)
    kind, length, version, command, sequence, control, comp_code, reason, count = struct.unpack_from(order + "9i", data)
    if length != a.MQCFH_STRUC_LENGTH:
        raise PCFError(f"MQCFH: StrucLength is {length}", c.MQRCCF_CFH_LENGTH_ERROR)
    if version not in _VERSIONS:
        raise PCFError(f"MQCFH: version is {version}", c.MQRCCF_CFH_VERSION_ERROR)
    if count < 0:
        raise PCFError(f"MQCFH: {count} parameters", c.MQRCCF_CFH_PARM_COUNT_ERROR)
    header = CFH(
        command,
        type=kind,
        version=version,
        msg_seq_number=sequence,
        control=control,
        comp_code=comp_code,
        reason=reason,
    )
    return header, count


def unpack_pcf(data: bytes, encoding: int) -> tuple[CFH, list[Parameter]]:
    """Read a PCF message, groups with what is in them.

    Raises PCFError as ``unpack_cfh``; and MQRCCF_STRUCTURE_TYPE_ERROR, MQRCCF_CFIN_LENGTH_ERROR and its like for
    a parameter; MQRCCF_MSG_LENGTH_ERROR when there are not as many as it says.
    """
    header, count = unpack_cfh(data, encoding)
    order = byte_order(encoding)
    parameters, end = _parameters(data, a.MQCFH_STRUC_LENGTH, count, order, 0)
    if end != len(data):
        text = f"{len(data) - end} bytes are left after the last of {count} parameters"
        raise PCFError(text, c.MQRCCF_MSG_LENGTH_ERROR, offset=end)
    return header, parameters


@dataclass(slots=True)
class _Found:
    """A parameter that was found: its number, its bytes behind the common part, where it is."""

    kind: int
    number: int
    behind: bytes
    offset: int
    order: str

    def wrong(self, text: str, reason: int) -> PCFError:
        return PCFError(f"parameter {self.number}: {text}", reason, self.number, self.offset)

    def integers(self, count: int, exact: bool = False) -> tuple[int, ...]:
        """Return the integers it begins with. exact: nothing is behind them."""
        length = 4 * count
        if len(self.behind) < length or (exact and len(self.behind) != length):
            raise self.wrong(f"StrucLength is {len(self.behind) + _COMMON}", _READERS[self.kind][1])
        return struct.unpack_from(f"{self.order}{count}i", self.behind)

    def text(self, start: int, length: int, reason: int) -> bytes:
        """Return the string at an offset, padded to a multiple of four or not."""
        if length < 0 or length > len(self.behind) - start:
            raise self.wrong(f"{length} bytes do not fit StrucLength {len(self.behind) + _COMMON}", reason)
        if len(self.behind) - start - length > 3:
            raise self.wrong(f"StrucLength is {len(self.behind) + _COMMON}", _READERS[self.kind][1])
        return self.behind[start : start + length]


def _parameters(data: bytes, offset: int, count: int, order: str, depth: int) -> tuple[list[Parameter], int]:
    """Read as many parameters as are announced; give them, and where the next one would begin."""
    found: list[Parameter] = []
    for _ in range(count):
        parameter, offset = _parameter(data, offset, order, depth)
        found.append(parameter)
    return found, offset


def _parameter(data: bytes, offset: int, order: str, depth: int) -> tuple[Parameter, int]:
    available = len(data) - offset
    if available < _COMMON:
        raise PCFError("a parameter is missing at the end", c.MQRCCF_MSG_LENGTH_ERROR, offset=offset)
    kind, length, number = struct.unpack_from(order + "3i", data, offset)
    if kind not in _READERS:
        raise PCFError(f"structure of type {kind}", c.MQRCCF_STRUCTURE_TYPE_ERROR, number, offset)
    reader, wrong = _READERS[kind]
    if not _COMMON <= length <= available:
        text = f"parameter {number}: StrucLength is {length}, {available} bytes are there"
        raise PCFError(text, wrong, number, offset)
    found = _Found(kind, number, data[offset + _COMMON : offset + length], offset, order)
    parameter = reader(found)
    if isinstance(parameter, CFGR):
        return _group(data, found, depth)
    return parameter, offset + length


def _group(data: bytes, found: _Found, depth: int) -> tuple[Parameter, int]:
    (count,) = found.integers(1, exact=True)
    if count < 0 or depth == MAX_DEPTH:
        raise found.wrong(f"a group of {count} at depth {depth}", c.MQRCCF_CFGR_PARM_COUNT_ERROR)
    members, end = _parameters(data, found.offset + _FIXED_GROUP, count, found.order, depth + 1)
    return CFGR(found.number, members), end


def _cfin64(found: _Found) -> CFIN64:
    found.integers(3, exact=True)
    return CFIN64(found.number, *struct.unpack(found.order + "4xq", found.behind))


def _cfil(found: _Found) -> CFIL:
    width = 8 if found.kind == a.MQCFT_INTEGER64_LIST else 4
    (count,) = found.integers(1)
    if count < 0 or 4 + count * width != len(found.behind):
        raise found.wrong(f"a list of {count} in {len(found.behind)} bytes", c.MQRCCF_CFIL_COUNT_ERROR)
    values = struct.unpack_from(f"{found.order}{count}{'q' if width == 8 else 'i'}", found.behind, 4)
    return (CFIL64 if width == 8 else CFIL)(found.number, values)


def _cfsl(found: _Found) -> CFSL:
    ccsid, count, length = found.integers(3)
    # A hostile header can claim any number of strings of no length: they take no bytes.
    if count < 0 or count > len(found.behind):
        raise found.wrong(f"a list of {count} strings", c.MQRCCF_CFSL_COUNT_ERROR)
    if length < 0:
        raise found.wrong(f"strings of {length} bytes", c.MQRCCF_CFSL_STRING_LENGTH_ERR)
    text = found.text(12, count * length, c.MQRCCF_CFSL_TOTAL_LENGTH_ERROR)
    return CFSL(found.number, [text[at * length : (at + 1) * length] for at in range(count)], ccsid)


class _Strings(NamedTuple):
    """Parameters that are numbers, a length and a string. wrong: reason for a length that does not fit."""

    record: type[CFST | CFBS | CFSF | CFBF]
    numbers: tuple[str, ...]
    text: str
    wrong: int


_STRINGS = {
    a.MQCFT_STRING: _Strings(CFST, ("coded_char_set_id",), "string", c.MQRCCF_CFST_STRING_LENGTH_ERR),
    a.MQCFT_BYTE_STRING: _Strings(CFBS, (), "string", c.MQRCCF_CFBS_STRING_LENGTH_ERR),
    a.MQCFT_STRING_FILTER: _Strings(
        CFSF, ("operator", "coded_char_set_id"), "filter_value", c.MQRCCF_CFSF_FILTER_VAL_LEN_ERR
    ),
    a.MQCFT_BYTE_STRING_FILTER: _Strings(CFBF, ("operator",), "filter_value", c.MQRCCF_CFBF_FILTER_VAL_LEN_ERR),
}


def _string(found: _Found) -> Parameter:
    form = _STRINGS[found.kind]
    *numbers, length = found.integers(len(form.numbers) + 1)
    text = found.text(4 * len(numbers) + 4, length, form.wrong)
    given: dict[str, Any] = {**dict(zip(form.numbers, numbers, strict=True)), form.text: text}
    return form.record(found.number, **given)


#: Type of a parameter to what reads it, and the reason for a StrucLength that cannot be. Another type is damage.
_READERS: dict[int, tuple[Reader, int]] = {
    a.MQCFT_INTEGER: (lambda found: CFIN(found.number, *found.integers(1, exact=True)), c.MQRCCF_CFIN_LENGTH_ERROR),
    a.MQCFT_INTEGER64: (_cfin64, c.MQRCCF_CFIN_LENGTH_ERROR),
    a.MQCFT_INTEGER_LIST: (_cfil, c.MQRCCF_CFIL_LENGTH_ERROR),
    a.MQCFT_INTEGER64_LIST: (_cfil, c.MQRCCF_CFIL_LENGTH_ERROR),
    a.MQCFT_STRING: (_string, c.MQRCCF_CFST_LENGTH_ERROR),
    a.MQCFT_STRING_LIST: (_cfsl, c.MQRCCF_CFSL_LENGTH_ERROR),
    a.MQCFT_BYTE_STRING: (_string, c.MQRCCF_CFBS_LENGTH_ERROR),
    a.MQCFT_INTEGER_FILTER: (
        lambda found: CFIF(found.number, *found.integers(2, exact=True)),
        c.MQRCCF_CFIF_LENGTH_ERROR,
    ),
    a.MQCFT_STRING_FILTER: (_string, c.MQRCCF_CFSF_LENGTH_ERROR),
    a.MQCFT_BYTE_STRING_FILTER: (_string, c.MQRCCF_CFBF_LENGTH_ERROR),
    a.MQCFT_GROUP: (lambda found: CFGR(found.number), c.MQRCCF_CFGR_LENGTH_ERROR),
}

"""The structures of the programmable command format: MQCFH and the parameters behind it, as records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from mqtools.constants.administration import (
    MQCFC_LAST,
    MQCFH_VERSION_1,
    MQCFT_BYTE_STRING,
    MQCFT_BYTE_STRING_FILTER,
    MQCFT_COMMAND,
    MQCFT_GROUP,
    MQCFT_INTEGER,
    MQCFT_INTEGER64,
    MQCFT_INTEGER64_LIST,
    MQCFT_INTEGER_FILTER,
    MQCFT_INTEGER_LIST,
    MQCFT_STRING,
    MQCFT_STRING_FILTER,
    MQCFT_STRING_LIST,
)
from mqtools.constants.message import MQCCSI_DEFAULT
from mqtools.errors import MQError
from mqtools.records import Record

#: Any parameter of a command or reply.
Parameter: TypeAlias = "CFIN | CFST | CFIL | CFSL | CFBS | CFIF | CFSF | CFBF | CFGR | CFIN64 | CFIL64"


class PCFError(MQError):
    """Raised when a message is no PCF message or a parameter is wrong; the reason is an MQRCCF or MQRC.

    parameter: MQIA, MQCA, MQIACF, … of the parameter it is about, None where it is about none.
    offset: in bytes, of the structure in the message; None unless the structure itself is damaged.
    """

    def __init__(self, text: str, reason: int, parameter: int | None = None, offset: int | None = None) -> None:
        super().__init__(text, reason)
        self.parameter = parameter
        self.offset = offset


@dataclass(slots=True)
class CFH(Record):
    """The header of a PCF message. type: MQCFT_COMMAND, _COMMAND_XR, _RESPONSE, _EVENT, …

    The count of parameters follows from the parameters and is no field here.
    """

    command: int = 0
    _: KW_ONLY
    type: int = MQCFT_COMMAND
    version: int = MQCFH_VERSION_1
    msg_seq_number: int = 1
    control: int = MQCFC_LAST
    comp_code: int = 0
    reason: int = 0


@dataclass(slots=True)
class CFIN(Record):
    """An integer."""

    parameter: int
    value: int
    kind = MQCFT_INTEGER


class CFIN64(CFIN):
    """An integer of 64 bits."""

    __slots__ = ()
    kind = MQCFT_INTEGER64


@dataclass(slots=True)
class CFIL(Record):
    """A list of integers."""

    parameter: int
    values: Sequence[int]
    kind = MQCFT_INTEGER_LIST

    def __post_init__(self) -> None:
        self.values = list(self.values)


class CFIL64(CFIL):
    """A list of integers of 64 bits."""

    __slots__ = ()
    kind = MQCFT_INTEGER64_LIST


@dataclass(slots=True)
class CFST(Record):
    """A string. coded_char_set_id: MQCCSI_DEFAULT means that of the message."""

    parameter: int
    string: bytes
    coded_char_set_id: int = MQCCSI_DEFAULT
    kind = MQCFT_STRING


@dataclass(slots=True)
class CFSL(Record):
    """A list of strings, written as long as the longest, padded with blanks."""

    parameter: int
    strings: Sequence[bytes]
    coded_char_set_id: int = MQCCSI_DEFAULT
    kind = MQCFT_STRING_LIST

    def __post_init__(self) -> None:
        self.strings = list(self.strings)


@dataclass(slots=True)
class CFBS(Record):
    """Bytes that are never converted."""

    parameter: int
    string: bytes
    kind = MQCFT_BYTE_STRING


@dataclass(slots=True)
class CFIF(Record):
    """A filter on an integer. operator: MQCFOP_*."""

    parameter: int
    operator: int
    filter_value: int
    kind = MQCFT_INTEGER_FILTER


@dataclass(slots=True)
class CFSF(Record):
    """A filter on a string. operator: MQCFOP_*."""

    parameter: int
    operator: int
    filter_value: bytes
    coded_char_set_id: int = MQCCSI_DEFAULT
    kind = MQCFT_STRING_FILTER


@dataclass(slots=True)
class CFBF(Record):
    """A filter on a byte string. operator: MQCFOP_*."""

    parameter: int
    operator: int
    filter_value: bytes
    kind = MQCFT_BYTE_STRING_FILTER


@dataclass(slots=True)
class CFGR(Record):
    """A group of parameters, groups among them."""

    parameter: int
    parameters: Sequence[Parameter] = ()
    kind = MQCFT_GROUP

    def __post_init__(self) -> None:
        self.parameters = list(self.parameters)

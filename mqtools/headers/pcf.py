"""The structures of the programmable command format: MQCFH and the parameters behind it, as records."""

from __future__ import annotations

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

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


class CFH(Record):
    """The header of a PCF message. type: MQCFT_COMMAND, _COMMAND_XR, _RESPONSE, _EVENT, …

    The count of parameters follows from the parameters and is no field here.
    """

    __slots__ = ("command", "comp_code", "control", "msg_seq_number", "reason", "type", "version")

    def __init__(
        self,
        command: int = 0,
        *,
        type: int = MQCFT_COMMAND,
        version: int = MQCFH_VERSION_1,
        msg_seq_number: int = 1,
        control: int = MQCFC_LAST,
        comp_code: int = 0,
        reason: int = 0,
    ) -> None:
        self.command = command
        self.type = type
        self.version = version
        self.msg_seq_number = msg_seq_number
        self.control = control
        self.comp_code = comp_code
        self.reason = reason


class CFIN(Record):
    """An integer."""

    __slots__ = ("parameter", "value")
    kind = MQCFT_INTEGER

    def __init__(self, parameter: int, value: int) -> None:
        self.parameter = parameter
        self.value = value


class CFIN64(CFIN):
    """An integer of 64 bits."""

    __slots__ = ()
    kind = MQCFT_INTEGER64


class CFIL(Record):
    """A list of integers."""

    __slots__ = ("parameter", "values")
    kind = MQCFT_INTEGER_LIST

    def __init__(self, parameter: int, values: Sequence[int]) -> None:
        self.parameter = parameter
        self.values = list(values)


class CFIL64(CFIL):
    """A list of integers of 64 bits."""

    __slots__ = ()
    kind = MQCFT_INTEGER64_LIST


class CFST(Record):
    """A string. coded_char_set_id: MQCCSI_DEFAULT means that of the message."""

    __slots__ = ("coded_char_set_id", "parameter", "string")
    kind = MQCFT_STRING

    def __init__(self, parameter: int, string: bytes, coded_char_set_id: int = MQCCSI_DEFAULT) -> None:
        self.parameter = parameter
        self.string = string
        self.coded_char_set_id = coded_char_set_id


class CFSL(Record):
    """A list of strings, written as long as the longest, padded with blanks."""

    __slots__ = ("coded_char_set_id", "parameter", "strings")
    kind = MQCFT_STRING_LIST

    def __init__(self, parameter: int, strings: Sequence[bytes], coded_char_set_id: int = MQCCSI_DEFAULT) -> None:
        self.parameter = parameter
        self.strings = list(strings)
        self.coded_char_set_id = coded_char_set_id


class CFBS(Record):
    """Bytes that are never converted."""

    __slots__ = ("parameter", "string")
    kind = MQCFT_BYTE_STRING

    def __init__(self, parameter: int, string: bytes) -> None:
        self.parameter = parameter
        self.string = string


class CFIF(Record):
    """A filter on an integer. operator: MQCFOP_*."""

    __slots__ = ("filter_value", "operator", "parameter")
    kind = MQCFT_INTEGER_FILTER

    def __init__(self, parameter: int, operator: int, filter_value: int) -> None:
        self.parameter = parameter
        self.operator = operator
        self.filter_value = filter_value


class CFSF(Record):
    """A filter on a string. operator: MQCFOP_*."""

    __slots__ = ("coded_char_set_id", "filter_value", "operator", "parameter")
    kind = MQCFT_STRING_FILTER

    def __init__(
        self, parameter: int, operator: int, filter_value: bytes, coded_char_set_id: int = MQCCSI_DEFAULT
    ) -> None:
        self.parameter = parameter
        self.operator = operator
        self.filter_value = filter_value
        self.coded_char_set_id = coded_char_set_id


class CFBF(Record):
    """A filter on a byte string. operator: MQCFOP_*."""

    __slots__ = ("filter_value", "operator", "parameter")
    kind = MQCFT_BYTE_STRING_FILTER

    def __init__(self, parameter: int, operator: int, filter_value: bytes) -> None:
        self.parameter = parameter
        self.operator = operator
        self.filter_value = filter_value


class CFGR(Record):
    """A group of parameters, groups among them."""

    __slots__ = ("parameter", "parameters")
    kind = MQCFT_GROUP

    def __init__(self, parameter: int, parameters: Sequence[Parameter] = ()) -> None:
        self.parameter = parameter
        self.parameters = list(parameters)

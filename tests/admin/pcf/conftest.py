"""Fixture: a command server to send PCF commands to."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants import cmqcfc as c
from mqtools.constants.administration import MQCFT_COMMAND_XR
from mqtools.constants.message import MQENC_NATIVE, MQMT_REQUEST
from mqtools.headers.pcf import CFBS, CFH, CFIL, CFIN, CFSL, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD, Message

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"


class Server:
    """Sends commands and reads the replies."""

    def __init__(self, qm: Any) -> None:
        self.qm = qm

    def send(self, command: int, *parameters: Any, encoding: int = MQENC_NATIVE, **fields: Any) -> list[Message]:
        body = pack_pcf(CFH(command, type=MQCFT_COMMAND_XR, version=3), parameters, encoding)
        return self.send_body(body, encoding=encoding, **fields)

    def send_body(self, body: bytes, **fields: Any) -> list[Message]:
        values = {"msg_type": MQMT_REQUEST, "format": "MQADMIN", "reply_to_q": "R", **fields}
        self.qm.main.put1(COMMANDS, Message(body, MQMD(**values)))
        return [result.message for result in self.qm.got("R")]

    def ask(self, command: int, *parameters: Any) -> list[dict[int, Any]]:
        """Send a command that succeeds; return the parameters of each reply."""
        found = []
        for reply in self.send(command, *parameters):
            header, given = unpack_pcf(reply.data, reply.md.encoding)
            assert (header.comp_code, header.reason, header.command) == (0, 0, command)
            found.append({parameter.parameter: value_of(parameter) for parameter in given})
        return found

    def reason(self, command: int, *parameters: Any) -> tuple[int, int | None]:
        """Send a command that fails; return the reason and the parameter in the reply."""
        (reply,) = self.send(command, *parameters)
        header, given = unpack_pcf(reply.data, reply.md.encoding)
        assert (header.comp_code, header.control) == (2, 1)
        about = {parameter.parameter: value_of(parameter) for parameter in given}
        return header.reason, about.get(c.MQIACF_PARAMETER_ID)


def value_of(parameter: Any) -> Any:
    match parameter:
        case CFIN():
            return parameter.value
        case CFST():
            return parameter.string.decode()
        case CFIL():
            return parameter.values
        case CFSL():
            return [string.decode().rstrip() for string in parameter.strings]
        case CFBS():
            return parameter.string
    raise AssertionError(parameter)


@pytest.fixture
def server(qm: Any) -> Server:
    return Server(qm)

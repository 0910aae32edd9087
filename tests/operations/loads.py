"""Helpers: load and unload messages, and write them to a dump."""

from __future__ import annotations

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.formats.dump.display import parse_display
from mqtools.formats.dump.writer import dump_message
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message, Property
from mqtools.operations.load import load_messages
from mqtools.operations.selection import Selection
from mqtools.operations.unload import copy_messages, for_dump
from mqtools.rules.properties import into_rfh2

from ..mqi.conftest import QM
from ..rows import queue_id

RFH2_MD, RFH2_DATA = into_rfh2(
    MQMD(format="MQSTR", coded_char_set_id=1208),
    b"body",
    {"colour": Property(MQTYPE_STRING, "red")},
    ccsid=1208,
    encoding=546,
)


def load(qm: QM, *messages: Message, q_name: str = "Q") -> None:
    assert load_messages(qm.main, q_name, messages) == (len(messages), None)


def unloaded(qm: QM, q_name: str = "Q", **selection: object) -> list[Message]:
    return [each.message for each in copy_messages(qm.main.db, queue_id(qm.main, q_name), Selection(**selection))]  # type: ignore[arg-type]


def through_a_dump(messages: list[Message], *words: str) -> list[Message]:
    """Return messages after a round trip through a dump."""
    lines: list[bytes] = [b"* QLOAD\n"]
    for message in messages:
        md, data, extra = for_dump(message)
        lines += b"".join(dump_message(md, data, parse_display(words), extra=extra)).split(b"\n")
    findings = Findings("f")
    read = [each.message for each in read_messages([line + b"\n" for line in lines], findings)]
    assert (findings.mistakes, findings.warnings) == ([], [])
    return read


def full(**fields: object) -> MQMD:
    """Return a descriptor in which the queue manager changes nothing."""
    given: dict[str, object] = {"priority": 4, "persistence": 0, "msg_id": b"m" * 24, "coded_char_set_id": 850}
    return MQMD(**{**given, **fields})  # type: ignore[arg-type]

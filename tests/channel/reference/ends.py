"""The two ends of a channel with REFERENCE at each, without the channel: what exits see and what becomes of it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from mqtools.channel.exits import ExitChain, ExitContext, ExitMessage, load_chain
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.message import MQMD
from mqtools.rules.reference import Portion, Reference, parse_reference

INSTANCE = b"I" * 24
#: What is in the file that crosses.
OBJECT = random.Random(7).randbytes(2500)


def reference_message(
    name: str = "film.bin",
    *,
    offset: int = 0,
    length: int = 0,
    instance_id: bytes = INSTANCE,
    dest_name: str | None = None,
    bulk: bytes = b"",
    q_name: str = "Q",
    q_mgr_name: str = "QM2",
    **fields: Any,
) -> ExitMessage:
    """Make a reference message as ``mqx put --reference`` does, or with data as one that is under way."""
    rmh = MQRMH(
        coded_char_set_id=1208,
        object_instance_id=instance_id,
        object_type="FLATFILE",
        src_name=name,
        dest_name=name if dest_name is None else dest_name,
        data_logical_offset=offset,
        data_logical_length=length,
        **fields,
    )
    md = MQMD(format="MQHREF", coded_char_set_id=1208, msg_id=b"M" * 24, persistence=1, priority=4)
    return ExitMessage(pack_mqrmh(rmh, 546, 1208) + bulk, md, remote_q=q_name, remote_q_mgr=q_mgr_name)


def apart(message: ExitMessage) -> Reference:
    return parse_reference(message.md, message.data)


def portions(messages: list[ExitMessage]) -> list[Portion]:
    return [apart(message).portion for message in messages]


class Ends:
    """A sender with a transmission queue, and a receiver with a queue and a dead-letter queue.

    sent: as transmitted.  notes: what exits have said.
    """

    def __init__(self, folder: Path, max_message_length: int = 10_000) -> None:
        self.source, self.target = folder / "source", folder / "target"
        self.source.mkdir(exist_ok=True)
        self.target.mkdir(exist_ok=True)
        self.max_message_length = max_message_length
        self.transmission_queue: list[ExitMessage] = []
        self.sent: list[ExitMessage] = []
        self.queue: list[ExitMessage] = []
        self.dead: list[ExitMessage] = []
        self.notes: list[str] = []
        self._settled: list[ExitMessage] = []

    def chain(self, chltype: str, q_mgr: str, folder: Path, **values: Any) -> ExitChain:
        chain = load_chain("REFERENCE", str(folder))
        own: dict[str, Any] = {"max_message_length": self.max_message_length, "note": self.notes.append}
        if chltype == "SDR":
            own |= {"put_next": self.transmission_queue.append, "settle": self._settled.append}
        chain.start(ExitContext("QM1.TO.QM2", chltype, q_mgr, **{**own, **values}))
        return chain

    def send_one(self) -> ExitMessage | None:
        """Send the first message of the transmission queue; what an exit has chosen takes its place there."""
        chain = self.chain("SDR", "QM1", self.source)
        try:
            given = chain(self.transmission_queue[0])
        finally:
            chain.end()
        if self._settled:
            self.transmission_queue[0] = self._settled.pop()
        if given is not None:
            self.sent.append(given)
        return given

    def receive(self, message: ExitMessage) -> None:
        chain = self.chain("RCVR", "QM2", self.target)
        try:
            given = chain(message)
        finally:
            chain.end()
        (self.dead if given is None else self.queue).append(message if given is None else given)

    def run(self, *messages: ExitMessage) -> None:
        """Put messages on the transmission queue and move it until it is empty."""
        self.transmission_queue.extend(messages)
        while self.transmission_queue:
            given = self.send_one()
            stored = self.transmission_queue.pop(0)
            if given is None:
                self.dead.append(stored)
            else:
                self.receive(given)

    def hidden(self) -> list[str]:
        return sorted(path.name for path in self.target.rglob(".mqx-*"))

    def objects(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.target)): path.read_bytes()
            for path in self.target.rglob("*")
            if path.is_file() and not path.name.startswith(".mqx-")
        }

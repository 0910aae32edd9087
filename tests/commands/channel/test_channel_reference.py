"""Objects across real channels: several queue managers, exits at the ends, kills on the way."""

from __future__ import annotations

import functools
import json
import random
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants.message import MQFB_STOPPED_BY_MSG_EXIT
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh

from ..conftest import Done

Q = "DEV.QUEUE.1"
DLQ = "DEV.DEAD.LETTER.QUEUE"

Mqx = Callable[..., Done]


class Nodes:
    """Queue managers with channels between them, each with a folder of what it may send and one of what it receives."""

    def __init__(self, mqx: Mqx, folder: Path) -> None:
        self.mqx = mqx
        self.folder = folder

    def create(self, *names: str) -> None:
        for name in names:
            self.mqx("qmgr", "create", name, "--dev", check=True)
            for kind in ("sent", "received"):
                (self.folder / name / kind).mkdir(parents=True)

    def root(self, name: str, kind: str) -> Path:
        return self.folder / name / kind

    def mqsc(self, name: str, *commands: str) -> None:
        self.mqx("mqsc", "-m", name, *commands, check=True)

    def connect(
        self,
        sender: str,
        receiver: str,
        *,
        sends: str = "",
        receives: str = "",
        exits: tuple[bool, bool] = (True, True),
    ) -> None:
        """Define the two ends of a channel. sends, receives: more attributes.  exits: at which ends REFERENCE is."""
        ours, theirs = (
            f"MSGEXIT('REFERENCE') MSGDATA('{self.root(name, kind)}')" if wanted else ""
            for name, kind, wanted in ((sender, "sent", exits[0]), (receiver, "received", exits[1]))
        )
        channel = f"DEFINE CHANNEL({sender}.TO.{receiver})"
        connection = f"XMITQ({receiver}) CONNAME('qmgr:{receiver}')"
        self.mqsc(
            sender,
            f"DEFINE QLOCAL({receiver}) USAGE(XMITQ) DEFPSIST(YES)",
            f"{channel} CHLTYPE(SDR) {connection} {ours} {sends}",
        )
        self.mqsc(receiver, f"{channel} CHLTYPE(RCVR) {theirs} {receives}")

    def put(self, name: str, queue: str, *words: str) -> None:
        self.mqx("put", "-m", name, queue, "--persistent", *words, check=True)

    def drain(self, sender: str, receiver: str, status: int = 0) -> Done:
        """Drain a channel. status: 9 where a message cannot be sent or delivered."""
        return self.mqx("channel", "start", "-m", sender, f"{sender}.TO.{receiver}", "--drain").ended(status)

    def browse(self, name: str, queue: str = Q) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.mqx("browse", "-m", name, queue, "-o", "jsonl").out.splitlines()]

    def portions(self, name: str) -> list[tuple[int, int, int]]:
        """Offset, length and flags of the reference messages on the target queue."""
        headers = [message["headers"][0] for message in self.browse(name)]
        return [(one["logical_offset"], one["data_logical_length"], one["flags"]) for one in headers]

    def longest_stored(self, name: str) -> int:
        """Bytes of the longest message in the file of a queue manager, whatever its state."""
        with sqlite3.connect(self.path(name)) as database:
            longest = database.execute("select max(length(data)) from messages").fetchone()[0]
        database.close()
        return int(longest or 0)

    def has_received(self, size: float) -> bool:
        """Whether more than so many bytes of an object have come to QM2."""
        return any(one.stat().st_size > size for one in self.root("QM2", "received").glob(".mqx-*.part"))

    def path(self, name: str) -> Path:
        return self.folder / "qmgrs" / f"{name}.db"


@pytest.fixture
def nodes(mqx: Mqx, tmp_path: Path) -> Nodes:
    return Nodes(mqx, tmp_path)


@pytest.fixture
def two(nodes: Nodes) -> Nodes:
    nodes.create("QM1", "QM2")
    return nodes


def an_object(nodes: Nodes, size: int, name: str = "film.bin", q_mgr: str = "QM1") -> bytes:
    data = random.Random(size).randbytes(size)
    (nodes.root(q_mgr, "sent") / name).write_bytes(data)
    return data


HEADER = len(pack_mqrmh(MQRMH(src_name="film.bin", dest_name="film.bin"), 546, 1208))


@pytest.mark.conformance("REF-02", "REF-06", "REF-08", "REF-14", "REF-15")
def test_an_object_crosses_and_is_never_on_a_queue(two: Nodes) -> None:
    two.connect("QM1", "QM2", sends="MAXMSGL(1000000)")
    data = an_object(two, 5_000_000)
    two.put("QM1", f"{Q}@QM2", "--reference", "film.bin")
    assert two.longest_stored("QM1") < 1000
    two.drain("QM1", "QM2")
    assert (two.root("QM2", "received") / "film.bin").read_bytes() == data
    room = 1_000_000 - MQDLH_LENGTH_1 - HEADER
    assert two.portions("QM2") == [
        *((at * room, room, 0) for at in range(5)),
        (5 * room, 5_000_000 - 5 * room, 1),
    ]
    assert {message["data_length"] for message in two.browse("QM2")} == {HEADER}
    assert two.longest_stored("QM2") == HEADER
    assert two.browse("QM1", "QM2") == two.browse("QM1", DLQ) == two.browse("QM2", DLQ) == []


@pytest.mark.conformance("REF-16")
def test_an_object_that_cannot_be_sent_is_dead_lettered_and_reported_and_the_channel_goes_on(two: Nodes) -> None:
    two.connect("QM1", "QM2")
    an_object(two, 10)
    two.put("QM1", f"{Q}@QM2", "--reference", "nothing", "--reply-to", "DEV.QUEUE.2", "--report", "exception")
    two.put("QM1", f"{Q}@QM2", "--reference", "film.bin")
    done = two.drain("QM1", "QM2", status=9)
    assert "nothing: No such file" in done.err
    (dead,) = two.browse("QM1", DLQ)
    assert dead["headers"][0]["reason"] in ("MQFB_STOPPED_BY_MSG_EXIT", MQFB_STOPPED_BY_MSG_EXIT)
    assert [header["struc_id"] for header in dead["headers"]] == ["DLH", "RMH"]
    (report,) = two.browse("QM1", "DEV.QUEUE.2")
    assert (report["md"]["feedback"], report["md"]["format"]) == ("MQFB_STOPPED_BY_MSG_EXIT", "MQHREF")
    assert report["headers"][0]["src_name"] == "nothing"
    assert two.portions("QM2") == [(0, 10, 1)]


@pytest.mark.conformance("REF-13", "REF-18")
def test_a_portion_that_was_dead_lettered_completes_the_object_when_it_is_forwarded(nodes: Nodes) -> None:
    nodes.create("QM1", "QM2")
    nodes.connect("QM1", "QM2")
    data = an_object(nodes, 3000)
    film = nodes.root("QM1", "sent") / "film.bin"
    for at in (0, 1000, 2000):
        nodes.put("QM1", f"{Q}@QM2", "--reference", "film.bin", "--offset", str(at), "--length", "1000")
        if at != 1000:
            continue
        film.rename(film.with_name("away"))
        nodes.mqx("move", "-m", "QM1", "QM2", "DEV.QUEUE.3", "--pos", "1", check=True)  # keep the first back
        nodes.drain("QM1", "QM2", status=9)
        film.with_name("away").rename(film)
        nodes.mqx("move", "-m", "QM1", "DEV.QUEUE.3", "QM2", check=True)
    nodes.drain("QM1", "QM2")
    assert nodes.portions("QM2") == [(0, 1000, 0), (2000, 1000, 1)]
    assert "portions are missing (1000 to 2000)" in nodes.mqx("doctor", "-m", "QM2").out.decode()
    nodes.mqx(
        "dlq-handle", "-m", "QM1", "--once", stdin=b"ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM) HEADER(NO)", check=True
    )
    nodes.drain("QM1", "QM2")
    assert (nodes.root("QM2", "received") / "film.bin").read_bytes() == data
    assert len(nodes.portions("QM2")) == 3


#: An exit that keeps the last portion of an object back until a file is there, so that who is killed is never through.
HOLD = """
import os, threading
from mqtools.headers.mqrmh import unpack_mqrmh

def hold(context, message):
    is_last = unpack_mqrmh(message.data, message.md.encoding, message.md.coded_char_set_id).flags
    if is_last and not os.path.exists(context.data):
        threading.Event().wait()
    return message
"""


@pytest.mark.conformance("REF-19")
def test_a_channel_killed_again_and_again_delivers_the_object_and_each_reference_once(
    two: Nodes,
    start: Callable[..., subprocess.Popen[bytes]],
    eventually: Callable[[Callable[[], Any]], Any],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    (tmp_path / "holding.py").write_text(HOLD)
    environment["PYTHONPATH"] = str(tmp_path)
    exits = f"MSGEXIT('holding:hold,REFERENCE') MSGDATA('{tmp_path}/whole,{two.root('QM2', 'received')}')"
    two.connect("QM1", "QM2", sends="MAXMSGL(20000) BATCHSZ(7)", receives=exits, exits=(True, False))
    data = an_object(two, 4_000_000)
    two.put("QM1", f"{Q}@QM2", "--reference", "film.bin")
    received = two.root("QM2", "received")
    for part in (0.2, 0.4, 0.6, 0.8):
        channel = start("channel", "start", "-m", "QM1", "QM1.TO.QM2")
        eventually(functools.partial(two.has_received, part * len(data)))
        time.sleep(random.Random(part).random() / 50)
        channel.kill()
        channel.wait()
    assert not (received / "film.bin").exists()
    (tmp_path / "whole").touch()
    two.drain("QM1", "QM2")
    assert (received / "film.bin").read_bytes() == data
    portions, room = two.portions("QM2"), 20000 - MQDLH_LENGTH_1 - HEADER
    assert [offset for offset, _, _ in portions] == [n * room for n in range(len(portions))]
    assert [flags for _, _, flags in portions] == [0] * (len(portions) - 1) + [1]
    assert sum(length for _, length, _ in portions) == len(data)

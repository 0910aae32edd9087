"""The forty tasks of a newcomer, in the order of a first day: one queue manager, one process, loose comparison."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import pytest

from mqtools.mqi import close_all

(SCRIPT,) = entry_points(group="console_scripts", name="mqx")
COMMANDS = import_module(SCRIPT.module)
SESSION = import_module(f"{SCRIPT.module}.shared.command_session")


class Step(NamedTuple):
    """One command line: what it is given, its exit status, and what its output and messages hold, as a pattern."""

    line: str
    status: int = 0
    shows: str = ""
    stdin: bytes = b""


DLQ = "DEV.DEAD.LETTER.QUEUE"

#: Task to the steps of it. The tasks build upon each other.
TASKS: dict[str, list[Step]] = {
    "see what there is": [Step("--help", shows="Dead letters:"), Step("put --help", shows="--lines")],
    "create a queue manager": [Step("qmgr create QM1 --dev", shows="queue manager QM1 created")],
    "list queue managers": [Step("qmgr list", shows="QM1\trunning")],
    "put a message": [Step("put DEV.QUEUE.1 hello")],
    "look at it without touching it": [
        Step("browse DEV.QUEUE.1", shows="hello"),
        Step("qdepth DEV.QUEUE.1 --count", shows="^1$"),
    ],
    "get it": [Step("get DEV.QUEUE.1", shows="^hello$"), Step("get DEV.QUEUE.1", 3)],
    "put a line a message": [
        Step("put DEV.QUEUE.1 --lines", stdin=b"a\nb\nc\n"),
        Step("qdepth DEV.QUEUE.1 --count", shows="^3$"),
    ],
    "move bytes unchanged": [
        Step("put DEV.QUEUE.2", stdin=b"\0\xff\n\r"),
        Step("get DEV.QUEUE.2", shows="\0.\n\r$"),
    ],
    "see all depths": [Step("qdepth", shows="DEV.QUEUE.1\t3")],
    "put with a property and a priority": [Step("put DEV.QUEUE.1 ball --property colour=red --priority 7")],
    "find by a property": [Step("browse DEV.QUEUE.1 --where \"colour = 'red'\"", shows="ball")],
    "find by text": [Step("browse DEV.QUEUE.1 --grep BAL -i", shows="ball"), Step("browse DEV.QUEUE.1 --grep zzz", 3)],
    "print a line a message by a template": [
        Step(r"browse DEV.QUEUE.1 -n 1 --format '%p %s %b\n'", shows="^7 4 ball$")
    ],
    "choose columns as CSV": [Step("browse DEV.QUEUE.1 --columns priority,properties.colour -o csv", shows="7,red")],
    "read a message as JSON": [Step("browse DEV.QUEUE.1 -o json", shows='"msg_type":"MQMT_DATAGRAM"')],
    "move some messages": [Step("move DEV.QUEUE.1 DEV.QUEUE.2 --where \"colour = 'red'\"", shows="moved 1 message")],
    "copy a queue": [Step("copy DEV.QUEUE.1 DEV.QUEUE.3", shows="copied 3 messages")],
    "rehearse a deletion": [
        Step("delete DEV.QUEUE.3 --pos 1..2 --dry-run", shows="would"),
        Step("qdepth DEV.QUEUE.3 --count", shows="^3$"),
    ],
    "delete and restore": [
        Step("delete DEV.QUEUE.3 --pos 1..2 --yes", shows="deleted 2 messages"),
        Step("trash restore DEV.QUEUE.3", shows="restored 2 messages"),
    ],
    "define a queue": [Step("mqsc 'DEFINE QLOCAL(ORDERS) MAXDEPTH(2) BOTHRESH(2)'", shows="AMQ8006I")],
    "see its attributes": [Step("mqsc 'DISPLAY QLOCAL(ORDERS) MAXDEPTH'", shows=r"MAXDEPTH\(2\)")],
    "learn what an attribute means": [Step("explain BOTHRESH", shows="backed out")],
    "fill a queue and read the error": [Step("put ORDERS a b c", 9, "queue ORDERS is full .*MQRC_Q_FULL 2053")],
    "learn what to do about it": [Step("explain 2053", shows="What to do")],
    "send refused messages to the dead-letter queue": [Step("put ORDERS --dead-letter c d", 4, "dead-letter queue")],
    "see dead letters by reason": [Step("dlq-handle --summary", shows="MQRC_Q_FULL\t2")],
    "get a rules table to begin with": [Step("dlq-handle --suggest", shows=r"DESTQ\('ORDERS'\)")],
    "check a rules table": [
        Step("dlq-handle --check", stdin=b"REASON(MQRC_Q_FULL) ACTION(RETRY)\n", shows="no mistakes"),
        Step("dlq-handle --check", 2, "1 mistake", b"REASON(MQRC_Q_FUL) ACTION(RETRY)\n"),
    ],
    "rehearse a redrive": [Step("dlq-handle --redrive --dry-run", 9, r"2 would be left: ORDERS@QM1 is full \(2053\)")],
    "make room and redrive": [Step("get ORDERS --all"), Step("dlq-handle --redrive", shows="2 messages redriven")],
    "run a command for each message": [
        Step("get ORDERS --all --exec 'test -n \"$MQX_MSG_ID\"'"),
        Step("qdepth ORDERS --count", shows="^0$"),
    ],
    "lock, see the lock, unlock": [
        Step("lock DEV.QUEUE.1 -n 1"),
        Step("lock --list DEV.QUEUE.1", shows="DEV.QUEUE.1"),
        Step("browse DEV.QUEUE.1 --all-states", shows="locked_for_browse"),
    ],
    "put under a confirm id and confirm": [
        Step("put DEV.QUEUE.2 later --confirm-id 7"),
        Step("confirm put DEV.QUEUE.2 --confirm-id 7", shows="confirmed"),
    ],
    "dump a queue and load it elsewhere": [
        Step("unload DEV.QUEUE.3 q3.dump", shows="unloaded 3 messages"),
        Step("load DEV.QUEUE.2 q3.dump", shows="loaded 3 messages"),
    ],
    "publish and subscribe": [
        Step("mqsc \"DEFINE SUB(ALL) TOPICSTR('prices/#') DEST(DEV.QUEUE.3)\"", shows="AMQ8094I"),
        Step("pub prices/eur 1.08", shows="published 1 message"),
        Step("browse DEV.QUEUE.3 --grep 1.08", shows="1.08"),
    ],
    "ask with SQL": [Step("sql 'select queue, count(*) from messages group by queue'", shows="DEV.QUEUE.1")],
    "back up, export, restore": [
        Step("qmgr backup QM1 qm1.db", shows="backed up"),
        Step("qmgr export QM1", shows=r"DEFINE QLOCAL\(ORDERS\)"),
        Step("qmgr restore qm1.db QM2", shows="restored"),
        Step("-m QM2 qdepth DEV.QUEUE.1 --count", shows="^3$"),
    ],
    "look only, in production": [Step("-m QM1 --read-only get DEV.QUEUE.1", 8, "read-only")],
    "mistype a command or a queue": [
        Step("purge ORDERS", 2, "CLEAR QLOCAL"),
        Step("-m QM1 put ORDER x", 5, "did you mean ORDERS"),
        Step("peek ORDERS", 2, "mqx browse ORDERS"),
    ],
    "check the health and end": [Step("-m QM1 doctor", shows="\tok\t"), Step("qmgr end QM1", shows="has ended")],
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Provide a home folder that all tasks share, as the current folder."""
    folder = tmp_path_factory.mktemp("newcomer")
    on_sigterm = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("MQX_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(folder))
        patch.setenv("COLUMNS", "80")
        patch.chdir(folder)
        patch.setattr("mqtools.store.open_files._kept", {})  # as in a process that closes all at its end
        yield folder
    signal.signal(signal.SIGTERM, on_sigterm)


def run(step: Step) -> tuple[int, str]:
    """Run a command line in this process; return its exit status, and its output and messages together."""
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    Path("stdin").write_bytes(step.stdin)  # a file, since commands wait for their input by its number
    sys.stdin = open("stdin", encoding="utf-8")  # noqa: SIM115 - closed below
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    words = shlex.split(step.line)
    session = SESSION.Session()
    try:
        status = COMMANDS.run_line(session, words)
        close_all()
        return status, (out.getvalue() + err.getvalue()).decode("utf-8", "replace")
    finally:
        sys.stdin.close()
        sys.stdin, sys.stdout, sys.stderr = before


def test_there_are_forty_tasks() -> None:
    assert len(TASKS) == 40


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.xdist_group("newcomer")
def test_task(home: Path, task: str) -> None:
    for step in TASKS[task]:
        status, text = run(step)
        assert status == step.status, f"{task}: mqx {step.line}\n{text}"
        assert re.search(step.shows, text, re.MULTILINE | re.DOTALL), f"{task}: mqx {step.line}\n{text}"

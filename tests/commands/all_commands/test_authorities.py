"""Each command needs the authorities of its row where the queue manager has AUTHCHK(ALL): without them it is refused.

A new command needs a row, even if it needs no authority.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import click
import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.lifecycle import locks, verbs
from mqtools.message import Message
from mqtools.mqi import authority
from mqtools.mqi.connection import connect

from ..conftest import SCRIPT_PACKAGE

Q, Q2, DLQ = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.DEAD.LETTER.QUEUE"
MSG_ID = "41" * 24
FORBIDDEN = 8
QMGR = "QMGR"
TOPIC = "SYSTEM.BASE.TOPIC"
EVERY = "**"


class Row:
    """A command line, and the authorities with which it is no longer refused: queue, pattern, TOPIC or QMGR to words.

    before: MQSC commands and command lines that the owner runs first.  is_ended: the queue manager has ended.
    stdin: of the command.
    """

    def __init__(
        self, *line: str, before: tuple[str, ...] = (), is_ended: bool = False, stdin: bytes = b"", **needs: str
    ) -> None:
        self.line = line
        self.is_ended = is_ended
        self.before = before
        self.stdin = stdin
        self.needs = {_NAMES[name]: words for name, words in needs.items()}


_NAMES = {"q": Q, "q2": Q2, "dlq": DLQ, "qmgr": QMGR, "topic": TOPIC, "every": EVERY}

JOURNAL = f"mqsc ALTER QLOCAL({Q}) JOURNAL(BODY)"
CHANNEL = "mqsc DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) XMITQ(XMIT) CONNAME('127.0.0.1(1)')"
XMITQ = "mqsc DEFINE QLOCAL(XMIT) USAGE(XMITQ)"
CHANNELS = (XMITQ, CHANNEL)

OTHER = "qmgr create {folder}/QM2.db --dev"

#: Command to its row.
TABLE = {
    "put": Row("put", Q, "x", q="PUT"),
    "get": Row("get", Q, q="GET"),
    "browse": Row("browse", Q, q="BROWSE"),
    "lock": Row("lock", Q, q="BROWSE"),
    "qdepth": Row("qdepth", Q, q="INQ"),
    "dlq-handle": Row("dlq-handle", DLQ, "--once", stdin=b"ACTION(RETRY)\n", dlq="BROWSE,GET"),
    "report-gen": Row(
        "report-gen", Q, "--msg-id", MSG_ID, "--feedback", "coa", "--to", Q2, q="BROWSE", q2="PUT,PASSID,SETID,SETALL"
    ),
    "unlock": Row("unlock", Q, "--lock-id", "{lock}", q="BROWSE"),
    "confirm": Row("confirm", "put", Q, "--confirm-id", "7", q="PUT"),
    "undo": Row("undo", Q, "--confirm-id", "7", q="PUT"),
    "delete": Row("delete", Q, "--msg-id", MSG_ID, q="GET"),
    "move": Row("move", Q, Q2, q="GET", q2="PUT,SETALL"),
    "copy": Row("copy", Q, Q2, q="BROWSE", q2="PUT,SETALL"),
    "replay": Row("replay", Q, "--since", "-1h", "--to", Q2, before=(JOURNAL,), q="BROWSE", q2="PUT,SETALL"),
    "edit": Row("edit", Q, "--msg-id", MSG_ID, "--set", "priority=3", q="BROWSE,GET,PUT,SETALL"),
    "trash empty": Row("trash", "empty", Q, "--yes", before=(f"delete {Q} --msg-id {MSG_ID}",), q="BROWSE,CLR"),
    "trash list": Row("trash", "list", before=(f"delete {Q} --msg-id {MSG_ID}",), q="BROWSE"),
    "trash restore": Row("trash", "restore", Q, before=(f"delete {Q} --msg-id {MSG_ID}",), q="BROWSE,PUT,SETALL"),
    "load": Row("load", Q, "-", "--jsonl", stdin=b'{"data":"x"}\n', q="PUT,SETALL"),
    "unload": Row("unload", Q, q="BROWSE"),
    "pull": Row(
        "pull", "{folder}/QM2.db:" + Q, before=(OTHER, f"put {Q} x -m {{folder}}/QM2.db"), q="PUT,SETALL"
    ),
    "push": Row("push", Q, "--to", "{folder}/QM2.db:" + Q2, before=(OTHER,), q="BROWSE"),
    "diff": Row("diff", Q, Q2, q="BROWSE", q2="BROWSE"),
    "qmgr backup": Row("qmgr", "backup", "QM1", "{folder}/copy", every="BROWSE"),
    "qmgr compact": Row("qmgr", "compact", "QM1", qmgr="CHG,DSP"),
    "qmgr delete": Row("qmgr", "delete", "QM1", "--yes", qmgr="DLT"),
    "qmgr display": Row("qmgr", "display", "QM1", qmgr="DSP"),
    "qmgr end": Row("qmgr", "end", "QM1", qmgr="CHG"),
    "qmgr export": Row("qmgr", "export", "QM1", qmgr="DSP"),
    "qmgr restore": Row(
        "qmgr", "restore", "{folder}/copy", "QM1", "--force",
        before=("qmgr backup QM1 {folder}/copy",), is_ended=True, qmgr="DLT",
    ),
    "qmgr transactions": Row("qmgr", "transactions", "QM1", qmgr="DSP"),
    "qmgr start": Row("qmgr", "start", "QM1", is_ended=True, qmgr="CHG"),
    "mqsc": Row("mqsc", f"DISPLAY QLOCAL({Q})", q="DSP"),
    "channel define": Row("channel", "define", "QM1.TO.QM3", "CHLTYPE(RCVR)"),
    "channel listen": Row("channel", "listen", "--port", "1", "--address", "203.0.113.1", "--insecure", qmgr="CHG"),
    "serve": Row("serve", "--port", "1", "--address", "203.0.113.1", qmgr="CHG"),
    "channel ping": Row("channel", "ping", "QM1.TO.QM2", before=CHANNELS, qmgr="DSP"),
    "channel reset": Row("channel", "reset", "QM1.TO.QM2", "--seqnum", "5", before=CHANNELS, qmgr="CHG"),
    "channel resolve": Row("channel", "resolve", "QM1.TO.QM2", "--action", "commit", before=CHANNELS, qmgr="CHG"),
    "channel start": Row("channel", "start", "QM1.TO.QM2", "--drain", before=CHANNELS, qmgr="CHG,DSP", every="GET"),
    "channel status": Row("channel", "status", before=CHANNELS, qmgr="DSP"),
    "channel stop": Row("channel", "stop", "QM1.TO.QM2", before=CHANNELS, qmgr="CHG"),
    "events": Row("events", Q, q="BROWSE"),
    "log": Row("log", qmgr="DSP"),
    "trace": Row("trace", MSG_ID, "-m", "QM1", before=(JOURNAL,), every="BROWSE"),
    "stats": Row("stats", Q, before=(JOURNAL,), q="INQ"),
    "sql": Row("sql", "select count(*) from messages", every="BROWSE,INQ"),
    "doctor": Row("doctor", qmgr="DSP"),
    "pub": Row("pub", "prices/eur", "x", "--retain", topic="PUB"),
    "sub": Row("sub", "prices/#", "--wait", "1ms", topic="SUB"),
}  # fmt: skip

#: Command to the reason why it has no row: nothing is refused in it.
WITHOUT = {
    "apply": "its opens check",
    "channel receive": "the verbs check what the caller puts, as the user that runs it",
    "completion": "names of queues only",
    "config explain": "the user's own file",
    "config set": "the user's own file",
    "config unset": "the user's own file",
    "explain": "no queue manager",
    "man": "no queue manager",
    "pipeline archive": "reads by the data source: pyspark-mqx/tests/source/test_authorities.py",
    "pipeline compact": "files only",
    "pipeline expire": "files only",
    "pipeline load": "writes by the data source: pyspark-mqx/tests/source/test_authorities.py",
    "pipeline migrate": "files only",
    "pipeline prepare": "no queue manager",
    "pipeline reassemble": "reads by the data source",
    "pipeline reconcile": "reads by the data source",
    "pipeline stats": "archives only",
    "pipeline stream": "reads by the data source",
    "pipeline triage": "reads by the data source",
    "qmgr create": "makes the user's own",
    "qmgr list": "names and states only",
    "qmgr use": "the user's own file",
    "run": "the verbs of the program check",
    "service install": "the user's own file",
    "service supervise": "START LISTENER and START SERVICE check",
    "shell": "each of its lines is a command",
    **dict.fromkeys(("remote add", "remote list", "remote ping", "remote remove"), "the user's own file"),
    **dict.fromkeys(("user add", "user delete", "user list", "user password"), "only the owner of the file"),
    "tui": "tests/operations/test_view_authorities.py",
}


def commands(command: click.Command, context: click.Context, path: str = "") -> Iterator[str]:
    """Yield each command of the command line that has no subcommands."""
    if not isinstance(command, click.Group):
        yield path
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, context, f"{path} {name}".strip())


def test_every_command_has_a_row_or_a_reason() -> None:
    top = importlib.import_module(f"{SCRIPT_PACKAGE}._cli").mqx
    assert sorted(commands(top, click.Context(top))) == sorted({**TABLE, **WITHOUT})


def run_as_owner(path: str, *lines: str) -> None:
    with connect(path) as connection:
        for line in lines:
            assert not run_mqsc(connection, line).failed


@pytest.fixture
def lock_id(qm: str) -> str:
    """Messages on two queues, one locked by this lock id, and one put under confirm id 7."""
    with connect(qm) as connection:
        connection.put1(Q, Message(b"locked"))
        locked = locks.browse_messages_and_lock(connection, Q)
        for q_name in (Q, DLQ):
            message = Message(b"there")
            message.md.msg_id = bytes.fromhex(MSG_ID)
            connection.put1(q_name, message)
        verbs.put_message(connection, Q, Message(b"held"), confirm_id=7)
    return locked.lock_id.hex()


@pytest.mark.parametrize("name", TABLE)
def test_a_command_is_refused_without_its_authorities(
    name: str, qm: str, lock_id: str, inline: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    row = TABLE[name]
    for each in row.before:
        words = each.format(folder=tmp_path).split(" ")
        words = ["mqsc", each.removeprefix("mqsc ")] if words[0] == "mqsc" else words
        inline(*words, check=True)
    run_as_owner(qm, "ALTER QMGR AUTHCHK(ALL)")
    line = [word.format(folder=tmp_path, lock=lock_id) for word in row.line]

    def run_as_stranger() -> Any:
        if row.is_ended:
            inline("qmgr", "end", "QM1", check=True)
        with monkeypatch.context() as patch:
            patch.setattr(authority, "is_run_by_owner", lambda _db: False)
            patch.setattr(authority, "local_user", lambda: "stranger")
            return inline(*line, stdin=row.stdin)

    run_as_stranger().ended(FORBIDDEN, "MQRC_NOT_AUTHORIZED 2035")
    if row.is_ended:
        inline("qmgr", "start", "QM1", check=True)
    for profile, words_of in row.needs.items():
        object_type = {QMGR: QMGR, TOPIC: "TOPIC"}.get(profile, "QUEUE")
        subject = f"PROFILE('{profile}') OBJTYPE({object_type})"
        run_as_owner(qm, f"SET AUTHREC {subject} PRINCIPAL('stranger') AUTHADD({words_of})")
    if row.needs:
        assert "2035" not in run_as_stranger().err

"""Commands that only look: at a copy that cannot be written, and at a queue manager that has ended."""

from __future__ import annotations

import ctypes
import json
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..burial import DLQ, bury
from ..conftest import Done, script

Run = Callable[..., Done]

#: Of prctl(2) and capabilities(7).
_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1

LOCK_ID = "1122334455667788"
TABLE = b"ACTION(FWD) FWDQ(DEV.QUEUE.2) HEADER(NO)\n"
DUMP = b"* QLOAD\n\nA VER 2\nA COI 01\nX 414243\n\nA VER 2\nX 44\n\n"
ENVELOPE = b'{"md": {"msg_id": "AB", "reply_to_q": "DEV.QUEUE.1"}, "data": "x"}\n'

#: Each way to look, and what it reads from stdin.
LOOKS = [
    (("dlq-handle", "--summary", "-o", "jsonl"), b""),
    (("dlq-handle", "--dry-run", "-o", "jsonl"), TABLE),
    (("dlq-handle", "--explain", "-o", "jsonl"), TABLE),
    (("dlq-handle", DLQ, "--redrive", "--dry-run", "-o", "jsonl"), b""),
    (("mqsc", "DISPLAY QUEUE(*) ALL", "DISPLAY QMGR ALL", "DISPLAY CHANNEL(*)", "-o", "json"), b""),
    (("mqsc",), b"DISPLAY QSTATUS(DEV.QUEUE.1) CURDEPTH\nDISPLAY CHANNEL(*)\n"),
    (("lock", "--list", "-o", "json"), b""),
    (("channel", "status", "-o", "json"), b""),
    (("delete", "DEV.QUEUE.1", "--dry-run", "--grep", "two"), b""),
    (("move", "DEV.QUEUE.1", "DEV.QUEUE.2", "--dry-run"), b""),
    (("copy", "DEV.QUEUE.1", "DEV.QUEUE.2", "--dry-run", "-o", "jsonl"), b""),
    (("confirm", "put", "DEV.QUEUE.3", "--confirm-id", "7", "--dry-run", "-o", "json"), b""),
    (("confirm", "get", "DEV.QUEUE.3", "--confirm-id", "7", "--dry-run", "-o", "json"), b""),
    (("undo", "DEV.QUEUE.3", "--confirm-id", "7", "--dry-run", "-o", "json"), b""),
    (("undo", "DEV.QUEUE.3", "--lock-id", LOCK_ID, "--dry-run", "-o", "json"), b""),
    (("unlock", "DEV.QUEUE.3", "--lock-id", LOCK_ID, "--dry-run", "-o", "json"), b""),
]
#: Each way to rehearse what changes messages, as a run with its --dry-run.
REHEARSALS = [
    (("put", "DEV.QUEUE.1", "one", "two", "--report", "coa", "--reply-to", "DEV.QUEUE.2"), b""),
    (("put", "DEV.QUEUE.1", "--lines", "--batch", "all"), b"1\n2\n"),
    (("put", "DEV.QUEUE.1", "--segment", "2", "abcdef"), b""),
    (("put", "DEV.QUEUE.1", "--confirm-id", "9", "x"), b""),
    (("load", "DEV.QUEUE.1", "-o", "json"), DUMP),
    (("load", "DEV.QUEUE.1", "--batch", "all"), DUMP),
    (("report-gen", "DEV.QUEUE.2", "--feedback", "pan", "-o", "plain"), b""),
    (("report-gen", "DEV.QUEUE.2", "--feedback", "pan", "--consume", "-o", "jsonl"), b""),
    (("report-gen", "-", "--action", "reply", "-o", "plain"), ENVELOPE),
    (("report-gen", "DEV.QUEUE.3", "--lock-id", LOCK_ID, "--action", "forward", "--to", "DEV.QUEUE.1"), b""),
    (("edit", "DEV.QUEUE.1", "--grep", "two", "--set", "priority=7"), b""),
    (("edit", "DEV.QUEUE.1", "--grep", "two"), b""),
    (("trash", "restore", "--all"), b""),
    (("trash", "restore", "--all", "--to", "DEV.QUEUE.3", "-o", "json"), b""),
    (("trash", "empty", "-o", "json"), b""),
    (("get", "DEV.QUEUE.3", "--lock-id", LOCK_ID, "--all"), b""),
]
LOOKS += [((*words, "--dry-run"), stdin) for words, stdin in REHEARSALS]
NAMES = [" ".join(words) for words, _ in LOOKS]


def heed_modes() -> None:
    """Let the superuser, too, write only what modes allow; for a child before it runs its program."""
    ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


def held_on_queue_3(path: str, mqx: Run) -> None:
    """A put and a get under confirm id 7, and two messages locked under LOCK_ID."""
    mqx("put", "DEV.QUEUE.3", "got", "locked", "locked too", check=True)
    mqx("get", "DEV.QUEUE.3", "--confirm-id", "7", check=True)
    mqx("lock", "DEV.QUEUE.3", "--lease", "never", check=True)
    mqx("put", "DEV.QUEUE.3", "put", "put too", "--confirm-id", "7", check=True)
    with sqlite3.connect(path) as database:
        database.execute(
            "update holders set token = ? where kind = 'lock' and id = (select max(id) from holders"
            " where kind = 'lock')",
            (bytes.fromhex(LOCK_ID),),
        )
    database.close()


#: The file of the queue manager that all tests begin with, once it has been made.
_made: list[bytes] = []


@pytest.fixture
def filled(qm: str, mqx: Run) -> str:
    """A queue manager with a dead letter and some messages; its path."""
    if not _made:
        fill(qm, mqx)
        with sqlite3.connect(qm) as database:
            _made.append(database.serialize())
        database.close()
    for left in Path(qm).parent.glob("QM1.db-*"):
        if left.is_file():
            left.unlink()
    Path(qm).write_bytes(_made[0])
    return qm


def fill(path: str, mqx: Run) -> None:
    """Put what there is to look at."""
    bury()
    mqx("put", "DEV.QUEUE.1", "one", "two", check=True)
    mqx("lock", "DEV.QUEUE.1", "-n", "1", "--lease", "never", check=True)
    held_on_queue_3(path, mqx)
    mqx("channel", "define", "QM1.TO.QM2", "CHLTYPE(RCVR)", check=True)
    mqx("put", "DEV.QUEUE.2", "ask", "--type", "request", "--reply-to", "DEV.QUEUE.1", check=True)
    mqx("put", "DEV.QUEUE.1", "gone", "gone too", check=True)
    mqx("edit", "DEV.QUEUE.1", "--pos", "1", "--set", "priority=2", check=True)
    mqx("delete", "DEV.QUEUE.1", "--grep", "gone", "--yes", check=True)


@pytest.fixture
def copy(filled: str, tmp_path: Path) -> Iterator[str]:
    """The path of its copy in a folder of its own, where nothing can be written."""
    folder = tmp_path / "copy"
    folder.mkdir()
    path = folder / "QM1.db"
    source, target = sqlite3.connect(filled), sqlite3.connect(path)
    source.backup(target)
    for each in (source, target):
        each.close()
    path.chmod(0o400)
    folder.chmod(0o500)
    yield str(path)
    folder.chmod(0o700)


@pytest.fixture
def bound(environment: dict[str, str]) -> Run:
    """Run a command line that modes of files bind, whoever runs it."""

    def run(*words: str, stdin: bytes = b"") -> Done:
        line = [script(), *words]
        done = subprocess.run(
            line, input=stdin, capture_output=True, env=environment, preexec_fn=heed_modes, timeout=60, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    return run


@pytest.fixture(autouse=True)
def editor(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An editor that makes 2 of two."""
    path = tmp_path / "editor"
    path.write_text("#!/bin/sh\nsed -i 's/two/2/' \"$1\"\n", encoding="utf-8")
    path.chmod(0o700)
    environment["EDITOR"] = str(path)
    environment.pop("VISUAL", None)


def complaints(done: Done) -> list[str]:
    """What a command says was wrong."""
    return [line for line in done.err.splitlines() if line.startswith("mqx: ")]


def rows_of(path: str) -> list[str]:
    """All that a queue manager's file says."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        said = list(database.iterdump())
    database.close()
    return said


def test_a_copy_that_cannot_be_written_refuses_a_put(copy: str, bound: Run) -> None:
    assert bound("put", "-m", copy, "DEV.QUEUE.1", "x").status == 8


@pytest.mark.parametrize(("words", "stdin"), LOOKS, ids=NAMES)
def test_a_copy_that_cannot_be_written_looks_like_its_original(
    words: tuple[str, ...], stdin: bytes, copy: str, mqx: Run, bound: Run
) -> None:
    expected = mqx(*words, stdin=stdin, check=True)
    done = bound(*words, "-m", copy, stdin=stdin)
    told = done.err.replace(f"mqx -m {copy} ", "mqx ")  # hints name the queue manager
    assert (done.status, done.out, told) == (0, expected.out, expected.err)
    assert os.listdir(Path(copy).parent) == ["QM1.db"]


@pytest.mark.parametrize(("words", "stdin"), REHEARSALS, ids=[" ".join(words) for words, _ in REHEARSALS])
def test_a_rehearsal_changes_nothing(words: tuple[str, ...], stdin: bytes, filled: str, mqx: Run) -> None:
    before = rows_of(filled)
    mqx(*words, "--dry-run", stdin=stdin, check=True)
    assert rows_of(filled) == before
    mqx(*words, "--yes", stdin=stdin, check=True)
    assert rows_of(filled) != before


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("put", "DEV.QUEUE.1", "--lines", "--batch", "3"), b"x\n" * 8),
        (("put", "DEV.QUEUE.1", "--lines", "--batch", "all"), b"x\n" * 8),
        (("put", "DEV.QUEUE.1", "--lines", "--dead-letter"), b"x\n" * 8),
        (("put", "DEV.QUEUE.1", "--jsonl"), b'{"data": "x"}\n{"data": \n'),
        (("put", "DEV.QUEUE.2", "--lines", "--report", "coa", "--reply-to", "DEV.QUEUE.2"), b"x\n" * 8),
        (("load", "DEV.QUEUE.1", "--batch", "1"), b"* QLOAD\n" + b"A VER 2\nX 41\n\n" * 8),
        (("load", "DEV.QUEUE.1", "--batch", "all"), b"* QLOAD\n" + b"A VER 2\nX 41\n\n" * 8),
        (("report-gen", "-", "--action", "reply"), ENVELOPE * 8),
        (("report-gen", "DEV.QUEUE.2", "--feedback", "pan", "--to", "NO.SUCH"), b""),
        (("report-gen", "DEV.QUEUE.2", "--feedback", "pan", "--grep", "nowhere"), b""),
        (("edit", "DEV.QUEUE.1", "--pos", "1..", "--set", "msg_flags=MQMF_SEGMENT"), b""),
        (("trash", "restore", "--all"), b""),
        (("trash", "restore", "--msg-id", "00"), b""),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_a_rehearsal_ends_as_the_run_would(
    words: tuple[str, ...], stdin: bytes, filled: str, define: Callable[..., None], mqx: Run
) -> None:
    """Where a queue is full, too: what would be put counts for what comes after it."""
    for queue in ("DEV.QUEUE.1", "DEV.QUEUE.2"):
        define(queue, max_q_depth=6)
    if "restore" in words:
        define("DEV.QUEUE.1", max_q_depth=3)
    rehearsed = mqx(*words, "--dry-run", stdin=stdin)
    done = mqx(*words, stdin=stdin)
    assert rehearsed.status == done.status, (rehearsed, done)
    assert complaints(rehearsed) == complaints(done)


def test_a_delete_by_lock_id_can_be_rehearsed_on_a_copy(copy: str, mqx: Run, bound: Run) -> None:
    (lock,) = json.loads(mqx("lock", "--list", "DEV.QUEUE.1", "-o", "json", check=True).out)
    words = ("delete", "DEV.QUEUE.1", "--dry-run", "--pos", "1..", "-m", copy, "--lock-id")
    assert b"one" in bound(*words, lock["lock_id"]).out
    assert "MQRC_NO_MSG_LOCKED" in bound(*words, "0123456789ABCDEF").err


@pytest.mark.parametrize(("words", "stdin"), LOOKS, ids=NAMES)
def test_a_queue_manager_that_has_ended_can_be_looked_at(
    words: tuple[str, ...], stdin: bytes, filled: str, mqx: Run
) -> None:
    expected = mqx(*words, stdin=stdin, check=True)
    mqx("qmgr", "end", filled, check=True)
    done = mqx(*words, stdin=stdin)
    assert (done.status, done.out, done.err) == (0, expected.out, expected.err)


@pytest.mark.parametrize(
    "words",
    [
        ("confirm", "put", "DEV.QUEUE.3", "--confirm-id", "7"),
        ("confirm", "get", "DEV.QUEUE.3", "--confirm-id", "7"),
        ("undo", "DEV.QUEUE.3", "--confirm-id", "7"),
        ("undo", "DEV.QUEUE.3", "--lock-id", LOCK_ID),
        ("unlock", "DEV.QUEUE.3", "--lock-id", LOCK_ID),
        ("confirm", "put", "DEV.QUEUE.3", "--confirm-id", "8"),
        ("undo", "DEV.QUEUE.3", "--confirm-id", "8"),
        ("undo", "DEV.QUEUE.3", "--lock-id", "0123456789ABCDEF"),
        ("unlock", "DEV.QUEUE.3", "--lock-id", "0123456789ABCDEF"),
    ],
    ids=" ".join,
)
def test_a_dry_run_says_what_the_run_then_does(words: tuple[str, ...], filled: str, mqx: Run) -> None:
    rehearsed = mqx(*words, "--dry-run", "-o", "json")
    done = mqx(*words, "-o", "json")
    assert (rehearsed.status, rehearsed.out) == (done.status, done.out)
    if done.status:
        assert rehearsed.err == done.err

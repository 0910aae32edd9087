"""``mqx pipeline stream``: how it ends, what it says, and what it refuses; on the Spark of all tests."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.jobs import output_files
from pyspark_mqx.jobs.checkpoint import Checkpoint

from mqtools.admin import queue_managers
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.store.messages import journal_retention

TO_FILES = ("--to", "events", "--checkpoint", "checkpoint")


@pytest.fixture
def put(qm: str, define: Callable[..., None]) -> Callable[..., None]:
    """Put on a journaled queue. removed: the number of the last event that the journal then removes."""
    define("DEV.QUEUE.1", journal=2)

    def put_each(*bodies: bytes, removed: int = 0) -> None:
        with connect(qm) as connection:
            for body in bodies:
                connection.put1("DEV.QUEUE.1", Message(body, MQMD()))
            with connection.work() as work:
                journal_retention.remove_through(work.db, removed)

    return put_each


def everything(master: int) -> bytes:
    """Read what a terminal was shown that everybody has left."""
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            return b"".join(pieces)
        pieces.append(piece)


def totals(batches: int, number: int, **more: int) -> dict[str, int]:
    return {"batches": batches, "read": number, "written": number, **more}


def test_the_totals_are_of_this_run_and_a_terminal_shows_how_far_it_is(
    on_spark: Callable[..., Any], put: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(b"one", b"two")
    line = ("stream", *TO_FILES, "--available-now", "-o", "json")
    with monkeypatch.context() as patch:
        patch.setenv("TERM", "xterm")
        master, slave = pty.openpty()
        kept = os.dup(2)
        os.dup2(slave, 2)
        try:
            done = on_spark(*line)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(slave)
        shown = everything(master)
        os.close(master)
    assert (done.status, json.loads(done.out)) == (0, totals(1, 2))
    assert re.search(rb"stream: batches [01], written [02], events to read [02]", shown)
    done = on_spark(*line)
    assert (done.status, json.loads(done.out), done.err) == (0, totals(0, 0), "nothing new since the last batch\n")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_a_stream_after_its_batch(
    on_spark: Callable[..., Any],
    put: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    number: int,
    status: int,
) -> None:
    put(b"one")
    begin, before = output_files.FolderTarget.begin, signal.getsignal(signal.SIGINT)

    def begin_and_interrupt(target: output_files.FolderTarget, *given: Any) -> output_files.OutputRun:
        run = begin(target, *given)
        os.kill(os.getpid(), number)
        return run

    monkeypatch.setattr(output_files.FolderTarget, "begin", begin_and_interrupt)
    done = on_spark("stream", *TO_FILES, "-o", "json")
    assert (done.status, json.loads(done.out), done.err) == (status, totals(1, 1), "")
    assert (tmp_path / "checkpoint" / "commits" / "0").exists()
    assert signal.getsignal(signal.SIGINT) == before


def test_what_went_unread_is_an_error_or_is_said_and_counted(
    on_spark: Callable[..., Any], put: Callable[..., None], qm: str, tmp_path: Path
) -> None:
    """Events that the journal has removed, and those of a queue manager that is no longer followed."""
    put(b"one")
    other = queue_managers.create(str(tmp_path / "OTHER.db"))
    on_spark("stream", *TO_FILES, "--available-now", "-m", other, check=True)
    left = f"{other}: this queue manager is no longer among those that are followed; its events from 1 on have not been"
    done = on_spark("stream", *TO_FILES, "--available-now")
    assert (done.status, done.err.startswith(f"mqx: pipeline stream: {left} read")) == (1, True)
    put(b"two", b"three", b"four", removed=3)
    removed = f"{qm}: the journal has removed them by age or size; events 2 to 3 (2) have not been read"
    done = on_spark("stream", *TO_FILES, "--available-now", "-m", other)
    assert (done.status, done.out) == (1, b"")
    assert done.err.splitlines() == [
        f"mqx: pipeline stream: {removed} (MQRC_NO_RECORD_AVAILABLE 2359)",
        "hint: --skip-lost continues and reports the lost events",
    ]
    done = on_spark("stream", *TO_FILES, "--available-now", "--skip-lost", "-o", "json")
    assert (done.status, json.loads(done.out)) == (0, totals(2, 1, lost=2))
    assert sorted(done.err.splitlines()) == sorted((f"gone: {removed}", f"gone: {left} read"))


@pytest.mark.usefixtures("no_spark")
def test_a_checkpoint_of_another_target_or_in_use_is_refused(here: Callable[..., Any], tmp_path: Path) -> None:
    with Checkpoint(str(tmp_path / "checkpoint"), f"Delta table {tmp_path}/others"):
        done = here("pipeline", "stream", *TO_FILES)
    assert (done.status, "another stream uses this checkpoint" in done.err) == (6, True)
    done = here("pipeline", "stream", *TO_FILES)
    assert (done.status, done.out) == (2, b"")
    assert f"is of a stream to Delta table {tmp_path}/others, not to Delta table {tmp_path}/events" in done.err
    assert "hint: use a separate checkpoint folder for each stream" in done.err


@pytest.mark.usefixtures("no_spark")
def test_a_stream_goes_on_when_its_queue_has_gone(here: Callable[..., Any], tmp_path: Path) -> None:
    with Checkpoint(str(tmp_path / "checkpoint"), f"Delta table {tmp_path}/events"):
        pass
    with pytest.raises(pytest.fail.Exception, match="Spark was started"):
        here("pipeline", "stream", "--queue", "GONE", *TO_FILES)

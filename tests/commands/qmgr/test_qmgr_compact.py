"""mqx qmgr compact: room given back to the disk, what keeps it, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers

from .holding import hold, rows

Run = Callable[..., Any]


# -- compact ------------------------------------------------------------------------------------------------


@pytest.fixture
def roomy(mqx: Run, qm: str) -> Path:
    """A queue manager whose file has room that nothing needs, and one message."""
    mqx("put", "DEV.QUEUE.1", *["x" * 100_000] * 10, check=True)
    mqx("delete", "DEV.QUEUE.1", "--pos", "1..10", "--no-trash", "--yes", check=True)
    mqx("put", "DEV.QUEUE.1", "kept", check=True)
    return Path(qm)


#: Bytes of the mark of a complete file, which the end of the command adds to the log.
END_OF_LOG = 2 * (4096 + 24)


def room_of(path: Path) -> int:
    return sum(Path(f"{path}{end}").stat().st_size for end in ("", "-wal") if Path(f"{path}{end}").exists())


@pytest.mark.parametrize("state", ["running", "in use", "ended"])
def test_compact_gives_room_back_to_the_disk(mqx: Run, roomy: Path, state: str) -> None:
    process = hold(str(roomy)) if state == "in use" else None
    if state == "ended":
        mqx("put", "DEV.QUEUE.1", "lasts", "--persistent", check=True)
        mqx("qmgr", "end", "QM1", "--wait", check=True)
    before = room_of(roomy)
    done = mqx("qmgr", "compact", "QM1", "-o", "json", check=True)
    assert "bytes before" in done.err
    (row,) = rows(done)
    assert row["bytes_before"] == before > 1_000_000 > 500_000 > row["bytes_after"] == room_of(roomy)
    assert roomy.stat().st_mode & 0o777 == 0o600
    assert queue_managers.count_messages(str(roomy)) == (2 if state == "ended" else 1)
    if process is not None:
        process.communicate()
    assert "no space to free" in mqx("qmgr", "compact", check=True).err


def test_compact_dry_run_changes_nothing(mqx: Run, roomy: Path) -> None:
    before = (roomy.read_bytes(), room_of(roomy))
    done = mqx("qmgr", "compact", "QM1", "--dry-run", "-o", "json", check=True)
    assert "would reduce" in done.err
    assert rows(done)[0]["bytes_before"] > rows(done)[0]["bytes_after"]
    assert (roomy.read_bytes(), room_of(roomy)) == before


def test_compact_says_that_a_reader_keeps_the_old_state(
    mqx: Run, inline: Run, roomy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr("mqtools.store.database.BUSY_TIMEOUT_S", 0.1)

    reader = sqlite3.connect(roomy, isolation_level=None)
    reader.execute("select count(*) from messages").fetchone()  # so that the put is not the last to close the file
    mqx("put", "DEV.QUEUE.1", stdin=b"x" * 2_000_000, check=True)  # more than is to be given back
    before = room_of(roomy)
    reader.execute("begin")
    reader.execute("select count(*) from messages").fetchone()
    done = inline("qmgr", "compact", "QM1", "-o", "json")
    done.ended(4, "a program still reads the previous state", "no space was freed yet")
    assert 0 <= room_of(roomy) - json.loads(done.out)[0]["bytes_after"] <= END_OF_LOG
    reader.close()
    assert mqx("qmgr", "compact", "QM1", check=True).status == 0
    assert room_of(roomy) < before - 500_000


def test_compact_is_refused_while_another_program_writes(
    inline: Run, roomy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    monkeypatch.setattr("mqtools.store.database.BUSY_TIMEOUT_S", 0.1)

    writer = sqlite3.connect(roomy, isolation_level=None)
    writer.execute("begin immediate")
    inline("qmgr", "compact", "QM1").ended(10, "another program holds it")
    writer.close()


def test_compact_of_what_is_not_there(mqx: Run, qm: str) -> None:
    assert mqx("qmgr", "compact", "NONE").status == 5

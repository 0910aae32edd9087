"""Statistics: what is counted of a journal, and how long messages waited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.message import Message
from mqtools.mqi import journal
from mqtools.mqi.identity import now_ms
from mqtools.operations import edit
from mqtools.operations.journal.statistics import read_stats
from mqtools.operations.trace.archives import ArchiveSource
from mqtools.operations.trace.journals import JournalSource
from mqtools.operations.trace.rows import rows_of
from mqtools.operations.trace.story import find_story

from ..mqi.conftest import QM


@pytest.mark.parametrize("entered", ["nothing", "what came before", "everything"])
def test_statistics_from_an_instant_on_know_when_what_was_got_since_had_come(
    kept: QM, advance: Callable[[float], None], entered: str
) -> None:
    with kept.open() as handle:
        handle.put(Message(b"1"), MQPMO_SYNCPOINT)
        advance(10)
        kept.main.commit()
        advance(1)
        edit.edit_batch(kept.main, "Q", kept.seqs(), lambda message: message.replace(data=b"2"))
        if entered == "what came before":
            journal.evict(kept.main)
        advance(2)
        since = now_ms()
        handle.get()
        kept.put()
    if entered == "everything":
        journal.evict(kept.main)
    stats = read_stats(kept.main.db, "Q", since)
    assert (stats.puts, stats.gets, stats.waits_s, stats.events) == (1, 1, [3.0], 2)


def test_an_archive_adds_what_no_journal_has_replays_too_and_doubles_nothing(kept: QM, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    md = kept.put("1")
    at = datetime(2026, 11, 20, tzinfo=UTC)
    row = {
        "seq": kept.seqs()[0],
        "qmgr": "QM1",
        "msg_id": md.msg_id.hex().upper(),
        "put_at": at,
        "put_appl_name": "app",
    }
    replay = {"event": "replay", "seq": 1, "qmgr": "QM9", "msg_id": "AB" * 24, "put_at": at}
    replay["detail"] = f"from Q, job j, copy of {row['msg_id']}"
    folder = tmp_path / "archive" / "queue=Q" / "put_day=2026-11-20"
    folder.mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist([row]), folder / "part.parquet")
    parquet.write_table(pa.Table.from_pylist([replay]), folder / "replay.parquet")
    archive, source = ArchiveSource(str(tmp_path / "archive")), JournalSource(kept.path)
    put, again = rows_of(find_story([archive], [md.msg_id]))
    assert (again["event"], again["msg_id"]) == ("replay", replay["msg_id"])
    assert [put[name] for name in ("at", "qmgr", "queue", "event", "appl_name", "detail")] == [
        *("2026-11-20T00:00:00.000Z", "QM1", "Q", "put", "app"),
        "as its descriptor says: the archive has messages, no events",
    ]
    assert rows_of(find_story([archive, source], [md.msg_id])) == [again, *rows_of(find_story([source], [md.msg_id]))]
    source.close()

"""Archives of many queue managers: several layouts, folders below folders, many writers, never added up."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark_mqx import read_archive
from pyspark_mqx.jobs import reassemble, reconcile, writers
from pyspark_mqx.jobs.archive_files import expand, find_files, layout_of
from pyspark_mqx.jobs.output_files import FolderTarget, folder_mode
from pyspark_mqx.source.offsets import read_journals

from mqtools.constants import message as c
from mqtools.errors import MQError
from mqtools.lifecycle.locks import browse_messages_and_lock

pytestmark = pytest.mark.usefixtures("spark")

HOST = "socket.gethostname"


def lay(folder: Path, number: int = 1, **columns: object) -> None:
    """Write a file of an archive with one row."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {"msg_id": [f"{number:048X}"], "msg_type": pa.array([8], pa.int32())}
    pq.write_table(pa.table(row | {name: [value] for name, value in columns.items()}), folder / f"{number}.parquet")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Archives in three layouts in and below one folder; a link; files that are no data."""
    day = "put_day=2026-11-22"
    lay(tmp_path / "fleet/a/qmgr=QM1/queue=ORDERS" / day, 1, put_at=datetime(2026, 11, 22, tzinfo=UTC))
    lay(tmp_path / "fleet/a/queue=ORDERS" / day, 2, qmgr="QM1")
    lay(tmp_path / "fleet/b/c/qmgr=007/queue=A%2FB" / day, 3, invented_later=1.5, priority=pa.scalar(9, pa.int32()))
    lay(tmp_path / "fleet/d/queue=ORDERS", 4, qmgr="QM2")
    lay(tmp_path / "fleet/a/_mqx/run/data/qmgr=QM1/queue=ORDERS" / day, 5)
    (tmp_path / "fleet/d/README.txt").write_text("no data")
    (tmp_path / "fleet/again").symlink_to(tmp_path / "fleet/a")
    lay(tmp_path / "elsewhere/qmgr=QM3/queue=ORDERS" / day, 6)
    (tmp_path / "fleet/linked").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "fleet"


def test_archives_in_every_layout_below_a_folder_are_read_together(spark: Any, fleet: Path) -> None:
    names = ("qmgr", "queue", "msg_id", "priority")
    found = read_archive(spark, str(fleet), names)
    assert found.columns == list(names)
    assert sorted((row.qmgr, row.queue, int(row.msg_id, 16), row.priority) for row in found.collect()) == [
        ("007", "A/B", 3, 9),
        ("QM1", "ORDERS", 1, None),
        ("QM1", "ORDERS", 2, None),
        ("QM2", "ORDERS", 4, None),
        ("QM3", "ORDERS", 6, None),
    ]


def test_folders_named_twice_are_read_once(fleet: Path) -> None:
    names = [str(fleet / "a"), str(fleet), *expand(str(fleet / "?"))]
    assert len(find_files(names).files) == 5
    assert expand(str(fleet / "nothing*")) == []
    assert expand(str(fleet / "a")) == [str(fleet / "a")]


def test_a_part_of_an_archive_keeps_the_names_in_its_folders(spark: Any, fleet: Path) -> None:
    found = read_archive(spark, expand(f"{fleet}/*/qmgr=QM*"), ("qmgr", "queue"))
    assert [tuple(row) for row in found.collect()] == [("QM1", "ORDERS"), ("QM3", "ORDERS")]
    assert layout_of("/data/env=prod/fleet/qmgr=A/queue=B") == ("qmgr", "queue")


def test_runs_of_one_folder_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with FolderTarget(str(tmp_path), is_shared=True) as one, FolderTarget(str(tmp_path), is_shared=True) as other:
        run = one.begin({})
        assert list(other.killed_runs()) == []
        run.unlock()
        (killed,) = list(one.killed_runs())
        assert killed.path == run.path
        with pytest.raises(MQError, match="another run is writing to it"), FolderTarget(str(tmp_path)):
            pass


def test_events_of_one_queue_manager_have_one_writer(tmp_path: Path) -> None:
    name, other = map(writers.archive_note, ("QM1_2026/a", "QM2"))
    with FolderTarget(str(tmp_path), is_shared=True) as one, FolderTarget(str(tmp_path), is_shared=True) as two:
        with one.hold([name]), two.hold([other]):
            with pytest.raises(MQError, match="events of QM1_2026/a"), two.hold([name]):
                pass
            run = one.begin({}, [name])
            run.unlock()
            assert [each.path for each in one.killed_runs()] == [run.path]
        with two.hold([name]):
            pass


def test_a_killed_run_is_left_to_the_machine_that_has_its_messages(
    qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.put(b"one")
    qmid = read_journals(qm.path)[qm.path].q_mgr_identifier
    with FolderTarget(str(tmp_path / "a"), is_shared=True) as target:
        claim = {"path": qm.path, "qmid": qmid, "queue": "Q", "confirm_id": 7}
        begun = [target.begin(claim), target.begin({**claim, "qmid": "another of this path"}), target.begin({})]
        browse_messages_and_lock(qm.main, "Q", confirm_id=7)
        for run in begun:
            run.unlock()
        monkeypatch.setattr(HOST, lambda: "another machine")
        assert [run.path for run in target.killed_runs()] == [begun[0].path]
        os.utime(begun[2].path, (0, 0))
        assert {run.path for run in target.killed_runs()} == {begun[0].path, begun[2].path}
        monkeypatch.undo()
        assert len(list(target.killed_runs())) == 3


@pytest.mark.parametrize(("mode", "folder"), [(0o600, 0o700), (0o640, 0o750), (0o660, 0o770), (0o644, 0o755)])
def test_who_may_read_files_may_search_their_folders(mode: int, folder: int) -> None:
    assert folder_mode(mode) == folder


def test_files_have_the_permissions_that_were_asked_for(tmp_path: Path) -> None:
    def write(data: str) -> None:
        lay(Path(data) / "qmgr=A/queue=Q")

    with FolderTarget(str(tmp_path / "a"), mode=0o640) as target:
        target.write_run(write, {"note": {}})
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert modes == {0o640}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*") if path.is_dir()} == {0o750}


@pytest.fixture
def at(frame: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the same messages at two queue managers."""
    from pyspark.sql import functions as F

    def make(names: Any, *several: Any, qmgrs: tuple[str, ...] = ("QM1", "QM2")) -> Any:
        one, *others = [frame(names, *several).withColumn("qmgr", F.lit(name)) for name in qmgrs]
        for other in others:
            one = one.unionByName(other)
        return one.select(*names)

    return make


def test_every_row_of_a_reconciliation_has_its_queue_manager(at: Any) -> None:
    sent = at(reconcile.NEEDED, (b"", {"msg_id": b"1" * 24, "report": c.MQRO_COD}), (b"", {"msg_id": b"2" * 24}))
    report = {"msg_type": c.MQMT_REPORT, "feedback": c.MQFB_COD}
    about = (b"", {**report, "correl_id": b"1" * 24}), (b"", {**report, "correl_id": b"9" * 24})
    rows = reconcile.reconcile(sent, at(reconcile.NEEDED, *about, qmgrs=("HUB",))).collect()
    assert sorted((row.qmgr, row.queue or "", row.outcome, row.orphan) for row in rows) == [
        ("HUB", "", "delivered", True),
        ("QM1", "Q", "delivered", False),
        ("QM1", "Q", "unasked", False),
        ("QM2", "Q", "delivered", False),
        ("QM2", "Q", "unasked", False),
    ]


def test_groups_of_two_queue_managers_are_two(at: Any) -> None:
    part = {"group_id": b"g" * 24, "msg_flags": c.MQMF_SEGMENT, "original_length": 2}
    last = {**part, "msg_flags": c.MQMF_SEGMENT | c.MQMF_LAST_SEGMENT, "offset": 2}
    rows = reassemble.reassemble(at(reassemble.NEEDED, (b"ab", part), (b"cd", last))).collect()
    assert sorted((row.qmgr, bytes(row.data), row.complete) for row in rows) == [
        ("QM1", b"abcd", True),
        ("QM2", b"abcd", True),
    ]
    names = (*reconcile.NEEDED,)
    found = reconcile.by_group(reconcile.reconcile(at(names, (b"ab", part), (b"cd", last)), at(names)))
    assert sorted((row.qmgr, row.parts, row.missing) for row in found.collect()) == [("QM1", 2, 2), ("QM2", 2, 2)]

"""Reading of ranges into Arrow batches, without Spark running."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark_mqx.source.offsets import absolute_words

from mqtools.arrow import reader
from mqtools.arrow.ranges import cut, find_paths, plan, ranges_of_file
from mqtools.arrow.read_options import Options
from mqtools.arrow.reader import RowQuery
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import SelectorSyntaxError, StorageError
from mqtools.mqi.connection import connect
from mqtools.predicates import Condition

from .filling import read_rows

Read = Callable[..., list[dict[str, Any]]]


@pytest.fixture(params=["rows", "columns"])
def read(request: pytest.FixtureRequest) -> Read:
    """Read Q by each of the two ways."""

    def given_by(qm: Any, *names: str, **given: Any) -> list[dict[str, Any]]:
        with qm.left_alone():
            return read_rows(qm.path, *names, queue="Q", is_alone=request.param == "columns", **given)

    return given_by


def test_the_columns_are_the_fields_of_the_message(read: Read, qm: Any) -> None:
    md = qm.put(b"hello", priority=7, correl_id=b"c" * 24)
    (row,) = read(
        qm, "qmgr", "queue", "state", "priority", "msg_id", "correl_id", "group_id", "data", "version", "expiry"
    )
    assert row == {
        "qmgr": "QM1",
        "queue": "Q",
        "state": "unlocked",
        "priority": 7,
        "msg_id": md.msg_id.hex().upper(),
        "correl_id": "63" * 24,
        "group_id": "00" * 24,
        "data": b"hello",
        "version": 2,
        "expiry": -1,
    }


def test_ranges_together_are_the_whole_queue_once(read: Read, qm: Any) -> None:
    for number in range(50):
        qm.put(b"%d" % number)
    qm.put(b"other", "R")
    assert len(cut(plan(Options.parse({"qmgr": qm.path, "queue": "Q"})), 7)) == 7
    assert [row["data"] for row in read(qm, "data", numpartitions="7")] == [b"%d" % number for number in range(50)]


def test_what_arrives_after_the_plan_is_not_seen(qm: Any) -> None:
    qm.put(b"before")
    ranges = plan(Options.parse({"qmgr": qm.path}))
    qm.put(b"after")
    schema = pa.schema([("data", pa.binary())])
    (batch,) = reader.read_file(qm.path, lambda _: ranges, RowQuery(schema, "messages"))
    assert batch.to_pylist() == [{"data": b"before"}]


def test_a_message_that_is_moved_while_its_file_is_read_is_read_once(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_ROWS", 1)
    msg_ids = [qm.put(b"%d" % number, "R").msg_id.hex().upper() for number in range(3)]
    qm.put(b"there", "Q")
    options = Options.parse({"qmgr": qm.path})
    schema = pa.schema([("msg_id", pa.string())])
    batches = reader.read_file(qm.path, lambda db: ranges_of_file(db, options), RowQuery(schema, options.table))
    found = next(batches).to_pylist()
    with qm.main.open("R", MQOO_INPUT_SHARED) as handle:
        for _ in msg_ids:
            moved = handle.get().message
            qm.put(moved.data, msg_id=moved.md.msg_id)
    found += [row for batch in batches for row in batch.to_pylist()]
    assert [row["msg_id"] for row in found[1:]] == msg_ids


def test_columns_are_of_one_instant_too(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_ROWS", 1)
    monkeypatch.setattr("mqtools.store.scans.scan.rows", None)
    msg_ids = [qm.put(b"%d" % number).msg_id.hex().upper() for number in range(3)]
    options = Options.parse({"qmgr": qm.path})
    schema = pa.schema([("msg_id", pa.string())])
    with qm.left_alone():
        batches = reader.read_file(
            qm.path, lambda db: ranges_of_file(db, options), RowQuery(schema, options.table, is_alone=True)
        )
        found = next(batches).to_pylist()
        mqx = [sys.executable, "-c", "from mqtools.commands import main; main()"]
        subprocess.run([*mqx, "move", "-m", qm.path, "Q", "R"], check=True, capture_output=True)
        found += [row for batch in batches for row in batch.to_pylist()]
    assert [row["msg_id"] for row in found] == msg_ids


def test_a_process_has_a_file_open_in_one_way_only(qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_ROWS", 1)
    for number in range(3):
        qm.put(b"%d" % number)
    ranges = plan(Options.parse({"qmgr": qm.path}))
    schema = pa.schema([("msg_id", pa.string())])
    assert (
        len(list(reader.read_file(qm.path, lambda _: ranges, RowQuery(schema, "messages", is_alone=True)))) == 3
    )  # row by row
    with qm.left_alone():
        batches = reader.read_file(qm.path, lambda _: ranges, RowQuery(schema, "messages", is_alone=True))
        next(batches)
        with pytest.raises(StorageError, match="open in another way"):
            connect(qm.path)
        batches.close()
        connect(qm.path).disconnect()


def test_a_condition_on_an_identifier_finds_its_message(read: Read, qm: Any) -> None:
    wanted = [qm.put(b"%d" % number).msg_id for number in range(9)][4]
    condition = Condition("msg_id", "=", wanted)
    assert [row["data"] for row in read(qm, "data", conditions=(condition,))] == [b"4"]


def test_a_condition_cannot_name_what_is_no_column(read: Read, qm: Any) -> None:
    qm.put(b"x")
    with pytest.raises(ValueError, match="not compared"):
        read(qm, "data", conditions=(Condition("1=1 or priority", "=", 5),))


def test_a_selector_chooses_by_properties_and_descriptor(read: Read, qm: Any) -> None:
    for number in range(6):
        qm.put(b"%d" % number, priority=number)
    assert [row["data"] for row in read(qm, "data", selector="Root.MQMD.Priority > 3")] == [b"4", b"5"]
    with pytest.raises(SelectorSyntaxError):
        read(qm, "data", selector="a = ")


def test_what_has_expired_is_not_there(read: Read, qm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    qm.put(b"short-lived", expiry=10)
    qm.put(b"stays", expiry=36_000)
    real = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: real() + 2 * 10**9)
    rows = read(qm, "data", "expiry")
    assert [row["data"] for row in rows] == [b"stays"]
    assert 34_000 < rows[0]["expiry"] <= 35_990


def test_several_files_and_patterns(qm: Any, make_qm: Callable[[str], Any]) -> None:
    other = make_qm("QM2")
    other.put(b"two")
    qm.put(b"one")
    folder = qm.path.rsplit("/", 1)[0]
    assert [each.qmgr for each in plan(Options.parse({"qmgr": f"{folder}/*.db", "queue": "Q*"}))] == ["QM1", "QM2"]
    assert [each.qmgr for each in plan(Options.parse({"qmgr": f"{other.path},{qm.path}"}))] == ["QM2", "QM1"]


def test_a_path_with_a_comma_or_the_signs_of_a_pattern_is_that_of_one_queue_manager(qm: Any, tmp_path: Path) -> None:
    for name in ("a,b", "[1]", "q?*"):
        other = tmp_path / name / "QM1.db"
        other.parent.mkdir()
        with qm.left_alone():
            shutil.copy(qm.path, other)
        assert find_paths(str(other)) == find_paths(absolute_words(str(other))) == [str(other)]

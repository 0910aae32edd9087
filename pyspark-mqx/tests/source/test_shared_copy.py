"""Several tasks that read one state of a file: when a file is copied for them, and what they see."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.datasource import EqualTo
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType
from pyspark_mqx.source import data_source, shared_copy
from pyspark_mqx.source.data_source import MqxReader
from pyspark_mqx.source.shared_copy import Place, number_of_ranges, processors_of

from mqtools.constants.options import MQOO_INPUT_SHARED

from .filling import fill

PLENTY = 1 << 40
_KINDS = {"data": BinaryType(), "expiry": IntegerType()}
SCHEMA, OF_ONE = (
    StructType([StructField(name, _KINDS.get(name, StringType())) for name in names])
    for names in (("qmgr", "queue", "data", "expiry"), ("msg_id", "data"))
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a place for copies, as of a Spark with four processors."""
    folder = tmp_path / "spark"
    folder.mkdir()
    return Place((str(folder),), 4)


@pytest.fixture
def reader(qm: Any, place: Place) -> Callable[..., MqxReader]:
    """Return a function that makes a reader of Q and R, in three ranges or as an option says."""

    def make(**options: str) -> MqxReader:
        given = {"qmgr": qm.path, "numpartitions": "3", **options}
        made = MqxReader(given, SCHEMA)
        made.place = place
        return made

    return make


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files pay that have few messages."""
    monkeypatch.setattr(shared_copy, "_LEAST", 1)
    monkeypatch.setattr(shared_copy, "_MESSAGE_NS", 10**9)


def rows(made: MqxReader, tasks: Sequence[Any]) -> list[dict[str, Any]]:
    return [row for task in tasks for batch in made.read(task) for row in batch.to_pylist()]


def data(made: MqxReader, tasks: Sequence[Any]) -> list[bytes]:
    return [row["data"] for row in rows(made, tasks)]


def change(qm: Any) -> None:
    """Get the first message of each queue, move another, and put one."""
    for queue in ("Q", "R"):
        with qm.main.work(), qm.main.open(queue, MQOO_INPUT_SHARED) as handle:
            handle.get()
    with qm.main.work(), qm.main.open("R", MQOO_INPUT_SHARED) as handle:
        qm.put(handle.get().message.data, "Q")
    qm.put(b"new", "R")


def test_a_file_that_would_fill_the_memory_is_not_copied() -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert number_of_ranges(10**12, memory // 8, Place(("x",), 4)) == 4
    assert number_of_ranges(10**12, memory // 7, Place(("x",), 4)) == 1


@pytest.mark.parametrize(
    ("master", "processors"),
    [
        ("local", 1),
        ("local[3]", 3),
        ("local[3,4]", 3),
        ("local[*]", os.cpu_count()),
        ("spark.master=local[5]", 5),
        ("local-cluster[2,1,1024]", 1),
        ("spark://head:7077", 1),
        ("yarn", 1),
        ("localhost", 1),
    ],
)
def test_processors_are_counted_where_all_tasks_run_on_this_machine(master: str, processors: int) -> None:
    assert processors_of(master) == processors


def test_a_process_that_spark_did_not_start_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    assert Place.of_planner({}) == Place((), 1)
    assert Place.of_planner({"SPARK_LOCAL_DIRS": "/a,/b"}) == Place(("/a", "/b"), 1)  # a session of another program
    assert Place.of_planner({"SPARK_LOCAL_DIRS": "/a", "MQX_SPARK_PROCESSORS": "4"}) == Place(("/a",), 4)


def test_all_ranges_show_the_state_of_the_plan_whatever_happens_meanwhile(
    qm: Any, reader: Callable[..., MqxReader]
) -> None:
    sent = fill(qm)
    made = reader()
    tasks = made.partitions()
    first = data(made, tasks[:1])
    change(qm)
    assert len(tasks) == 3 + 1  # two queues of two ranges
    assert first + data(made, tasks[1:]) == sent
    assert data(made, tasks) == sent  # a task that is run again
    assert data(made, made.partitions()) != sent


def test_rows_are_those_of_one_range(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    qm.put(b"l" * 300_000, "Q")
    qm.put(b"expires", "R", expiry=36_000)
    one, several = reader(numpartitions="1"), reader(numpartitions="7")
    assert len(one.partitions()) == 1
    assert [{**row, "expiry": row["expiry"] > 0} for row in rows(several, several.partitions())] == [
        {**row, "expiry": row["expiry"] > 0} for row in rows(one, one.partitions())
    ]


def test_what_expires_after_the_plan_is_in_every_range_and_what_has_is_in_none(
    qm: Any, reader: Callable[..., MqxReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    qm.put(b"gone", "Q", expiry=10)
    for queue in ("Q", "R"):
        qm.put(b"later", queue, expiry=100)
    real = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: real() + 5 * 10**9)
    made = reader()
    tasks = made.partitions()
    monkeypatch.setattr("time.time_ns", lambda: real() + 60 * 10**9)
    assert data(made, tasks) == [b"later", b"later"]


@pytest.mark.usefixtures("few")
def test_without_the_option_a_file_is_cut_for_the_processors_of_spark(
    qm: Any, reader: Callable[..., MqxReader], place: Place
) -> None:
    sent = fill(qm)
    made = reader(numpartitions="0")
    tasks = made.partitions()
    assert (len(tasks), data(made, tasks)) == (4, sent)
    made.place = Place(place.folders, 1)
    assert len(made.partitions()) == 1


@pytest.mark.usefixtures("few")
def test_a_file_of_which_an_index_finds_what_is_wanted_is_not_copied(qm: Any, place: Place) -> None:
    fill(qm)
    wanted = qm.put(b"wanted", "Q").msg_id.hex().upper()
    made = MqxReader({"qmgr": qm.path}, OF_ONE)
    made.place = place
    made.pushFilters([EqualTo(("msg_id",), wanted)])
    tasks = made.partitions()
    assert (len(tasks), data(made, tasks)) == (1, [b"wanted"])
    assert os.listdir(place.folders[0]) == []


@pytest.mark.usefixtures("few")
def test_what_a_filter_leaves_out_is_in_no_range(qm: Any, reader: Callable[..., MqxReader]) -> None:
    sent = fill(qm)
    made = reader(numpartitions="0")
    made.pushFilters([EqualTo(("queue",), "R")])
    tasks = made.partitions()
    assert (len(tasks), data(made, tasks)) == (4, sent[10:])


def test_a_second_read_of_an_unchanged_file_uses_the_copy_and_one_of_a_changed_file_does_not(
    qm: Any, reader: Callable[..., MqxReader], place: Place
) -> None:
    sent = fill(qm)
    for path in (qm.path, f"{qm.path}-wal"):
        os.utime(path, (1, 1))
    assert {task.paths for _ in range(2) for task in reader().partitions()} == {
        (os.path.join(place.folders[0], os.listdir(place.folders[0])[0]),)
    }
    change(qm)
    made = reader()
    tasks = made.partitions()
    assert Counter(data(made, tasks)) == Counter([*sent[1:10], *sent[11:], b"new"])
    assert {task.paths for task in tasks}.isdisjoint(task.paths for task in made.partitions())  # just written to


def test_a_file_that_nobody_else_has_open_is_copied_once(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    made = reader()
    with qm.left_alone():
        os.utime(qm.path, (1, 1))
        assert len({task.paths for _ in range(3) for task in made.partitions()}) == 1


def test_a_copy_is_private(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    os.chmod(qm.path, 0o644)
    (path,) = {task.paths[0] for task in reader().partitions()}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_copies_of_a_file_that_changes_are_bounded(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    made = reader()
    for _ in range(shared_copy.MOST):
        qm.put(b"more")
        assert len(made.partitions()) > 1
    qm.put(b"more")
    assert [task.span for task in made.partitions()] == [None]


@pytest.mark.parametrize("free", [-1, 0, 100_000])
def test_without_room_for_a_copy_one_task_reads_the_file(
    qm: Any, reader: Callable[..., MqxReader], monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    sent = fill(qm)
    monkeypatch.setattr(shared_copy, "_room", lambda _: free)
    made = reader()
    tasks = made.partitions()
    assert (len(tasks), data(made, tasks)) == (1, sent)


def test_a_copy_that_cannot_be_made_leaves_nothing(
    qm: Any, reader: Callable[..., MqxReader], place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = fill(qm)
    monkeypatch.setattr(shared_copy, "_room", lambda _: PLENTY)
    monkeypatch.setattr("mqtools.store.maintenance.copies.log_mark.mark_copy", lambda _: os.write(-1, b""))
    made = reader()
    assert data(made, made.partitions()) == sent
    assert os.listdir(place.folders[0]) == []


def test_each_of_two_queue_managers_has_a_copy_of_its_own(
    qm: Any, make_qm: Callable[[str], Any], reader: Callable[..., MqxReader]
) -> None:
    sent = fill(qm)
    other = make_qm("QM2")
    theirs = [b"QM2 " + each for each in fill(other, 0)] or [b"theirs"]
    other.put(theirs[0], "Q")
    made = reader(qmgr=f"{qm.path},{other.path}")
    tasks = made.partitions()
    change(qm)
    found = rows(made, tasks)
    assert [(row["qmgr"], row["data"]) for row in found] == [("QM1", each) for each in sent] + [("QM2", b"theirs")]
    assert len({task.paths for task in tasks}) == 2


def test_a_damaged_message_of_a_copy_is_named_with_its_file(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    qm.main.db.run("update messages set msg_id = x'00' where data = cast('R 3' as blob)")
    given = {"qmgr": qm.path, "numpartitions": "3"}
    made = MqxReader(given, OF_ONE)
    made.place = reader().place
    with qm.left_alone(), pytest.raises(Exception, match=r"QM1\.db: message \d+ of queue R is damaged"):
        data(made, made.partitions())


def test_a_task_that_does_not_find_its_copy_says_what_to_do(qm: Any, reader: Callable[..., MqxReader]) -> None:
    fill(qm)
    made = reader()
    tasks = made.partitions()
    os.unlink(tasks[0].paths[0])
    with pytest.raises(Exception, match="cannot read what was planned") as raised:
        data(made, tasks)
    assert raised.value.hint == data_source._NOT_HERE


def test_a_task_that_is_killed_leaves_the_copy_to_its_second_attempt(
    qm: Any, reader: Callable[..., MqxReader], tmp_path: Path
) -> None:
    sent = fill(qm)
    made = reader()
    tasks = made.partitions()
    (tmp_path / "task").write_bytes(pickle.dumps((made, tasks[0])))
    code = (
        "import os, pickle, sys; made, task = pickle.load(open(sys.argv[1], 'rb'));"
        " next(made.read(task)); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "task")], check=False, timeout=60)
    change(qm)
    assert (done.returncode, data(made, tasks)) == (-9, sent)

"""Streams: each event once into files, each message once onto a queue, wherever they are killed."""

from __future__ import annotations

import json
import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql.types import StructType
from pyspark_mqx.jobs import stream
from pyspark_mqx.jobs.checkpoint import Checkpoint
from pyspark_mqx.jobs.stream import FolderSink, QueueSink, Stream
from pyspark_mqx.source import writer
from pyspark_mqx.source.offsets import pop_gaps
from pyspark_mqx.source.stream_source import MqxStreamReader

from mqtools.arrow import ranges
from mqtools.arrow.damage import Quarantine
from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError, UsageError
from tests.errors import fails
from tests.rows import rows

from .local import archived, lay

pytestmark = pytest.mark.usefixtures("spark")

END = {"/a/QM1.db": {"id": "one", "from": 0, "seq": 3}}


@pytest.fixture
def follow(spark: Any, tmp_path: Path) -> Callable[..., Stream]:
    """Follow queue managers as ``followed``, in a folder of its own."""
    return partial(followed, spark, tmp_path)


def followed(
    spark: Any, folder: Path, qmgr: str, to: str = "", *, queue: str = "", before: Any = None, aside: Any = None
) -> Stream:
    """Follow queue managers to their present end. to: queue manager whose queue R gets what comes, else files."""
    with Checkpoint(str(folder / "checkpoint"), f"test {to}") as checkpoint:
        sink: Any = FolderSink(str(folder / "events"), checkpoint.identifier)
        if to:
            sink = QueueSink(qmgr, to, "R", checkpoint.identifier, aside)
        running = Stream(sink, checkpoint)
        if before is not None:
            before(running)
        running.start(stream.events(spark, qmgr, queue, checkpoint=checkpoint, aside=aside), available_now=True)
        try:
            while not running.wait(1):
                pass
        finally:
            running.stop()
    return running


def journaled(qm: Any, *bodies: bytes) -> None:
    qm.define("Q", "QUEUE", journal=2)
    for body in bodies:
        qm.put(body)


def forget_last_commit(tmp_path: Path) -> None:
    """Remove Spark's last commit: the state after a kill just before it."""
    commits = tmp_path / "checkpoint" / "commits"
    last = max((one for one in commits.iterdir() if one.name.isdigit()), key=lambda one: int(one.name))
    last.unlink()
    (commits / f".{last.name}.crc").unlink(missing_ok=True)


def test_a_batch_that_was_not_begun_or_that_spark_repeats_is_in_the_files_once(
    follow: Any, qm: Any, tmp_path: Path
) -> None:
    journaled(qm, b"one", b"two")
    assert follow(qm.path, before=lambda running: running.end_after_batch()).totals == stream.StreamTotals()
    assert archived(tmp_path / "events", "event_seq") == []
    assert follow(qm.path).totals == stream.StreamTotals(1, 2, 2)
    forget_last_commit(tmp_path)
    qm.put(b"three")
    assert follow(qm.path).totals == stream.StreamTotals(1, 1, 1)
    assert archived(tmp_path / "events", "event_seq") == [1, 2, 3]


class Hub(NamedTuple):
    """Results of two runs that put arrivals at QM1 and HUB on R of HUB, the first with a quarantine."""

    qm: Any
    hub: Any
    totals: list[stream.StreamTotals]
    aside: dict[str, str]


@pytest.fixture(scope="module")
def onto_hub(spark: Any, make_shared_qm: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Hub:
    """R is journaled on both. Spark repeats the first batch in the second run."""
    qm, hub = make_shared_qm("QM1"), make_shared_qm("HUB")
    folder = tmp_path_factory.mktemp("hub")
    journaled(qm, b"one", b"damaged", b"x" * 11, b"", b"three")
    with qm.main.db.writing():
        qm.main.db.run("update journal set data = x'00' where event_seq = 2")
    with qm.main.open("Q", 2) as handle:
        handle.get()
    for one in (qm, hub):
        one.define("R", "QUEUE", journal=2, max_msg_length=10)
        one.put(os.path.basename(one.path).encode(), "R")
    aside = {"quarantine": str(folder / "aside"), "run": "stream-1"}
    both = f"{qm.path},{hub.path}"
    first = followed(spark, folder, both, hub.path, aside=aside)
    forget_last_commit(folder)
    qm.put(b"four")
    second = followed(spark, folder, both, hub.path)
    return Hub(qm, hub, [first.totals, second.totals], aside)


def test_a_batch_that_spark_repeats_is_on_the_queue_once(onto_hub: Hub) -> None:
    """The second run reads the event of ``four``, and those of what the first one has put."""
    assert onto_hub.totals == [stream.StreamTotals(1, 7, 4), stream.StreamTotals(1, 5, 1)]
    assert [data for data in onto_hub.hub.data("R") if b".db" not in data] == [b"one", b"", b"three", b"four"]
    ((job_id,),) = rows(onto_hub.hub.path, "select id from applied")
    assert job_id.startswith("stream ")


def test_events_that_are_damaged_and_messages_that_the_queue_cannot_take_are_set_aside_once(onto_hub: Hub) -> None:
    assert not {b"damaged", b"\0", b"x" * 11} & set(onto_hub.hub.data("R"))
    lines = list(Quarantine(onto_hub.aside["quarantine"], onto_hub.aside["run"]).lines())
    assert [(line["event_seq"], line["file"]) for line in lines] == [(2, onto_hub.qm.path), (3, onto_hub.qm.path)]
    assert [line["reason"].partition(" (")[2][:-1] for line in lines] == ["", "MQRC_MSG_TOO_BIG_FOR_Q 2030"]


def test_what_comes_to_the_queue_itself_is_not_put_again_but_what_comes_to_its_namesake_is(onto_hub: Hub) -> None:
    assert [data for data in onto_hub.hub.data("R") if b".db" in data] == [b"HUB.db", b"QM1.db"]


def apply(qm: Any, job_id: str) -> None:
    """Record a job as done, which wrote three messages."""
    with qm.main.work() as work:
        work.db.run("insert into applied values ('load', ?, 0, 3, 0)", (job_id,))


def test_what_is_staged_of_a_batch_that_was_put_goes(qm: Any) -> None:
    """A kill just after the transaction leaves it."""
    sink = QueueSink(qm.path, qm.path, "R", "id")
    job_id = f"stream id 1 {stream._digest(END)}"
    staging = Path(writer.LoadJob(qm.path, "R", job_id, "").staging)
    staging.mkdir(parents=True)
    apply(qm, job_id)
    assert (sink(None, 1, END), staging.exists()) == (None, False)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("queue", "target"), [("R", "R"), ("A", "R"), ("HERE", "R"), ("R@QM1", "R"), ("THERE", "X"), ("Q@X", "X")]
)
def test_a_stream_knows_the_queue_that_its_messages_come_to(qm: Any, queue: str, target: str) -> None:
    qm.define("A", "QALIAS", base_q_name="R")
    qm.define("X", usage=1)
    qm.define("HERE", "QREMOTE", remote_q_name="R", remote_q_mgr_name="QM1")
    qm.define("THERE", "QREMOTE", remote_q_name="R", remote_q_mgr_name="X")
    assert ranges.resolve_target(qm.path, queue) == target


def test_a_batch_without_events_is_a_batch(follow: Any, qm: Any) -> None:
    """And no other follows it while there is nothing new."""
    done = follow(qm.path, qm.path)
    assert done.totals == stream.StreamTotals(1, 0, 0)
    assert batch({"qmgr": qm.path}, done.position) == ([], done.position)


def batch(options: dict[str, str], start: Any) -> tuple[list[tuple[str, int]], Any]:
    """The events of the next batch, as Spark reads it: each process with a reader of its own; and where it ends."""
    schema = StructType.fromDDL("qmgr string, event_seq bigint")
    reader = MqxStreamReader(options, schema)
    end = reader.latestOffset(start, reader.getDefaultReadLimit())
    tasks = pickle.loads(pickle.dumps(reader.partitions(start, end)))
    rows = [row for task in tasks for read in MqxStreamReader(options, schema).read(task) for row in read.to_pylist()]
    return sorted((row["qmgr"], row["event_seq"]) for row in rows), json.loads(json.dumps(end))


def test_a_queue_manager_that_comes_later_is_followed_from_its_oldest_event(make_qm: Any) -> None:
    first = make_qm("QM1")
    journaled(first, b"one")
    options = {"qmgr": f"{Path(first.path).parent}/QM*.db"}
    found, end = batch(options, {})
    assert found == [("QM1", 1)]
    second = make_qm("QM2")
    journaled(second, b"gone", b"two")
    second.forget_events()
    second.put(b"three")
    assert batch(options, end)[0] == [("QM2", 2), ("QM2", 3)]


def test_a_selector_chooses_among_the_events_of_a_stream(qm: Any) -> None:
    journaled(qm)
    for priority in (3, 7):
        qm.put(b"x", priority=priority)
    assert batch({"qmgr": qm.path, "selector": "Root.MQMD.Priority > 5"}, {})[0] == [("QM1", 2)]


def test_events_that_went_before_they_were_read_are_an_error_or_are_noted(qm: Any, tmp_path: Path) -> None:
    journaled(qm, b"one")
    _, end = batch({"qmgr": qm.path}, {})
    for body in (b"two", b"three", b"four"):
        qm.put(body)
    qm.forget_events()
    with pytest.raises(MQError, match=r"events 2 to 3 \(2\) have not been read"):
        batch({"qmgr": qm.path}, end)
    lost = str(tmp_path / "lost")
    assert batch({"qmgr": qm.path, "lostfolder": lost}, end)[0] == [("QM1", 4)]
    assert {path.stat().st_mode & 0o077 for path in Path(lost).iterdir()} == {0}
    assert [(gap.path, gap.first, gap.last) for gap in pop_gaps(lost)] == [(qm.path, 2, 3)]


def test_an_event_without_its_data_ends_a_stream_onto_a_queue(follow: Any, qm: Any) -> None:
    journaled(qm, b"one")
    qm.define("Q", "QUEUE", journal=1)
    qm.put(b"two")
    with pytest.raises(Exception, match=r"need JOURNAL\(BODY\)"):
        follow(qm.path, qm.path)
    assert qm.depth("R") == 0


def test_streams_into_one_folder_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def write(numbers: list[int], folder: str) -> None:
        if numbers == [1]:
            begun.set()
            assert go_on.wait(60)
        lay(numbers, folder)

    monkeypatch.setattr(stream, "write", write)
    one, other = (FolderSink(str(tmp_path / "events"), name, [f"Q.{name}"]) for name in ("one", "other"))
    threads = [threading.Thread(target=sink, args=([n], 0, END)) for n, sink in ((1, one), (2, other))]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    assert archived(tmp_path / "events", "event_seq") == []
    go_on.set()
    for thread in threads:
        thread.join()
    assert archived(tmp_path / "events", "event_seq") == [1, 2]


@pytest.mark.parametrize(
    ("number", "end"), [(0, END), (1, {"/a/QM1.db": {"id": "one", "from": 0, "seq": 9}})], ids=["earlier", "other"]
)
def test_a_checkpoint_older_than_the_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, end: Any
) -> None:
    monkeypatch.setattr(stream, "write", lay)
    sink = FolderSink(str(tmp_path / "events"), "stream")
    assert sink([1], 1, END) == (1, 1)  # type: ignore[arg-type]
    assert sink([1], 1, END) is None  # type: ignore[arg-type]
    with pytest.raises(MQError, match="is it an older copy"):
        sink([1, 2], number, end)  # type: ignore[arg-type]
    assert archived(tmp_path / "events", "event_seq") == [1]


def test_a_checkpoint_older_than_the_queue_is_refused(qm: Any) -> None:
    sink = QueueSink(qm.path, qm.path, "R", "id")
    for job_id in (f"stream id 1 {stream._digest(END)}", "stream idother 7 00"):
        apply(qm, job_id)
    assert sink(None, 1, END) is None  # type: ignore[arg-type]
    for number, end in ((0, END), (1, {})):
        with pytest.raises(MQError, match="is it an older copy"):
            sink(None, number, end)  # type: ignore[arg-type]


@pytest.mark.parametrize(("failures", "ends"), [(4, True), (5, False)])
def test_a_worker_that_starts_late_is_started_again(failures: int, ends: bool) -> None:
    class Query:
        status = {"isTriggerActive": False}
        waits = 0

        def start(self) -> Query:
            return self

        def awaitTermination(self, seconds: float) -> bool:
            self.waits += 1
            if self.waits <= failures:
                raise RuntimeError("terminated with exception: Python worker failed to connect back.")
            return True

    running = Stream(None, None)  # type: ignore[arg-type]
    running._writer = query = Query()  # type: ignore[assignment]
    running._launch()
    with suppress(RuntimeError):
        while not running.wait(1):
            pass
        assert ends
    assert query.waits == 5


def test_a_checkpoint_is_of_one_target_and_of_one_stream_at_a_time(tmp_path: Path) -> None:
    folder = str(tmp_path / "checkpoint")
    with (
        Checkpoint(folder, "folder /a") as first,
        fails(MQRC_OBJECT_IN_USE, "another stream"),
        Checkpoint(folder, "folder /a"),
    ):
        pass
    with Checkpoint(folder, "folder /a") as again:
        assert again.identifier == first.identifier != ""
    assert {path.stat().st_mode & 0o077 for path in Path(folder).iterdir()} == {0}
    with (
        pytest.raises(UsageError, match="is of a stream to folder /a, not to folder /b"),
        Checkpoint(folder, "folder /b"),
    ):
        pass
    with Checkpoint(str(tmp_path / "other"), "folder /a") as other:
        assert other.identifier != first.identifier

"""Ways of Spark's own: paths, streams onto queues, put times that are kept, mistakes that are refused at load."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyspark_mqx
import pytest
from pyspark.sql import functions as F
from pyspark_mqx.source.data_source import MqxDataSource
from pyspark_mqx.source.stream_writer import MqxStreamWriter
from pyspark_mqx.source.writer import MqxWriter, StagedFile

from mqtools.arrow.put_times import _texts
from mqtools.arrow.read_options import normalise
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError
from mqtools.message import Property
from mqtools.mqi.objects.definitions import delete_queue
from tests.errors import fails

pytestmark = pytest.mark.usefixtures("spark")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"path": "QM1/ORDERS"}, {"qmgr": "QM1", "queue": "ORDERS"}),
        ({"path": "ORDERS"}, {"qmgr": "", "queue": "ORDERS"}),
        ({"path": "/home/a/QM1.db/A.*"}, {"qmgr": "/home/a/QM1.db", "queue": "A.*"}),
        ({"qmgr": "QM1"}, {"qmgr": "QM1"}),
        ({"queue": "Q", "queryname": "x", "checkpointlocation": "/c"}, {"queue": "Q"}),
    ],
)
def test_a_path_names_queue_manager_and_queue(given: dict[str, str], wanted: dict[str, str]) -> None:
    assert normalise(given) == wanted


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"path": "QM1/ORDERS", "queue": "Q"}, "QM1/ORDERS names queue manager and queue: .* option queue"),
        ({"paths": '["QM1/A", "QM2/B"]'}, "QM1/A, QM2/B: load each queue manager separately"),
        ({"provider": "mqx", "qmgr": "QM1"}, "CREATE TEMPORARY VIEW orders USING mqx OPTIONS"),
        ({"qmgr": "QM1", "selector": "colour = "}, "selector"),
        ({"nonsense": "1"}, "unknown option: nonsense"),
        ({"queu": "Q"}, "unknown option: queu; the options are qmgr, queue, "),
        ({"body": "maybe"}, "option body: 'maybe' is neither true nor false"),
        ({"journal": "off"}, "option journal: 'off' is neither true nor false"),
        ({"properties": "json"}, "option properties: 'json' is neither text nor typed"),
        ({"verify": "true", "journal": "true"}, "option verify is for messages"),
        ({"lock": "00", "journal": "true"}, "option lock is for messages"),
        ({"lock": "zz"}, "option lock: 'zz' is not a lock id"),
        ({"after": "{"}, "option after: '{' is not JSON"),
        ({"until": "[]"}, r"option until: '\[\]' is not JSON"),
        ({"until": '{"/QM1.db": "x"}'}, "option until"),
        ({"maxevents": "0"}, "option maxevents: '0' is not a number of events"),
        ({"quarantine": "/dev/null/aside"}, "option quarantine: .* cannot be created in /dev/null"),
        ({"lostfolder": "/dev/null"}, "option lostfolder"),
        ({"run": "a/b"}, "option run: 'a/b' is not the name of a file"),
    ],
)
def test_mistakes_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises((ValueError, MQError), match=words):
        normalise(given)


@pytest.fixture(scope="module")
def named(make_shared_qm: Any) -> Any:
    """Queue manager with queues of all kinds, and events of one that is no more."""
    qm = make_shared_qm("QM1")
    qm.define("GONE", journal=1)
    qm.put(b"one", "GONE")
    with qm.main.work() as work:
        delete_queue(work, "QLOCAL", "GONE", purge=True)
    qm.define("ALIAS", "QALIAS", base_q_name="Q")
    qm.define("NOWHERE", "QALIAS", base_q_name="NOPE")
    return qm


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"queue": "NOPE"}, "queue NOPE does not exist"),
        ({"queue": "Q,NOPE"}, "queue NOPE does not exist"),
        ({"queue": "NO*PE"}, r"no queue matches NO\*PE"),
        ({"queue": "GONE"}, "queue GONE does not exist"),
        ({"queue": "NOWHERE"}, "queue NOPE, the target of alias NOWHERE, does not exist"),
        ({"queue": "NOPE", "journal": "true"}, "queue NOPE does not exist"),
        ({"queue": "NO*PE", "journal": "true"}, r"no queue matches NO\*PE"),
        ({"queue": "ALIAS", "journal": "true"}, "ALIAS is an alias: the events name its target, Q"),
        ({"qmgr": "/nowhere/QM9.db"}, "there is no queue manager /nowhere/QM9.db"),
        ({"qmgr": "/nowhere/QM*.db"}, "there is no queue manager"),
        ({"job_id": "j"}, "unknown option: job_id"),
        ({"columns": "colour"}, "option columns: unknown column: colour"),
    ],
)
def test_names_of_nothing_are_refused_before_anything_is_read(named: Any, given: dict[str, str], words: str) -> None:
    with pytest.raises((ValueError, MQError), match=words):
        MqxDataSource({"qmgr": named.path, **given}).schema()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"queue": "ALIAS"},
        {"queue": "GONE", "journal": "true"},
        {"queue": "G*", "journal": "true"},
        {"queue": "Q", "journal": "true", "maxevents": "5"},
    ],
)
def test_names_of_what_can_be_read_are_taken(named: Any, given: dict[str, str]) -> None:
    assert MqxDataSource({"qmgr": named.path, **given}).schema()


def test_a_file_that_is_damaged_is_refused_unless_it_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "QM1.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(MQError, match=str(path)):
        MqxDataSource({"qmgr": str(path)}).schema()
    assert MqxDataSource({"qmgr": str(path), "quarantine": str(tmp_path / "aside")}).schema()


def test_mistakes_are_refused_by_load(spark: Any, qm: Any) -> None:
    for way in (spark.read, spark.readStream):
        with pytest.raises(Exception, match="queue NOPE does not exist"):
            way.format("mqx").load(f"{qm.path}/NOPE")
    with pytest.raises(Exception, match="selector"):
        spark.read.format("mqx").option("selector", "colour = ").load(f"{qm.path}/Q")
    with pytest.raises(Exception, match="CREATE TEMPORARY VIEW"):
        spark.sql(f"create table orders using mqx options (qmgr '{qm.path}', queue 'Q')")
    qm.put(b"one")
    assert spark.read.format("mqx").load(f"{qm.path}/Q").count() == 1


def test_named_columns_alone_are_read(spark: Any, qm: Any) -> None:
    """The data of the message is damaged: whoever reads it would fail."""
    qm.put(b"one", priority=3)
    with qm.main.db.writing():
        qm.main.db.run("update messages set data = x'6f'")
    queue = spark.read.format("mqx").option("columns", "queue, priority")
    assert [tuple(row) for row in queue.load(f"{qm.path}/Q").collect()] == [("Q", 3)]
    assert spark.read.format("mqx").option("columns", "seq").load(f"{qm.path}/Q").count() == 1
    with pytest.raises(Exception, match=r"message \d+ of queue Q is damaged"):
        spark.read.format("mqx").load(f"{qm.path}/Q").count()
    with pytest.raises(Exception, match="option columns: unknown column: colour"):
        spark.read.format("mqx").option("columns", "seq,colour").load(f"{qm.path}/Q")


@pytest.mark.parametrize("columns", ["", "data, properties"])
def test_properties_that_are_read_with_types_are_written_with_them(spark: Any, qm: Any, columns: str) -> None:
    qm.put(b"four", properties={"n": Property(MQTYPE_INT32, 4), "colour": Property(MQTYPE_STRING, "red")})
    qm.put(b"none")
    queue = spark.read.format("mqx").option("properties", "typed").option("columns", columns).load(f"{qm.path}/Q")
    assert "properties" not in queue.columns
    queue.select("data", "properties_json").write.format("mqx").mode("append").save(f"{qm.path}/R")
    assert sorted(qm.data("R")) == [b"four", b"none"]
    selected = spark.read.format("mqx").option("selector", "n > 3 and colour = 'red'").load(f"{qm.path}/R")
    assert [bytes(row.data) for row in selected.select("data").collect()] == [b"four"]


@pytest.fixture
def stream_to(spark: Any, tmp_path: Path) -> Callable[..., None]:
    """Write all lines of a folder of text that are not in the checkpoint onto a queue."""

    def run(target: str, **options: str) -> None:
        lines = spark.readStream.text(str(tmp_path / "lines")).select(F.col("value").alias("data"))
        writer = lines.writeStream.format("mqx").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.queryName("lines").options(**options).trigger(availableNow=True).start(target).awaitTermination()

    (tmp_path / "lines").mkdir()
    return run


def test_a_stream_puts_each_batch_once(stream_to: Callable[..., None], qm: Any, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / "lines" / f"{number}.txt").write_text(f"{number}\n")
        stream_to(f"{qm.path}/Q")
    assert sorted(qm.data()) == [b"0", b"1"]
    commits = tmp_path / "checkpoint" / "commits"
    for name in ("1", ".1.crc"):
        (commits / name).unlink(missing_ok=True)  # as after a kill that came before Spark noted the batch
    stream_to(f"{qm.path}/Q")
    assert sorted(qm.data()) == [b"0", b"1"]
    jobs = qm.main.db.all("select id from applied")
    assert len(jobs) == 1
    assert jobs[0][0].startswith("query ")
    assert jobs[0][0].endswith(" 1")


def test_a_sink_of_spark_gets_each_event_of_a_journal_once(spark: Any, qm: Any, tmp_path: Path) -> None:
    qm.define("Q", journal=1)
    for number in range(2):
        qm.put(b"%d" % number)
        events = spark.readStream.format("mqx").option("journal", "true").load(f"{qm.path}/Q")
        writer = events.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start(str(tmp_path / "events")).awaitTermination()
    found = spark.read.parquet(str(tmp_path / "events")).select("event", "event_seq").collect()
    assert sorted(map(tuple, found)) == [("put", 1), ("put", 2)]


def test_an_older_copy_of_a_checkpoint_is_refused(qm: Any) -> None:
    writer = MqxStreamWriter({"qmgr": qm.path, "queue": "Q"}, ["data"])
    with qm.main.work() as work:
        work.db.run("insert into applied values ('load', 'query x 7', 0, 1, 0)")
    with fails(MQRC_OBJECT_CHANGED, "has batch 7 of this stream, the checkpoint is at 3"):
        writer.commit([StagedFile(0, "/nothing", "query x 3")], 3)
    writer.commit([StagedFile(0, "/nothing", "query x 7")], 7)
    assert qm.depth() == 0
    writer.commit([None], 8)
    with pytest.raises(ValueError, match="option job_id"):
        MqxStreamWriter({"qmgr": qm.path, "queue": "Q", "job_id": "j"}, ["data"])


def test_a_put_time_is_kept_or_refused(spark: Any, qm: Any) -> None:
    at = datetime(2020, 2, 29, 1, 2, 3, 450_000, tzinfo=UTC)
    rows = spark.createDataFrame([(b"x", at), (b"y", None)], "data binary, put_at timestamp")
    writer = rows.write.format("mqx").mode("append").option("job_id", "j")
    with pytest.raises(Exception, match="column put_at: the option keepcontext"):
        writer.save(f"{qm.path}/Q")
    writer.option("keepcontext", "true").save(f"{qm.path}/Q")
    found = [tuple(row) for row in qm.main.db.all("select put_date, put_time from messages order by data")]
    assert found[0] == ("20200229", "01020345")
    assert found[1] == ("", "")
    MqxWriter({"qmgr": qm.path, "queue": "Q"}, ["data", "put_date"])


@pytest.mark.parametrize(
    ("moment", "date", "time", "wanted"),
    [
        (None, "20200229", "01020345", ("20200229", "01020345")),
        (1_582_938_123_450, "20200229", "01020345", ("20200229", "01020345")),
        (1_582_938_123_459, None, None, ("20200229", "01020345")),
        (1_582_938_123_450, "20010101", "00000000", ("20200229", "01020345")),
        (1_582_938_123_450, "2020023x", "01020345", ("2020023x", "01020345")),
        (1_582_938_123_450, "        ", "", ("20200229", "01020345")),
        (-1_000, None, None, ("19691231", "23595900")),
    ],
)
def test_put_times_become_texts(moment: int | None, date: str | None, time: str | None, wanted: Any) -> None:
    assert _texts(moment, date, time) == wanted


def test_each_function_is_that_of_its_job() -> None:
    assert all(callable(getattr(pyspark_mqx, name)) for name in pyspark_mqx.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = pyspark_mqx.nothing

"""The data source in Spark: found by its name, read by columns, filtered, planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql.datasource import EqualTo
from pyspark.sql.types import BinaryType, StructField, StructType
from pyspark_mqx.source.data_source import MqxReader
from pyspark_mqx.source.stream_source import MqxStreamReader
from pyspark_mqx.source.writer import MqxWriter

from mqtools.arrow import read as arrow_read
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.properties import MQTYPE_BOOLEAN, MQTYPE_BYTE_STRING, MQTYPE_INT32, MQTYPE_STRING
from mqtools.errors import MQError
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property
from mqtools.operations.load import load_messages

pytestmark = pytest.mark.usefixtures("spark")

Read = Callable[..., Any]
OTHER_KINDS = ("string", "bigint", "double", "string collate UTF8_LCASE", "struct<reason: int>")


def test_every_column_comes_with_its_type_and_value(read: Read, qm: Any) -> None:
    properties = {
        "colour": Property(MQTYPE_STRING, "red"),
        "size": Property(MQTYPE_INT32, 5),
        "yes": Property(MQTYPE_BOOLEAN, True),
        "raw": Property(MQTYPE_BYTE_STRING, b"\x01\xff"),
    }
    before = datetime.now(UTC)
    md = qm.put(b"hello", format="MQSTR", priority=7, properties=properties)
    after = datetime.now(UTC)
    (row,) = read(queue="Q").collect()
    assert row.msg_id == md.msg_id.hex().upper()
    assert (row.format, row.priority, row.put_date) == ("MQSTR", 7, md.put_date)
    assert row.properties == {"colour": "red", "size": "5", "yes": "true", "raw": "01FF"}
    assert (row.dlh, row.data_length, bytes(row.data)) == (None, 5, b"hello")
    assert before - timedelta(seconds=1) < row.put_at.astimezone(UTC) <= after  # it has whole hundredths


def test_a_dead_letter_has_its_header_as_a_struct(read: Read, qm: Any) -> None:
    md, data = prefix_dlh(MQMD(format="MQSTR"), b"body", reason=2053, dest_q_name="ORDERS", dest_q_mgr_name="QM1")
    qm.put(data, "DLQ", format=md.format, encoding=md.encoding, coded_char_set_id=md.coded_char_set_id)
    qm.put(b"no header", "DLQ")
    load_messages(qm.main, "DLQ", [Message(b"damaged", MQMD(format="MQDEAD"))])
    rows = read(queue="DLQ", body="false").select("dlh.reason", "dlh.dest_q_name", "dlh.format").collect()
    assert [tuple(row) for row in rows] == [(2053, "ORDERS", "MQSTR"), (None, None, None), (None, None, None)]


def test_without_a_body_there_is_no_column_for_it(read: Read) -> None:
    assert "data" not in read(body="false").columns
    assert read().columns[-1] == "data"


def test_names_of_columns_are_case_insensitive_as_in_spark(spark: Any, read: Read, qm: Any) -> None:
    qm.put(b"x", priority=3)
    frame = read("PRIORITY int, Data binary", queue="Q").where("priority = 3")
    assert [tuple(row) for row in frame.collect()] == [(3, b"x")]
    assert spark.read.format("mqx").option("columns", "Priority").load(f"{qm.path}/Q").columns == ["priority"]
    frame.write.format("mqx").mode("append").options(qmgr=qm.path, queue="R").save()
    assert [tuple(row) for row in read("priority int, data binary", queue="R").collect()] == [(3, b"x")]


def test_a_list_of_queues_is_loaded(spark: Any, qm: Any) -> None:
    qm.put(b"1")
    qm.put(b"2", "R")
    assert spark.read.format("mqx").load([f"{qm.path}/Q", f"{qm.path}/R"]).count() == 2


def test_a_table_of_the_format_is_refused_in_words(spark: Any, qm: Any) -> None:
    writer = spark.range(1).selectExpr("cast(cast(id as string) as binary) data").write.format("mqx").mode("append")
    writer.options(qmgr=qm.path, queue="Q")
    refused = r"a table of format mqx is not supported: .* CREATE TEMPORARY VIEW"
    for create in (
        lambda: writer.saveAsTable("orders"),
        lambda: spark.sql(f"create table orders using mqx options (qmgr '{qm.path}', queue 'Q') as select X'30' data"),
    ):
        with pytest.raises(Exception, match=refused):
            create()
    assert (spark.catalog.tableExists("orders"), qm.depth()) == (False, 0)
    writer.save()
    assert qm.depth() == 1


def test_two_queries_of_a_frame_have_the_filters_of_the_first_only_where_spark_pushes_them(read: Read, qm: Any) -> None:
    """Spark keeps what is pushed for a frame: so pushdown is off unless its setting is on."""
    for priority in (1, 2):
        qm.put(b"x", priority=priority)
    frame = read(queue="Q")
    assert [frame.where(f"priority = {n}").count() for n in (1, 2)] + [frame.count()] == [1, 1, 2]


@pytest.fixture
def pushed(spark: Any) -> Iterator[None]:
    """Filters are pushed, of frames that are read once."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    yield
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


@pytest.mark.usefixtures("pushed")
def test_filters_give_the_same_rows_as_spark_alone(read: Read, qm: Any) -> None:
    """Two queries; in the first each line leaves out messages that all others let through, but for the last one."""
    for number in range(12):
        qm.put(b"%d" % number, priority=number % 4, correl_id=(b"%24d" % number) if number % 3 else bytes(24))
    seqs = [seq for (seq,) in qm.main.db.all("select seq from messages order by seq")]
    known = (b"%24d" % 10).hex().upper()
    together = (
        "priority > 0 and priority <> 3",
        f"correl_id <> '{known}'",
        f"seq >= {seqs[2]} and not (seq = {seqs[5]})",
        f"seq in ({', '.join(map(str, (*seqs[:9], seqs[10])))}) and state = 'unlocked'",
        "put_at > timestamp'2020-01-01 00:00:00.0001' and format = ''",
    )
    columns = "seq bigint, priority int, correl_id string, state string, format string, put_at timestamp"
    first, second = (
        read(columns, queue="Q").where(tests).select("seq")
        for tests in (" and ".join(together), f"correl_id = '{known}'")
    )
    assert [row.seq for row in first.union(second).collect()] == [seqs[2], seqs[6], seqs[10]]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        *((f"seq bigint, priority {kind}", "column priority has type int, not ") for kind in OTHER_KINDS),
        ("priority int, nonsense string", "unknown column: nonsense"),
        ("dlh struct<reason: int, nonsense: int>", "column dlh has type "),
    ],
)
def test_a_column_that_is_unknown_or_of_another_type_is_named_and_not_taken_for_damaged(
    schema: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        MqxReader({}, StructType.fromDDL(schema))


def test_a_struct_may_have_fewer_fields() -> None:
    MqxReader({}, StructType.fromDDL("dlh struct<reason: int, format: string>, properties map<string, string>"))


@pytest.mark.parametrize(
    ("make", "options", "words"),
    [
        (MqxReader, {"path": "Q"}, "unknown option: path"),
        (MqxReader, {"maxevents": "1"}, "unknown option: maxevents"),
        (MqxStreamReader, {"numpartitions": "2"}, "unknown option: numpartitions"),
        (MqxStreamReader, {"maxevents": "x"}, "option maxevents: 'x' is not a number of events"),
        (MqxWriter, {"queue": "Q", "jobid": "monday"}, "unknown option: jobid; the options are qmgr, queue, job_id"),
        (MqxWriter, {"queue": "NOPE"}, "NOPE"),
    ],
)
def test_an_option_that_means_nothing_is_refused(qm: Any, make: Any, options: dict[str, str], words: str) -> None:
    if make is MqxWriter:
        options = {"qmgr": qm.path, **options}
    with pytest.raises((ValueError, MQError), match=words):
        make(options, ["data"] if make is MqxWriter else StructType.fromDDL("seq bigint"))


def test_the_frame_of_an_empty_queue_is_empty_and_has_what_comes_later(read: Read, qm: Any) -> None:
    found = read("data binary", queue="Q")
    assert found.collect() == []
    qm.put(b"later")
    assert [bytes(row.data) for row in found.collect()] == [b"later"]


@pytest.mark.parametrize(("name", "path"), [("QM1", True), ("OTHER", False)])
def test_a_file_that_no_filter_lets_through_has_no_task(qm: Any, name: str, path: bool) -> None:
    qm.put(b"x")
    reader = MqxReader({"qmgr": qm.path}, StructType.fromDDL("data binary"))
    reader.pushFilters([EqualTo(("qmgr",), name)])
    (task,) = reader.partitions()
    assert task.paths == ((qm.path,) if path else ())


@pytest.mark.parametrize("partitions", ["0", "1"])
def test_a_file_is_read_as_it_is_when_its_task_begins_unless_it_is_cut(qm: Any, partitions: str) -> None:
    qm.put(b"stays", "Q")
    qm.put(b"moves", "R")
    reader = MqxReader({"qmgr": qm.path, "numpartitions": partitions}, StructType([StructField("data", BinaryType())]))
    tasks = reader.partitions()
    with qm.main.work(), qm.main.open("R", MQOO_INPUT_SHARED) as handle:
        qm.put(handle.get().message.data, "Q")
    found = [row["data"] for task in tasks for batch in reader.read(task) for row in batch.to_pylist()]
    assert found == [b"stays", b"moves"]


def test_events_of_the_journal(read: Read, qm: Any) -> None:
    qm.define("Q", "QUEUE", journal=2)
    qm.define("R", "QUEUE", journal=1)
    qm.put(b"kept", priority=2)
    qm.put(b"not kept", "R")
    with qm.main.open("Q", 2) as handle:
        handle.get()
    rows = (
        read(journal="true").select("event", "event_seq", "queue", "outcome", "appl_name", "data", "priority").collect()
    )
    assert [(row.event, row.queue, row.data and bytes(row.data)) for row in rows] == [
        ("put", "Q", b"kept"),
        ("put", "R", None),
        ("get", "Q", b"kept"),
    ]
    assert [row.event_seq for row in rows] == [1, 2, 3]
    assert {(row.outcome, row.appl_name) for row in rows} == {("MQRC_NONE", "test")}
    (row,) = read("event string, queue string", journal="true", queue="R*").where("event = 'put'").collect()
    assert row.queue == "R"


@pytest.mark.parametrize(
    ("queue", "wanted"), [("R", "R"), ("Q,R", "QR"), ("D*", "D"), ("D*,R", "DR"), ("*L*, Q*", "DQ"), ("", "DQR")]
)
def test_events_are_of_the_queues_that_names_and_patterns_mean(qm: Any, queue: str, wanted: str) -> None:
    for name in ("Q", "R", "DLQ"):
        qm.define(name, "QUEUE", journal=1)
        qm.put(b"", name)
    qm.main.disconnect()
    reader = MqxReader({"qmgr": qm.path, "queue": queue, "journal": "true"}, StructType().add("queue", "string"))
    found = [row["queue"] for task in reader.partitions() for batch in reader.read(task) for row in batch.to_pylist()]
    assert sorted(name[0] for name in found) == list(wanted)


def test_text_and_masks_are_those_of_a_read_without_spark(read: Any, qm: Any) -> None:
    qm.put("grün".encode("latin-1"), format="MQSTR", coded_char_set_id=819)
    names, mask = ["text", "data", "msg_id"], ["data", "msg_id"]
    for masked in ([], mask):
        (row,) = read("text string, data binary, msg_id string", queue="Q", mask=",".join(masked)).collect()
        (wanted,) = arrow_read(qm.path, "Q", names, mask=masked).read_all().to_pylist()
        assert {name: bytes(value) if name == "data" else value for name, value in row.asDict().items()} == wanted
    with pytest.raises(Exception, match="priority cannot be masked"):
        read(queue="Q", mask="priority").collect()
    qm.put(b'{"id": 7}', "R", format="MQSTR")
    assert tuple(read("text string", queue="R").selectExpr("from_json(text, 'id bigint').id").first()) == (7,)

"""Reading what a load takes: JSON lines, CSV and archives, with what cannot be read named for each row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark_mqx.jobs import archive, inputs
from pyspark_mqx.source.rows import UNREADABLE

from mqtools.constants.properties import MQTYPE_INT32
from mqtools.message import Property
from mqtools.operations.unload import copy_messages


def test_files_of_every_form_are_read_in_their_order(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('data,priority\n"one, ""1""\nand more",3\n"",0\n')
    (tmp_path / "b.csv").write_text("data,priority\ntwo,2\n")
    (tmp_path / "a.jsonl").write_text('{"data":"x"}\n\n{"data":"y"}\n')
    table = inputs.read_input(spark, "csv", [str(tmp_path / name) for name in ("a.csv", "b.csv")]).collect()
    assert [(row.data or "", row.priority, row.row, row.file[-5:]) for row in table] == [
        ('one, "1"\nand more', "3", 1, "a.csv"),
        ("", "0", 2, "a.csv"),
        ("two", "2", 1, "b.csv"),
    ]
    lines = inputs.read_input(spark, "jsonl", [str(tmp_path / "a.jsonl")]).collect()
    assert [(row.line, row.row, row.file[-7:]) for row in lines] == [
        ('{"data":"x"}', 1, "a.jsonl"),
        ('{"data":"y"}', 3, "a.jsonl"),
    ]


def test_rows_that_are_not_utf8_are_told_in_text_of_every_form(spark: Any, tmp_path: Path) -> None:
    def told(form: str, *names: str) -> list[tuple[object, ...]]:
        frame = inputs.read_input(spark, form, [str(tmp_path / name) for name in names])
        return [(row[0], row.row, row[UNREADABLE]) for row in frame.collect()]

    (tmp_path / "a.csv").write_bytes(b'data,row\n"l\xe9\ntin",1\nplain,2\nok,\xe9\n\xc3\xa9,4\n')
    (tmp_path / "b.csv").write_text("data,row\nl\ufffdtin,1\n")
    (tmp_path / "a.jsonl").write_bytes(b'{"data":"x"}\n{"data":"\xe9"}\n\n{"data":"y"}\n')
    broken, line = "not all of the row is UTF-8", "the line is not UTF-8"
    assert told("csv", "a.csv", "b.csv") == [
        ("l\ufffd\ntin", 1, broken),
        ("plain", 2, None),
        ("ok", 3, None),
        ("é", 4, None),
        ("l\ufffdtin", 1, None),
    ]
    assert told("jsonl", "a.jsonl") == [('{"data":"x"}', 1, None), (None, 2, line), ('{"data":"y"}', 4, None)]


def test_rows_of_csv_with_more_or_fewer_values_than_the_header_are_told(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('priority,data\n4,"hello, world"\n4,hello, world\n5\n6,\n7,"x\ny"\n')
    frame = inputs.read_input(spark, "csv", [str(tmp_path / "a.csv")])
    odd = "it has more or fewer values than the header"
    assert [(row.data or "", row[UNREADABLE]) for row in frame.select("data", UNREADABLE).collect()] == [
        ("hello, world", None),
        ("hello", odd),
        ("", odd),
        ("", None),
        ("x\ny", None),
    ]


def test_of_an_archive_of_events_what_came_is_loaded_and_never_without_its_data(spark: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    def read(name: str, **given: Any) -> list[Any]:
        given = {"data": [b"x", b"x", None], "event": ["put", "get", "report"], "data_length": [1, 1, 0], **given}
        table = pa.table({key: value for key, value in given.items() if value is not None})
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "one.parquet")
        return [(row.data, row.row) for row in inputs.read_input(spark, "parquet", [str(tmp_path / name)]).collect()]

    assert read("events") == [(b"x", 1), (None, 3)]
    for missing in ({"data": [b"x", b"x", None], "data_length": [1, 1, 1]}, {"data": None}):
        with pytest.raises(Exception, match="the archive does not have the data"):
            read(f"missing{len(missing)}", **missing)


def test_an_archive_loads_back_as_it_was(spark: Any, qm: Any, tmp_path: Path) -> None:
    md = qm.put(b"\x00\xff", priority=7, correl_id=b"c" * 24, properties={"n": Property(MQTYPE_INT32, 5)})
    archive.archive(spark, str(tmp_path / "a"), qm.path, "Q")
    frame = inputs.read_input(spark, "parquet", [str(tmp_path / "a")])
    frame.write.format("mqx").mode("append").options(qmgr=qm.path, queue="R", job_id="x").save()
    from mqtools.mqi.resolution import find_queue
    from mqtools.operations.selection import EVERYTHING

    (one,) = copy_messages(qm.main.db, find_queue(qm.main.db, "R").id, EVERYTHING)
    assert one.message.data == b"\x00\xff"
    assert one.message.properties == {"n": Property(MQTYPE_INT32, 5)}
    assert one.message.md.replace(expiry=-1) == md.replace(expiry=-1)

"""``mqx sql``: queries in every format, parameters, and nothing but queries."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from ..rows import queue_names

Run = Callable[..., Any]


@pytest.fixture
def filled(mqx: Run, qm: str) -> str:
    mqx("put", "DEV.QUEUE.1", "hello", "--priority", "7", check=True)
    mqx("put", "DEV.QUEUE.2", stdin=b"\x1b[31m\xff", check=True)
    return qm


@pytest.mark.usefixtures("filled")
def test_rows_come_in_every_format(mqx: Run) -> None:
    asked = "select queue, priority from messages order by queue"
    assert mqx("sql", asked, check=True).out == b"DEV.QUEUE.1\t7\nDEV.QUEUE.2\t0\n"
    assert mqx("sql", asked, "-o", "plain", check=True).out == b"DEV.QUEUE.1\t7\nDEV.QUEUE.2\t0\n"
    table = mqx("sql", asked, "-o", "table", check=True).out.decode().splitlines()
    assert [line.split() for line in table] == [["QUEUE", "PRIORITY"], ["DEV.QUEUE.1", "7"], ["DEV.QUEUE.2", "0"]]
    read = csv.DictReader(StringIO(mqx("sql", asked, "-o", "csv", check=True).out.decode()))
    assert [row["queue"] for row in read] == ["DEV.QUEUE.1", "DEV.QUEUE.2"]
    rows = [{"queue": "DEV.QUEUE.1", "priority": 7}, {"queue": "DEV.QUEUE.2", "priority": 0}]
    assert json.loads(mqx("sql", asked, "-o", "json", check=True).out) == rows
    assert mqx("sql", asked, "-o", "jsonl", check=True).rows == rows


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("output", ["table", "plain", "csv", "json", "jsonl"])
def test_bytes_are_hex(mqx: Run, output: str) -> None:
    assert b"68656C6C6F" in mqx("sql", "select data from messages where priority = 7", "-o", output).out


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("output", ["table", "plain", "csv", "json", "jsonl"])
def test_text_of_a_message_cannot_steer_the_terminal(mqx: Run, output: str) -> None:
    assert b"\x1b" not in mqx("sql", "select cast(data as text) as t from messages", "-o", output).out


@pytest.mark.usefixtures("qm")
def test_no_rows_are_a_success(mqx: Run) -> None:
    done = mqx("sql", "select queue from messages")
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert mqx("sql", "select queue from messages", "-o", "json").out == b"[]\n"
    assert mqx("sql", "select queue from messages", "-o", "csv").out == b"queue\n"


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("asked", "parameters", "found"),
    [
        ("select text from messages where queue = :q", ["q=DEV.QUEUE.1"], "hello\n"),
        ("select text from messages where queue = :q and priority > :p", ["q=DEV.QUEUE.1", "p=6"], "hello\n"),
        ("select typeof(:x)", ["x=5"], "integer\n"),
        ("select typeof(:x)", ["x=-0.5"], "real\n"),
        ("select typeof(:x)", ["x=1234567890123456"], "text\n"),
        ("select typeof(:x)", ["x=5a"], "text\n"),
        ("select :x || '|'", ["x=a=b"], "a=b|\n"),
        ("select :x || '|'", ["x="], "|\n"),
        ("select :x", [":x='); drop table messages; --"], "'); drop table messages; --\n"),
    ],
)
def test_parameters_stand_for_values(mqx: Run, asked: str, parameters: list[str], found: str) -> None:
    given = [word for parameter in parameters for word in ("-p", parameter)]
    assert mqx("sql", asked, *given, check=True).out.decode() == found


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize("given", [["x"], ["=1"], ["a b=1"], ["x=1", "x=2"]])
def test_a_parameter_that_is_none_is_2(mqx: Run, given: list[str]) -> None:
    assert mqx("sql", "select :x", *(word for one in given for word in ("-p", one))).status == 2


@pytest.mark.usefixtures("qm")
def test_columns_of_one_name_are_kept_apart(mqx: Run) -> None:
    (row,) = json.loads(mqx("sql", "select 1 as a, 2 as a", "-o", "json").out)
    assert sorted(row.values()) == [1, 2]


@pytest.mark.parametrize(
    "statement",
    [
        "delete from messages",
        "delete from main.messages",
        "delete from main.messages returning seq",
        "update queues set name = 'X'",
        "update main.queues set name = 'X'",
        "insert into main.journal default values",
        "drop table main.messages",
        "drop view temp.messages",
        "create table x (y)",
        "create table main.t (a)",
        "create temp table t (a)",
        "pragma journal_mode = delete",
        "pragma query_only = off",
        "pragma user_version = 9",
        "pragma wal_checkpoint(truncate)",
        "attach 'other.db' as other",
        "detach temp",
        "vacuum",
        "vacuum into 'other.db'",
        "begin immediate",
        "begin",
        "reindex",
        "analyze",
        "select load_extension('x')",
    ],
)
def test_a_statement_that_writes_is_8_and_changes_nothing(mqx: Run, filled: str, statement: str) -> None:
    done = mqx("sql", statement)
    assert (done.status, done.out) == (8, b"")
    assert mqx("sql", "select count(*) from messages", check=True).out == b"2\n"
    assert "X" not in queue_names(filled)
    assert not any(folder.joinpath("other.db").exists() for folder in (Path(filled).parent, Path.cwd()))


@pytest.mark.usefixtures("qm")
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("selec 1", 'near "selec"'),
        ("select nope from messages", "no such column: nope"),
        ("select * from nope", "no such table: nope"),
        ("select :x", ":x"),
        ("select 1; select 2", "one statement"),
        ("", "QUERY is empty"),
        ("/* nothing */", "no query"),
    ],
)
def test_wrong_sql_is_2_with_sqlites_words(mqx: Run, statement: str, words: str) -> None:
    done = mqx("sql", statement)
    assert (done.status, done.out) == (2, b"")
    assert words in done.err


@pytest.mark.usefixtures("qm")
def test_an_error_among_the_rows_leaves_no_half_document(mqx: Run) -> None:
    done = mqx("sql", "select abs(iif(column1 = 2, -9223372036854775808, 1)) from (values (1), (2))", "-o", "json")
    assert (done.status, done.out) == (2, b"")
    assert json.loads(done.err)["error"]["message"]


@pytest.mark.usefixtures("qm")
def test_infinity_is_no_crash(mqx: Run) -> None:
    assert json.loads(mqx("sql", "select 9e999 as x", "-o", "json", check=True).out) == [{"x": "inf"}]


@pytest.mark.usefixtures("qm")
def test_the_query_may_come_from_stdin(mqx: Run) -> None:
    assert mqx("sql", "-", stdin=b"select 1\n", check=True).out == b"1\n"


@pytest.mark.usefixtures("qm")
def test_v_says_the_query(mqx: Run) -> None:
    assert "select 1" in mqx("sql", "-v", "select 1", check=True).err


def test_a_queue_manager_that_has_ended_can_be_asked(mqx: Run, filled: str) -> None:
    mqx("qmgr", "end", filled, check=True)
    assert mqx("sql", "select count(*) from messages", check=True).out == b"2\n"


def test_an_unknown_queue_manager_is_5_and_a_damaged_one_10(mqx: Run, qm: str) -> None:
    assert mqx("sql", "select 1", "-m", "NOPE").status == 5
    Path(qm).with_name("BAD.db").write_bytes(b"\x00" * 9000)
    assert mqx("sql", "select 1", "-m", "BAD").status == 10


def test_the_views_are_listed_with_every_column_and_its_meaning(mqx: Run) -> None:
    rows = json.loads(mqx("sql", "--views", "-o", "json", check=True).out)
    assert {row["view"] for row in rows} == {"messages", "queues", "locks", "journal"}
    assert [row for row in rows if not row["meaning"]] == []
    assert {"view": "queues", "column": "max_q_depth", "meaning": "MAXDEPTH of MQSC"} in rows
    assert b"priority" in mqx("sql", "--views", check=True).out


@pytest.mark.parametrize("view", ["messages", "queues", "locks", "journal"])
def test_the_columns_listed_are_those_there(mqx: Run, qm: str, view: str) -> None:
    listed = mqx("sql", "--views", "-o", "jsonl", check=True).rows
    heading = mqx("sql", f"select * from {view}", "-o", "csv", check=True).out.decode().splitlines()[0]
    assert heading.split(",") == [row["column"] for row in listed if row["view"] == view]


@pytest.mark.parametrize("arguments", [(), ("--views", "select 1"), ("select 1", "-o", "raw")])
@pytest.mark.usefixtures("qm")
def test_what_makes_no_sense_is_2(mqx: Run, arguments: tuple[str, ...]) -> None:
    assert mqx("sql", *arguments).status == 2


def test_queues_have_the_column_names_and_values_of_qdepth(inline, qm):
    inline("put", "DEV.QUEUE.1", "a", check=True)
    inline("lock", "DEV.QUEUE.1", check=True)
    (depth,) = json.loads(inline("qdepth", "DEV.QUEUE.1", "-o", "json", check=True).out)
    columns = ", ".join(name for name in depth if not name.startswith(("oldest_", "without_")))
    (row,) = json.loads(inline("sql", f"select {columns} from queues where depth", "-o", "json", check=True).out)
    assert row == {name: depth[name] for name in row}


@pytest.mark.usefixtures("filled")
def test_parquet_has_the_types_of_the_values(mqx: Run) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    asked = "select queue, data, priority, null as n, iif(priority = 7, 1, 0.5) as f, iif(priority = 7, 1, 'x') as t"
    found = parquet.read_table(BytesIO(mqx("sql", f"{asked} from messages order by queue", "-o", "parquet").out))
    assert found.to_pylist() == [
        {"queue": "DEV.QUEUE.1", "data": b"hello", "priority": 7, "n": None, "f": 1.0, "t": "1"},
        {"queue": "DEV.QUEUE.2", "data": b"\x1b[31m\xff", "priority": 0, "n": None, "f": 0.5, "t": "x"},
    ]
    assert parquet.read_table(BytesIO(mqx("sql", "select queue from locks", "-o", "parquet").out)).num_rows == 0
    numbers = "with recursive n(x) as (select 1 union all select x + 1 from n where x < 20001)"
    many = f"{numbers} select x, iif(x > 20000, 'a', x) as y from n"
    rows = parquet.read_table(BytesIO(mqx("sql", many, "-o", "parquet").out)).to_pylist()
    assert (len(rows), rows[0], rows[-1]) == (20001, {"x": 1, "y": "1"}, {"x": 20001, "y": "a"})

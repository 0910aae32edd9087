"""A line understood without the option parser does just what the parser would have made of it."""

from __future__ import annotations

import shutil
import sqlite3
from importlib import import_module

import pytest

from mqtools.mqi.connection import connect

Q = "DEV.QUEUE.1"

#: What changes from one run to the next whatever the line: times and the identifiers made of them.
CHANGING = {"put_at", "put_date", "put_time", "msg_id", "expires_at", "seq", "order_key", "queue_id", "checksum"}

#: Lines that are plain, and some that nearly are.
LINES = [
    ["put", Q, "x"],
    ["put", Q, "x", "y", "z"],
    ["put", Q, ""],
    ["put", Q, "x", "--priority", "7"],
    ["put", Q, "--priority", "7", "x"],
    ["put", Q, "x", "--priority", "07"],
    ["put", Q, "x", "--priority", "10"],
    ["put", Q, "x", "--priority", "-1"],
    ["put", Q, "x", "--priority", "²"],
    ["put", Q, "x", "--priority", "99999999999999999999"],
    ["put", Q, "x", "--priority"],
    ["put", Q, "x", "--persistent"],
    ["put", Q, "x", "--expiry", "1h"],
    ["put", Q, "x", "--expiry", "unlimited"],
    ["put", Q, "x", "--expiry", "0"],
    ["put", Q, "x", "-q"],
    ["put", Q, "x", "--print-id", "-m", "NOBODY"],
    ["put", Q, "x", "-m", "QM1"],
    ["put", Q, "x", "--qmgr", "QM1"],
    ["put", Q, "x", "-m", "NOBODY"],
    ["put", Q, "x", "-m"],
    ["put", Q, "--", "--priority"],
    ["put", Q, "-"],
    ["put", Q],
    ["put"],
    ["put", "NOWHERE", "x"],
    ["put", f"{Q}@QM1", "x"],
    ["put", "SMALL", "x", "y", "z"],
    ["put", "SHUT", "x"],
    ["get", Q],
    ["get", Q, "-n", "2"],
    ["get", Q, "-n", "0"],
    ["get", Q, "-n", "two"],
    ["get", Q, "-n2"],
    ["get", Q, "--all"],
    ["get", Q, "--all", "-n", "1"],
    ["get", Q, "--wait", "10ms"],
    ["get", Q, "--wait", "soon"],
    ["get", Q, "--wait", "-1"],
    ["get", Q, "-m", "QM1", "-q"],
    ["get", Q, "--output", "raw", "--quiet"],
    ["get", Q, "Q2"],
    ["get", "DEV.QUEUE.2"],
    ["get", "DEV.QUEUE.2", "--wait", "10ms"],
    ["get", "NOWHERE"],
    ["get", "SHUT"],
    ["get"],
    ["-m", "QM1", "put", Q, "x"],
    ["--qmgr", "QM1", "-q", "put", Q, "x", "--priority", "7"],
    ["-m", "NOBODY", "put", Q, "x", "-m", "QM1"],
    ["-m", "NOBODY", "put", Q, "x"],
    ["-m", "", "put", Q, "x"],
    ["-m", "put", Q, "x"],
    ["-o", "json", "-m", "NOBODY", "put", Q, "x"],
    ["put", "NOWHERE", "x", "-o", "json"],
    ["-o", "nonsense", "put", Q, "x"],
    ["-m", "QM1", "get", Q],
    ["get", Q, "-o", "hex"],
    ["-o", "nonsense", "get", Q],
    ["-m", "QM1", "qdepth", Q, "--count"],
    ["-o", "nonsense", "qdepth", Q],
    ["tui"],
    ["tui", Q, "-m", "QM1"],
    ["tui", "NOWHERE"],
    ["tui", Q, "-m", "NOBODY"],
    ["tui", Q, "-o", "json"],
    ["tui", Q, "Q2"],
    ["qdepth", "NOWHERE", "-o", "jsonl"],
    ["--priority", "7", "put", Q, "x"],
    ["browse", Q],
    ["browse", Q, "-n", "2", "-o", "raw"],
    ["browse", Q, "-n", "0"],
    ["browse", Q, "-n", "two"],
    ["browse", Q, "--all-states"],
    ["browse", Q, Q],
    ["browse", "NOWHERE"],
    ["browse", "SHUT"],
    ["browse", "SHUT", "--all-states"],
    ["-m", "NOBODY", "browse", Q],
    ["-m", "QM1", "browse", "DEV.QUEUE.2"],
    ["-m", "QM1"],
    ["qdepth"],
    ["qdepth", Q],
    ["qdepth", Q, "--count"],
    ["qdepth", "*", "--count", "-q"],
    ["qdepth", "NOWHERE"],
    ["qdepth", "NO*"],
    ["qdepth", Q, "-m", "NOBODY"],
]


@pytest.fixture
def two_homes(qm, mqx, define, tmp_path):
    """Two folders of queue managers with the same content."""
    define("SMALL", max_q_depth=2)
    define("SHUT", inhibit_put=1, inhibit_get=1)
    mqx("put", Q, "a", "b", "c", check=True)
    connect(qm).disconnect()
    shutil.copytree(tmp_path / "qmgrs", tmp_path / "others")
    return tmp_path / "qmgrs", tmp_path / "others"


def messages(home):
    with sqlite3.connect(home / "QM1.db") as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("select * from messages order by seq")]
        depths = database.execute("select queue_id, depth, uncommitted, waiters from queue_status").fetchall()
        holders = database.execute("select count(*) from holders").fetchone()[0]
    database.close()
    kept = [{name: value for name, value in row.items() if name not in CHANGING} for row in rows]
    expiring = [row["expires_at"] is not None and row["expires_at"] - row["put_at"] for row in rows]
    return kept, expiring, [tuple(row) for row in depths], holders


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_both_ways_agree(two_homes, mqx, line):
    plain = mqx(*line, stdin=b"from stdin", MQX_HOME=str(two_homes[0]))
    through_the_parser = mqx("--color", "never", *line, stdin=b"from stdin", MQX_HOME=str(two_homes[1]))
    assert plain.status == through_the_parser.status
    assert plain.err.replace(str(two_homes[0]), "") == through_the_parser.err.replace(str(two_homes[1]), "")
    assert messages(two_homes[0]) == messages(two_homes[1])
    if "qdepth" not in line or "--count" in line:
        assert plain.out == through_the_parser.out
    else:
        assert plain.out.count(b"\t") == through_the_parser.out.count(b"\t")


def test_both_ways_print_ids(two_homes, mqx):
    plain = mqx("put", Q, "x", "y", "--print-id", MQX_HOME=str(two_homes[0]), check=True)
    other = mqx("put", Q, "x", "y", "--print-id", "--color", "never", MQX_HOME=str(two_homes[1]), check=True)
    assert [len(line) for line in plain.out.splitlines()] == [len(line) for line in other.out.splitlines()] == [48, 48]


def test_each_plain_option_of_each_command_is_tried_both_ways():
    plain = import_module("mqtools.commands._plain")
    for command, options in plain.OPTIONS.items():
        tried = {word for line in LINES if command in line for word in line}
        assert tried >= options.keys()
    assert {word for line in LINES for word in line} >= plain.GENERAL.keys()


def test_examples_of_the_help_lose_their_comments_on_a_narrow_terminal(mqx):
    lines = mqx("--help", COLUMNS="44", check=True).out.decode().splitlines()
    assert "  mqx qmgr create QM1 --dev" in lines
    assert max(map(len, lines)) <= 44

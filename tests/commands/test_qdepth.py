"""``mqx qdepth``: rows, numbers, thresholds and metrics; and how every command finds its queue manager."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pexpect
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_metrics

from mqtools.admin import depths, queue_managers
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.mqi.connection import connect
from mqtools.mqi.identity import now_ms

Q = "DEV.QUEUE.1"
NAMES = ["DEV.DEAD.LETTER.QUEUE", "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
KEYS = [
    "name",
    "depth",
    "max_depth",
    "percent_full",
    "oldest_age_s",
    "uncommitted",
    "locked",
    "open_input",
    "open_output",
    "last_put",
    "last_get",
    "oldest_lock_s",
    "oldest_uow_s",
    "without_lease",
]


def rows(mqx, *words):
    return json.loads(mqx("qdepth", *words, "-o", "json", check=True).out)


def test_a_row_a_queue_in_the_order_of_names(qm, mqx):
    assert [row["name"] for row in rows(mqx)] == NAMES
    assert [list(row) for row in rows(mqx)] == [KEYS] * 4


def test_plain_has_the_same_cells_separated_by_tabs(qm, mqx):
    mqx("put", Q, "x", check=True)
    lines = [line.split("\t") for line in mqx("qdepth", check=True).out.decode().splitlines()]
    assert [cells[0] for cells in lines] == NAMES
    assert {len(cells) for cells in lines} == {len(KEYS) - 3}
    assert lines[1][1:5] == ["1", "5000", "0.0", "0"]


@pytest.mark.conformance("BEY-39")
def test_uncommitted_puts_count_and_uncommitted_gets_do_not(qm, mqx):
    mqx("put", Q, "a", "b", "c", check=True)
    mqx("put", Q, "d", "--confirm-id", "1", check=True)
    mqx("get", Q, "--confirm-id", "2", check=True)
    (row,) = rows(mqx, Q)
    assert (row["depth"], row["uncommitted"]) == (3, 2)


@pytest.mark.parametrize(
    ("commands", "locked", "ages"),
    [
        ([["put", Q, "a"]], 0, (None, None)),
        ([["put", Q, "a", "--confirm-id", "1"]], 0, (None, 0)),
        ([["put", Q, "a"], ["get", Q, "--confirm-id", "1"]], 0, (None, 0)),
        ([["put", Q, "a", "b"], ["lock", Q]], 2, (0, None)),
    ],
    ids=["unlocked", "put unconfirmed", "get unconfirmed", "locked"],
)
def test_the_oldest_message_counts_whatever_its_state(qm, mqx, commands, locked, ages):
    for words in commands:
        mqx(*words, check=True)
    (row,) = rows(mqx, Q)
    assert (row["locked"], row["oldest_lock_s"], row["oldest_uow_s"]) == (locked, *ages)
    assert row["oldest_age_s"] == 0
    mqx("qdepth", Q, "--max-age", "0.001s", "-o", "nagios").ended(2)
    metrics = mqx("qdepth", Q, "-o", "openmetrics", check=True).out.decode()
    assert f'mqx_queue_locked{{qmgr="QM1",queue="{Q}"}} {locked}\n' in metrics
    for name, age in zip(("lock", "uow"), ages, strict=True):
        assert (f"mqx_queue_oldest_{name}_seconds{{" in metrics) == (age is not None)


def test_ids_without_a_lease_are_counted(qm, mqx):
    mqx("put", Q, *"abcd", check=True)
    for words in (["get", "--confirm-id", "1"], ["lock", "-n", "1", "--lease", "never"]):
        mqx(words[0], Q, *words[1:], check=True)
    mqx("get", Q, "--confirm-id", "2", "--lease", "1h", check=True)
    mqx("lock", Q, check=True)
    assert rows(mqx, Q)[0]["without_lease"] == 2


def test_a_lock_that_ended_does_not_count(qm, mqx):
    mqx("put", Q, "a", "b", check=True)
    lock_id = json.loads(mqx("lock", Q, "-o", "json", check=True).out)[0]["lock_id"]
    mqx("get", Q, "--lock-id", lock_id, check=True)
    assert rows(mqx, Q)[0]["locked"] == 1
    mqx("unlock", Q, "--lock-id", lock_id, check=True)
    (row,) = rows(mqx, Q)
    assert (row["depth"], row["locked"], row["oldest_lock_s"]) == (1, 0, None)


def test_the_oldest_unit_of_work_of_a_connection_began_with_its_first_message(qm, mqx, monkeypatch):
    def age() -> object:
        return depths.depths(connection, [Q])[0]["oldest_uow_s"]

    mqx("put", Q, "a", "b", check=True)
    with connect(qm) as connection:
        handle = connection.open(Q, MQOO_INPUT_SHARED)
        handle.get(MQGMO_SYNCPOINT)
        assert 0 <= age() < 60
        connection.commit()
        assert age() is None
        for life in Path(f"{qm}-run").glob("life-*"):
            os.utime(life, (0, 0))
        handle.get(MQGMO_SYNCPOINT)
        assert 0 <= age() < 60
        now = now_ms()
        monkeypatch.setattr(depths, "now_ms", lambda: now + 3_600_000)
        assert 3600 <= age() < 3660


def test_last_put_and_get_are_times_and_the_oldest_has_an_age(qm, mqx):
    mqx("put", Q, "a", "b", check=True)
    mqx("get", Q, check=True)
    (row,) = rows(mqx, Q)
    assert row["last_put"].endswith("Z")
    assert row["last_put"] <= row["last_get"]
    assert row["oldest_age_s"] in range(60)
    (empty,) = rows(mqx, "DEV.QUEUE.2")
    assert (empty["last_put"], empty["last_get"], empty["oldest_age_s"]) == (None, None, None)


def test_open_handles_are_counted_while_their_process_lives(qm, mqx, start, eventually):
    process = start("get", Q, "--follow")
    eventually(lambda: rows(mqx, Q)[0]["open_input"] == 1)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert rows(mqx, Q)[0]["open_input"] == 0


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["DEV.QUEUE.*"], NAMES[1:]),
        (["*DEAD*"], NAMES[:1]),
        (["*"], NAMES),
        ([Q, "*.3"], [Q, "DEV.QUEUE.3"]),
        (["DEV.QUEUE.2", "DEV.QUEUE.*"], NAMES[1:]),
        (["*.1*"], [Q]),
    ],
)
def test_patterns(qm, mqx, patterns, expected):
    assert [row["name"] for row in rows(mqx, *patterns)] == expected


@pytest.mark.parametrize("pattern", ["DEV.QUEUE.11", "NO*", "DEV.QUEUE"])
def test_a_name_without_a_queue_is_5(qm, mqx, pattern):
    assert mqx("qdepth", pattern).status == 5


def test_a_wrong_name_gets_a_suggestion(qm, mqx):
    assert "did you mean" in mqx("qdepth", "DEV.QUEUE.11").err


def test_count_is_the_number_alone(qm, mqx):
    mqx("put", Q, "a", "b", check=True)
    assert mqx("qdepth", Q, "--count", check=True).out == b"2\n"


@pytest.mark.parametrize("words", [["DEV.QUEUE.*"], [Q, "DEV.QUEUE.2", "DEV.QUEUE.3"], [Q, "DEV.QUEUE.*"]])
def test_count_of_several_queues_names_them(qm, mqx, words):
    mqx("put", Q, "a", "b", check=True)
    assert mqx("qdepth", *words, "--count", check=True).out == f"{Q}\t2\nDEV.QUEUE.2\t0\nDEV.QUEUE.3\t0\n".encode()
    expected = [{"name": Q, "depth": 2}, {"name": "DEV.QUEUE.2", "depth": 0}, {"name": "DEV.QUEUE.3", "depth": 0}]
    assert rows(mqx, *words, "--count") == expected


def test_count_of_a_pattern_names_what_it_finds_however_many_that_are(qm, mqx):
    assert mqx("qdepth", "*.3", "--count", check=True).out == b"DEV.QUEUE.3\t0\n"
    assert mqx("qdepth", Q, "--count", "-o", "json", check=True).out == b"0\n"


@pytest.fixture
def half_full(qm, mqx, define):
    """A queue of four with two messages."""
    define("FOUR", max_q_depth=4)
    mqx("put", "FOUR", "a", "b", check=True)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--warn", "60%"], 0),
        (["--warn", "50%"], 1),
        (["--warn", "50"], 1),
        (["--crit", "50%"], 2),
        (["--warn", "10%", "--crit", "50%"], 2),
        (["--warn", "10%", "--crit", "90%"], 1),
        (["--max-age", "1h"], 0),
    ],
)
def test_thresholds_give_the_status_of_a_monitoring_plug_in(half_full, mqx, options, status):
    assert mqx("qdepth", "FOUR", *options).status == status


def test_an_old_message_is_critical(half_full, qm, mqx):
    import sqlite3

    with sqlite3.connect(qm) as database:
        database.execute("update messages set put_at = put_at - 700000")
    database.close()
    assert mqx("qdepth", "FOUR", "--max-age", "10m").status == 2
    assert mqx("qdepth", "FOUR", "--max-age", "12m").status == 0


@pytest.mark.parametrize(("max_age", "status"), [("1500ms", 2), ("1s", 2), ("5m", 0)])
def test_ages_are_compared_in_milliseconds_and_shown_in_seconds(half_full, qm, mqx, max_age, status):
    import sqlite3
    import time

    with sqlite3.connect(qm) as database:  # 1.7 s, which is no whole number of seconds more than 1
        database.execute("update messages set put_at = ?", (int(time.time() * 1000) - 1700,))
    database.close()
    done = mqx("qdepth", "FOUR", "--max-age", max_age, "-o", "json").ended(status)
    assert type(json.loads(done.out)[0]["oldest_age_s"]) is int


def test_the_worst_queue_decides(half_full, mqx):
    assert mqx("qdepth", "*", "--warn", "50%").status == 1


def test_thresholds_still_show_the_rows(half_full, mqx):
    assert mqx("qdepth", "FOUR", "--warn", "50%").out.startswith(b"FOUR\t2\t4\t50.0\t")
    assert mqx("qdepth", "FOUR", "--warn", "50%", "--count").out == b"2\n"


@pytest.mark.parametrize(
    ("options", "status", "line"),
    [
        (["--warn", "50%"], 1, "MQX WARNING: FOUR 50.0 % full | 'FOUR'=2;2;;0;4\n"),
        (["--warn", "10%", "--crit", "50%"], 2, "MQX CRITICAL: FOUR 50.0 % full | 'FOUR'=2;0.4;2;0;4\n"),
        (["--max-depth", "1"], 2, "MQX CRITICAL: FOUR has 2 messages | 'FOUR'=2;;1;0;4\n"),
        (["--max-depth", "1", "--crit", "90%"], 2, "MQX CRITICAL: FOUR has 2 messages | 'FOUR'=2;;1;0;4\n"),
        (["--max-depth", "2"], 0, "MQX OK: 1 queue, 2 messages | 'FOUR'=2;;2;0;4\n"),
    ],
)
def test_a_line_for_nagios_says_what_exceeds_a_limit(half_full, mqx, options, status, line):
    done = mqx("qdepth", "FOUR", *options, "-o", "nagios")
    assert (done.status, done.out.decode()) == (status, line)
    done = mqx("qdepth", "FOUR", *options)
    assert (done.status, done.out.decode().split("\t")[:2]) == (status, ["FOUR", "2"])
    assert done.err == (line if status else "")


def test_limits_of_large_queues_are_exact_in_the_line_for_nagios(mqx, qm):
    mqx("mqsc", "DEFINE QLOCAL(BIG) MAXDEPTH(999999999)", check=True)
    done = mqx("qdepth", "BIG", "--warn", "50%", "--max-depth", "1234567", "-o", "nagios", check=True)
    assert done.out == b"MQX OK: 1 queue, 0 messages | 'BIG'=0;499999999.5;1234567;0;999999999\n"


def test_the_line_for_nagios_of_what_is_not_there_is_unknown(qm, mqx):
    done = mqx("qdepth", "NOWHERE", "-o", "nagios")
    assert (done.status, done.out) == (3, b"MQX UNKNOWN: queue NOWHERE does not exist\n")


@pytest.mark.parametrize("words", [["NOWHERE"], [Q, "-m", "NOBODY"]])
def test_what_is_not_there_is_unknown_with_thresholds(qm, mqx, words):
    done = mqx("qdepth", *words, "--warn", "50%").ended(3)
    assert done.err.startswith("mqx: qdepth: ")


def test_openmetrics(qm, mqx):
    mqx("put", Q, "x", check=True)
    lines = mqx("qdepth", "-o", "openmetrics", check=True).out.decode().splitlines()
    assert lines[-1] == "# EOF"
    assert 'mqx_queue_depth{qmgr="QM1",queue="DEV.QUEUE.1"} 1' in lines
    (last_put,) = [line for line in lines if line.startswith("mqx_queue_last_put_timestamp_seconds{")]
    assert 1_700_000_000 < float(last_put.split()[-1]) < 5_000_000_000


def test_openmetrics_has_counters_of_queues_with_statistics_and_states_of_channels(qm, mqx):
    mqx("mqsc", f"ALTER QLOCAL({Q}) STATQ(ON)", "DEFINE CHANNEL(A.TO.B) CHLTYPE(RCVR)", check=True)
    mqx("put", Q, "one", "three", check=True)
    mqx("put", "DEV.QUEUE.2", "two", check=True)
    mqx("get", Q, check=True)
    families = parse_metrics(mqx("qdepth", "-o", "openmetrics", check=True).out.decode())
    found = {family.name: {each.labels.get("queue"): each.value for each in family.samples} for family in families}
    assert {name: found[f"mqx_queue_{name}"][Q] for name in ("puts", "gets", "put_bytes", "get_bytes")} == {
        "puts": 2, "gets": 1, "put_bytes": 8, "get_bytes": 3,
    }  # fmt: skip
    assert list(found["mqx_queue_puts"]) == [Q]
    assert (found["mqx_queue_arrivals"][Q], found["mqx_queue_arrivals"]["DEV.QUEUE.2"]) == (2, 1)
    families = parse_metrics(mqx("qdepth", "-o", "openmetrics", check=True).out.decode())
    (states,) = (family for family in families if family.name == "mqx_channel_state")
    states = {each.labels["channel"]: each.labels["state"] for each in states.samples if each.value}
    assert states["A.TO.B"] == "inactive"


@pytest.mark.parametrize("output", ["table", "csv", "jsonl"])
def test_the_other_formats_have_a_line_a_queue(qm, mqx, output):
    lines = mqx("qdepth", "-o", output, check=True).out.decode().splitlines()
    assert len(lines) == 4 + (output != "jsonl")
    assert all(name in "\n".join(lines) for name in NAMES)


@pytest.mark.parametrize("output", ["raw", "dump", "yaml"])
def test_a_format_that_is_none_of_its_own_is_2(qm, mqx, output):
    assert mqx("qdepth", "-o", output).status == 2


def test_watch_shows_it_again_until_interrupted(qm, mqx, start):
    process = start("qdepth", Q, "--count", "--watch", "20ms")
    assert process.stdout.readline() == b"0\n"
    mqx("put", Q, "x", check=True)
    while process.stdout.readline() != b"1\n":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr.read() == b""


@pytest.fixture
def terminal(mqx_path, environment):
    """Run a command on a terminal of 30 lines and 100 columns: ``terminal("qdepth")``."""
    children = []

    def begin(*words, **extra):
        child = pexpect.spawn(
            mqx_path, list(words), env={**environment, "TERM": "xterm", **extra}, dimensions=(30, 100), timeout=60
        )
        children.append(child)
        return child

    yield begin
    for child in children:
        child.close(force=True)


def test_watch_draws_over_itself_on_a_terminal(qm, mqx, define, terminal):
    child = terminal("qdepth", "--watch", "20ms")
    child.expect_exact("\x1b[2J\x1b[H")
    child.expect("QUEUE.*DEV.QUEUE.3[^\n]*\x1b\\[K\r\n\x1b\\[J\x1b\\[H.*QUEUE")
    mqx("put", Q, "a", "b", check=True)
    child.expect("DEV.QUEUE.1 +2 +5000")
    for number in range(40):
        define(f"MANY.{number}")
    child.expect("\x1b\\[H(?:[^\n]*\n){28}17 more lines\x1b\\[K\r\n\x1b\\[J")
    child.kill(signal.SIGINT)
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


@pytest.mark.parametrize(
    ("words", "extra"), [((), {"TERM": "dumb"}), (("-o", "json"), {}), (("-o", "json", "--count"), {})]
)
def test_watch_does_not_draw_where_that_makes_no_sense(qm, terminal, words, extra):
    child = terminal("qdepth", "--watch", "20ms", *words, **extra)
    child.expect("DEV.QUEUE.3.*DEV.QUEUE.3")
    assert b"\x1b[H" not in child.before + child.after


@pytest.mark.parametrize(
    "options",
    [
        ["--watch", "0"],
        ["--watch", "1s", "--warn", "5%"],
        ["--watch", "1s", "-o", "nagios"],
        ["--warn", "101%"],
        ["--max-depth", "-1"],
        ["-o", "nagios", "--count"],
    ],
)
def test_options_that_make_no_sense_are_2(qm, mqx, options):
    assert mqx("qdepth", *options).status == 2


def test_an_ended_queue_manager_is_shown(qm, mqx):
    mqx("put", Q, "x", "--persistent", check=True)
    queue_managers.end(qm)
    assert mqx("qdepth", Q, "--count", check=True).out == b"1\n"


# -- finding the queue manager -----------------------------------------------------------------------------


def test_a_file_that_is_no_queue_manager_is_10(qm, mqx, tmp_path):
    (tmp_path / "other.db").write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    done = mqx("qdepth", "-m", str(tmp_path / "other.db")).ended(10)
    assert "Traceback" not in done.err


def test_columns_and_order_are_chosen(inline, qm, define):
    define("A.LONG", max_q_depth=2)
    inline("put", "DEV.QUEUE.2", "1", "2", check=True)
    inline("put", "A.LONG", "1", check=True)
    chosen = ("--columns", "name,depth", "--sort")
    assert inline("qdepth", *chosen, "-depth").out.splitlines()[:2] == [b"DEV.QUEUE.2\t2", b"A.LONG\t1"]
    assert inline("qdepth", *chosen, "depth", "A*", "*2").out == b"A.LONG\t1\nDEV.QUEUE.2\t2\n"
    fullest = inline("qdepth", "--columns", "NAME", "--sort", "-full", "-o", "jsonl").out.splitlines()[0]
    assert json.loads(fullest) == {"name": "A.LONG"}
    oldest = inline("qdepth", "--sort", "-oldest", "--columns", "name").out.split()
    assert set(oldest[:2]) == {b"DEV.QUEUE.2", b"A.LONG"}, "queues without a message are last"
    assert inline("qdepth", "--count", "--sort", "-depth").out.startswith(b"DEV.QUEUE.2\t2\nA.LONG\t1\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--columns", "name,dept"), "no column 'dept'; did you mean depth?"),
        (("--sort", "-colour"), "no column 'colour'; name, depth"),
        (("--columns", "name", "--count"), "--count cannot be combined with --columns"),
        (("--columns", "name", "-o", "openmetrics"), "--columns cannot be combined with -o openmetrics"),
    ],
)
def test_a_column_that_is_none_is_a_usage_error(inline, qm, words, said):
    done = inline("qdepth", *words)
    assert (done.status, done.out) == (2, b"")
    assert said in done.err


def test_system_queues_are_shown_only_when_asked_for(qm, mqx):
    mqx("put", "SYSTEM.DEFAULT.LOCAL.QUEUE", "x", check=True)
    mqx("mqsc", "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)", check=True)
    mqx("put", "SYSTEM.DEAD.LETTER.QUEUE", "x", check=True)
    for pattern in ([], ["*"], ["*.QUEUE"]):
        assert b"SYSTEM.DEFAULT" not in mqx("qdepth", *pattern, check=True).out
        assert b"SYSTEM.DEAD.LETTER.QUEUE" in mqx("qdepth", *pattern, check=True).out
    for asks in (["--all"], ["SYSTEM.*"]):
        shown = mqx("qdepth", *asks, "--count", check=True).out.splitlines()
        assert {b"SYSTEM.DEFAULT.LOCAL.QUEUE\t1", b"SYSTEM.ADMIN.QMGR.EVENT\t0"} <= set(shown)
    assert mqx("qdepth", "SYSTEM.ADMIN.QMGR.EVENT", "--count").out == b"0\n"

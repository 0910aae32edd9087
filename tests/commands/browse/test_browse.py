"""``mqx browse``: what it shows in every format, and that it changes nothing."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3

import pytest

from mqtools.admin import queue_managers
from mqtools.message import MQMD

from ..burial import DLQ, TO, bury

Q = "DEV.QUEUE.1"

#: Keys of the JSON form, in their order; the last ones hold the data.
ENVELOPE = ["mqx", "qmgr", "queue", "state", "lock_id", "md", "properties", "headers", "data_length"]


def content(path):
    """Every row of every table of a queue manager."""
    with sqlite3.connect(path) as database:
        tables = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
        rows = {table: database.execute(f"select * from {table}").fetchall() for table in sorted(tables)}
    database.close()
    return rows


OUTPUTS = ("raw", "jsonl", "json", "table", "plain", "csv", "hex", "listing")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("options", [[], ["--all-states"], ["--grep", "b"]])
@pytest.mark.conformance("BROWSE-02")
def test_nothing_changes(abc, qm, mqx, output, options):
    before = content(qm)
    assert mqx("browse", Q, "-o", output, *options, check=True).out
    assert content(qm) == before


def test_the_json_form_has_the_keys_of_the_contract(qm, mqx):
    mqx("put", Q, "hello", "--property", "colour=red", check=True)
    shown = json.loads(mqx("browse", Q, "-o", "jsonl", check=True).out)
    assert list(shown) == [*ENVELOPE, "data"]
    assert list(shown["md"]) == [*MQMD.__slots__]
    assert (shown["mqx"], shown["qmgr"], shown["queue"], shown["state"]) == (1, "QM1", Q, "unlocked")
    assert (shown["data"], shown["data_length"], shown["lock_id"]) == ("hello", 5, None)
    assert shown["md"]["msg_type"] == "MQMT_DATAGRAM"
    assert shown["md"]["report"] == ["MQRO_NONE"]
    assert shown["md"]["correl_id"] == "00" * 24


def test_bytes_that_are_no_text_are_base64_with_the_readable_body(qm, mqx):
    mqx("put", Q, stdin=b"\xff\0", check=True)
    shown = json.loads(mqx("browse", Q, "-o", "jsonl", check=True).out)
    assert list(shown) == [*ENVELOPE, "data_b64", "body"]
    assert shown["data_b64"] == "/wA="


def test_json_is_one_array_also_for_one_message_and_for_none(qm, mqx):
    assert mqx("browse", Q, "-o", "json")[:2] == (3, b"[]\n")
    mqx("put", Q, "x", check=True)
    assert len(json.loads(mqx("browse", Q, "-o", "json").out)) == 1


def test_an_empty_queue_is_3_and_silent(qm, mqx):
    assert mqx("browse", Q) == (3, b"", "")


def test_plain_lines_all_have_the_same_cells_whatever_the_states(abc, mqx):
    mqx("lock", Q, "-n", "1", check=True)
    mqx("put", Q, "d", "--confirm-id", "3", check=True)
    lines = mqx("browse", Q, "--all-states", check=True).out.decode().splitlines()
    assert [line.split("\t")[1] for line in lines] == ["locked_for_browse", "unlocked", "unlocked", "put_unconfirmed"]
    assert {line.count("\t") for line in lines} == {8}


def test_all_states_gives_the_lock_id_in_json(abc, mqx):
    lock_id = mqx("lock", Q, "-n", "1", "--print-id", check=True).out.decode().strip()
    states = mqx("browse", Q, "--all-states", "-o", "jsonl").rows
    assert [(one["state"], one["lock_id"]) for one in states] == [
        ("locked_for_browse", lock_id),
        ("unlocked", None),
        ("unlocked", None),
    ]


@pytest.mark.conformance("LOCK-01")
def test_what_no_other_program_could_get_is_not_shown(abc, mqx):
    mqx("lock", Q, "-n", "1", check=True)
    mqx("get", Q, "--confirm-id", "1", check=True)
    mqx("put", Q, "d", "--confirm-id", "2", check=True)
    assert mqx("browse", Q, "-o", "raw", check=True).out == b"c\n"


@pytest.mark.conformance("BEY-30")
def test_what_has_expired_is_not_shown(qm, mqx, eventually):
    mqx("put", Q, "gone", "--expiry", "100ms", check=True)
    mqx("put", Q, "there", check=True)
    eventually(lambda: mqx("browse", Q, "-o", "raw").out == b"there\n")


def test_what_a_dead_process_has_got_is_shown_again(abc, mqx, start, eventually, lying_on):
    process = start("get", Q, "--exec", "sleep 600")
    eventually(lambda: [row["state"] for row in lying_on(Q)] == [3, 1, 1])
    assert mqx("browse", Q, "-o", "raw").out == b"b\nc\n"
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert mqx("browse", Q, "-o", "raw").out == b"a\nb\nc\n"


def test_rows_tell_the_length_of_the_message_and_not_of_what_they_show(qm, mqx):
    mqx("put", Q, stdin="é".encode() * 5000, check=True)
    for output in ("plain", "csv", "table"):
        last = mqx("browse", Q, "-o", output, check=True).out.decode().splitlines()[-1]
        assert "10000" in last
        assert "é" * 60 in last
        assert "é" * 61 not in last


def test_a_row_is_one_line_however_many_the_data_has(qm, mqx):
    mqx("put", Q, stdin=b"one\ntwo\tthree\r\n", check=True)
    assert mqx("browse", Q, "-o", "plain", check=True).out.decode().count("\n") == 1


def test_a_row_of_a_report_says_what_it_reports(qm, mqx):
    mqx("put", Q, "x", "--type", "report", "--feedback", "MQRC_Q_FULL", check=True)
    mqx("put", Q, "x", "--type", "report", "--feedback", "cod", check=True)
    kinds = [line.split("\t")[3] for line in mqx("browse", Q, check=True).out.decode().splitlines()]
    assert kinds == ["report MQRC_Q_FULL", "report MQFB_COD"]


def test_csv_quotes_and_disarms_formulas(qm, mqx):
    mqx("put", Q, '=1+1,"x"', check=True)
    (row,) = csv.DictReader(io.StringIO(mqx("browse", Q, "-o", "csv", check=True).out.decode()))
    assert row["data"] == '\'=1+1,"x"'


def test_a_table_never_cuts_an_id_when_piped(abc, mqx):
    lines = mqx("browse", Q, "-o", "table", check=True, COLUMNS="40").out.decode().splitlines()
    assert all(len(line.split()[0]) == 48 for line in lines[1:])


@pytest.mark.parametrize("output", OUTPUTS)
def test_colour_is_only_in_tables_and_only_when_asked_for(abc, mqx, output):
    assert b"\x1b" not in mqx("browse", Q, "-o", output, check=True).out
    forced = mqx("browse", Q, "-o", output, check=True, FORCE_COLOR="1").out
    assert (b"\x1b[" in forced) == (output == "table")
    assert b"\x1b" not in mqx("browse", Q, "-o", output, check=True, FORCE_COLOR="1", NO_COLOR="1").out
    always = mqx("browse", Q, "-o", output, "--color", "always", check=True, NO_COLOR="1").out
    assert (b"\x1b[" in always) == (output == "table")
    assert b"\x1b" not in mqx("browse", Q, "-o", output, "--color", "never", check=True, FORCE_COLOR="1").out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-n", "2"], b"a\nb\n"),
        (["-n", "2", "-0"], b"a\0b\0"),
        (["-n", "2", "--separator", "--"], b"a--b--"),
        (["--pos", "2..9"], b"b\nc\n"),
        (["--grep", "c"], b"c\n"),
        (["--where", "Root.MQMD.Priority = 0", "-n", "1"], b"a"),
        (["--newer", "1h"], b"a\nb\nc\n"),
    ],
)
def test_selection(abc, mqx, options, expected):
    assert mqx("browse", Q, "-o", "raw", *options, check=True).out == expected


def test_more_messages_than_a_page(qm, mqx):
    lines = b"".join(b"%d\n" % n for n in range(200))
    mqx("put", Q, "--lines", stdin=lines, check=True)
    assert mqx("browse", Q, "-o", "raw", check=True).out == lines


def test_an_inhibited_queue_is_8_and_all_states_reads_it(abc, mqx, define):
    define(Q, inhibit_get=1)
    mqx("browse", Q).ended(8, "--all-states")
    assert mqx("browse", Q, "--all-states", "-o", "raw", check=True).out == b"a\nb\nc\n"


def test_an_ended_queue_manager_can_be_looked_into(abc, qm, mqx):
    mqx("put", Q, "kept", "--persistent", check=True)
    queue_managers.end(qm)
    assert mqx("get", Q).status == 5
    assert mqx("browse", Q, "--grep", "kept", "-o", "raw", check=True).out == b"kept\n"


def test_the_dead_letter_header_is_decoded(qm, mqx, define, browse):
    define("SMALL", max_q_depth=0)
    mqx("put", "SMALL", "order 7", "--dead-letter")
    (dead,) = browse("DEV.DEAD.LETTER.QUEUE")
    (header,) = dead["headers"]
    assert (header["struc_id"], header["reason"], header["dest_q_name"]) == ("DLH", "MQRC_Q_FULL", "SMALL")
    assert dead["body"] == "order 7"


def test_a_dead_letter_shows_why_where_it_was_for_and_its_data(mqx, qm):
    bury(b"pay 100 \xc3\xa4" + b"x" * 500)
    [shown] = mqx("browse", DLQ, "-o", "csv", check=True).out.decode().splitlines()[1:]
    assert f"(MQRC_Q_FULL for {TO}) pay 100 äxxx" in shown
    assert "(MQRC_Q_FULL for" in mqx("browse", DLQ, "-o", "table", check=True).out.decode()


def test_the_header_of_a_dead_letter_is_made_visible(mqx, qm):
    bury(b"\x1b[31m", to="A\x1b[31m")
    assert b"\x1b" not in mqx("browse", DLQ, check=True).out


def test_a_dead_letter_with_a_damaged_header_shows_its_bytes(mqx, qm):
    bury(b"pay")
    dump = mqx("unload", DLQ, check=True).out
    mqx("load", "DEV.QUEUE.2", stdin=dump.replace(b"X 444C4820", b"X 584C4820"), check=True)
    assert b"XLH " in mqx("browse", "DEV.QUEUE.2", check=True).out


def test_text_to_look_for_that_is_no_text_is_2(qm, mqx):
    mqx("browse", Q, "--grep", os.fsdecode(b"caf\xe9")).ended(2, "UTF-8")


@pytest.mark.parametrize("options", [[], ["-o", "json"], ["-o", "raw"], ["-o", "table"]], ids=" ".join)
@pytest.mark.parametrize(
    "damage",
    [
        "update messages set data_length = 1000000 where data = cast('damaged' as blob)",
        "delete from message_chunks where number = 1",
    ],
    ids=["length", "chunk"],
)
def test_a_message_without_all_of_its_data_is_said_and_the_others_are_shown(mqx, qm, options, damage):
    mqx("put", Q, "first", "damaged", check=True)
    mqx("put", Q, stdin=b"x" * 600_000, check=True)
    mqx("put", Q, "last", check=True)
    with sqlite3.connect(qm) as database:
        assert database.execute(damage).rowcount == 1
    database.close()
    done = mqx("browse", Q, *options)
    assert b"first" in done.out
    assert b"last" in done.out
    if "delete" in damage and options[-1:] not in (["json"], ["raw"]):
        assert done.status == 0  # the line that is shown needs only what is there
        return
    assert done.status == 10
    assert "MQRC_OBJECT_DAMAGED" in done.err
    assert "should have" in done.err
    if "delete" in damage:
        assert mqx("get", Q, "--all").status == 9


def test_identifiers_can_be_given_as_text(mqx, qm):
    for data, correl_id in ("zeros", b"ORDER-1"), ("blanks", b"ORDER-1".ljust(24)), ("another", b"ORDER-10"):
        mqx("put", Q, data, "--correl-id", correl_id.hex(), check=True)
    assert mqx("browse", Q, "--correl-id", "text:ORDER-1", "-o", "raw", check=True).out == b"zeros\nblanks\n"
    assert mqx("browse", Q, "--correl-id", "text:ORDER-1", "--msg-id", "text:ORDER-1").status == 3
    assert mqx("browse", Q, "--correl-id", "text:").status == 2


@pytest.mark.parametrize(
    "words",
    [
        "--grep a --grep b",
        "--grep-hex 61 --grep-hex 62",
        "--where TRUE --where FALSE",
        "--pos 1 --pos 2",
        "--older 1d --older 0s",
        "--newer 0s --newer 1d",
        "--reason 1 --reason 2",
        "--ids - --ids /dev/null",
    ],
)
def test_an_option_that_narrows_is_given_once(mqx, qm, words):
    """The last one alone would count, and mean more than was meant."""
    mqx("put", Q, "b", check=True)
    done = mqx("delete", Q, *words.split(), "--yes")
    assert (done.status, mqx("qdepth", Q, "--count").out) == (2, b"1\n")
    assert done.err.startswith("mqx: delete: --")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--not-grep", "red"), b"Blue car\nGREEN car\n"),
        (("--not-grep", "red", "--not-grep", "Blue"), b"GREEN car\n"),
        (("--not-grep", "green", "-i"), b"red car\nBlue car\n"),
        (("--not-grep", "car"), b""),
        (("--grep", "car", "--not-grep", "Blue", "--pos", "1..2"), b"red car\n"),
        (("--not-grep-hex", "726564"), b"Blue car\nGREEN car\n"),
        (("--not-grep-hex", "726564", "--not-grep-hex", "47", "--grep-hex", "20"), b"Blue car\n"),
    ],
)
def test_what_is_not_in_the_data_selects_too(mqx, qm, words, found):
    mqx("put", Q, "red car", "Blue car", "GREEN car", check=True)
    assert mqx("browse", Q, *words, "-o", "raw").out == found


def test_text_of_another_character_set_is_told_apart_too(mqx, qm):
    for word in ("red", "blue"):
        mqx("put", Q, "--ccsid", "500", "--format", "MQSTR", stdin=word.encode("cp500"), check=True)
    assert mqx("browse", Q, "--not-grep", "red", "-o", "raw", check=True).out == "blue".encode("cp500") + b"\n"


@pytest.mark.parametrize("words", [("--not-grep", ""), ("--not-grep-hex", ""), ("--not-grep-hex", "xx")], ids=" ".join)
def test_what_must_not_be_there_is_something(mqx, qm, words):
    assert mqx("browse", Q, *words).status == 2

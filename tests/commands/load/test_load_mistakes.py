"""``mqx load`` of what has mistakes or is refused: each is named with its place."""

from __future__ import annotations

import json

import pytest

from .dumps import BAD, HEADER, dump

Q, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"


def test_a_file_with_mistakes_loads_nothing_and_says_them_all(mqx, qm, file, bodies):
    path = file(BAD)
    done = mqx("load", Q, path)
    assert (done.status, done.out, bodies(Q)) == (2, b"", [])
    lines = done.err.splitlines()
    assert [line.split(": ")[0] for line in lines[:3]] == [f"{path}:9:3", f"{path}:11:3", f"{path}:13:1"]
    assert "MQRC_EXPIRY_ERROR" in lines[2]
    assert lines[3:] == ["3 mistakes; nothing was loaded"]


def test_mistakes_can_be_json(mqx, qm, file):
    path = file(BAD)
    done = mqx("load", Q, path, "-o", "json").ended(2)
    errors = json.loads(done.err)["errors"]
    assert [(each["file"], each["line"], each["column"]) for each in errors] == [
        (path, 9, 3),
        (path, 11, 3),
        (path, 13, 1),
    ]


def test_standard_input_that_is_a_file_is_read_whole_first(mqx, qm, file, bodies, start):
    with open(file(BAD), "rb") as stream:
        process = start("load", Q, "--batch", "1", stdin=stream)
        assert process.wait(60) == 2
    assert b"<stdin>:9:3:" in process.stderr.read()
    assert bodies(Q) == []


def test_a_pipe_is_loaded_unit_by_unit_up_to_a_mistake(mqx, qm, bodies):
    done = mqx("load", Q, "--batch", "2", stdin=dump(b"a", b"b", b"c") + b"A XYZ\nX 41\n" + b"A VER 2\nX 42\n")
    assert (done.status, bodies(Q)) == (9, [b"a", b"b"])
    assert "<stdin>:12:3: there is no attribute 'XYZ'" in done.err
    assert "loaded so far: 2 messages, up to <stdin>:7" in done.err


@pytest.mark.parametrize("batch", ["200", "2000", "all"])
def test_a_pipe_with_a_mistake_in_its_first_unit_loads_nothing(mqx, qm, bodies, batch):
    done = mqx("load", Q, "--batch", batch, stdin=BAD)
    assert (done.status, bodies(Q)) == (2, [])


def test_a_doubtful_value_is_said_and_loaded(mqx, qm, file, browse):
    path = file(HEADER + b"A PRI 3x\nX 41\n")
    done = mqx("load", Q, path, check=True)
    assert f"{path}:3:8: warning: " in done.err
    assert browse(Q)[0]["md"]["priority"] == 3


def test_what_is_no_dump_is_said_once(mqx, qm, file):
    path = file(b"hello\nworld\n")
    done = mqx("load", Q, path).ended(2)
    assert done.err.startswith(f"{path}:1:1: a dump (")


def test_a_file_that_is_not_there_and_a_queue_that_is_not(mqx, qm, file):
    assert mqx("load", Q, "no-such-file").status == 2
    assert mqx("load", "NO.SUCH.Q", file(dump(b"a"))).status == 5


def test_nothing_in_a_file_steers_the_terminal_through_its_mistakes(mqx, qm, file):
    done = mqx("load", Q, file(HEADER + b"A \x1b]5 2\nX 41\n"))
    assert "\x1b" not in done.err


# -- refused puts -------------------------------------------------------------------------------------------


def test_a_full_queue_ends_the_load_behind_the_last_whole_unit(mqx, qm, define, file, bodies):
    define(Q, max_q_depth=3)
    path = file(dump(b"a", b"b", b"c", b"d", b"e"))
    done = mqx("load", Q, path, "--batch", "2")
    assert (done.status, bodies(Q)) == (9, [b"a", b"b"])
    assert f"{path}:12: queue {Q} is full" in done.err
    assert f"loaded so far: 2 messages, up to {path}:7" in done.err
    for batch in ("5", "5000", "all"):
        define(OTHER, max_q_depth=3)
        assert mqx("load", OTHER, path, "--batch", batch).status == 7
        assert bodies(OTHER) == []


@pytest.mark.parametrize("batch", ["all", "1500"])
def test_a_unit_of_more_than_one_transaction_is_loaded_whole_or_not_at_all(mqx, qm, define, file, bodies, batch):
    """What came before the refusal was said to be not loaded, and was there all the same."""
    define(Q, max_q_depth=1200)
    many = dump(*(b"%d" % number for number in range(1400)))
    done = mqx("load", Q, file(many), "--batch", batch)
    assert (done.status, bodies(Q)) == (7, [])
    assert "nothing was loaded" in done.err
    done = mqx("load", OTHER, "--batch", batch, stdin=many + b"A XYZ\nX 41\n")
    assert (done.status, bodies(OTHER)) == (2, [])


def test_a_unit_of_more_than_one_transaction_ends_at_its_number(mqx, qm, bodies):
    many = dump(*(b"%d" % number for number in range(2500)))
    done = mqx("load", Q, "--batch", "1100", stdin=many + b"A XYZ\nX 41\n")
    assert (done.status, len(bodies(Q))) == (9, 2200)
    assert "loaded so far: 2200 messages" in done.err


def test_a_queue_that_takes_no_puts(mqx, qm, define, file, bodies):
    define(Q, inhibit_put=1)
    assert mqx("load", Q, file(dump(b"a"))).status == 8


def test_warnings_beyond_the_first_hundred_are_counted(mqx, qm, file):
    done = mqx("load", Q, file(HEADER + b"A PRI x\nX 41\n" * 150)).ended(0, "50 more warnings\n")
    assert done.err.count(": warning: ") == 100


def test_an_option_that_only_others_know_is_loaded_with_a_warning(mqx, qm, file):
    mqx("load", Q, file(HEADER + b"A RPT 16\nX 41\n")).ended(4, "MQRC_UNKNOWN_REPORT_OPTION")


def test_a_dry_run_says_what_would_be_and_loads_nothing(mqx, qm, file, define, bodies):
    path = file(dump(b"a", b"b"))
    done = mqx("load", Q, path, "--dry-run", "-o", "json", check=True)
    assert (done.totals, bodies(Q)) == ({"messages": 2, "would_load": 2}, [])
    define(Q, inhibit_put=1)
    assert mqx("load", Q, path, "--dry-run").status == 8
    assert mqx("load", OTHER, file(BAD), "--dry-run").status == 2


def test_unknown_keys_of_json_are_refused_all_of_them_with_their_places(mqx, qm, file, browse):
    path = file(b'{"data":"a"}\n{"dta":"b","md":{"prio":1}}\n{"properties":{"p":{"valu":1}}}\n')
    done = mqx("load", Q, path, "--jsonl").ended(2)
    assert done.err.splitlines() == [
        f"{path}:2:2: dta: a message has no such key; did you mean data?",
        f"{path}:2:18: md.prio: the message descriptor has no such field; did you mean priority?",
        f"{path}:3:21: properties.p.valu: a property has no such key; did you mean value?",
        "3 mistakes; nothing was loaded",
    ]
    assert browse(Q) == []


@pytest.mark.parametrize(("batch", "status", "said"), [("200", 7, "nothing was loaded"), ("1", 9, "2 messages")])
def test_a_load_onto_a_queue_that_fills_says_how_many_were_loaded(mqx, define, batch, status, said):
    define("SMALL", max_q_depth=2)
    done = mqx("load", "SMALL", "--batch", batch, stdin=dump(b"1", b"2", b"3"))
    done.ended(status, "<stdin>:9: queue SMALL is full")
    assert said in done.err.splitlines()[-1]
    assert "nothing would be loaded" in mqx("load", "SMALL", "--dry-run", stdin=dump(b"1", b"2", b"3")).err


def test_all_mistakes_of_a_pipe_are_named(mqx, qm, bodies):
    lines = b'{"data":"a"}\n{"dta":1}\n{"data":"b"}\n{"data":"c","md":{"prio":1}}\n'
    done = mqx("load", Q, "--jsonl", "--batch", "1", stdin=lines)
    assert (done.status, bodies(Q)) == (9, [b"a"])
    assert [line.partition(": ")[0] for line in done.err.splitlines()[:2]] == ["<stdin>:2:2", "<stdin>:4:19"]

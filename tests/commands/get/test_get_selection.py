"""``mqx get`` of some messages: by identifier, place, field and selector."""

from __future__ import annotations

import json

import pytest

Q = "DEV.QUEUE.1"


def ids_of(mqx, *words):
    return mqx("put", Q, *words, "--print-id", check=True).out.decode().split()


def test_selection_by_msg_id_and_by_its_beginning(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    assert mqx("get", Q, "--msg-id", ids[1], check=True).out == b"b"
    assert mqx("get", Q, "--msg-id", ids[2].lower(), check=True).out == b"c"
    assert mqx("get", Q, "--msg-id", ids[0][:-2], check=True).out == b"a"


def test_a_beginning_that_several_ids_have_is_2_and_takes_nothing(abc, mqx, bodies):
    mqx("get", Q, "--msg-id", "41").ended(2, "candidates: ")
    assert len(bodies(Q)) == 3


def test_several_ids_are_got_in_the_order_of_delivery_and_once(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    options = [word for one in (ids[2], ids[0], ids[2]) for word in ("--msg-id", one)]
    assert mqx("get", Q, "--all", *options, check=True).out == b"a\nc\n"


def test_ids_on_stdin(qm, mqx):
    ids = ids_of(mqx, "a", "b", "c")
    assert mqx("get", Q, "--all", "--ids", "-", stdin=f"{ids[0]}\n{ids[2]}\n".encode()).out == b"a\nc\n"


def test_ids_in_a_file(qm, mqx, tmp_path):
    (tmp_path / "ids").write_text("\n".join(ids_of(mqx, "a", "b")) + "\n")
    assert mqx("get", Q, "--all", "--ids", str(tmp_path / "ids")).out == b"a\nb\n"


@pytest.mark.parametrize("stdin", [b"", b"\n"])
def test_no_ids_are_nothing_and_not_everything(abc, mqx, bodies, stdin):
    assert mqx("get", Q, "--all", "--ids", "-", stdin=stdin).status == 3
    assert len(bodies(Q)) == 3


@pytest.mark.parametrize("option", ["--grep", "--where", "--grep-hex", "--pos", "--msg-id"])
def test_an_empty_condition_is_a_mistake_and_not_everything(abc, mqx, bodies, option):
    assert mqx("get", Q, "--all", option, "").status == 2
    assert len(bodies(Q)) == 3


def test_ids_that_are_none_are_a_usage_error(abc, mqx):
    assert mqx("get", Q, "--ids", "-", stdin=b"\xff\xfe").status == 2


def put_selectable(mqx):
    old = {"md": {"put_date": "20200101", "put_time": "00000000", "correl_id": "CC" * 24, "priority": 8}, "data": "old"}
    mqx("put", Q, "--jsonl", "--keep-context", stdin=json.dumps(old).encode(), check=True)
    group = ["--group-id", "AA", "--seq", "1"]
    mqx("put", Q, "new", "--property", "colour=red", "--priority", "5", *group, check=True)
    mqx("put", Q, "New [x] 100%", "--priority", "3", check=True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--correl-id", "CC" * 24], b"old\n"),
        (["--correl-id", "CC"], b"old\n"),
        (["--correl-id", "00" * 24], b"new\nNew [x] 100%\n"),
        (["--group-id", "AA"], b"new\n"),
        (["--pos", "2"], b"new\n"),
        (["--pos", "2..3"], b"new\nNew [x] 100%\n"),
        (["--pos", "2.."], b"new\nNew [x] 100%\n"),
        (["--pos", "..2"], b"old\nnew\n"),
        (["--where", "colour = 'red'"], b"new\n"),
        (["--where", "Root.MQMD.Priority > 4"], b"old\nnew\n"),
        (["--where", "colour IS NULL AND Root.MQMD.Priority < 5"], b"New [x] 100%\n"),
        (["--grep", "[x] 100%"], b"New [x] 100%\n"),
        (["--grep", "new"], b"new\n"),
        (["--grep", "NEW", "-i"], b"new\nNew [x] 100%\n"),
        (["--grep-hex", "6E6577"], b"new\n"),
        (["--older", "1h"], b"old\n"),
        (["--newer", "1h"], b"new\nNew [x] 100%\n"),
        (["--grep", "n", "-i", "--newer", "1h", "--where", "Root.MQMD.Priority = 5"], b"new\n"),
        (["--grep", "nowhere"], b""),
        (["--msg-id", "FF" * 24], b""),
        (["--pos", "9"], b""),
    ],
)
def test_selection(qm, mqx, options, expected):
    put_selectable(mqx)
    done = mqx("get", Q, "--all", *options)
    assert (done.status, done.out) == (0 if expected else 3, expected)


def test_selection_of_dead_letters_by_reason(qm, mqx, define):
    define("SMALL", max_q_depth=0)
    define("SHUT", inhibit_put=1)
    mqx("put", "SMALL", "full", "--dead-letter")
    mqx("put", "SHUT", "shut", "--dead-letter")
    dlq = "DEV.DEAD.LETTER.QUEUE"
    for reason in ("MQRC_PUT_INHIBITED", "PUT_INHIBITED", "2051"):
        assert len(json.loads(mqx("browse", dlq, "-o", "json", "--reason", reason).out)) == 1
    assert mqx("get", dlq, "--reason", "MQRC_Q_FULL", check=True).out.endswith(b"full")
    assert mqx("get", dlq, "--reason", "MQRC_NO_SUCH").status == 2


@pytest.mark.parametrize("places", ["0", "3..1", "a", "1...3", ".."])
def test_places_that_are_none_are_a_usage_error(abc, mqx, bodies, places):
    assert mqx("get", Q, "--all", "--pos", places).status == 2
    assert len(bodies(Q)) == 3


def test_a_selector_that_does_not_parse_shows_where(abc, mqx, bodies):
    done = mqx("get", Q, "--where", "colour = = 'red'").ended(2, "MQRC_SELECTOR_SYNTAX_ERROR 2459")
    lines = done.err.splitlines()
    assert lines[1:3] == ["colour = = 'red'", "         ^"]
    assert len(bodies(Q)) == 3


def test_a_locked_message_is_not_there_and_the_hint_says_who_has_it(qm, mqx):
    (msg_id,) = ids_of(mqx, "a")
    mqx("lock", Q, check=True)
    done = mqx("get", Q, "--msg-id", msg_id)
    assert (done.status, done.out) == (3, b"")
    assert done.err.startswith("hint: 1 message is locked by ")

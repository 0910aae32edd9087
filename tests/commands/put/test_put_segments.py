"""``mqx put --segment``: segments of one message, put together or not at all."""

from __future__ import annotations

import json

import pytest

from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2

Q = "DEV.QUEUE.1"
G = "11" * 24
SEGMENT, LAST_SEGMENT, IN_GROUP, LAST_IN_GROUP = 2, 4, 8, 16


def placed(rows):
    return [(row["offset"], row["msg_flags"], row["data"]) for row in rows]


@pytest.mark.conformance("LOGORD-02")
def test_a_message_is_cut_at_the_size_given(qm, mqx, lying_on):
    mqx("put", Q, "--segment", "4", "abcdefghij", check=True)
    rows = lying_on(Q)
    assert placed(rows) == [(0, SEGMENT, b"abcd"), (4, SEGMENT, b"efgh"), (8, SEGMENT | LAST_SEGMENT, b"ij")]
    assert len({row["group_id"] for row in rows}) == 1
    assert rows[0]["group_id"] is not None
    assert {row["msg_seq_number"] for row in rows} == {1}
    assert [row["original_length"] for row in rows] == [4, 4, 2]


def test_each_message_is_a_logical_message_of_its_own(qm, mqx, lying_on):
    mqx("put", Q, "--segment", "2", "abc", "def", check=True)
    assert len({row["group_id"] for row in lying_on(Q)}) == 2


@pytest.mark.parametrize("data", ["abcd", "a", ""])
def test_a_message_that_is_no_longer_stays_whole(qm, mqx, lying_on, data):
    mqx("put", Q, "--segment", "4", data, check=True)
    (row,) = lying_on(Q)
    assert (row["msg_flags"], row["group_id"], row["data"]) == (0, None, data.encode())


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["--lines"], b"abcdef\nghijkl\n"),
        (["-0"], b"abcdef\0ghijkl"),
        (["--jsonl"], b'{"data":"abcdef"}\n{"data":"ghijkl"}\n'),
        (["abcdef", "ghijkl"], b""),
    ],
    ids=["lines", "null", "jsonl", "arguments"],
)
def test_from_any_source_the_messages_come_back_whole(qm, mqx, bodies, words, stdin):
    mqx("put", Q, "--segment", "4", *words, stdin=stdin, check=True)
    assert bodies(Q) == [b"abcd", b"ef", b"ghij", b"kl"]
    assert mqx("get", Q, "--all", "--complete", check=True).out == b"abcdef\nghijkl\n"


@pytest.mark.conformance("LOGORD-03")
def test_a_message_of_a_group_is_cut_in_its_place(qm, mqx, lying_on):
    mqx("put", Q, "--segment", "2", "--group-id", G, "--seq", "3", "--last", "abc", check=True)
    rows = lying_on(Q)
    assert {(row["group_id"].hex(), row["msg_seq_number"]) for row in rows} == {(G, 3)}
    in_group = IN_GROUP | LAST_IN_GROUP | SEGMENT
    assert placed(rows) == [(0, in_group, b"ab"), (2, in_group | LAST_SEGMENT, b"c")]


def test_one_id_a_message_is_printed_and_it_is_that_of_the_first_segment(qm, mqx, lying_on):
    ids = mqx("put", Q, "--segment", "2", "--print-id", "abc", "def", check=True).out.decode().split()
    rows = lying_on(Q)
    assert ids == [rows[0]["msg_id"].hex().upper(), rows[2]["msg_id"].hex().upper()]
    assert len({row["msg_id"] for row in rows}) == 4


def test_a_message_id_that_is_given_goes_with_the_first_segment(qm, mqx, lying_on):
    mqx("put", Q, "--segment", "2", "--msg-id", G, "abc", check=True)
    first, second = lying_on(Q)
    assert first["msg_id"].hex() == G != second["msg_id"].hex()


class TestAllOrNothing:
    def test_a_message_whose_segments_do_not_all_fit_is_not_put(self, qm, mqx, define, bodies):
        define(Q, max_q_depth=3)
        done = mqx("put", Q, "--segment", "2", "abcd", "efgh", "i")
        assert (done.status, bodies(Q)) == (9, [b"ab", b"cd"])
        assert "put so far: 1 message" in done.err

    def test_of_one_unit_of_work_nothing_is_put(self, qm, mqx, define, bodies):
        define(Q, max_q_depth=3)
        assert mqx("put", Q, "--segment", "2", "--batch", "all", "abcd", "efgh").status == 7
        assert bodies(Q) == []

    def test_one_unit_of_work_holds_them_all(self, qm, mqx, bodies, count_rows):
        mqx("put", Q, "--segment", "2", "--batch", "all", "abcd", "efgh", check=True)
        assert len(bodies(Q)) == 4
        assert count_rows("holders") == 0

    def test_a_segment_is_not_cut_again_and_what_came_before_stays(self, qm, mqx, bodies):
        lines = [{"data": "abcd"}, {"data": "x", "md": {"group_id": G, "msg_flags": SEGMENT}}, {"data": "efgh"}]
        done = mqx("put", Q, "--segment", "2", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
        assert (done.status, bodies(Q)) == (9, [b"ab", b"cd"])
        assert "cannot segment a message that is a segment" in done.err

    def test_a_dry_run_tries_every_segment_and_puts_none(self, qm, mqx, define, bodies):
        done = mqx("put", Q, "--segment", "2", "--dry-run", "abcd", "ef", check=True)
        assert done.err == f"would put 2 messages on {Q}\n"
        define(Q, max_q_depth=2)
        assert mqx("put", Q, "--segment", "2", "--dry-run", "abcdef").status == 7
        assert bodies(Q) == []


@pytest.mark.parametrize("size", ["0", "-1", "x", "1.5"])
def test_a_size_that_cuts_nothing_is_2(qm, mqx, bodies, size):
    assert mqx("put", Q, f"--segment={size}", "abc").status == 2
    assert bodies(Q) == []


@pytest.mark.parametrize("other", [["--confirm-id", "7"], ["--dead-letter"]], ids=["confirm", "dead letter"])
def test_what_takes_one_message_at_a_time_makes_no_sense_with_it(qm, mqx, bodies, other):
    mqx("put", Q, "--segment", "2", *other, "abc").ended(2, "--segment")
    assert bodies(Q) == []


@pytest.mark.conformance("RSEG-06")
def test_headers_stay_with_the_first_segment(qm, mqx, browse):
    header = pack_mqrfh2(MQRFH2(format="MQSTR", coded_char_set_id=1208, folders=["<usr><a>1</a></usr>"]), 546, 1208)
    data = header + b"abcdef"
    words = ["--segment", "4", "--format", "MQHRF2", "--ccsid", "1208", "--encoding", "546"]
    mqx("put", Q, *words, stdin=data, check=True)
    first, second = browse(Q)
    assert (first["md"]["format"], first["body"], first["md"]["original_length"]) == ("MQHRF2", "abcd", 4)
    assert (second["md"]["format"], second["data"], second["md"]["offset"]) == ("MQSTR", "ef", 4)
    assert mqx("get", Q, "--complete", check=True).out == data

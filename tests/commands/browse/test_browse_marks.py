"""``mqx browse --mark`` and ``--unmarked``: how several readers share a queue, and what becomes of the marks."""

from __future__ import annotations

import signal

import pytest

from mqtools.constants import options as mq
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr

Q = "DEV.QUEUE.1"


@pytest.fixture
def markint(qm):
    """Set MARKINT in milliseconds, -1 for no limit."""

    def set_interval(milliseconds):
        with connect(qm) as connection, connection.work() as work:
            alter_qmgr(work, {"msg_mark_browse_interval": milliseconds})

    return set_interval


@pytest.fixture
def abc(qm, mqx, markint):
    """Three messages on the queue, and marks that do not end by themselves."""
    markint(-1)
    mqx("put", Q, "a", "b", "c", check=True)


@pytest.fixture
def shown(mqx):
    """Browse raw: status and data."""

    def browse(*words):
        done = mqx("browse", Q, "-o", "raw", *words)
        return done.status, done.out.decode().split()

    return browse


class TestSharing:
    @pytest.mark.conformance("MARK-27")
    def test_what_one_reader_has_marked_the_next_does_not_see(self, abc, shown):
        assert shown("--mark", "--unmarked", "-n", "2") == (0, ["a", "b"])
        assert shown("--mark", "--unmarked", "-n", "2") == (0, ["c"])
        assert shown("--mark", "--unmarked", "-n", "2") == (3, [])

    def test_unmarked_alone_marks_nothing(self, abc, shown, count_rows):
        assert shown("--unmarked") == (0, ["a", "b", "c"])
        assert shown("--unmarked", "-n", "1") == (0, ["a"])
        assert count_rows("marks") == 0

    def test_a_plain_browse_sees_marked_messages(self, abc, shown):
        shown("--mark")
        assert shown() == (0, ["a", "b", "c"])

    def test_a_get_takes_marked_messages_and_their_marks_go(self, abc, mqx, shown, count_rows):
        shown("--mark")
        assert mqx("get", Q, check=True).out == b"a"
        assert count_rows("marks") == 2
        assert shown("--unmarked") == (3, [])

    def test_what_comes_later_is_unmarked(self, abc, mqx, shown):
        shown("--mark")
        mqx("put", Q, "d", check=True)
        assert shown("--unmarked") == (0, ["d"])

    def test_the_marks_are_those_that_programs_set_and_see(self, abc, qm, shown):
        co_op = mq.MQOO_BROWSE | mq.MQOO_CO_OP
        shown("--mark", "-n", "1")
        with connect(qm) as connection, connection.open(Q, co_op) as handle:
            seen = handle.get(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP)
            assert seen.message.data == b"b"
            assert shown("--unmarked") == (0, ["c"])
        assert shown("--unmarked") == (0, ["b", "c"])  # the mark of a program goes with its handle

    def test_two_readers_at_once_never_see_the_same(self, qm, mqx, markint, start):
        markint(-1)
        mqx("put", Q, "--lines", stdin=b"".join(b"%d\n" % n for n in range(60)), check=True)
        readers = [start("browse", Q, "-o", "raw", "--mark", "--unmarked") for _ in range(3)]
        outputs = [reader.communicate(timeout=60)[0].split() for reader in readers]
        seen = [line for output in outputs for line in output]
        assert sorted(map(int, seen)) == list(range(60))


class TestMarking:
    def test_marks_what_is_selected_and_nothing_else(self, abc, shown):
        assert shown("--mark", "--grep", "b") == (0, ["b"])
        assert shown("--unmarked") == (0, ["a", "c"])

    def test_marks_what_is_shown_and_nothing_more(self, abc, shown, count_rows):
        assert shown("--mark", "-n", "1") == (0, ["a"])
        assert count_rows("marks") == 1

    def test_places_are_those_of_the_whole_queue(self, abc, shown):
        shown("--mark", "--pos", "1")
        assert shown("--unmarked", "--pos", "1") == (3, [])
        assert shown("--unmarked", "--pos", "2..") == (0, ["b", "c"])

    @pytest.mark.conformance("MARK-19")
    def test_marking_again_what_is_marked_is_6(self, abc, mqx, shown):
        shown("--mark")
        done = mqx("browse", Q, "--mark")
        assert (done.status, done.out) == (6, b"")
        assert "MQRC_MSG_MARKED_BROWSE_CO_OP 2200" in done.err
        assert "--unmarked" in done.err

    def test_marking_some_that_are_marked_is_9_and_shows_the_others(self, abc, mqx, shown):
        shown("--mark", "-n", "2")
        done = mqx("browse", Q, "-o", "raw", "--mark")
        assert (done.status, done.out) == (9, b"c\n")
        assert done.err == "1 message marked, 2 skipped: already marked\n"

    @pytest.mark.conformance("MARK-24")
    def test_a_mark_ends_after_the_interval(self, qm, mqx, markint, shown):
        markint(1)
        mqx("put", Q, "a", check=True)
        assert shown("--mark") == (0, ["a"])
        assert shown("--unmarked") == (0, ["a"])
        assert shown("--mark") == (0, ["a"])

    def test_the_message_itself_stays_as_it_is(self, abc, lying_on, shown):
        before = lying_on(Q)
        shown("--mark", "--unmarked")
        assert lying_on(Q) == before

    def test_nothing_but_marks_is_left_behind(self, abc, shown, count_rows):
        shown("--mark")
        assert (count_rows("marks"), count_rows("holders"), count_rows("waiters")) == (3, 0, 0)


class TestWhatWasNotShown:
    def test_to_a_full_disk_is_not_marked(self, abc, start, count_rows):
        with open("/dev/full", "wb") as full:
            assert start("browse", Q, "-o", "raw", "--mark", stdout=full).wait(60) == 10
        assert count_rows("marks") == 0

    @pytest.mark.parametrize("output", ["table", "raw", "jsonl"])
    def test_to_a_reader_that_has_left_is_not_marked(self, abc, start, count_rows, closed_pipe, output):
        assert start("browse", Q, "-o", output, "--mark", "--unmarked", stdout=closed_pipe).wait(60) == 141
        assert count_rows("marks") == 0

    def test_when_it_is_ended_is_not_marked(self, qm, mqx, markint, start, eventually, count_rows):
        markint(-1)
        mqx("put", Q, "--lines", stdin=b"x" * 60_000 + b"\n" + b"y" * 60_000 + b"\n", check=True)
        process = start("browse", Q, "-o", "raw", "--mark")
        eventually(lambda: count_rows("marks") == 2)  # it hangs in the second: nobody reads, the pipe is full
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
        assert count_rows("marks") == 1


class TestFormatsAndMistakes:
    def test_json_lines_are_those_of_a_browse(self, abc, browse):
        marked = browse(Q, "--mark")
        assert marked == browse(Q)

    def test_a_line_of_a_table_has_the_length_of_all_the_data(self, qm, mqx, markint):
        markint(-1)
        mqx("put", Q, "x" * 1000, check=True)
        (line,) = mqx("browse", Q, "--mark", check=True).out.decode().splitlines()
        assert line.split("\t")[5] == "1000"

    @pytest.mark.parametrize("option", ["--mark", "--unmarked"])
    def test_what_is_held_cannot_be_marked(self, abc, mqx, option):
        assert mqx("browse", Q, option, "--all-states").status == 2

    def test_a_queue_that_nobody_may_get_from_is_8(self, abc, mqx, define):
        define(Q, inhibit_get=1)
        assert mqx("browse", Q, "--mark").status == 8

    def test_an_unknown_queue_is_5(self, qm, mqx):
        assert mqx("browse", "NO.SUCH", "--mark").status == 5

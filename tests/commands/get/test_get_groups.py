"""``mqx get`` of groups, segments and converted data: order, wholeness, warnings, and what goes with what."""

from __future__ import annotations

import json

import pytest

Q = "DEV.QUEUE.1"
G, K = "11" * 24, "22" * 24
LOGICAL = "--logical-order"


@pytest.fixture
def group(qm, mqx):
    """Put a group in the order of the numbers given; its data are letter and number."""

    def put(group_id, numbers, last, *, letter="g"):
        for number in numbers:
            end = ["--last"] if number == last else []
            words = ["--group-id", group_id, "--seq", str(number), *end, f"{letter}{number}"]
            mqx("put", Q, *words, check=True)

    return put


class TestLogicalOrder:
    @pytest.mark.conformance("LOGORD-09")
    def test_a_group_comes_in_its_sequence(self, group, mqx, bodies):
        group(G, (3, 1, 2), 3)
        assert mqx("get", Q, "--all", LOGICAL) == (0, b"g1\ng2\ng3\n", "")
        assert bodies(Q) == []

    @pytest.mark.conformance("LOGORD-52")
    def test_a_group_left_in_the_middle_is_a_warning(self, group, mqx, bodies):
        group(G, (1, 2, 3), 3)
        done = mqx("get", Q, "-n", "2", LOGICAL)
        assert (done.status, done.out) == (4, b"g1\ng2\n")
        assert done.err == "the rest of the group or message was not got: MQRC_INCOMPLETE_GROUP 2241\n"
        assert bodies(Q) == [b"g3"]

    def test_a_group_without_its_end_is_got_so_far_with_a_warning(self, group, mqx):
        group(G, (2, 1), 3)
        assert mqx("get", Q, "--all", LOGICAL)[:2] == (4, b"g1\ng2\n")

    @pytest.mark.parametrize("group_id", [K, K[:4]], ids=["whole", "beginning"])
    def test_one_group_can_be_asked_for(self, group, mqx, bodies, group_id):
        group(G, (1, 2), 2)
        group(K, (2, 1), 2, letter="k")
        assert mqx("get", Q, "--all", LOGICAL, "--group-id", group_id, check=True).out == b"k1\nk2\n"
        assert bodies(Q) == [b"g1", b"g2"]

    def test_the_beginning_of_several_groups_is_2(self, group, mqx, bodies):
        group("AA11" * 12, (1,), 1)
        group("AA22" * 12, (1,), 1)
        mqx("get", Q, LOGICAL, "--group-id", "AA").ended(2, "AA11", "AA22")
        assert len(bodies(Q)) == 2

    @pytest.mark.parametrize("selection", [["--grep", "g"], ["--where", "a = 1"], ["--group-id", G, "--group-id", K]])
    def test_other_selections_make_no_sense(self, group, mqx, bodies, selection):
        group(G, (1,), 1)
        mqx("get", Q, LOGICAL, *selection).ended(2, "--group-id")
        assert bodies(Q) == [b"g1"]

    def test_more_messages_than_a_unit_of_work_holds(self, group, mqx, bodies):
        lines = [
            json.dumps({"md": {"group_id": G, "msg_seq_number": n, "msg_flags": 8 + 16 * (n == 150)}, "data": f"{n}"})
            for n in range(150, 0, -1)
        ]
        mqx("put", Q, "--jsonl", stdin="\n".join(lines).encode(), check=True)
        done = mqx("get", Q, "--all", LOGICAL, check=True)
        assert [int(line) for line in done.out.split()] == list(range(1, 151))
        assert bodies(Q) == []


class TestComplete:
    @pytest.mark.conformance("COMPL-01")
    def test_segments_come_together(self, qm, mqx, bodies):
        mqx("put", Q, "--segment", "3", "abcdefgh", "xy", check=True)
        assert len(bodies(Q)) == 4
        assert mqx("get", Q, "--all", "--complete") == (0, b"abcdefgh\nxy\n", "")
        assert bodies(Q) == []

    @pytest.mark.parametrize("selection", [["--grep", "de"], ["--pos", "3"], ["--where", "Root.MQMD.Offset >= 3"]])
    def test_a_selected_segment_means_its_whole_message(self, qm, mqx, bodies, selection):
        mqx("put", Q, "--segment", "3", "abcdefgh", "other", check=True)
        done = mqx("get", Q, "-n", "1", "--complete", *selection)
        assert (done.status, done.out) == (0, b"abcdefgh")
        assert bodies(Q) == [b"oth", b"er"]

    def test_as_many_messages_as_asked_for_whatever_their_segments(self, qm, mqx):
        mqx("put", Q, "--segment", "3", "abcdefgh", "abcxyz", "xyz", check=True)
        done = mqx("get", Q, "-n", "2", "--complete", "--older", "0s", check=True)
        assert done.out == b"abcdefgh\nabcxyz\n"

    def test_what_cannot_be_written_goes_back_in_all_its_segments(self, qm, mqx, start, lying_on):
        mqx("put", Q, "--segment", "3", "abcdefgh", check=True)
        with open("/dev/full", "wb") as full:
            assert start("get", Q, "--complete", stdout=full).wait(60) == 10
        assert [(row["data"], row["state"]) for row in lying_on(Q)] == [(b"abc", 1), (b"def", 1), (b"gh", 1)]


class TestAllAvailable:
    @pytest.mark.conformance("AVAIL-06")
    def test_of_more_than_one_message_it_gets_whole_groups_in_order(self, group, mqx, bodies):
        group(K, (2,), 2, letter="k")
        group(G, (2, 1), 2)
        mqx("put", Q, "single", check=True)
        assert mqx("get", Q, "--all", "--all-available") == (0, b"g1\ng2\nsingle\n", "")
        assert bodies(Q) == [b"k2"]

    def test_a_selected_message_of_a_whole_group(self, group, mqx):
        group(G, (1, 2), 2)
        assert mqx("get", Q, "--all-available", "--grep", "g2") == (0, b"g2", "")
        assert mqx("get", Q, "--all-available", "--grep", "g1").status == 3


class TestConvert:
    WORD = "Käse"

    @pytest.fixture
    def ebcdic(self, qm, mqx):
        """A message in EBCDIC."""
        data = self.WORD.encode("cp037")
        mqx("put", Q, "--format", "MQSTR", "--ccsid", "37", stdin=data, check=True)

    @pytest.mark.conformance("TRUNC-11")
    @pytest.mark.parametrize(
        ("words", "encoding"),
        [(["--convert"], "utf-8"), (["--convert", "819"], "latin-1"), (["--convert=500"], "cp500")],
    )
    def test_the_data_comes_in_the_character_set(self, ebcdic, mqx, words, encoding):
        assert mqx("get", Q, *words) == (0, self.WORD.encode(encoding), "")

    def test_the_option_may_stand_before_the_queue(self, ebcdic, mqx):
        assert mqx("get", "--convert", Q, check=True).out.decode() == self.WORD

    @pytest.mark.parametrize("selection", [[], ["--older", "0s"]], ids=["first", "selected"])
    def test_the_descriptor_says_what_the_data_is_in(self, ebcdic, mqx, selection):
        (message,) = json.loads(mqx("get", Q, "--convert", "-o", "json", *selection, check=True).out)
        assert (message["data"], message["md"]["coded_char_set_id"]) == (self.WORD, 1208)

    @pytest.mark.conformance("TRUNC-14")
    def test_what_has_no_conversion_is_got_as_it_is_with_a_warning(self, qm, mqx, bodies):
        mqx("put", Q, "--format", "", "--ccsid", "37", "x", check=True)
        done = mqx("get", Q, "--convert")
        assert (done.status, done.out) == (4, b"x")
        assert done.err == "1 message got with a warning: MQRC_FORMAT_ERROR 2110\n"
        assert bodies(Q) == []

    @pytest.mark.parametrize("by", ["confirm", "lock"])
    def test_with_a_confirm_id_or_lock_id(self, ebcdic, mqx, by):
        if by == "confirm":
            words = ["--confirm-id", "7"]
        else:
            words = ["--lock-id", mqx("lock", Q, "--print-id", check=True).out.decode().strip()]
        assert mqx("get", Q, "--convert", *words) == (0, self.WORD.encode(), "")

    def test_a_command_gets_it_converted(self, ebcdic, mqx):
        done = mqx("get", Q, "--convert", "--exec", "cat; echo $MQX_CODED_CHAR_SET_ID", check=True)
        assert done.out.decode() == f"{self.WORD}1208\n"

    @pytest.mark.parametrize("ccsid", ["0", "70000", "utf-8"])
    def test_no_character_set_is_2(self, ebcdic, mqx, bodies, ccsid):
        assert mqx("get", Q, f"--convert={ccsid}").status == 2
        assert len(bodies(Q)) == 1


class TestWithACommand:
    def test_it_gets_whole_messages(self, qm, mqx, bodies):
        mqx("put", Q, "--segment", "3", "abcdefgh", "xyz", check=True)
        done = mqx("get", Q, "--all", "--complete", "--exec", "cat; echo", check=True)
        assert done.out == b"abcdefgh\nxyz\n"
        assert bodies(Q) == []

    def test_a_whole_message_that_fails_is_tried_once_and_stays(self, qm, mqx, bodies):
        mqx("put", Q, "--segment", "3", "bad message", "good", "bad too", check=True)
        done = mqx("get", Q, "--all", "--complete", "--exec", 'read line; echo ran; test "$line" = good')
        assert (done.status, done.out) == (9, b"ran\n" * 3)
        assert "1 message done, 2 backed out" in done.err
        assert b"".join(bodies(Q)) == b"bad messagebad too"

    @pytest.mark.parametrize("option", ["--logical-order", "--all-available"])
    def test_there_is_no_next_of_a_group(self, group, mqx, bodies, option):
        group(G, (1,), 1)
        assert mqx("get", Q, option, "--exec", "true").status == 2
        assert bodies(Q) == [b"g1"]


@pytest.mark.parametrize("option", ["--logical-order", "--complete", "--all-available"])
@pytest.mark.parametrize("held", [["--confirm-id", "7"], ["--lock-id", "00" * 8]], ids=["confirm", "lock"])
def test_groups_and_ids_make_no_sense_together(group, mqx, bodies, option, held):
    group(G, (1,), 1)
    mqx("get", Q, option, *held).ended(2, f"{option} cannot be combined with {held[0]}")
    assert bodies(Q) == [b"g1"]


class TestDryRun:
    def shown(self, mqx, *words):
        done = mqx("get", Q, "--dry-run", "-o", "raw", *words)
        return done.status, done.out

    def test_shows_what_would_be_got_and_leaves_it(self, group, mqx, lying_on):
        group(G, (2, 1), 2)
        mqx("put", Q, "--segment", "3", "abcdef", check=True)
        before = lying_on(Q)
        assert self.shown(mqx, "--all", LOGICAL) == (0, b"g1\ng2\nabc\ndef\n")
        assert self.shown(mqx, "--all", LOGICAL, "--complete") == (0, b"g1\ng2\nabcdef\n")
        assert self.shown(mqx, "--complete", "--grep", "de") == (0, b"abcdef")
        assert self.shown(mqx, LOGICAL, "--group-id", G) == (0, b"g1")
        assert lying_on(Q) == before

    def test_shows_no_group_in_part(self, group, mqx):
        group(G, (1,), 2)
        assert self.shown(mqx, "--all", "--all-available") == (3, b"")

    def test_with_a_command_runs_nothing(self, qm, mqx, bodies):
        mqx("put", Q, "--segment", "3", "abcdef", check=True)
        assert self.shown(mqx, "--complete", "--exec", "echo ran") == (0, b"abcdef")
        assert len(bodies(Q)) == 2

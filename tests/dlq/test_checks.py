"""Warnings: tables that work, but hardly as they were meant."""

from __future__ import annotations

import time

import pytest

from mqtools.dlq.checks import forwards_to
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rules_table import parse_rules_table

CATCH_ALL = "\nACTION(FWD) FWDQ(REST)"


def warnings_of(text: str) -> list[tuple[int, int, str]]:
    return [(warning.line, warning.column, warning.message) for warning in parse_rules_table(text).warnings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("DESTQ(A)ACTION(RETRY)" + CATCH_ALL, (1, 9, "missing before ACTION"), id="separator"),
        pytest.param("  * note\nACTION(RETRY)", (1, 3, "column 1"), id="indented comment"),
        pytest.param("ACTION(RETRY) +\n\nRETRY(2)", (2, 1, "blank line"), id="blank line in an entry"),
        pytest.param("ACTION(RETRY) +\n", (1, 1, "continued entry"), id="continued into nothing"),
        pytest.param("DESTQ(my.queue) ACTION(RETRY)" + CATCH_ALL, (1, 7, "'MY.QUEUE'"), id="lower case"),
        pytest.param("ACTION(FWD) FWDQ(my.queue)", (1, 18, "upper case"), id="lower case forward"),
        pytest.param("INPUTQ(dlq)\nACTION(RETRY)", (1, 8, "upper case"), id="lower case input"),
        pytest.param("DESTQ(A-B) ACTION(RETRY)" + CATCH_ALL, (1, 8, "put the value in quotes"), id="odd character"),
        pytest.param("ACTION(RETRY)" + " " * 60 + "RETRY(2)", (1, 73, "81 columns"), id="wide"),
        pytest.param("ACTION(FWD) FWDQ(&REPLYQ)", (1, 18, "add REPLYQ(?*)"), id="reply queue may be blank"),
        pytest.param("REPLYQ(*) ACTION(FWD) FWDQ(&REPLYQ)", (1, 28, "add REPLYQ(?*)"), id="any reply queue"),
        pytest.param("ACTION(IGNORE) RETRY(2)", (1, 16, "no effect"), id="attempts at nothing"),
        pytest.param("ACTION(DISCARD) PUTAUT(CTX)", (1, 17, "no effect"), id="authority for no put"),
        pytest.param("ACTION(FWD) FWDQ('A B')", (1, 18, "can have the name"), id="no queue name"),
        pytest.param("PERSIST(2) ACTION(RETRY)" + CATCH_ALL, (1, 9, "matches none"), id="never true"),
        pytest.param("INPUTQ(DLQ)\nACTION(FWD) FWDQ(DLQ)", (2, 18, "input queue"), id="loop"),
        pytest.param(
            "INPUTQ(DLQ) INPUTQM(Q)\nACTION(FWD) FWDQ(DLQ) FWDQM(Q)", (2, 18, "input queue"), id="loop by name"
        ),
        pytest.param("DESTQ(A) ACTION(RETRY)", (1, 1, "no rule matches stay"), id="no catch-all"),
        pytest.param("ACTION(RETRY)\nDESTQ(A) ACTION(DISCARD)", (2, 1, "no rule matches stay"), id="retry is none"),
        pytest.param("ACTION(IGNORE)\nDESTQ(A) ACTION(RETRY)", (2, 1, "line 1 ignores every message"), id="IGNORE"),
        pytest.param("ACTION(DISCARD)\nDESTQ(A) ACTION(RETRY)", (2, 1, "line 1 discards every"), id="DISCARD"),
        pytest.param("DESTQ(*) ACTION(IGNORE)\nDESTQ(A) ACTION(RETRY)", (2, 1, "never reached"), id="any value"),
        pytest.param(
            "ACTION(FWD) FWDQ(A) RETRY(3)\nDESTQ(A) ACTION(RETRY)", (2, 1, "has failed 3 times"), id="after a forward"
        ),
        pytest.param(
            "DESTQ(A*) ACTION(IGNORE)\nDESTQ(AB) REASON(1) ACTION(RETRY)" + CATCH_ALL, (2, 1, "never"), id="wildcard"
        ),
        pytest.param("DESTQ(A*) ACTION(IGNORE)\nDESTQ(AB*) ACTION(RETRY)" + CATCH_ALL, (2, 1, "never"), id="both"),
        pytest.param(
            "REASON(MQRC_Q_FULL) ACTION(IGNORE)\nDESTQ(A) REASON(2053) ACTION(RETRY)" + CATCH_ALL,
            (2, 1, "line 1 ignores the same"),
            id="number by name",
        ),
        pytest.param(
            "DESTQ(A) ACTION(RETRY)\nACTION(RETRY) DESTQ('A')" + CATCH_ALL, (2, 1, "same as that in line 1"), id="twice"
        ),
    ],
)
def test_what_was_hardly_meant_is_told_once_and_in_its_place(text: str, expected: tuple[int, int, str]) -> None:
    (warning,) = warnings_of(text)
    assert warning[:2] == expected[:2]
    assert expected[2] in warning[2]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("REASON(2053) ACTION(RETRY) RETRY(3)\nREASON(2053) ACTION(FWD) FWDQ(A)" + CATCH_ALL, id="retry"),
        pytest.param("ACTION(RETRY)\nDESTQ(A) ACTION(DISCARD)\nACTION(IGNORE)", id="retry everything first"),
        pytest.param("DESTQ(A) ACTION(FWD) FWDQ(B)\nDESTQ(A) ACTION(FWD) FWDQ(C)" + CATCH_ALL, id="second choice"),
        pytest.param("DESTQ(AB) ACTION(IGNORE)\nDESTQ(A*) ACTION(RETRY)" + CATCH_ALL, id="narrow before wide"),
        pytest.param("DESTQ(A) ACTION(IGNORE)\nDESTQM(A) ACTION(RETRY)" + CATCH_ALL, id="other keyword"),
        pytest.param("DESTQ(A?) ACTION(IGNORE)\nDESTQ(A*) ACTION(RETRY)" + CATCH_ALL, id="wildcards undecided"),
        pytest.param("REPLYQ(?*) ACTION(FWD) FWDQ(&REPLYQ)" + CATCH_ALL, id="reply queue there"),
        pytest.param("REPLYQ(A*) ACTION(FWD) FWDQ(&REPLYQ)" + CATCH_ALL, id="reply queue named"),
        pytest.param("INPUTQ(DLQ)\nACTION(FWD) FWDQ(DLQ) FWDQM(OTHER)", id="same name elsewhere"),
        pytest.param("*" + "x" * 90 + "\nACTION(RETRY)", id="wide comment"),
        pytest.param("ACTION(RETRY)" + " " * 70, id="blanks at the end"),
        pytest.param("action(retry)", id="lower-case words"),
        pytest.param("reason(mqrc_q_full) action(retry)" + CATCH_ALL, id="lower-case names of numbers"),
        pytest.param("ACTION(RETRY)", id="the least table"),
    ],
)
def test_what_may_well_be_meant_is_not_told(text: str) -> None:
    assert warnings_of(text) == []


def test_a_table_with_mistakes_still_tells_what_was_doubtful_in_its_text() -> None:
    with pytest.raises(RulesTableError) as caught:
        parse_rules_table("DESTQ(a) ACTION(RETRY) RETRY(0)")
    assert [warning.column for warning in caught.value.warnings] == [7]


def test_a_forward_into_the_queue_is_known_by_the_name_that_the_handler_reads() -> None:
    rule = parse_rules_table("ACTION(FWD) FWDQ(DLQ) FWDQM(QM1)").rules[0]
    assert forwards_to(rule, "DLQ", "QM1")
    assert not forwards_to(rule, "DLQ", "QM2")
    assert not forwards_to(rule, "", "")


def test_a_long_table_is_checked_quickly() -> None:
    lines = [f"REASON({number}) DESTQ(Q.{number}) ACTION(FWD) FWDQ(A)" for number in range(3000)]
    start = time.process_time()
    assert warnings_of("\n".join(lines) + CATCH_ALL) == []
    assert time.process_time() - start < 20

"""Rules tables: what is read, what is refused, and where mistakes are said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtools.constants.reasons import MQRC_UNEXPECTED_ERROR
from mqtools.dlq.keywords import CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rule import Control, Rule, describe_rule
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError

TABLES = Path(__file__).parent / "tables"


def only_rule(text: str) -> Rule:
    (rule,) = parse_rules_table(text).rules
    return rule


def mistakes_of(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(RulesTableError) as caught:
        parse_rules_table(text)
    return [(mistake.line, mistake.column, mistake.message) for mistake in caught.value.mistakes]


def value_of(text: str) -> object:
    (pattern,) = only_rule(f"{text} ACTION(RETRY)").patterns
    return pattern.compiled if pattern.keyword in NUMBER_PATTERNS else pattern.value


# Control data


@pytest.mark.conformance("BEY-69")
def test_without_control_data_the_defaults_hold() -> None:
    assert parse_rules_table("ACTION(RETRY)").control == Control("", "", 60, "YES")


@pytest.mark.conformance("BEY-69")
def test_control_data_is_the_first_entry() -> None:
    table = parse_rules_table("* ours\n\nInputQ(DLQ1), InputQM('qm1') +\n RETRYINT(5)\nACTION(RETRY)")
    assert table.control == Control("DLQ1", "qm1", 5, "YES")
    assert len(table.rules) == 1


@pytest.mark.conformance("BEY-69")
@pytest.mark.parametrize(
    ("written", "read"),
    [("YES", "YES"), ("no", "NO"), ("0", 0), ("600", 600), ("999999999", 999_999_999), ("'NO'", "NO")],
)
def test_wait_is_a_word_or_seconds(written: str, read: object) -> None:
    assert parse_rules_table(f"WAIT({written})\nACTION(RETRY)").control.wait == read


def test_blank_control_names_mean_the_default() -> None:
    assert parse_rules_table("INPUTQ(' ') INPUTQM(' ')\nACTION(RETRY)").control == Control()


def test_input_queue_name_ends_at_its_first_blank() -> None:
    assert parse_rules_table("INPUTQ('DLQ 1')\nACTION(RETRY)").control.input_q == "DLQ"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        pytest.param("ACTION(RETRY)\nWAIT(NO)", [(2, 1)], id="later"),
        pytest.param("WAIT(NO)\nWAIT(YES)\nACTION(RETRY)", [(2, 1)], id="again"),
        pytest.param("DESTQ(A) WAIT(NO) ACTION(RETRY)", [(1, 10)], id="inside a rule"),
        pytest.param("WAIT(NO) ACTION(RETRY)", [(1, 10)], id="a rule inside it"),
        pytest.param("WAIT(MAYBE)\nACTION(RETRY)", [(1, 6)], id="word"),
        pytest.param("RETRYINT(1000000000)\nACTION(RETRY)", [(1, 10)], id="range"),
        pytest.param("INPUTQ(A*)\nACTION(RETRY)", [(1, 8)], id="wildcard"),
        pytest.param(f"INPUTQ({'A' * 49})\nACTION(RETRY)", [(1, 8)], id="long"),
    ],
)
def test_wrong_control_data_is_refused(text: str, places: list[tuple[int, int]]) -> None:
    assert [mistake[:2] for mistake in mistakes_of(text)] == places


# Rules and their values


@pytest.mark.conformance("BEY-70")
@pytest.mark.parametrize("keyword", CHAR_PATTERNS)
def test_each_character_pattern_is_read(keyword: str) -> None:
    assert value_of(f"{keyword}(AB.C*)") == "AB.C*"


@pytest.mark.conformance("BEY-70")
@pytest.mark.parametrize("keyword", NUMBER_PATTERNS)
def test_each_number_pattern_is_read(keyword: str) -> None:
    assert value_of(f"{keyword}(12)") == 12


@pytest.mark.conformance("BEY-71")
@pytest.mark.parametrize("action", ["DISCARD", "IGNORE", "RETRY", "FWD"])
def test_each_action_is_read(action: str) -> None:
    assert only_rule(f"ACTION({action})" + " FWDQ(A)" * (action == "FWD")).action == action


@pytest.mark.conformance("BEY-72")
@pytest.mark.parametrize(
    ("written", "q_name", "q_mgr_name"),
    [
        ("FWDQ(A.B)", "A.B", None),
        ("FWDQ('a.b') FWDQM(QM2)", "a.b", "QM2"),
        ("FWDQ(&DESTQ) FWDQM(&DESTQM)", "&DESTQ", "&DESTQM"),
        ("FWDQ(&replyq) FWDQM('&ReplyQM')", "&REPLYQ", "&REPLYQM"),
        ("FWDQ(A) FWDQM(' ')", "A", ""),
    ],
)
def test_forward_names_are_names_or_substitutions(written: str, q_name: str, q_mgr_name: str | None) -> None:
    rule = only_rule(f"ACTION(FWD) {written}")
    assert (rule.fwd_q, rule.fwd_q_mgr) == (q_name, q_mgr_name)


@pytest.mark.conformance("BEY-73")
def test_defaults_of_a_rule() -> None:
    rule = only_rule("ACTION(FWD) FWDQ(A)")
    assert (rule.header, rule.put_authority, rule.retry) == (True, "DEF", 1)


@pytest.mark.conformance("BEY-75")
@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("REASON(MQRC_Q_FULL)", 2053),
        ("reason(mqrc_q_full)", 2053),
        ("REASON('MQRC_Q_FULL')", 2053),
        ("REASON(0002053)", 2053),
        ("REASON(MQFB_APPL_CANNOT_BE_STARTED)", 265),
        ("FEEDBACK(MQFB_COA)", 259),
        ("FEEDBACK(MQRC_Q_FULL)", 2053),
        ("MSGTYPE(MQMT_REQUEST)", 1),
        ("PERSIST(MQPER_PERSISTENT)", 1),
        ("APPLTYPE(MQAT_JAVA)", 28),
        ("APPLTYPE(MQAT_UNKNOWN)", -1),
        ("REASON(999999999)", 999_999_999),
        ("REASON(*)", None),
        ("REASON('*')", None),
    ],
)
def test_numbers_and_their_names_mean_the_same(written: str, number: int | None) -> None:
    assert value_of(written) == number


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("FORMAT(abc)", "ABC"),
        ("FORMAT('abc')", "abc"),
        ("FORMAT ( 'ABC' )", "ABC"),
        ("FORMAT(  ABC\t)", "ABC"),
        ("FORMAT(' ')", " "),
        ("FORMAT('IT''S')", "IT'S"),
        ("FORMAT('''''''')", "'''"),
        ("FORMAT('A(B),C')", "A(B),C"),
        ("FORMAT('A\tB')", "A\tB"),
        ("FORMAT('A*C*E*G*I')", "A*C*E*G*I"),
        ("FORMAT(*A*B*C*D*E*F*G*H*)", "*A*B*C*D*E*F*G*H*"),
        ("FORMAT('''2345678')", "'2345678"),
    ],
)
def test_values_are_folded_outside_quotes_and_exact_inside(written: str, value: str) -> None:
    assert value_of(written) == value


def test_a_rule_keeps_its_patterns_in_the_order_written() -> None:
    rule = only_rule("DESTQ(A) ACTION(RETRY) REASON(2053) RETRY(3) APPLNAME(X)")
    assert [pattern.keyword for pattern in rule.patterns] == ["DESTQ", "REASON", "APPLNAME"]


# Lines


@pytest.mark.conformance("BEY-76")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("FORMAT('ABC+\n  D') ACTION(RETRY)", "ABCD", id="plus drops leading blanks"),
        pytest.param("FORMAT('ABC-\n  D') ACTION(RETRY)", "ABC  D", id="minus keeps them"),
        pytest.param("FORMAT('ABC  +  \n  D') ACTION(RETRY)", "ABC  D", id="blanks before the mark stay"),
        pytest.param("FORMAT('AB+\n* note +\nC') ACTION(RETRY)", "ABC", id="comment inside"),
        pytest.param("FORMAT('AB+\n\nC') ACTION(RETRY)", "ABC", id="blank line inside"),
        pytest.param("FORMAT(AB+\n  *) ACTION(RETRY)", "AB*", id="asterisk after blanks is text"),
        pytest.param("FOR+\nMAT(AB-\nC) ACT+\n  ION(RE+\nTRY)", "ABC", id="inside keywords"),
        pytest.param("FORMAT('A''+\n''B') ACTION(RETRY)", "A''B", id="between doubled quotes"),
        pytest.param("FORMAT('A'+\n'B') ACTION(RETRY)", "A'B", id="inside a doubled quote"),
        pytest.param("+\n+\nFORMAT(A) ACTION(RETRY) +\n", "A", id="nothing but marks"),
        pytest.param("FORMAT(A)+\r\n ACTION(RETRY)\r\n", "A", id="carriage returns"),
        pytest.param("\tFORMAT\t(\tA\t)\tACTION(RETRY)\t+\t\n", "A", id="tabs"),
    ],
)
def test_lines_continue(text: str, value: str) -> None:
    assert only_rule(text).patterns[0].value == value


@pytest.mark.conformance("BEY-76")
def test_comments_and_blank_lines_stand_anywhere() -> None:
    table = parse_rules_table("* one\n\n*+\nACTION(IGNORE)\n   \n*two\nDESTQ(A) ACTION(RETRY)\n*")
    assert [rule.line for rule in table.rules] == [4, 7]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_rule_has_the_line_where_its_text_begins(newline: str) -> None:
    text = newline.join(["WAIT(NO)", "*", "DESTQ(A) +", " ACTION(RETRY)", "", "+", " ACTION(IGNORE)"])
    assert [rule.line for rule in parse_rules_table(text).rules] == [3, 7]


def test_a_byte_order_mark_is_not_part_of_the_first_keyword() -> None:
    assert only_rule("\ufeffACTION(RETRY)").action == "RETRY"


def test_the_last_line_needs_no_end_and_commas_separate() -> None:
    assert only_rule("DESTQ(A),REASON(1) , ACTION(RETRY)").action == "RETRY"


# Mistakes


@pytest.mark.conformance("BEY-76")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (1, 1, "no rule"), id="empty"),
        pytest.param("* a\n\nWAIT(NO)\n", (3, 1, "no rule"), id="control data only"),
        pytest.param("ACTION(RETRY)\n ,", (2, 2, "no keyword"), id="nothing but separators"),
        pytest.param("DESQT(A) ACTION(RETRY)", (1, 1, "did you mean DESTQ?"), id="unknown keyword"),
        pytest.param("ACTON(RETRY)", (1, 1, "did you mean ACTION?"), id="unknown ACTION"),
        pytest.param("DESTQ(A)\nACTION(RETRY)", (1, 1, "no ACTION"), id="no action"),
        pytest.param("DESTQ(A) ACTION(RETRY) +\n DESTQ(B)", (2, 2, "DESTQ occurs twice"), id="twice"),
        pytest.param("DESTQ(A ACTION(RETRY)", (1, 8, "closing parenthesis"), id="not closed, more follows"),
        pytest.param("DESTQ( ACTION(RETRY)", (1, 8, "closing parenthesis"), id="no value, not closed"),
        pytest.param("ACTION(RETRY", (1, 13, "closing parenthesis"), id="not closed at the end"),
        pytest.param("ACTION RETRY) DESTQ(A)", (1, 7, "value in parentheses"), id="not opened"),
        pytest.param("ACTION(RETRY) FORMAT", (1, 21, "value in parentheses"), id="no value at all"),
        pytest.param("ACTION(RETRY) )", (1, 15, "expected a keyword"), id="stray parenthesis"),
        pytest.param("FORMAT('A) ACTION(RETRY)", (1, 8, "FORMAT has an unclosed quote"), id="open quote"),
        pytest.param("FORMAT('A'B) ACTION(RETRY)", (1, 11, "'B' is too much"), id="text after the quote"),
        pytest.param("DESTQ(A B) ACTION(RETRY)", (1, 9, "in quotes"), id="blank without quotes"),
        pytest.param('DESTQ("A") ACTION(RETRY)', (1, 7, "single quotes"), id="double quotes"),
        pytest.param("DESTQ(A\u00a0) ACTION(RETRY)", (1, 8, "'\\xa0'"), id="blank that is none"),
        pytest.param("FORMAT() ACTION(RETRY)", (1, 8, "empty value"), id="empty"),
        pytest.param("FORMAT( ) ACTION(RETRY)", (1, 9, "empty value"), id="blank"),
        pytest.param("FORMAT('') ACTION(RETRY)", (1, 8, "empty value"), id="empty quotes"),
        pytest.param("FORMAT(ABCDEFGHI) ACTION(RETRY)", (1, 8, "9 characters"), id="long"),
        pytest.param("FORMAT('''23456789') ACTION(RETRY)", (1, 8, "9 characters"), id="long with a quote"),
        pytest.param("FORMAT(MQFMT_STRING) ACTION(RETRY)", (1, 8, "did you mean FORMAT(MQSTR)?"), id="format's name"),
        pytest.param("REASON(2053,2051) ACTION(RETRY)", (1, 12, "one value"), id="list"),
        pytest.param("REASON(2000:2100) ACTION(RETRY)", (1, 8, "a number or"), id="range of values"),
        pytest.param("REASON(1000000000) ACTION(RETRY)", (1, 8, "out of range"), id="too large"),
        pytest.param("REASON(-1) ACTION(RETRY)", (1, 8, "out of range"), id="negative"),
        pytest.param(f"REASON({'9' * 5000}) ACTION(RETRY)", (1, 8, "out of range"), id="absurd"),
        pytest.param("REASON(\u00b2) ACTION(RETRY)", (1, 8, "a number or"), id="digit of another kind"),
        pytest.param("REASON(MQRC_QFULL) ACTION(RETRY)", (1, 8, "did you mean MQRC_Q_FULL?"), id="unknown name"),
        pytest.param("REASON(Q_FULL) ACTION(RETRY)", (1, 8, "did you mean MQRC_Q_FULL?"), id="name without prefix"),
        pytest.param("MSGTYPE(MQRC_Q_FULL) ACTION(RETRY)", (1, 9, "MQMT_"), id="name of another family"),
        pytest.param("MSGTYPE('2*') ACTION(RETRY)", (1, 9, "wildcard"), id="wildcard in a number"),
        pytest.param("MSGTYPE(?) ACTION(RETRY)", (1, 9, "wildcard"), id="question mark for a number"),
        pytest.param("ACTION(FORWARD) FWDQ(A)", (1, 8, "did you mean FWD?"), id="unknown action"),
        pytest.param("ACTION('retry')", (1, 8, "did you mean RETRY?"), id="lower case in quotes"),
        pytest.param("ACTION(RETRY) RETRY(0)", (1, 21, "from 1 to 999999999"), id="no attempt"),
        pytest.param("ACTION(RETRY) RETRY(*)", (1, 21, "not a number"), id="wildcard attempts"),
        pytest.param("ACTION(FWD)", (1, 1, "needs FWDQ"), id="forward to nowhere"),
        pytest.param("ACTION(FWD) FWDQ(' ')", (1, 18, "must not be blank"), id="forward to blank"),
        pytest.param("ACTION(FWD) FWDQ(A*)", (1, 18, "wildcards"), id="forward to a wildcard"),
        pytest.param("ACTION(FWD) FWDQ(&DESTQM)", (1, 18, "did you mean &DESTQ?"), id="wrong substitution"),
        pytest.param("ACTION(FWD) FWDQ(A) FWDQM(&DESTQ)", (1, 27, "&DESTQM"), id="wrong substitution of the manager"),
        pytest.param("ACTION(RETRY) FWDQ(A)", (1, 15, "ACTION(FWD) only"), id="FWDQ alone"),
        pytest.param("FWDQM(A) ACTION(IGNORE)", (1, 1, "ACTION(FWD) only"), id="FWDQM alone"),
        pytest.param("ACTION(DISCARD) HEADER(NO)", (1, 17, "ACTION(FWD) only"), id="HEADER alone"),
        pytest.param("ACTION(RETRY) PUTAUT(ALL)", (1, 22, "DEF, CTX"), id="unknown authority"),
    ],
)
def test_a_mistake_is_told_once_and_in_its_place(text: str, expected: tuple[int, int, str]) -> None:
    (mistake,) = mistakes_of(text)
    assert mistake[:2] == expected[:2]
    assert expected[2] in mistake[2]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("DESTQ(A) +\n   ACTION(RETRY) +\n RETRY(0)", (3, 8), id="plus"),
        pytest.param("DESTQ(A) -\n   ACTION(RETRY) -\n RETRY(0)", (3, 8), id="minus"),
        pytest.param("DESTQ(A) +\n* note\n\n ACTION(RETRY) RE+\n\tTRY+\n  (0)", (6, 4), id="comment, tab"),
        pytest.param("DESTQ(A) ACTION(RETRY) RETRY(+\n 0)", (2, 2), id="value on the next line"),
        pytest.param("DES+\nQT(A) ACTION(RETRY)", (1, 1), id="keyword over two lines"),
    ],
)
def test_places_are_physical_inside_continued_entries(text: str, place: tuple[int, int]) -> None:
    (mistake,) = mistakes_of(text)
    assert mistake[:2] == place


def test_all_mistakes_are_told_at_once() -> None:
    text = (TABLES / "broken.rules").read_text()
    assert [mistake[:2] for mistake in mistakes_of(text)] == [
        (2, 6), (2, 26), (3, 1), (4, 8), (4, 40), (7, 4), (8, 1), (9, 1), (10, 15), (11, 8), (12, 8), (13, 1),
    ]  # fmt: skip


def test_the_error_names_the_table_and_can_show_the_source() -> None:
    with pytest.raises(MQError) as caught:
        parse_rules_table("*\n\tDESQT(A) ACTION(RETRY)\r\n", "night.rules")
    error = caught.value
    assert isinstance(error, RulesTableError)
    assert error.reason == MQRC_UNEXPECTED_ERROR
    assert str(error.mistakes[0]).startswith("night.rules:2:2: 'DESQT' is not a keyword")
    assert error.lines[error.mistakes[0].line - 1] == "\tDESQT(A) ACTION(RETRY)"


# Whole tables


@pytest.mark.conformance("BEY-76")
def test_a_production_table_is_read_as_written() -> None:
    table = parse_rules_table((TABLES / "payments.rules").read_text(), "payments.rules")
    assert table.control == Control("PAYHUB1.DEAD.LETTERS", "PAYHUB1", 30, "YES")
    assert [(rule.line, describe_rule(rule)) for rule in table.rules] == [
        (9, "REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(5)"),
        (10, "REASON(MQRC_Q_FULL) DESTQ(PAY.*) ACTION(FWD) FWDQ(PAY.PARKED)"),
        (14, "REASON(MQRC_PUT_INHIBITED) ACTION(RETRY) RETRY(120)"),
        (
            19,
            "REASON(MQRC_UNKNOWN_OBJECT_NAME) REPLYQ(?*) MSGTYPE(MQMT_REQUEST) "
            "ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM) HEADER(NO)",
        ),
        (21, "REASON(2085) ACTION(FWD) FWDQ(PAY.UNKNOWN.DESTINATION)"),
        (24, "REASON(MQFB_APPL_CANNOT_BE_STARTED) ACTION(FWD) FWDQ(OPS.TRIGGER.FAILED)"),
        (27, "ACTION(FWD) FWDQ(PAY.REVIEW) RETRY(3)"),
    ]
    assert table.warnings == []


def test_a_table_with_quotes_and_kept_blanks_is_read_as_written() -> None:
    table = parse_rules_table((TABLES / "night_batch.rules").read_text())
    assert table.control == Control("", "", 10, 0)
    assert [describe_rule(rule) for rule in table.rules] == [
        "USERID('batch01') PERSIST(MQPER_NOT_PERSISTENT) ACTION(DISCARD)",
        "APPLNAME('*/bin/ledger') APPLTYPE(MQAT_UNIX) FORMAT(MQSTR) ACTION(FWD) FWDQ('ledger.reject') "
        "HEADER(NO) PUTAUT(CTX)",
        "APPLIDAT('JOB 4? *') ACTION(RETRY) RETRY(2)",
        "FEEDBACK(MQFB_EXPIRATION) MSGTYPE(MQMT_REPORT) ACTION(DISCARD)",
        "DESTQM(EDI.????) DESTQ(*) ACTION(IGNORE)",
        "ACTION(FWD) FWDQ(&DESTQ) FWDQM(FALLBACK)",
    ]


@pytest.mark.parametrize("table", ["ACTION(RETRY) RETRIES(3)", "RETRIES(3) ACTION(RETRY)"])
def test_retries_suggests_retry(table: str) -> None:
    with pytest.raises(RulesTableError) as refused:
        parse_rules_table(table)
    assert [each.suggestion for each in refused.value.mistakes] == ["did you mean RETRY?"]


@pytest.mark.parametrize("blank", "\f\v")
def test_only_space_and_tab_are_blanks(blank: str) -> None:
    assert mistakes_of(f"{blank}ACTION(DISCARD)") != []
    (pattern,) = only_rule(f"DESTQ('AB+\n{blank}CD') ACTION(RETRY)").patterns
    assert pattern.value == f"AB{blank}CD"

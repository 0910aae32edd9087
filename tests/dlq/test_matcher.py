"""Matching: which dead letters a rule takes, byte for byte of the blank-padded fields."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.dlq.rule import Rule
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.dlq.selection import explain, matches, nul_keywords
from mqtools.headers.characters import decode_field

from .dead_letters import letter


def rule_of(patterns: str) -> Rule:
    (rule,) = parse_rules_table(f"{patterns} ACTION(IGNORE)").rules
    return rule


def takes(pattern: str, text: str) -> bool:
    """Does FORMAT (8 bytes) with that quoted pattern take the text?"""
    return matches(rule_of(f"FORMAT('{pattern}')"), letter(format=text))


@pytest.mark.conformance("BEY-76")
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("ABC", "ABC", True),
        ("ABC", "ABCD", False),
        ("ABC", "abc", False),
        ("ABC ", "ABC", True),
        (" ABC", "ABC", False),
        (" ABC", " ABC", True),
        ("A B", "A B", True),
        ("A B", "AB", False),
        ("*", "", True),
        ("*", "ABC", True),
        ("A*", "A", True),
        ("A*", "BA", False),
        ("*C", "ABC", True),
        ("*C", "ABCD", False),
        ("A*C", "AC", True),
        ("A*C", "AXXC", True),
        ("A*C*E", "ABCDCE", True),
        ("ABCDEFGH*", "ABCDEFGH", True),
        ("ABCDEFGH***", "ABCDEFGH", True),
        ("A*C*E*G*I", "ABCDEFGI", True),
        ("A*C*E*G*I", "ABCDEFGH", False),
        ("A*C*E*G*I", "ACEGXXXI", True),
        ("?", "A", True),
        ("?", "", False),
        ("?", "AB", False),
        ("A?", "A", False),
        ("A?C", "A C", True),
        ("A??", "AB", False),
        ("??", " B", True),
        ("?*", "", False),
        ("?*", "A", True),
        ("?*", " A", True),
        ("*?", "", False),
        ("*?", "AB", True),
        (" ", "", True),
        (" ", "A", False),
        # The blank before the asterisk is embedded, so the padding satisfies it.
        ("A *", "A", True),
        ("A *", "A B", True),
        ("A *", "AB", False),
        ("A *", "ABCDEFG", False),
        # A dot is a dot: patterns are no regular expressions.
        ("A.B", "AXB", False),
        ("A.*", "A.B", True),
        ("[A]", "A", False),
    ],
)
def test_wildcards_against_the_padded_field(pattern: str, text: str, expected: bool) -> None:
    assert takes(pattern, text) is expected


@pytest.mark.conformance("BEY-76")
def test_nul_is_no_padding() -> None:
    candidate = letter(dest_q_name="A.B\0\0\0")
    assert not matches(rule_of("DESTQ(A.B)"), candidate)
    assert matches(rule_of("DESTQ(A.B*)"), candidate)
    assert nul_keywords(candidate) == ["DESTQ"]
    assert nul_keywords(letter(dest_q_name="A.B")) == []


@pytest.mark.parametrize("text", ["A\nB", "A\r\nB", "\n"])
def test_wildcards_take_line_feeds(text: str) -> None:
    assert takes("*", text)
    assert takes("?*", text)


#: Pattern, and the one field that makes it match: of the descriptor or of the dead-letter header.
FIELDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("APPLIDAT(X)", {"appl_identity_data": "X"}, {}),
    ("APPLNAME(X)", {"put_appl_name": "X"}, {}),
    ("APPLTYPE(MQAT_UNIX)", {"put_appl_type": 6}, {}),
    ("DESTQ(X)", {}, {"dest_q_name": "X"}),
    ("DESTQM(X)", {}, {"dest_q_mgr_name": "X"}),
    ("FEEDBACK(MQFB_COD)", {"feedback": 260}, {}),
    ("FORMAT(X)", {}, {"format": "X"}),
    ("MSGTYPE(MQMT_REPORT)", {"msg_type": 4}, {}),
    ("PERSIST(MQPER_PERSISTENT)", {"persistence": 1}, {}),
    ("REASON(MQRC_Q_FULL)", {}, {"reason": 2053}),
    ("REPLYQ(X)", {"reply_to_q": "X"}, {}),
    ("REPLYQM(X)", {"reply_to_q_mgr": "X"}, {}),
    ("USERID(X)", {"user_identifier": "X"}, {}),
]


@pytest.mark.conformance("BEY-70")
@pytest.mark.parametrize(("pattern", "md", "dlh"), FIELDS, ids=[row[0] for row in FIELDS])
def test_each_pattern_looks_at_its_field(pattern: str, md: dict[str, Any], dlh: dict[str, Any]) -> None:
    assert matches(rule_of(pattern), letter(md, **dlh))
    others_md = {name: value for _, fields, _ in FIELDS for name, value in fields.items() if name not in md}
    others_dlh = {name: value for _, _, fields in FIELDS for name, value in fields.items() if name not in dlh}
    assert not matches(rule_of(pattern), letter(others_md, **others_dlh))


@pytest.mark.conformance("BEY-70")
def test_application_name_and_format_are_of_the_right_structure() -> None:
    candidate = letter({"put_appl_name": "amqsput", "format": "MQDEAD"}, put_appl_name="amqrmppa", format="MQSTR")
    assert matches(rule_of("APPLNAME('amqsput') FORMAT(MQSTR)"), candidate)
    assert explain(rule_of("APPLNAME('amqrmppa') FORMAT(MQDEAD)"), candidate) == ["APPLNAME", "FORMAT"]


@pytest.mark.conformance("BEY-70")
def test_a_rule_without_patterns_matches_every_dead_letter() -> None:
    assert matches(rule_of(""), letter())
    assert explain(rule_of(""), letter()) == []


def test_explain_names_what_did_not_match_in_the_order_written() -> None:
    rule = rule_of("REASON(2053) DESTQ(A*) MSGTYPE(*) USERID(ANA)")
    assert explain(rule, letter(reason=2051, dest_q_name="AB")) == ["REASON", "USERID"]
    assert explain(rule, letter({"user_identifier": "ANA"}, reason=2053, dest_q_name="A")) == []


def naive(pattern: str, text: str, length: int) -> bool:
    """The definition, position by position."""
    field, wanted = text.ljust(length), pattern.rstrip(" ")

    @cache
    def from_here(i: int, j: int) -> bool:
        rest = field[j:]
        if i == len(wanted):
            return not rest.strip(" ")
        if wanted[i] == "*":
            return from_here(i + 1, j) or (rest != "" and from_here(i, j + 1))
        if wanted[i] == "?":
            return rest.strip(" ") != "" and from_here(i + 1, j + 1)
        return rest != "" and rest[0] == wanted[i] and from_here(i + 1, j + 1)

    return from_here(0, 0)


PATTERNS = st.text("AB ?**", min_size=1, max_size=14).filter(lambda text: len(text) - text.count("*") <= 8)
TEXTS = st.text("AB \0", max_size=8).map(lambda text: text.rstrip(" "))


@settings(deadline=None)
@given(PATTERNS, TEXTS)
def test_wildcards_mean_what_their_definition_says(pattern: str, text: str) -> None:
    assert takes(pattern, text) == naive(pattern, text, 8)


@settings(deadline=None)
@given(PATTERNS, PATTERNS, TEXTS)
def test_a_rule_said_to_be_never_reached_is_not(wide: str, narrow: str, text: str) -> None:
    table = parse_rules_table(f"FORMAT('{wide}') ACTION(IGNORE)\nFORMAT('{narrow}') ACTION(DISCARD)")
    if any("never reached" in warning.text for warning in table.warnings):
        first, second = (matches(rule, letter(format=text)) for rule in table.rules)
        assert first or not second


def test_a_hostile_pattern_takes_no_time() -> None:
    rule = rule_of(f"DESTQ({'*A' * 47}*B)")
    start = time.process_time()
    for _ in range(100):
        matches(rule, letter(dest_q_name="A" * 48))
    assert time.process_time() - start < 10


@pytest.mark.parametrize(("raw", "expected"), [(b"Jos\xe9", True), ("José".encode(), True), (b"Jos\xe8", False)])
def test_a_byte_of_a_latin_1_table_matches_that_of_a_field_that_is_no_text(raw: bytes, expected: bool) -> None:
    assert matches(rule_of("USERID('José')"), letter({"user_identifier": decode_field(raw, "utf_8")})) is expected
    assert matches(rule_of("USERID('Jos?')"), letter({"user_identifier": decode_field(raw, "utf_8")}))

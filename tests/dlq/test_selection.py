"""Selection: which rule comes next, where it puts, and when a message is tried again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.dlq.rule import Rule
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.dlq.selection import Candidate, choose_rule, prepare_put, target_of
from mqtools.headers.chain import read_dlh
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.message import MQMD

from .dead_letters import letter


def rules_of(*lines: str) -> list[Rule]:
    return parse_rules_table("\n".join(lines)).rules


def lines_chosen(rules: list[Rule], candidate: Candidate, attempts: int) -> list[int | None]:
    chosen = [choose_rule(rules, candidate, attempt) for attempt in range(attempts)]
    return [rule.line if rule else None for rule in chosen]


@pytest.mark.conformance("BEY-75")
def test_rules_that_do_not_match_add_no_attempts() -> None:
    rules = rules_of("REASON(2051) ACTION(RETRY) RETRY(50)", "REASON(2053) ACTION(RETRY) RETRY(2)", "ACTION(DISCARD)")
    assert lines_chosen(rules, letter(reason=2053), 4) == [2, 2, 3, None]


@settings(deadline=None)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_each_rule_gets_its_attempts_in_turn(counts: list[int]) -> None:
    rules = rules_of(*(f"REASON(1) ACTION(RETRY) RETRY({count})" for count in counts))
    expected = [line for line, count in enumerate(counts, 1) for _ in range(count)]
    assert lines_chosen(rules, letter(reason=1), len(expected) + 1) == [*expected, None]


# Targets

ADDRESSED = letter(
    {"reply_to_q": "REPLIES", "reply_to_q_mgr": "QM3"}, dest_q_name="ORDERS\0\0", dest_q_mgr_name="QM2\0", reason=2053
)


@pytest.mark.conformance("BEY-72")
@pytest.mark.parametrize(
    ("action", "target"),
    [
        ("ACTION(RETRY)", ("ORDERS", "QM2")),
        ("ACTION(FWD) FWDQ(PARKED)", ("PARKED", "")),
        ("ACTION(FWD) FWDQ(PARKED) FWDQM(' ')", ("PARKED", "")),
        ("ACTION(FWD) FWDQ(PARKED) FWDQM(QM4)", ("PARKED", "QM4")),
        ("ACTION(FWD) FWDQ(&DESTQ)", ("ORDERS", "")),
        ("ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM)", ("ORDERS", "QM2")),
        ("ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM)", ("REPLIES", "QM3")),
        ("ACTION(FWD) FWDQ(PARKED) FWDQM(&REPLYQM)", ("PARKED", "QM3")),
        ("ACTION(DISCARD)", ("", "")),
        ("ACTION(IGNORE)", ("", "")),
    ],
)
def test_targets_are_names_or_taken_from_the_message_without_padding(action: str, target: tuple[str, str]) -> None:
    assert target_of(rules_of(action)[0], ADDRESSED) == target


def dead_letter() -> tuple[MQMD, bytes]:
    dlh = MQDLH(reason=2053, dest_q_name="ORDERS", encoding=273, coded_char_set_id=819, format="MQSTR")
    md = MQMD(format="MQDEAD", encoding=546, coded_char_set_id=1208, backout_count=3, put_appl_name="amqsput")
    return md, pack_mqdlh(dlh, 546, 1208) + b"hello"


@pytest.mark.conformance("BEY-73", "BEY-74")
@pytest.mark.parametrize("padding", ["", "\0", "\0x"])
@pytest.mark.parametrize("action", ["ACTION(RETRY)", "ACTION(FWD) FWDQ(A) HEADER(NO)"])
def test_a_removed_header_gives_format_encoding_and_ccsid_back(action: str, padding: str) -> None:
    md, data = dead_letter()
    data = data.replace(b"MQSTR" + b" " * len(padding), b"MQSTR" + padding.encode())
    dlh = read_dlh(md, data, keep_nulls=True)
    assert dlh.format == "MQSTR" + padding
    restored = md.replace(format="MQSTR", encoding=273, coded_char_set_id=819)
    assert prepare_put(rules_of(action)[0], md, data, dlh) == (restored, b"hello")

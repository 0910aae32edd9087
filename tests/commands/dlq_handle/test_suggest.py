"""``mqx dlq-handle --suggest``: a rules table for what lies there, and dead letters in the views of ``mqx sql``."""

from __future__ import annotations

import pytest

from mqtools.constants.reasons import MQRC_Q_FULL, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

DLQ = "DEV.DEAD.LETTER.QUEUE"


@pytest.fixture
def dead(qm):
    """Dead letters of three reasons, one with a destination that is no name, and a message without a header."""
    letters = [
        (MQRC_Q_FULL, "ORDERS"),
        (MQRC_Q_FULL, "ORDERS"),
        (MQRC_Q_FULL, "'\x1b[2J(*"),
        (MQRC_UNKNOWN_OBJECT_NAME, "NOPE"),
        (271, "lower.case"),
    ]
    with connect(qm) as connection:
        for reason, destination in letters:
            md, data = prefix_dlh(
                MQMD(format="MQSTR"), b"x", reason=reason, dest_q_name=destination, dest_q_mgr_name="QM1",
                put_appl_type=6, put_appl_name="app", put_date="20261124", put_time="08154233",
            )  # fmt: skip
            connection.put1(DLQ, Message(data, md))
        connection.put1(DLQ, Message(b"plain"))
    return qm


def test_the_table_is_taken_by_check(inline, dead):
    table = inline("dlq-handle", "--suggest", check=True).out
    done = inline("dlq-handle", "--check", stdin=table, check=True)
    assert "no mistakes" in done.err
    assert inline("dlq-handle", "--check", stdin=inline("dlq-handle", "--suggest", "--pos", "6").out).status == 0
    assert b"\x1b" not in table


def test_each_reason_and_destination_has_a_rule_with_a_comment(inline, dead):
    lines = inline("dlq-handle", "--suggest", check=True).out.decode().splitlines()
    assert "REASON(MQRC_Q_FULL) DESTQ('ORDERS') ACTION(RETRY) RETRY(5)" in lines
    assert "REASON(MQRC_UNKNOWN_OBJECT_NAME) DESTQ('NOPE') ACTION(RETRY) RETRY(1)" in lines
    assert any(line.startswith("* 2 messages, ") for line in lines)
    assert any("MQRC_Q_FULL: The queue holds" in line for line in lines)
    assert any("without a dead-letter header" in line for line in lines)
    assert "REASON(MQFB_QUIT) DESTQ('lower.case') ACTION(IGNORE)" in lines or "lower.case" in "".join(lines)


def test_the_table_rehearses_every_message_with_a_header(inline, dead):
    table = inline("dlq-handle", "--suggest", check=True).out
    done = inline("dlq-handle", "--dry-run", "-o", "plain", stdin=table).ended(9)
    assert [line.split("\t")[2] for line in done.out.decode().splitlines()].count("RETRY") == 4


def test_a_selection_restricts_it_and_nothing_is_3(inline, dead):
    text = inline("dlq-handle", "--suggest", "--reason", "MQRC_UNKNOWN_OBJECT_NAME", check=True).out
    assert b"MQRC_Q_FULL" not in text
    assert inline("dlq-handle", "DEV.QUEUE.1", "--suggest").status == 3
    assert inline("dlq-handle", "--suggest", "--summary").status == 2


def test_views_have_reason_and_destination(inline, dead):
    asked = "select reason, dest_q_name, count(*) from messages where dest_q_name in ('ORDERS', 'NOPE') group by 1, 2"
    assert inline("sql", asked, check=True).out == b"MQRC_Q_FULL\tORDERS\t2\nMQRC_UNKNOWN_OBJECT_NAME\tNOPE\t1\n"
    assert inline("sql", "select count(*) from messages where reason is null", check=True).out == b"1\n"

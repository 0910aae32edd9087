"""Output that looks like runmqsc's."""

from __future__ import annotations

import pytest

from mqtools.formats.mqsc.output import MESSAGES, display_block, echo, message, summary, syntax_error_block
from mqtools.formats.mqsc.script import parse_mqsc


def test_a_command_is_echoed_with_its_number():
    assert echo(12, "DEFINE QLOCAL(A) +\n  REPLACE", ["* why"]) == [
        "       : * why",
        "    12 : DEFINE QLOCAL(A) +",
        "       :   REPLACE",
    ]


def test_attributes_stand_in_two_columns():
    block = display_block(
        message("AMQ8409I"),
        [("QUEUE", "ORDERS"), ("TYPE", "QLOCAL"), ("DESCR", "Orders of today"), ("NOSHARE", None), ("BOQNAME", "")],
    )
    assert list(block) == [
        "AMQ8409I: Display Queue details.",
        "   QUEUE(ORDERS)                           TYPE(QLOCAL)",
        "   DESCR(Orders of today)                  NOSHARE",
        "   BOQNAME( )",
    ]


def test_an_attribute_of_38_characters_does_not_share_its_line():
    fits, wide = "Q" * 30, "Q" * 31
    assert list(display_block("T", [("QUEUE", fits), ("B", "2")]))[1:] == [f"   QUEUE({fits})   B(2)"]
    assert list(display_block("T", [("A", "1"), ("QUEUE", wide), ("B", "2")]))[1:] == [
        "   A(1)",
        f"   QUEUE({wide})",
        "   B(2)",
    ]


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        (
            (3, 0, 1),
            [
                "3 MQSC commands read.",
                "No commands have a syntax error.",
                "One valid MQSC command could not be processed.",
            ],
        ),
        (
            (1, 1, 0),
            [
                "One MQSC command read.",
                "One command has a syntax error.",
                "All valid MQSC commands were processed.",
            ],
        ),
        (
            (0, 0, 0),
            [
                "No MQSC commands read.",
                "No commands have a syntax error.",
                "All valid MQSC commands were processed.",
            ],
        ),
        (
            (9, 2, 3),
            [
                "9 MQSC commands read.",
                "2 commands have a syntax error.",
                "3 valid MQSC commands could not be processed.",
            ],
        ),
    ],
)
def test_the_counts_at_the_end_are_worded_like_runmqsc(counts, lines):
    assert summary(*counts) == lines


def test_messages_name_their_object():
    assert message("AMQ8006I") == "AMQ8006I: mqx queue created."
    assert message("AMQ8147E", "A.B") == "AMQ8147E: mqx object A.B not found."
    assert message("AMQ8147E") == "AMQ8147E: mqx object not found."


def test_every_message_number_has_its_severity():
    assert {number[-1] for number in MESSAGES} == {"I", "E"}
    assert all(number.startswith("AMQ8") and len(number) == 8 for number in MESSAGES)


def test_a_syntax_error_shows_the_segment_and_every_place():
    found = parse_mqsc("DEFINE QLOCAL(A) =5 MAXDEPTH()", "a.mqsc")
    assert syntax_error_block(found) == [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "DEFINE QLOCAL(A) =5",
        "a.mqsc:1:18: =5 is not a keyword",
        "a.mqsc:1:29: there is no value in the parentheses; a blank one is written (' ')",
    ]

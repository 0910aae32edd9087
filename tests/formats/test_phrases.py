"""Words that messages to people have in common."""

from __future__ import annotations

import pytest

from mqtools.constants.names import family
from mqtools.formats.phrases import counted, did_you_mean, grouped, nearest


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (counted(0), "0 messages"),
        (counted(1), "1 message"),
        (counted(12345), "12345 messages"),
        (counted(12345, "hit", in_groups=True), "12 345 hits"),
        (counted(1, "reply", "replies"), "1 reply"),
        (counted(2, "reply", "replies"), "2 replies"),
        (grouped(999), "999"),
        (grouped(1_234_567), "1 234 567"),
    ],
)
def test_a_number_has_its_noun(written: str, words: str) -> None:
    assert written == words


def test_what_was_probably_meant_is_the_nearest_word_if_any_is_near() -> None:
    assert did_you_mean(nearest("delte", ["delete", "define"])) == "did you mean delete?"
    assert did_you_mean(nearest("orders", ["NEW.ORDERS", "ORDERS"])) == "did you mean ORDERS?"
    assert did_you_mean(nearest("xyz", ["delete"])) is None
    assert nearest("delete" * 20, ["delete" * 20]) is None


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("MQRC_Q_FUL", "MQRC_Q_FULL"),
        ("MQRC_UNKNOWN_OBJET_NAME", "MQRC_UNKNOWN_OBJECT_NAME"),
        ("MQRC_BOGUS", None),
        ("MQFB_BOGUS", None),
    ],
)
def test_constants_are_not_near_because_they_are_of_one_family(word: str, meant: str | None) -> None:
    assert nearest(word, family("MQRC")) == meant


def test_of_words_equally_near_the_same_letters_and_then_the_shorter_are_meant() -> None:
    assert nearest("CAO", ["COD", "COA", "PAN"]) == "COA"
    assert nearest("RETRIES", ["RETRYINT", "RETRY", "REPLYQ"]) == "RETRY"

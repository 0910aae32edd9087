"""The letters of ``-d``, and the names that say the same."""

from __future__ import annotations

import pytest

from mqtools.formats.dump.display import LETTERS, Display, parse_display


@pytest.mark.parametrize(("letter", "name"), [(letter, name) for letter, name in LETTERS.items() if letter != "w"])
def test_every_letter_has_a_name_that_means_the_same_and_means_something(letter: str, name: str) -> None:
    assert parse_display([letter]) == parse_display([name]) != Display()


def test_letters_run_together_and_names_have_commas() -> None:
    display = parse_display(["pw40i"])
    assert (display.data, display.width, display.index) == ("printable", 40, True)
    assert parse_display(["printable,width=40,index"]) == display
    assert parse_display(["p", "index", "w40"]) == display


def test_nothing_given_is_hex_with_a_header_and_a_descriptor() -> None:
    display = parse_display([])
    assert (display.data, display.width, display.header, display.descriptor) == ("hex", 25, True, True)


def test_strings_win_over_a_column_of_characters() -> None:
    assert parse_display(["ap"]).data == "printable"


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("pt", "not as both"),
        ("A,p", "no letter ','"),
        ("invariant,text", "not as both"),
        ("z", "no letter 'z'"),
        ("printabel", "no letter 'r'"),
        ("w", "w needs a number"),
        ("w9", "at least 10"),
        ("width", "w needs a number"),
        ("index=3", "no letter"),
    ],
)
def test_what_makes_no_sense_is_said(word: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_display([word])

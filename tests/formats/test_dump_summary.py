"""Ages and sizes of messages, summed up or listed."""

from __future__ import annotations

import pytest

from mqtools.formats.dump.display import parse_display
from mqtools.formats.dump.summary import Summary, age_lines


def test_messages_are_counted_by_age_and_by_size_with_the_ends_of_both() -> None:
    summary = Summary(parse_display(["sM"]))
    for name, age_s, size in ((b"a", 5, 99), (b"b", 1.9, 100), (b"c", 90_000, 2_000_000), (b"d", 1.95, 100)):
        summary.add(name * 24, b"C" * 24, age_s, size)
    assert list(summary.lines()) == [
        "messages: 4",
        "age less than 2 s: 2",
        "age less than 10 s: 1",
        "age more: 1",
        f"youngest: 1s  MsgId {'62' * 24}",
        f"oldest: 1d01h  MsgId {'63' * 24}",
        "size less than 100 B: 1",
        "size less than 1 KB: 2",
        "size more: 1",
        f"smallest: 99 bytes  MsgId {'61' * 24}",
        f"biggest: 2000000 bytes  MsgId {'63' * 24}",
    ]


def test_correlation_identifiers_are_named_where_asked_for() -> None:
    summary = Summary(parse_display(["sC"]))
    summary.add(b"m" * 24, b"c" * 24, 1, 1)
    assert f"youngest: 1s  CorrelId {'63' * 24}" in list(summary.lines())


@pytest.mark.parametrize(
    ("age_s", "words"),
    [
        (0.4, "0 seconds"),
        (1, "1 second"),
        (86400 + 2 * 3600 + 61, "1 day, 2 hours, 1 minute, 1 second"),
    ],
)
def test_the_list_of_ages_has_them_in_words(age_s: float, words: str) -> None:
    assert age_lines(4, b"m" * 24, age_s) == f"4 {'6D' * 24}\n{words}\n\n".encode()

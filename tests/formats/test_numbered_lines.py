"""Lines of a file with their numbers, and paragraphs of it: each line comes once, in order, whatever is asked for."""

from __future__ import annotations

import os
import threading
from io import BytesIO

import pytest

from mqtools.formats import numbered_lines
from mqtools.formats.delimiters import TooLong
from mqtools.formats.numbered_lines import NumberedLines

BEGINNINGS = (b"A", b"* mqx {")


def test_lines_come_with_their_numbers_and_ends() -> None:
    assert list(NumberedLines(BytesIO(b"one\n\nthree"))) == [(1, b"one\n"), (2, b"\n"), (3, b"three")]


def test_a_line_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered_lines, "LONGEST_LINE", 4)
    file = BytesIO(b"one\n\ntwo\nthree\nfour\n")
    lines = NumberedLines(file)
    assert [next(lines)[1], next(lines)[1], next(lines)[1]] == [b"one\n", b"\n", b"two\n"]
    with pytest.raises(TooLong):
        next(lines)
    assert file.tell() == len(b"one\n\ntwo\nthree")


def test_a_paragraph_ends_at_a_blank_line_before_a_beginning() -> None:
    lines = NumberedLines(BytesIO(b"A 1\nX 1\n\n* mqx {}\n\nA 2\n\n"))
    taken = []
    while text := lines.paragraph(BEGINNINGS):
        lines.pass_over(text, text.count(b"\n"))
        taken.append((text, lines.number))
    assert taken == [(b"A 1\nX 1", 3), (b"* mqx {}", 5), (b"A 2", 7)]
    assert list(lines) == []


@pytest.mark.parametrize("text", [b"A 1\n\nX 2\n", b"A 1\n\n\n", b"A 1\n\n* mq", b"A 1\nX 1\n", b""])
def test_what_may_go_on_is_no_paragraph_and_is_read_line_by_line(text: bytes) -> None:
    lines = NumberedLines(BytesIO(text))
    assert lines.paragraph(BEGINNINGS) is None
    assert b"".join(line for _, line in lines) == text


def test_the_end_of_a_long_paragraph_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered_lines, "_LONGEST_PARAGRAPH", 10)
    monkeypatch.setattr(numbered_lines, "CHUNK", 4)
    file = BytesIO(b"A 12345678901234567890\n\nA 1\n\n")
    lines = NumberedLines(file)
    assert lines.paragraph(BEGINNINGS) is None
    assert file.tell() < 16
    assert next(lines) == (1, b"A 12345678901234567890\n")


@pytest.mark.parametrize("chunk", range(1, 12))
def test_a_line_that_was_given_back_comes_again_wherever_reads_end(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered_lines, "CHUNK", chunk)
    text = b"A one\nX 1\n\nB\nlast"
    lines = NumberedLines(BytesIO(text))
    lines.paragraph(BEGINNINGS)  # so that part of the file has been read
    found = []
    for number, line in lines:
        lines.give_back(line)
        assert lines.paragraph(BEGINNINGS) is None
        assert next(lines) == (number, line)
        found.append(line)
    assert b"".join(found) == text


def test_a_paragraph_that_is_complete_is_taken_from_a_pipe_at_once() -> None:
    read, write = os.pipe()
    with open(read, "rb") as file, open(write, "wb", buffering=0) as writer:
        writer.write(b"A 1\n\nA 2\n")
        lines = NumberedLines(file)
        assert lines.paragraph(BEGINNINGS) == b"A 1"
        lines.pass_over(b"A 1", 0)
        later = threading.Timer(0.01, writer.write, [b"\nA 3\n"])
        later.start()
        assert lines.paragraph(BEGINNINGS) == b"A 2"
        later.join()

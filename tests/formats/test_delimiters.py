"""Splitting a stream into messages."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats import delimiters
from mqtools.formats.delimiters import TooLong, split_stream


def reader(data: bytes, sizes: list[int] | None = None) -> Callable[[int], bytes]:
    """A stream that hands out its data in pieces of the sizes given, over and over."""
    steps = iter(sizes or [])
    position = 0

    def read(limit: int) -> bytes:
        nonlocal position, steps
        step = min(limit, next(steps, 0) or (sizes[0] if sizes else limit))
        position += step
        return data[position - step : position]

    return read


def expected(data: bytes, delimiter: bytes) -> list[bytes]:
    pieces = data.split(delimiter)
    return pieces if pieces[-1] else pieces[:-1]


@given(
    st.text("ab\r\n", max_size=60).map(str.encode),
    st.text("ab\n", min_size=1, max_size=4).map(str.encode),
    st.lists(st.integers(1, 5), min_size=1),
)
def test_splitting_is_what_bytes_split_does_whatever_the_chunks(
    data: bytes, delimiter: bytes, sizes: list[int]
) -> None:
    assert list(split_stream(reader(data, sizes), delimiter)) == expected(data, delimiter)


@pytest.mark.parametrize(
    ("data", "pieces"),
    [
        (b"", []), (b"\n", [b""]), (b"a", [b"a"]), (b"a\n", [b"a"]), (b"a\n\nb", [b"a", b"", b"b"]),
        (b"\n\n", [b"", b""]), (b"a\0b\n", [b"a\0b"]),
    ],
)  # fmt: skip
def test_empty_pieces_count_and_a_final_delimiter_adds_none(data: bytes, pieces: list[bytes]) -> None:
    assert list(split_stream(reader(data), b"\n")) == pieces


def test_one_carriage_return_in_front_of_the_delimiter_goes_only_when_asked() -> None:
    data = b"a\r\nb\r\r\n\r\nc\rd\ne\r"
    assert list(split_stream(reader(data), b"\n", strip_cr=True)) == [b"a", b"b\r", b"", b"c\rd", b"e\r"]
    assert list(split_stream(reader(data), b"\n")) == [b"a\r", b"b\r\r", b"\r", b"c\rd", b"e\r"]


def test_a_carriage_return_of_the_message_before_is_not_touched() -> None:
    assert list(split_stream(reader(b"\r\n\n", [1]), b"\n", strip_cr=True)) == [b"", b""]


def test_a_piece_comes_before_the_stream_goes_on() -> None:
    def read(_limit: int, chunks: list[bytes] = [b"first\nsec"]) -> bytes:  # noqa: B006  # its memory
        if chunks:
            return chunks.pop()
        pytest.fail("asked for more before the first message was taken")

    assert next(split_stream(read, b"\n")) == b"first"


def test_no_read_asks_for_more_than_a_chunk() -> None:
    asked = []

    def read(limit: int) -> bytes:
        asked.append(limit)
        return b"x" * limit if len(asked) < 4 else b""

    assert [len(piece) for piece in split_stream(read, b"\n")] == [3 * delimiters.CHUNK]
    assert set(asked) == {delimiters.CHUNK}


def test_an_empty_delimiter_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="empty"):
        split_stream(reader(b"a"), b"")


@given(st.lists(st.integers(1, 9), min_size=1))
def test_a_piece_that_is_too_long_comes_to_light_after_those_before_it(sizes: list[int]) -> None:
    pieces = split_stream(reader(b"one||four\r|||fives||six", sizes), b"||", strip_cr=True, most=4)
    assert [next(pieces), next(pieces)] == [b"one", b"four"]
    with pytest.raises(TooLong):
        next(pieces)


def test_a_piece_without_end_is_not_waited_for() -> None:
    with pytest.raises(TooLong):
        next(split_stream(lambda limit: b"x" * limit, b"\n", most=3 * delimiters.CHUNK))

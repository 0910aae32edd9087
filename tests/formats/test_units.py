"""Quantities as people write them."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats import units

#: Function to what its errors match, and texts that it refuses.
REFUSED = {
    units.parse_duration_s: (
        "duration",
        ["", "s", "-5s", "5x", "1h30", "1.2.3s", ".", "nan", "inf", "1e3", "５s", "5M", "9" * 400, "100001d"],
    ),
    units.parse_expiry: ("expiry|duration|no unit", ["0", "0s", "0t", "-2", "600", "1.1", "200w", "forever"]),
    units.parse_size: ("size|whole number", ["", "k", "-1", "4MX", "1.2", "1e3", "0x10"]),
    units.parse_percent: ("percentage", ["", "%", "101%", "-1%", "80%%", "nan"]),
}


@pytest.mark.parametrize(("parse", "text"), [(parse, text) for parse in REFUSED for text in REFUSED[parse][1]])
def test_what_is_no_quantity_is_refused(parse: Callable[[str], float], text: str) -> None:
    with pytest.raises(ValueError, match=REFUSED[parse][0]):
        parse(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30), ("5m", 300), ("2h", 7200), ("1d", 86400), ("1w", 604800), ("500ms", 0.5), ("7", 7),
        ("0", 0), ("1.5h", 5400), (" 2 m ", 120),
    ],
)  # fmt: skip
def test_a_duration_is_read_into_seconds(text: str, seconds: float) -> None:
    assert units.parse_duration_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "tenths"),
    [
        ("30s", 300),
        ("unlimited", -1),
        ("UNLIMITED", -1),
        ("-1", -1),
        ("1s", 10),
        ("1.1s", 11),
        ("300t", 300),
        ("3.5t", 4),
        ("50ms", 1),
        ("2h", 72000),
    ],
)
def test_an_expiry_is_read_into_tenths_of_a_second(text: str, tenths: int) -> None:
    assert units.parse_expiry(text) == tenths


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096), ("4k", 4096), ("4K", 4096), ("4kB", 4000), ("4KiB", 4096), ("4MiB", 4 << 20),
        ("4MB", 4_000_000), ("1.5k", 1536), ("0", 0), ("1g", 1 << 30), ("10 B", 10),
    ],
)  # fmt: skip
def test_a_size_is_read_into_bytes(text: str, size: int) -> None:
    assert units.parse_size(text) == size


def test_a_percentage_is_read_with_and_without_its_sign() -> None:
    assert [units.parse_percent(text) for text in ("80%", "80", " 99.5 % ", "0%", "100%")] == [80, 80, 99.5, 0, 100]


@pytest.mark.parametrize("text", ["414d51", "414D51", "X'414D51'", "x'414d51'", "0x414D51", " 414D51 "])
def test_an_identifier_is_read_in_every_spelling_and_padded_on_the_right(text: str) -> None:
    assert units.parse_id(text) == b"AMQ".ljust(24, b"\0")
    assert units.parse_id(text, prefix=True) == b"AMQ"


@given(st.binary(min_size=24, max_size=24))
def test_an_identifier_of_full_length_is_read_exactly(identifier: bytes) -> None:
    assert units.parse_id(identifier.hex()) == units.parse_id(f"X'{identifier.hex().upper()}'") == identifier


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not an identifier"), ("X''", "not an identifier"), ("xyz", "not an identifier"), ("41 42", "not an id"),
        ("X'41", "not an identifier"), ("414", "odd"), ("00" * 25, "longer than the 24 bytes"),
    ],
)  # fmt: skip
def test_a_bad_identifier_is_refused_with_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        units.parse_id(text)


def test_the_length_of_an_identifier_can_be_given() -> None:
    assert units.parse_id("01", 32) == b"\x01" + bytes(31)


def test_sizes_are_shown_in_the_biggest_fitting_unit() -> None:
    sizes = [0, 1023, 1024, 1536, 1024 * 1024 - 1, 5 << 30, 3 << 50]
    assert [units.human_bytes(size) for size in sizes] == [
        "0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "5.0 GiB", "3072.0 TiB",
    ]  # fmt: skip


def test_ages_are_shown_in_their_two_biggest_units() -> None:
    ages = [-3, 0.9, 42, 303, 7500, 86400 * 3 + 4 * 3600 + 59]
    assert [units.human_age(age) for age in ages] == ["0s", "0s", "42s", "5m03s", "2h05m", "3d04h"]


def test_the_put_time_is_read_to_the_hundredth() -> None:
    expected = datetime(2026, 11, 20, 8, 15, 42, 330_000, tzinfo=UTC)
    at = units.put_at_ms("20261120", "08154233")
    assert at == int(expected.timestamp() * 1000)
    assert units.rfc3339(at) == "2026-11-20T08:15:42.330Z"


def test_an_identifier_can_be_text_that_programs_pad_with_blanks_or_zeros() -> None:
    assert units.parse_ids("text:ORDER-1") == (b"ORDER-1".ljust(24), b"ORDER-1".ljust(24, b"\0"))
    assert units.parse_ids("text:" + "x" * 24) == (b"x" * 24,)
    assert units.parse_ids("AB") == (b"\xab",)
    for text in ("text:", "text:" + "x" * 25, "text:" + "ä" * 13, "ORDER-1", "text"):
        with pytest.raises(ValueError):
            units.parse_ids(text)


@pytest.mark.parametrize(
    ("put_date", "put_time"),
    [("", ""), ("20261320", "08154233"), ("20260230", "08154233"), ("20261120", "24000000"), ("2026112", "008154233"),
     ("20261120", "0815423x"), ("２０２６1120", "08154233"), ("00000101", "00000000")],
)  # fmt: skip
def test_fields_without_a_time_give_none(put_date: str, put_time: str) -> None:
    assert units.put_at_ms(put_date, put_time) is None


@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)))
def test_put_time_and_rfc3339_agree_with_the_calendar(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 10000 * 10000)
    at = units.put_at_ms(f"{moment:%Y%m%d}".rjust(8, "0"), f"{moment:%H%M%S}{moment.microsecond // 10000:02}")
    assert at is not None
    assert units.rfc3339(at) == moment.isoformat(timespec="milliseconds") + "Z"


def test_a_time_outside_the_calendar_is_refused() -> None:
    with pytest.raises(ValueError):
        units.rfc3339(1 << 62)

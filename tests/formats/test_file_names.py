"""Names of files with places to fill in."""

from __future__ import annotations

import time

import pytest

from mqtools.formats.file_names import fill_name, is_numbered, pieces_of

NUMBERS = {"index": 7, "written": 3, "file": 12}
AT = time.struct_time((2026, 1, 5, 4, 9, 8, 0, 5, 0))


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("a%n.dump", "a12.dump"),
        ("%N", "00012"),
        ("%i-%I-%o-%O", "7-00007-3-00003"),
        ("100%%", "100%"),
        ("%yy-%mm-%dd", "2026-01-05"),
        ("%y%m%d", "2615"),
        ("%HH%M%S %H %hh", "040908 4 04"),
        ("%j%mmm", "005Jan"),
        ("plain/name", "plain/name"),
        ("%n%n", "1212"),
    ],
)
def test_places_are_filled(name: str, full: str) -> None:
    assert fill_name(pieces_of(name), NUMBERS, AT) == full


def test_a_name_with_a_number_in_it_is_one_of_many() -> None:
    assert [is_numbered(pieces_of(name)) for name in ("a%n", "%I", "%yy", "%%n", "n")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("name", ["50%", "a%x", "%q%n"])
def test_a_place_that_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="has no meaning"):
        pieces_of(name)

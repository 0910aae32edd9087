"""Names of MQ objects, and generic names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.rules.object_names import matches_name


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*", "ANY", True),
        ("*", "", True),
        ("A*", "AB", True),
        ("A*", "BA", False),
        ("A", "A", True),
        ("A", "AB", False),
        ("*.DLQ", "X.DLQ", True),
        ("A*B*C", "AxBxC", True),
        ("A*B*C", "AxC", False),
        ("AB*BA", "ABA", False),
        ("a*", "A", False),
        ("A.*", "AXB", False),
    ],
)
def test_an_asterisk_stands_for_any_characters(pattern, name, fits):
    assert matches_name(pattern, name) is fits


@given(st.lists(st.text("AB"), min_size=1, max_size=4), st.lists(st.text("AB"), min_size=3, max_size=3))
def test_what_is_made_from_a_pattern_fits_it(pieces, fillings):
    name = "".join(piece + filling for piece, filling in zip(pieces, [*fillings, ""], strict=False))
    if len(pieces) < 4:
        name = name[: len(name) - len(fillings[len(pieces) - 1])]
    assert matches_name("*".join(pieces), name)

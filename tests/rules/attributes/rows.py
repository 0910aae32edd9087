"""Rows of the table of attributes."""

from __future__ import annotations

from mqtools.rules.attributes.table import Attribute, by_keyword


def row_of(object_type: str, keyword: str) -> Attribute:
    """Return the attribute of a type of object that has a keyword."""
    row = by_keyword(object_type, keyword)
    assert row is not None
    return row

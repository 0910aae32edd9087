"""Which topic object says what a publication must reach."""

from __future__ import annotations

import pytest

from mqtools.constants import cmqc
from mqtools.rules.publication_delivery import BASE, delivery_of, must_reach

ALL, DURABLE, AVAILABLE, PARENT = cmqc.MQDLV_ALL, cmqc.MQDLV_ALL_DUR, cmqc.MQDLV_ALL_AVAIL, cmqc.MQDLV_AS_PARENT


@pytest.mark.parametrize(
    ("topic", "expected"),
    [("a", AVAILABLE), ("a/b", ALL), ("a/b/c", ALL), ("a/bc", AVAILABLE), ("x", DURABLE), ("dev/x", ALL)],
)
def test_the_nearest_object_with_a_value_of_its_own_counts(topic: str, expected: int) -> None:
    objects = [("", DURABLE), ("a", AVAILABLE), ("a/b", ALL), ("a/b/c", PARENT), ("dev/", ALL)]
    assert delivery_of(topic, cmqc.MQIA_PM_DELIVERY, objects) == expected


@pytest.mark.parametrize("attribute", BASE)
def test_without_any_the_base_topics_own_values_count(attribute: int) -> None:
    assert delivery_of("a", attribute, []) == delivery_of("a", attribute, [("a", PARENT), ("", 99)]) == BASE[attribute]


def test_who_must_be_reached() -> None:
    table = {value: (must_reach(value, is_durable=True), must_reach(value, is_durable=False)) for value in (1, 2, 3)}
    assert table == {ALL: (True, True), DURABLE: (True, False), AVAILABLE: (False, False)}

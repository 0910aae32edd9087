"""Which topic object sets an attribute of a topic."""

from __future__ import annotations

import pytest

from mqtools.constants import cmqc
from mqtools.rules.attributes.topic import BASE, inherited

ALL, DURABLE, AVAILABLE, PARENT = cmqc.MQDLV_ALL, cmqc.MQDLV_ALL_DUR, cmqc.MQDLV_ALL_AVAIL, cmqc.MQDLV_AS_PARENT
DELIVERY = cmqc.MQIA_PM_DELIVERY


@pytest.mark.parametrize(
    ("topic", "expected"),
    [("a", AVAILABLE), ("a/b", ALL), ("a/b/c", ALL), ("a/bc", AVAILABLE), ("x", DURABLE), ("dev/x", ALL)],
)
def test_the_nearest_object_with_a_value_of_its_own_counts(topic: str, expected: int) -> None:
    objects = [("", DURABLE), ("a/b/c", PARENT), ("a", AVAILABLE), ("a/b", ALL), ("dev/", ALL)]
    assert inherited(topic, [(string, {DELIVERY: value}) for string, value in objects])[DELIVERY] == expected


def test_without_any_the_base_topics_own_values_count() -> None:
    assert inherited("a", []) == inherited("a", [("a", {DELIVERY: PARENT}), ("b", {DELIVERY: ALL})]) == BASE


def test_each_attribute_is_inherited_separately() -> None:
    near, far = {cmqc.MQIA_DEF_PRIORITY: 0}, {cmqc.MQIA_DEF_PRIORITY: 5, cmqc.MQIA_INHIBIT_PUB: 1}
    found = inherited("a/b", [("a", far), ("a/b", near)])
    assert (found[cmqc.MQIA_DEF_PRIORITY], found[cmqc.MQIA_INHIBIT_PUB]) == (0, 1)

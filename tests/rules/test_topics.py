"""Topic strings and the wildcards of subscriptions."""

from __future__ import annotations

import pytest

from mqtools.constants.reasons import MQRC_TOPIC_STRING_ERROR
from mqtools.rules.topics import is_at_or_above, literal_levels, matches, topic_string

from ..errors import fails


@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("a/b", "a/b", True),
        ("a/b", "a/b/c", False),
        ("a/+", "a/b", True),
        ("a/+", "a/b/c", False),
        ("a/+", "a", False),
        ("+/b", "a/b", True),
        ("#", "a/b/c", True),
        ("a/#", "a", True),
        ("a/#", "a/b/c", True),
        ("a/#", "ab", False),
        ("a/#/z", "a/z", True),
        ("a/#/z", "a/b/c/z", True),
        ("a/#/z", "a/b/c", False),
        ("#/b/#/d", "a/b/c/b/d", True),
        ("a+/b", "ax/b", False),
        ("a+/b", "a+/b", True),
        ("a/*", "a/b", False),
        ("%a", "a", False),
        ("/a", "a", False),
        ("", "a", False),
    ],
)
def test_wildcards_of_levels_stand_for_whole_levels(pattern, topic, expected):
    assert matches(pattern, topic) is expected


@pytest.mark.parametrize(
    ("pattern", "topic", "expected"),
    [
        ("a*", "a/b/c", True),
        ("*c", "a/b/c", True),
        ("a*c*e", "abcde", True),
        ("a*c*e", "abcd", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("a/#", "a/b", False),
        ("a/+", "a/+", True),
        ("a%*", "a*", True),
        ("a%*", "ab", False),
        ("a%?b", "a?b", True),
        ("100%%", "100%", True),
    ],
)
def test_wildcards_of_characters_do_not_care_for_levels(pattern, topic, expected):
    assert matches(pattern, topic, by_character=True) is expected


@pytest.mark.timeout(5)
def test_many_wildcards_do_not_take_for_ever():
    assert not matches("/".join(["#", "a"] * 200), "/".join(["a"] * 2000 + ["b"]))


@pytest.mark.parametrize(
    ("of_object", "added", "whole"),
    [("", "a/b", "a/b"), ("dev", "", "dev"), ("dev", "x", "dev/x"), ("dev", "/x", "dev/x")],
)
def test_a_string_is_added_to_that_of_an_object(of_object, added, whole):
    assert topic_string(of_object, added) == whole


@pytest.mark.parametrize("added", ["", "x" * 10241])
def test_a_topic_needs_a_string_that_is_not_too_long(added):
    with fails(MQRC_TOPIC_STRING_ERROR):
        topic_string("", added)


@pytest.mark.parametrize(
    ("string", "topic", "expected"),
    [
        ("", "a/b", True),
        ("", "", True),
        ("a", "a", True),
        ("a/", "a/b", True),
        ("a", "a/b/c", True),
        ("a", "ab", False),
        ("a/b", "a", False),
        ("a", "/a", False),
    ],
)
def test_an_object_is_above_a_topic_by_whole_levels(string, topic, expected):
    assert is_at_or_above(string, topic) is expected


@pytest.mark.parametrize(
    ("pattern", "by_character", "levels"),
    [
        ("a/b", False, "a/b"),
        ("a/#", False, "a"),
        ("a/+/b", False, "a"),
        ("#", False, ""),
        ("a*/b", False, "a*/b"),
        ("a+/#", False, "a+"),
        ("a/b*", True, "a"),
        ("a/b/?", True, "a/b"),
        ("*", True, ""),
        ("a/#", True, "a/#"),
        ("a/b%*", True, "a/b*"),
        ("a%%/b%*c*", True, "a%"),
    ],
)
def test_the_levels_before_a_wildcard_are_where_authority_counts(pattern, by_character, levels):
    assert literal_levels(pattern, by_character=by_character) == levels

"""The catalogue as mqx explain reads it: rules, areas, places, and what may have been meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.explanations import rules
from mqtools.explanations.rules import complete, find_area, find_rule, read_catalogue, read_places, suggest

ROOT = Path(rules.__file__).parents[2]


@pytest.mark.parametrize("text", ["BROWSE-11", "browse-11", " Browse-011 "], ids=["upper", "lower", "mixed"])
def test_a_rule_is_found_by_its_id_in_any_case(text):
    rule = find_rule(text)
    assert rule is not None
    assert (rule.id, rule.source) == ("BROWSE-11", "MQGMO, Options")
    assert "cursor" in rule.sentence


def test_a_number_needs_no_leading_zeros():
    assert find_rule("OPTP-7") == find_rule("OPTP-007")


def test_a_rule_has_the_reasons_platforms_and_source_that_the_catalogue_names():
    assert find_rule("BEY-19").reasons == ("MQRC_MSG_SEQ_NUMBER_ERROR", "MQRC_OFFSET_ERROR")
    assert find_rule("AVAIL-15").only_on == "z/OS"
    assert find_rule("WAIT-43").not_applicable == "there is no shared queue"
    assert find_rule("LIFE-34").source == "MQ Everyplace, browse and lock"


@pytest.mark.parametrize(
    "text", ["", "BROWSE", "BROWSE-", "BROWSE-0", "browse-99", "BROWS-11", "11", "BROWSE-1²", "-11"]
)
def test_no_other_text_is_a_rule(text):
    assert find_rule(text) is None


def test_an_area_is_found_by_its_prefix_in_any_case():
    area = find_area("lock")
    assert (area.prefix, len(area.rules), area.rules[-1].id) == ("LOCK", 39, "LOCK-39")
    assert area.title
    assert find_area("LOC") is None


def test_ids_begin_with_the_prefix_of_their_area():
    for area in read_catalogue():
        assert {rule.id.rpartition("-")[0] for rule in area.rules} == {area.prefix}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("browse-99", ["BROWSE-61", "BROWSE-60", "BROWSE-59"]),
        ("brows-11", ["BROWSE-11", "BROWSE-10", "BROWSE-12"]),
        ("LOCKS", ["LOCK"]),
        ("OPTX-3", ["OPT-03", "OPTP-003", "OPTN-03"]),
        ("MQRC_Q_FUL", []),
        ("2033", []),
        ("zzzzz", []),
        ("", []),
    ],
)
def test_what_resembles_a_rule_is_suggested(text, first):
    assert suggest(text) == first


@pytest.mark.parametrize(
    ("beginning", "offered"),
    [
        ("OPT", ["OPT", "OPTA", "OPTC", "OPTM", "OPTN", "OPTP"]),
        ("OPTC", ["OPTC", "OPTC-01", "OPTC-02", "OPTC-03", "OPTC-04"]),
        ("OPTC-", ["OPTC-01", "OPTC-02", "OPTC-03", "OPTC-04"]),
        ("NOPE", []),
        ("NOPE-", []),
    ],
)
def test_completion_offers_areas_and_then_the_ids_of_one(beginning, offered):
    assert complete(beginning) == offered


def test_places_are_modules_and_tests_of_the_project():
    places = read_places()
    assert set(places) == {rule.id for area in read_catalogue() for rule in area.rules}
    assert "mqtools/rules/options/get.py" in places["OPTP-100"].implemented
    assert all((ROOT / path).is_file() for place in places.values() for path in place.implemented)


@given(st.text(max_size=20))
def test_any_text_is_answered_without_an_error(text):
    find_rule(text)
    find_area(text)
    assert len(suggest(text)) <= 3
    complete(text)

"""Reading and writing the values of attributes, the parameters of DEFINE and ALTER, and filters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import objects, options
from mqtools.rules.attributes.table import (
    INTEGER,
    attributes_of,
    display_pair,
    format_value,
    meets,
    parse_parameter,
    parse_value,
)

from .rows import row_of

TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QUEUE", "QMGR")
ROWS = [
    pytest.param(row, id=f"{object_type}-{row.name}") for object_type in TYPES for row in attributes_of(object_type)
]


@pytest.mark.parametrize(
    ("object_type", "keyword", "text", "value"),
    [
        ("QLOCAL", "MAXDEPTH", "0", 0),
        ("QLOCAL", "MAXDEPTH", " 999999999 ", 999999999),
        ("QLOCAL", "GET", "DISABLED", objects.MQQA_GET_INHIBITED),
        ("QLOCAL", "GET", "ENABLED", objects.MQQA_GET_ALLOWED),
        ("QLOCAL", "PUT", "disabled", objects.MQQA_PUT_INHIBITED),
        ("QLOCAL", "DEFSOPT", "EXCL", options.MQOO_INPUT_EXCLUSIVE),
        ("QLOCAL", "NPMCLASS", "HIGH", 10),
        ("QLOCAL", "PROPCTL", "V6COMPAT", 4),
        ("QLOCAL", "USAGE", "XMITQ", 1),
        ("QLOCAL", "JOURNAL", "BODY", 2),
        ("QLOCAL", "CAPEXPRY", "NOLIMIT", -1),
        ("QLOCAL", "SHARE", None, 1),
        ("QLOCAL", "SHARE", "NOSHARE", 0),
        ("QLOCAL", "DESCR", "  two  ", "  two"),
        ("QLOCAL", "DESCR", " ", ""),
        ("QLOCAL", "BOQNAME", "App.Backout/1_%", "App.Backout/1_%"),
        ("QMODEL", "DEFTYPE", "PERMDYN", objects.MQQDT_PERMANENT_DYNAMIC),
        ("QMGR", "EXPRYINT", "OFF", 0),
        ("QMGR", "PROFILE", "ZOS", "zos"),
    ],
)
def test_a_value_is_read(object_type, keyword, text, value):
    assert parse_value(row_of(object_type, keyword), text) == value


@pytest.mark.parametrize(
    ("object_type", "keyword", "text", "words"),
    [
        ("QLOCAL", "MAXDEPTH", "1000000000", "MAXDEPTH must be 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "-1", "MAXDEPTH must be 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "٣", "MAXDEPTH must be 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", "9" * 5000, "MAXDEPTH must be 0 to 999999999"),
        ("QLOCAL", "MAXDEPTH", None, "MAXDEPTH needs a value"),
        ("QLOCAL", "CAPEXPRY", "0", "CAPEXPRY must be 1 to 999999999 or NOLIMIT"),
        ("QLOCAL", "GET", "YES", "GET must be ENABLED or DISABLED"),
        ("QLOCAL", "TRIGTYPE", "LAST", "TRIGTYPE must be FIRST, EVERY, DEPTH or NONE"),
        ("QLOCAL", "DESCR", "x" * 65, "DESCR must be at most 64 bytes long"),
        ("QLOCAL", "DESCR", "ü" * 33, "DESCR must be at most 64 bytes long"),
        ("QLOCAL", "DESCR", "\udc80", "DESCR has bytes that are not text"),
        ("QLOCAL", "BOQNAME", "A B", "BOQNAME must be a name"),
        ("QLOCAL", "BOQNAME", "SYS*", "BOQNAME must be a name"),
        ("QLOCAL", "QUEUE", "", "QUEUE must be 1 to 48 bytes long"),
        ("QLOCAL", "STREAMQ", "COPY", "STREAMQ must be blank"),
        ("QMODEL", "DEFTYPE", "PREDEFINED", "DEFTYPE must be PERMDYN or TEMPDYN"),
        ("QMGR", "MAXMSGL", "100", "MAXMSGL must be 32768 to 104857600"),
    ],
)
def test_a_bad_value_is_refused_in_words(object_type, keyword, text, words):
    with pytest.raises(ValueError) as caught:
        parse_value(row_of(object_type, keyword), text)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("row", ROWS)
def test_every_word_reads_back(row):
    for word, value in row.words:
        assert parse_value(row, word) == value
        assert format_value(row, value) == word


@given(st.sampled_from([row for row in attributes_of("QUEUE") if row.kind == INTEGER]), st.data())
def test_every_number_within_the_limits_reads_back(row, data):
    number = data.draw(st.integers(row.minimum, row.maximum))
    assert parse_value(row, format_value(row, number)) == number


@given(st.sampled_from([*attributes_of("QUEUE"), *attributes_of("QMGR")]), st.text())
def test_any_text_is_a_value_or_a_plain_refusal(row, text):
    refusal, value = None, None
    try:
        value = parse_value(row, text)
    except ValueError as error:
        refusal = error
    if refusal is None:
        assert parse_value(row, format_value(row, value)) == value
    else:
        assert not isinstance(refusal, UnicodeError)
        assert str(refusal).startswith(row.keyword)


def test_an_unknown_number_is_shown_as_a_number():
    assert format_value(row_of("QLOCAL", "TRIGTYPE"), 77) == "77"


@pytest.mark.parametrize(
    ("keyword", "value", "pair"),
    [
        ("SHARE", 0, ("NOSHARE", None)),
        ("TRIGGER", 1, ("TRIGGER", None)),
        ("MAXDEPTH", 5000, ("MAXDEPTH", "5000")),
        ("TARGQ", "A", ("TARGET", "A")),
        ("DESCR", "", ("DESCR", "")),
    ],
)
def test_display_shows_keyword_and_value(keyword, value, pair):
    assert display_pair(row_of("QUEUE", keyword), value) == pair


# Parameters of DEFINE and ALTER


@pytest.mark.parametrize(
    ("keyword", "values", "name", "value"),
    [
        ("MAXDEPTH", ("10",), "max_q_depth", 10),
        ("NOSHARE", None, "shareability", 0),
        ("SHARE", None, "shareability", 1),
        ("DESCR", ("a b",), "q_desc", "a b"),
    ],
)
def test_a_parameter_sets_an_attribute(keyword, values, name, value):
    attribute, got = parse_parameter("QLOCAL", keyword, values)
    assert (attribute.name, got) == (name, value)


@pytest.mark.parametrize(
    ("keyword", "values", "words"),
    [
        ("MAXDPTH", ("10",), "MAXDPTH is not an attribute of QLOCAL; did you mean MAXDEPTH?"),
        ("TARGET", ("A",), "TARGET is not an attribute of QLOCAL"),
        ("CURDEPTH", ("10",), "CURDEPTH can be displayed, not set"),
        ("NOSHARE", ("YES",), "NOSHARE takes no value"),
        ("DESCR", ("A", "B"), "DESCR takes one value"),
        ("MAXDEPTH", None, "MAXDEPTH needs a value"),
    ],
)
def test_a_bad_parameter_is_refused_in_words(keyword, values, words):
    with pytest.raises(ValueError) as caught:
        parse_parameter("QLOCAL", keyword, values)
    assert str(caught.value).startswith(words)


# WHERE


@pytest.mark.parametrize(
    ("keyword", "operator", "wanted", "value", "passes"),
    [
        ("CURDEPTH", "GT", "0", 1, True),
        ("CURDEPTH", "GT", "0", 0, False),
        ("CURDEPTH", "GE", "5", 5, True),
        ("CURDEPTH", "LT", "5", 4, True),
        ("CURDEPTH", "LE", "5", 6, False),
        ("CURDEPTH", "NE", "10", 9, True),
        ("USAGE", "EQ", "XMITQ", 1, True),
        ("USAGE", "NE", "XMITQ", 1, False),
        ("SHARE", "EQ", "NOSHARE", 0, True),
        ("SHARE", "EQ", "YES", 1, True),
        ("DESCR", "LK", "my*", "my queue", True),
        ("DESCR", "NL", "my*", "my queue", False),
        ("PROCESS", "EQ", "", "", True),
        ("PROCESS", "NE", " ", "P", True),
        ("CAPEXPRY", "EQ", "NOLIMIT", -1, True),
    ],
)
def test_a_filter_compares(keyword, operator, wanted, value, passes):
    assert meets(row_of("QLOCAL", keyword), operator, wanted, value) is passes


@pytest.mark.parametrize(
    ("keyword", "operator", "wanted", "value"),
    [
        ("CURDEPTH", "LK", "1*", 1),
        ("CURDEPTH", "GT", "many", 1),
        ("USAGE", "GT", "XMITQ", 1),
        ("USAGE", "EQ", "OTHER", 1),
        ("DESCR", "CT", "x", "x"),
    ],
)
def test_a_filter_that_does_not_suit_is_refused(keyword, operator, wanted, value):
    with pytest.raises(ValueError, match=keyword):
        meets(row_of("QLOCAL", keyword), operator, wanted, value)

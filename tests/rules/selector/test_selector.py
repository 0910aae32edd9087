"""Selection of messages by selectors."""

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.message import MQMD, Property
from mqtools.rules.selector.selector import compile_selector

TYPES = {
    bool: p.MQTYPE_BOOLEAN,
    int: p.MQTYPE_INT64,
    float: p.MQTYPE_FLOAT64,
    str: p.MQTYPE_STRING,
    bytes: p.MQTYPE_BYTE_STRING,
    type(None): p.MQTYPE_NULL,
}

#: One message; ``missing`` is none of its properties.
VALUES = {
    "colour": "red",
    "title": "it's 100% _new_\nhere",
    "size": 7,
    "weight": 2.5,
    "zero": 0,
    "urgent": True,
    "done": False,
    "token": b"\x0a\xff",
    "none": None,
    "usr.folder": "given",
    "android": 1,
    "a.b_c.$d": 4,
    "größe": 1,
}


def properties(values):
    return {name: Property(TYPES[type(value)], value) for name, value in values.items()}


def selects(text, md=None, values=VALUES, more=None):
    return compile_selector(text).matches(md or MQMD(), properties(values), more=more)


def known(text):
    """The verdict on one condition with the three truth values told apart."""
    return True if selects(text) else False if selects(f"NOT ({text})") else None


@pytest.mark.conformance("BEY-78")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # comparison
        ("colour = 'red'", True),
        ("colour = 'Red'", False),
        ("colour <> 'blue'", True),
        ("'red' = colour", True),
        ("size = 7", True),
        ("size > 6", True),
        ("size > 7", False),
        ("size >= 7", True),
        ("size < 7", False),
        ("size <= 7.0", True),
        ("weight = 2.5", True),
        ("weight = 25E-1", True),
        ("weight <> .25e+1", False),
        ("size = 7L", True),
        ("size = 07", True),
        ("010 = 8", True),
        ("size = 0x7", True),
        ("size = +7", True),
        ("- size = -7", True),
        ("zero = -0", True),
        ("1.5E3 = 1500", True),
        # logic, and how tightly it binds
        ("size = 7 AND colour = 'red'", True),
        ("size = 7 AND colour = 'blue'", False),
        ("size = 1 OR colour = 'red'", True),
        ("NOT size = 1", True),
        ("NOT size = 7 OR colour = 'red'", True),
        ("NOT (size = 7 OR colour = 'red')", False),
        ("size = 7 OR size = 1 AND colour = 'blue'", True),
        ("(size = 7 OR size = 1) AND colour = 'blue'", False),
        ("NOT NOT size = 7", True),
        # arithmetic
        ("size + 1 = 8", True),
        ("1 + 2 * 3 = 7", True),
        ("(1 + 2) * 3 = 9", True),
        ("10 - 3 - 2 = 5", True),
        ("12 / 3 / 2 = 2", True),
        ("2 * -3 = -6", True),
        ("size / 2 = 3", True),
        ("-7 / 2 = -3", True),
        ("size / 2.0 = 3.5", True),
        ("weight * 2 = 5", True),
        ("size-1=6", True),
        # ranges and lists
        ("size BETWEEN 1 AND 10", True),
        ("size BETWEEN 7 AND 7", True),
        ("size BETWEEN 8 AND 10", False),
        ("size NOT BETWEEN 1 AND 5", True),
        ("size NOT BETWEEN 1 AND 10", False),
        ("size BETWEEN 1 AND 10 AND colour = 'blue'", False),
        ("size BETWEEN size - 1 AND size + 1", True),
        ("colour IN ('blue', 'red')", True),
        ("colour IN ('blue')", False),
        ("colour NOT IN ('blue', 'green')", True),
        ("size IN (-1, 7)", True),
        ('token IN ("0x01", "0x0AFF")', True),
        # patterns
        ("colour LIKE 'r%'", True),
        ("colour LIKE 'r_d'", True),
        ("colour LIKE 'R%'", False),
        ("colour LIKE 'e'", False),
        ("colour LIKE '%e%'", True),
        ("colour LIKE '%'", True),
        ("colour NOT LIKE 'b%'", True),
        ("colour LIKE 'r.d'", False),
        ("colour LIKE 'r!.d' ESCAPE '!'", False),
        ("colour LIKE 'r!_d' ESCAPE '!'", False),
        ("colour LIKE 'r!%' ESCAPE '!'", False),
        ("title LIKE '%100!% %' ESCAPE '!'", True),
        ("title LIKE '%\\_new\\_%' ESCAPE '\\'", True),
        ("title LIKE '%!_old%' ESCAPE '!'", False),
        ("title LIKE 'it''s%here'", True),
        ("title LIKE 'it%new%100%'", False),
        # null
        ("missing IS NULL", True),
        ("none IS NULL", True),
        ("colour IS NULL", False),
        ("colour IS NOT NULL", True),
        ("missing IS NOT NULL", False),
        # booleans
        ("urgent", True),
        ("NOT done", True),
        ("done", False),
        ("urgent = TRUE", True),
        ("urgent <> FALSE", True),
        ("done = true", False),
        ("TRUE", True),
        ("FALSE", False),
        ("TRUE <> FALSE", True),
        ("urgent AND size = 7", True),
        # spelling
        ("size between 1 and 10 or NoT urgent", True),
        ("colour like 'x' or colour Not In ('y') aNd none iS nUlL", True),
        ("Colour IS NULL", True),
        ("android = 1", True),
        ("a.b_c.$d = 4", True),
        ("größe = 1", True),
        ("\tsize\n=\r\f7 ", True),
    ],
)
def test_selector_decides(text, verdict):
    assert known(text) is verdict


@pytest.mark.conformance("BEY-79")
@pytest.mark.parametrize(
    "text",
    [
        "missing = 'red'",
        "missing <> 'red'",
        "none = 1",
        "missing > 1",
        "missing BETWEEN 1 AND 2",
        "1 BETWEEN 0 AND missing",
        "missing IN ('a')",
        "missing NOT IN ('a')",
        "missing LIKE '%'",
        "missing NOT LIKE '%'",
        "missing",
        "missing = missing",
        "missing + 1 = 1",
        "size = 7 AND missing = 1",
        "size = 1 OR missing = 1",
        "NOT missing = 1",
        "size / 0 = 1",
        "size / zero = 1",
        "weight / 0.0 > 1",
        "1E308 * 1E308 / 0 = 1",
        f"{' * '.join(['9223372036854775807'] * 20)} * 1.5 > 1",
        "colour + 1 = 1",
        "urgent + 1 = 2",
        "-colour = 1",
        "+colour = 'red'",
        "token * 1 = 1",
        "colour",
        "size",
    ],
)
def test_selector_is_unknown(text):
    assert known(text) is None


@pytest.mark.conformance("BEY-79")
def test_missing_property_selects_only_where_null_is_asked_for():
    texts = ("colour = 'red'", "NOT colour = 'red'", "colour IS NULL")

    assert [selects(text, values={}) for text in texts] == [False, False, True]


@pytest.mark.conformance("BEY-79")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [("size = 1 AND missing = 1", False), ("size = 7 OR missing = 1", True), ("NOT (missing = 1 AND FALSE)", True)],
)
def test_unknown_gives_way_to_what_decides(text, verdict):
    assert known(text) is verdict


@pytest.mark.parametrize(
    "text",
    [
        "colour = 7",
        "colour <> 7",
        "size = '7'",
        "size <> '7'",
        "urgent = 1",
        "urgent = 'TRUE'",
        "android = TRUE",
        "token = 'x'",
        "colour > 'blue'",
        "colour < 'zebra'",
        "urgent >= FALSE",
        "token > 0x00",
        "colour BETWEEN 'a' AND 'z'",
        "size LIKE '7'",
        "size IN ('7')",
    ],
)
def test_unlike_kinds_and_order_of_anything_but_numbers_are_false(text):
    assert known(text) is False


@pytest.mark.conformance("BEY-80")
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("title LIKE 'it''s%'", True),
        ("'it''s' = 'it''s'", True),
        ("'''' = ''''", True),
        ("'' = ''", True),
        ("'\"x\"' = '\"x\"'", True),
        ("token = 0x0AFF", True),
        ("token = 0X0aff", True),
        ('token = "0x0AFF"', True),
        ('token <> "0x0A"', True),
        ("token = 0x0AFF00", False),
        ("token = 0x000AFF", False),
        ("token = 0xFF0A", False),
        ("token = 0xAFF", False),
        ("token <> 0xAFF", False),
        ("10 = 0x0A", True),
        ("0x0A + 1 = 11", True),
        ('10 = "0x0A"', False),
    ],
)
def test_string_and_byte_string_literals(text, verdict):
    assert known(text) is verdict


@pytest.mark.conformance("INDEX-12")
@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_blank_selector_selects_every_message(text):
    assert compile_selector(text).matches(MQMD(), {})
    assert compile_selector(text).index_terms() == {}


@pytest.mark.parametrize("depth", [1, 50, 5000])
def test_parentheses_may_stand_as_deep_as_they_like(depth):
    assert selects("(" * depth + "size = 7" + ")" * depth)


@pytest.mark.slow
def test_long_chains_are_not_deep():
    assert selects(" AND ".join(["size = 7"] * 3000))
    assert selects("0" + " + 1" * 3000 + " = 3000")


def test_pattern_of_many_wildcards_is_matched_without_going_back():
    selector = compile_selector(f"body LIKE '{'%a' * 200}%b'")

    started = time.process_time()
    assert not selector.matches(MQMD(), properties({"body": "a" * 20_000}))
    assert time.process_time() - started < 1


def test_selector_loads_its_parser_only_for_a_selector():
    code = "import sys; import mqtools.rules.selector.selector; print('lark' in sys.modules, 're' in sys.modules)"

    environment = {"PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=environment
    )

    assert run.stdout.split() == ["False", "False"]


FALSE, UNKNOWN, TRUE = 0, 1, 2


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["TRUE", "FALSE", "missing = 1"]), min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from(["AND", "OR"]), st.sampled_from(["", "NOT "])), min_size=8, max_size=8),
)
def test_and_binds_tighter_than_or_and_not_tightest(operands, joints):
    """Without parentheses a selector is an OR of ANDs of operands, some of them inverted."""
    values = {"TRUE": TRUE, "FALSE": FALSE, "missing = 1": UNKNOWN}
    text, groups = "", []
    for number, (operand, (word, inverted)) in enumerate(zip(operands, joints, strict=False)):
        value = 2 - values[operand] if inverted else values[operand]
        text += f" {word if number else ''} {inverted}{operand}"
        if number and word == "AND":
            groups[-1].append(value)
        else:
            groups.append([value])

    assert compile_selector(text).matches(MQMD(), {}) is (max(min(group) for group in groups) == TRUE)

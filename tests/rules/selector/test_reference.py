"""Selectors made at random agree with an evaluation that is as plain as the rules are told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.message import MQMD, Property
from mqtools.rules.selector.selector import compile_selector

MESSAGE = {"colour": "red", "pattern": "a_b%c", "size": 7, "weight": 2.5, "urgent": True, "done": False, "raw": b"\1\2"}
NAMES = [*MESSAGE, "missing"]
FALSE, UNKNOWN, TRUE = 0, 1, 2


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def keyword(word):
    return st.sampled_from([word, word.lower(), word.capitalize()])


#: Trees are tuples that begin with what they are; every strategy below makes (tree, text) pairs.
names = st.sampled_from(NAMES).map(lambda name: (("name", name), name))
strings = st.one_of(st.sampled_from(["red", "", "it's", "a_b%c"]), st.text(max_size=3)).map(
    lambda text: (("literal", text), quoted(text))
)
exact = st.integers(0, 9).map(lambda number: (("literal", number), str(number)))
approximate = st.sampled_from([0.0, 2.5, 7.0, 1e3]).map(lambda number: (("literal", number), repr(number)))
raws = st.sampled_from([b"\1\2", b"\1"]).map(lambda raw: (("literal", raw), f'"0x{raw.hex()}"'))
booleans = st.booleans().map(lambda flag: (("literal", flag), str(flag).upper()))
literals = st.one_of(strings, exact, approximate, raws, booleans)


def grown_value(values):
    binary = st.tuples(values, st.sampled_from("+-*/"), values).map(
        lambda p: (("arithmetic", p[1], p[0][0], p[2][0]), f"({p[0][1]} {p[1]} {p[2][1]})")
    )
    negative = values.map(lambda p: (("negative", p[0]), f"- {p[1]}"))
    return binary | negative


values = st.recursive(names | literals, grown_value, max_leaves=4)
tests = st.one_of(
    st.tuples(values, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), values).map(
        lambda p: (("compare", p[1], p[0][0], p[2][0]), f"{p[0][1]} {p[1]} {p[2][1]}")
    ),
    st.tuples(values, st.sampled_from(["", "NOT "]), keyword("BETWEEN"), values, keyword("AND"), values).map(
        lambda p: (
            ("between", bool(p[1]), p[0][0], p[3][0], p[5][0]),
            f"{p[0][1]} {p[1]}{p[2]} {p[3][1]} {p[4]} {p[5][1]}",
        )
    ),
    st.tuples(names, st.sampled_from(["", "not "]), keyword("IN"), st.lists(literals, min_size=1, max_size=3)).map(
        lambda p: (
            ("in", bool(p[1]), p[0][0], [tree for tree, _ in p[3]]),
            f"{p[0][1]} {p[1]}{p[2]} ({', '.join(text for _, text in p[3])})",
        )
    ),
    st.tuples(names, st.sampled_from(["", "NOT "]), keyword("LIKE"), st.text("re_%acbd", max_size=6)).map(
        lambda p: (("like", bool(p[1]), p[0][0], p[3]), f"{p[0][1]} {p[1]}{p[2]} {quoted(p[3])}")
    ),
    st.tuples(names, st.sampled_from(["", " NOT"])).map(
        lambda p: (("null", bool(p[1]), p[0][0]), f"{p[0][1]} IS{p[1]} NULL")
    ),
    (names | booleans).map(lambda p: (("alone", p[0]), p[1])),
)


def grown_condition(conditions):
    return st.one_of(
        st.tuples(conditions, keyword("AND"), conditions).map(
            lambda p: (("and", p[0][0], p[2][0]), f"({p[0][1]}) {p[1]} ({p[2][1]})")
        ),
        st.tuples(conditions, keyword("OR"), conditions).map(
            lambda p: (("or", p[0][0], p[2][0]), f"({p[0][1]}) {p[1]} ({p[2][1]})")
        ),
        st.tuples(keyword("NOT"), conditions).map(lambda p: (("not", p[1][0]), f"{p[0]} ({p[1][1]})")),
    )


conditions = st.recursive(tests, grown_condition, max_leaves=5)


def is_number(value):
    return type(value) in (int, float)


def value_of(tree):
    kind = tree[0]
    if kind == "name":
        return MESSAGE.get(tree[1])
    if kind == "literal":
        return tree[1]
    if kind == "negative":
        value = value_of(tree[1])
        return -value if is_number(value) else None
    _, sign, left, right = tree
    one, other = value_of(left), value_of(right)
    if not (is_number(one) and is_number(other)) or (sign == "/" and other == 0):
        return None
    if sign == "/" and type(one) is type(other) is int:
        return int(one / other)
    return {"+": one + other, "-": one - other, "*": one * other, "/": one / (other or 1)}[sign]


def compared(sign, one, other):
    if one is None or other is None:
        return UNKNOWN
    both_numbers = is_number(one) and is_number(other)
    if sign == "=":
        return TRUE if (both_numbers or type(one) is type(other)) and one == other else FALSE
    if sign == "<>":
        return TRUE if (both_numbers or type(one) is type(other)) and one != other else FALSE
    if not both_numbers:
        return FALSE
    return TRUE if {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign] else FALSE


def is_like(text, pattern):
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(is_like(text[i:], pattern[1:]) for i in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and is_like(text[1:], pattern[1:])


def verdict_of(tree):
    kind, *parts = tree
    if kind == "and":
        return min(verdict_of(part) for part in parts)
    if kind == "or":
        return max(verdict_of(part) for part in parts)
    if kind == "not":
        return 2 - verdict_of(parts[0])
    if kind == "compare":
        return compared(parts[0], value_of(parts[1]), value_of(parts[2]))
    if kind == "alone":
        value = value_of(parts[0])
        return UNKNOWN if not isinstance(value, bool) else TRUE if value else FALSE
    plain = plain_verdict_of(kind, *parts[1:])
    return 2 - plain if parts[0] else plain


def plain_verdict_of(kind, subject, *rest):
    value = value_of(subject)
    if kind == "null":
        return TRUE if value is None else FALSE
    if kind == "between":
        low, high = rest
        return min(compared(">=", value, value_of(low)), compared("<=", value, value_of(high)))
    if kind == "in":
        return max(compared("=", value, value_of(member)) for member in rest[0])
    if value is None:
        return UNKNOWN
    return TRUE if isinstance(value, str) and is_like(value, rest[0]) else FALSE


@pytest.mark.slow
@pytest.mark.conformance("BEY-78")
@settings(max_examples=600, deadline=None)
@given(conditions)
def test_selector_agrees_with_the_plain_evaluation(pair):
    tree, text = pair
    properties = {name: Property(0, value) for name, value in MESSAGE.items()}

    selected = compile_selector(text).matches(MQMD(), properties)
    inverted = compile_selector(f"NOT ({text})").matches(MQMD(), properties)

    assert (selected, inverted) == (verdict_of(tree) == TRUE, verdict_of(tree) == FALSE)


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

"""Where a selector says that it does not parse, and what it expected there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_INT64, MQTYPE_STRING
from mqtools.constants.reasons import MQRC_SELECTOR_SYNTAX_ERROR
from mqtools.errors import SelectorSyntaxError
from mqtools.message import MQMD, Property
from mqtools.rules.selector.selector import compile_selector

#: Text that does not parse, the offset of its first mistake, and words of the message.
MISTAKES = [
    pytest.param('"x"', 0, "single quotes", id="BEY-80"),
    pytest.param('colour = "red"', 9, "single quotes", id="BEY-80-string-in-double-quotes"),
    pytest.param('"colour" = 1', 0, "single quotes", id="BEY-80-name-in-double-quotes"),
    pytest.param('token = "0x123"', 8, "pairs of hexadecimal digits", id="BEY-80-odd-digits"),
    pytest.param('token = "0x"', 8, "pairs of hexadecimal digits", id="BEY-80-no-digits"),
    pytest.param('token = "0x12', 8, "pairs of hexadecimal digits", id="BEY-80-open-double-quote"),
    pytest.param('a "x"', 2, "single quotes", id="BEY-80-where-nothing-quoted-stands"),
    pytest.param('a "0x12"', 2, "BETWEEN", id="byte-string-for-operator"),
    pytest.param("colour = 'red", 9, "closing quote", id="open-quote"),
    pytest.param("colour = 'red''", 9, "closing quote", id="open-quote-after-doubled"),
    pytest.param("colour =", 8, "expected a value, found the end of the selector", id="end-for-value"),
    pytest.param("colour == 1", 8, "expected a value, found `=`", id="doubled-equals"),
    pytest.param("colour != 1", 7, "not equal is written <>", id="exclamation"),
    pytest.param("colour = 1 # x", 11, "'#' has no meaning", id="strange-character"),
    pytest.param("(size = 7", 9, "found the end of the selector", id="open-parenthesis"),
    pytest.param("size = 7)", 8, "expected the end, found `)`", id="stray-parenthesis"),
    pytest.param("size colour", 5, "expected NOT, a comparison", id="two-names"),
    pytest.param("size NOT 5", 9, "BETWEEN, IN or LIKE", id="not-what"),
    pytest.param("size IS 5", 8, "NOT or NULL", id="is-what"),
    pytest.param("size BETWEEN 1", 14, "AND", id="between-without-and"),
    pytest.param("size IN ()", 9, "a number, a string", id="empty-list"),
    pytest.param("size IN (1, 2", 13, ", or )", id="open-list"),
    pytest.param("size IN (colour)", 9, "a number", id="name-in-list"),
    pytest.param("colour LIKE 5", 12, "a string in single quotes", id="like-number"),
    pytest.param("colour LIKE 'x' ESCAPE 'ab'", 23, "a single character", id="escape-of-two"),
    pytest.param("colour LIKE 'x' ESCAPE ''", 23, "a single character", id="escape-of-none"),
    pytest.param("colour LIKE 'x!' ESCAPE '!'", 12, "follows the escape", id="escape-at-end"),
    pytest.param("size = 7 AND 'x' LIKE 'x'", 13, "LIKE", id="like-of-a-literal"),
    pytest.param("5 IS NULL", 0, "IS NULL", id="null-test-of-a-literal"),
    pytest.param("size + 1 IN (8)", 0, "IN applies to a property", id="list-for-a-sum"),
    pytest.param("5", 0, "expected a condition, found a value", id="value-for-condition"),
    pytest.param("urgent OR size + 1", 10, "expected a condition, found a value", id="sum-for-condition"),
    pytest.param("NOT 'x'", 4, "expected a condition, found a value", id="string-for-condition"),
    pytest.param("(size = 7) + 1 = 2", 1, "expected a value, found a condition", id="condition-for-value"),
    pytest.param("(size = 7) = TRUE", 1, "expected a value, found a condition", id="compared-condition"),
    pytest.param("size = 1 = 2", 9, "AND, OR or the end", id="chained-comparison"),
    pytest.param("size = and", 7, "expected a value, found `and`", id="keyword-for-name"),
    pytest.param("null = 1", 0, "a value or NOT", id="null-as-name"),
    pytest.param("size = 09", 7, "09 is not a number", id="broken-octal"),
    pytest.param("size = 5x", 7, "5x is not a number", id="broken-number"),
    pytest.param("size = 1.2.3", 7, "1.2.3 is not a number", id="broken-decimal"),
    pytest.param("size = 1E999", 7, "1E999 is not a number", id="decimal-too-large"),
    pytest.param("size = 9223372036854775808", 7, "is not a number", id="exact-too-large"),
    pytest.param("size = " + "9" * 5000, 7, "is not a number", id="exact-absurdly-large"),
    pytest.param("token = 0x" + "0" * 17, 8, "two digits for each byte", id="long-odd-byte-string"),
    pytest.param("size. = 1", 4, "'.' has no meaning", id="dot-at-end-of-name"),
    pytest.param("Root.MQMD.msgid = 0x00", 0, "did you mean Root.MQMD.MsgId?", id="BEY-81-case"),
    pytest.param("urgent OR Root.MQMD.Nothing = 1", 10, "has no field Nothing", id="BEY-81-no-field"),
    pytest.param("Root.MQMD.MsgId = 0x123", 18, "two digits for each byte", id="BEY-81-odd-digits"),
    pytest.param("\u00a0", 0, "has no meaning", id="no-break-space"),
    pytest.param("NOT " * 200 + "urgent", 400, "deep", id="too-deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position", "words"), MISTAKES)
def test_mistake_is_shown_where_it_is(text, position, words):
    with pytest.raises(SelectorSyntaxError) as failure:
        compile_selector(text)

    assert words in failure.value.text
    assert failure.value.position == position
    assert failure.value.reason == MQRC_SELECTOR_SYNTAX_ERROR


#: Pieces of selectors, so that nonsense often begins like sense.
PIECES = st.sampled_from([
    "a", "size", "'x'", "''", "5", "1.5E3", "0x0A", "0x0", '"0x0A"', '"x"', "(", ")", ",", "+", "-", "*", "/", "=",
    "<>", "<", ">=", "AND", "OR", "NOT", "IN", "LIKE", "ESCAPE", "'%'", "BETWEEN", "IS", "NULL", "TRUE", "FALSE",
    "Root.MQMD.MsgId", "Root.MQMD.x", "JMSType", "usr.", ".", "'", '"', "$", "09", "é", "\0",
])  # fmt: skip


@pytest.mark.slow
@pytest.mark.conformance("BEY-78")
@settings(max_examples=500)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=8).map("".join)))
def test_any_text_compiles_or_is_a_syntax_error_at_a_place_within(text):
    try:
        selector = compile_selector(text)
    except SelectorSyntaxError as error:
        position = error.position
    else:
        position = 0
        assert selector.matches(MQMD(), {"size": Property(MQTYPE_INT64, 7), "a": Property(MQTYPE_STRING, "x")}) in (
            True,
            False,
        )
    assert 0 <= position <= len(text)

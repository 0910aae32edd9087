"""Rules tables: what holds for any text, and for any rule however it is written."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.dlq.keywords import ALL_KEYWORDS, CHAR_PATTERNS, NUMBER_PATTERNS
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rule import describe_rule
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.formats.mistakes import Mistake

SNIPPETS = st.sampled_from(
    [
        *ALL_KEYWORDS,
        *"()'*?&,+-. \t\r\n",
        "\n",
        "\n*",
        "RETRY",
        "FWD",
        "MQRC_Q_FULL",
        "2053",
        "YES",
        "&DESTQ",
        "''",
        " +\n",
    ]
)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.one_of(SNIPPETS, st.text(max_size=3)), max_size=40).map("".join)))
def test_any_text_is_a_table_or_a_list_of_mistakes(text: str) -> None:
    found, lines = findings_of(text)
    for mistake in found:
        assert 1 <= mistake.line <= max(len(lines), 1)
        assert 1 <= mistake.column <= len(lines[mistake.line - 1] if lines else "") + 1


def findings_of(text: str) -> tuple[list[Mistake], Sequence[str]]:
    """Return mistakes and warnings, and the lines; anything but a RulesTableError fails the test."""
    try:
        table = parse_rules_table(text)
    except RulesTableError as error:
        return [*error.mistakes, *error.warnings], error.lines
    return table.warnings, table.lines


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


CHARACTERS = st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"])


@st.composite
def rule_texts(draw: st.DrawFn) -> str:
    """Rules written any way: order, quotes, case, separators, continuations between parameters."""
    words = []
    for keyword in draw(st.lists(st.sampled_from(sorted(CHAR_PATTERNS)), unique=True, max_size=4)):
        words.append(f"{keyword}({_quoted(draw(st.text(CHARACTERS, min_size=1, max_size=8)))})")
    for keyword in draw(st.lists(st.sampled_from(sorted(NUMBER_PATTERNS)), unique=True, max_size=3)):
        words.append(f"{keyword}({draw(st.one_of(st.integers(0, 999_999_999).map(str), st.just('*')))})")
    action = draw(st.sampled_from(["DISCARD", "IGNORE", "RETRY", "FWD"]))
    words.append(f"action({action})")
    if action == "FWD":
        names = st.text(CHARACTERS, min_size=1, max_size=48).filter(
            lambda name: name.strip(" ") != "" and name[0] != "&" and not set(name) & set("*?")
        )
        words.append(f"FWDQ({draw(st.one_of(names.map(_quoted), st.sampled_from(['&destq', '&REPLYQ', 'a.b'])))})")
        words += draw(st.sampled_from([[], ["FWDQM(' ')"], ["FWDQM(&DESTQM)"], ["FWDQM(QM2)"]]))
        words += draw(st.sampled_from([[], ["HEADER(NO)"], ["header(yes)"]]))
    words += draw(st.sampled_from([[], ["PUTAUT(CTX)"], ["PUTAUT(DEF)"]]))
    words += draw(st.sampled_from([[], ["RETRY(1)"], ["Retry(7)"]]))
    return draw(st.sampled_from([" ", ",", " +\n  ", "\t, "])).join(draw(st.permutations(words)))


@settings(deadline=None)
@given(rule_texts())
def test_a_described_rule_reads_back_the_same(text: str) -> None:
    (rule,) = parse_rules_table(text).rules
    described = describe_rule(rule)
    assert "\n" not in described
    assert parse_rules_table(described).rules == [rule]

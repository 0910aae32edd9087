"""The MQSC language: commands, lines, mistakes, filters, and writing commands back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.mqsc.script import (
    OBJECT_TYPES_OF,
    Command,
    Param,
    SyntaxMistake,
    format_command,
    parse_mqsc,
    parse_where,
    quote,
    suggestion,
)


def commands(text):
    found = parse_mqsc(text)
    assert all(isinstance(item, Command) for item in found), [str(item) for item in found]
    return found


def only(text):
    (command,) = commands(text)
    return command


def mistakes(text):
    return [(item.line, item.column, item.text) for item in parse_mqsc(text) if isinstance(item, SyntaxMistake)]


def meaning(command):
    params = [(param.keyword, param.values) for param in command.params]
    return command.verb, command.object_type, command.name, params


# Words, names and values


@pytest.mark.parametrize(
    ("text", "verb", "object_type", "name"),
    [
        ("DEFINE QLOCAL(ORDERS)", "DEFINE", "QLOCAL", "ORDERS"),
        ("def ql(orders)", "DEFINE", "QLOCAL", "ORDERS"),
        ("ALT QA('Mixed.Case')", "ALTER", "QALIAS", "Mixed.Case"),
        ("DIS Q(SYS*)", "DISPLAY", "QUEUE", "SYS*"),
        ("DELETE QR ( A )", "DELETE", "QREMOTE", "A"),
        ("CLEAR QL(A)", "CLEAR", "QLOCAL", "A"),
        ("DISPLAY QMGR", "DISPLAY", "QMGR", None),
        ("STOP CHL(TO.QM2)", "STOP", "CHANNEL", "TO.QM2"),
        ('DEFINE QLOCAL("it\'s")', "DEFINE", "QLOCAL", "it's"),
    ],
)
def test_verb_type_and_name_are_read_in_full(text, verb, object_type, name):
    command = only(text)
    assert (command.verb, command.object_type, command.name) == (verb, object_type, name)


def test_quotes_keep_case_and_all_else_is_folded():
    command = only("define qlocal('app.In') descr('It''s mine') maxdepth ( 10 ) replace")
    assert meaning(command) == (
        "DEFINE",
        "QLOCAL",
        "app.In",
        [("DESCR", ("It's mine",)), ("MAXDEPTH", ("10",)), ("REPLACE", None)],
    )


def test_commas_count_as_blanks():
    assert meaning(only("DISPLAY,QLOCAL(*),,MAXDEPTH,CURDEPTH"))[3] == [("MAXDEPTH", None), ("CURDEPTH", None)]


def test_a_list_has_several_values():
    assert only("DEFINE NAMELIST(N) NAMES(A, B 'c')").params[0].values == ("A", "B", "c")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("CONNAME('host(1414)')", ("host(1414)",)),
        ("CONNAME(10.0.0.1(1414),10.0.0.2(1415))", ("10.0.0.1(1414)", "10.0.0.2(1415)")),
        ("CONNAME('exec:ssh host mqx channel receive')", ("exec:ssh host mqx channel receive",)),
    ],
)
def test_parentheses_inside_a_value_belong_to_it(text, values):
    assert only(f"DEFINE CHANNEL(C) {text}").params[0].values == values


def test_an_empty_string_is_a_value():
    assert only("ALTER QMGR DEADQ('')").params[0].values == ("",)


# Lines


def test_comments_and_blank_lines_are_skipped():
    text = "* one\n\n   * two\nDISPLAY QMGR\n\n* three\n"
    command = only(text)
    assert (command.line, command.source, command.comments) == (4, "DISPLAY QMGR", ("* one", "   * two"))


def test_plus_continues_from_the_first_nonblank_and_minus_from_column_one():
    plus = only("DEFINE QLOCAL(A) DESCR('Fr+\n     ed') +  \n   MAXDEPTH(5)")
    minus = only("DEFINE QLOCAL(A) DESCR('Fr-\n  ed') -\n MAXDEPTH(5)")
    assert plus.params[0].values == ("Fred",)
    assert minus.params[0].values == ("Fr  ed",)
    assert [(param.line, param.column) for param in plus.params] == [(1, 18), (3, 4)]
    assert [(param.line, param.column) for param in minus.params] == [(1, 18), (3, 2)]


def test_comments_and_blank_lines_inside_a_continued_command_are_left_out():
    command = only("DEFINE QLOCAL(A) +\n* why\n\n  * also why\n   REPLACE")
    assert [(param.keyword, param.line, param.column) for param in command.params] == [("REPLACE", 5, 4)]


def test_an_exported_definition_with_commented_attributes_is_one_command():
    text = "DEFINE QLOCAL('A') +\n   ACCTQ(QMGR) +\n*  ALTDATE(2026-01-31) +\n   BOQNAME(' ') +\n   REPLACE\n"
    assert meaning(only(text))[3] == [("ACCTQ", ("QMGR",)), ("BOQNAME", (" ",)), ("REPLACE", None)]


def test_an_indented_asterisk_inside_a_string_is_text():
    assert only("DEFINE QLOCAL(A) DESCR('a-\n * b')").params[0].values == ("a * b",)


def test_semicolons_part_commands_and_are_optional():
    found = commands("DISPLAY QMGR; CLEAR QLOCAL('a;b') ;\nDISPLAY QUEUE(*)\n;;\nDISPLAY QMGR +\n;")
    assert [(item.verb, item.name, item.line, item.column, item.number) for item in found] == [
        ("DISPLAY", None, 1, 1, 1),
        ("CLEAR", "a;b", 1, 15, 2),
        ("DISPLAY", "*", 2, 1, 3),
        ("DISPLAY", None, 4, 1, 4),
    ]
    assert [item.source for item in found[:2]] == ["DISPLAY QMGR", "CLEAR QLOCAL('a;b')"]


def test_comments_are_echoed_with_the_first_of_several_commands_on_a_line():
    assert [item.comments for item in commands("* c\nDISPLAY QMGR; DISPLAY QMGR")] == [("* c",), ()]


@pytest.mark.parametrize("word", ["end", "QUIT", "Exit"])
def test_end_ends_the_input(word):
    assert [item.line for item in parse_mqsc(f"DISPLAY QMGR\n{word}\nthis is never read (")] == [1]


def test_windows_line_ends_and_a_byte_order_mark_are_no_part_of_the_text():
    command = only("\ufeffDEFINE QLOCAL(A) +\r\n  REPLACE\r\n")
    assert (command.column, command.params[0].line, command.params[0].column) == (1, 2, 3)


# Mistakes


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("DEFIN QLOCAL(A)", 1, 1, "DEFIN is not a verb; did you mean DEFINE?"),
        ("DELE QLOCAL(A)", 1, 1, "DELE is not a verb"),
        ("  DEFINE QLOCL(A)", 1, 10, "QLOCL is not an object type; did you mean QLOCAL?"),
        ("DEFINE", 1, 6, "needs an object type"),
        ("(A)", 1, 1, "begins with a verb"),
        ("DEFINE QLOCAL(A", 1, 14, "( is not closed"),
        ("DEFINE QLOCAL(A) +\n  DESCR('never ends)", 2, 9, "string is not closed"),
        ("DEFINE QLOCAL(A))", 1, 17, "no ( for this )"),
        ("DEFINE QLOCAL(A) (5)", 1, 18, "no keyword before"),
        ("DEFINE QLOCAL(A) 'x'", 1, 18, "a value follows its keyword in parentheses"),
        ("DEFINE QLOCAL(A) =5", 1, 18, "=5 is not a keyword"),
        ("DEFINE QLOCAL( )", 1, 14, "no value in the parentheses"),
        ("DEFINE QLOCAL(A) +\n\n* c\n DESCR()", 4, 7, "no value in the parentheses"),
        ("DEFINE QLOCAL(A B)", 1, 14, "one name"),
        ("DEFINE QLOCAL(A) MAXDEPTH(1) -\nMAXDEPTH(2)", 2, 1, "MAXDEPTH is given twice"),
        ("DEFINE QLOCAL(A) REPLACE NOREPLACE", 1, 26, "although REPLACE is given already"),
        ("DEFINE QLOCAL(A) NOSHARE SHARE", 1, 26, "although NOSHARE is given already"),
    ],
)
def test_a_mistake_has_the_physical_line_and_column(text, line, column, words):
    ((found_line, found_column, found),) = mistakes(text)
    assert (found_line, found_column) == (line, column)
    assert words in found


def test_reading_goes_on_after_a_mistake():
    found = parse_mqsc("DEFIN QLOCAL(A)\nDEFINE QLOCAL(B\nDEFINE QLOCAL(C)", "objects.mqsc")
    assert [str(item) for item in found[:2]] == [
        "objects.mqsc:1:1: DEFIN is not a verb; did you mean DEFINE?",
        "objects.mqsc:2:14: this ( is not closed",
    ]
    assert (found[2].name, found[2].number) == ("C", 3)


def test_all_mistakes_of_one_command_carry_its_number():
    found = parse_mqsc("DISPLAY QMGR\nDEFINE QLOCAL(A) =5 MAXDEPTH() REPLACE REPLACE")
    assert [(item.number, item.column) for item in found[1:]] == [(2, 18), (2, 29), (2, 40)]
    assert found[1].segment == "DEFINE QLOCAL(A) =5"


def test_an_unclosed_parenthesis_ends_at_the_semicolon():
    found = parse_mqsc("CLEAR QLOCAL(A ; CLEAR QLOCAL(B)")
    assert [type(item) for item in found] == [SyntaxMistake, Command]


# WHERE and generic names


def test_where_has_three_parts():
    where = parse_where(only("DISPLAY QLOCAL(*) WHERE(descr LK 'my q*')").params[0])
    assert (where.keyword, where.operator, where.value) == ("DESCR", "LK", "my q*")


def test_where_compares_with_an_empty_string():
    assert parse_where(only("DISPLAY QLOCAL(*) WHERE(PROCESS NE '')").params[0]).value == ""


@pytest.mark.parametrize("values", [None, ("A",), ("A", "EQ"), ("A", "IS", "B"), ("A", "EQ", "B", "C")])
def test_a_filter_of_another_form_is_refused(values):
    with pytest.raises(ValueError, match="WHERE"):
        parse_where(Param("WHERE", values))


def test_the_nearest_word_is_suggested():
    assert suggestion("maxdpth", ["MAXDEPTH", "MAXMSGL"]) == "; did you mean MAXDEPTH?"
    assert suggestion("xyz", ["MAXDEPTH"]) == ""


# Properties

keywords = st.text("ABCDEFGHIJ0123456789", min_size=1, max_size=8).filter(lambda word: not word.startswith("NO"))
values = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)
written = st.builds(
    lambda kind, name, params: Command(*kind, name, params),
    st.sampled_from([(verb, object_type) for verb, types in OBJECT_TYPES_OF.items() for object_type in types]),
    st.none() | values,
    st.lists(
        st.builds(Param, keywords, st.none() | st.lists(values, min_size=1, max_size=3).map(tuple)),
        unique_by=lambda param: param.keyword,
        max_size=4,
    ).map(tuple),
)


@given(written)
def test_a_written_command_reads_back(command):
    assert meaning(only(format_command(command))) == meaning(command)


@given(st.text())
def test_any_text_is_read_without_an_exception(text):
    for item in parse_mqsc(text):
        assert item.line >= 1
        assert item.column >= 1


@given(st.text("DEFINE QL(A)'\";+-*,\n\t"))
def test_any_mixture_of_punctuation_is_read_and_mistakes_lie_in_the_text(text):
    lines = text.split("\n")
    for item in parse_mqsc(text):
        assert item.column <= len(lines[item.line - 1]) + 1


@given(written, st.text("abc()'\" =", max_size=10))
def test_a_bad_command_does_not_spoil_the_next(command, rubbish):
    found = parse_mqsc(f"DEFIN {rubbish}\n{format_command(command)}")
    assert isinstance(found[0], SyntaxMistake)
    assert meaning(found[-1]) == meaning(command)


def test_reading_rubbish_takes_no_time_that_grows_with_its_square():
    assert len(parse_mqsc("DEFINE QLOCAL(A) " + ") " * 20000)) == 20000


@given(values)
def test_a_quoted_value_reads_back(value):
    assert only(f"DEFINE QLOCAL(A) DESCR({quote(value)})").params[0].values == (value,)


@pytest.mark.parametrize("text", ["DEFINE QMGR", "CLEAR TOPIC(T)", "ALTER CHSTATUS(C)", "START QLOCAL(Q)"])
def test_a_verb_takes_only_its_object_types(text):
    verb, object_type = text.split("(", maxsplit=1)[0].split()
    (mistake,) = parse_mqsc(text)
    assert mistake.text.startswith(f"{object_type} is not an object type of {verb}")

"""Appearance of the panes: legible colours, signs, names, order of queues, and the words of dialogs."""

from __future__ import annotations

import pytest
from textual.theme import BUILTIN_THEMES

from mqtools.tui.display import colours
from mqtools.tui.display.cells import cut_middle, draw_cells, mark_hits
from mqtools.tui.display.colours import Colours, contrast
from mqtools.tui.display.consequences import describe_rows, explain_room, explain_targets
from mqtools.tui.display.highlight import highlight, in_columns
from mqtools.tui.display.queue_rows import ORDERS, arrange, signs_of, totals
from mqtools.tui.help import side_by_side
from mqtools.tui.panes.queues_pane import depth_bar
from mqtools.tui.themes import DARK, LIGHT

from .test_window import row

ROLES = ("text", "dim", "title", "key", "danger", "warn", "locked", "good", "mark")
ANSI = ("ansi-dark", "ansi-light", "textual-ansi")


THEMES = {**BUILTIN_THEMES, DARK.name: DARK, LIGHT.name: LIGHT}


def found_in(theme: str) -> dict[str, str]:
    variables = THEMES[theme].to_color_system().generate()
    return {name: variables[name] for name in colours.VARIABLES}


def colours_of(theme: str) -> Colours:
    return Colours(found_in(theme))


@pytest.mark.parametrize("theme", [name for name in THEMES if name not in ANSI])
def test_every_role_can_be_read_on_every_ground_in_every_theme(theme):
    found = colours_of(theme)
    pale = [
        (role, ground)
        for role in ROLES
        for ground in (colours.PLAIN, colours.CURSOR, colours.ELSEWHERE, colours.BAR, colours.HIT)
        if contrast(found.colour(role, ground), found.ground(ground)) < 4.5
    ]
    assert pale == []


@pytest.mark.parametrize("theme", [name for name in BUILTIN_THEMES if name in ANSI])
def test_a_theme_of_the_terminals_own_colours_uses_no_others_and_shows_the_cursor(theme):
    found = colours_of(theme)
    assert found.is_ansi
    assert found.style(colours.DANGER).color.name == "bright_red"
    assert Colours(found_in(theme), 8).style(colours.DANGER).color.name == "red"
    assert Colours(found_in(theme), 0).style(colours.DANGER).color is None
    assert found.style(colours.DIM).dim
    assert found.style(colours.TEXT, colours.CURSOR).reverse


def queue(name: str, depth: int = 0, most: int = 100, **changes: object) -> dict[str, object]:
    usual = {"oldest_age_s": None, "locked": 0, "uncommitted": 0, "inhibit_put": False, "inhibit_get": False}
    percent = 100 * depth / most if most else 100.0
    usual |= {"is_transmission": False, "is_dead_letter": False, "percent_full": percent, "max_depth": most}
    return {**usual, "name": name, "depth": depth, **changes}


@pytest.mark.parametrize(
    ("changes", "signs", "role"),
    [
        ({}, "", ""),
        ({"depth": 79}, "", ""),
        ({"depth": 80}, "▲", colours.WARN),
        ({"depth": 95}, "▲", colours.DANGER),
        ({"is_dead_letter": True}, "✉", colours.DIM),
        ({"is_dead_letter": True, "depth": 99, "locked": 2, "uncommitted": 1}, "✉▲⚿◐", colours.DANGER),
        ({"locked": 3}, "⚿", colours.LOCKED),
        ({"inhibit_put": True, "inhibit_get": True}, "⊘", colours.WARN),
        ({"is_transmission": True}, "⇥", colours.DIM),
    ],
)
def test_what_is_special_about_a_queue_has_a_sign_and_a_colour(changes, signs, role):
    found = signs_of(queue("Q", **changes))
    assert "".join(sign.sign for sign in found) == signs
    assert (found[0].role if found else "") == role


QUEUES = [
    queue("A.SMALL", 1, oldest_age_s=9.0),
    queue("B.DEEP", 50, oldest_age_s=1.0),
    queue("C.DEAD", 7, is_dead_letter=True, oldest_age_s=5.0),
    queue("D.EMPTY"),
]


@pytest.mark.parametrize(
    ("order", "first"),
    [("name", "ABCD"), ("depth", "BCAD"), ("age", "ACBD"), ("dead", "CABD")],
)
def test_queues_are_sorted_and_names_are_the_second_key(order, first):
    assert "".join(one["name"][0] for one in arrange(QUEUES, order, "")) == first
    assert order in ORDERS


@pytest.mark.parametrize(("wanted", "found"), [("dea", "C"), ("*.DEEP", "B"), ("*.D*", "BC"), ("", "ABCD"), ("x", "")])
def test_queues_are_selected_by_a_part_of_their_name_or_a_pattern(wanted, found):
    assert "".join(one["name"][0] for one in arrange(QUEUES, "name", wanted)) == found


def test_totals_name_only_what_there_is():
    assert [text for text, _ in totals(QUEUES)] == ["4 queues", "58 msgs", "✉7 dead"]
    more = [*QUEUES, queue("E", 27_000, 27_000, locked=4, uncommitted=3)]
    assert [text for text, _ in totals(more)] == [
        "5 queues",
        "27 058 msgs",
        "▲1 full",
        "✉7 dead",
        "⚿4 locked",
        "◐3 in doubt",
    ]


@pytest.mark.parametrize(
    ("width", "shown"),
    [(30, "PAYMENTS.INSTRUCTION.OUTBOUND"), (18, "PAYMENTS.…OUTBOUND"), (3, "P…D"), (2, "PA"), (1, "P"), (0, "")],
)
def test_names_are_cut_in_their_middle(width, shown):
    assert cut_middle("PAYMENTS.INSTRUCTION.OUTBOUND", width) == shown


def test_a_hit_is_highlighted_across_cells_and_nothing_is_lost():
    found = colours_of("textual-dark")
    strip = draw_cells(mark_hits([("one ne", "dim"), ("edle two", "text")], "NEEDLE"), found, 20)
    assert strip.text == "one needle two      "
    hit = found.ground(colours.HIT).rich_color
    assert "".join(part.text for part in strip if part.style.bgcolor == hit) == "needle"


@pytest.mark.parametrize(
    ("syntax", "line", "roles"),
    [
        ("json", '  "a": "b", 1', ["key", "good", "warn"]),
        ("xml", '<a b="c">text</a>', ["key", "good", "key", "key", "key"]),
        ("fields", "  ReplyToQ : 'R'", ["dim", "text"]),
        ("fields", "  ReplyToQ : ''", ["dim"]),
        ("fields", "  Priority : 0", ["dim"]),
        ("", '"a": 1', ["text"]),
    ],
)
def test_lines_are_coloured_by_what_they_are_and_say_the_same(syntax, line, roles):
    cells = highlight(line, syntax)
    assert "".join(text for text, _ in cells) == line
    assert [role for text, role in cells if text.strip() and (role != "text" or syntax in ("fields", ""))] == roles


def test_fields_are_in_two_columns_where_both_fit():
    lines = ["  A : 1", "  B : 2", "  LONG : " + "x" * 30, "  C : 3", "  D :", "    E : 4"]
    assert in_columns(lines, 31) == ["  A : 1        │ B : 2", "  LONG : " + "x" * 30, "  C : 3", "  D :", "    E : 4"]
    assert in_columns(lines, 10) == lines


@pytest.mark.parametrize(
    ("target", "number", "said"),
    [
        ("B.DEEP", 26, "B.DEEP holds 50 of 100: room for all 26"),
        ("B.DEEP", 1, "B.DEEP holds 50 of 100: room for it"),
        ("B.DEEP", 67, "B.DEEP holds 50 of 100: room for 50 of 67"),
        ("SHUT", 1, "SHUT does not allow puts"),
        ("NOWHERE", 1, ""),
    ],
)
def test_a_dialog_says_what_room_there_is(target, number, said):
    assert explain_room([*QUEUES, queue("SHUT", inhibit_put=True)], target, number) == said


def test_a_dialog_names_the_first_messages_and_where_dead_letters_go():
    rows = [row(number, target="B.DEEP") for number in range(60)]
    assert describe_rows(rows[:2], 2) == ["  datagram  → B.DEEP  x"] * 2
    assert describe_rows(rows, 60)[3:] == ["  and 57 messages more"]
    assert describe_rows([], 1) == []
    assert explain_targets(QUEUES, rows, set(range(60))) == "\nB.DEEP holds 50 of 100: room for 50 of 60"


def test_the_help_has_two_columns_where_both_fit():
    lines = ["One", "  a  b", "", "Two", "  c  d", "  e  f"]
    assert side_by_side(lines, 40) == ["One" + " " * 17 + "Two", "  a  b" + " " * 14 + "  c  d", " " * 20 + "  e  f"]
    assert side_by_side(lines, 10) is lines


@pytest.mark.parametrize(("depth", "bar"), [(0, "    "), (1, "▏   "), (100, "████"), (50, "██  "), (30, "█▎  ")])
def test_a_depth_has_a_bar_against_the_deepest_queue(depth, bar):
    assert depth_bar(depth, 100, 4) == bar

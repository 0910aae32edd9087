"""The window over a queue: what comes and goes does not move the line under the cursor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.message import MQMD
from mqtools.operations.views.message_view import StoredMessage
from mqtools.tui.display.row import Row, make_row
from mqtools.tui.display.window import GONE_STAYS_MS, QueuePage, Window


def row(number: int, **changes: object) -> Row:
    stored = StoredMessage(number, 1, 1, 0, number * 10, None, None, None, 0, None, 1, MQMD())
    made = make_row(stored, b"x")
    return replace(made, **changes)


def rows(*numbers: int) -> list[Row]:
    return [row(number) for number in numbers]


def page(*numbers: int, at_start: bool = True, at_end: bool = True) -> QueuePage:
    return QueuePage(rows(*numbers), at_start=at_start, at_end=at_end)


def window(*numbers: int, height: int = 5, **ends: bool) -> Window:
    made = Window()
    made.resize(height)
    made.show(page(*numbers, **ends))
    return made


def shown(window: Window) -> list[int]:
    return [row.seq for row in window.rows[window.top :][: window.height]]


def test_the_cursor_takes_the_screen_with_it():
    made = window(*range(1, 11))
    made.move(6)
    assert shown(made) == [3, 4, 5, 6, 7]
    made.move(-100)
    assert (made.cursor, made.top) == (0, 0)
    made.move(100)
    assert shown(made) == [6, 7, 8, 9, 10]


def test_a_message_that_sorts_before_the_top_row_comes_above_the_screen():
    made = window(10, 11, 12)
    made.renew(page(9, 10, 11, 12), 0)
    assert shown(made) == [10, 11, 12]
    assert made.number_of(made.top, 4) == 2


def test_a_message_between_the_rows_does_not_move_the_line_under_the_cursor():
    made = window(10, 20, 30)
    made.move(2)
    made.renew(page(10, 15, 20, 25, 30, 40), 0)
    assert made.current.seq == 30
    assert made.cursor - made.top == 2


def test_what_goes_is_shown_as_gone_where_it_was():
    made = window(1, 2, 3)
    made.move(1)
    made.renew(page(3), 7)
    assert shown(made) == [1, 2, 3]
    assert [one.gone_at for one in made.rows] == [7, 7, None]
    assert made.number_of(2, 1) == 1


def test_what_went_long_ago_goes_from_the_screen_unless_it_is_under_the_cursor():
    made = window(1, 2, 3)
    made.move(1)
    made.renew(page(3), 0)
    made.renew(page(3), GONE_STAYS_MS)
    assert [one.seq for one in made.rows] == [2, 3]
    assert made.current.seq == 2


def test_what_goes_off_the_screen_is_not_kept():
    made = window(*range(1, 21))
    made.renew(page(*range(1, 18)), 0)
    assert [one.seq for one in made.rows] == list(range(1, 18))


def test_rows_are_read_on_before_they_are_needed_and_those_far_away_are_let_go():
    made = window(*range(1, 16), at_end=False)
    assert not made.wants_behind
    made.move(6)
    assert made.wants_behind
    for first in range(16, 200, 10):
        made.extend_behind(rows(*range(first, first + 10)), at_end=False)
        made.move(10)
    assert len(made.rows) < 60
    assert not made.at_start
    assert made.number_of(0, 1000) is None
    made.counted = made.rows[0].seq
    assert made.number_of(made.cursor, 1000) == made.current.seq


def test_reading_back_keeps_the_line_under_the_cursor():
    made = window(*range(100, 110), at_start=False)
    made.move(4)
    made.extend_before(rows(*range(90, 100)), at_start=False)
    assert made.current.seq == 104
    assert made.cursor - made.top == 4


def test_numbers_count_from_whichever_end_is_known():
    made = window(98, 99, 100, at_start=False)
    assert made.number_of(0, 100) == 98
    made = window(1, 2, 3, at_end=False)
    assert made.number_of(2, 100) == 3


def test_a_number_that_was_counted_goes_on_with_reading_and_is_only_near_once_something_has_changed():
    made = window(*range(100, 120), at_start=False, at_end=False)
    assert made.number_of(0, 1000) is None
    made.counted = 100
    made.count_on(1000)
    made.extend_before(rows(*range(90, 100)), at_start=False)
    assert made.number_of(made.cursor, 1000) == 100
    for first in range(120, 300, 10):
        made.count_on(1000)
        made.extend_behind(rows(*range(first, first + 10)), at_end=False)
        made.move(10)
    assert made.number_of(made.cursor, 1000) == made.current.seq
    assert not made.is_near
    number = made.number_of(made.cursor, 1000)
    seqs = [one.seq for one in made.rows]
    made.renew(page(*seqs[1:], at_start=False, at_end=False), 0)
    made.count_from(number)
    assert made.number_of(made.cursor, 1000) == number
    assert made.is_near


@pytest.mark.parametrize("line", [-1, 3])
def test_a_click_beside_the_rows_moves_nothing(line):
    made = window(1, 2, 3)
    assert not made.point_at(line)
    assert made.cursor == 0


@given(
    st.sets(st.integers(1, 60), min_size=1),
    st.sets(st.integers(1, 60)),
    st.integers(0, 60),
    st.integers(1, 12),
)
def test_whatever_comes_and_goes_the_line_under_the_cursor_stays(before, after, down, height):
    made = window(*sorted(before), height=height)
    made.move(down)
    line, seq = made.cursor - made.top, made.current.seq
    made.renew(page(*sorted(after)), 1)
    assert made.current.seq == seq
    assert made.cursor - made.top == line
    assert (made.current.gone_at is None) == (seq in after)
    there = [one.seq for one in made.rows if one.gone_at is None]
    assert there == sorted(after)[: len(there)]

"""The panes: every clickable place, preview, selection and order of queues, tabs that fit, what is gone, sizes."""

from __future__ import annotations

import pytest

from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.tui.display.window import GONE_STAYS_MS, QueuePage, Window

from .test_window import row


def place(screen, text: str, after: str = "") -> tuple[int, int]:
    """Return column and line of a text on the screen. after: text that stands above it or in front of it."""
    whole = screen.text
    at = whole.index(text, whole.index(after) if after else 0)
    line = whole.count("\n", 0, at)
    return at - (whole.rfind("\n", 0, at) + 1), line


@pytest.mark.slow
async def test_every_clickable_place_does_what_its_key_does(qm, browse):
    qm.put("first")
    qm.put("second")
    qm.put("on R", "R")
    async with browse() as screen:
        browser = screen.app.browser

        async def click(text: str, after: str = "", **how: int) -> None:
            await screen.until(lambda: text in screen.text)
            await screen.settle()  # the place is that of the line as it is drawn in the end
            await screen.pilot.click(offset=place(screen, text, after), **how)

        await screen.until(lambda: screen.detail == "first")
        await click("3 JSON")
        await screen.until(lambda: "‹3 JSON›" in screen.text)
        await click("1 text")
        await screen.until(lambda: "‹1 text›" in screen.text)
        await click("second")
        await screen.until(lambda: screen.cursor_line == (1, "second") and browser.pane == "messages")
        await click("first", times=2)
        await screen.until(lambda: browser.pane == "detail")
        await click("esc messages")
        await screen.until(lambda: browser.pane == "messages")
        await click("depth", "queue ")
        await screen.until(lambda: "Queues · by depth" in screen.text)
        await click("queue ", "Queues")
        await screen.until(lambda: "Queues · by name" in screen.text)
        await click(" R ", "✉ DLQ")
        await screen.until(lambda: screen.detail == "on R")
        assert browser.pane == "messages"
        await click("/ filter")
        await screen.until(lambda: "Filter R" in screen.text)
        await screen.press("escape")
        await click("? help")
        await screen.until(lambda: "Moving" in screen.text)


async def test_the_queue_under_the_cursor_is_previewed_and_names_are_selected_while_they_are_typed(qm, browse):
    qm.put("on R", "R")
    qm.put("dead", "DLQ")
    async with browse("") as screen:
        queues = screen.app.browser.queues
        await screen.until(lambda: screen.detail == "dead")  # the first one
        await screen.press("slash")
        await screen.type("r")
        await screen.until(lambda: queues.names == ["R"])
        await screen.press("enter")
        await screen.until(lambda: screen.detail == "on R")
        assert screen.app.browser.pane == "queues"
        await screen.press("slash", "backspace", "q")
        await screen.until(lambda: queues.names == ["DLQ", "Q"])
        await screen.press("escape")  # goes back to what it was
        await screen.until(lambda: queues.names == ["R"])
        await screen.press("escape")
        await screen.until(lambda: queues.names == ["DLQ", "Q", "R"])
        await screen.press("slash", "up")
        await screen.until(lambda: screen.app.screen.query_one("Input").value == "r")


async def test_the_status_bar_names_what_is_locked_and_in_doubt(qm, browse):
    for _ in range(3):
        qm.put("x")
    qm.connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
    async with browse() as screen:
        await screen.until(lambda: "◐1 in doubt" in screen.status)
        await screen.press("j", "L")
        await screen.until(lambda: "⚿1 locked" in screen.status)
        assert "3 queues  2 msgs" in screen.status


def window_after(gone: set[int], cursor: int) -> Window:
    made = Window()
    made.resize(20)
    made.show(QueuePage([row(number) for number in range(1, 11)], at_start=True, at_end=True))
    made.move(cursor)
    left = [row(number) for number in range(1, 11) if number not in gone]
    made.renew(QueuePage(left, at_start=True, at_end=True), 5)
    return made


def test_neighbours_that_are_gone_are_one_line_but_for_the_one_under_the_cursor():
    made = window_after({4, 5, 6, 7}, 4)
    assert [(one.seq, one.gone_number) for one in made.rows if one.gone_at is not None] == [(4, 1), (5, 1), (6, 2)]
    made.renew(QueuePage([row(1), row(10)], at_start=True, at_end=True), 6)
    assert [(one.seq, one.gone_number) for one in made.rows if one.gone_at is not None][-2:] == [(5, 1), (6, 4)]
    made.renew(QueuePage([row(1), row(10)], at_start=True, at_end=True), 6 + GONE_STAYS_MS)
    assert [one.seq for one in made.rows] == [1, 5, 10]


async def test_the_panes_can_be_resized_within_limits_and_one_can_fill_the_screen(qm, browse):
    async with browse(size=(200, 36)) as screen:
        queues = screen.app.browser.queues
        width = queues.outer_size.width
        await screen.press(*["less_than_sign"] * 20)
        await screen.until(lambda: queues.outer_size.width == 24)
        await screen.press("greater_than_sign")
        await screen.until(lambda: queues.outer_size.width == 28 < width)
        await screen.press("f")
        await screen.until(lambda: not queues.display and screen.app.browser.messages.outer_size.width == 200)
        await screen.press("tab", "tab")
        await screen.until(lambda: queues.display and queues.outer_size.width == 200)
        await screen.press("f")
        await screen.until(lambda: queues.outer_size.width == 28)

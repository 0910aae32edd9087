"""Messages sorted by a column in the live browser."""

from __future__ import annotations

import pytest

from mqtools.message import Property
from mqtools.operations.views.sorted_pages import SortedPages, SortOrder
from mqtools.tui.background import message_sort
from mqtools.tui.dialogs.search import SearchDialog


def listed(screen) -> list[str]:
    return [row.split()[-1] for row in screen.rows if row and "gone" not in row]


async def sort_by(screen, words: str) -> None:
    await screen.press("s", opens=SearchDialog)
    await screen.enter(words)


async def test_messages_are_sorted_by_a_column_in_reverse_and_as_delivered_again(qm, browse):
    for body in ("bb", "a", "cccc"):
        qm.put(body)
    async with browse() as screen:
        await sort_by(screen, "length")
        await screen.until(lambda: listed(screen) == ["a", "bb", "cccc"])
        await screen.until(lambda: "sorted by length, not as delivered" in screen.place)
        qm.put("ddd")
        await screen.until(lambda: listed(screen) == ["a", "bb", "ddd", "cccc"])
        await sort_by(screen, "length")
        await screen.until(lambda: listed(screen) == ["cccc", "ddd", "bb", "a"])
        await screen.until(lambda: "sorted by length ▼" in screen.place)
        await screen.press("j", "j")
        assert screen.cursor_line == (2, "bb")
        await sort_by(screen, "priority")
        await screen.until(lambda: "sorted by priority, not as delivered" in screen.place)
        await screen.press("escape")
        await screen.until(lambda: listed(screen) == ["bb", "a", "cccc", "ddd"])
        await screen.until(lambda: screen.cursor_line[1] == "bb" and "sorted" not in screen.place)


async def test_a_click_on_a_heading_sorts_the_hits_of_a_filter_and_what_is_done_applies_to_the_row_that_is_shown(
    qm, browse
):
    for body in ("x 3", "y 1", "x 2"):
        qm.put(body)
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter("x")
        await screen.until(lambda: listed(screen) == ["3", "2"])
        heading = screen.app.browser.messages.draw_line(0).text
        await screen.pilot.click("#messages", offset=(heading.index("data") + 2, 1))
        await screen.until(lambda: listed(screen) == ["2", "3"])
        qm.put("x 1")
        qm.put("y 0")
        await screen.until(lambda: "2 of 3" in screen.place)
        await screen.press("g")
        await screen.until(lambda: listed(screen) == ["1", "2", "3"])
        await screen.press("space", "d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        assert qm.data() == [b"x 3", b"y 1", b"x 2", b"y 0"]


async def test_values_are_sorted_as_numbers_where_they_are_numbers_and_what_is_missing_comes_last(qm, browse):
    for body in ('{"n": 10}', '{"n": 9}', "none", '{"n": "ten"}'):
        qm.put(body, properties={"colour": Property(0x400, body[-3:])})
    async with browse() as screen:
        await sort_by(screen, "JSON n")
        await screen.until(lambda: listed(screen) == ["9}", "10}", '"ten"}', "none"])


async def test_too_many_messages_are_not_sorted(qm, browse, monkeypatch):
    monkeypatch.setattr(message_sort, "MOST", 1)
    monkeypatch.setattr(message_sort, "_PAGE", 1)
    qm.put_numbered(4)
    async with browse() as screen:
        await sort_by(screen, "length")
        await screen.until(lambda: "more than 1 messages cannot be sorted; filter them first" in screen.said)


@pytest.mark.parametrize("descending", [False, True])
def test_what_arrives_is_sorted_in_behind_its_equals_however_many_they_are(qm, descending):
    from mqtools.operations.views.queue_pages import QueuePages

    for priority in (9, 5, 1):
        qm.put("first", priority=priority)
    db = qm.connection.db
    order = SortOrder("priority", descending, lambda _, stored: stored.md.priority)
    found = [(order.key_of(db, stored), stored.seq) for stored in QueuePages(db, "Q").behind(db, -1, 9)]
    pages = SortedPages(QueuePages(db, "Q"), None, order, found)
    for number in range(100):
        qm.put(str(number), priority=(1, 5, 9)[number % 3])
        pages.search_arrivals(db)
    listed = pages.behind(db, -1, 1000)
    keys = [(stored.md.priority * (-1 if descending else 1), stored.seq) for stored in listed]
    assert keys == sorted(keys)
    assert len(keys) == pages.total(db) == 103
    assert [stored.seq for stored in pages.before(db, listed[50].order_key, 50)] == [seq for _, seq in keys[:50]]

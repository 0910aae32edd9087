"""The search of all queues: rows of several queues, where they lead, and what bounds it."""

from __future__ import annotations

from threading import Event

import pytest

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import Property
from mqtools.operations.views.message_view import open_database
from mqtools.operations.views.queue_pages import HitPages
from mqtools.tui.background import queues_search
from mqtools.tui.background.queues_search import search_queues
from mqtools.tui.dialogs.queues_search import QueuesSearchDialog
from mqtools.tui.display.filter import parse_filter


@pytest.fixture
def payments(qm):
    """Payments on three queues: 1013 is on R and in the dead-letter queue."""
    qm.put_numbered(3)
    qm.put("payment 1012", "R")
    qm.put("payment 1013 of Ana", "R")
    qm.put("x" * 500 + " payment 1013 again", "DLQ")
    return qm


async def test_hits_of_several_queues_are_listed_and_enter_goes_to_the_message(payments, browse):
    async with browse() as screen:
        await screen.press("S")
        await screen.enter("PAYMENT 1013", opens=QueuesSearchDialog)
        await screen.until(lambda: "2 hits · searched: 3 of 3 queues, 6 messages" in screen.text)
        assert "payment 1013 again" in screen.text  # though it is far behind the beginning
        await screen.press("j", "enter")
        await screen.until(lambda: screen.cursor_line == (1, "payment 1013 of Ana"))
        assert screen.app.browser.pane == "messages"
        assert "R · 2 of 2" in screen.place


async def test_all_queues_are_searched_by_selector_and_from_the_palette(payments, browse):
    payments.put("green", "R", properties={"colour": Property(MQTYPE_STRING, "green")})
    async with browse() as screen:
        await screen.press("S")
        await screen.enter("colour = 'green'", opens=QueuesSearchDialog)
        await screen.until(lambda: "1 hit · searched" in screen.text)
        await screen.press("escape", "colon")
        await screen.type("1013")
        await screen.press("enter", opens=QueuesSearchDialog)
        await screen.until(lambda: "2 hits · searched" in screen.text)


async def test_a_search_of_all_queues_without_a_hit_says_so_and_a_wrong_filter_is_refused(payments, browse):
    async with browse() as screen:
        await screen.press("S")
        await screen.enter("hex 1")
        await screen.until(lambda: "not an even number" in screen.text)
        await screen.press("escape", "S")
        await screen.enter("nowhere", opens=QueuesSearchDialog)
        await screen.until(lambda: "no message matches" in screen.text)
        await screen.press("escape", "S", "enter")
        assert screen.app.screen is screen.app.browser


def last_of(qm, q_names, words, is_cancelled=lambda: False):
    db = open_database(qm.path, read_only=True)
    *_, last = search_queues(db, q_names, parse_filter(words), is_cancelled)
    db.close()
    return last


def test_the_hits_of_a_queue_and_of_all_are_bounded_and_a_deleted_queue_is_named(payments, monkeypatch):
    monkeypatch.setattr(queues_search, "MOST_OF_QUEUE", 2)
    monkeypatch.setattr(queues_search, "MOST", 3)
    found = last_of(payments, ["NO.SUCH", "Q", "R", "DLQ"], "a")
    assert [(hit.q_name, hit.row.beginning) for hit in found.hits] == [
        ("Q", "message 0"),
        ("Q", "message 1"),
        ("R", "payment 1012"),
    ]
    assert (found.cut, found.unread) == (("Q", "R"), ("NO.SUCH",))


def test_leaving_the_results_ends_the_search(payments, monkeypatch):
    cancelled = Event()
    begun = []

    def opened(db, q_name, known=HitPages):
        begun.append(q_name)
        cancelled.set()
        return known(db, q_name)

    monkeypatch.setattr(queues_search, "HitPages", opened)
    assert last_of(payments, ["Q", "R", "DLQ"], "1013", cancelled.is_set).hits == ()
    assert begun == ["Q"]

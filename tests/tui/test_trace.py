"""The trace of a message in the browser: its events while they happen, and the way to where they happened."""

from __future__ import annotations

from mqtools.admin import queue_managers
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.move import Route, carry_batch
from mqtools.tui.controllers import traces


def events(screen) -> list[str]:
    table = screen.app.screen.query_one("#table")
    return [str(row["event"]) for row in table.rows]


async def test_the_trace_has_the_events_and_those_that_happen_meanwhile(qm, browse):
    qm.define("Q2", journal=1)
    qm.put("one", "Q2")
    async with browse("Q2") as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("T")
        await screen.until(lambda: events(screen) == ["put"])
        await screen.press("F")
        await screen.until(lambda: "1 event · follow" in screen.text)
        qm.get("Q2")
        await screen.until(lambda: events(screen) == ["put", "get"])
        await screen.until(lambda: "waited" in screen.text)
        assert "← get" in screen.text


async def test_what_no_journal_holds_is_said(qm, browse):
    qm.put("one")
    async with browse() as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("T")
        await screen.until(lambda: "queue Q has no journal" in screen.text)


async def test_a_trace_that_fails_says_why_in_its_title(qm, browse, monkeypatch):
    qm.put("one")
    async with browse() as screen:
        await screen.until(lambda: screen.app.browser.current)
        monkeypatch.setattr(traces, "read_trace", lambda *_, **__: iter([OSError("another file")]))
        await screen.press("T")
        await screen.until(lambda: "another file" in screen.text)
        assert "reading the journals" not in screen.text


async def test_enter_goes_to_the_message_where_it_is_now(qm, browse):
    qm.define("Q2", journal=2)
    msg_id = qm.put("one", "Q2")
    qm.put("before", "R")
    (seq,) = (row[0] for row in qm.connection.db.all("select seq from messages where msg_id = ?", (msg_id,)))
    async with browse("Q2") as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("T")
        await screen.until(lambda: events(screen) == ["put"])
        carry_batch(qm.connection, Route("Q2", "R", "", keeps_original=False), [seq])
        await screen.until(lambda: len(events(screen)) > 1)
        table = screen.app.screen.query_one("#table")
        while table.current["queue"] != "R":
            await screen.press("j")
        await screen.press("enter")
        await screen.until(lambda: "R · 2 of 2" in screen.place)
        assert "one" in screen.cursor_line[1]


async def test_enter_on_a_get_shows_the_queue_as_it_was_just_before(qm, browse):
    qm.define("Q2", journal=2)
    for body in ("one", "two"):
        qm.put(body, "Q2")
    async with browse("Q2") as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("T")
        await screen.until(lambda: events(screen) == ["put"])
        qm.get("Q2")
        await screen.until(lambda: events(screen) == ["put", "get"])
        await screen.press("G", "enter")
        await screen.until(lambda: "◴ PAST" in screen.status)
        await screen.until(lambda: "Q2 · 1 of 2" in screen.place)
        assert screen.cursor_line[1] == "one"


async def test_enter_on_an_event_of_another_queue_manager_goes_there(qm, browse, tmp_path):
    qm.define("Q2", journal=1)
    msg_id = qm.put("one", "Q2")
    with connect(queue_managers.create(str(tmp_path / "QM2.db"))) as other:
        with other.work() as work:
            define_queue(work, "QLOCAL", "THERE", {"journal": 1})
        other.put1("THERE", Message(b"one", MQMD(msg_id=msg_id)), MQPMO_SET_ALL_CONTEXT)
    async with browse("Q2") as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("T")
        await screen.until(lambda: events(screen) == ["put", "put"])
        await screen.press("G", "enter")
        await screen.until(lambda: "THERE · 1 of 1" in screen.place and "QM1 │ QM2" in screen.status)

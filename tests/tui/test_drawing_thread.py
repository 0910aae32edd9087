"""The browser's threads: the one that draws waits for nothing, and an error in any of them ends the browser."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mqtools.mqi import resolution
from mqtools.tui import session
from mqtools.tui.background import detail_reader
from mqtools.tui.panes.messages_pane import MessagesPane


async def test_the_first_drawing_has_the_first_rows_and_queues(qm, browse, monkeypatch):
    qm.put_numbered(3)
    monkeypatch.setattr(session, "_FIRST_S", 10.0)  # whatever else the machine does
    drawn, real = [], MessagesPane.draw_line

    def draw_line(pane, y):
        queues = pane.screen.queues
        drawn.append((pane.total, queues.top, queues.current["name"]))
        return real(pane, y)

    monkeypatch.setattr(MessagesPane, "draw_line", draw_line)
    async with browse():
        assert drawn[0] == (3, 0, "Q")


async def test_the_hint_of_an_error_is_found_by_the_thread_that_may_close_the_file(qm, browse, monkeypatch):
    found_by, answers = [], []
    monkeypatch.setattr(resolution, "did_you_mean", lambda _: found_by.append(threading.get_ident()))
    async with browse() as screen:
        screen.app.session.reader.ask(lambda db: resolution.find_queue(db, "QQ"), answers.append)
        await screen.until(lambda: answers)
        assert answers[0].hint is None
    assert len(found_by) == 1
    assert found_by != [threading.get_ident()]


async def test_the_thread_that_draws_never_calls_the_database(qm, browse, monkeypatch):
    qm.put_numbered(30)
    drawing = threading.get_ident()
    calls = []
    for name in ("all", "one", "run", "run_many"):
        real = getattr(type(qm.connection.db), name)

        def guarded(self, *given, real=real):
            if threading.get_ident() == drawing and self is not qm.connection.db:
                calls.append(given[0])
            return real(self, *given)

        monkeypatch.setattr(type(qm.connection.db), name, guarded)
    async with browse() as screen:
        calls.clear()  # what was read before the screen was taken
        browser, steps = (
            screen.app.browser,
            (
                ("j", lambda: screen.cursor_line == (1, "message 1")),
                ("2", lambda: screen.detail.startswith("00000000:")),
                ("6", lambda: "no headers" in screen.detail),
                ("space", lambda: qm.is_marked()[1]),
                ("L", lambda: "locked: other programs" in screen.said),
                ("G", lambda: screen.cursor_line[1] == "message 29"),
                ("g", lambda: screen.cursor_line == (0, "message 0")),
                ("x", lambda: screen.app.screen is not browser),
                ("escape", lambda: screen.app.screen is browser),
                ("slash", lambda: screen.app.screen is not browser),
                ("1", lambda: screen.app.screen.query_one("Input").value == "1"),
                ("enter", lambda: "1 of 12" in screen.place and not screen.is_searching),
                ("escape", lambda: "2 of 30" in screen.place),
                ("asterisk", lambda: "29 marked" in screen.place),
                ("number_sign", lambda: screen.app.screen is not browser),
                ("5", lambda: screen.app.screen.query_one("Input").value == "5"),
                ("enter", lambda: "5 of 30" in screen.place),
                ("C", lambda: screen.app.screen is not browser),
                ("space", lambda: True),
                ("enter", lambda: screen.app.screen is browser),
                ("d", lambda: "Delete 29 messages from Q?" in screen.text),
                ("y", lambda: "deleted 29 messages" in screen.said),
            ),
        )
        for key, has_come in steps:
            await screen.press(key)
            await screen.until(has_come)
        assert calls == []


async def test_keys_answer_while_a_query_takes_long(qm, browse, monkeypatch):
    qm.put_numbered(30)
    asked, answered = threading.Event(), threading.Event()
    async with browse() as screen:
        monkeypatch.setattr(detail_reader, "read_detail", lambda *a, **b: (asked.set(), answered.wait(100), None)[2])
        await screen.press("j")
        await screen.until(asked.is_set)
        await screen.press("j", "j")
        try:
            await screen.until(lambda: screen.cursor_line[0] == 3)
        finally:
            answered.set()


@pytest.mark.parametrize("thread", ["reader", "writer"])
async def test_an_error_that_nobody_expects_ends_the_browser_whichever_thread_meets_it(qm, browse, thread):
    qm.put("x")

    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the browser ends with it
        async with browse() as screen:
            session = screen.app.session
            ask = session.reader.ask if thread == "reader" else session.writer.do
            ask(fail, lambda _: None)
            await screen.until(lambda: screen.app.crash)


async def test_reading_only_writes_not_a_byte_and_has_no_keys_that_would(qm, browse):
    qm.put("x")
    qm.connection.db.run("pragma wal_checkpoint(truncate)")
    before = {path.name: path.read_bytes() for path in Path(qm.path).parent.glob("QM1.db*") if path.is_file()}
    before.pop("QM1.db-shm", None)
    async with browse(read_only=True) as screen:
        assert "read-only" in screen.text
        await screen.press("space", "L", "d", "y", "p", "escape", "asterisk", "m")
        await screen.pilot.pause(0.5)
        assert screen.app.screen is screen.app.browser
        after = {name: (Path(qm.path).parent / name).read_bytes() for name in before}
        assert after == before

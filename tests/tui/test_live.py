"""The browser while others work: what comes and what goes."""

from __future__ import annotations

import signal
import sys
import time
from threading import Event

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQGMO_SYNCPOINT, MQOO_BROWSE, MQOO_INPUT_SHARED
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.tui.background import goto
from mqtools.tui.background.file_identity import FileIdentity
from mqtools.tui.background.reader import Reader
from mqtools.tui.controllers import message_list, queue_list

from .conftest import PATIENCE_S, states


async def test_a_message_that_comes_appears_at_once(qm, browse):
    async with browse() as screen:
        await screen.until(lambda: "no messages" in screen.text)
        qm.put("news")
        await screen.until(lambda: screen.cursor_line == (0, "news"))


async def test_what_was_read_too_long_ago_is_stale_and_says_how_old_it_is(qm, browse, monkeypatch):
    monkeypatch.setattr(queue_list, "_STALE_S", 1.0)
    held = Event()
    async with browse() as screen:
        screen.app.session.reader.ask(lambda _: held.wait(), lambda _: None)
        try:
            await screen.until(lambda: "○ STALE 2s" in screen.status)
        finally:
            held.set()
        await screen.until(lambda: "● LIVE" in screen.status)


def test_a_wait_that_is_interrupted_for_longer_than_it_lasts_goes_on(qm):
    """As by ctrl+z and fg: the kernel may interrupt any thread, and the wait is over when it runs again."""
    answered, changed = Event(), Event()
    reader = Reader(qm.path, lambda call: call(), changed.set, FileIdentity(qm.path))
    reader.start()
    reader.ask(lambda _: None, lambda _: answered.set())
    assert answered.wait(PATIENCE_S)
    before, interval = signal.signal(signal.SIGCONT, lambda *_: None), sys.getswitchinterval()
    try:
        time.sleep(0.05)
        sys.setswitchinterval(10)  # no other thread runs until the loop below has ended
        signal.pthread_kill(reader._thread.ident, signal.SIGCONT)
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            pass
    finally:
        sys.setswitchinterval(interval)
        signal.signal(signal.SIGCONT, before)
    changed.clear()
    assert changed.wait(PATIENCE_S)
    reader.stop()


async def test_arrivals_of_a_higher_priority_do_not_move_the_line_under_the_cursor_and_are_counted_above(qm, browse):
    qm.put_numbered(3, priority=1)
    async with browse() as screen:
        await screen.press("j")
        qm.put("urgent", priority=9)
        qm.put("urgent too", priority=9)
        await screen.until(lambda: "of 5" in screen.place)
        assert screen.cursor_line == (1, "message 1")
        await screen.until(lambda: "↑ 2 rows above" in screen.text)
        await screen.press("g")
        await screen.until(lambda: screen.cursor_line == (0, "urgent"))


async def test_a_message_that_goes_says_gone_and_its_content_stays_readable(qm, browse):
    qm.put("soon gone")
    qm.put("stays")
    async with browse() as screen:
        await screen.until(lambda: screen.detail == "soon gone")
        assert qm.get() == b"soon gone"
        await screen.until(lambda: states(screen)[0] == "gone")
        assert screen.detail == "soon gone"
        assert "gone at" in screen.about
        assert screen.cursor_line == (0, "soon gone")
        await screen.press("j")
        await screen.until(lambda: screen.detail == "stays")
        assert "1 of 1" in screen.place


async def test_follow_stays_at_the_end_until_somebody_moves(qm, browse):
    qm.put_numbered(60)
    async with browse() as screen:
        await screen.press("F")
        await screen.until(lambda: screen.cursor_line[1] == "message 59")
        qm.put("last")
        await screen.until(lambda: screen.cursor_line[1] == "last")
        assert "follow" in screen.place
        await screen.press("k")
        qm.put("later")
        await screen.until(lambda: "of 62" in screen.place)
        assert screen.cursor_line[1] == "message 59"


async def test_who_moves_while_the_end_is_read_is_not_taken_there(qm, browse, monkeypatch):
    qm.put_numbered(60)
    reading, goes_on, real = Event(), Event(), goto.read_last

    def slowly(*given):
        reading.set()
        goes_on.wait(100)
        return real(*given)

    async with browse() as screen:
        await screen.press("F")
        await screen.until(lambda: screen.cursor_line[1] == "message 59")
        monkeypatch.setattr(goto, "read_last", slowly)
        qm.put("last")
        await screen.until(reading.is_set)
        await screen.press("k")
        goes_on.set()
        await screen.until(lambda: "of 61" in screen.place)
        assert screen.cursor_line[1] == "message 58"


async def test_under_constant_traffic_the_number_in_the_middle_is_near_until_it_is_counted_again(
    qm, browse, monkeypatch
):
    qm.put_numbered(600)
    monkeypatch.setattr(message_list, "_LEAST_COUNT_S", 1000)
    async with browse() as screen:
        window = screen.app.browser.messages.window
        while window.at_start or window.at_end:
            await screen.press("ctrl+d")
            await screen.until(lambda: not screen.app.browser.message_list._is_asking)
        number = int(screen.cursor_line[1].split()[1]) + 1
        await screen.until(lambda: f" {number} of 600" in screen.place)
        for arrival in range(5):
            qm.put("more")
            await screen.until(lambda total=601 + arrival: f"{number} of {total}" in screen.place)
        assert f" ~{number} of 605" in screen.place
        qm.get()
        screen.app.browser.message_list._count_again_at = 0
        await screen.until(lambda: f" {number - 1} of 604" in screen.place)


async def test_paused_nothing_moves(qm, browse):
    qm.put("first")
    async with browse() as screen:
        await screen.press("P")
        assert "paused" in screen.place
        qm.put("second")
        await screen.pilot.pause(0.6)
        assert "1 of 1" in screen.place
        await screen.press("P")
        await screen.until(lambda: "1 of 2" in screen.place)


async def test_what_is_uncommitted_locked_or_expired_says_so(qm, browse):
    qm.put("got")
    qm.put("locked")
    qm.put("short", expiry=1)
    with connect(qm.path, user_identifier="bob") as other:
        got = other.open("Q", MQOO_INPUT_SHARED)
        got.get(MQGMO_SYNCPOINT)
        lock = other.open("Q", MQOO_BROWSE)
        lock.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        other.put1("Q", Message(b"put", MQMD()), 2)  # MQPMO_SYNCPOINT
        async with browse() as screen:
            await screen.until(lambda: states(screen) == ["U", "L", "E", "U"])
            await screen.until(lambda: "got but not committed, by bob pid" in screen.place)
            await screen.press("j")
            await screen.until(lambda: "locked by bob pid" in screen.place)
            lock.close()
            other.backout()
            await screen.until(lambda: states(screen)[:3] == ["", "", "E"])

"""Marks and locks in the browser while others work: what is held, and whose it is."""

from __future__ import annotations

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQOO_BROWSE
from mqtools.mqi.browse_marks import mark_for_set
from mqtools.mqi.connection import connect
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import select
from mqtools.tui.background import mark_job, writer

from .conftest import states

# -- marks --------------------------------------------------------------------------------------------------


async def test_space_marks_for_the_co_operating_set_goes_down_and_takes_the_mark_off_again(qm, browse):
    qm.put("one")
    qm.put("two")
    async with browse() as screen:
        await screen.press("space")
        assert screen.cursor_line[1] == "two"
        await screen.until(lambda: qm.is_marked() == [True, False])
        assert states(screen) == ["M", ""]
        assert "1 marked" in screen.place
        await screen.press("k", "space")
        await screen.until(lambda: qm.is_marked() == [False, False])
        assert "marked" not in screen.place
    assert qm.is_marked() == [False, False]


async def test_a_message_that_was_just_unmarked_is_not_anothers_until_it_is_read_again(qm, browse):
    qm.put("first")
    qm.put("second")
    async with browse() as screen:
        await screen.press("space")
        await screen.until(lambda: screen.app.browser.messages.window.rows[0].is_marked)
        await screen.press("P", "k", "space")  # paused: nothing is read again
        await screen.until(lambda: not any(qm.is_marked()))
        assert states(screen) == ["", ""]
        await screen.press("P")
        await screen.until(lambda: screen.status.count("LIVE"))
        assert states(screen) == ["", ""]


async def test_marks_are_renewed_while_the_session_lives_and_released_when_it_ends(qm, browse, monkeypatch):
    qm.alter(msg_mark_browse_interval=60_000)
    monkeypatch.setattr(writer, "_RENEW_AT", 1 / 200)
    qm.put("one")
    async with browse() as screen:
        await screen.press("space")
        await screen.until(lambda: qm.is_marked() == [True])
        until = qm.marked_until()
        await screen.until(lambda: qm.marked_until() > until)
        assert qm.is_marked() == [True]
    assert qm.is_marked() == [False]


async def test_what_another_has_marked_shows_and_cannot_be_marked(qm, browse):
    qm.alter(msg_mark_browse_interval=-1)
    qm.put("one")
    with qm.connection.work() as work:
        queue = find_queue(work.db, "Q")
        (stored,) = select(work.db, queue.id)
        mark_for_set(work, queue.id, stored.seq, stays=True)
    async with browse() as screen:
        await screen.until(lambda: states(screen) == ["m"])
        await screen.press("space")
        await screen.until(lambda: "marked by another session" in screen.said)
        assert "1 marked" not in screen.place
    assert qm.is_marked() == [True]


async def test_inverting_marks_all_that_is_listed(qm, browse):
    qm.put_numbered(700)
    async with browse() as screen:
        await screen.press("space", "asterisk")
        await screen.until(lambda: "699 marked" in screen.place)
        await screen.until(lambda: states(screen)[:2] == ["", "M"])  # when the row has been read again


async def test_a_range_is_marked_from_where_it_was_begun_to_the_cursor_however_far_that_is(qm, browse):
    qm.put_numbered(700)
    async with browse() as screen:
        await screen.press("j", "v")
        assert "range" in screen.place
        await screen.press("j", "j")
        assert [line[:1] for line in screen.rows[:5]] == [" ", ">", ">", ">", " "]
        await screen.press("v")
        await screen.until(lambda: "3 marked" in screen.place)
        assert states(screen)[:5] == ["", "M", "M", "M", ""]
        await screen.press("j", "v", "G")
        await screen.until(lambda: "700 of 700" in screen.place)
        await screen.press("space")
        await screen.until(lambda: "699 marked" in screen.place)


async def test_all_that_a_filter_finds_is_marked_and_escape_takes_off_the_filter_and_never_the_marks(qm, browse):
    qm.put_numbered(30)
    async with browse() as screen:
        await screen.press("slash")
        await screen.enter("message 2")
        await screen.until(lambda: "1 of 11" in screen.place and not screen.is_searching)
        await screen.press("ctrl+a")
        await screen.until(lambda: sum(qm.is_marked()) == 11)
        await screen.press("v", "escape")
        assert "range" not in screen.place
        await screen.press("escape")
        await screen.until(lambda: "3 of 30 · 11 marked" in screen.place)
        await screen.press("slash")
        await screen.enter("message 25")
        await screen.until(lambda: "1 of 1 · 11 marked" in screen.place and not screen.is_searching)
        for key, asks in (
            ("d", "Delete"),
            ("X", "Get"),
            ("m", "Move"),
            ("c", "Copy"),
            ("a", "Make of"),
            ("w", "Write"),
        ):
            await screen.press(key)
            await screen.until(lambda asks=asks: f"{asks} 11 messages (10 hidden by the filter) " in screen.text)
            await screen.press("escape")
        await screen.press("escape")
        await screen.press("escape")
        await screen.until(lambda: screen.app.browser.pane == "queues")
        await screen.press("escape", "enter")
        assert "Take 11" not in screen.text
        assert sum(qm.is_marked()) == 11
        await screen.press("M")
        await screen.until(lambda: "Take 11 marks off Q?" in screen.text)
        await screen.press("y")
        await screen.until(lambda: not any(qm.is_marked()))


async def test_no_more_is_marked_than_can_be_renewed_in_time(qm, browse, monkeypatch):
    monkeypatch.setattr(mark_job, "MOST", 20)
    qm.put_numbered(30)
    async with browse() as screen:
        await screen.press("ctrl+a")
        await screen.until(lambda: "cannot mark more than 20 messages" in screen.said)
        await screen.until(lambda: "20 marked" in screen.place)
        assert sum(qm.is_marked()) == 20


# -- locks --------------------------------------------------------------------------------------------------


async def test_locking_keeps_a_message_from_everybody_else_until_it_is_unlocked(qm, browse):
    qm.put("one")
    qm.put("two")
    qm.put("three")
    async with browse() as screen:
        await screen.press("L", "j", "L")
        await screen.until(lambda: states(screen) == ["L", "L", ""])
        await screen.until(lambda: "locked by" in screen.place)
        assert qm.get() == b"three"
        await screen.press("L")
        await screen.until(lambda: states(screen)[:2] == ["L", ""])
        assert qm.get() == b"two"
    assert qm.get() == b"one"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("L", "lock on Q: the message is locked by bob pid"),
        ("e", "edit on Q: the message is locked by bob pid"),
        ("dy", "deleted 0 messages; 1 left: the message on queue Q is locked by bob pid"),
        ("Xy", "got 0 messages; 1 left: the message is locked by bob pid"),
    ],
)
async def test_what_somebody_else_has_locked_stays_and_the_owner_is_said(qm, browse, keys, said):
    qm.put("one")
    with connect(qm.path, user_identifier="bob") as other:
        other.open("Q", MQOO_BROWSE).get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        async with browse() as screen:
            screen.app.session.program = ["no editor is started"]
            await screen.until(lambda: states(screen) == ["L"])
            await screen.press(*keys)
            await screen.until(lambda: said in screen.said)
    assert qm.get() == b"one"


async def test_the_set_of_an_action_is_fixed_when_its_dialog_opens(qm, browse):
    for name in ("one", "two", "three"):
        qm.put(name)
    async with browse() as screen:
        await screen.press("space", "space", "d")
        await screen.until(lambda: "Delete 2 messages from Q?" in screen.text)
        assert qm.get() == b"one"
        qm.put("late")
        await screen.until(lambda: "1 marked" in screen.place)
        await screen.press("y")
        await screen.until(lambda: "deleted 1 message; 1 no longer there" in screen.said)
        assert qm.data() == [b"three", b"late"]


async def test_a_queue_manager_that_quiesces_is_not_held_up_and_one_that_is_back_is_used_again(qm, browse):
    qm.put("one", persistence=1)
    qm.connection.disconnect()
    async with browse() as screen:
        await screen.press("space", "L")
        await screen.until(lambda: "locked: other programs" in screen.said)
        queue_managers.end(qm.path)
        await screen.until(lambda: "QM1 ✗ ENDED" in screen.status)
        await screen.press("L")
        assert "cannot lock: queue manager QM1 has ended; start it with: mqx qmgr start QM1" in screen.said
        queue_managers.start(qm.path)
        await screen.until(lambda: "QM1 ● LIVE" in screen.status)
        await screen.press("L")
        await screen.until(lambda: screen.said.count("locked: other programs") == 2)

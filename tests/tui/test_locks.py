"""Locks of lock ids in the browser: seen, unlocked, taken over, and never without asking (LIFE-28, LIFE-29)."""

from __future__ import annotations

import pytest

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK, MQOO_BROWSE
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import get_message
from mqtools.mqi import client_connections
from mqtools.mqi.connection import connect
from mqtools.tui.background import verbs
from mqtools.tui.controllers import locks
from mqtools.tui.dialogs.standard import ChoiceDialog, ConfirmDialog

from .conftest import states


@pytest.fixture
def lock_id(qm) -> bytes:
    """The lock id of somebody who has gone: it locks the first three of four messages."""
    for name in ("one", "two", "three", "four"):
        qm.put(name)
    with connect(qm.path, user_identifier="bob") as gone:
        return browse_messages_and_lock(gone, "Q", limit=3, lease_s=7200).lock_id


async def choose(screen, letter):
    await screen.until(lambda: states(screen)[:1] == ["L"])
    await screen.press("L", opens=ChoiceDialog)
    await screen.press(letter)
    if letter != "escape":
        await screen.until(lambda: isinstance(screen.app.screen, ConfirmDialog))


async def test_whose_lock_it_is_until_when_and_how_much_it_locks_is_said(qm, browse, lock_id):
    async with browse() as screen:
        await screen.until(lambda: states(screen) == ["L", "L", "L", ""])
        await screen.press("L")
        for text in ("Locked by bob pid", "the lock ends in 1h5", lock_id.hex().upper(), "locks 3 messages on Q"):
            await screen.until(lambda text=text: text in screen.text)
        await screen.press("escape")
        await screen.until(lambda: screen.app.screen is screen.app.browser)
        assert states(screen) == ["L", "L", "L", ""]


async def test_one_message_of_a_lock_is_unlocked_and_the_others_stay_locked(qm, browse, lock_id):
    async with browse() as screen:
        await choose(screen, "u")
        await screen.until(lambda: "Unlock 1 message on Q, locked by bob pid" in screen.text)
        await screen.press("y")
        await screen.until(lambda: states(screen) == ["", "L", "L", ""])
        await screen.until(lambda: "unlocked: any program can get it" in screen.said)
        assert qm.get() == b"one"
        assert unlock_message(qm.connection, "Q", lock_id) == 2


@pytest.mark.parametrize("answer", ["n", "enter", "escape"])
@pytest.mark.parametrize("letter", ["u", "t", "a"])
async def test_nothing_is_unlocked_unless_somebody_says_yes(qm, browse, lock_id, letter, answer):
    async with browse() as screen:
        await choose(screen, letter)
        await screen.press(answer)
        await screen.until(lambda: screen.app.screen is screen.app.browser)
    assert unlock_message(qm.connection, "Q", lock_id) == 3


async def test_a_lock_that_is_taken_over_is_this_sessions_until_it_ends(qm, browse, lock_id):
    async with browse() as screen:
        await choose(screen, "t")
        await screen.until(lambda: "Take over 1 message on Q" in screen.text)
        await screen.press("y")
        await screen.until(lambda: "taken over: other programs cannot take it" in screen.said)
        await screen.until(lambda: "bob" not in screen.place and "locked by" in screen.place)
        assert states(screen) == ["L", "L", "L", ""]
        assert qm.get() == b"four"
        await screen.press("d", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        await choose(screen, "t")
        await screen.press("y")
        await screen.until(lambda: screen.said.count("taken over") == 2)
    assert qm.get() == b"two"
    assert get_message(qm.connection, "Q", lock_id=lock_id).message.data == b"three"


async def test_all_that_a_lock_id_locks_is_unlocked_batch_by_batch(qm, browse, lock_id, monkeypatch):
    monkeypatch.setattr(verbs, "BATCH", 2)
    async with browse() as screen:
        await choose(screen, "a")
        await screen.until(lambda: "Unlock 3 messages on Q" in screen.text)
        await screen.press("y")
        await screen.until(lambda: "unlocked 3 messages" in screen.said)
        await screen.until(lambda: states(screen) == ["", "", "", ""])
    assert [qm.get() for _ in range(4)] == [b"one", b"two", b"three", b"four"]


@pytest.mark.parametrize("letter", ["u", "t"])
async def test_a_lock_that_has_ended_meanwhile_is_said_and_nothing_changes(qm, browse, lock_id, letter):
    async with browse() as screen:
        await choose(screen, letter)
        unlock_message(qm.connection, "Q", lock_id)
        assert qm.get() == b"one"
        await screen.press("y")
        await screen.until(lambda: "MQRC_NO_MSG_LOCKED" in screen.said)
        await screen.until(lambda: states(screen) == ["gone", "", "", ""])


async def test_a_lock_of_a_program_that_lives_is_its_own_and_a_lock_id_counts_only_what_it_must(
    qm, browse, monkeypatch
):
    monkeypatch.setattr(locks, "_COUNTED", 2)
    for name in ("one", "two", "three", "four"):
        qm.put(name)
    with connect(qm.path, user_identifier="bob") as other:
        other.open("Q", MQOO_BROWSE).get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        browse_messages_and_lock(qm.connection, "Q")
        async with browse() as screen:
            await screen.until(lambda: states(screen) == ["L"] * 4)
            await screen.press("L")
            await screen.until(lambda: "locked by bob pid" in screen.said)
            assert "mqx lock --list" in screen.said
            assert screen.app.screen is screen.app.browser
            await screen.press("j", "L")
            await screen.until(lambda: "the lock has no end" in screen.text)
            await screen.until(lambda: "locks more than 2 messages on Q" in screen.text)


async def test_reading_only_there_is_no_unlocking(qm, browse, lock_id):
    async with browse(read_only=True) as screen:
        await screen.until(lambda: "locked by bob pid" in screen.place)
        await screen.press("L")
        await screen.pilot.pause(0.3)
        assert screen.app.screen is screen.app.browser
    assert unlock_message(qm.connection, "Q", lock_id) == 3


async def test_a_client_that_holds_a_message_is_named_with_its_place_and_channel(qm, browse):
    qm.put("one")
    with connect(qm.path, appl_name="billing", user_identifier="bob") as client:
        with client.work() as work:
            client_connections.add(work, "APP.SVRCONN", "10.0.0.7")
        handle = client.open("Q", MQOO_BROWSE)
        handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
        async with browse() as screen:
            await screen.until(lambda: "locked by bob, billing at 10.0.0.7 by channel APP.SVRCONN" in screen.place)

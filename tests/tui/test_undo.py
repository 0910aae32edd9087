"""Undo of moves and edits in the live browser, and moves that remove the MQDLH."""

from __future__ import annotations

from subprocess import CompletedProcess

import pytest

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import MQError
from mqtools.lifecycle.verbs import delete_message
from mqtools.mqi.trash_limits import from_configuration
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import EVERYTHING
from mqtools.operations.stored_messages import load_message
from mqtools.tui.background import verbs
from mqtools.tui.dialogs.standard import ConfirmDialog
from mqtools.tui.dialogs.transfer import TransferDialog


async def test_what_was_moved_goes_back_as_far_as_it_is_still_there(qm, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        await screen.press("space", "space", "space", "m", opens=TransferDialog)
        await screen.enter("R")
        await screen.until(lambda: "moved 3 messages to R; z undoes" in screen.said)
        assert qm.get("R") == b"message 0"
        await screen.press("z", opens=ConfirmDialog)
        assert "Move back to Q 3 messages from R?" in screen.text
        await screen.press("y")
        gone = "1 no longer there or held by another program"
        await screen.until(lambda: f"moved back 2 messages to Q; {gone}; placed like new messages" in screen.said)
        assert (qm.data(), qm.data("R")) == ([b"message 1", b"message 2"], [])
        await screen.press("z")
        await screen.until(lambda: "nothing has been deleted, moved" in screen.said)


async def test_what_was_moved_before_an_error_goes_back(qm, browse, monkeypatch):
    qm.put_numbered(101)
    real = verbs.carry_batch

    def carry(connection, route, keys):
        if len(keys) == 1:
            raise MQError("the disk is full", MQRC_STORAGE_MEDIUM_FULL)
        return real(connection, route, keys)

    async with browse() as screen:
        await screen.press("ctrl+a")
        await screen.until(lambda: "101 marked" in screen.place)
        monkeypatch.setattr(verbs, "carry_batch", carry)
        await screen.press("m", opens=TransferDialog)
        await screen.enter("R")
        await screen.until(lambda: "moved 100 messages to R; 1 left: the disk is full" in screen.said)
        assert "z undoes" in screen.said
        await screen.press("z", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "moved back 100 messages to Q" in screen.said)
        assert (len(qm.data()), qm.data("R")) == (101, [])


async def test_actions_are_undone_the_last_one_first(qm, browse):
    qm.put("first")
    qm.put("second")
    async with browse() as screen:
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message; z undoes" in screen.said)
        await screen.press("m", opens=TransferDialog)
        await screen.enter("R")
        await screen.until(lambda: "moved 1 message to R" in screen.said)
        for left in ([b"second"], [b"first", b"second"]):
            await screen.press("z", opens=ConfirmDialog)
            await screen.press("y")
            await screen.until(lambda left=left: qm.data() == left)


def edit(qm, **changes):
    keys = select_keys(qm.connection, "Q", EVERYTHING)
    assert edit_batch(qm.connection, "Q", keys, Changes(**changes).apply).number == 1
    return CompletedProcess([], 0)


async def test_an_edit_reads_no_trash_of_another_queue_that_may_not_be_browsed(qm, browse, monkeypatch):
    qm.put("secret", "R")
    qm.put("before")
    async with browse() as screen:
        qm.connection.trash = from_configuration()
        delete_message(qm.connection, "R", seq=select_keys(qm.connection, "R", EVERYTHING)[0])
        monkeypatch.setattr("mqtools.mqi.authority.check_browse", refuse_r)
        screen.app.session.program = ["mqx"]
        monkeypatch.setattr("subprocess.run", lambda *_, **__: edit(qm, body=b"after"))
        monkeypatch.setattr(screen.app, "suspend", screen.app.browser.prevent)  # there is no terminal to give away
        await screen.press("e")
        await screen.until(lambda: "edited" in screen.said or "not authorized" in screen.said)
        assert "edited; z undoes" in screen.said


def refuse_r(_, q_name):
    if q_name == "R":
        raise MQError("not authorized", MQRC_NOT_AUTHORIZED)


@pytest.mark.parametrize("since", ["nothing", "not kept", "changed", "changed at once", "gone", "gone at once"])
async def test_an_edit_is_undone_unless_the_message_is_gone_or_has_changed_since(qm, browse, monkeypatch, since):
    qm.put("before")
    async with browse() as screen:
        qm.connection.trash = None if since == "not kept" else from_configuration()
        screen.app.session.program = ["mqx"]

        def run_editor(*_, **__):
            done = edit(qm, body=b"after")
            if since == "gone at once":
                qm.get()
            elif since == "changed at once":
                edit(qm, fields={"priority": 9})
            return done

        monkeypatch.setattr("subprocess.run", run_editor)
        monkeypatch.setattr(screen.app, "suspend", screen.app.browser.prevent)  # there is no terminal to give away
        await screen.press("e")
        await screen.until(lambda: "edited" in screen.said)
        refusals = {
            "changed at once": "another program has edited it at the same time",
            "not kept": "the trash does not keep what it replaced",
        }
        if since in refusals:
            await screen.press("z")
            await screen.until(lambda: refusals[since] in screen.said)
            assert qm.data() == [b"after"]
            return
        assert "edited; z undoes" in screen.said
        if since == "changed":
            edit(qm, fields={"priority": 9})
        elif since == "gone":
            qm.get()
        await screen.press("z", opens=ConfirmDialog)
        await screen.press("y")
        words = {
            "nothing": "restored 1 message",
            "changed": "cannot undo the edit: the message has changed since",
            "gone": "cannot undo the edit: the message is gone",
        }
        await screen.until(lambda: words[since.removesuffix(" at once")] in screen.said)
        assert qm.data() == {"nothing": [b"before"], "changed": [b"after"]}.get(since, [])


async def test_a_move_to_the_destination_of_a_dead_letter_removes_its_mqdlh_unless_that_is_switched_off(
    qm, browse, letters
):
    async with browse("DLQ") as screen:
        await screen.press("m", opens=TransferDialog)
        await screen.type("R")
        assert not screen.app.screen.strips
        screen.app.screen.query_one("Input").value = ""
        await screen.type("T")
        await screen.press("tab")
        await screen.until(lambda: screen.app.screen.strips)
        await screen.press("enter")
        await screen.until(lambda: "moved 1 message to TINY" in screen.said)
        assert qm.data("TINY") == [b"one"]
        stored = load_message(qm.connection, select_keys(qm.connection, "TINY", EVERYTHING)[0])
        assert stored.md.format == ""
        await screen.press("z")
        await screen.until(lambda: "their MQDLH is removed" in screen.said)
        await screen.press("m", opens=TransferDialog)
        await screen.type("TINY")
        await screen.press("ctrl+t", "enter")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        await screen.press("m", opens=TransferDialog)
        await screen.type("R")
        await screen.press("ctrl+t", "enter")
        await screen.until(lambda: "moved 1 message to R" in screen.said)
        assert qm.data("R") == [b"two"]


async def test_a_message_without_a_valid_mqdlh_stays_where_it_is(qm, browse, letters):
    qm.put("no header", "DLQ")
    async with browse("DLQ") as screen:
        await screen.until(lambda: "1 of 3" in screen.place)
        await screen.press("ctrl+a")
        await screen.until(lambda: "3 marked" in screen.place)
        await screen.press("m", opens=TransferDialog)
        await screen.type("R")
        await screen.press("ctrl+t", "enter")
        await screen.until(lambda: "moved 2 messages to R; 1 left" in screen.said)
        assert "MQRC_DLH_ERROR" in screen.said
        assert qm.data("DLQ") == [b"no header"]

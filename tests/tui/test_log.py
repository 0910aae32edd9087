"""Announcement of dead letters, and the log of a session, in the live browser."""

from __future__ import annotations

import io

import pytest

from mqtools.admin.error_log import note
from mqtools.tui.dialogs.errors import ErrorLogDialog
from mqtools.tui.terminal_driver import TerminalOutput


@pytest.mark.parametrize("how", ["off", "bell"])
async def test_new_dead_letters_ring_the_bell_where_the_setting_says_so(qm, browse, monkeypatch, how):
    monkeypatch.setenv("MQX_TUI_NOTIFY", how)
    qm.put("before", "DLQ")
    async with browse() as screen:
        rung = []
        monkeypatch.setattr(screen.app, "bell", lambda: rung.append(1))
        qm.put("no dead letter")
        await screen.until(lambda: "1 of 1" in screen.place)
        qm.put("one", "DLQ")
        qm.put("two", "DLQ")
        await screen.until(lambda: "3 dead" in screen.status)
        assert bool(rung) == (how == "bell")
        assert ("dead letter" in screen.said) == (how == "bell")


@pytest.mark.parametrize(("how", "written"), [("bell", "\a"), ("osc9", "\x1b]9;mqx: new dead letters\a")])
def test_a_bell_is_a_notification_of_the_desktop_where_the_setting_says_so(monkeypatch, how, written):
    monkeypatch.setenv("MQX_TUI_NOTIFY", how)
    file = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    output = TerminalOutput(file, lambda: None)
    output.write("\a")
    output.write("text\a")
    output.flush()
    assert file.buffer.getvalue().decode() == f"{written}text\a"


async def test_the_log_has_what_was_done_and_what_failed_here_and_what_the_error_log_says_since(qm, browse):
    qm.put("one")
    qm.define("FULL", max_q_depth=0)
    note(qm.connection, "AMQ9999E", "an error before")
    async with browse() as screen:
        note(qm.connection, "AMQ9999E", "an error since")
        await screen.press("space", "m")
        await screen.enter("FULL")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        await screen.press("H", opens=ErrorLogDialog)
        await screen.until(lambda: "3 entries" in screen.text)
        assert "Move 1 message from Q to FULL: moved 0 messages" in screen.text
        assert "Delete 1 message from Q: deleted 1 message" in screen.text
        for sign in ("here E", "here I", "AMQ9999E", "an error since"):
            assert sign in screen.text
        assert "an error before" not in screen.text
        assert "number    what" in screen.text

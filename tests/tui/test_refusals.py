"""Dialogs that refuse an entry: they stay open with what was typed, and the correction goes to them."""

from __future__ import annotations

from threading import Event

import pytest
from textual.widgets import Input, TextArea

from mqtools.tui.dialogs.prompt_line import PromptLine
from mqtools.tui.dialogs.standard import FormDialog, InputDialog

from .conftest import QM


def entry(screen) -> Input:
    return screen.app.screen.query_one("#line", Input)


async def correct(screen, text: str) -> None:
    """Replace the refused entry."""
    await screen.press("ctrl+u")
    await screen.enter(text)


@pytest.mark.parametrize(
    ("keys", "kind", "wrong", "reason", "right"),
    [
        ("m", InputDialog, "NOPE", "queue NOPE does not exist", "R"),
        ("m", InputDialog, "Q", "the messages are already on Q", "R"),
        ("c", InputDialog, "R@NOPE", "no transmission queue leads to queue manager NOPE", "R"),
        ("#", InputDialog, "nowhere", "'nowhere' is not a position", "1"),
        ("l#", InputDialog, "99", "only 1 line here", "1"),
        ("@", InputDialog, "one day", "one day", "-1s"),
        ("/", PromptLine, "where (", "MQRC_SELECTOR_SYNTAX_ERROR", "hello"),
        ("l/", PromptLine, "bye", "no hit here", "hell"),
        ("R", InputDialog, "/no/such", "No such file", "rules"),
        ("w", InputDialog, "/no/such/file", "folder /no/such does not exist", "file"),
    ],
)
async def test_a_refused_entry_stays_in_its_dialog_and_its_correction_is_taken(
    qm, browse, tmp_path, monkeypatch, keys, kind, wrong, reason, right
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").write_text("ACTION(DISCARD)\n", encoding="utf-8")
    qm.put("hello")
    async with browse() as screen:
        await screen.until(lambda: screen.detail == "hello")
        await screen.press(*(_KEYS.get(key, key) for key in keys), opens=kind)
        await screen.enter(wrong)
        await screen.until(lambda: reason in " ".join(screen.text.replace("│", " ").split()))
        assert entry(screen).value == wrong
        assert screen.cursor_line == (0, "hello")
        await correct(screen, right)
        await screen.until(lambda: not isinstance(screen.app.screen, kind))


_KEYS = {"#": "number_sign", "@": "at", "/": "slash"}


async def test_a_put_that_fails_keeps_the_form_with_its_text(qm: QM, browse):
    qm.define("FULL", max_q_depth=1)
    qm.put("in the way", "FULL")
    async with browse() as screen:
        await screen.press("p", opens=FormDialog)
        screen.app.screen.query_one("#field-queue", Input).value = "FULL"
        await screen.type("long to write")
        await screen.press("ctrl+s")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.text)
        assert screen.app.screen.query_one(TextArea).text == "long to write"
        qm.get("FULL")
        await screen.press("ctrl+s")
        await screen.until(lambda: "put on FULL" in screen.said)
    assert qm.data("FULL") == [b"long to write"]


async def test_keys_that_come_right_after_a_dialog_has_closed_late_are_dropped(qm: QM, browse):
    qm.put("hello")
    async with browse() as screen:
        held, session = Event(), screen.app.session
        await screen.press("m", opens=InputDialog)
        await screen.type("R")
        session.reader.ask(lambda _: held.wait(), lambda _: None)
        await screen.press("enter")
        assert isinstance(screen.app.screen, InputDialog)
        held.set()
        await screen.until(lambda: screen.app.screen is screen.app.browser)
        session.drop_keys_until += 60
        await screen.pilot.press("question_mark")
        assert screen.app.screen is screen.app.browser
        session.drop_keys_until = 0
        await screen.press("question_mark")
        await screen.until(lambda: screen.app.screen is not screen.app.browser)
    assert qm.data("R") == [b"hello"]

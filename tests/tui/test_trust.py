"""What an operator has to be able to rely on: what a dialog says before it acts, and that nothing is lost unasked."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from mqtools.tui.dialogs.standard import ChoiceDialog, ConfirmDialog, FormDialog, InputDialog


async def test_the_marked_messages_out_of_sight_are_named_before_they_are_deleted(qm, browse):
    qm.put_numbered(300)
    async with browse() as screen:
        await screen.press("space", "G")
        await screen.until(lambda: "message 299" in screen.text)
        await screen.press("d", opens=ConfirmDialog)
        await screen.until(lambda: "datagram  message 0" in screen.text)


async def test_the_cursor_goes_to_the_next_message_when_this_session_has_deleted_one(qm, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        await screen.press("j", "d", "y")
        await screen.until(lambda: screen.cursor_line == (1, "message 2"))
        assert "gone" not in screen.text


@pytest.mark.parametrize(
    ("name", "letter", "begins"),
    [
        ("a.dump", "", b"* QLOAD Version"),
        ("a.JSONL", "", b'{"'),
        ("a.bin", "", b"\0\xff bytes"),
        ("out", "d", b"* QLOAD Version"),
    ],
)
async def test_the_end_of_a_name_or_the_answer_decides_what_is_written(qm, browse, tmp_path, name, letter, begins):
    qm.put(b"\0\xff bytes", format="")
    async with browse() as screen:
        await screen.press("w", opens=InputDialog)
        await screen.enter(str(tmp_path / name), opens=ChoiceDialog if letter else None)
        await screen.press(*letter)
        await screen.until(lambda: f"wrote 1 message to {tmp_path / name}" in screen.said)
        assert (tmp_path / name).read_bytes().startswith(begins)


async def test_escape_discards_a_form_only_after_asking(qm, browse):
    async with browse() as screen:
        await screen.press("p", opens=FormDialog)
        form = screen.app.screen
        await screen.type("text")
        await screen.press("escape", opens=ConfirmDialog)
        await screen.press("n")
        await screen.until(lambda: screen.app.screen is form)
        assert form.query_one(TextArea).text == "text"
        await screen.press("escape", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: screen.app.screen is screen.app.browser)
        await screen.press("p", opens=FormDialog)
        await screen.press("escape")
        await screen.until(lambda: screen.app.screen is screen.app.browser)


async def test_a_filter_without_hits_does_not_move_the_cursor(qm, browse):
    qm.put_numbered(9)
    async with browse() as screen:
        await screen.press("j", "j", "slash")
        await screen.enter("nowhere")
        await screen.until(lambda: "0 hits" in screen.text)
        await screen.press("escape")
        await screen.until(lambda: screen.cursor_line[1] == "message 2")


async def test_before_its_journal_the_earliest_time_is_offered(qm, browse):
    qm.define("KEPT", journal=2)
    qm.put("one", "KEPT")
    async with browse("KEPT") as screen:
        await screen.press("at", opens=InputDialog)
        await screen.enter("-1h", opens=ConfirmDialog)
        await screen.until(lambda: "Show it at the earliest time, 20" in screen.text)
        await screen.press("y")
        await screen.until(lambda: screen.app.browser.past.at is not None)

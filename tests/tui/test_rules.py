"""Rules tables in the browser: redrives, dry runs, runs that are stopped, tables with mistakes."""

from __future__ import annotations

from threading import Event

from mqtools.dlq.handler import Handler
from mqtools.message import MQMD, Message
from mqtools.tui.background import writer
from mqtools.tui.controllers import dead_letters
from mqtools.tui.dialogs.dry_run import DryRunDialog
from mqtools.tui.dialogs.standard import (
    ConfirmDialog,
    InputDialog,
    TextDialog,
)

from .filling import dialog


async def dry_run_rules(screen, path, shown=DryRunDialog):
    await screen.press("R", opens=InputDialog)
    await screen.enter(str(path), opens=shown)


async def run_on_two(screen, qm):
    """Run the rules that are rehearsed: they forward the message two, and no other."""
    await screen.until(lambda: "FWD: 1" in screen.text)
    await screen.press("exclamation_mark", opens=ConfirmDialog)
    assert "on 1 message of DLQ once?" in screen.text
    await screen.press("y")
    await screen.until(lambda: "handled 1 message" in screen.said)
    assert qm.data("R") == [b"two"]


async def test_a_redrive_sends_dead_letters_back_to_where_they_came_from(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.press("r", opens=ConfirmDialog)
        assert "Redrive 1 message from DLQ" in screen.text
        await screen.press("y")
        await screen.until(lambda: "redriven 1 message" in screen.said)
        assert qm.data("TINY") == [b"one"]
        await screen.press("g")
        await screen.until(lambda: screen.detail == "two")
        await screen.press("r", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        assert len(qm.data("DLQ")) == 1


async def test_a_rules_table_is_rehearsed_before_it_runs(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    async with browse("DLQ") as screen:
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 2" in screen.text and "2 ██████████" in screen.text)
        await screen.until(lambda: "→ R  line 1: REASON(MQRC_Q_FULL)" in screen.text)
        assert qm.data("R") == []
        await screen.press("exclamation_mark", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "handled 2 messages" in screen.said)
        assert qm.data("R") == [b"one", b"two"]


async def test_a_dry_run_was_not_stopped_because_something_later_was(qm, browse, letters, monkeypatch, tmp_path):
    (tmp_path / "rules").write_text("ACTION(RETRY)\n")
    free, real = Event(), dead_letters.dry_run_rules
    monkeypatch.setattr(dead_letters, "dry_run_rules", lambda *given: (free.wait(100), real(*given))[1])
    async with browse("DLQ") as screen:
        await screen.press("R", opens=InputDialog)
        await screen.enter(str(tmp_path / "rules"))
        await screen.until(lambda: screen.app.browser.jobs.all)
        screen.app.browser.work.read_job("Write", "wrote", lambda _: iter(()), 1).cancelled.set()
        free.set()
        await dialog(screen, DryRunDialog)
        await screen.until(lambda: "RETRY: 2" in screen.text)
        assert "stopped before the end" not in screen.text


async def test_a_row_of_a_dry_run_leads_to_its_messages_and_a_loss_is_not_the_bright_button(
    qm, browse, letters, tmp_path
):
    (tmp_path / "rules").write_text("DESTQ(TINY) ACTION(DISCARD)\n")
    qm.put("no dead letter", "DLQ")
    async with browse("DLQ") as screen:
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "3 messages · DISCARD: 2 · left: 1" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "2 messages: DISCARD" in screen.text)
        await screen.press("j", "enter")
        await screen.until(lambda: "2 of 3" in screen.place and screen.app.screen is screen.app.browser)
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.press("exclamation_mark", opens=ConfirmDialog)
        assert "DISCARD: 2" in screen.text
        assert screen.app.screen.query_one("#no").variant == "primary"


async def test_a_session_that_only_reads_can_rehearse_a_rules_table_and_not_run_it(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    async with browse("DLQ", read_only=True) as screen:
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 2" in screen.text)
        assert "runs it" not in screen.text
        await screen.press("exclamation_mark")
        assert isinstance(screen.app.screen, DryRunDialog)
        assert len(qm.data("DLQ")) == 2


async def test_rules_are_for_what_is_marked_where_something_is(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    async with browse("DLQ") as screen:
        await screen.press("j", "space")
        await screen.until(lambda: "1 marked" in screen.place)
        await dry_run_rules(screen, tmp_path / "rules")
        await run_on_two(screen, qm)
        await screen.until(lambda: "marked" not in screen.place)


async def test_rules_are_for_what_a_filter_has_found_where_nothing_is_marked(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    async with browse("DLQ") as screen:
        await screen.press("slash")
        await screen.enter("two")
        await screen.until(lambda: "1 of 1" in screen.place and not screen.is_searching)
        await dry_run_rules(screen, tmp_path / "rules")
        await run_on_two(screen, qm)


async def test_a_run_of_rules_can_be_stopped_and_marks_are_kept_meanwhile(qm, browse, monkeypatch, tmp_path):
    qm.alter(msg_mark_browse_interval=60_000)
    monkeypatch.setattr(writer, "_RENEW_AT", 1 / 200)
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.connection.put_each("TINY", [Message(b"%d" % n, MQMD()) for n in range(400)], dead_letter=True)
    qm.put("marked")
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    free, settle = Event(), Handler._settle
    monkeypatch.setattr(Handler, "_settle", lambda *given: (free.wait(0.5), settle(*given))[1])
    async with browse() as screen:
        await screen.press("space")
        await screen.until(qm.marked_until)
        screen.app.browser.open_queue("DLQ")
        await screen.until(lambda: "1 of 400" in screen.place)
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 400" in screen.text)
        await screen.press("exclamation_mark", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: qm.data("R"))
        before = qm.marked_until()
        await screen.until(lambda: qm.marked_until() > before)
        assert qm.data("DLQ")
        await screen.press("J", "s", "escape")
        await screen.until(lambda: "cancelled" in screen.said)
        free.set()
        assert len(qm.data("R")) + len(qm.data("DLQ")) == 400
        assert qm.data("DLQ")


async def test_a_rules_table_with_mistakes_shows_all_of_them(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(WHAT) ACTION(RETRY)\nACTION(NO)\n")
    async with browse("DLQ") as screen:
        await dry_run_rules(screen, tmp_path / "rules", TextDialog)
        await screen.until(lambda: ":1:8:" in screen.text.replace("\n", "") and ":2:8:" in screen.text)


async def test_a_rules_table_that_cannot_be_read_is_named(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.press("R", opens=InputDialog)
        await screen.enter("/nosuch")
        await screen.until(lambda: "/nosuch: No such file or directory" in screen.text)
        assert "Errno" not in screen.text

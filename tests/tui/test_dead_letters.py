"""Groups of dead letters: marked, redriven and moved from their row."""

from __future__ import annotations

from threading import Event

from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.message import MQMD, Message
from mqtools.tui.controllers import dead_letters
from mqtools.tui.dialogs.groups import GroupsDialog
from mqtools.tui.dialogs.standard import ConfirmDialog, InputDialog, TextDialog

from .filling import dialog


async def test_a_group_of_dead_letters_is_marked_and_redriven(qm, browse, letters):
    qm.define("OTHER", max_q_depth=1)
    qm.put("in the way", "OTHER")
    qm.connection.put_each("OTHER", [Message(b"other", MQMD())], dead_letter=True)
    qm.put("no dead letter", "DLQ")
    async with browse("DLQ") as screen:
        await screen.until(lambda: "1 of 4" in screen.place)
        await screen.press("D", opens=GroupsDialog)
        await screen.until(
            lambda: "Q_FULL" in screen.text and "OTHER@QM1" in screen.text and "(no MQDLH)" in screen.text
        )
        await screen.until(lambda: "MQRC_Q_FULL: " in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "2 marked" in screen.place)
        assert [row[:2] for row in screen.rows[:4]] == ["M!", "M!", "! ", "  "]
        assert "→ TINY  one" in screen.rows[0]
        await screen.press("r", opens=ConfirmDialog)
        assert "Redrive 2 messages from DLQ" in screen.text


async def test_the_dead_letter_under_the_cursor_is_redriven_where_there_is_room_for_it(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.press("r", opens=ConfirmDialog)
        assert "Redrive 1 message from DLQ to where its header says?" in screen.text
        assert "TINY holds 0 of 1: room for it" in screen.text


async def test_no_redrive_is_offered_for_messages_without_an_mqdlh(qm, browse):
    qm.put("no dead letter")
    async with browse() as screen:
        await screen.press("r")
        await screen.until(lambda: "cannot redrive 1 message: no MQDLH" in screen.said)
        await screen.press("D", opens=GroupsDialog)
        await screen.until(lambda: "Messages on Q · 1 message" in screen.text)
        assert "r: redrive" not in screen.text


async def test_a_queue_here_with_the_name_of_the_destination_elsewhere_is_not_taken_for_it(qm, browse):
    header = pack_mqdlh(MQDLH(reason=2053, dest_q_name="R", dest_q_mgr_name="PROD", format="MQSTR"), 546, 1208)
    qm.put(header + b"one", "DLQ", format="MQDEAD", encoding=546, coded_char_set_id=1208)
    async with browse("DLQ") as screen:
        await screen.press("r", opens=ConfirmDialog)
        await screen.until(lambda: "→ R@PROD  one" in screen.text)
        assert "room for" not in screen.text
        await screen.press("n", "x", opens=TextDialog)
        assert "change R" not in screen.text


async def test_a_group_is_redriven_from_its_row_with_what_there_is_room_for(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.until(lambda: "1 of 2" in screen.place)
        await screen.press("D", opens=GroupsDialog)
        await screen.until(lambda: "TINY holds 0 of 1: room for 1 of 2" in screen.text)
        await screen.press("r", opens=ConfirmDialog)
        assert "Redrive 2 messages from DLQ to TINY@QM1?" in screen.text
        assert "Q_FULL  → TINY  one" in screen.text
        assert screen.app.screen.query_one("#no").variant == "primary"
        await screen.press("y")
        await screen.until(lambda: "redriven 1 message" in screen.said)
        assert qm.data("TINY") == [b"one"]
        assert len(qm.data("DLQ")) == 1


async def test_a_group_is_moved_from_its_row_without_those_that_arrive_later(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.press("D", opens=GroupsDialog)
        await screen.until(lambda: "TINY@QM1" in screen.text)
        qm.connection.put_each("TINY", [Message(b"fits", MQMD()), Message(b"later", MQMD())], dead_letter=True)
        await screen.press("m", opens=InputDialog)
        await screen.type("R")
        await screen.until(lambda: "R holds 0 of 5 000: room for all 2" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "moved 2 messages" in screen.said)
        assert [data[-3:] for data in qm.data("R")] == [b"one", b"two"]
        assert len(qm.data("DLQ")) == 1


async def test_grouping_takes_its_time_beside_everything_else_and_marks_the_queue_that_was_grouped(
    qm, browse, letters, monkeypatch
):
    qm.put("elsewhere")
    free, real = Event(), dead_letters.read_groups
    monkeypatch.setattr(dead_letters, "read_groups", lambda *given: (free.wait(100), real(*given))[1])
    async with browse("DLQ") as screen:
        await screen.press("D")
        await screen.until(lambda: "Group the dead letters on DLQ" in screen.text)
        screen.app.browser.open_queue("Q")
        await screen.until(lambda: "1 of 1" in screen.place)
        free.set()
        await dialog(screen, GroupsDialog)
        await screen.press("enter")
        await screen.until(lambda: sum(qm.is_marked("DLQ")) == 2)
        assert "marked" not in screen.place
        screen.app.browser.open_queue("DLQ")
        await screen.until(lambda: "2 marked" in screen.place)


async def test_a_session_that_only_reads_sees_the_groups_too(qm, browse, letters):
    async with browse("DLQ", read_only=True) as screen:
        await screen.press("D", opens=GroupsDialog)
        await screen.until(lambda: "TINY@QM1" in screen.text)
        assert "mark" not in screen.text
        await screen.press("enter")
        await screen.until(lambda: screen.app.screen is screen.app.browser)

"""Actions on messages in the live browser, and the questions before them."""

from __future__ import annotations

import json
import stat

import pytest
from textual.widgets import Input, TextArea

from mqtools.mqi.objects.definitions import alter_queue
from mqtools.tui.dialogs.standard import (
    ChoiceDialog,
    ConfirmDialog,
    FormDialog,
    InputDialog,
)
from mqtools.tui.keymap import KEYS

from .filling import dialog, fill


async def test_what_could_not_be_put_back_can_be_later(qm, browse):
    def inhibit(puts):
        with qm.connection.work() as work:
            alter_queue(work, "QLOCAL", "Q", {"inhibit_put": puts})

    qm.put("one")
    async with browse() as screen:
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        inhibit(1)
        await screen.press("z", "y")
        await screen.until(lambda: "MQRC_PUT_INHIBITED" in screen.said)
        inhibit(0)
        await screen.press("z", "y")
        await screen.until(lambda: "put back 1 message" in screen.said)
        assert qm.data() == [b"one"]


@pytest.mark.parametrize("key", ["n", "escape", "enter"])
async def test_a_delete_asks_first_and_the_answer_is_no_unless_somebody_says_yes(qm, browse, key):
    qm.put("keep me")
    async with browse() as screen:
        await screen.press("d", opens=ConfirmDialog)
        await screen.until(lambda: "Delete 1 message from Q?" in screen.text)
        await screen.press(key)
        await screen.pilot.pause(0.3)
        assert screen.app.screen is screen.app.browser
        assert qm.data() == [b"keep me"]


async def test_what_is_deleted_can_come_back_from_the_trash(qm, browse):
    qm.put("one")
    qm.put("two")
    async with browse() as screen:
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message; z undoes" in screen.said)
        assert qm.data() == [b"two"]
        await screen.press("z", opens=ConfirmDialog)
        await screen.until(
            lambda: "Put back on Q what was deleted last" in screen.text and " 1 message " in screen.text
        )
        await screen.press("y")
        await screen.until(lambda: "put back 1 message" in screen.said)
        assert qm.data() == [b"one", b"two"]
        await screen.press("z")
        await screen.until(lambda: "nothing has been deleted, moved" in screen.said)


async def test_a_message_locked_here_can_be_deleted_here(qm, browse):
    qm.put("one")
    async with browse() as screen:
        await screen.press("L")
        await screen.until(lambda: "locked: other programs" in screen.said)
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        assert qm.data() == []


async def test_moving_asks_where_to_completes_the_name_and_keeps_the_message_whole(qm, browse):
    msg_id = qm.put("one", priority=7)
    qm.put("two")
    async with browse() as screen:
        await screen.press("m", opens=InputDialog)
        assert "Move 1 message from Q to queue" in screen.text
        await screen.type("r")
        await screen.press("tab")
        assert screen.app.screen.query_one(Input).value == "R"
        await screen.press("enter")
        await screen.until(lambda: "moved 1 message to R" in screen.said)
        assert (qm.data(), qm.data("R")) == ([b"two"], [b"one"])
        assert qm.get("R", msg_id=msg_id) == b"one"


async def test_copying_leaves_the_originals_and_takes_all_that_is_marked(qm, browse):
    for name in ("one", "two", "three"):
        qm.put(name)
    async with browse() as screen:
        await screen.press("space", "space", "c", opens=InputDialog)
        await screen.enter("R")
        await screen.until(lambda: "copied 2 messages" in screen.said)
        assert len(qm.data()) == 3
        assert qm.data("R") == [b"one", b"two"]


async def test_a_move_that_fails_says_why_and_a_lock_stays(qm, browse):
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.put("one")
    async with browse() as screen:
        await screen.press("L")
        await screen.until(lambda: "locked: other programs" in screen.said)
        await screen.press("m", opens=InputDialog)
        await screen.enter("TINY")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        await screen.until(lambda: screen.rows[0].startswith("L"))
        assert qm.data() == [b"one"]


async def test_get_takes_a_message_as_a_program_would(qm, browse):
    qm.put("one", report=0x800, reply_to_q="R")
    async with browse() as screen:
        await screen.press("X", "y")
        await screen.until(lambda: "got 1 message" in screen.said)
        assert qm.data() == []
        assert len(qm.data("R")) == 1


async def test_a_form_puts_a_message(qm, browse):
    async with browse() as screen:
        await screen.press("p")
        await fill(screen, priority="7", properties="colour=red", reply_to="R@QM1", data="made by hand")
        await screen.until(lambda: "put on Q:" in screen.said)
        await screen.until(lambda: screen.cursor_line[1] == "made by hand")
        await screen.press("6")
        await screen.until(lambda: "colour : red" in screen.detail)
        assert screen.rows[0].split()[1] == "7"


async def test_a_form_that_makes_no_message_is_asked_for_again_with_what_was_typed(qm, browse):
    async with browse() as screen:
        await screen.press("p")
        await fill(screen, expiry="soon", data="typed")
        await screen.until(lambda: "soon" in screen.app.screen.query_one(".refusal").content)
        form = await dialog(screen, FormDialog)
        assert form.query_one("#field-data", TextArea).text == "typed"
        await screen.press("escape")
        assert qm.data() == []


async def test_a_report_and_a_reply_are_made_of_a_request(qm, browse):
    qm.put("request", msg_type=1, reply_to_q="R")
    async with browse() as screen:
        await screen.press("a", opens=ChoiceDialog)
        await screen.press("r")
        await fill(screen, feedback="nan")
        await screen.until(lambda: "made of 1 message" in screen.said)
        await screen.press("a", opens=ChoiceDialog)
        await screen.press("y")
        await fill(screen, data="the answer")
        await screen.until(lambda: b"the answer" in qm.data("R"))
        assert len(qm.data("R")) == 2
        assert qm.data() == [b"request"]


async def test_a_message_is_forwarded_to_another_queue(qm, browse):
    qm.put("letter")
    async with browse() as screen:
        await screen.press("a", opens=ChoiceDialog)
        await screen.press("f")
        await screen.until(lambda: "Forward 1 message on Q" in screen.text)
        await fill(screen, to="R")
        await screen.until(lambda: qm.data("R") == [b"letter"])
        assert qm.data() == [b"letter"]


async def test_a_message_that_is_edited_where_it_lies_is_listed_as_it_is_then(qm, browse):
    qm.put("before")
    async with browse() as screen:
        with qm.connection.work():
            (seq,) = (row[0] for row in qm.connection.db.all("select seq from messages"))
            qm.connection.db.run(
                "update messages set checksum = null, data = ?, data_length = 5 where seq = ?", (b"after", seq)
            )
        await screen.until(lambda: screen.cursor_line == (0, "after"))


async def test_what_is_marked_is_written_to_a_file_that_can_be_put_again(qm, browse, tmp_path):
    qm.put("one")
    qm.put("two")
    path = tmp_path / "out.jsonl"
    async with browse() as screen:
        await screen.press("space", "space", "w", opens=InputDialog)
        await screen.enter(str(path))
        await screen.until(lambda: "wrote 2 messages" in screen.said)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [line["data"] for line in lines] == ["one", "two"]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await screen.press("w", opens=InputDialog)
        await screen.enter(str(path), opens=ConfirmDialog)
        assert "exists" in screen.text
        await screen.press("enter")


@pytest.mark.parametrize(
    ("letter", "copied", "said"),
    [
        ("b", lambda text, _: text == "hello", "clipboard: hello"),
        ("i", lambda text, msg_id: text == msg_id.hex().upper(), ""),
        ("q", lambda text, _: text == "Q", "clipboard: Q"),
        (
            "h",
            lambda text, _: text == "00000000:  6865 6C6C 6F" + " " * 29 + "'hello           ' '..%%?           '",
            "",
        ),
        ("c", lambda text, msg_id: text.endswith(f"/QM1.db --all-states --msg-id {msg_id.hex().upper()}"), "browse Q"),
        ("j", lambda text, _: json.loads(text)["data"] == "hello", ""),
        ("long b", lambda text, _: text == "x" * 100_000, "clipboard, the first 100 000 of 100 001 bytes: xxx"),
        ("long j", lambda text, _: json.loads(text)["data"] == "x" * 100_001, "clipboard: {"),
        ("dead b", lambda text, _: text == "one", "clipboard: one"),
    ],
)
async def test_things_are_copied_to_the_clipboard_of_the_terminal(qm, browse, letters, letter, copied, said):
    msg_id = qm.put("x" * 100_001 if "long" in letter else "hello")
    async with browse("DLQ" if "dead" in letter else "Q") as screen:
        await screen.press("y", opens=ChoiceDialog)
        await screen.press(letter[-1])
        await screen.until(lambda: screen.app.clipboard)
        assert copied(screen.app.clipboard, msg_id)
        await screen.until(lambda: said in screen.said)


@pytest.mark.parametrize(("q_name", "read_only"), [("DLQ", False), ("DLQ", True), ("", False)])
async def test_every_key_can_be_pressed_anywhere(qm, browse, letters, q_name, read_only):
    left_out = ("quit", "suspend", "edit")
    async with browse(q_name, read_only=read_only) as screen:
        for key in KEYS:
            if key.id not in left_out:
                await screen.press(key.keys.split(",")[0])
                while screen.app.screen is not screen.app.browser:
                    await screen.press("escape")
        assert screen.app.crash is None
        assert len(qm.data("DLQ")) == 2

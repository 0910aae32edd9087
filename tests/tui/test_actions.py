"""Actions on messages in the live browser, and the questions before them."""

from __future__ import annotations

import json
import stat
from threading import Semaphore

import pytest
from textual.widgets import Input, TextArea

from mqtools.message import MQMD, Message
from mqtools.tui.dialogs.dry_run import DryRunDialog
from mqtools.tui.dialogs.groups import GroupsDialog
from mqtools.tui.dialogs.jobs import JobsDialog
from mqtools.tui.dialogs.standard import (
    ChoiceDialog,
    ConfirmDialog,
    FormDialog,
    InputDialog,
    TextDialog,
)
from mqtools.tui.keymap import KEYS


@pytest.fixture
def letters(qm):
    """Dead letters on DLQ, which were for R; R has room again."""
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.connection.put_each("TINY", [Message(b"one", MQMD()), Message(b"two", MQMD())], dead_letter=True)
    assert qm.get("TINY") == b"in the way"


async def dialog(screen, kind):
    await screen.until(lambda: isinstance(screen.app.screen, kind))
    return screen.app.screen


async def fill(screen, **fields):
    form = await dialog(screen, FormDialog)
    for name, value in fields.items():
        found = form.query_one(f"#field-{name}")
        if isinstance(found, TextArea):
            found.text = value
        else:
            found.value = value
    await screen.press("ctrl+s")


def test_what_could_not_be_put_back_can_be_later(qm, browse):
    from mqtools.mqi.objects.definitions import alter_queue

    def inhibit(puts):
        with qm.connection.work() as work:
            alter_queue(work, "QLOCAL", "Q", {"inhibit_put": puts})

    qm.put("one")

    async def story(screen):
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        inhibit(1)
        await screen.press("z", "y")
        await screen.until(lambda: "MQRC_PUT_INHIBITED" in screen.said)
        inhibit(0)
        await screen.press("z", "y")
        await screen.until(lambda: "put back 1 message" in screen.said)
        assert qm.data() == [b"one"]

    browse(story)


@pytest.mark.parametrize("key", ["n", "escape", "enter"])
def test_a_delete_asks_first_and_the_answer_is_no_unless_somebody_says_yes(qm, browse, key):
    qm.put("keep me")

    async def story(screen):
        await screen.press("d")
        await dialog(screen, ConfirmDialog)
        await screen.until(lambda: "Delete 1 message from Q?" in screen.text)
        await screen.press(key)
        await screen.pilot.pause(0.3)
        assert screen.app.screen is screen.app.browser
        assert qm.data() == [b"keep me"]

    browse(story)


def test_what_is_deleted_can_come_back_from_the_trash(qm, browse):
    qm.put("one")
    qm.put("two")

    async def story(screen):
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message; back with: mqx trash restore --removal 1" in screen.said)
        assert qm.data() == [b"two"]
        await screen.press("z")
        await dialog(screen, ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "put back 1 message" in screen.said)
        assert qm.data() == [b"one", b"two"]
        await screen.press("z")
        await screen.until(lambda: "nothing has been deleted here" in screen.said)

    browse(story)


def test_a_message_locked_here_can_be_deleted_here(qm, browse):
    qm.put("one")

    async def story(screen):
        await screen.press("L")
        await screen.until(lambda: "locked: nobody else" in screen.said)
        await screen.press("d", "y")
        await screen.until(lambda: "deleted 1 message" in screen.said)
        assert qm.data() == []

    browse(story)


def test_moving_asks_where_to_completes_the_name_and_keeps_the_message_whole(qm, browse):
    msg_id = qm.put("one", priority=7)
    qm.put("two")

    async def story(screen):
        await screen.press("m")
        await dialog(screen, InputDialog)
        assert "Move 1 message from Q to queue" in screen.text
        await screen.type("r")
        await screen.press("tab")
        assert screen.app.screen.query_one(Input).value == "R"
        await screen.press("enter")
        await screen.until(lambda: "moved 1 message" in screen.said)
        assert (qm.data(), qm.data("R")) == ([b"two"], [b"one"])
        assert qm.get("R", msg_id=msg_id) == b"one"

    browse(story)


def test_copying_leaves_the_originals_and_takes_all_that_is_marked(qm, browse):
    for name in ("one", "two", "three"):
        qm.put(name)

    async def story(screen):
        await screen.press("space", "space", "c")
        await dialog(screen, InputDialog)
        await screen.type("R")
        await screen.press("enter")
        await screen.until(lambda: "copied 2 messages" in screen.said)
        assert len(qm.data()) == 3
        assert qm.data("R") == [b"one", b"two"]

    browse(story)


def test_a_move_that_fails_says_why_and_a_lock_stays(qm, browse):
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.put("one")

    async def story(screen):
        await screen.press("L")
        await screen.until(lambda: "locked: nobody else" in screen.said)
        await screen.press("m")
        await dialog(screen, InputDialog)
        await screen.type("TINY")
        await screen.press("enter")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        await screen.until(lambda: screen.rows[0].startswith("L"))
        assert qm.data() == [b"one"]

    browse(story)


def test_get_takes_a_message_as_a_program_would(qm, browse):
    qm.put("one", report=0x800, reply_to_q="R")

    async def story(screen):
        await screen.press("X", "y")
        await screen.until(lambda: "got 1 message" in screen.said)
        assert qm.data() == []
        assert len(qm.data("R")) == 1

    browse(story)


def test_a_form_puts_a_message(qm, browse):
    async def story(screen):
        await screen.press("p")
        await fill(screen, priority="7", properties="colour=red", reply_to="R@QM1", data="made by hand")
        await screen.until(lambda: "put on Q:" in screen.said)
        await screen.until(lambda: screen.cursor_line[1] == "made by hand")
        await screen.press("6")
        await screen.until(lambda: "colour : red" in screen.detail)
        assert screen.rows[0].split()[1] == "7"

    browse(story)


def test_a_form_that_makes_no_message_is_asked_for_again_with_what_was_typed(qm, browse):
    async def story(screen):
        await screen.press("p")
        await fill(screen, priority="high", data="typed")
        await screen.until(lambda: "priority" in screen.said)
        form = await dialog(screen, FormDialog)
        assert form.query_one("#field-data", TextArea).text == "typed"
        await screen.press("escape")
        assert qm.data() == []

    browse(story)


def test_a_report_and_a_reply_are_made_of_a_request(qm, browse):
    qm.put("request", msg_type=1, reply_to_q="R")

    async def story(screen):
        await screen.press("a")
        await dialog(screen, ChoiceDialog)
        await screen.press("r")
        await fill(screen, feedback="nan")
        await screen.until(lambda: "made of 1 message" in screen.said)
        await screen.press("a")
        await dialog(screen, ChoiceDialog)
        await screen.press("y")
        await fill(screen, data="the answer")
        await screen.until(lambda: b"the answer" in qm.data("R"))
        assert len(qm.data("R")) == 2
        assert qm.data() == [b"request"]

    browse(story)


def test_a_message_is_forwarded_to_another_queue(qm, browse):
    qm.put("letter")

    async def story(screen):
        await screen.press("a")
        await dialog(screen, ChoiceDialog)
        await screen.press("f")
        await screen.until(lambda: "Forward 1 message on Q" in screen.text)
        await fill(screen, to="R")
        await screen.until(lambda: qm.data("R") == [b"letter"])
        assert qm.data() == [b"letter"]

    browse(story)


def test_a_group_of_dead_letters_is_marked_and_redriven(qm, browse, letters):
    qm.define("OTHER", max_q_depth=1)
    qm.put("in the way", "OTHER")
    qm.connection.put_each("OTHER", [Message(b"other", MQMD())], dead_letter=True)
    qm.put("no dead letter", "DLQ")

    async def story(screen):
        await screen.until(lambda: "1 of 4" in screen.place)
        await screen.press("D")
        await dialog(screen, GroupsDialog)
        await screen.until(
            lambda: "Q_FULL" in screen.text and "OTHER@QM1" in screen.text and "(no MQDLH)" in screen.text
        )
        await screen.until(lambda: "MQRC_Q_FULL: " in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "2 marked" in screen.place)
        assert [row[:2] for row in screen.rows[:4]] == ["M!", "M!", "! ", "  "]
        assert "→ TINY  one" in screen.rows[0]
        await screen.press("r")
        await dialog(screen, ConfirmDialog)
        assert "Redrive 2 messages from DLQ" in screen.text

    browse(story, "DLQ")


def test_a_group_is_redriven_from_its_row_with_what_there_is_room_for(qm, browse, letters):
    async def story(screen):
        await screen.until(lambda: "1 of 2" in screen.place)
        await screen.press("D")
        await dialog(screen, GroupsDialog)
        await screen.until(lambda: "TINY has room for 1 of 2" in screen.text)
        await screen.press("r")
        await dialog(screen, ConfirmDialog)
        assert "Redrive 2 messages from DLQ to TINY@QM1?" in screen.text
        assert "Q_FULL  → TINY  one" in screen.text
        assert screen.app.screen.query_one("#yes").variant == "primary"
        await screen.press("y")
        await screen.until(lambda: "redriven 1 message" in screen.said)
        assert qm.data("TINY") == [b"one"]
        assert len(qm.data("DLQ")) == 1

    browse(story, "DLQ")


def test_a_group_is_moved_from_its_row_without_those_that_arrive_later(qm, browse, letters):
    async def story(screen):
        await screen.press("D")
        await dialog(screen, GroupsDialog)
        await screen.until(lambda: "TINY@QM1" in screen.text)
        qm.connection.put_each("TINY", [Message(b"fits", MQMD()), Message(b"later", MQMD())], dead_letter=True)
        await screen.press("m")
        await dialog(screen, InputDialog)
        await screen.type("R")
        await screen.until(lambda: "R has room" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "moved 2 messages" in screen.said)
        assert [data[-3:] for data in qm.data("R")] == [b"one", b"two"]
        assert len(qm.data("DLQ")) == 1

    browse(story, "DLQ")


def test_grouping_takes_its_time_beside_everything_else_and_marks_the_queue_that_was_grouped(
    qm, browse, letters, monkeypatch
):
    from threading import Event

    from mqtools.tui.controllers import dead_letters

    qm.put("elsewhere")
    free, real = Event(), dead_letters.read_groups
    monkeypatch.setattr(dead_letters, "read_groups", lambda *given: (free.wait(100), real(*given))[1])

    async def story(screen):
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

    browse(story, "DLQ")


def test_a_session_that_only_reads_sees_the_groups_too(qm, browse, letters):
    async def story(screen):
        await screen.press("D")
        await dialog(screen, GroupsDialog)
        await screen.until(lambda: "TINY@QM1" in screen.text)
        assert "mark" not in screen.text
        await screen.press("enter")
        await screen.until(lambda: screen.app.screen is screen.app.browser)

    browse(story, "DLQ", read_only=True)


async def dry_run_rules(screen, path, shown=DryRunDialog):
    await screen.press("R")
    await dialog(screen, InputDialog)
    screen.app.screen.query_one(Input).value = str(path)
    await screen.press("enter")
    await dialog(screen, shown)


async def run_on_two(screen, qm):
    """Run the rules that are rehearsed: they forward the message two, and no other."""
    await screen.until(lambda: "FWD: 1" in screen.text)
    await screen.press("exclamation_mark")
    await dialog(screen, ConfirmDialog)
    assert "on 1 message of DLQ once?" in screen.text
    await screen.press("y")
    await screen.until(lambda: "handled 1 message" in screen.said)
    assert qm.data("R") == [b"two"]


def test_a_redrive_sends_dead_letters_back_to_where_they_came_from(qm, browse, letters):
    async def story(screen):
        await screen.press("r")
        await dialog(screen, ConfirmDialog)
        assert "Redrive 1 message from DLQ" in screen.text
        await screen.press("y")
        await screen.until(lambda: "redriven 1 message" in screen.said)
        assert qm.data("TINY") == [b"one"]
        await screen.press("g")
        await screen.until(lambda: screen.detail == "two")
        await screen.press("r")
        await dialog(screen, ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "MQRC_Q_FULL" in screen.said)
        assert len(qm.data("DLQ")) == 1

    browse(story, "DLQ")


def test_a_rules_table_is_rehearsed_before_it_runs(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(R) HEADER(NO)\n")

    async def story(screen):
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 2" in screen.text and "2 ██████████" in screen.text)
        await screen.until(lambda: "→ R  line 1: REASON(MQRC_Q_FULL)" in screen.text)
        assert qm.data("R") == []
        await screen.press("exclamation_mark")
        await dialog(screen, ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "handled 2 messages" in screen.said)
        assert qm.data("R") == [b"one", b"two"]

    browse(story, "DLQ")


def test_a_dry_run_was_not_stopped_because_something_later_was(qm, browse, letters, monkeypatch, tmp_path):
    from threading import Event

    from mqtools.tui.controllers import dead_letters

    (tmp_path / "rules").write_text("ACTION(RETRY)\n")
    free, real = Event(), dead_letters.dry_run_rules
    monkeypatch.setattr(dead_letters, "dry_run_rules", lambda *given: (free.wait(100), real(*given))[1])

    async def story(screen):
        await screen.press("R")
        await dialog(screen, InputDialog)
        screen.app.screen.query_one(Input).value = str(tmp_path / "rules")
        await screen.press("enter")
        await screen.until(lambda: screen.app.browser.work.jobs.all)
        screen.app.browser.work.read_job("Write", "wrote", lambda _: iter(()), 1).cancelled.set()
        free.set()
        await dialog(screen, DryRunDialog)
        await screen.until(lambda: "RETRY: 2" in screen.text)
        assert "stopped before the end" not in screen.text

    browse(story, "DLQ")


def test_a_row_of_a_dry_run_leads_to_its_messages_and_a_loss_is_red(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("DESTQ(TINY) ACTION(DISCARD)\n")
    qm.put("no dead letter", "DLQ")

    async def story(screen):
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "3 messages · DISCARD: 2 · left: 1" in screen.text)
        await screen.press("enter")
        await screen.until(lambda: "2 messages: DISCARD" in screen.text)
        await screen.press("j", "enter")
        await screen.until(lambda: "2 of 3" in screen.place and screen.app.screen is screen.app.browser)
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.press("exclamation_mark")
        await dialog(screen, ConfirmDialog)
        assert "DISCARD: 2" in screen.text
        assert screen.app.screen.query_one("#yes").variant == "error"

    browse(story, "DLQ")


def test_a_session_that_only_reads_can_rehearse_a_rules_table_and_not_run_it(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(MQRC_Q_FULL) ACTION(FWD) FWDQ(R) HEADER(NO)\n")

    async def story(screen):
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 2" in screen.text)
        assert "runs it" not in screen.text
        await screen.press("exclamation_mark")
        assert isinstance(screen.app.screen, DryRunDialog)
        assert len(qm.data("DLQ")) == 2

    browse(story, "DLQ", read_only=True)


def test_rules_are_for_what_is_marked_where_something_is(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")

    async def story(screen):
        await screen.press("j", "space")
        await screen.until(lambda: "1 marked" in screen.place)
        await dry_run_rules(screen, tmp_path / "rules")
        await run_on_two(screen, qm)
        await screen.until(lambda: "marked" not in screen.place)

    browse(story, "DLQ")


def test_rules_are_for_what_a_filter_has_found_where_nothing_is_marked(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")

    async def story(screen):
        await screen.press("slash")
        await screen.type("two")
        await screen.press("enter")
        await screen.until(lambda: "1 of 1" in screen.place and not screen.is_searching)
        await dry_run_rules(screen, tmp_path / "rules")
        await run_on_two(screen, qm)

    browse(story, "DLQ")


def test_a_run_of_rules_can_be_stopped_and_marks_are_kept_meanwhile(qm, browse, monkeypatch, tmp_path):
    from threading import Event

    from mqtools.dlq.handler import Handler
    from mqtools.tui.background import writer

    qm.alter(msg_mark_browse_interval=60_000)
    monkeypatch.setattr(writer, "_RENEW_AT", 1 / 200)
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.connection.put_each("TINY", [Message(b"%d" % n, MQMD()) for n in range(400)], dead_letter=True)
    qm.put("marked")
    (tmp_path / "rules").write_text("ACTION(FWD) FWDQ(R) HEADER(NO)\n")
    free, settle = Event(), Handler._settle
    monkeypatch.setattr(Handler, "_settle", lambda *given: (free.wait(0.5), settle(*given))[1])

    async def story(screen):
        await screen.press("space")
        await screen.until(qm.marked_until)
        screen.app.browser.open_queue("DLQ")
        await screen.until(lambda: "1 of 400" in screen.place)
        await dry_run_rules(screen, tmp_path / "rules")
        await screen.until(lambda: "FWD: 400" in screen.text)
        await screen.press("exclamation_mark")
        await dialog(screen, ConfirmDialog)
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

    browse(story)


def test_a_rules_table_with_mistakes_shows_all_of_them(qm, browse, letters, tmp_path):
    (tmp_path / "rules").write_text("REASON(WHAT) ACTION(RETRY)\nACTION(NO)\n")

    async def story(screen):
        await dry_run_rules(screen, tmp_path / "rules", TextDialog)
        await screen.until(lambda: ":1:8:" in screen.text.replace("\n", "") and ":2:8:" in screen.text)

    browse(story, "DLQ")


def test_a_message_that_is_edited_where_it_lies_is_listed_as_it_is_then(qm, browse):
    qm.put("before")

    async def story(screen):
        with qm.connection.work():
            (seq,) = (row[0] for row in qm.connection.db.all("select seq from messages"))
            qm.connection.db.run(
                "update messages set checksum = null, data = ?, data_length = 5 where seq = ?", (b"after", seq)
            )
        await screen.until(lambda: screen.cursor_line == (0, "after"))

    browse(story)


def test_what_is_marked_is_written_to_a_file_that_can_be_put_again(qm, browse, tmp_path):
    qm.put("one")
    qm.put("two")
    path = tmp_path / "out.jsonl"

    async def story(screen):
        await screen.press("space", "space", "w")
        await dialog(screen, InputDialog)
        screen.app.screen.query_one(Input).value = str(path)
        await screen.press("enter")
        await screen.until(lambda: "wrote 2 messages" in screen.said)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert [line["data"] for line in lines] == ["one", "two"]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        await screen.press("w")
        await dialog(screen, InputDialog)
        screen.app.screen.query_one(Input).value = str(path)
        await screen.press("enter")
        await dialog(screen, ConfirmDialog)
        assert "exists" in screen.text
        await screen.press("enter")

    browse(story)


def test_a_file_of_another_name_holds_the_bytes_alone(qm, browse, tmp_path):
    qm.put(b"\0\xff bytes", format="")

    async def story(screen):
        await screen.press("w")
        await dialog(screen, InputDialog)
        screen.app.screen.query_one(Input).value = str(tmp_path / "out.bin")
        await screen.press("enter")
        await screen.until(lambda: "wrote 1 message" in screen.said)
        assert (tmp_path / "out.bin").read_bytes() == b"\0\xff bytes"

    browse(story)


@pytest.mark.parametrize(
    ("letter", "copied"),
    [
        ("b", lambda qm, msg_id: "hello"),
        ("i", lambda qm, msg_id: msg_id.hex().upper()),
        ("q", lambda qm, msg_id: "Q"),
        ("h", lambda qm, msg_id: "00000000:  6865 6C6C 6F" + " " * 29 + "'hello           ' '..%%?           '"),
        ("c", lambda qm, msg_id: f"mqx browse Q -m {qm.path} --all-states --msg-id {msg_id.hex().upper()}"),
    ],
)
def test_things_are_copied_to_the_clipboard_of_the_terminal(qm, browse, letter, copied):
    msg_id = qm.put("hello")

    async def story(screen):
        await screen.press("y")
        await dialog(screen, ChoiceDialog)
        await screen.press(letter)
        await screen.until(lambda: screen.app.clipboard == copied(qm, msg_id))

    browse(story)


def test_the_whole_message_is_copied_as_json(qm, browse):
    qm.put("hello")

    async def story(screen):
        await screen.press("y")
        await dialog(screen, ChoiceDialog)
        await screen.press("j")
        await screen.until(lambda: screen.app.clipboard)
        assert json.loads(screen.app.clipboard)["data"] == "hello"

    browse(story)


class Batches:
    """Batches of moves and copies go through as many as are let: ``let_batches(2)``. asked: how many came so far."""

    def __init__(self) -> None:
        self.asked = 0
        self._gate = Semaphore(0)

    def __call__(self, number: int = 1) -> None:
        self._gate.release(number)

    def wait(self) -> None:
        self.asked += 1
        assert self._gate.acquire(timeout=100)


@pytest.fixture
def let_batches(qm, monkeypatch):
    """Four hundred messages on Q, and a gate for batches; each of them is a slice, after which its progress is said."""
    from mqtools.tui.background import slices, verbs

    for number in range(400):
        qm.put(f"message {number}")
    gate, real = Batches(), verbs.carry_batch
    monkeypatch.setattr(verbs, "carry_batch", lambda *given: (gate.wait(), real(*given))[1])
    monkeypatch.setattr(slices, "_SLICE_S", 0)
    return gate


async def move_all_to_r(screen):
    await screen.press("ctrl+a")
    await screen.until(lambda: "400 marked" in screen.place)
    await screen.press("m")
    await dialog(screen, InputDialog)
    await screen.type("R")
    await screen.press("enter")


def test_long_work_shows_how_far_it_is_and_can_be_stopped(qm, browse, let_batches):
    async def story(screen):
        await move_all_to_r(screen)
        let_batches()
        await screen.until(lambda: "J stops · 100 of 400 [##........] · Move 400 messages from Q to R" in screen.text)
        await screen.until(lambda: let_batches.asked == 2)
        await screen.press("J")
        await dialog(screen, JobsDialog)
        await screen.press("s", "escape")
        let_batches(4)
        await screen.until(lambda: "moved 200 messages; 200 left, cancelled" in screen.said)
        assert (len(qm.data()), len(qm.data("R"))) == (200, 200)
        await screen.until(lambda: "200 marked" in screen.place)
        await screen.press("J")
        await screen.until(lambda: "Move 400 messages from Q to R: moved 200 messages" in screen.text)

    browse(story)


def test_other_work_goes_on_beside_long_work_and_more_of_it_waits_for_its_turn(qm, browse, let_batches):
    async def story(screen):
        await move_all_to_r(screen)
        await screen.press("c")
        await dialog(screen, InputDialog)
        await screen.type("DLQ")
        await screen.press("enter")
        await screen.until(lambda: "1 more" in screen.text)
        await screen.press("p")
        await fill(screen, data="between")
        let_batches()
        await screen.until(lambda: "put on Q:" in screen.said)
        await screen.press("J")
        await dialog(screen, JobsDialog)
        await screen.until(lambda: "Copy 400 messages from Q to DLQ: waiting" in screen.text)
        await screen.press("s", "down", "s", "escape")
        let_batches(8)
        await screen.until(lambda: "stopped" in screen.said and "cancelled" in screen.said)
        assert qm.data("DLQ") == []

    browse(story)


def test_a_job_that_stands_still_says_so_while_another_program_holds_the_file(qm, browse, monkeypatch):
    from mqtools.tui.background import jobs

    monkeypatch.setattr(jobs, "_LONG_STEP_S", 0)
    qm.put("one")

    async def story(screen):
        with qm.connection.work():
            await screen.press("d", "y")
            await screen.until(lambda: "another program may hold the file" in screen.text)
            await screen.press("2")
            await screen.until(lambda: "6F6E 65" in screen.detail)
        await screen.until(lambda: "deleted 1 message" in screen.said)

    browse(story)


def test_quitting_asks_while_something_is_done(qm, browse, let_batches):
    async def story(screen):
        await move_all_to_r(screen)
        await screen.press("q")
        await dialog(screen, ConfirmDialog)
        assert "Move 400 messages from Q to R" in screen.text
        let_batches()
        await screen.press("y")
        await screen.until(lambda: not screen.app.is_running or screen.app._exit)
        let_batches(4)

    browse(story)
    assert len(qm.data()) + len(qm.data("R")) == 400


@pytest.mark.parametrize(("q_name", "read_only"), [("DLQ", False), ("DLQ", True), ("", False)])
def test_every_key_can_be_pressed_anywhere(qm, browse, letters, q_name, read_only):
    left_out = ("quit", "suspend", "edit")

    async def story(screen):
        for key in KEYS:
            if key.id not in left_out:
                await screen.press(key.keys.split(",")[0])
                while screen.app.screen is not screen.app.browser:
                    await screen.press("escape")
        assert screen.app.crash is None
        assert len(qm.data("DLQ")) == 2

    browse(story, q_name, read_only=read_only)


def test_the_palette_has_every_action_with_its_keys_and_runs_the_one_that_is_found(qm, browse):
    qm.put("x")

    async def story(screen):
        await screen.press("colon")
        entries = {entry.value: entry for entry in screen.app.screen._entries}
        assert set(entries) == {key.id for key in KEYS} - {"palette"}
        assert entries["move.first"].note == "g home"
        assert entries["help"].note == "? f1"
        await screen.type("a rules")
        await screen.press("backspace", "escape", "colon")
        await screen.type("delete")
        await screen.press("enter")
        await dialog(screen, ConfirmDialog)

    browse(story)


def test_a_theme_is_found_by_its_name(qm, browse):
    async def story(screen):
        await screen.press("t")
        await screen.type("nord")
        await screen.press("enter")
        await screen.until(lambda: screen.app.theme == "nord")

    browse(story)

"""The browser when something goes wrong or goes fast: files and queues that vanish, keys that come early, notes."""

from __future__ import annotations

import os
import shutil
from threading import Event

import pytest
from textual import events

from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.operations.views.queue_pages import QueueDeleted, QueuePages
from mqtools.tui.background import mark_job, slices
from mqtools.tui.dialogs.standard import ChoiceDialog


def delete(qm, name):
    with qm.connection.work() as work:
        delete_queue(work, "QLOCAL", name, purge=True)


# -- panes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(120, 36), (60, 24), (40, 10)])
@pytest.mark.parametrize(
    ("key", "begin", "end"),
    [
        ("h", "messages", "queues"),
        ("left", "detail", "messages"),
        ("l", "queues", "messages"),
        ("right", "messages", "detail"),
        ("tab", "detail", "queues"),
        ("shift+tab", "queues", "detail"),
        ("escape", "messages", "queues"),
    ],
)
async def test_every_pane_can_be_reached_and_is_on_the_screen(qm, browse, size, key, begin, end):
    qm.put("hello")
    shown = {"queues": "queue  ", "messages": "Q · 1 of 1", "detail": "1 text"}
    async with browse(size=size) as screen:
        screen.app.browser.focus_pane(begin)
        await screen.until(lambda: screen.app.browser.pane == begin)
        await screen.press(key)
        await screen.until(lambda: screen.app.browser.pane == end and shown[end] in screen.text)
        if size[0] < 70:
            assert [name for name in shown if shown[name] in screen.text] == [end]


# -- keys that come early -----------------------------------------------------------------------------------


async def test_keys_typed_right_after_the_one_that_opens_a_dialog_reach_it(qm, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        for key, character in (("slash", "/"), ("e", "e"), ("space", " "), ("2", "2"), ("enter", "\r")):
            screen.app.post_message(events.Key(key, character))
        await screen.until(lambda: "filter: e 2 · 1 hit" in screen.text)
        for key, character in (("slash", "/"), ("1", "1"), ("enter", "\r")):
            screen.app.post_message(events.Key(key, character))
        await screen.until(lambda: "filter: 1 · 1 hit" in screen.text)


# -- queues and files that vanish ---------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["", "message"])
async def test_a_queue_that_is_deleted_while_it_is_listed_leads_back_to_the_queues(qm, browse, wanted):
    qm.put_numbered(3)
    async with browse() as screen:
        if wanted:
            await screen.press("slash")
            await screen.enter(wanted)
            await screen.until(lambda: "3 hits" in screen.text)
        delete(qm, "Q")
        await screen.until(lambda: "queue Q was deleted" in screen.said)
        assert screen.app.browser.pane == "queues"
        await screen.until(lambda: "DLQ" in screen.text and "\nQ " not in screen.text)
        await screen.press("j", "enter", "d", "G", "g", "F", "1")
        qm.put("on R", "R")
        await screen.until(lambda: screen.detail == "on R")


async def test_a_queue_that_is_deleted_before_its_first_page_leads_back_to_the_queues(qm, browse, monkeypatch):
    async with browse("") as screen:
        read = QueuePages.total

        def total(pages, db):
            if pages.q_name != "R":
                return read(pages, db)
            delete(qm, "R")
            raise QueueDeleted("queue R was deleted", MQRC_OBJECT_CHANGED)

        monkeypatch.setattr(QueuePages, "total", total)
        screen.app.browser.open_queue("R")
        await screen.until(lambda: "queue R was deleted" in screen.said)
        assert (screen.app.browser.pane, screen.app.browser.messages.q_name) == ("queues", "")


async def test_a_list_without_a_queue_says_why(qm, browse):
    async with browse("") as screen:
        await screen.press("slash", *"nowhere")
        await screen.until(lambda: "no queue matches" in screen.text)
        await screen.press("escape")
        await screen.until(lambda: "no queue matches" not in screen.text)
        with qm.connection.work() as work:
            for name in ("Q", "R", "DLQ"):
                delete_queue(work, "QLOCAL", name, purge=True)
        await screen.until(lambda: "no queues" in screen.text)
        assert "mqx mqsc defines them" in screen.text


async def test_a_queue_that_was_deleted_and_defined_again_is_another_one(qm, browse):
    qm.put("old")
    async with browse() as screen:
        delete(qm, "Q")
        qm.define("Q")
        await screen.until(lambda: "queue Q was deleted" in screen.said)


@pytest.mark.parametrize("how", ["moved or deleted", "replaced by another file"])
async def test_a_file_that_is_gone_is_said_and_nothing_is_changed_any_more(qm, browse, tmp_path, how):
    qm.put("hello")
    aside = tmp_path / "aside.db"
    async with browse() as screen:
        os.rename(qm.path, aside)
        if "replaced" in how:
            shutil.copy(aside, qm.path)
        await screen.until(lambda: "QM1 ✗ FILE GONE" in screen.status)
        assert f"QM1: FILE GONE ({qm.path} was {how}; quit, then open it again)" in screen.said
        screen.app.open_tab("QM1")
        assert screen.said.count("quit, then open it again") == ("replaced" in how) + 1
        for key, name in (
            ("p", "put"),
            ("d", "delete"),
            ("space", "mark"),
            ("L", "lock"),
            ("ctrl+a", "mark all that is listed"),
        ):
            await screen.press(key)
            assert screen.said.count(f"cannot {name}: {qm.path} was {how}") == 1
            assert screen.app.screen is screen.app.browser
        if "replaced" in how:
            os.unlink(qm.path)
        os.rename(aside, qm.path)
        await screen.until(lambda: "QM1 ● LIVE" in screen.status)
    assert qm.data() == [b"hello"]


async def test_what_is_put_in_a_form_is_refused_when_the_file_was_deleted_meanwhile(qm, browse, tmp_path):
    async with browse() as screen:
        await screen.press("p")
        await screen.until(lambda: "Put a message on Q" in screen.text)
        os.rename(qm.path, tmp_path / "aside.db")
        await screen.press("x", "ctrl+s")
        await screen.until(lambda: "MQRC_Q_MGR_NOT_AVAILABLE" in screen.text)
        os.rename(tmp_path / "aside.db", qm.path)
    assert qm.data() == []


# -- marks --------------------------------------------------------------------------------------------------


async def test_an_action_waits_for_marking_to_end_and_own_marks_are_never_anothers(qm, browse, monkeypatch):
    gate, real = Event(), mark_job.keys_between
    monkeypatch.setattr(mark_job, "_PAGE", 5)
    monkeypatch.setattr(slices, "_SLICE_S", 0)

    def slowly(*given):
        for place, page in enumerate(real(*given)):
            if place:
                gate.wait(100)
            yield page

    monkeypatch.setattr("mqtools.tui.controllers.marks.keys_between", slowly)
    qm.put_numbered(10)
    async with browse() as screen:
        await screen.press("ctrl+a")
        await screen.until(lambda: sum(qm.is_marked()) == 5)
        await screen.until(lambda: "marking, 5 so far" in screen.place)
        assert {row[:4].strip() for row in screen.rows if row} == {"M", ""}
        await screen.press("c")
        assert "messages on Q are still being marked" in screen.said
        assert screen.app.screen is screen.app.browser
        await screen.press("y", opens=ChoiceDialog)
        await screen.press("c")
        await screen.until(lambda: screen.app.screen is screen.app.browser)
        assert not screen.app.clipboard, "not the command for the whole queue"
        gate.set()
        await screen.until(lambda: "10 marked" in screen.place)
        await screen.press("c")
        await screen.until(lambda: "Copy 10 messages from Q" in screen.text)


# -- what has gone ------------------------------------------------------------------------------------------


async def test_a_line_that_is_gone_names_no_owner(qm, browse):
    qm.put("hello")
    with connect(qm.path, user_identifier="bob") as other:
        other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
        async with browse() as screen:
            await screen.until(lambda: "by bob" in screen.place and "by bob" in screen.about)
            other.commit()
            await screen.until(lambda: "gone" in screen.place)
            await screen.until(lambda: "gone at" in screen.about)
            assert "bob" not in screen.text


# -- sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["G", "j"])
async def test_after_a_terminal_was_low_and_is_high_again_no_line_is_empty_that_could_have_a_row(qm, browse, key):
    qm.put_numbered(30)
    async with browse() as screen:
        await screen.press(key)
        await screen.pilot.resize_terminal(120, 18)
        await screen.press("G")
        await screen.until(lambda: "30 of 30" in screen.place)
        await screen.pilot.resize_terminal(120, 120)
        await screen.until(lambda: len([row for row in screen.rows if row.strip()]) == 30)


@pytest.mark.parametrize("size", [(40, 10), (80, 24)])
async def test_a_note_does_not_hide_a_dialog_and_comes_back_when_that_is_closed(qm, browse, size):
    qm.put("hello")
    async with browse(size=size) as screen:
        screen.app.browser.say("a note before it")
        await screen.press("d")
        await screen.until(lambda: "Delete (y)" in screen.text and "Cancel (n)" in screen.text)
        assert not screen.app._notifications
        screen.app.browser.say("a note after it")
        await screen.until(lambda: "a note after it" in screen.text)
        assert "a note after it" not in screen.said
        assert "Delete (y)" in screen.text
        assert "Cancel (n)" in screen.text
        await screen.press("n")
        await screen.until(lambda: "a note after it" in screen.said)
        await screen.press("slash")
        await screen.until(lambda: "Filter Q:" in screen.text)
        screen.app.browser.say("above the prompt, which has no border")
        assert "above the prompt" in screen.said


# -- words --------------------------------------------------------------------------------------------------


async def test_an_action_when_only_reading_says_so(qm, browse):
    qm.put("hello")
    async with browse(read_only=True) as screen:
        for key, name in (
            ("d", "delete"),
            ("space", "mark"),
            ("p", "put"),
            ("A", "change"),
            ("asterisk", "invert the marks on all that is listed"),
        ):
            await screen.press(key)
            await screen.until(lambda name=name: f"cannot {name}: this session is read-only" in screen.said)
        assert screen.app.screen is screen.app.browser


async def test_what_waits_for_a_file_that_is_held_elsewhere_is_said_with_its_action(qm, browse):
    qm.put("hello")
    async with browse() as screen:
        await screen.until(lambda: screen.app.browser.queues.rows)
        qm.connection.db.begin_writing()
        try:
            await screen.press("space")
            await screen.until(lambda: "mark on Q: waiting for the file" in screen.text)
        finally:
            qm.connection.db.end_block(keep=False, writing=True)
        await screen.until(lambda: "waiting for the file" not in screen.text)
        await screen.until(lambda: qm.is_marked() == [True])


async def test_an_error_names_the_action(qm, browse):
    qm.put("hello")
    async with browse() as screen:
        await screen.until(lambda: screen.detail == "hello")
        await screen.press("P")
        qm.get()
        await screen.press("L")
        await screen.until(lambda: "lock on Q: the message is gone" in screen.said)


async def test_the_headers_name_a_reason_with_its_number(qm, browse):
    qm.define("FULL", max_q_depth=0)
    qm.connection.put_each("FULL", [Message(b"x", MQMD())], dead_letter=True)
    async with browse("DLQ") as screen:
        await screen.press("6")
        await screen.until(lambda: "reason : MQRC_Q_FULL 2053" in screen.detail)


async def test_a_note_about_a_job_that_failed_names_the_job(qm, browse):
    qm.put("hello")
    async with browse() as screen:
        await screen.press("w")
        screen.app.screen.query_one("#line").value = "x" * 300
        await screen.press("enter", opens=ChoiceDialog)
        await screen.press("b")
        await screen.until(lambda: "Write 1 message from Q to xxx" in screen.said)

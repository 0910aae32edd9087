"""All queue managers at a glance, and several open at once: tabs, what each keeps, and what happens behind one."""

from __future__ import annotations

import pytest

from mqtools.admin import queue_managers

from .conftest import QM


@pytest.fixture
def other(qm, tmp_path):
    """QM2, with a full queue IN."""
    found = QM(queue_managers.create(str(tmp_path / "QM2.db")))
    found.define("IN", max_q_depth=1)
    found.put("on QM2", "IN")
    yield found
    found.connection.disconnect()


async def open_other(screen) -> None:
    await screen.press("Q")
    await screen.until(lambda: "QM2" in screen.text)
    await screen.press("j", "enter")
    await screen.until(lambda: screen.app.session.q_mgr_name == "QM2" and screen.app.browser.queues.rows)


async def test_all_queue_managers_are_shown_with_depth_dead_letters_and_full_queues(qm, other, browse, tmp_path):
    qm.alter(dead_letter_q_name="DLQ")
    qm.put("dead", "DLQ")
    qm.put("x")
    (tmp_path / "BROKEN.db").write_text("no queue manager")
    async with browse() as screen:
        await screen.press("Q")
        await screen.until(lambda: "3 · 3 messages, 1 dead, 1 full queue" in screen.text)
        (line,) = [line for line in screen.text.splitlines() if " QM1 " in line and "RUNNING" in line]
        assert line.split("RUNNING")[1].split()[:2] == ["2", "1"]
        await screen.press("G")
        await screen.until(lambda: "full: IN" in screen.text)
        other.get("IN")
        await screen.until(lambda: "2 messages, 1 dead" in screen.text and "full queue" not in screen.text)
        await screen.press("g")  # BROKEN is the first
        await screen.press("enter")
        await screen.until(lambda: "BROKEN" in screen.said or "not a" in screen.said)


async def test_several_queue_managers_are_open_as_tabs_and_each_keeps_its_place(qm, other, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        await screen.press("j")
        await open_other(screen)
        assert "QM1 │ QM2 ● LIVE" in screen.status or "QM1 │ QM2 ○" in screen.status
        await screen.press("enter")
        await screen.until(lambda: screen.detail == "on QM2")
        qm.put("arrived behind the other tab")
        await screen.press("left_curly_bracket")
        assert "QM1 ●" in screen.status
        assert screen.cursor_line == (1, "message 1")
        await screen.until(lambda: "2 of 4" in screen.place)
        await screen.press("right_curly_bracket")
        assert screen.detail == "on QM2"
        await screen.press("ctrl+w")
        assert "QM2" not in screen.status
        assert screen.app.session.q_mgr_name == "QM1"
        await screen.press("ctrl+w")
        assert "this is the only queue manager" in screen.said


async def test_an_open_queue_manager_is_gone_to_instead_of_opened_again(qm, other, browse):
    async with browse() as screen:
        await open_other(screen)
        await screen.press("colon")
        await screen.until(lambda: any(one.words == "queue manager QM1" for one in screen.app.screen._found))
        await screen.enter("qm1")
        assert list(screen.app.tabs) == ["tab-1", "tab-2"]
        assert screen.app.session.q_mgr_name == "QM1"
        await screen.pilot.click(offset=(screen.status.index("QM2") + 1, 0))
        await screen.until(lambda: screen.app.session.q_mgr_name == "QM2")


async def test_marks_of_a_tab_end_with_it_and_those_of_the_others_stay(qm, other, browse):
    qm.put("x")
    async with browse() as screen:
        await screen.press("space")
        await screen.until(lambda: qm.is_marked() == [True])
        await open_other(screen)
        await screen.press("enter")
        await screen.until(lambda: screen.detail == "on QM2")
        await screen.press("space")
        await screen.until(lambda: other.is_marked("IN") == [True])
        await screen.press("ctrl+w")
        await screen.until(lambda: other.is_marked("IN") == [False])
        assert qm.is_marked() == [True]


async def test_what_fails_behind_another_tab_names_its_queue_manager(qm, other, browse):
    async with browse() as screen:
        first = screen.app.browser
        await open_other(screen)
        first.say("it failed")
        assert "QM1: it failed" in screen.said
        first.act("help")  # it waits until its tab is in front
        assert screen.app.screen is screen.app.browser
        await screen.press("left_curly_bracket")
        await screen.until(lambda: "one line down" in screen.text)


async def test_a_question_behind_another_tab_has_its_messages_when_it_is_shown(qm, other, browse):
    qm.put("in question")
    async with browse() as screen:
        first = screen.app.browser
        await open_other(screen)
        first.act("delete")
        await screen.settle()
        await screen.press("left_curly_bracket")
        await screen.until(lambda: "Delete 1 message from Q?" in screen.text and screen.text.count("in question") > 2)


async def test_jobs_and_dead_letters_behind_another_tab_are_announced(qm, other, browse, monkeypatch):
    monkeypatch.setenv("MQX_TUI_NOTIFY", "bell")
    qm.put_numbered(3)
    rung = []
    async with browse() as screen:
        monkeypatch.setattr(screen.app, "bell", lambda: rung.append(1))
        with qm.connection.work():  # it holds the file, so that the job is done behind the other tab
            await screen.press("m")
            await screen.enter("DLQ")
            await open_other(screen)
        await screen.until(lambda: "QM1: moved 1 message" in screen.said)
        await screen.until(lambda: "QM1: 1 new dead letter on DLQ" in screen.said)
        assert rung
        assert "QM1 │ QM2 ●" in screen.status
        await screen.press("left_curly_bracket")
        await screen.until(lambda: "1 of 2" in screen.place and "1 dead" in screen.status)

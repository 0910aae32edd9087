"""Changes of queues from the live browser: the MQSC commands, with confirmation and authority."""

from __future__ import annotations

import pytest

from mqtools.mqi.objects.definitions import attributes_of_queue
from mqtools.tui.dialogs.standard import ChoiceDialog, ConfirmDialog, InputDialog, TextDialog


def attribute(qm, name, q_name="Q"):
    return attributes_of_queue(qm.connection.db, q_name)[name]


async def test_maxdepth_is_raised_to_twice_what_it_is_unless_another_number_is_entered(qm, browse):
    async with browse("") as screen:
        screen.app.browser.queues.point_at("Q")
        await screen.press("A", opens=ChoiceDialog)
        assert "Q: holds 0 of 5 000" in screen.text
        await screen.press("m", opens=InputDialog)
        assert "room for 10 000 messages" in screen.text
        await screen.press("enter")
        await screen.until(lambda: "done: ALTER QLOCAL(Q) MAXDEPTH(10000)" in screen.said)
        assert attribute(qm, "max_q_depth") == 10000
        await screen.press("A", "m", opens=InputDialog)
        await screen.type("x")
        await screen.press("enter")
        await screen.until(lambda: screen.text.count("a number from 0 to 999 999 999") == 1)
        assert attribute(qm, "max_q_depth") == 10000


@pytest.mark.parametrize(("key", "name"), [("p", "inhibit_put"), ("g", "inhibit_get")])
async def test_puts_and_gets_are_disabled_after_a_question_and_enabled_without(qm, browse, key, name):
    async with browse() as screen:
        await screen.press("A", key, opens=ConfirmDialog)
        assert "_INHIBITED" in screen.text
        await screen.press("y")
        await screen.until(lambda: "(DISABLED)" in screen.said)
        assert attribute(qm, name) == 1
        await screen.until(lambda: screen.app.browser.queues.every[1][name])
        await screen.press("A", key)
        await screen.until(lambda: "(ENABLED)" in screen.said)
        assert attribute(qm, name) == 0


async def test_a_clear_asks_with_the_number_drops_our_marks_and_locks_and_is_undone(qm, browse):
    qm.put_numbered(3)
    async with browse() as screen:
        await screen.press("L")
        await screen.until(lambda: "locked: other programs" in screen.said)
        await screen.press("space")
        await screen.until(lambda: "1 marked" in screen.place)
        qm.put("one more")
        await screen.press("A", "c", opens=ConfirmDialog)
        await screen.until(lambda: "Clear Q: delete 4 messages?" in screen.text)
        await screen.press("n")
        assert len(qm.data()) == 4
        await screen.press("A", "c", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: "deleted 4 messages; z undoes" in screen.said)
        assert qm.data() == []
        await screen.press("z", opens=ConfirmDialog)
        await screen.press("y")
        await screen.until(lambda: len(qm.data()) == 4)


async def test_a_queue_that_another_program_has_open_is_not_cleared(qm, browse):
    qm.put("one")
    with qm.connection.open("Q", 8):
        async with browse() as screen:
            await screen.press("A", "c", opens=ConfirmDialog)
            await screen.press("y")
            await screen.until(lambda: "queue Q is open" in screen.said)
    assert qm.data() == [b"one"]


async def test_a_queue_is_defined_and_a_name_that_is_taken_refused(qm, browse):
    async with browse() as screen:
        await screen.press("A", "n", opens=InputDialog)
        await screen.enter("Q")
        await screen.until(lambda: "MQRC_OBJECT_ALREADY_EXISTS" in screen.text)
        await screen.enter("it's")
        await screen.until(lambda: "is not a valid name" in screen.text)
        screen.app.screen.query_one("Input").value = "New"
        await screen.press("enter")
        await screen.until(lambda: "New" in screen.app.browser.queues.names)


async def test_the_key_changes_the_destination_of_a_dead_letter_also_from_its_explanation(qm, browse, letters):
    async with browse("DLQ") as screen:
        await screen.press("x", opens=TextDialog)
        assert "A: change TINY" in screen.text
        await screen.press("A", opens=ChoiceDialog)
        await screen.until(lambda: "TINY: holds 0 of 1, the destination of a dead letter on DLQ" in screen.text)
        await screen.press("o")
        await screen.until(lambda: "DLQ: holds 2 of" in screen.text)
        await screen.press("escape")
        await screen.until(lambda: screen.app.screen is screen.app.browser)


async def test_without_the_authority_nothing_is_changed(qm, browse, monkeypatch):
    monkeypatch.setattr("mqtools.admin.mqsc.run.checked_user", lambda _: "stranger")
    async with browse() as screen:
        await screen.press("A", "m", opens=InputDialog)
        await screen.press("enter")
        await screen.until(lambda: "MQRC_NOT_AUTHORIZED" in screen.text)
    assert attribute(qm, "max_q_depth") == 5000

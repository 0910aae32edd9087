"""Long work in the browser: progress, a turn each, stopping, quitting."""

from __future__ import annotations

from threading import Semaphore

import pytest

from mqtools.tui.background import jobs, slices, verbs
from mqtools.tui.dialogs.jobs import JobsDialog
from mqtools.tui.dialogs.standard import (
    ConfirmDialog,
    InputDialog,
)

from .filling import fill


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
    qm.put_numbered(400)
    gate, real = Batches(), verbs.carry_batch
    monkeypatch.setattr(verbs, "carry_batch", lambda *given: (gate.wait(), real(*given))[1])
    monkeypatch.setattr(slices, "_SLICE_S", 0)
    return gate


async def move_all_to_r(screen):
    await screen.press("ctrl+a")
    await screen.until(lambda: "400 marked" in screen.place)
    await screen.press("m", opens=InputDialog)
    await screen.enter("R")


async def test_long_work_shows_how_far_it_is_and_can_be_stopped(qm, browse, let_batches):
    async with browse() as screen:
        await move_all_to_r(screen)
        let_batches()
        await screen.until(lambda: "J stops · 100 of 400 [##........] · Move 400 messages from Q to R" in screen.text)
        await screen.until(lambda: let_batches.asked == 2)
        await screen.press("J", opens=JobsDialog)
        await screen.press("s", "escape")
        let_batches(4)
        await screen.until(lambda: "moved 200 messages to R; 200 left, cancelled" in screen.said)
        assert (len(qm.data()), len(qm.data("R"))) == (200, 200)
        await screen.until(lambda: "200 marked" in screen.place)
        await screen.press("J")
        await screen.until(lambda: "Move 400 messages from Q to R: moved 200 messages" in screen.text)


async def test_other_work_goes_on_beside_long_work_and_more_of_it_waits_for_its_turn(qm, browse, let_batches):
    async with browse() as screen:
        await move_all_to_r(screen)
        await screen.press("c", opens=InputDialog)
        await screen.enter("DLQ")
        await screen.until(lambda: "1 more" in screen.text)
        await screen.press("p")
        await fill(screen, data="between")
        let_batches()
        await screen.until(lambda: "put on Q:" in screen.said)
        await screen.press("J", opens=JobsDialog)
        await screen.until(lambda: "Copy 400 messages from Q to DLQ: waiting" in screen.text)
        await screen.press("s", "down", "s", "escape")
        let_batches(8)
        await screen.until(lambda: "stopped" in screen.said and "cancelled" in screen.said)
        assert qm.data("DLQ") == []


async def test_a_job_that_stands_still_says_so_while_another_program_holds_the_file(qm, browse, monkeypatch):
    monkeypatch.setattr(jobs, "_LONG_STEP_S", 0)
    qm.put("one")
    async with browse() as screen:
        with qm.connection.work():
            await screen.press("d", "y")
            await screen.until(lambda: "another program may hold the file" in screen.text)
            await screen.press("2")
            await screen.until(lambda: "6F6E 65" in screen.detail)
        await screen.until(lambda: "deleted 1 message" in screen.said)


async def test_quitting_asks_while_something_is_done(qm, browse, let_batches):
    async with browse() as screen:
        await move_all_to_r(screen)
        await screen.press("q", opens=ConfirmDialog)
        assert "Move 400 messages from Q to R" in screen.text
        let_batches()
        await screen.press("y")
        await screen.until(lambda: not screen.app.is_running or screen.app._exit)
        let_batches(4)
    assert len(qm.data()) + len(qm.data("R")) == 400

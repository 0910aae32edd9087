"""Durability of the lifecycle verbs: the effect of one that returned survives a power loss, ids included."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqtools.lifecycle import locks
from mqtools.lifecycle.verbs import UndoResult, confirm_get_message, confirm_put_message, delete_message, undo

from .lifecycle_story import BROWSE_ID, GET_ID, PUT_ID, Story, story_in


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Story]:
    yield from story_in(tmp_path / "home", monkeypatch)


class Machine:
    """A machine that can lose its power: what had been flushed at the last flush is all that comes back."""

    def __init__(self, story: Story, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._story = story
        self._disk = folder / "disk"
        self._is_off = False
        flush = os.fdatasync

        def flushed(descriptor: int) -> None:
            flush(descriptor)
            self._keep()

        self._keep()
        monkeypatch.setattr("os.fdatasync", flushed)

    def _keep(self) -> None:
        if self._is_off:
            return  # what is flushed from here on is flushed on the machine that was started again
        shutil.rmtree(self._disk, ignore_errors=True)
        self._disk.mkdir()
        for end in ("", "-wal"):
            shutil.copyfile(self._story.path + end, self._disk / f"QM.db{end}")

    def lose_power(self) -> Story:
        """Return the queue manager as it is found when the machine is started again."""
        self._is_off = True
        return Story(str(self._disk / "QM.db"))


@pytest.fixture
def machine(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(story, tmp_path, monkeypatch)


def unlock_by_confirm_id(story: Story) -> int:
    """Undo the lock by the confirm id of its browse."""
    return undo(story.connection, "Q", confirm_id=BROWSE_ID).locks


#: What is done, what state the message has then (none: it is gone), and what its id still does after the crash.
Step = tuple[Callable[[Story], object], str, Callable[[Story], object], object]
STEPS: dict[str, Step] = {
    "put": (
        lambda story: story.put("A", confirm_id=PUT_ID),
        "put_unconfirmed",
        lambda story: confirm_put_message(story.connection, "Q", PUT_ID),
        1,
    ),
    "confirm put": (
        lambda story: (story.put("A", confirm_id=PUT_ID), confirm_put_message(story.connection, "Q", PUT_ID)),
        "unlocked",
        lambda story: story.get(),
        "A",
    ),
    "get": (
        lambda story: (story.put("A"), story.get(confirm_id=GET_ID)),
        "get_unconfirmed",
        lambda story: confirm_get_message(story.connection, "Q", GET_ID),
        1,
    ),
    "undo get": (
        lambda story: (
            story.put("A"),
            story.get(confirm_id=GET_ID),
            undo(story.connection, "Q", confirm_id=GET_ID),
        ),
        "unlocked",
        lambda story: story.get(),
        "A",
    ),
    "lock": (
        lambda story: (story.put("A"), story.lock(confirm_id=BROWSE_ID)),
        "locked_for_browse",
        unlock_by_confirm_id,
        1,
    ),
    "get by lock id": (
        lambda story: (story.put("A"), story.get(lock_id=story.lock(confirm_id=BROWSE_ID), confirm_id=GET_ID)),
        "browse_get_unconfirmed",
        lambda story: undo(story.connection, "Q", confirm_id=GET_ID),
        UndoResult(gets=1),
    ),
    "unlock": (
        lambda story: (story.put("A"), locks.unlock_message(story.connection, "Q", story.lock())),
        "unlocked",
        lambda story: story.get(),
        "A",
    ),
    "confirm get": (
        lambda story: (
            story.put("A"),
            story.get(confirm_id=GET_ID),
            confirm_get_message(story.connection, "Q", GET_ID),
        ),
        "",
        lambda story: story.ids(),
        [],
    ),
    "delete": (
        lambda story: (story.put("A"), delete_message(story.connection, "Q", seq=story.seq("A"))),
        "",
        lambda story: story.ids(),
        [],
    ),
}


@pytest.mark.conformance("LIFE-03")
@pytest.mark.parametrize("step", STEPS)
def test_what_a_verb_has_done_outlives_the_power(story: Story, machine: Machine, step: str) -> None:
    do, state, use, result = STEPS[step]
    do(story)
    after = machine.lose_power()
    assert list(after.states().values()) == ([state] if state else [])
    assert use(after) == result
    after.connection.disconnect()


def test_a_put_made_again_after_the_power_failed_is_delivered_once(story: Story, machine: Machine) -> None:
    story.put("A", confirm_id=PUT_ID)
    after = machine.lose_power()
    after.put("A", confirm_id=PUT_ID)
    assert confirm_put_message(after.connection, "Q", PUT_ID) == 1
    assert after.get_all() == ["A"]
    after.connection.disconnect()

"""A search that goes on after the write turn: messages that it has passed and that come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_SHARED,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE
from mqtools.lifecycle.locks import browse_messages_and_lock, unlock_message
from mqtools.lifecycle.verbs import confirm_put_message, delete_message, get_message, put_message, undo
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import trash_contents
from mqtools.store.liveness import Presence

from ..children import kill, start_ready
from ..conftest import QM, fails
from .searches import FILTER, edited, fill, painted, put, red, waiting

# What brings an older message back


def backed_out(qm: QM) -> Callable[[], object]:
    other = qm.connect()
    red(other).get(MQGMO_SYNCPOINT)
    return other.backout


def closed(qm: QM) -> Callable[[], object]:
    handle = red(qm.connect())
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
    return handle.close


def unlocked(qm: QM) -> Callable[[], object]:
    locked = browse_messages_and_lock(qm.main, "Q", filter=FILTER)
    return lambda: unlock_message(qm.main, "Q", locked.lock_id)


def undone(qm: QM) -> Callable[[], object]:
    get_message(qm.main, "Q", filter=FILTER, confirm_id=7)
    return lambda: undo(qm.main, "Q", confirm_id=7)


def restored(qm: QM) -> Callable[[], object]:
    qm.main.trash = Trash(1e6, 1 << 20)
    delete_message(qm.main, "Q", filter=FILTER)
    return lambda: trash_contents.restore(
        qm.main, trash_contents.newest_versions(trash_contents.select_trashed(qm.main.db))
    )


def freed_by_death(qm: QM) -> Callable[[], object]:
    child = start_ready(
        """
connection = connect(path)
connection.open("Q", MQOO_INPUT_SHARED, selector="colour = 'red'").get(MQGMO_SYNCPOINT)
print("holds", flush=True)
sys.stdin.read()
""",
        qm.path,
        says="holds",
    )
    return lambda: kill(child)


AT_ONCE = [backed_out, closed, unlocked, undone, restored, edited]
#: The last one is noticed by a get that finds nothing.
BACK = [*AT_ONCE, freed_by_death]


@pytest.mark.slow
@pytest.mark.parametrize("held", BACK, ids=lambda held: held.__name__)
@pytest.mark.parametrize("many_come", [False, True])
def test_an_older_message_that_comes_back_ends_a_wait(
    qm: QM, small: None, held: Callable[[QM], Callable[[], object]], many_come: bool
) -> None:
    fill(qm, 10)
    put(qm.main, b"old")
    fill(qm, 10)
    give_back = held(qm)
    with waiting(qm) as started:
        if many_come:
            fill(qm, 10)
        give_back()
        assert started.finish() == b"old"


@pytest.mark.parametrize("many_come", [False, True])
def test_an_older_message_that_is_out_of_lease_ends_a_wait(
    qm: QM, small: None, slept: list[float], monkeypatch: pytest.MonkeyPatch, many_come: bool
) -> None:
    fill(qm, 10)
    put(qm.main, b"old")
    fill(qm, 10)
    browse_messages_and_lock(qm.main, "Q", filter=FILTER, lease_s=30)
    sleep = Presence.wait

    def wait(presence: Presence, *given: Any) -> bool:
        if many_come:
            fill(qm, 10)
        return sleep(presence, *given)

    monkeypatch.setattr(Presence, "wait", wait)
    assert red(qm.connect()).get(MQGMO_WAIT, wait_ms=-1).message.data == b"old"
    assert slept[-1] == pytest.approx(30)  # after another search, as it was not recorded as waiting in the first


@pytest.mark.parametrize("held", ["unit of work", "confirm id"])
def test_an_older_put_that_is_confirmed_ends_a_wait(qm: QM, small: None, held: str) -> None:
    other = qm.connect()
    if held == "unit of work":
        put(other, b"old", options=MQPMO_SYNCPOINT)
    else:
        put_message(other, "Q", painted(b"old"), confirm_id=7)
    fill(qm, 20)
    with waiting(qm) as started:
        fill(qm, 10)
        if held == "unit of work":
            other.commit()
        else:
            confirm_put_message(other, "Q", 7)
        assert started.finish() == b"old"


def test_a_browse_sees_a_put_that_is_confirmed_behind_its_cursor(qm: QM, small: None) -> None:
    """A put with a confirm id lies in front of the cursor until it is confirmed, and behind it then (LIFE-10)."""
    put_message(qm.main, "Q", painted(b"confirmed"), confirm_id=7)
    put(qm.main, b"first")
    fill(qm, 20)
    handle = red(qm.connect())
    assert handle.get(MQGMO_BROWSE_FIRST).message.data == b"first"
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get(MQGMO_BROWSE_NEXT)
    confirm_put_message(qm.main, "Q", 7)
    assert handle.get(MQGMO_BROWSE_NEXT).message.data == b"confirmed"


@pytest.mark.parametrize("selector", ["Root.MQMD.BackoutCount > 0", "JMSRedelivered", "JMSXDeliveryCount > 1"])
def test_what_a_backout_makes_match_ends_a_wait(qm: QM, small: None, selector: str) -> None:
    other = qm.connect()
    fill(qm, 20)
    with waiting(qm, selector) as started:
        other.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
        other.backout()
        assert started.finish() == b"-"


def test_a_selector_on_what_is_left_of_the_time_is_asked_anew(
    qm: QM, small: None, advance: Callable[[float], None]
) -> None:
    fill(qm, 20)
    qm.put("soon", expiry=600)
    handle = qm.main.open("Q", MQOO_INPUT_SHARED, selector="Root.MQMD.Expiry BETWEEN 0 AND 300")
    with fails(MQRC_NO_MSG_AVAILABLE):
        handle.get()
    advance(40)
    assert handle.get().message.data == b"soon"

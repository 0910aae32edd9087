"""Rules of waiting gets: options, inhibited gets, cursors, indexes, quiescing, other waiters.

Not here, because there is nothing that it could be about: WAIT-43 and WAIT-44 (no queue is shared, so there is no
signal every 200 ms to make up for one), WAIT-47 (no connection comes through CICS or IMS, so none quiesces while
its queue manager does not).
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import options as mq
from mqtools.constants import reasons as rc
from mqtools.constants.objects import MQIT_CORREL_ID, MQIT_MSG_TOKEN
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_NO_WAIT,
    MQGMO_SET_SIGNAL,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_NONE,
    MQOO_INPUT_SHARED,
    MQWI_UNLIMITED,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD
from mqtools.mqi.connection import Connection, connect

from ..children import PATIENCE_S, getter, output_of, put, start_child, start_waiting, until, waiters
from ..conftest import EVERYTHING, QM, fails
from .signalled import Posted, queue_manager

PAIRS = Path(__file__).parents[2] / "rules" / "options" / "data" / "get_option_pairs.toml"
A, C1 = b"a" * 24, b"\xc1" * 24
NOTHING = rc.MQRC_NO_MSG_AVAILABLE
LONG_MS = int(PATIENCE_S * 1000)
WAIT = MQGMO_WAIT | MQGMO_NO_SYNCPOINT


@pytest.fixture
def zos(tmp_path: Path) -> Any:
    """A queue manager of the profile zos."""
    (tmp_path / "zos").mkdir()
    yield from queue_manager(tmp_path / "zos")


class AtOnce:
    """A block that must be through long before a wait of ``LONG_MS`` ends."""

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        assert time.monotonic() - self._began < PATIENCE_S / 2


# What there is to get


@pytest.mark.conformance("BEY-41", "WAIT-04")
@pytest.mark.parametrize("options", [MQGMO_WAIT, MQGMO_WAIT | MQGMO_BROWSE_FIRST], ids=["get", "browse"])
def test_where_gets_are_inhibited_nothing_is_got_and_nothing_waited_for(qm: QM, options: int) -> None:
    qm.put("M")
    handle = qm.open()
    qm.alter("Q", inhibit_get=1)
    with AtOnce(), fails(rc.MQRC_GET_INHIBITED):
        handle.get(options, wait_ms=LONG_MS)
    assert qm.data() == [b"M"]


@pytest.mark.conformance("WAIT-04", "WAIT-05")
def test_inhibiting_an_alias_ends_the_waits_through_it(qm: QM) -> None:
    qm.define("ALIAS", "QALIAS", base_q_name="Q")

    def wait(connection: Connection) -> object:
        return connection.open("ALIAS", MQOO_INPUT_SHARED).get(MQGMO_WAIT, wait_ms=-1)

    (waiting,) = start_waiting(qm.path, qm.main, wait)
    qm.alter("ALIAS", inhibit_get=1)
    waiting.finish()
    assert waiting.reason == rc.MQRC_GET_INHIBITED


@pytest.mark.conformance("WAIT-06", "WAIT-07")
def test_a_browse_waits_for_what_is_behind_its_cursor(qm: QM) -> None:
    qm.put("M1")
    seen: list[object] = []

    def browse(connection: Connection) -> bytes:
        handle = connection.open("Q", EVERYTHING)
        seen.append(handle.get(MQGMO_WAIT | MQGMO_BROWSE_FIRST, wait_ms=-1).message.data)
        data = handle.get(MQGMO_WAIT | MQGMO_BROWSE_NEXT, wait_ms=-1).message.data
        seen.append(handle.get(MQGMO_BROWSE_MSG_UNDER_CURSOR).message.data)
        return data

    (waiting,) = start_waiting(qm.path, qm.main, browse)
    qm.put("M2")
    assert waiting.finish() == b"M2"
    assert seen == [b"M1", b"M2"]
    assert qm.data() == [b"M1", b"M2"]


@pytest.mark.conformance("WAIT-22", "WAIT-23")
@pytest.mark.parametrize("option", [MQGMO_BROWSE_MSG_UNDER_CURSOR, MQGMO_MSG_UNDER_CURSOR], ids=["browse", "get"])
def test_at_the_cursor_nothing_is_waited_for(qm: QM, option: int) -> None:
    handle = qm.open()
    with AtOnce(), fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(option | MQGMO_WAIT, wait_ms=LONG_MS)
    qm.put("M")
    handle.get(MQGMO_BROWSE_FIRST)
    assert handle.get(option | MQGMO_WAIT, wait_ms=LONG_MS).message.data == b"M"
    if option == MQGMO_BROWSE_MSG_UNDER_CURSOR:
        qm.got()
    with AtOnce(), fails(rc.MQRC_NO_MSG_UNDER_CURSOR):
        handle.get(option | MQGMO_WAIT, wait_ms=LONG_MS)


@pytest.mark.conformance("WAIT-24", "WAIT-25", "WAIT-27")
@pytest.mark.parametrize("wait_ms", [-7, -1, 60_000])
def test_without_the_option_there_is_no_wait_whatever_the_interval_is(qm: QM, wait_ms: int) -> None:
    assert MQGMO_NO_WAIT == 0
    with AtOnce(), fails(NOTHING):
        qm.open().get(MQGMO_NO_WAIT, wait_ms=wait_ms)


@pytest.mark.conformance("WAIT-26")
def test_an_interval_is_a_time_or_without_limit(qm: QM) -> None:
    assert MQWI_UNLIMITED == -1
    for wait_ms in (-2, -(1 << 31)):
        with fails(rc.MQRC_WAIT_INTERVAL_ERROR):
            qm.open().get(MQGMO_WAIT, wait_ms=wait_ms)


# Who else wants it


@pytest.mark.conformance("WAIT-15")
def test_one_that_does_not_wait_may_be_faster_than_one_that_waits(qm: QM) -> None:
    """Whoever wins, the other does not get the message, and one that waits goes on waiting."""
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    taken: list[object] = []
    with connect(qm.path) as other, other.open("Q", MQOO_INPUT_SHARED) as handle:
        put(qm.main, b"one")
        while not taken and not waiting.is_done:
            with suppress(NoMessageAvailable):
                taken.append(handle.get().message.data)
    if taken:
        waiting.is_still_waiting()
        put(qm.main, b"two")
    assert [*taken, waiting.finish()] == ([b"one", b"two"] if taken else [b"one"])


@pytest.mark.conformance("WAIT-16")
def test_the_priority_of_a_process_promises_nothing(qm: QM) -> None:
    """One of the two gets the message, no matter which; the other one goes on waiting."""
    program = """
os.nice(int(arguments[0]))
with connect(path) as connection:
    print(connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_WAIT, wait_ms=-1).message.data)
"""
    children = [start_child(program, qm.path, nice) for nice in (0, 15)]
    for number, text in ((2, b"one"), (1, b"two")):
        until(lambda number=number: waiters(qm.main.db) == number)  # type: ignore[misc]
        put(qm.main, text)
    assert sorted(map(output_of, children)) == ["b'one'\n", "b'two'\n"]


# Indexes


@pytest.mark.conformance("WAIT-20", "WAIT-21")
@pytest.mark.parametrize("option", [WAIT, MQGMO_SET_SIGNAL | MQGMO_NO_SYNCPOINT], ids=["wait", "signal"])
@pytest.mark.parametrize(
    ("version", "fields", "match_options", "refused"),
    [
        (1, {"msg_id": A}, MQMO_NONE, True),  # a version-1 MQGMO has no match options
        (1, {"correl_id": C1}, MQMO_NONE, True),
        (1, {}, MQMO_MATCH_MSG_ID, False),
        (1, {}, None, False),
        (2, {}, MQMO_MATCH_MSG_ID, True),
        (2, {"correl_id": C1}, MQMO_MATCH_CORREL_ID, True),
        (2, {}, None, True),  # MQMO_MATCH_MSG_ID + MQMO_MATCH_CORREL_ID, as the initial value is
        (2, {"msg_id": A}, MQMO_NONE, False),
    ],
)
def test_on_a_queue_indexed_by_token_any_message_is_waited_for(
    zos: QM, option: int, version: int, fields: dict[str, Any], match_options: int | None, refused: bool
) -> None:
    zos.define("TOKENS", index_type=MQIT_MSG_TOKEN)
    zos.put("any", "TOKENS", mq.MQPMO_NO_SYNCPOINT)
    handle = zos.open("TOKENS")
    call: dict[str, Any] = {"gmo_version": version, "match_options": match_options, "signal": Posted(), "wait_ms": 50}
    if refused:
        with fails(rc.MQRC_MATCH_OPTIONS_ERROR):
            handle.get(option, md=MQMD(**fields), **call)
    else:
        assert handle.get(option, md=MQMD(**fields), **call).message.data == b"any"
    with fails(NOTHING):  # who does not wait may ask for what he likes
        handle.get(MQGMO_NO_SYNCPOINT, md=MQMD(msg_id=A))


@pytest.mark.conformance("WAIT-21")
def test_a_queue_with_another_index_or_of_another_profile_lets_wait_for_certain_messages(zos: QM, qm: QM) -> None:
    zos.define("BY_CORREL_ID", index_type=MQIT_CORREL_ID)
    qm.define("TOKENS", index_type=MQIT_MSG_TOKEN)
    for handle in (zos.open("BY_CORREL_ID"), qm.open("TOKENS")):
        with fails(NOTHING):
            handle.get(WAIT, md=MQMD(correl_id=C1), match_options=MQMO_MATCH_CORREL_ID, wait_ms=10)


@pytest.mark.conformance("WAIT-20")
def test_a_version_1_mqgmo_matches_both_identifiers_whatever_its_match_options_say(qm: QM) -> None:
    qm.put("other")
    qm.put("wanted", correl_id=C1)
    handle = qm.open()
    assert handle.get(md=MQMD(correl_id=C1), match_options=MQMO_NONE, gmo_version=1).message.data == b"wanted"
    with fails(NOTHING):
        handle.get(md=MQMD(msg_id=A), match_options=MQMO_NONE, gmo_version=1)
    assert handle.get(md=MQMD(), gmo_version=1).message.data == b"other"


# Quiescing


@pytest.mark.conformance("WAIT-46")
@pytest.mark.parametrize("options", [0, MQGMO_WAIT, MQGMO_BROWSE_FIRST], ids=["get", "wait", "browse"])
def test_a_get_that_asks_for_it_fails_while_the_queue_manager_quiesces(qm: QM, options: int) -> None:
    qm.put("M")
    handle = qm.open()
    assert queue_managers.end(qm.path) == queue_managers.QUIESCING
    with AtOnce(), fails(rc.MQRC_Q_MGR_QUIESCING):
        handle.get(options | MQGMO_FAIL_IF_QUIESCING, wait_ms=LONG_MS)
    assert qm.data() == [b"M"]
    assert handle.get(options, wait_ms=LONG_MS).message.data == b"M"


def test_a_browse_for_any_message_is_signalled_when_one_comes_and_not_before(zos: QM) -> None:
    """No queue is shared: nothing is posted on suspicion every 200 ms."""
    posted = Posted()
    zos.open().get(MQGMO_SET_SIGNAL | MQGMO_BROWSE_FIRST, signal=posted, wait_ms=LONG_MS)
    posted.nothing(0.3)
    zos.put("x", options=mq.MQPMO_NO_SYNCPOINT)
    assert posted.next() == mq.MQEC_MSG_ARRIVED

"""MQGMO_SET_SIGNAL: what sets a signal, and what does not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.constants import reasons as rc
from mqtools.constants.options import (
    MQEC_MSG_ARRIVED,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
)
from mqtools.message import MQMD

from ..children import output_of, start_child, waiters
from ..conftest import QM, fails
from .signalled import SIGNAL, Posted, put, queue_manager, set_signal

NOTHING = rc.MQRC_NO_MSG_AVAILABLE


@pytest.fixture(name="qm")
def of_profile_zos(tmp_path: Path) -> Iterator[QM]:
    yield from queue_manager(tmp_path)


@pytest.mark.conformance("WAIT-29")
def test_a_message_that_is_there_is_got_and_no_signal_is_set(qm: QM) -> None:
    put(qm, b"there")
    handle, posted = qm.open(), Posted()
    result = handle.get(SIGNAL, signal=posted, wait_ms=50)
    assert (result.message.data, result.reason) == (b"there", rc.MQRC_NONE)
    assert handle.signal is None
    assert qm.depth() == waiters(qm.main.db) == 0
    posted.nothing()


@pytest.mark.conformance("WAIT-30")
def test_a_get_that_fails_sets_no_signal(qm: QM) -> None:
    handle, posted = qm.open(), Posted()
    qm.alter("Q", inhibit_get=1)
    with fails(rc.MQRC_GET_INHIBITED):
        handle.get(SIGNAL, signal=posted)
    with fails(rc.MQRC_OPTIONS_ERROR):
        handle.get(SIGNAL | MQGMO_SYNCPOINT, signal=posted)
    with fails(rc.MQRC_WAIT_INTERVAL_ERROR):
        handle.get(SIGNAL, signal=posted, wait_ms=-2)
    assert handle.signal is None
    qm.alter("Q", inhibit_get=0)
    put(qm, b"later")
    posted.nothing()


@pytest.mark.conformance("WAIT-31", "WAIT-33")
def test_an_accepted_signal_leaves_the_descriptor_as_it_was(qm: QM) -> None:
    md = MQMD(msg_id=b"m" * 24, correl_id=b"c" * 24, reply_to_q="SENTINEL", priority=7)
    before = md.replace()
    result = qm.open().get(SIGNAL, md=md, signal=Posted(), wait_ms=5000)
    assert (result.comp_code, result.reason) == (rc.MQCC_WARNING, rc.MQRC_SIGNAL_REQUEST_ACCEPTED)
    assert result.message.md is md
    assert md == before
    assert (result.message.data, result.data_length, result.msg_token) == (b"", 0, b"")


@pytest.mark.conformance("WAIT-32")
@pytest.mark.parametrize("unusable", [None, True, "2", -1, 10**6, 1 << 70, "reading end", "closed"])
def test_what_cannot_be_posted_to_is_refused(qm: QM, unusable: object) -> None:
    handle = qm.open()
    reading, writing = os.pipe()
    os.close(writing)
    target = {"reading end": reading, "closed": writing}.get(str(unusable), unusable)
    try:
        with fails(rc.MQRC_SIGNAL1_ERROR):
            handle.get(SIGNAL, signal=target)  # type: ignore[arg-type]
    finally:
        os.close(reading)
    assert handle.signal is None
    assert waiters(qm.main.db) == 0
    set_signal(handle)


@pytest.mark.conformance("WAIT-19", "WAIT-41", "AMB-13")
@pytest.mark.parametrize("options", [SIGNAL, MQGMO_WAIT | MQGMO_NO_SYNCPOINT], ids=["signal", "wait"])
def test_a_handle_has_one_signal_at_a_time(qm: QM, options: int) -> None:
    handle, second = qm.open(), Posted()
    first = set_signal(handle)
    with fails(rc.MQRC_SIGNAL_OUTSTANDING):
        handle.get(options, signal=second, wait_ms=50)
    with fails(rc.MQRC_NO_MSG_UNDER_CURSOR):  # nothing is waited for there
        handle.get(options | MQGMO_MSG_UNDER_CURSOR, signal=second, wait_ms=50)
    with fails(NOTHING):
        handle.get(MQGMO_NO_SYNCPOINT)
    put(qm, b"x")
    assert first.next() == MQEC_MSG_ARRIVED
    assert handle.get(options, signal=second, wait_ms=50).reason == rc.MQRC_NONE
    second.nothing()


@pytest.mark.slow
def test_an_outstanding_signal_uses_no_cpu(qm: QM) -> None:
    child = start_child(
        """
import time
connection = connect(path)
handle = connection.open("Q", MQOO_INPUT_SHARED)
handle.get(MQGMO_SET_SIGNAL, signal=print)
before = time.process_time()
time.sleep(1)
print(time.process_time() - before)
connection.disconnect()
""",
        qm.path,
    )
    assert float(output_of(child)) < 0.25

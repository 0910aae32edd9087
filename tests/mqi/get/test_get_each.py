"""Several gets in one call and one transaction: ``Handle.get_each``."""

from __future__ import annotations

import pytest

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SET_SIGNAL,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
)
from mqtools.constants.reasons import MQRC_GET_INHIBITED, MQRC_OPTIONS_ERROR, MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MessageDamaged, NoMessageAvailable
from mqtools.message import MQMD

from ..conftest import fails


@pytest.fixture
def handle(qm):
    for number in range(6):
        qm.put(b"%d" % number, correl_id=b"%d" % (number % 2) * 24)
    return qm.open()


def data(results) -> bytes:
    return b"".join(result.message.data for result in results)


def test_it_gets_as_many_as_it_is_asked_for_in_order(qm, handle):
    results, error = handle.get_each(4)
    assert (data(results), error, qm.data()) == (b"0123", None, [b"4", b"5"])


@pytest.mark.parametrize(
    "options", [0, MQGMO_SYNCPOINT, MQGMO_BROWSE_NEXT, MQGMO_BROWSE_FIRST, MQGMO_BROWSE_FIRST | MQGMO_WAIT]
)
def test_it_ends_where_there_are_no_more(qm, handle, options):
    results, error = handle.get_each(10, options)
    assert data(results) == b"012345"
    assert isinstance(error, NoMessageAvailable)
    qm.main.backout()
    assert len(qm.data()) == (6 if options else 0)


def test_it_ends_at_a_limit_of_bytes(handle):
    assert data(handle.get_each(10, most_bytes=3)[0]) == b"012"


def test_identifiers_are_matched_by_each_get(handle):
    results, _ = handle.get_each(10, md=MQMD(correl_id=b"1" * 24), match_options=MQMO_MATCH_CORREL_ID)
    assert data(results) == b"135"
    assert len({result.message.md.msg_id for result in results}) == 3


def test_a_selector_reads_on(qm, handle):
    chosen = qm.main.open("Q", handle.options, selector=f'Root.MQMD.CorrelId = "0x{b"0".hex() * 24}"')
    assert data(chosen.get_each(10)[0]) == b"024"


def test_a_message_that_is_too_long_ends_it_and_stays(qm, handle):
    qm.put(b"too long")
    results, error = handle.get_each(10, max_length=4)
    assert (len(results), results[-1].reason, error, qm.data()) == (7, MQRC_TRUNCATED_MSG_FAILED, None, [b"too long"])
    assert data(handle.get_each(10, MQGMO_ACCEPT_TRUNCATED_MSG, max_length=4)[0]) == b"too "


def test_a_damaged_message_ends_it_and_the_next_call_passes_over_it(qm, handle):
    with qm.main.db.writing():
        qm.main.db.run("update messages set data = x'00' where data = cast('2' as blob)")
    results, error = handle.get_each(10)
    assert data(results) == b"01"
    assert isinstance(error, MessageDamaged)
    assert data(handle.get_each(10)[0]) == b"345"


def test_an_error_of_the_queue_comes_back(qm, handle):
    qm.alter("Q", inhibit_get=1)
    results, error = handle.get_each(10)
    assert (results, error.reason) == ([], MQRC_GET_INHIBITED)


def test_it_waits_for_the_first_only(qm, handle):
    qm.got()
    results, error = handle.get_each(10, MQGMO_WAIT, wait_ms=20)
    assert (results, type(error)) == ([], NoMessageAvailable)
    qm.put("one")
    assert data(handle.get_each(10, MQGMO_WAIT, wait_ms=3_600_000)[0]) == b"one"


def test_a_signal_is_refused(handle):
    with fails(MQRC_OPTIONS_ERROR):
        handle.get_each(2, MQGMO_SET_SIGNAL)


def test_the_last_call_can_be_backed_out_alone(qm, handle):
    handle.get_each(2, MQGMO_SYNCPOINT)
    handle.get_each(3, MQGMO_SYNCPOINT)
    qm.main.backout_last()
    qm.main.commit()
    assert qm.data() == [b"2", b"3", b"4", b"5"]

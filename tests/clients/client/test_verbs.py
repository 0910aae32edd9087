"""The verbs of a connection to a queue manager elsewhere do what those of our file do."""

from __future__ import annotations

from threading import Thread, Timer
from time import monotonic, sleep

import pytest

from mqtools.clients.client import commands, subscription
from mqtools.clients.client.connection import RemoteConnection
from mqtools.constants import cmqc
from mqtools.constants.cmqcfc import MQCMD_INQUIRE_Q
from mqtools.constants.objects import MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH, MQIA_INHIBIT_PUT
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_LOCK,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.pcf import CFST
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.identity import now_ms

from ...errors import fails
from .conftest import Elsewhere, Q

PATIENCE_MS = 50_000
ALL = MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE | MQOO_SET


def text(data: bytes) -> Message:
    return Message(data, MQMD(format="MQSTR", persistence=1))


def test_a_message_and_its_descriptor_are_those_that_our_file_has(
    elsewhere: Elsewhere, connection: RemoteConnection
) -> None:
    message = text("Größe".encode())
    message.md.reply_to_q, message.md.correl_id = "REPLIES", b"c" * 24
    message.properties = {"colour": Property(cmqc.MQTYPE_STRING, "red"), "n": Property(cmqc.MQTYPE_INT32, 7)}
    connection.put1(Q, message)
    with elsewhere.here() as here, here.open(Q, MQOO_BROWSE) as queue, connection.open(Q, ALL) as remote:
        ours = queue.get(MQGMO_BROWSE_FIRST).message
        theirs = remote.get(MQGMO_BROWSE_FIRST).message
    assert message.md.msg_id == theirs.md.msg_id != bytes(24)
    assert "" not in (message.md.put_date, message.md.user_identifier)
    assert (theirs.md, theirs.data) == (ours.md.replace(format="MQSTR"), message.data)
    assert theirs.properties == message.properties


@pytest.mark.parametrize("size", [0, 1, 32_000, 33_000, 1_000_000, 4_000_000])
def test_messages_of_any_size_travel_both_ways(connection: RemoteConnection, size: int) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    with connection.open(Q, ALL) as queue:
        queue.put(Message(data, MQMD(persistence=0)))
        assert queue.get(MQGMO_BROWSE_FIRST).message.data == data
        assert queue.get().message.data == data


def test_a_unit_of_work_is_committed_or_backed_out(elsewhere: Elsewhere, connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        queue.put(text(b"1"), MQPMO_SYNCPOINT)
        assert connection.in_unit_of_work
        connection.backout()
        queue.put(text(b"2"), MQPMO_SYNCPOINT)
        connection.commit()
        assert queue.get(MQGMO_SYNCPOINT).message.data == b"2"
        connection.backout()
        assert not connection.in_unit_of_work
        assert queue.get(MQGMO_SYNCPOINT).message.md.backout_count == 1
    connection.disconnect()  # commits
    with elsewhere.here() as here, here.open(Q, MQOO_INQUIRE) as queue_here:
        assert queue_here.inquire([MQIA_CURRENT_Q_DEPTH]) == [0]


def test_an_exception_in_the_block_backs_out(elsewhere: Elsewhere) -> None:
    def fail() -> None:
        with elsewhere.connect() as connection:
            connection.put1(Q, text(b"1"), MQPMO_SYNCPOINT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with elsewhere.here() as here, here.open(Q, MQOO_BROWSE) as queue, pytest.raises(NoMessageAvailable):
        queue.get(MQGMO_BROWSE_FIRST)


def test_the_selection_is_by_identifier_and_by_token(connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        for number in range(3):
            queue.put(Message(b"%d" % number, MQMD(correl_id=bytes([number]) * 24)))
        md = MQMD(correl_id=b"\1" * 24)
        found = queue.get(MQGMO_BROWSE_FIRST, md=md, match_options=MQMO_MATCH_CORREL_ID)
        assert (found.message.data, md.msg_id) == (b"1", found.message.md.msg_id)
        same = queue.get(match_options=MQMO_MATCH_MSG_TOKEN, msg_token=found.msg_token)
        assert same.message.data == b"1"
        assert [queue.get().message.data for _ in range(2)] == [b"0", b"2"]


def test_a_selector_of_the_open_selects(connection: RemoteConnection) -> None:
    for number in range(3):
        connection.put1(Q, Message(b"%d" % number, properties={"n": Property(cmqc.MQTYPE_INT32, number)}))
    with connection.open(Q, MQOO_INPUT_SHARED, selector="n = 1") as queue:
        assert queue.get().message.data == b"1"
        with pytest.raises(NoMessageAvailable):
            queue.get()


def test_a_get_waits_for_a_message_of_another_program(elsewhere: Elsewhere, connection: RemoteConnection) -> None:
    def put_here() -> None:
        with elsewhere.here() as here:
            here.put1(Q, text(b"late"))

    with connection.open(Q, ALL) as queue:
        timer = Timer(0.2, put_here)
        timer.start()
        assert queue.get(MQGMO_WAIT, wait_ms=10_000).message.data == b"late"
        timer.join()
        begun = monotonic()
        with pytest.raises(NoMessageAvailable):
            queue.get(MQGMO_WAIT, wait_ms=200)
        assert 0.15 < monotonic() - begun < 5


def test_a_waiting_get_lets_other_threads_make_calls(elsewhere: Elsewhere) -> None:
    connection = elsewhere.connect()
    with connection.open(Q, MQOO_INPUT_SHARED) as queue, connection.open(Q, MQOO_INPUT_SHARED) as other:
        found: list[bytes] = []
        waiting = Thread(target=lambda: found.append(queue.get(MQGMO_WAIT, wait_ms=PATIENCE_MS).message.data))
        with connection.lock:  # as a program's call holds it
            waiting.start()
        while not queue.reader._is_waiting:
            sleep(0.001)
        with pytest.raises(MQError, match="2219"):
            queue.get()
        with pytest.raises(NoMessageAvailable):
            other.get()
        connection.put1(Q, text(b"from this thread"))
        waiting.join()
        assert found == [b"from this thread"]


def test_a_buffer_that_is_too_short_is_told(connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        queue.put(Message(bytes(1000)))
        refused = queue.get(max_length=10)
        assert (refused.reason, refused.data_length) == (cmqc.MQRC_TRUNCATED_MSG_FAILED, 1000)
        taken = queue.get(MQGMO_ACCEPT_TRUNCATED_MSG, max_length=10)
        assert (taken.reason, taken.message.data, taken.data_length) == (
            cmqc.MQRC_TRUNCATED_MSG_ACCEPTED, bytes(10), 1000,
        )  # fmt: skip


def test_the_queue_manager_converts(connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        queue.put(text("Größe".encode()))
        md = MQMD(coded_char_set_id=819)
        assert queue.get(MQGMO_CONVERT, md=md, match_options=0).message.data == "Größe".encode("latin-1")
        assert md.coded_char_set_id == 819


def test_properties_come_in_an_mqrfh2_where_that_is_asked_for(connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        queue.put(Message(b"x", properties={"n": Property(cmqc.MQTYPE_INT32, 7)}))
        message = queue.get(MQGMO_PROPERTIES_FORCE_MQRFH2).message
        assert (message.data[:4], message.md.format, message.properties) == (b"RFH ", "MQHRF2", {})


def test_attributes_are_inquired_and_set(elsewhere: Elsewhere, connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue:
        queue.put(text(b"1"))
        assert queue.inquire([MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH]) == [Q, 1]
        queue.set({MQIA_INHIBIT_PUT: 1})
        with fails(cmqc.MQRC_PUT_INHIBITED):
            queue.put(text(b"2"))
    with elsewhere.here() as here:
        assert connection.q_mgr_id == here.q_mgr_id
        assert (connection.name, connection.ccsid) == (here.name, here.ccsid)
        assert connection.max_uncommitted_msgs == here.max_uncommitted_msgs


def test_a_model_queue_makes_a_queue_that_goes_with_its_close(connection: RemoteConnection) -> None:
    with connection.open("DEV.APP.MODEL.QUEUE", MQOO_INPUT_SHARED, dynamic_q_name="MINE.*") as queue:
        name = queue.q_name
        assert name.startswith("MINE.")
        connection.put1(name, Message(b"x", MQMD(persistence=0)))
    with fails(cmqc.MQRC_UNKNOWN_OBJECT_NAME):
        connection.open(name, MQOO_OUTPUT)


def test_the_context_of_a_message_is_passed_on(connection: RemoteConnection) -> None:
    original = Message(b"x", MQMD(appl_identity_data="ours"))
    connection.put1(Q, original, cmqc.MQPMO_SET_IDENTITY_CONTEXT)
    with (
        connection.open(Q, MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT) as source,
        connection.open("DEV.QUEUE.2", ALL | cmqc.MQOO_PASS_ALL_CONTEXT) as target,
    ):
        got = source.get().message
        target.put(Message(got.data), MQPMO_PASS_ALL_CONTEXT, context=source)
        passed = target.get().message.md
        assert (passed.appl_identity_data, passed.put_time) == ("ours", got.md.put_time)


def test_a_message_is_delivered_later(elsewhere: Elsewhere) -> None:
    connection = elsewhere.connect()
    with connection.open(Q, ALL) as queue:
        queue.put(Message(b"x", deliver_at=now_ms() + 400))
        with pytest.raises(NoMessageAvailable):
            queue.get()
        assert queue.get(MQGMO_WAIT, wait_ms=5000).message.data == b"x"


def test_publications_come_to_a_managed_queue_and_to_an_own_one(connection: RemoteConnection) -> None:
    options = cmqc.MQSO_CREATE | cmqc.MQSO_NON_DURABLE
    with (
        connection.open(Q, ALL) as own,
        subscription.subscribe(connection, "dev/#") as managed,
        subscription.subscribe(connection, "dev/+", options, queue=own, selector="n > 1"),
    ):
        for number in (1, 2):
            message = Message(b"%d" % number, properties={"n": Property(cmqc.MQTYPE_INT32, number)})
            subscription.publish(connection, "dev/a", message, cmqc.MQPMO_RETAIN)
        assert [managed.queue.get(MQGMO_WAIT, wait_ms=2000).message.data for _ in range(2)] == [b"1", b"2"]
        assert own.get(MQGMO_WAIT, wait_ms=2000).message.data == b"2"
        assert managed.request() == 1


def test_the_outcomes_of_asynchronous_puts_are_counted(connection: RemoteConnection) -> None:
    assert subscription.status(connection)["PutSuccessCount"] == 0


def test_commands_are_answered_by_the_command_server(connection: RemoteConnection) -> None:
    texts, comp_code, reason = commands.escape(connection, f"DISPLAY QLOCAL({Q}) CURDEPTH")
    assert (f"QUEUE({Q})" in "".join(texts), comp_code, reason) == (True, 0, 0)
    *_, comp_code, reason = commands.escape(connection, "DISPLAY QLOCAL(NOPE)")
    assert (comp_code, reason) == (2, cmqc.MQRC_UNKNOWN_OBJECT_NAME)
    name = CFST(MQCA_Q_NAME, b"DEV.QUEUE.*")
    found = [reply.values[MQCA_Q_NAME] for reply in commands.pcf(connection, MQCMD_INQUIRE_Q, [name])]
    assert found == ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
    assert commands.pcf(connection, MQCMD_INQUIRE_Q, [CFST(MQCA_Q_NAME, b"NOPE")]) == []


def test_a_browse_sees_each_message_once_in_order(connection: RemoteConnection) -> None:
    expected = [b"%d" % number for number in range(1500)]
    connection.put_each(Q, [Message(data, MQMD(persistence=0)) for data in expected], MQPMO_SYNCPOINT)
    connection.commit()
    with connection.open(Q, ALL) as queue:
        results, error = queue.get_each(10_000, MQGMO_BROWSE_FIRST)
        assert [result.message.data for result in results] == expected
        assert isinstance(error, NoMessageAvailable)
        connection.put1(Q, Message(b"new"))
        assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"new"
        assert queue.get(MQGMO_BROWSE_FIRST).message.data == b"0"


def test_the_message_under_the_cursor_is_the_one_that_the_program_saw_last(connection: RemoteConnection) -> None:
    for number in range(6):
        connection.put1(Q, Message(b"%d" % number))
    with connection.open(Q, ALL) as queue:
        queue.get(MQGMO_BROWSE_FIRST)
        assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"1"
        assert queue.get(MQGMO_MSG_UNDER_CURSOR).message.data == b"1"
        assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"2"
        assert queue.get(MQGMO_BROWSE_NEXT | MQGMO_LOCK).message.data == b"3"
        assert queue.get(MQGMO_UNLOCK).reason == 0
        assert queue.get(MQGMO_BROWSE_NEXT).message.data == b"4"
        assert [queue.get().message.data for _ in range(5)] == [b"0", b"2", b"3", b"4", b"5"]
        with pytest.raises(NoMessageAvailable):
            queue.get(MQGMO_BROWSE_NEXT)


def test_a_browse_waits_for_what_comes(elsewhere: Elsewhere, connection: RemoteConnection) -> None:
    with connection.open(Q, ALL) as queue, elsewhere.here() as here:
        for number in range(3):
            here.put1(Q, Message(b"%d" % number))
            found = queue.get(MQGMO_BROWSE_NEXT | MQGMO_WAIT, wait_ms=5000)
            assert found.message.data == b"%d" % number


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda connection: connection.open("NOPE", MQOO_OUTPUT), cmqc.MQRC_UNKNOWN_OBJECT_NAME),
        (lambda connection: connection.put1("NOPE", Message(b"x")), cmqc.MQRC_UNKNOWN_OBJECT_NAME),
        (lambda connection: connection.open(Q, MQOO_OUTPUT).get(), cmqc.MQRC_NOT_OPEN_FOR_INPUT),
        (lambda connection: connection.open(Q, MQOO_INPUT_SHARED).put(Message(b"x")), cmqc.MQRC_NOT_OPEN_FOR_OUTPUT),
        (lambda connection: connection.open(Q, MQOO_OUTPUT).inquire([1]), cmqc.MQRC_NOT_OPEN_FOR_INQUIRE),
        (lambda connection: connection.put1(Q, Message(b"x", MQMD(report=1 << 19))), cmqc.MQRC_REPORT_OPTIONS_ERROR),
        (lambda connection: connection.open(Q, ALL).get(MQGMO_UNLOCK | MQGMO_WAIT), cmqc.MQRC_OPTIONS_ERROR),
    ],
)
def test_a_failure_has_the_reason_of_the_queue_manager(connection: RemoteConnection, call: object, reason: int) -> None:
    with fails(reason):
        call(connection)  # type: ignore[operator]
    connection.put1(Q, Message(b"the connection stays usable"))


def test_put_each_ends_at_the_first_that_fails(elsewhere: Elsewhere, connection: RemoteConnection) -> None:
    elsewhere.mqsc(f"ALTER QLOCAL({Q}) MAXDEPTH(2)")
    results, error = connection.put_each(Q, [Message(b"x")] * 3)
    assert (len(results), error is not None and error.reason) == (2, cmqc.MQRC_Q_FULL)


def test_a_reader_that_leaves_interrupts_a_wait_and_never_a_put(elsewhere, connection):
    seen = []

    def leave():
        seen.append(True)
        raise BrokenPipeError

    connection.calls.wire.idle = leave
    with connection.open(Q, MQOO_OUTPUT | MQOO_INPUT_SHARED) as queue:
        with elsewhere.here() as local, local.work():
            puts = Thread(target=lambda: queue.put(text(b"slow")))
            puts.start()
            puts.join(1.5)
            assert puts.is_alive()  # the queue manager waits for the turn to write
        puts.join()
        assert not seen
        assert queue.get(MQGMO_WAIT, wait_ms=5000).message.data == b"slow"
        with pytest.raises(BrokenPipeError):
            queue.get(MQGMO_WAIT, wait_ms=60_000)

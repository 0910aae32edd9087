"""Messages that cross a channel: whole, once, in order, and counted alike at both ends."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel import caller
from mqtools.channel.session import ChannelSession
from mqtools.channel.transport import parse_address
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD, Message, Property

from ..descriptors import FILLED
from .conftest import CHANNEL, End, Ends, fails


def test_messages_arrive_in_order_and_both_ends_count_alike(ends: Ends) -> None:
    for number in range(120):
        ends.one.put(f"order {number}")
    ends.drain()
    assert ends.two.data() == [b"order %d" % number for number in range(120)]
    assert ends.one.depth("QM2") == 0
    sent, received = ends.one.status(), ends.two.status()
    assert (sent.sequence, sent.messages, sent.batches, sent.bytes) == (120, 120, 3, 970)
    assert (received.sequence, received.messages, received.batches, received.bytes) == (120, 120, 3, 970)
    assert (sent.peer, received.peer) == ("QM2", "QM1")
    assert (sent.state, received.state, sent.indoubt_sequence) == ("inactive", "inactive", None)
    assert sent.last_message_at is not None


def shown(end: End) -> dict[str, str | None]:
    (report,) = run_mqsc(end.main, f"DISPLAY CHSTATUS({CHANNEL}) ALL").commands
    return report.objects[-1].attributes


def test_the_status_at_both_ends_counts_buffers_and_bytes(ends: Ends) -> None:
    ends.one.put(b"x" * 1000)
    ends.drain()
    sent, received = shown(ends.one), shown(ends.two)
    assert (sent["BYTSSENT"], received["BYTSRCVD"]) == ("1000", "1000")
    assert all(int(end[key] or 0) > 0 for end in (sent, received) for key in ("BUFSSENT", "BUFSRCVD"))
    assert int(sent["BYTSRCVD"] or 0) > 0
    idle = ("STOPPED", "", "", "0", "NO")
    assert tuple(sent[key] for key in ("MCASTAT", "CHSTADA", "SUBSTATE", "CURMSGS", "STOPREQ")) == idle
    ends.one.put()
    with ends.one.connect() as connection, ChannelSession(connection, CHANNEL) as session:
        session.begin()
        running = shown(ends.one)
    assert (running["MCASTAT"], running["SUBSTATE"], running["XQMSGSA"]) == ("RUNNING", "NETCONNECT", "1")
    assert len(str(running["CHSTADA"])) == 10


def test_a_second_run_goes_on_counting(ends: Ends) -> None:
    for _ in range(2):
        ends.one.put()
        ends.drain()
    assert (ends.one.status().sequence, ends.two.status().sequence) == (2, 2)
    ends.drain()
    assert ends.one.status().batches == 2


def test_descriptor_properties_and_data_arrive_as_they_were_put(ends: Ends) -> None:
    message = Message(
        b"caf\x82", FILLED.replace(reply_to_q_mgr=""), {"colour": Property(0x400, "röd"), "n": Property(0x40, 3)}
    )
    ends.one.main.put1("ORDERS", message)
    ends.drain()
    (result,) = ends.two.got()
    got = result.message
    assert (got.data, got.properties) == (message.data, message.properties)
    assert 0 < got.md.expiry <= FILLED.expiry
    assert got.md == message.md.replace(expiry=got.md.expiry)
    assert got.md.reply_to_q_mgr == "QM1"


@pytest.mark.parametrize("length", [0, 1, 65_000, 65_536, 300_000, 4_194_304])
def test_messages_of_any_length_arrive(ends: Ends, length: int) -> None:
    data = (b"0123456789abcdef" * (length // 16 + 1))[:length]
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXMSGL(5000000)")
    ends.one.mqsc("ALTER QLOCAL(QM2) MAXMSGL(5000000)")
    for end in (ends.one, ends.two):
        end.mqsc("ALTER QMGR MAXMSGL(5000000)")
    ends.one.put(data)
    ends.drain()
    assert ends.two.data() == [data]


def test_a_message_goes_on_through_an_intermediate_queue_manager(ends: Ends) -> None:
    ends.one.mqsc("DEFINE QREMOTE(FAR) RNAME(REPLIES) RQMNAME(QM1) XMITQ(QM2)")
    ends.one.put("there and back", "FAR")
    ends.drain()
    assert ends.two.depth("QM1") == 1
    ends.drain_back()
    assert ends.one.data("REPLIES") == [b"there and back"]


def test_uncommitted_and_locked_messages_stay(ends: Ends) -> None:
    ends.one.put("locked")
    browse_messages_and_lock(ends.one.main, "QM2", None)
    ends.one.main.put1("ORDERS", Message(b"uncommitted", MQMD(persistence=1)), MQPMO_SYNCPOINT)
    ends.drain()
    assert ends.two.data() == []
    ends.one.main.commit()
    ends.drain()
    assert ends.two.data() == [b"uncommitted"]
    assert ends.one.depth("QM2") == 1


def test_a_channel_is_refused_the_wrong_queue_manager(ends: Ends) -> None:
    ends.one.mqsc(
        "DEFINE QLOCAL(QM9) USAGE(XMITQ)",
        f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) XMITQ(QM9)",
    )
    with fails(2087):
        ends.drain()
    ends.one.mqsc("DEFINE QREMOTE(ALIAS) RNAME('') RQMNAME(QM2) XMITQ(QM9)")
    ends.drain()


def test_a_definition_can_be_tied_to_one_queue_manager(ends: Ends) -> None:
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) QMNAME(QM7)")
    with fails(2035):
        ends.drain()
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) QMNAME(QM1)")
    ends.drain()
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) QMNAME(QM7)")
    with fails(2087):
        ends.drain()


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ([f"DELETE CHANNEL({CHANNEL})"], 2540),
        ([f"STOP CHANNEL({CHANNEL})"], 2279),
        ([f"DELETE CHANNEL({CHANNEL})", f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVR) XMITQ(QM1)"], 2539),
    ],
    ids=["unknown", "stopped", "of another type"],
)
def test_what_the_other_end_refuses_stays_here(ends: Ends, commands: list[str], reason: int) -> None:
    ends.two.mqsc(*commands)
    ends.one.put()
    with fails(reason):
        ends.drain()
    assert ends.one.depth("QM2") == 1


def test_a_transmission_queue_that_is_inhibited_or_open_is_refused(ends: Ends) -> None:
    ends.one.mqsc("ALTER QLOCAL(QM2) GET(DISABLED)")
    with fails(2016):
        ends.drain()
    ends.one.mqsc("ALTER QLOCAL(QM2) GET(ENABLED)")
    with ends.one.main.open("QM2", MQOO_INPUT_SHARED), fails(2042):
        ends.drain()


@pytest.mark.conformance("REF-10")
def test_the_smaller_maximum_of_both_ends_counts(ends: Ends) -> None:
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) MAXMSGL(4000)")
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MAXMSGL(1000)")
    ends.one.put(b"x" * 1000)
    ends.one.put(b"x" * 1001)
    ends.drain()
    assert [len(data) for data in ends.two.data()] == [1000]
    (dead,) = ends.one.got("DLQ")
    assert int.from_bytes(dead.message.data[8:12], "little") == 2218
    assert ends.one.depth("QM2") == 0


def test_what_is_no_message_of_a_transmission_queue_is_dead_lettered(ends: Ends) -> None:
    ends.one.put("put there by hand", "QM2")
    ends.one.put("proper")
    ends.drain()
    assert ends.two.data() == [b"proper"]
    (dead,) = ends.one.got("DLQ")
    assert int.from_bytes(dead.message.data[8:12], "little") == 271


def test_a_server_sends_what_a_requester_asks_for(ends: Ends) -> None:
    ends.one.mqsc("DEFINE CHANNEL(PULL) CHLTYPE(SVR) XMITQ(QM2)")
    ends.two.mqsc(f"DEFINE CHANNEL(PULL) CHLTYPE(RQSTR) CONNAME('qmgr:{ends.one.path}')")
    ends.one.put("asked for")
    with ends.two.connect() as connection:
        caller.start(connection, "PULL", drains=True, note=print)
        assert caller.ping(connection, "PULL", to=parse_address(f"qmgr:{ends.one.path}"), note=print) == "QM1"
    assert ends.two.data() == [b"asked for"]
    assert (ends.one.status("PULL").sequence, ends.two.status("PULL").sequence) == (1, 1)


def test_one_transmission_queue_that_a_message_was_got_from_keeps_it(ends: Ends) -> None:
    ends.one.put("held elsewhere")
    with ends.one.connect() as connection, connection.open("QM2", MQOO_INPUT_SHARED) as handle:
        handle.get(MQGMO_SYNCPOINT)
        handle.close()
        ends.drain()
        assert ends.two.data() == []
        connection.backout()
    ends.drain()
    assert ends.two.data() == [b"held elsewhere"]


def test_a_reset_reaches_the_other_end_with_the_next_start(ends: Ends) -> None:
    ends.one.put()
    ends.drain()
    ends.one.mqsc(f"RESET CHANNEL({CHANNEL}) SEQNUM(100)")
    ends.one.put()
    ends.drain()
    assert (ends.one.status().sequence, ends.two.status().sequence) == (100, 100)
    assert len(ends.two.data()) == 2


def test_ends_that_count_differently_are_told_apart(ends: Ends) -> None:
    ends.one.put()
    ends.drain()
    ends.two.mqsc(f"RESET CHANNEL({CHANNEL}) SEQNUM(7)")
    ends.one.put()
    with fails(2539):
        ends.drain()
    assert ends.one.depth("QM2") == 1
    ends.one.mqsc(f"RESET CHANNEL({CHANNEL}) SEQNUM(7)")
    ends.drain()
    assert (ends.one.status().sequence, ends.two.status().sequence) == (7, 7)


@pytest.mark.slow
def test_a_running_channel_cannot_be_deleted_and_is_shown_as_running(ends: Ends) -> None:
    with ends.one.connect() as connection:
        session = ChannelSession(connection, CHANNEL)
        session.begin()
        session.note("running", "QM2")
        assert ends.one.status().state == "running"
        (report,) = run_mqsc(ends.one.main, f"DELETE CHANNEL({CHANNEL})").commands
        assert report.reason == 2042
        with fails(2042):
            ends.drain()
    assert ends.one.status().state == "inactive"


def test_the_journal_says_what_went_through_a_channel(ends: Ends) -> None:
    ends.one.mqsc("ALTER QLOCAL(QM2) JOURNAL(YES)")
    ends.two.mqsc("ALTER QLOCAL(ORDERS) JOURNAL(YES)")
    ends.one.put("noted")
    ends.drain()

    def events(end: object) -> list[str]:
        return [row[0] for row in end.main.db.all("select event from journal order by event_seq")]  # type: ignore[attr-defined]

    assert events(ends.one) == ["put", "channel_send"]
    assert events(ends.two) == ["channel_receive"]


@pytest.mark.parametrize(("convert", "data", "ccsid"), [("NO", b"caf\x82", 850), ("YES", "café".encode(), 1208)])
def test_a_sender_converts_data_if_it_is_asked_to(ends: Ends, convert: str, data: bytes, ccsid: int) -> None:
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) CONVERT({convert})")
    ends.one.put(b"caf\x82", format="MQSTR", coded_char_set_id=850)
    ends.one.put(b"\x82", format="OURS", coded_char_set_id=850)
    ends.drain()
    text, other = ends.two.got()
    assert (text.message.data, text.message.md.coded_char_set_id) == (data, ccsid)
    assert (other.message.data, other.message.md.coded_char_set_id) == (b"\x82", 850)

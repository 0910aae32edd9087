"""Message exits where a channel runs: what they change, split, suppress, fix and break."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from mqtools.channel.exits import ExitContext, ExitMessage
from mqtools.constants.message import MQRO_EXCEPTION
from mqtools.headers.chain import read_dlh

from .conftest import CHANNEL, Ends, fails

SUPPRESSED = 268


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make functions known as exits: ``exits(change=function)`` is ``our_exits:change``."""
    module = ModuleType("our_exits")
    monkeypatch.setitem(sys.modules, "our_exits", module)
    return lambda **functions: vars(module).update(functions)


def use(ends: Ends, *, sender: str = "", receiver: str = "") -> None:
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) MSGEXIT('{sender or ' '}')")
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MSGEXIT('{receiver or ' '}')")


def louder(context: ExitContext, message: ExitMessage) -> ExitMessage:
    message.data = message.data.upper() + context.queue_manager.encode()
    return message


def test_exits_at_both_ends_change_a_message(ends: Ends, exits: Callable[..., None]) -> None:
    exits(louder=louder)
    use(ends, sender="our_exits:louder", receiver="our_exits:louder,our_exits:louder")
    ends.one.put("quiet ")
    ends.drain()
    assert ends.two.data() == [b"QUIET QM1QM2QM2"]


def test_an_exit_sees_where_it_is(ends: Ends, exits: Callable[..., None]) -> None:
    seen: list[ExitContext] = []

    def look(context: ExitContext, message: ExitMessage) -> ExitMessage:
        seen.append(context)
        assert (message.remote_q, message.remote_q_mgr) == ("ORDERS", "QM2")
        return message

    exits(look=look)
    use(ends, sender="our_exits:look", receiver="our_exits:look")
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MAXMSGL(2000)")
    ends.one.put()
    ends.drain()
    assert [(one.channel, one.chltype, one.queue_manager, one.peer) for one in seen] == [
        (CHANNEL, "SDR", "QM1", "QM2"),
        (CHANNEL, "RCVR", "QM2", "QM1"),
    ]
    assert {one.max_message_length for one in seen} == {2000}


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_suppressed_message_is_dead_lettered_and_reported(ends: Ends, exits: Callable[..., None], end: str) -> None:
    exits(some=lambda _, message: None if message.data == b"bad" else message)
    use(ends, **{end: "our_exits:some"})
    for data in ("good", "bad", "better"):
        ends.one.put(data, report=MQRO_EXCEPTION, reply_to_q="REPLIES")
    ends.drain()
    ends.drain_back()
    assert ends.two.data() == [b"good", b"better"]
    (dead,) = (ends.one if end == "sender" else ends.two).got("DLQ")
    assert read_dlh(dead.message.md, dead.message.data).reason == SUPPRESSED
    (report,) = ends.one.got("REPLIES")
    assert report.message.md.feedback == SUPPRESSED


@pytest.mark.parametrize("end", ["sender", "receiver"])
@pytest.mark.parametrize("persistence", [0, 1])
def test_an_exit_that_fails_backs_the_batch_out_and_stops_the_channel(
    ends: Ends, exits: Callable[..., None], end: str, persistence: int
) -> None:
    def fail(_: ExitContext, message: ExitMessage) -> ExitMessage:
        if message.data == b"second":
            raise ValueError("no")
        return message

    exits(fail=fail)
    use(ends, **{end: "our_exits:fail"})
    ends.one.put("first")
    ends.one.put("second", persistence=persistence)
    with fails(2374):
        ends.drain()
    assert (ends.two.depth(), ends.one.depth("QM2")) == (0, 2 if persistence or end == "sender" else 1)
    assert (ends.one if end == "sender" else ends.two).status().state == "stopped"


@pytest.mark.parametrize("batch_size", [1, 2, 50])
@pytest.mark.parametrize("persistence", [0, 1])
def test_a_message_is_split_and_its_parts_stay_together(
    ends: Ends, exits: Callable[..., None], batch_size: int, persistence: int
) -> None:
    def split(context: ExitContext, message: ExitMessage) -> ExitMessage:
        if len(message.data) > 4:
            context.put_next(message.replace(data=message.data[4:], md=message.md.replace(msg_id=bytes(24))))
            message.data = message.data[:4]
        return message

    exits(split=split)
    use(ends, sender="our_exits:split")
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHSZ({batch_size})")
    ends.one.put("aaaabbbbcccc", persistence=persistence)
    ends.one.put("dddd", persistence=persistence)
    ends.drain()
    assert ends.two.data() == [b"aaaa", b"bbbb", b"cccc", b"dddd"]
    assert ends.one.depth("QM2") == 0


def test_a_split_that_fails_later_is_undone_and_made_again(ends: Ends, exits: Callable[..., None]) -> None:
    fails_once = [True]

    def split(context: ExitContext, message: ExitMessage) -> ExitMessage:
        if message.data == b"bbbb" and fails_once.pop() if fails_once else False:
            raise ValueError("not now")
        if len(message.data) > 4:
            context.put_next(message.replace(data=message.data[4:], md=message.md.replace(msg_id=bytes(24))))
            message.data = message.data[:4]
        return message

    exits(split=split)
    use(ends, sender="our_exits:split")
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) BATCHSZ(1)")
    ends.one.put("aaaabbbb")
    with fails(2374):
        ends.drain()
    ends.drain()
    assert ends.two.data() == [b"aaaa", b"bbbb"]


def test_what_an_exit_fixed_stays_when_the_batch_is_backed_out(ends: Ends, exits: Callable[..., None]) -> None:
    """A portion is chosen once: the second attempt sends what the first had chosen, and its follower once."""
    chosen: list[bytes] = []

    def portion(context: ExitContext, message: ExitMessage) -> ExitMessage:
        if not message.data.startswith(b"fixed "):
            context.put_next(message.replace(data=b"fixed rest", md=message.md.replace(msg_id=bytes(24))))
            chosen.append(message.data)
            message.data = b"fixed " + message.data
            context.settle(message)
        return message.replace(data=message.data + b" with data")

    exits(portion=portion)
    use(ends, sender="our_exits:portion")
    ends.two.mqsc("ALTER QMGR DEADQ(' ')", "ALTER QLOCAL(ORDERS) MAXDEPTH(1)")
    md = ends.one.put("first")
    with fails(2283):
        ends.drain()
    assert (ends.two.depth(), ends.one.depth("QM2")) == (0, 2)
    ends.two.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(10)")
    ends.drain()
    results = ends.two.got()
    assert [result.message.data for result in results] == [b"fixed first with data", b"fixed rest with data"]
    assert results[0].message.md.msg_id == md.msg_id
    assert chosen == [b"first"]


@pytest.mark.parametrize("name", ["no_such_module:x", "our_exits:none", "our_exits"])
def test_an_exit_that_cannot_be_loaded_keeps_the_channel_from_running(
    ends: Ends, exits: Callable[..., None], name: str
) -> None:
    exits()
    use(ends, sender=name)
    ends.one.put()
    with fails(2182):
        ends.drain()
    assert ends.one.depth("QM2") == 1

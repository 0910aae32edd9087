"""Pull, push and apply over the wire: byte for byte, once, and right after either end has died at any call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.clients.client.connection import RemoteConnection
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_BYTE_STRING, MQTYPE_INT32, MQTYPE_STRING
from mqtools.dlq.apply import APPLIED, APPLIED_BEFORE
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.elsewhere.pull import Pull, group_messages
from mqtools.operations.elsewhere.push import ADDED, EQUAL, REPLACED
from mqtools.operations.stored_messages import as_message
from mqtools.rules.message_digest import message_digest
from mqtools.rules.message_forms import stored_form

from ...copied import developers
from ...descriptors import FILLED
from ...dlq.dead_letters import DLQ, OTHER, TO
from ...dlq.test_apply import apply, bury_each, dumped, plan
from ...operations.two_queue_managers import breaking, contents, edit, push
from .conftest import Elsewhere

Q, BACK = TO, OTHER
#: Messages that go there and back: 10,000 with ``make test-network``.
MANY = 10_000 if "MQX_TEST_NETWORK" in os.environ else 300


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Connection]:
    with connect(developers(str(tmp_path / "HERE.db"))) as connection:
        yield connection


def pull(here: Connection, there: RemoteConnection, q_name: str = Q) -> tuple[int, int]:
    """Pull all messages of a queue as the command does; return how many came, and how many were here."""
    done = Pull(here, there.q_mgr_id, q_name)
    with BrowsedQueue(there, q_name, exact=stored_form) as queue:
        for batch in group_messages(as_message(stored, stored.data or b"", 0) for stored in queue.select()):
            assert done.add(batch) is None
    return done.pulled, done.here


def rfh2(number: int) -> bytes:
    """Return an MQRFH2 that an application has written: no program of ours would write it so."""
    folders = [b"<usr> <n dt='i4'>%d</n>  </usr> " % number, b"<other><x>1</x></other> "]
    padded = [each.ljust(-(-len(each) // 4) * 4) for each in folders]
    body = b"".join(len(each).to_bytes(4, "little") + each for each in padded)
    fixed = b"RFH " + b"".join(value.to_bytes(4, "little") for value in (2, 36 + len(body), 546, 1208))
    return fixed + b"MQSTR   " + bytes(4) + (1208).to_bytes(4, "little") + body


def messages() -> Iterator[Message]:
    """Yield messages of many kinds, each with identifiers of its own."""
    number = 0
    while True:
        number += 1
        md = FILLED.replace(
            msg_id=number.to_bytes(24, "big"), expiry=-1, backout_count=0, priority=number % 10, report=0,
            persistence=number % 2, format="", coded_char_set_id=1208, encoding=546,
            group_id=bytes(24), msg_seq_number=1, offset=0, msg_flags=0, original_length=-1,
        )  # fmt: skip
        kind = number % 6
        if kind == 0:
            properties = {"colour": Property(MQTYPE_STRING, "r<ed"), "n": Property(MQTYPE_INT32, number)}
            yield Message(b"with properties", md.replace(format="MQSTR"), properties)
        elif kind == 1:
            yield Message(rfh2(number) + b"behind a header", md.replace(format="MQHRF2"))
        elif kind == 2:
            yield Message(os.urandom(number % 5000), md)
        elif kind == 3:
            yield Message(b"", md.replace(correl_id=bytes(24), user_identifier="", put_appl_name="a\u00e9"))
        elif kind == 4:
            yield Message(b"\xff" * 40_000 if number % 50 == 4 else b"\x00text\n", md.replace(feedback=65_536))
        else:
            yield Message(b"x" * number, md.replace(format="MQSTR"), {"b": Property(MQTYPE_BYTE_STRING, b"\0\xff")})


def test_messages_come_and_go_back_byte_for_byte(here, elsewhere):
    deep = f"ALTER QLOCAL({Q}) MAXDEPTH(100000)\nALTER QLOCAL({BACK}) MAXDEPTH(100000)"
    elsewhere.mqsc(deep)
    run_mqsc(here, deep)
    with elsewhere.here() as file:
        assert file.put_each(Q, islice(messages(), MANY), MQPMO_SET_ALL_CONTEXT)[1] is None
        there = elsewhere.connect()
        assert pull(here, there) == (MANY, 0)
        assert contents(here, Q) == contents(file, Q)
        assert pull(here, there) == (0, MANY)
        assert push(here, there, Q, BACK, adds=True).results == {ADDED: MANY}
        assert sorted(map(exact, exactly(there, BACK))) == sorted(map(exact, exactly(there, Q)))
        assert push(here, there, Q, BACK, adds=True).results == {EQUAL: MANY}
        assert push(here, there, Q, Q).results == {EQUAL: MANY}


def exactly(there: RemoteConnection, q_name: str) -> list[Message]:
    with BrowsedQueue(there, q_name, exact=stored_form) as queue:
        return [as_message(stored, stored.data or b"", 0) for stored in queue.select()]


def exact(message: Message) -> tuple[object, ...]:
    return (*(getattr(message.md, name) for name in MQMD.__slots__), message.data, sorted(message.properties))


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_a_push_whose_connection_is_cut_at_any_call_ends_right_when_repeated(here, elsewhere, is_done):
    with elsewhere.here() as file:
        file.put_each(Q, list(islice(messages(), 3)), MQPMO_SET_ALL_CONTEXT)
        with elsewhere.connect() as there:
            pull(here, there)
        for at in points():
            for place in range(2):
                edit(here, place, f"{place} at {at}".encode(), Q)
            here.put1(Q, Message(b"new %d" % at, MQMD()))
            cut(elsewhere, at, lambda there: push(here, there, Q, Q), is_done=is_done)
            with elsewhere.connect() as there:
                assert push(here, there, Q, Q).results.keys() <= {EQUAL, REPLACED, ADDED}
                assert sorted(map(message_digest, contents(file, Q))) == sorted(map(message_digest, contents(here, Q)))
                assert push(here, there, Q, Q).results == {EQUAL: len(contents(here, Q))}


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_an_apply_whose_connection_is_cut_at_any_call_ends_right_when_repeated(elsewhere, tmp_path, is_done):
    path = str(tmp_path / "dump.jsonl")
    with elsewhere.here() as file:
        for at in points():
            bury_each(file)
            planned = plan(file)
            cut(elsewhere, at, partial(apply, planned=planned, path=path), is_done=is_done)
            with elsewhere.connect() as there:
                assert apply(there, planned, path).keys() <= {APPLIED, APPLIED_BEFORE}
            # Of each five letters one stays, and one was retried.
            assert len(contents(file, DLQ)) == len(contents(file, TO))
        assert len(dumped(path)) == len(set(dumped(path))) == 4 * len(contents(file, DLQ))
        assert len(contents(file, OTHER)) == 2 * len(contents(file, TO))


def points() -> range:
    """Return the calls at which a connection is cut: each with ``make test-network``."""
    return range(1, 30, 1 if "MQX_TEST_NETWORK" in os.environ else 5)


def cut(elsewhere: Elsewhere, at: int, run: Callable[..., object], *, is_done: bool) -> None:
    inner = elsewhere.connect()
    with breaking(inner, at, is_done=is_done, end=inner.calls.wire.close) as broken:
        run(broken)

"""Searching by the fields of the index: only what matches is looked at, whatever lies on the queue."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from mqtools.constants.objects import MQMDS_FIFO, MQMDS_PRIORITY
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_INT64, MQTYPE_NULL, MQTYPE_STRING
from mqtools.errors import NoMessageAvailable
from mqtools.lifecycle.locks import browse_messages, browse_messages_and_lock
from mqtools.lifecycle.verbs import delete_message
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.operations.stored_messages import load_message
from mqtools.rules.index_fields import unique_id

from ..mqi.children import PATIENCE_S, start_child
from ..mqi.costs import steps_of
from .lifecycle_story import GET_ID, PUT_ID, Story

MANY = 2000
CORREL_ID = b"C".ljust(24)


def put(story: Story, made: Iterator[Message] | list[Message]) -> list[MQMD]:
    kept = list(made)
    results, error = story.connection.put_each("Q", kept)
    assert error is None
    assert len(results) == len(kept)
    return [message.md for message in kept]


def in_city(text: str, city: str, **fields: object) -> Message:
    md = MQMD(**fields)  # type: ignore[arg-type]
    return Message(text.encode(), md, {"city": Property(MQTYPE_STRING, city)})


def ordinary(number: int) -> list[Message]:
    return [in_city(str(n), "Pisa", correl_id=n.to_bytes(24, "big"), priority=n % 3) for n in range(1, number + 1)]


@pytest.mark.conformance("INDEX-01")
def test_a_look_at_every_message_holds_no_body_in_memory(story: Story) -> None:
    put(story, [in_city("x" * 100_000, "Pisa") for _ in range(300)])
    tracemalloc.start()
    found = sum(1 for _ in browse_messages(story.connection, "Q", filter={"city": "Pisa"}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == 300
    assert peak < 3_000_000  # of thirty million bytes that lie there


def unique(story: Story, seq: int) -> dict[str, object]:
    stored = load_message(story.connection, seq)
    assert stored is not None
    return dict(zip(("origin_q_mgr", "msg_time"), unique_id(stored.md, seq, story.connection.name), strict=True))


@pytest.mark.conformance("INDEX-03")
@pytest.mark.parametrize("msg_id", [bytes(24), b"of an application's own".ljust(24)], ids=["made", "chosen"])
def test_two_messages_of_one_instant_have_unique_ids_of_their_own(
    story: Story, monkeypatch: pytest.MonkeyPatch, msg_id: bytes
) -> None:
    put(story, ordinary(3))
    monkeypatch.setattr("time.time_ns", lambda: 1_795_300_000_000_000_000)
    first, second = story.put("A", msg_id=msg_id), story.put("B", msg_id=msg_id)
    ids = [unique(story, story.seq(text)) for text in "AB"]
    assert (first.put_date, first.put_time) == (second.put_date, second.put_time)
    assert ids[0] != ids[1]
    assert {each["origin_q_mgr"] for each in ids} == {story.connection.name}
    assert [story.browse(filter=each) for each in ids] == [["A"], ["B"]]
    assert story.get(filter=ids[1]) == "B"


def test_a_unique_id_of_another_queue_or_of_none_finds_nothing(story: Story) -> None:
    story.define("OTHER")
    story.put("elsewhere", "OTHER", msg_id=b"chosen".ljust(24))
    story.put("A", msg_id=b"chosen".ljust(24))
    for time in (story.seq("elsewhere"), 0, -1, 1 << 63, 1 << 70):
        assert story.browse(filter={"origin_q_mgr": story.connection.name, "msg_time": time}) == []


def test_messages_of_one_origin_are_found_without_a_time(story: Story) -> None:
    story.put("far", msg_id=b"AMQ ELSEWHERE   ".ljust(24, b"\1"))
    story.put("near")
    assert story.browse(filter={"MQe.Msg_OriginQMgr": "ELSEWHERE"}) == ["far"]
    assert story.browse(filter={"MQE_MSG_ORIGIN_QMGR": story.connection.name}) == ["near"]


@pytest.mark.conformance("INDEX-04", "INDEX-05", "INDEX-06", "INDEX-07")
@pytest.mark.parametrize(
    ("names", "value"),
    [
        pytest.param(("msg_id", "Msg_ID", "MQe.Msg_ID", "MQE_MSG_MSGID"), b"I" * 24, id="INDEX-04"),
        pytest.param(("correl_id", "Msg_CorrelID", "MQe.Msg_CorrelID", "MQE_MSG_CORRELID"), b"I" * 24, id="INDEX-05"),
        pytest.param(("priority", "Msg_Priority", "MQe.Msg_Priority", "MQE_MSG_PRIORITY"), 5, id="INDEX-06"),
    ],
)
def test_a_field_is_searched_by_any_of_its_names(story: Story, names: tuple[str, ...], value: object) -> None:
    put(story, ordinary(20))
    for priority in range(1, 10):
        story.put(f"priority {priority}", priority=priority)
    story.put("wanted", **{names[0]: value})
    expected = ["priority 5", "wanted"] if value == 5 else ["wanted"]
    for name in names:
        assert story.browse(filter={name: value}) == expected


@pytest.mark.conformance("INDEX-06", "INDEX-08", "INDEX-11")
@pytest.mark.parametrize(
    ("sequence", "by"),
    [
        (MQMDS_PRIORITY, "priority"),
        *product((MQMDS_PRIORITY, MQMDS_FIFO), ("msg_id", "correl_id", "unique id", "correl_id and city")),
    ],
)
def test_a_search_by_the_index_costs_no_more_on_a_deep_queue(story: Story, sequence: int, by: str) -> None:
    with story.connection.work() as work:
        alter_queue(work, "QUEUE", "Q", {"msg_delivery_sequence": sequence})
    put(story, ordinary(2))
    (wanted,) = put(story, [in_city("wanted", "Rome", correl_id=CORREL_ID, priority=7)])
    put(story, ordinary(2))
    origin, time = unique_id(wanted, story.seq("wanted"), "QM")
    asked: dict[str, object] = {
        "msg_id": {"msg_id": wanted.msg_id},
        "correl_id": {"correl_id": CORREL_ID},
        "unique id": {"origin_q_mgr": origin, "msg_time": time},
        "priority": {"priority": 7},
        "correl_id and city": {"correl_id": CORREL_ID, "city": "Rome"},
    }[by]
    assert story.browse(filter=asked) == ["wanted"]
    shallow = steps_of(story.connection.db, lambda: story.browse(filter=asked))
    put(story, ordinary(MANY))
    assert steps_of(story.connection.db, lambda: story.browse(filter=asked)) <= shallow
    assert story.get(filter=asked) == "wanted"


@pytest.mark.conformance("INDEX-09")
def test_several_fields_must_all_be_so(story: Story) -> None:
    for priority in (1, 5, 5):
        story.put(f"C{priority}", correl_id=CORREL_ID, priority=priority)
    story.put("other", priority=5)
    assert story.browse(filter={"correl_id": CORREL_ID, "Msg_Priority": 5}) == ["C5", "C5"]
    assert story.browse(filter={"correl_id": CORREL_ID, "priority": 9}) == []


@pytest.mark.conformance("INDEX-10")
@pytest.mark.parametrize("asked", [{"city": "Rome"}, {"put_appl_name": "story"}, {"correl_id": bytes(24)}], ids=str)
def test_a_field_outside_the_index_is_searched_in_the_messages(story: Story, asked: dict[str, object]) -> None:
    put(story, ordinary(300))
    story.connection.put_each("Q", [in_city("wanted", "Rome", put_appl_name="story")], options=MQPMO_SET_ALL_CONTEXT)
    put(story, ordinary(300))
    assert story.browse(filter=asked) == ["wanted"]
    assert story.get(filter=asked) == "wanted"
    assert story.browse(filter={"version": 1}) == []


@pytest.mark.conformance("INDEX-09")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"city": None}, ["none", "null"]),
        ({"usr.city": "Rome"}, ["Rome"]),
        ({"n": 7.0}, ["Rome"]),
        ({"n": True}, []),
        ({"n": Fraction(7)}, ["Rome"]),
        ({'n"': 7}, []),
        ({"JMSXDeliveryCount": -(1 << 63)}, []),
        ({"JMSXDeliveryCount": 1}, ["none", "null", "Rome"]),
        ({"accounting_token": bytearray(32)}, ["none", "null", "Rome"]),
        ({"priority": 4, "city": "Rome"}, ["Rome"]),
        ({"format": 5}, []),
    ],
    ids=str,
)
def test_a_value_is_what_it_is_in_python(story: Story, asked: dict[str, object], found: list[str]) -> None:
    null, rome, seven = Property(MQTYPE_NULL, None), Property(MQTYPE_STRING, "Rome"), Property(MQTYPE_INT64, 7)
    for text, properties in {"none": {}, "null": {"city": null}, "Rome": {"city": rome, "n": seven}}.items():
        put(story, [Message(text.encode(), MQMD(priority=4), properties)])
    assert story.browse(filter=asked) == found


@pytest.mark.conformance("INDEX-13")
@pytest.mark.parametrize("asked", [{"correl_id": CORREL_ID}, {"priority": 7}, {"city": "Rome"}], ids=str)
def test_a_search_finds_nothing_that_is_hidden(story: Story, asked: dict[str, object]) -> None:
    for text in ("got", "locked", "got while locked", "free"):
        put(story, [in_city(text, "Rome", correl_id=CORREL_ID, priority=7)])
    story.put("unconfirmed", correl_id=CORREL_ID, priority=7, confirm_id=PUT_ID)
    story.get(confirm_id=GET_ID)
    lock_id = story.lock(limit=2)
    story.get(lock_id=lock_id, accept=lambda one: story.data(one.seq) == "got while locked", confirm_id=GET_ID)
    assert story.browse(filter=asked) == ["free"]
    assert story.get(filter=asked) == "free"
    with pytest.raises(NoMessageAvailable):
        story.get(filter=asked)
    with pytest.raises(NoMessageAvailable):
        story.lock(filter=asked)
    assert story.get(filter=asked, lock_id=lock_id) == "locked"


def test_lock_and_delete_take_a_filter_too(story: Story) -> None:
    put(story, [in_city("A", "Rome"), in_city("B", "Pisa"), in_city("C", "Rome")])
    locked = browse_messages_and_lock(story.connection, "Q", filter={"city": "Rome"}, limit=1)
    assert [story.data(stored.seq) for stored in locked.messages] == ["A"]
    delete_message(story.connection, "Q", filter={"city": "Rome"})
    assert story.browse() == ["B"]
    delete_message(story.connection, "Q", filter={"city": "Rome"}, lock_id=locked.lock_id)
    assert set(story.states()) == {"B"}


#: Puts and removes for ever, and says what it is at.
WORKER = """
import itertools
with connect(path) as connection:
    for number in itertools.count():
        md = MQMD(correl_id=number.to_bytes(24, "big"), priority=number % 10, persistence=1)
        connection.put1("Q", Message(str(number).encode(), md))
        if number % 3 == 2:
            with connection.open("Q", MQOO_INPUT_SHARED) as handle:
                handle.get()
        print(number, flush=True)
"""


@pytest.mark.conformance("INDEX-14")
def test_the_index_agrees_with_the_store_after_a_kill(story: Story) -> None:
    story.connection.disconnect()
    worker = start_child(WORKER, story.path)
    assert worker.stdout is not None
    while worker.stdout.readline() != "60\n":
        assert worker.poll() is None
    worker.kill()
    worker.communicate(timeout=PATIENCE_S)
    story.reopen()
    assert story.connection.db.all("pragma integrity_check") == [("ok",)]
    kept = list(browse_messages(story.connection, "Q"))
    assert len(kept) == len(story.rows()) >= 40
    for field in ("msg_id", "correl_id", "priority"):
        for value in {getattr(stored.md, field) for stored in kept}:
            expected = [stored.seq for stored in kept if getattr(stored.md, field) == value]
            assert [found.seq for found in browse_messages(story.connection, "Q", filter={field: value})] == expected
    for stored in kept:
        assert [found.seq for found in browse_messages(story.connection, "Q", filter=unique(story, stored.seq))] == [
            stored.seq
        ]

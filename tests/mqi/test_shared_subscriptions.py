"""Shared subscriptions: consumers on several connections, and each publication to one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mqtools.admin import subscriptions
from mqtools.admin.mqsc.report import DisplayedObject
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import MQGMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_SUB_ALREADY_EXISTS, MQRC_SUB_NAME_ERROR, MQRC_SUBSCRIPTION_IN_USE
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.handle import Handle
from mqtools.mqi.publish_subscribe.publications import publish
from mqtools.mqi.publish_subscribe.shared_subscriptions import join, leave

from ..rows import queue_names
from .children import Waiting
from .conftest import QM, fails

TOPIC = "prices/eur"


@contextmanager
def share_subscription(connection: Connection, is_durable: bool) -> Iterator[Handle]:
    record, handle = join(connection, "S", TOPIC, is_durable=is_durable)
    try:
        yield handle
    finally:
        handle.close()
        leave(connection, record.name)


def say(qm: QM, *data: bytes) -> None:
    for each in data:
        publish(qm.main, TOPIC, Message(each), 0, MQMD())


def read(handle: Handle, options: int = 0) -> bytes | None:
    try:
        return handle.get(options).message.data
    except NoMessageAvailable:
        return None


def managed(qm: QM) -> list[str]:
    return [name for name in queue_names(qm.path) if name.startswith("SYSTEM.MANAGED.")]


def displayed(qm: QM) -> list[DisplayedObject]:
    response = run_mqsc(qm.main, "DISPLAY SUB(S*) TOPICSTR").commands[0].response
    assert response is not None
    return response.objects


def test_many_consumers_that_come_and_go_get_each_publication_once(qm: QM) -> None:
    record, handle = join(qm.main, "S", TOPIC, is_durable=True)
    handle.close()
    leave(qm.main, record.name)

    def consume(connection: Connection) -> list[bytes | None]:
        seen: list[bytes | None] = []
        for _ in range(200):
            with share_subscription(connection, is_durable=True) as own:
                seen += [read(own), read(own)]
            if seen[-1] is None and len(sent) == 60:
                break
        return seen

    sent: list[bytes] = []
    waiting = [Waiting(qm.path, consume) for _ in range(3)]
    for number in range(60):
        say(qm, b"%d" % number)
        sent.append(b"%d" % number)
    found = [each for one in waiting for each in one.finish() if each is not None]  # type: ignore[attr-defined]
    with share_subscription(qm.main, is_durable=True) as rest:
        while (last := read(rest)) is not None:
            found.append(last)
    assert sorted(found) == sorted(sent)


@pytest.mark.parametrize("is_durable", [False, True])
def test_consumers_come_and_go_and_each_publication_goes_to_one(qm: QM, is_durable: bool) -> None:
    seen: list[bytes | None] = []
    first, second = qm.connect(), qm.connect()
    record, one = join(first, "S", TOPIC, is_durable=is_durable)
    say(qm, b"1", b"2")
    with share_subscription(second, is_durable) as other:
        say(qm, b"3", b"4")
        seen += [read(one), read(other), read(other)]
        read(one, MQGMO_SYNCPOINT)
        first.abandon()  # what it has not committed goes to another
        say(qm, b"5")
        seen += [read(other), read(other), read(other)]
    assert Counter(seen) == Counter([b"1", b"2", b"3", b"4", b"5", None])
    assert len(managed(qm)) == is_durable
    say(qm, b"6")
    with share_subscription(second, is_durable) as again:
        assert read(again) == (b"6" if is_durable else None)
    assert [each.name for each in subscriptions.live(qm.main.db)] == ([record.name] if is_durable else [])


def test_a_subscription_that_is_not_durable_ends_with_its_last_consumer_also_when_that_dies(qm: QM) -> None:
    other = qm.connect()
    record, _ = join(other, "S", TOPIC)
    assert [each.attributes["SUB"] for each in displayed(qm)] == ["S:NDURABLE"]
    other.abandon()
    say(qm, b"nobody")
    assert (managed(qm), subscriptions.live(qm.main.db)) == ([], [])
    record, handle = join(qm.main, "S", TOPIC)
    handle.close()
    leave(qm.main, record.name)
    assert managed(qm) == []


def test_the_managed_queue_goes_with_the_last_connection_that_has_it_open(qm: QM) -> None:
    first, second = qm.connect(), qm.connect()
    join(first, "S", TOPIC)
    _, other = join(second, "S", TOPIC)
    first.disconnect()
    say(qm, b"1")
    assert (read(other), len(managed(qm))) == (b"1", 1)
    second.disconnect()
    assert managed(qm) == []


def test_another_topic_or_selector_is_refused_while_there_are_consumers(qm: QM) -> None:
    other = qm.connect()
    record, handle = join(other, "S", TOPIC, is_durable=True)
    for topic, selector in (("other", ""), (TOPIC, "a = 1")):
        with fails(MQRC_SUBSCRIPTION_IN_USE):
            join(qm.main, "S", topic, selector=selector, is_durable=True)
    join(qm.main, "S", "other")  # of another kind
    handle.close()
    leave(other, record.name)
    join(qm.main, "S", "other", is_durable=True)
    with fails(MQRC_SUB_NAME_ERROR):
        join(qm.main, "", TOPIC)
    run_mqsc(qm.main, f"DEFINE SUB(OWN) TOPICSTR('{TOPIC}') DEST(Q)")
    with fails(MQRC_SUB_ALREADY_EXISTS):
        join(qm.main, "OWN", TOPIC, is_durable=True)


def test_a_shared_subscription_in_use_cannot_be_deleted(qm: QM) -> None:
    record, handle = join(qm.main, "S", TOPIC, is_durable=True)
    with qm.connect().work() as work, fails(MQRC_SUBSCRIPTION_IN_USE):
        subscriptions.delete_subscription(work, "S")
    handle.close()
    leave(qm.main, record.name)
    with qm.main.work() as work:
        subscriptions.delete_subscription(work, "S")
    assert managed(qm) == []

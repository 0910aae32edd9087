"""Subscriptions and publications of a client: MQSUB, MQSUBRQ, and MQPUT1 to a topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from mqtools.clients.client.calls import CallReply
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.queue import RemoteQueue
from mqtools.clients.wire import calls
from mqtools.clients.wire.codes import NO_OBJECT, SegmentType
from mqtools.constants import cmqc
from mqtools.constants.objects import MQOT_TOPIC
from mqtools.headers import fields
from mqtools.headers.structures_message import OD, SD, SRO, STS
from mqtools.message import Message
from mqtools.mqi.put import PutResult

#: Options that the managed queue of a subscription is open with.
INPUT = cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_FAIL_IF_QUIESCING
_STRINGS_VERSION = 4
#: Default options of a subscription.
MANAGED = cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED | cmqc.MQSO_NON_DURABLE | cmqc.MQSO_FAIL_IF_QUIESCING


@dataclass(eq=False)
class RemoteSubscription:
    """An open subscription. queue: that its publications come to.  values: of the descriptor, as it was returned.

    closes_queue: with the subscription, if the queue is managed.
    """

    connection: RemoteConnection
    hsub: int
    queue: RemoteQueue
    values: dict[str, Any]
    closes_queue: bool = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.connection.has_ended:
            self.close()

    def request(self) -> int:
        """MQSUBRQ: ask for the retained publications; return how many come. Raises MQError."""
        client_calls = self.connection.calls
        sro = fields.write_request(SRO, SRO.initial(), client_calls.form)
        asked = {"action": cmqc.MQSR_ACTION_PUBLICATION, "sro": sro}
        reply = client_calls.call(SegmentType.MQSUBRQ, calls.SUBRQ, asked, handle=self.hsub)
        reply.check("cannot request publications")
        found = calls.SUBRQ.read(reply.body)["sro"]
        return int(fields.read(SRO, found, fields.WIRE[reply.body.order])["NumPubs"])

    def close(self, options: int = 0) -> int:
        """MQCLOSE of the subscription, and of its queue if that is managed: see ``RemoteQueue.close``."""
        client_calls = self.connection.calls
        reply = client_calls.call(SegmentType.MQCLOSE, calls.CLOSE, {"options": options}, handle=self.hsub)
        if self.closes_queue and self.values["Options"] & cmqc.MQSO_MANAGED and not self.queue.closed:
            self.queue.close()
        return reply.check("cannot close the subscription").api.reason


def subscribe(
    connection: RemoteConnection,
    topic: str,
    options: int = MANAGED,
    *,
    sub_name: str = "",
    selector: str = "",
    queue: RemoteQueue | None = None,
    topic_object: str = "",
) -> RemoteSubscription:
    """MQSUB. options: MQSO_*.  queue: the program's own, without MQSO_MANAGED.  Raises MQError."""
    values = {
        **SD.initial(),
        "Options": options,
        "ObjectName": fields.field(topic_object, 48),
        "ObjectString": topic,
        "SubName": sub_name,
        "SelectionString": selector,
    }
    reply, hsub, found = send_subscription(connection, values, 0 if queue is None else queue.hobj)
    reply.check(f"cannot subscribe to {topic or topic_object or sub_name}")
    if queue is None:
        queue = RemoteQueue(connection, connection.calls, reply.api.handle, "", INPUT)
    return RemoteSubscription(connection, hsub, queue, found)


def send_subscription(
    connection: RemoteConnection, values: dict[str, Any], hobj: int
) -> tuple[CallReply, int, dict[str, Any]]:
    """MQSUB with a descriptor; return the reply, the handle of the subscription and the descriptor in the reply."""
    client_calls = connection.calls
    sd = fields.write_request(SD, values, client_calls.form)
    asked = {"handle": NO_OBJECT, "reserved": 0, "sd": sd}
    reply = client_calls.call(SegmentType.MQSUB, calls.SUB, asked, handle=hobj)
    if reply.has_failed:
        return reply, NO_OBJECT, values
    found = calls.SUB.read(reply.body)
    return reply, found["handle"], fields.read_reply(SD, found["sd"], fields.WIRE[reply.body.order])


def publish(
    connection: RemoteConnection, topic: str, message: Message, options: int = 0, *, topic_object: str = ""
) -> PutResult:
    """Publish a message on a topic: MQPUT1. options: MQPMO_*."""
    od = {**OD.initial(), "Version": _STRINGS_VERSION, "ObjectType": MQOT_TOPIC, "ObjectString": topic}
    od["ObjectName"] = fields.field(topic_object, 48)
    return connection.put_on(od, message, options, f"topic {topic or topic_object}")


def status(connection: RemoteConnection, kind: int = cmqc.MQSTAT_TYPE_ASYNC_ERROR) -> dict[str, Any]:
    """MQSTAT: return the outcomes of asynchronous puts since the last call of this, by the fields of MQSTS."""
    client_calls = connection.calls
    sts = fields.write_request(STS, {**STS.initial(), "Version": 1}, client_calls.form)
    reply = client_calls.call(SegmentType.MQSTAT, calls.STAT, {"kind": kind, "sts": sts})
    reply.check("cannot inquire the status of asynchronous puts")
    found = calls.STAT.read(reply.body)
    return fields.read(STS, found["sts"], fields.WIRE[reply.body.order])

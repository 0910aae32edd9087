"""``mqx pub``: publish messages on a topic."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import click

from mqtools.constants.cmqc import MQPMO_NONE, MQPMO_RETAIN, MQPMO_WARN_IF_NO_SUBS_MATCHED
from mqtools.constants.names import name_or_number
from mqtools.constants.reasons import MQRC_NO_SUBS_MATCHED
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.terminal import visible
from mqtools.message import Message
from mqtools.mqi.publish_subscribe.publications import PublicationDelivery
from mqtools.operations.subscribe import publish

from .put.input import read_whole
from .put.put import read_arguments
from .put.request import PutRequest, message_of
from .shared import click_options, descriptor_options
from .shared.command_session import DONE, PARTLY, WARNING, Session, UsageError
from .shared.counts import print_totals
from .shared.read_only import connect_to_change

#: Publishes a message; returns whether a subscription matched, and where it went, as far as that is known.
_Send: TypeAlias = Callable[[Message], tuple[bool, list[PublicationDelivery]]]


@click.command("pub")
@click.argument("topic")
@click.argument("data", nargs=-1, type=click.UNPROCESSED)
@click.option("--lines", is_flag=True, help="One message per line of standard input")
@click.option("--retain", is_flag=True, help="Keep the last publication for later subscribers")
@click.option("--topic-object", metavar="NAME", default="", help="Topic object whose string TOPIC is below")
@click.option(
    "--priority", type=click_options.Number(0, 9), metavar="N", help="Priority, 0 to 9; default: that of the topic"
)
@descriptor_options.persistence("topic")
@click_options.expiry
@click.option("--dry-run", is_flag=True, help="Show where publications would go, without publishing")
@click_options.message_properties
@click_options.general_elsewhere
def command(session: Session, topic: str, data: tuple[str, ...], lines: bool, **given: Any) -> int:
    """Publish messages on TOPIC, a topic string such as prices/eur; each DATA argument is one message.

    \b
    mqx pub prices/eur 1.08
    mqx pub prices/eur 1.08 --retain --persistent
    generate | mqx pub prices/usd --lines

    Without DATA all of standard input is one message. Every subscription whose topic matches gets a copy: programs that
    have subscribed, mqx sub, and those of DEFINE SUB. A publication without subscribers is not an error; stderr
    reports it.

    For each subscription stderr shows the queue that got the publications. If a full, put-disabled or too small queue
    refuses one, it goes to the dead-letter queue. Without a dead-letter queue, or with USEDLQ(NO) of the topic, PMSGDLV
    and NPMSGDLV of the topic decide: the publication fails (2502), or that subscription does not get it. -o json has
    the same list in deliveries, with a null queue where the delivery failed.

    Exit status: 0 published; 2 not a topic string; 4 some went to the dead-letter queue; 5 unknown topic object or
    queue manager; 8 read-only, or PUB(DISABLED); 9 some published, then a failure, or a subscription did not get one.
    """
    if data and lines:
        raise UsageError("DATA cannot be combined with --lines")
    session.refuse_elsewhere(given, "dry_run")
    md = descriptor_options.descriptor_of(given, ("priority", "persistence", "expiry"))
    request = PutRequest(topic, md, properties=click_options.properties_of(given["properties"]))
    request.dry_run = given["dry_run"]
    done = unmatched = 0
    deliveries: Counter[PublicationDelivery] = Counter()
    failure = None
    with ExitStack() as stack:
        send = _connect(session, request, given, stack)
        if not request.dry_run:
            session.confirm_elsewhere(f"publish {counted(len(data)) if data else 'messages'} on {topic}")
        try:
            for message in _messages(request, list(data), lines=lines):
                has_matched, found = send(message)
                deliveries.update(found)
                unmatched += not has_matched
                done += 1
        except MQError as error:
            if not done:
                raise
            failure = error
    _print_result(session, request, done, unmatched, deliveries)
    if failure is not None:
        session.report_error(failure)
        return PARTLY
    if any(not each.queue for each in deliveries):
        return PARTLY
    return WARNING if any(each.reason for each in deliveries) else DONE


def _connect(session: Session, request: PutRequest, given: dict[str, Any], stack: ExitStack) -> _Send:
    """Connect until the stack is unwound; return what publishes a message."""
    topic, topic_object, retain = request.queue, given["topic_object"], given["retain"]
    if not session.is_elsewhere:
        here = stack.enter_context(connect_to_change(session, dry_run=request.dry_run))
        request.ccsid = here.ccsid

        def send_here(message: Message) -> tuple[bool, list[PublicationDelivery]]:
            found = publish(here, topic, message, topic_object=topic_object, retain=retain)
            return bool(found), found

        return send_here
    there = stack.enter_context(session.connect_elsewhere(changes=True))
    request.ccsid = there.ccsid
    options = MQPMO_WARN_IF_NO_SUBS_MATCHED | (MQPMO_RETAIN if retain else MQPMO_NONE)

    def send_there(message: Message) -> tuple[bool, list[PublicationDelivery]]:
        result = there.publish(topic, message, options, topic_object=topic_object)
        return result.reason != MQRC_NO_SUBS_MATCHED, []

    return send_there


def _print_result(
    session: Session, request: PutRequest, done: int, unmatched: int, deliveries: Counter[PublicationDelivery]
) -> None:
    topic = request.queue
    lines = [f"{'would have ' if request.dry_run else ''}published {counted(done)} on {topic}"]
    if unmatched:
        lines[0] += f"; no subscription matched {'it' if done == 1 else f'{unmatched} of them'}"
    rows = []
    for each, number in deliveries.items():
        reason = name_or_number("MQRC", each.reason) if each.reason else None
        where = f"to {each.queue}" if each.queue else "not delivered"
        lines.append(f"{visible(each.subscription)}: {number} {where}{f': {each.reason} {reason}' if reason else ''}")
        rows.append({"subscription": each.subscription, "queue": each.queue or None, "messages": number,
                     "reason": reason})  # fmt: skip
    would = {"would_publish": done} if request.dry_run else {}
    counts = {"topic": topic, "published": 0 if would else done, **would, "unmatched": unmatched, "deliveries": rows}
    print_totals(session, "\n".join(lines), done, counts)


def _messages(request: PutRequest, data: list[str], *, lines: bool) -> Iterator[Message]:
    if data:
        return read_arguments(request, data)
    if lines:
        return (message_of(request, line.rstrip(b"\r\n")) for line in sys.stdin.buffer)
    return read_whole(request)

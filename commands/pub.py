"""``mqx pub``: publish messages on a topic."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from mqtools.formats.phrases import counted
from mqtools.message import MQMD
from mqtools.operations.subscribe import publish

from .put.input import read_whole
from .put.put import read_arguments
from .put.request import PutRequest, message_of
from .shared import click_options
from .shared.command_session import Session, UsageError
from .shared.counts import print_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.message import Message


@click.command("pub")
@click.argument("topic")
@click.argument("data", nargs=-1, type=click.UNPROCESSED)
@click.option("--lines", is_flag=True, help="One message per line of standard input")
@click.option("--retain", is_flag=True, help="Keep the last publication for later subscribers")
@click.option("--topic-object", metavar="NAME", default="", help="Topic object whose string TOPIC is below")
@click.option("--property", "properties", multiple=True, metavar="NAME=VALUE", help="Message property; repeatable")
@click_options.general
def command(
    session: Session,
    topic: str,
    data: tuple[str, ...],
    lines: bool,
    retain: bool,
    topic_object: str,
    properties: tuple[str, ...],
) -> int:
    """Publish messages on TOPIC, a topic string such as prices/eur; each DATA argument is one message.

    \b
    mqx pub prices/eur 1.08
    mqx pub prices/eur 1.08 --retain
    generate | mqx pub prices/usd --lines

    Without DATA all of standard input is one message. Every subscription whose topic matches gets a copy: programs that
    have subscribed, mqx sub, and those of DEFINE SUB. A publication that nobody has subscribed to is no error; stderr
    says so.

    Exit status: 0 published; 2 not a topic string; 5 unknown topic object or queue manager; 8 read-only.
    """
    if data and lines:
        raise UsageError("DATA cannot be combined with --lines")
    request = PutRequest(topic, MQMD(), properties=click_options.properties_of(properties))
    done = reached = 0
    with session.connect() as connection:
        request.ccsid = connection.ccsid
        for message in _messages(request, list(data), lines=lines):
            reached += publish(connection, topic, message, topic_object=topic_object, retain=retain)
            done += 1
    text = f"published {counted(done)} on {topic}"
    if reached < done:
        text += f"; no subscription matched {'it' if done == 1 else f'{done - reached} of them'}"
    print_counts(session, text, {"topic": topic, "published": done, "unmatched": done - reached})
    return 0


def _messages(request: PutRequest, data: list[str], *, lines: bool) -> Iterator[Message]:
    if data:
        return read_arguments(request, data)
    if lines:
        return (message_of(request, line.rstrip(b"\r\n")) for line in sys.stdin.buffer)
    return read_whole(request)

"""``mqx sub``: subscribe to a topic and print the publications as they come."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from mqtools.constants.options import MQGMO_FAIL_IF_QUIESCING, MQGMO_NO_SYNCPOINT, MQGMO_WAIT, MQWI_UNLIMITED
from mqtools.errors import NoMessageAvailable
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.subscribe import open_subscription

from .shared import click_options, messages
from .shared.command_session import NOTHING_THERE, Session
from .shared.separator import separator_of, separator_options


@click.command("sub")
@click.argument("topic")
@click.option("-n", "number", type=click_options.Number(min=1), help="End after this number of publications")
@click.option("--wait", type=click_options.DURATION, help="Longest wait for each; default: no limit")
@click.option("--topic-object", metavar="NAME", default="", help="Topic object whose string TOPIC is below")
@click.option("--where", metavar="SELECTOR", default="", help="SQL-92 selector on properties and Root.MQMD.Field")
@click.option("--new", "only_new", is_flag=True, help="Without the retained publications")
@separator_options
@click.option("--force", is_flag=True, help="Write the exact bytes, also to a terminal")
@click_options.general
def command(session: Session, topic: str, number: int | None, wait: float | None, **given: Any) -> int:
    """Subscribe to TOPIC and print each publication, until interrupted, or as -n and --wait say.

    \b
    mqx sub 'prices/#'
    mqx sub prices/eur -n 1 --wait 5s
    mqx sub 'prices/+' --where "region = 'EU'" -o jsonl

    TOPIC is a topic string; + matches one level, # any number. The subscription ends with the command. A durable
    one is made with DEFINE SUB, and read from its queue with mqx get. The topic of a publication is its property
    mqps.Top, as in IBM MQ.

    Exit status: 0 at least one came; 3 none came in time; 5 unknown topic object or queue manager; 130 interrupted.
    """
    separator = separator_of(given["null"], given["separator"])
    writer = messages.writer(session, default="raw", separator=separator, force=given["force"])
    wait_ms = MQWI_UNLIMITED if wait is None else int(wait * 1000)
    done = 0
    options = {"selector": given["where"], "retained": not given["only_new"], "topic_object": given["topic_object"]}
    with ExitStack() as stack:
        connection: QueueManagerConnection
        handle: OpenQueue
        if session.is_elsewhere:
            connection = there = stack.enter_context(session.connect_elsewhere(changes=False, for_reader=True))
            handle = stack.enter_context(there.subscribe(topic, **options)).queue
        else:
            connection = here = stack.enter_context(session.connect(for_reader=True))
            handle = stack.enter_context(open_subscription(here, topic, **options))
        writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
        session.note(f"subscribed to {topic}")
        while done != number:
            try:
                result = handle.get(MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING, wait_ms=wait_ms)
            except NoMessageAvailable:
                break
            writer.write_message(result.message, result.resolved_q_name)
            writer.flush()
            done += 1
        writer.finish()
    return 0 if done else NOTHING_THERE

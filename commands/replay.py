"""``mqx replay``: put again what was put on a queue in a period."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from typing import Any

import click

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.units import rfc3339
from mqtools.mqi.connection import Connection
from mqtools.operations.journal.replay import (
    BATCH,
    Replay,
    ReplayRequest,
    load_body,
    next_arrivals,
    plan,
    put_batch,
)

from .shared import click_options, past
from .shared import messages as _messages
from .shared.command_session import JSON, NOTHING_THERE, Session, Terminated, UsageError, status_of
from .shared.counts import print_totals
from .shared.deferred_signals import DeferredSignals
from .shared.pace import Pace, Pacer
from .shared.progress import ProgressBar
from .shared.read_only import connect_to_change, source_of


def _speed(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)x", text, re.ASCII)
    if found is None or float(found[1]) == 0:
        raise ValueError(f"{text!r} is not a pace; write it like 1x, 10x or 0.5x")
    return float(found[1])


@click.command("replay")
@click.argument("queue")
@click.option("--since", type=past.TIME, required=True, help="Put at or after this time: -15m, 10:05, ...")
@click.option("--until", type=past.TIME, help="Put at or before this time; default: now")
@click.option("--to", "target", required=True, metavar="Q[@QM]", help="Queue to put the messages on")
@click.option(
    "--pace",
    type=click_options.Converted("pace", _speed),
    metavar="Nx",
    help="Keep the distances between the puts (1x), or a tenth of them (10x); default: at once",
)
@click.option(
    "-n", "most", type=click_options.Number(min=1), help="Maximum number of messages; the next run of the job continues"
)
@click.option("--new-ids", is_flag=True, help="Give each message a new MsgId")
@click.option("--job-id", metavar="ID", help="Put each message exactly once for this id, also in several runs")
@click.option("--dry-run", is_flag=True, help="Show what would be put, without putting it")
@click_options.general
def command(session: Session, **given: Any) -> int:
    """Put again, on another queue, the messages that were put on QUEUE in a period, in the order of their commits.

    \b
    mqx replay ORDERS --since -15m --to ORDERS.TEST
    mqx replay ORDERS --since 10:05 --until 10:20 --to ORDERS.TEST --pace 10x
    mqx replay ORDERS --since 2026-11-23T10:05:00Z --to ORDERS@QM2 --new-ids
    mqx replay ORDERS --since -1h --to ORDERS.TEST --job-id monday
    mqx replay ORDERS --since -1h --to ORDERS.TEST --job-id steps -n 1
    mqx replay ORDERS --since -1h --to ORDERS.TEST --dry-run

    The journal of QUEUE must have kept the data: JOURNAL(BODY). Replay puts every message that arrived on the queue,
    also those that programs have since removed; puts that were backed out do not count. Times are as for mqx browse
    --at.

    Replay puts the whole message: its descriptor with MsgId, put date and time and context, its properties, its data,
    and its original expiry. The properties mqx.replay.queue, mqx.replay.msg_id and mqx.replay.put_at say where it comes
    from. A message that requests arrival reports (MQRO_COA) gets one, as for any put.

    With --job-id a second run puts nothing. After an interruption, a full target or -n, it continues with the next
    message and the times of the first run: so -n 1 puts the messages one by one. A dry run does not use up a job id.

    Exit status: 0 put, or put before by this job; 2 an invalid time, or no data in the journal; 3 nothing was put in
    the time; 5 unknown queue; 7 the target is full; 8 puts are inhibited. Messages put before an error stay.
    """
    is_dry_run = given.pop("dry_run")
    pace, most = given.pop("pace"), given.pop("most")
    job_id = given["job_id"] or f"replay-{os.urandom(4).hex()}"
    if given["until"] is not None and given["until"] < given["since"]:
        raise UsageError("--until is before --since")
    with connect_to_change(session, dry_run=is_dry_run) as connection:
        request = ReplayRequest(**{**given, "job_id": job_id})
        replay = plan(source_of(connection), connection, request)
        if replay.begins_at is not None and replay.begins_at > request.since:
            begins_at = rfc3339(replay.begins_at)
            session.note(f"warning: the journal of {request.queue} has messages only from {begins_at} on")
        return _Run(session, connection, replay, pace, most, is_dry_run).run()


@dataclass(slots=True)
class _Run:
    """A run of a replay. most: messages to put, None for all.  number: of messages put by it."""

    session: Session
    connection: Connection
    replay: Replay
    pace: float | None
    most: int | None
    is_dry_run: bool
    number: int = 0

    def run(self) -> int:
        """Put what is left; return the exit status."""
        if self.replay.is_done and self.replay.progress.messages:
            return self._finished()
        first = next_arrivals(self._source, self.replay, 1)
        if not first and not self.replay.progress.messages:
            self.session.note(f"nothing was put on {self.replay.progress.queue} in this time")
            return NOTHING_THERE
        if self.is_dry_run and self.session.output not in JSON:
            self._show()
        error = self._put_all()
        if error is None:
            return self._finished()
        self.session.report_error(error, self._in_words())
        return status_of(error)

    @property
    def _source(self) -> Connection:
        return source_of(self.connection)

    def _put_all(self) -> MQError | None:
        """Put message by message or batch by batch, as many as wanted; return the error that ended the run."""
        pacer = Pacer(None if self.pace is None or self.is_dry_run else Pace(scale=1 / self.pace))
        try:
            with ProgressBar(self.session, "replaying", None) as bar:
                while (limit := self._limit()) and (found := next_arrivals(self._source, self.replay, 1)):
                    pacer.wait(found[0].at_ms)
                    with DeferredSignals(self.connection):
                        number, error = put_batch(self.connection, self._source, self.replay, limit)
                        self.number += number
                    bar.advance(number)
                    if error is not None:
                        return error
        except (KeyboardInterrupt, Terminated):
            self.session.note(self._in_words())
            raise
        return None

    def _limit(self) -> int:
        """Return how many messages to put in the next transaction; 0 when there are as many as wanted."""
        batch = BATCH if self.pace is None else 1
        return batch if self.most is None else min(batch, self.most - self.number)

    def _show(self) -> None:
        writer = _messages.writer(self.session)
        ahead = Replay(self.replay.request, replace(self.replay.progress))
        left = self.most or sys.maxsize
        while left and (found := next_arrivals(self._source, ahead, min(left, BATCH))):
            for arrival in found:
                writer.write_stored(arrival.stored, load_body(self._source, arrival), self.replay.progress.queue)
            left -= len(found)
            ahead.progress.position = found[-1].event_seq
        writer.finish()

    def _finished(self) -> int:
        key = "would_replay" if self.is_dry_run else "replayed"
        counts = {key: self.number, "job_id": self.replay.request.job_id, "total": self.replay.progress.messages}
        print_totals(self.session, self._in_words(), self.number, counts)
        return 0

    def _in_words(self) -> str:
        progress = self.replay.progress
        text = f"{counted(self.number)} from {progress.queue} to {progress.target}, job {self.replay.request.job_id}"
        text = f"{'would replay' if self.is_dry_run else 'replayed'} {text}"
        before = progress.messages - self.number
        return f"{text}; {before} put before" if before else text

"""What ``mqx get`` does once its line is understood: take messages, write them out, and only then commit.

A message is got under syncpoint, written and flushed; the unit of work is committed after that. When the
reader is gone, or the disk is full, the message that could not be written goes back to its queue.
"""

from __future__ import annotations

import time

from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.qmgr import search
from mqtools.records import Record

from . import _messages
from ._session import NOTHING_THERE, WARNING, Session, UsageMistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.qmgr.connection import Connection
    from mqtools.qmgr.get import GetResult
    from mqtools.qmgr.handle import Handle
    from mqtools.qmgr.selecting import Selection

#: Messages in one unit of work while many are got.
_COMMIT_EVERY = 100


class GetRequest(Record):
    """One get command.

    limit: number of messages, None for all.  wait_s: how long to wait for each; follow: for ever.
    selection: None for whatever comes.  max_length: bytes; accept_truncated: cut what is longer.
    separator: what stands between messages of raw output.
    """

    __slots__ = (
        "queue",
        "limit",
        "wait_s",
        "follow",
        "selection",
        "max_length",
        "accept_truncated",
        "separator",
        "force",
        "dry_run",
    )

    def __init__(
        self,
        queue: str,
        *,
        limit: int | None = 1,
        wait_s: float = 0,
        follow: bool = False,
        selection: Selection | None = None,
        max_length: int | None = None,
        accept_truncated: bool = False,
        separator: bytes = b"\n",
        force: bool = False,
        dry_run: bool = False,
    ) -> None:
        self.queue = queue
        self.limit = limit
        self.wait_s = wait_s
        self.follow = follow
        self.selection = selection
        self.max_length = max_length
        self.accept_truncated = accept_truncated
        self.separator = separator
        self.force = force
        self.dry_run = dry_run


def get_messages(session: Session, request: GetRequest) -> int:
    """Get messages and write them out; 3 when there was none."""
    writer = _messages.writer(session, default="raw", separator=request.separator, force=request.force)
    connection = session.connect()
    writer.q_mgr_name = connection.name
    done = 0
    warned = False
    with connection.open(request.queue, MQOO_INPUT_SHARED | MQOO_FAIL_IF_QUIESCING) as handle:
        try:
            for result in _results(connection, handle, request):
                writer.write_got(result, request.queue)
                done += 1
                warned = warned or bool(result.reason)
                if done % _COMMIT_EVERY == 0 or request.follow or request.wait_s:
                    connection.commit()
            writer.finish()
            connection.commit()
        except (OSError, UsageMistake):
            connection.give_back_last()
            connection.commit()
            raise
        except KeyboardInterrupt:
            connection.commit()
            raise
    if not done:
        return _nothing(connection, session, request)
    return WARNING if warned else 0


def _results(connection: Connection, handle: Handle, request: GetRequest) -> Iterator[GetResult]:
    """Get one message after the other, until the limit or until there is none."""
    got = 0
    source = _chosen(connection, handle, request)
    while request.limit is None or got < request.limit:
        try:
            result = next(source, None)
        except NoMessageAvailable:
            return
        if result is None:
            return
        got += 1
        yield result


def _chosen(connection: Connection, handle: Handle, request: GetRequest) -> Iterator[GetResult]:
    """Get what the selection means, and wait for more of it if asked."""
    options = MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
    if request.accept_truncated:
        options |= MQGMO_ACCEPT_TRUNCATED_MSG
    waits = request.follow or request.wait_s > 0
    wait_ms = MQWI_UNLIMITED if request.follow else int(request.wait_s * 1000)
    if request.selection is None or request.selection.is_everything:
        if waits:
            options |= MQGMO_WAIT
        while True:
            yield _checked(handle.get(options, wait_ms=wait_ms, max_length=request.max_length), request)
    while True:
        deadline = time.monotonic() + request.wait_s
        found = False
        for seq in _keys(connection, handle, request):
            try:
                result = handle.get(
                    options,
                    match_options=MQMO_MATCH_MSG_TOKEN,
                    msg_token=search.token_of(seq),
                    max_length=request.max_length,
                )
            except NoMessageAvailable:
                continue  # somebody else was faster
            found = True
            yield _checked(result, request)
        if not waits or (not found and not request.follow and not handle.wait_for_arrival(deadline)):
            return
        if request.follow and not found:
            handle.wait_for_arrival(None)


def _keys(connection: Connection, handle: Handle, request: GetRequest) -> list[int]:
    """Fix what the selection means now: the keys of the messages, not the messages."""
    from mqtools.qmgr.selecting import EVERYTHING, select

    selection = request.selection or EVERYTHING
    with connection.db.reading():
        return [stored.seq for stored in select(connection.db, handle.queue_id, selection, limit=request.limit)]


def _checked(result: GetResult, request: GetRequest) -> GetResult:
    """A message longer than --max-length stays where it is (7)."""
    if result.reason == MQRC_TRUNCATED_MSG_FAILED:
        raise MQError(
            f"the message has {result.data_length} bytes, more than --max-length {request.max_length}",
            MQRC_TRUNCATED_MSG_FAILED,
            hint="it stays on the queue; --accept-truncated takes what fits",
        )
    return result


def _nothing(connection: Connection, session: Session, request: GetRequest) -> int:
    """Say nothing on stdout; where a message was asked for by id, say who holds it."""
    chosen = request.selection
    if chosen is not None and len(chosen.msg_ids) == 1 and len(chosen.msg_ids[0]) == 24 and not session.quiet:
        from mqtools.qmgr.lifecycle import who_holds

        with connection.db.reading():
            from mqtools.qmgr.resolution import resolve_for_get

            queue, _ = resolve_for_get(connection.db, request.queue)
            holder = who_holds(connection, queue.id, chosen.msg_ids[0])
        if holder:
            session.note(f"hint: the message is {holder}")
    return NOTHING_THERE

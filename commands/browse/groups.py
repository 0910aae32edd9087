"""Browse in logical order, or of whole logical messages, as MQGET does it; completion of group ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from mqtools.configuration import protection
from mqtools.configuration.locate import find
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
)
from mqtools.constants.states import UNLOCKED
from mqtools.errors import NoMessageAvailable
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import search
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.key_snapshot import select_keys
from mqtools.operations.selection import EVERYTHING, complete_id
from mqtools.operations.stored_messages import (
    StoredMessage,
    ids_with_prefix,
    load_message,
    local_queue,
    logical_message_parts,
)
from mqtools.predicates import is_whole_id

from ..shared.command_session import NOTHING_THERE, Session
from ..shared.messages import MessageWriter
from ..shared.read_only import connect_to_change, fetch, source_of
from .group_options import GroupOptions
from .request import BrowseRequest


def browse_groups(session: Session, request: BrowseRequest, writer: MessageWriter) -> int:
    """Print messages in logical order, or whole logical messages; return 3 when there are none."""
    with _connect(session, request) as connection:
        return print_browsed(connection, writer, request)


def _connect(session: Session, request: BrowseRequest) -> QueueManagerConnection:
    """Return a connection; to a queue manager that must not be changed, one to a copy of the queue in memory."""
    if session.is_elsewhere:
        return session.connect_anywhere(changes=False)
    is_copied = not protection.allows_changes(find(session.qmgr))
    connection = connect_to_change(session, dry_run=is_copied)
    if is_copied:
        fetch(connection, select_keys(source_of(connection), request.queue, EVERYTHING))
    return connection


def print_browsed(connection: QueueManagerConnection, writer: MessageWriter, request: BrowseRequest) -> int:
    """Print the messages that a browse with these options returns; return 3 when there are none."""
    writer.q_mgr_name, writer.ccsid = connection.name, connection.ccsid
    printed = 0
    for result in islice(_browse(connection, request), request.limit):
        writer.write_message(result.message, result.resolved_q_name)
        printed += 1
    writer.finish()
    return 0 if printed else NOTHING_THERE


def _browse(connection: QueueManagerConnection, request: BrowseRequest) -> Iterator[GetResult]:
    """Yield the selected messages of a queue as a browse with the options for groups returns them."""
    assert request.group_options is not None
    q_name, selection = request.queue, request.selection
    handle = connection.open(q_name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING)
    wanted = complete_group_id(connection, q_name, request.group_options)
    if wanted.is_in_order or selection.is_everything:
        return _browse_next(handle, wanted)
    file = connection.file
    if file is None:
        with BrowsedQueue(connection, q_name) as browsed:
            return _browse_keys(handle, wanted, [stored.seq for stored in browsed.select(selection)])
    keys = select_keys(file, q_name, selection)
    return _browse_keys(handle, wanted, first_segments(file, keys) if wanted.is_whole else keys)


def _browse_next(handle: OpenQueue, wanted: GroupOptions) -> Iterator[GetResult]:
    options = MQGMO_BROWSE_NEXT | MQGMO_FAIL_IF_QUIESCING | wanted.options
    while True:
        try:
            yield handle.get(options, **wanted.parameters())
        except NoMessageAvailable:
            return


def _browse_keys(handle: OpenQueue, wanted: GroupOptions, keys: Iterable[int]) -> Iterator[GetResult]:
    options = MQGMO_BROWSE_FIRST | MQGMO_FAIL_IF_QUIESCING | wanted.options
    for seq in keys:
        parameters = {**wanted.parameters(), "match_options": MQMO_MATCH_MSG_TOKEN}
        try:
            yield handle.get(options, msg_token=search.token_of(seq), **parameters)
        except NoMessageAvailable:
            continue


def first_segments(connection: Connection, keys: Iterable[int]) -> Iterator[int]:
    """Yield for each key of a segment the key of the first segment of its logical message, once each.

    A segment without a first segment is not part of a whole message: it is skipped.
    """
    given: set[int] = set()
    for seq in keys:
        stored = load_message(connection, seq)
        first = None if stored is None else _first_segment(connection, stored)
        if first is not None and first not in given:
            given.add(first)
            yield first


def _first_segment(connection: Connection, stored: StoredMessage) -> int | None:
    if stored.md.offset == 0:
        return stored.seq
    for part in logical_message_parts(connection, stored):
        is_of_one_kind = (part.md.msg_type, part.md.feedback) == (stored.md.msg_type, stored.md.feedback)
        if part.md.offset == 0 and part.state == UNLOCKED and is_of_one_kind:
            return part.seq
    return None


def complete_group_id(connection: QueueManagerConnection, q_name: str, request: GroupOptions) -> GroupOptions:
    """Complete a prefix of a group id; pad one that no group has, to find nothing.

    Raise MQError: MQRC_MSG_ID_ERROR when several groups match.
    """
    prefix = request.group_id
    if not prefix or is_whole_id(prefix):
        return request
    if connection.file is None:
        with BrowsedQueue(connection, q_name) as browsed:
            found = browsed.ids_with_prefix("group_id", prefix)
    else:
        queue = local_queue(connection.file, q_name)
        found = ids_with_prefix(connection.file, queue.id, "group_id", prefix)
    return replace(request, group_id=complete_id("group_id", prefix, found))

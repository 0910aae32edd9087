"""Sets of messages by their names: a queue, now or as it was, a dump, an archive; read as they are compared."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader

from mqtools.configuration.locate import find
from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.delimiters import read_lines
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.formats.times import parse_time
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.message import Message
from mqtools.mqi import authority
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get
from mqtools.operations import archive_files
from mqtools.operations.journal.past import open_past
from mqtools.operations.load import carried_properties
from mqtools.operations.queue_manager_view import QueueManagerView, open_view
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import as_message, load_data
from mqtools.rules.comparison import ComparedMessage, entry_of
from mqtools.store.queues import Queue

_STDIN = "-"


class InputInvalid(Exception):
    """Raised for a dump with mistakes; findings: all of them."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings.name)
        self.findings = findings


@dataclass(frozen=True, slots=True)
class QueueName:
    """Name of a queue: of a queue manager (None: the default one), at an instant (None: now)."""

    q_mgr_name: str | None
    q_name: str
    at_ms: int | None


def parse_queue_name(text: str, now: int) -> QueueName:
    """Read ``QUEUE``, ``QM:QUEUE``, and either with ``@TIME``. now: milliseconds since 1970. Raises ValueError."""
    name, at, time = text.rpartition("@") if "@" in text else (text, "", "")
    q_mgr_name, _, q_name = name.rpartition(":")
    if not q_name:
        raise ValueError("no queue is named")
    return QueueName(q_mgr_name or None, q_name, parse_time(time, now) if at else None)


def read_set(text: str, q_mgr_name: str | None, key: Sequence[str]) -> Iterator[ComparedMessage]:
    """Yield the messages of a name, as they are compared.

    text: ``QUEUE``, ``QM:QUEUE``, either with ``@TIME``; a file with a dump, ``-`` for standard input; a folder with
    an archive. A name with a ``/`` is a file if there is one; any other is a queue if there is one.
    q_mgr_name: of a queue without one.  key: as for ``comparison.entry_of``.
    Raises ValueError for an invalid time, PastUnavailable, UsageError, InputInvalid, MQError, OSError.
    """
    is_file = os.path.exists(text)
    if text == _STDIN or (is_file and "/" in text):
        return _of_path(text, key)
    try:
        name = parse_queue_name(text, now_ms())
        return _of_queue(name, q_mgr_name, key)
    except MQError as error:
        if is_file:
            return _of_path(text, key)
        if error.reason == MQRC_UNKNOWN_OBJECT_NAME and ":" not in text and "@" not in text:
            raise MQError(f"{text} is neither a queue nor a file", MQRC_UNKNOWN_OBJECT_NAME, hint=error.hint) from error
        raise


def _of_queue(name: QueueName, default: str | None, key: Sequence[str]) -> Iterator[ComparedMessage]:
    q_mgr_name = name.q_mgr_name or default
    find(q_mgr_name)
    past = None if name.at_ms is None else open_past(q_mgr_name, name.at_ms)
    view = open_view(q_mgr_name) if past is None else past
    try:
        queue = resolve_for_get(view.db, name.q_name)[0] if past is None else past.show(name.q_name)
        authority.check_browse(view.db, queue.name)
    except BaseException as error:
        if isinstance(error, MQError):
            error.find_hint()  # while the file is open
        view.close()
        raise
    return _entries(view, queue, now_ms() if name.at_ms is None else name.at_ms, key)


def _entries(view: QueueManagerView, queue: Queue, now: int, key: Sequence[str]) -> Iterator[ComparedMessage]:
    """Yield the messages of a queue, in any state, in one state of the file."""
    with view, view.db.reading():
        for stored in select(view.db, queue.id, all_states=True, now=now):
            yield entry_of(as_message(stored, load_data(view, stored.seq), now), key, stored.expires_at)


def _of_path(path: str, key: Sequence[str]) -> Iterator[ComparedMessage]:
    if path != _STDIN and archive_files.is_archive(path):
        return (entry_of(message, key) for message in archive_files.messages(path))
    return (entry_of(message, key) for message in _of_dump(path))


def _of_dump(path: str) -> Iterator[Message]:
    """Yield the messages of a dump, a listing or JSON lines. Raises InputInvalid at its end if it has mistakes."""
    findings = Findings("<stdin>" if path == _STDIN else path)
    with _open(path) as file:
        for read in read_messages(read_lines(file), findings, ccsid=DEFAULT_CCSID):
            message = read.message
            if not message.properties and message.md.format == MQFMT_RF_HEADER_2:
                message.properties = carried_properties(message.md, message.data)  # as a load has it
            yield message
    if findings.mistakes:
        raise InputInvalid(findings)


def _open(path: str) -> BufferedReader:
    return open(sys.stdin.fileno(), "rb", closefd=False) if path == _STDIN else open(path, "rb")

"""Implementation of ``mqx unload``: read or get messages, write them, report the number."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator

from mqtools.constants.names import name_or_number
from mqtools.errors import MessageDamaged
from mqtools.formats.dump.display import TEXT
from mqtools.formats.dump.summary import Summary, age_lines
from mqtools.formats.dump.writer import dump_header, dump_message
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.jsontext import dumps
from mqtools.formats.phrases import counted
from mqtools.formats.units import human_bytes
from mqtools.headers.chain import without_envelope
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.conversion import convert
from mqtools.lifecycle.message_search import readable_queue
from mqtools.message import Message
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.queue_manager_view import open_view
from mqtools.operations.stored_messages import count_held_by_all, first_held
from mqtools.operations.unload import (
    UnloadedMessage,
    browse_messages,
    copy_messages,
    for_dump,
    take_browsed,
    take_messages,
)

from ..shared import command_session
from ..shared.command_session import NOTHING_THERE, PARTLY, STORAGE, WARNING, Session
from ..shared.counts import print_totals
from ..shared.deferred_signals import DeferredSignals
from ..shared.past import open_past
from ..shared.progress import ProgressBar
from ..shared.read_only import release_dead
from ..shared.suggested_command import suggest
from .output import UnloadOutput, open_sink
from .request import BATCH, UnloadRequest


def unload(session: Session, request: UnloadRequest) -> int:
    """Unload messages; return 3 when there are none, and then no file is created or changed."""
    if request.display.data == TEXT and not request.jsonl:
        session.note("warning: -d text does not keep line ends: mqx load would load other bytes")
    unloading = _UnloadRun(session, request)
    unloading.run()
    if request.display.summary and not request.dry_run and unloading.done:
        for line in unloading.summary.lines():
            command_session.print_error_line(line)
    unloading.print_total()
    if unloading.damaged:
        return PARTLY if unloading.done else STORAGE
    if not unloading.done:
        return NOTHING_THERE
    for reason, number in unloading.not_converted.items():
        session.note(f"{counted(number)} not converted: {name_or_number('MQRC', reason)} {reason}")
    return WARNING if unloading.not_converted else 0


class _UnloadRun:
    """Run of an unload. done, bytes: number of messages and bytes of data that are written for good.

    damaged: number of messages that were left out because they are not as they were put.  not_converted: reason to
    number of messages.
    """

    def __init__(self, session: Session, request: UnloadRequest) -> None:
        self.done = 0
        self.damaged = 0
        self.bytes = 0
        self.not_converted: Counter[int] = Counter()
        self.summary = Summary(request.display)
        self._session = session
        self._request = request
        self._q_mgr_name = ""
        self._q_name = ""
        self._ccsid = DEFAULT_CCSID

    def run(self) -> None:
        with (
            open_sink(self._session, self._request, self._header) as sink,
            ProgressBar(self._session, "unloading", self._request.limit) as self._bar,
        ):
            if self._request.move and not self._request.dry_run:
                self._move(sink)
            elif self._session.is_elsewhere:
                self._copy_elsewhere(sink)
            else:
                self._copy(sink)

    def _copy_elsewhere(self, sink: UnloadOutput) -> None:
        request = self._request
        with (
            self._session.connect_anywhere(changes=False) as connection,
            BrowsedQueue(connection, request.queue) as queue,
        ):
            self._q_mgr_name, self._ccsid, self._q_name = connection.name, connection.ccsid, queue.name
            self._write_all(sink, browse_messages(queue, request.selection, limit=request.limit))

    def _write_all(self, sink: UnloadOutput, messages: Iterable[UnloadedMessage]) -> None:
        for unloaded in messages:
            if not self._request.dry_run:
                self._write(sink, unloaded, self.done + 1)
            self._count(1, len(unloaded.message.data))
        sink.keep()

    def _copy(self, sink: UnloadOutput) -> None:
        request = self._request
        if request.at is None:
            view = open_view(self._session.qmgr)
            queue = readable_queue(view, request.queue)
        else:
            view = past = open_past(self._session, [request.queue], request.at)
            queue = past.show(request.queue)
        self._q_mgr_name, self._ccsid = view.name, view.ccsid
        self._q_name = queue.name
        if request.at is None and first_held(view, queue.id, 1):
            release_dead(self._session)  # what a dead process holds any program could get
        found = copy_messages(
            view,
            queue.id,
            request.selection,
            limit=request.limit,
            with_delayed=request.jsonl,
            note_damaged=self._note_damaged,
        )
        self._write_all(sink, found)
        if request.selection.is_everything and request.limit is None:
            self._hint_at_held(count_held_by_all(view, queue.id))
            if queue.next_delivery is not None and not request.jsonl:
                self._session.note("delayed messages skipped: a dump has no delivery time; see --jsonl")

    def _hint_at_held(self, held: int) -> None:
        """Print that a dump of a whole queue lacks its locked and uncommitted messages."""
        if held:
            listing = suggest(self._session, f"lock --list {self._q_name}")
            self._session.note(f"{counted(held)} locked or uncommitted and skipped; see {listing}")

    def _move(self, sink: UnloadOutput) -> None:
        """Get a unit, write it, flush it to disk, and only then commit."""
        request = self._request
        with self._session.connect_anywhere(changes=True) as connection:
            self._q_mgr_name, self._ccsid = connection.name, connection.ccsid
            self._session.confirm_removal(connection, "unload and remove", request.queue, request.limit)
            lists = self._take(connection)
            written: list[int] = []
            try:
                for taken in lists:
                    for unloaded in taken:
                        self._write(sink, unloaded, self.done + len(written) + 1)
                        written.append(len(unloaded.message.data))
                    if request.batch is not None:
                        self._settle(sink, connection, written)
                        written = []
                if written:
                    self._settle(sink, connection, written)
            except BaseException:
                try:
                    connection.backout()  # where the disk fails, the next program does it
                finally:
                    sink.take_back()
                    if self.done:
                        self._session.note(f"moved so far: {counted(self.done)} from {request.queue}")
                raise

    def _take(self, connection: QueueManagerConnection) -> Iterator[list[UnloadedMessage]]:
        request, file = self._request, connection.file
        size = request.batch or BATCH
        if file is None:
            self._q_name = request.queue
            return take_browsed(connection, request.queue, request.selection, batch=size, limit=request.limit)
        queue = readable_queue(file, request.queue)
        self._q_name = queue.name
        release_dead_holders(file, queue.id)
        return take_messages(
            file,
            request.queue,
            request.selection,
            batch=size,
            limit=request.limit,
            note_damaged=self._note_damaged,
        )

    def _settle(self, sink: UnloadOutput, connection: QueueManagerConnection, written: list[int]) -> None:
        """Flush a unit to disk and commit it. written: bytes of data of each message.

        Signals are deferred; otherwise the unit could be in both places or in neither.
        """
        sink.keep()
        with DeferredSignals(connection) as settling:
            settling.hold()
            try:
                connection.commit()
            finally:
                if not connection.in_unit_of_work:  # else it is on the queue again
                    sink.settle()
                    self._count(len(written), sum(written))

    def _note_damaged(self, error: MessageDamaged) -> None:
        """Name a message that is left out because it is damaged."""
        self.damaged += 1
        command_session.print_error_line(f"mqx: unload: {self._q_name}: {error.text}; it is left out")

    def _count(self, number: int, length: int) -> None:
        self.done += number
        self._bar.advance(number)
        self.bytes += length

    def _write(self, sink: UnloadOutput, unloaded: UnloadedMessage, number: int) -> None:
        unloaded.message = self._formed(unloaded.message)
        display, md = self._request.display, unloaded.message.md
        if display.summary or display.ages:
            age_s = max(0.0, time.time() - unloaded.put_at / 1000)
        if display.summary:
            self.summary.add(md.msg_id, md.correl_id, age_s, len(unloaded.message.data))
        elif display.ages:
            sink.message(iter((age_lines(number, md.msg_id, age_s),)), number)
        else:
            sink.message(self._text(unloaded, number), number)

    def _formed(self, message: Message) -> Message:
        """Return a message in the form for the file; count one that cannot be converted and leave it unchanged."""
        md, data = message.md, message.data
        if self._request.strip_headers:
            md, data = without_envelope(md, data)
        if self._request.convert is not None:
            ccsid, encoding = self._request.convert
            done = convert(md, data, to_ccsid=ccsid, to_encoding=encoding)
            md, data = done.md, done.data
            if done.reason:
                self.not_converted[done.reason] += 1
        return Message(data, md, message.properties, message.deliver_at)

    def _text(self, unloaded: UnloadedMessage, number: int) -> Iterator[bytes]:
        if self._request.jsonl:
            envelope = to_envelope(
                unloaded.message,
                qmgr=self._q_mgr_name,
                queue=self._q_name,
                state=unloaded.state,
                ccsid=self._ccsid,
            )
            return iter((dumps(envelope).encode("utf-8") + b"\n",))
        md, data, extra = for_dump(unloaded.message)
        return dump_message(md, data, self._request.display, number=number, extra=extra, ccsid=self._ccsid)

    def _header(self) -> bytes:
        display = self._request.display
        if self._request.jsonl or display.ages or not display.header:
            return b""
        return dump_header(self._q_mgr_name, self._q_name, time.ctime())

    def print_total(self) -> None:
        request = self._request
        verb = "move" if request.move else "unload"
        done = f"would {verb}" if request.dry_run else f"{verb}d" if request.move else f"{verb}ed"
        where = f" to {request.file}" if request.file and not request.dry_run and self.done else ""
        text = f"{done} {counted(self.done)} ({human_bytes(self.bytes)}) from {request.queue}{where}"
        key = f"would_{verb}" if request.dry_run else "unloaded"
        print_totals(self._session, text, self.done, {key: self.done, "bytes": self.bytes})

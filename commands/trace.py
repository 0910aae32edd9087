"""``mqx trace``: the life of messages, from journals and archives."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import click

from mqtools.admin.queue_managers import default_path
from mqtools.configuration import locate
from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339
from mqtools.operations.archive_files import data_files
from mqtools.operations.output_reader import pause
from mqtools.operations.trace.journals import EventSource, JournalSource
from mqtools.operations.trace.rows import COLUMNS, rows_of
from mqtools.operations.trace.story import find_story, resolve_prefix
from mqtools.predicates import IdPrefix, is_whole_id
from mqtools.rules.selector.selector import Selector, compile_selector

from .shared import click_options
from .shared.command_session import NOTHING_THERE, Session, UsageError, print_error_line
from .shared.output_rows import print_rows
from .shared.progress import ProgressBar

#: Events of a journal that are worth a word when all are read.
_LONG = 100_000

#: Seconds between two looks of --follow.
_INTERVAL_S = 0.25


@click.command("trace")
@click.argument("ids", nargs=-1, metavar="ID...", type=click_options.IDS)
@click.option("--where", metavar="SELECTOR", help="SQL-92 selector on properties and Root.MQMD.Field")
@click.option("--from", "folders", multiple=True, metavar="DIR", help="Archive to read too; repeatable")
@click.option("-f", "--follow", is_flag=True, help="Then show what happens to them, until interrupted")
@click_options.general_for_several
def command(session: Session, qmgrs: tuple[str, ...], ids: tuple[tuple[bytes, ...], ...], **given: Any) -> int:
    """Show the life of messages: who put them, who got them and when, and what happened in between.

    \b
    mqx trace 414D5120514D31
    mqx trace text:ORDER-4711
    mqx trace --where "colour = 'red'" -m QM1 -m QM2
    mqx trace 414D5120514D31 --from archive/ -o jsonl
    mqx trace 414D5120514D31 --follow

    ID is a message, correlation or group id in hex, a unique beginning of one, or text:WORDS. The output
    has the messages that carry it, reports and replies to them (by correlation id), their copies on transmission
    queues, and their replays. Without -m, which is repeatable, trace reads all queue managers of the home folder.

    The events come from the journals of queues that have JOURNAL(YES) or JOURNAL(BODY). --from reads archives of
    journals (mqx pipeline archive --journal), also of queue managers that are gone; this requires pyarrow. A gap in the
    journals is a row with the event unknown and the reason.

    --where reads whole journals, with a note for long ones, unless the selector requires a MsgId, CorrelId or GroupId:
    "Root.MQMD.CorrelId = 0x... AND ..." is found by index.

    Rows: at, qmgr, queue, event, outcome, holder, appl_name, user_identifier, msg_id, correl_id, detail. Events are
    put, get, browse_lock, unlock, expire, dead_letter, report, channel_send, channel_receive, delete, move, copy, edit,
    restore, replay and unknown. The outcome is held (uncommitted), committed or backed out, or what the event did. A
    put or get with a confirm id has two rows: when it was held, and when it was confirmed or undone. A get has its
    waiting time. An expired message that is still on its queue has a row of expire without a holder.

    Exit status: 0 something is known; 2 no id, or one that fits several; 3 nothing is known; 5 unknown queue manager;
    130 --follow was interrupted.
    """
    if not ids and not given["where"]:
        raise UsageError("ID or --where is required", "mqx trace --help")
    output = session.list_output
    with ExitStack() as stack:
        sources = _open_sources(qmgrs, given["folders"], stack)
        selector = compile_selector(given["where"]) if given["where"] else None
        return _Trace(session, sources, ids, selector, output).run(follow=given["follow"])


def _open_sources(qmgrs: Sequence[str], folders: Sequence[str], stack: ExitStack) -> list[EventSource]:
    """Open the journals and the archives. Without names, skip queue managers that cannot be read."""
    sources: list[EventSource] = []
    for path in dict.fromkeys(map(locate.find, qmgrs)) if qmgrs else _all_paths(required=not folders):
        try:
            sources.append(JournalSource(path))
        except MQError as error:
            if qmgrs:
                raise
            print_error_line(f"left out: {error.text}")
    for folder in dict.fromkeys(folders):
        sources.append(_open_archive(folder))
    for source in sources:
        stack.callback(source.close)
    return sources


def _open_archive(folder: str) -> EventSource:
    """Open an archive. Raises UsageError where it cannot be read, or pyarrow, which reads it, is not installed."""
    if not os.path.exists(folder):
        raise UsageError(f"{folder}: no such archive")
    data_files(folder)
    from mqtools.operations.trace.archives import ArchiveSource

    return ArchiveSource(folder)


def _all_paths(*, required: bool) -> list[str]:
    """Return the files of the home folder, and the default one. Raise MQError where there is none."""
    paths = [locate.path_of(name) for name in locate.list_names()]
    default = default_path()
    if default is not None and default not in paths:
        paths.append(default)
    if not paths and required:
        locate.find()
    return paths


@dataclass(slots=True)
class _Trace:
    """A trace: the identifiers that are meant, and the rows that were printed."""

    _session: Session
    _sources: list[EventSource]
    _given: Sequence[tuple[bytes, ...]]
    _selector: Selector | None
    _output: str

    def run(self, *, follow: bool) -> int:
        """Print the rows; return 3 when nothing is known. follow: then print new ones until interrupted."""
        rows = self._rows()
        columns = [Column(name) for name in COLUMNS]
        if not follow:
            if not rows:
                self._note_limits()
                if self._output in ("json",):
                    print_rows(self._session, rows, columns, self._output)
                return NOTHING_THERE
            print_rows(self._session, rows, columns, self._output)
            return 0
        output = {"json": "jsonl", "table": "plain"}.get(self._output, self._output)
        printed: set[tuple[object, ...]] = set()
        while True:
            fresh = [row for row in rows if tuple(row.values()) not in printed]
            if fresh:
                print_rows(self._session, fresh, columns, output)
                printed.update(tuple(row.values()) for row in fresh)
            pause(_INTERVAL_S)
            rows = self._rows()

    def _rows(self) -> list[dict[str, object]]:
        ids = set(self._ids())
        return rows_of(find_story(self._sources, ids)) if ids else []

    def _ids(self) -> list[bytes]:
        """Return the identifiers that are meant. Raise UsageError for a beginning that fits several."""
        found = [each for meant in self._given for each in self._complete(meant)]
        if self._selector is not None:
            found += self._selected(self._selector)
        return found

    def _selected(self, selector: Selector) -> Iterator[bytes]:
        """Yield the ids of the selected messages; say where long journals have to be read from beginning to end."""
        unread = {source.name: source.unread(selector) for source in self._sources}
        for name, number in unread.items():
            if number >= _LONG:
                events = counted(number, "event")
                self._session.note(f"reading the whole journal of {name} ({events}): the selector requires no id")
        with ProgressBar(self._session, "reading", sum(unread.values())) as bar:
            for source in self._sources:
                yield from source.selected_ids(selector, bar.advance)

    def _complete(self, meant: tuple[bytes, ...]) -> list[bytes]:
        if all(map(is_whole_id, meant)):
            return list(meant)
        prefix = meant[0]
        fitting = resolve_prefix(self._sources, prefix, isinstance(prefix, IdPrefix))
        if len(fitting) > 1:
            shown = ", ".join(each.hex().upper() for each in fitting[:10])
            more = ", ..." if len(fitting) > 10 else ""
            raise UsageError(f"{prefix.hex().upper()} is the beginning of several ids", f"one of {shown}{more}")
        return fitting

    def _note_limits(self) -> None:
        """Print why events may be missing: queues without a journal, removed events."""
        live = [source for source in self._sources if isinstance(source, JournalSource)]
        if live and not any(source.journaled_queues() for source in live):
            self._session.note("no queue has a journal: start one with mqx mqsc 'ALTER QLOCAL(QUEUE) JOURNAL(YES)'")
        for source in live:
            if removed := source.removed_at():
                self._session.note(f"the journal of {source.name} is complete only since {rfc3339(removed)}")

"""Planning of a read: its files, its queues, and the ranges of keys that one task reads each.

Each file is read as it is at one instant: each message that is there then is read once, whatever is put, got and moved
meanwhile. Different files are read at different times.

The queues of a file are read by one task in one transaction, at the start of the task; or, where a file has many
messages, or ``numpartitions`` is greater than 1, in ranges of a copy that is made when the read is planned (module
``shared_copy``). A journal is always split, and without a copy: its events do not change.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TypeVar

from mqtools.admin.depths import local_queues
from mqtools.arrow.key_range import Range
from mqtools.arrow.read_options import Options, of_queue, words
from mqtools.configuration import locate
from mqtools.constants.reasons import MQRC_OBJECT_TYPE_ERROR, MQRC_Q_MGR_NAME_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, StorageError
from mqtools.mqi import authority
from mqtools.mqi.resolution import resolve_for_put
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.open_database import open_database
from mqtools.store.scans import key_ranges, scan

Found = TypeVar("Found")

#: Events of a journal that are read by one task.
_EVENTS = 250_000


def q_mgr_words(text: str) -> list[str]:
    """Split a list of queue managers at its commas, unless all of it is one file; empty: the default."""
    return [text] if os.path.isfile(locate.path_of(text)) else words(text) or [""]


def is_pattern(word: str) -> bool:
    """Return whether a word is a pattern; the name of an existing queue manager is none."""
    return any(sign in word for sign in "*?[") and not os.path.isfile(locate.path_of(word))


def find_paths(text: str) -> list[str]:
    """Return the files of queue managers: names, paths, patterns of either, or the default for an empty text.

    Raises MQError: MQRC_Q_MGR_NAME_ERROR if there is none.
    """
    found: list[str] = []
    for word in q_mgr_words(text):
        if not is_pattern(word):
            found.append(locate.find(word or None))
            continue
        there = sorted(path for path in glob.glob(locate.path_of(word)) if os.path.isfile(path))
        if not there:
            raise MQError(f"there is no queue manager {word}", MQRC_Q_MGR_NAME_ERROR)
        found += there
    return [os.path.abspath(path) for path in dict.fromkeys(found)]


def queue_names(db: Database, patterns: Sequence[str], *, of_fleet: bool = False) -> list[str]:
    """Return the local queues that match names and patterns; none means all but the SYSTEM queues.

    of_fleet: pass over those without a match, as other queue managers may have one; otherwise raises MQError.
    """
    if not (of_fleet and patterns):
        return local_queues(db, patterns)
    unmatched = unmatched_words(db, patterns)
    return local_queues(db, [word for word in patterns if word not in unmatched]) if unmatched != patterns else []


def unmatched_words(db: Database, patterns: Sequence[str]) -> list[str]:
    """Return the names and patterns that no local queue matches."""
    return [word for word in patterns if not _is_matched(db, word)]


def _is_matched(db: Database, word: str) -> bool:
    try:
        return bool(local_queues(db, [word]))
    except MQError as error:
        if error.reason != MQRC_UNKNOWN_OBJECT_NAME:
            raise
        return False


def resolve_target(path: str, queue: str) -> str:
    """Return the local queue of a file that messages for a queue, ``NAME`` or ``NAME@QMGR``, arrive on.

    It is the target of an alias, or a transmission queue. Raises MQError.
    """
    with closing(open_database(path, read_only=True)) as db, db.reading():
        name, _, q_mgr_name = queue.partition("@")
        return resolve_for_put(db, queues.qmgr(db), name, q_mgr_name).queue.name


def plan(options: Options) -> list[Range]:
    """Return the ranges of a read, in the order of files and queues. Raises MQError, as for an unknown queue."""
    return [each for ranges in look_at_files(options, lambda _, ranges: ranges).values() for each in ranges]


def look_at_files(options: Options, look: Callable[[Database, list[Range]], Found]) -> dict[str, Found]:
    """Return what a function says of each file and its ranges, in a transaction. Raises MQError as ``plan``."""
    found: dict[str, Found] = {}
    paths = find_paths(options.qmgr)
    for path in paths:
        try:
            with closing(open_database(path, read_only=True)) as db, db.reading():
                found[path] = look(db, ranges_of_file(db, options))
        except StorageError as error:
            options.damage.file(path, error)
        except MQError as error:
            if len(paths) > 1:
                error.text = f"{path}: {error.text}"
            raise
    return found


def find_unmatched(options: Options) -> list[str]:
    """Return a line for each queue manager of several without a queue that is named. Raises MQError as ``plan``.

    A name that no queue manager has is an error.
    """
    patterns = words(options.queue)
    found = look_at_files(options, lambda db, _: unmatched_words(db, patterns))
    for word in patterns:
        if found and all(word in each for each in found.values()):
            raise MQError(f"no queue manager has a queue {word}", MQRC_UNKNOWN_OBJECT_NAME, q_name=word)
    return [f"{path}: no queue matches {', '.join(each)}" for path, each in found.items() if each]


def check_named(options: Options) -> None:
    """Check that the queue managers and queues of a read exist and may be read. Raises MQError as ``plan``.

    Of a journal, deleted queues count too while it has events of them. With a quarantine a damaged file is left to the
    read, which quarantines it.
    """

    def look(db: Database, _: list[Range]) -> None:
        if options.journal:
            for word in words(options.queue):
                _check_has_events(db, word)

    try:
        if options.is_fleet and not options.journal:
            find_unmatched(options)
        look_at_files(options, look)
    except StorageError:
        if not options.damage.is_quarantine:
            raise


def _check_has_events(db: Database, word: str) -> None:
    """Check that a queue, or one that matches a pattern, is local or has events. Raises MQError."""
    try:
        found = local_queues(db, [word])
    except MQError as unknown:
        error = unknown
    else:
        if "*" in word or found == [word]:
            return
        text = f"{word} is an alias: the events name its target, {found[0]}"
        error = MQError(text, MQRC_OBJECT_TYPE_ERROR, q_name=word)
    first, last = scan.journal_bounds(db)
    if scan.first(db, scan.Scan(scan.JOURNAL, conditions=[of_queue(word)]), ["event_seq"], first - 1, last) is None:
        raise error


def ranges_of_file(db: Database, options: Options) -> list[Range]:
    """Return the ranges of one file as the caller's transaction sees it. Raises MQError."""
    return _of_journal(db, options) if options.journal else _of_queues(db, options)


def _of_queues(db: Database, options: Options) -> list[Range]:
    name = queues.qmgr(db).name
    spans: list[Range] = []
    for q_name in queue_names(db, words(options.queue), of_fleet=options.is_fleet):
        authority.check_browse(db, q_name)
        queue = queues.by_name(db, q_name)
        first, end = (0, 0) if queue is None else key_ranges.key_range(db, queue.id)
        if queue is None or first == end:
            continue
        whole = Range(db.path, name, q_name, queue.id, first - 1, end - 1)
        spans += [replace(whole, lock_id=_holder(db, lock)) for lock in options.locks] if options.locks else [whole]
    return spans


def number_of_messages(db: Database, spans: Sequence[Range]) -> int:
    """Return how many messages or events ranges have: no more than their numbers, nor than the depth of a queue."""
    known = {each.queue: queues.by_name(db, each.queue) for each in spans}
    depths = {name: None if queue is None else queue.depth for name, queue in known.items()}
    keys = ((each.last - each.after, depths[each.queue]) for each in spans)
    return sum(number if depth is None else min(depth, number) for number, depth in keys)


def _holder(db: Database, lock: bytes) -> int:
    """Return the holder of a lock id; 0 if it holds nothing any more."""
    found = holders.of_lock(db, lock)
    return 0 if found is None else found.id


def _of_journal(db: Database, options: Options) -> list[Range]:
    authority.check_reader_of_all(db, "BROWSE")
    first, last = scan.journal_bounds(db)
    first, last = max(first, options.after.get(db.path, 0) + 1), min(last, options.until.get(db.path, last))
    if last < first:
        return []
    whole = Range(db.path, queues.qmgr(db).name, "", None, first - 1, last)
    return cut([whole], options.partitions or 1 + (last - first) // _EVENTS)


def cut(spans: Sequence[Range], number: int) -> list[Range]:
    """Split ranges into pieces of about equal size: at least one each, and about ``number`` together."""
    keys = sum(span.last - span.after for span in spans)
    pieces: list[Range] = []
    for span in spans:
        own = max(1, round(number * (span.last - span.after) / keys))
        step = -(-(span.last - span.after) // own)
        afters = range(span.after, span.last, step)
        pieces += [replace(span, after=after, last=min(after + step, span.last)) for after in afters]
    return pieces

"""Archives: write queues and journals as Parquet files, partitioned by queue manager, queue and day.

A plain archive copies the messages that any program could get. A consuming archive locks as many messages as make a
file of a good size (module ``batch_locks``), writes it, and gets them when it is complete, with their delivery reports.
Unreadable messages stay on the queue: with a quarantine they are unlocked before the files count as complete, without
one nothing is removed.

aside: in all functions the options ``quarantine`` and ``run`` of a read (module ``damage``), or none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from mqtools.arrow import columns
from mqtools.arrow.damage import damage_of
from mqtools.arrow.key_range import Range
from mqtools.arrow.ranges import find_paths, plan, queue_names
from mqtools.arrow.read_options import Options, words
from mqtools.constants.objects import MQUS_TRANSMISSION
from mqtools.constants.reasons import (
    MQRC_NO_MSG_LOCKED,
    MQRC_OBJECT_CHANGED,
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from mqtools.constants.states import LOCKED_FOR_BROWSE
from mqtools.errors import MQError, NoMessageAvailable, StorageError, UsageError
from mqtools.lifecycle.message_search import gettable_queue
from mqtools.lifecycle.verbs import undo
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.get import search
from mqtools.mqi.get.removal import take_off
from mqtools.operations.archive_files import is_uri
from mqtools.store import holders, queues
from mqtools.store.messages import messages
from pyspark_mqx.jobs import writers
from pyspark_mqx.jobs.archive_files import PARTITIONS, find_files
from pyspark_mqx.jobs.archive_keys import KEY, keys_of_archive
from pyspark_mqx.jobs.archive_tasks import ArchiveRead, count_rows, write_files
from pyspark_mqx.jobs.batch_locks import lock_batch, unlock_damaged
from pyspark_mqx.jobs.delta_target import DeltaPlace, schema_by_spark
from pyspark_mqx.jobs.output_files import PRIVATE, FolderTarget, OutputRun
from pyspark_mqx.jobs.places import target_at
from pyspark_mqx.jobs.read_archive import read_archive
from pyspark_mqx.jobs.run_home import Finder, nowhere
from pyspark_mqx.source import offsets
from pyspark_mqx.source.object_store import archive_files

#: How the names of queues of the system begin.
_SYSTEM = "SYSTEM."
#: Gets in one transaction.
_UNIT = 1_000
#: The options of a read without a quarantine.
NOWHERE: Mapping[str, Any] = {}


def with_put_day(messages_or_events: DataFrame) -> DataFrame:
    """Return messages or events with a column ``put_day``, the UTC day of their folder."""
    time = "event_at" if "event_at" in messages_or_events.columns else "put_at"
    return messages_or_events.withColumn("put_day", F.date_format(time, "yyyy-MM-dd"))


def write(frame: DataFrame, folder: str) -> None:
    """Write messages, partitioned by queue manager, queue and day."""
    with_put_day(frame).write.partitionBy(*PARTITIONS).parquet(folder)


def column_names(*, body: bool = True, journal: bool = False) -> list[str]:
    """Return the columns of an archive: those of a message, and those that keep it exact."""
    of_event = (*columns.EVENT, *columns.EVENT_EXACT) if journal else ()
    names = [*of_event, *columns.MESSAGE, *columns.EXACT]
    return [name for name in names if body or name != "data"]


def archive(
    spark: SparkSession,
    folder: str | DeltaPlace,
    qmgr: str,
    queue: str,
    *,
    body: bool = True,
    aside: Mapping[str, Any] = NOWHERE,
    mode: int = PRIVATE,
) -> tuple[int, int]:
    """Copy the messages of queues that an archive does not have into it.

    Return how many, with those that a killed run moved, and how many it has already. Raises MQError.
    """
    options = {"qmgr": qmgr, "queue": queue, **aside}
    with target_at(spark, folder, waits=True, is_shared=True, mode=mode) as target:
        spans = plan(Options.parse(options))
        holds = [writers.message_lock(name) for name in _identifiers(spans)]
        with target.hold(holds):
            moved = recover_runs(target, finder(qmgr))
            spans = plan(Options.parse(options)) if moved else spans
            known = archived_keys(spark, folder, spans) if spans else None
            there = 0 if known is None else known.num_rows
            read = ArchiveRead(column_names(body=body), options, known)
            written = target.write_run(lambda data: write_files(spark, read, data), holds=holds) if spans else 0
            return moved + written, there


def archived_keys(spark: SparkSession, folder: str | DeltaPlace, spans: Sequence[Range]) -> pa.Table:
    """Return ``KEY`` of the messages of some queues that an archive has, within the keys that the queues have now."""
    place = folder if isinstance(folder, str) else folder.uri
    ends = min(span.after for span in spans) + 1, max(span.last for span in spans)
    wanted = {"qmgr": {span.qmgr for span in spans}, "queue": {span.queue for span in spans}}
    if isinstance(folder, DeltaPlace) and folder.by_spark:
        if schema_by_spark(spark, place) is None:
            return keys_of_archive(place, [], wanted, ends)
        found = read_archive(spark, place, (*KEY, "queue", "event")).where(F.col("event").isNull())
        for name, values in wanted.items():
            found = found.where(F.col(name).isin(values))
        return found.where(F.col("seq").between(*ends)).select(*KEY).toArrow()
    there = find_files([place] if os.path.isdir(place) else []).files
    names = archive_files(place) if is_uri(place) else [file.path for file in there]
    return keys_of_archive(place, names, wanted, ends)


def count_new(
    spark: SparkSession,
    folder: str | DeltaPlace,
    qmgr: str,
    queue: str,
    *,
    is_journal: bool,
    is_consumed: bool,
    aside: Mapping[str, Any] = NOWHERE,
) -> tuple[int, int]:
    """Return how many messages or events an archive would write, and how many of them it has, as the jobs do.

    With a quarantine all columns are read, as only that finds all damage.
    """
    options = {"qmgr": qmgr, "queue": queue, "journal": str(is_journal).lower(), **aside}
    spans = plan(Options.parse(options))
    if not spans:
        return 0, 0
    if is_journal:
        target = target_at(spark, folder)
        noted = writers.archive_notes(target) if os.path.isdir(target.aside) else {}
        after, until, _ = _advance(spans, {name: note["last"] for name, note in noted.items()})
        options |= {"after": json.dumps(after), "until": json.dumps(until)}
    names = ("event_seq",) if is_journal else KEY
    known = None if is_journal or is_consumed else archived_keys(spark, folder, spans)
    read = ArchiveRead(column_names(journal=is_journal) if "quarantine" in aside else names, options, known)
    return count_rows(spark, read), 0 if known is None else known.num_rows


def _identifiers(spans: Iterable[Range]) -> dict[str, str]:
    """Return the path of each queue manager by its QMID."""
    paths = dict.fromkeys(span.path for span in spans)
    return {offsets.identifier_of(path): path for path in paths}


def archive_journal(
    spark: SparkSession,
    folder: str | DeltaPlace,
    qmgr: str,
    queue: str,
    *,
    aside: Mapping[str, Any] = NOWHERE,
    mode: int = PRIVATE,
) -> int:
    """Copy the events that are not in the archive yet; return how many.

    Raises MQError: MQRC_OBJECT_CHANGED for a journal that ends before what is archived of it, and for events that a
    stream has written there; UsageError for events of other queues, whose earlier events would be missing.
    """
    spans = plan(Options.parse({"qmgr": qmgr, "journal": "true", **aside}))
    identifiers = _identifiers(spans)
    holds = [*map(writers.archive_note, identifiers)]
    with target_at(spark, folder, is_shared=True, mode=mode) as target, target.hold(holds):
        recover_runs(target, finder(qmgr))
        wanted = sorted(words(queue))
        noted = writers.archive_notes(target)
        _check_queues(target, noted, identifiers, wanted)
        before = {identifier: note["last"] for identifier, note in noted.items()}
        for name in identifiers:  # the records of a table's runs on another machine are not here
            before[name] = max(before.get(name, 0), target.number(writers.archive_note(name)))
        after, until, position = _advance(spans, before)
        new = {identifier: last for identifier, last in position.items() if last != before.get(identifier)}
        if not new:
            return 0

        writers.check(target, "", wanted, {name: (before.get(name, 0), last) for name, last in new.items()})
        between = {"after": json.dumps(after), "until": json.dumps(until), **aside}
        options = {"journal": "true", "qmgr": qmgr, "queue": queue, **between}
        read = ArchiveRead(column_names(journal=True), options)
        notes = {writers.archive_note(name): {"queues": wanted, "last": last} for name, last in new.items()}
        return target.write_run(lambda data: write_files(spark, read, data), notes, holds=holds)


def _check_queues(
    target: FolderTarget, noted: Mapping[str, Any], identifiers: Iterable[str], wanted: list[str]
) -> None:
    """Check that the events of queue managers in an archive are of the queues wanted now. Raises UsageError."""
    for identifier in identifiers:
        if identifier in noted and noted[identifier]["queues"] != wanted:
            text = f"{target.folder}: the events in it are of {', '.join(noted[identifier]['queues']) or 'all'}"
            raise UsageError(text, "use a separate folder for the events of other queues")


def _advance(
    spans: Iterable[Range], before: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Return the last event already read and the last to read by path, and the new position of each queue manager.

    A moved file is recognised by its QMID; a file that was recreated under its name starts at its first event.
    """
    after: dict[str, int] = {}
    until: dict[str, int] = {}
    position = dict(before)
    for span in spans:
        until[span.path] = max(until.get(span.path, 0), span.last)
    for path in until:
        now = offsets.read_journals(path)[path]
        begun = after[path] = position.get(now.q_mgr_identifier, 0)
        if now.last < begun:
            text = f"{path}: the journal ends before event {begun} of the archive: was the file restored from a copy?"
            raise MQError(text, MQRC_OBJECT_CHANGED)
        until[path] = position[now.q_mgr_identifier] = max(begun, until[path])
    return after, until, position


def archive_and_remove(
    spark: SparkSession,
    folder: str | DeltaPlace,
    qmgr: str,
    queue: str,
    *,
    aside: Mapping[str, Any] = NOWHERE,
    mode: int = PRIVATE,
) -> int:
    """Move the messages of queues into an archive; return how many, with those of a killed run.

    Transmission queues and SYSTEM queues are left alone unless they are named. Raises MQError: MQRC_GET_INHIBITED among
    others; what was moved before stays moved.
    """
    with target_at(spark, folder, is_shared=True, mode=mode) as target:
        moved = recover_runs(target, finder(qmgr))
        for path in dict.fromkeys(span.path for span in plan(Options.parse({"qmgr": qmgr, "queue": queue, **aside}))):
            with connect(path, appl_name="mqx") as connection:
                for name in _consumable(connection, words(queue)):
                    while (number := _move_batch(spark, target, connection, name, aside)) is not None:
                        moved += number
        return moved


def _consumable(connection: Connection, patterns: Sequence[str]) -> list[str]:
    """Return the queues that match, except transmission queues and SYSTEM queues that only a pattern names."""
    found = []
    for name in queue_names(connection.db, patterns, of_fleet=True):
        queue = queues.by_name(connection.db, name)
        is_transmission = queue is not None and queue.usage == MQUS_TRANSMISSION
        is_system = name.startswith(_SYSTEM) and not any(word.startswith(_SYSTEM[:-1]) for word in patterns)
        if name in patterns or not (is_transmission or is_system):
            found.append(name)
    return found


def _move_batch(
    spark: SparkSession,
    target: FolderTarget,
    connection: Connection,
    q_name: str,
    aside: Mapping[str, Any],
) -> int | None:
    """Move one batch of messages of a queue; return how many, None when no readable message is left."""
    confirm_id = int.from_bytes(os.urandom(7), "big") + 1
    path = connection.db.path
    claim = {"path": path, "qmid": offsets.identifier_of(path), "queue": q_name, "confirm_id": confirm_id}
    run = target.begin(claim)
    damage = damage_of(aside)
    try:
        locked = lock_batch(connection, q_name, confirm_id, damage)
        options = {"qmgr": path, "queue": q_name, "lock": locked.ids, **aside}
        write_files(spark, ArchiveRead(column_names(), options), run.data)
        kept = unlock_damaged(connection, q_name, locked, damage)
        run.seal(expected=locked.number - kept)
    except BaseException as error:
        run.undo()
        _release(connection, q_name, confirm_id)
        run.discard()
        if isinstance(error, NoMessageAvailable):
            return None
        raise
    return _complete(run, connection, q_name, confirm_id)


def recover_runs(target: FolderTarget, find: Finder = nowhere) -> int:
    """Complete the killed runs whose files were complete, undo the others; return how many messages were moved.

    find: returns the path of a QMID, for a queue manager that has moved.
    Raises MQError if messages are locked in a file that does not exist.
    """
    moved = 0
    for run in target.killed_runs(find):
        claim = run.claim
        if run.manifest is not None:
            run.publish()
        if "path" not in claim:
            run.end()
            continue
        try:
            connection = _connect_home(run)
        except MQError as error:
            text = f"{target.folder}: an unfinished run has locked messages of {claim['path']}: {error.text}"
            raise MQError(text, error.reason, hint=f"if it is gone for good, remove {run.path}") from error
        with connection:
            if run.manifest is not None:
                moved += _complete(run, connection, claim["queue"], claim["confirm_id"])
            else:
                _release(connection, claim["queue"], claim["confirm_id"])
                run.end()
    return moved


def _connect_home(run: OutputRun) -> Connection:
    """Connect to the queue manager whose messages a run has locked. Raises MQError where it is not there."""
    connection = connect(run.home or run.claim["path"], appl_name="mqx")
    if run.home is None:
        connection.disconnect()
        raise MQError("another queue manager has this path now", MQRC_Q_MGR_NAME_ERROR)
    return connection


def finder(qmgr: str) -> Finder:
    """Return a function from a QMID to its path among queue managers, which looks when it is first called."""

    @cache
    def known() -> dict[str, str]:
        found = {}
        for path in find_paths(qmgr):
            with suppress(StorageError):  # the read of this queue manager reports it
                found[offsets.identifier_of(path)] = path
        return found

    return lambda identifier: known().get(identifier)


def _complete(run: OutputRun, connection: Connection, q_name: str, confirm_id: int) -> int:
    """Publish the files of a run, get the messages that are in them, and end the run.

    If that fails the next run does it, of this process too.
    """
    try:
        rows = run.publish()
        try:
            while _get_locked(connection, q_name, confirm_id):
                pass
        except MQError as error:
            if error.reason != MQRC_UNKNOWN_OBJECT_NAME:  # deleted with all that was on it
                raise
        run.end()
    finally:
        run.unlock()
    return rows


def _get_locked(connection: Connection, q_name: str, confirm_id: int) -> int:
    """Get some of the messages that a run has locked, in one transaction; return how many."""
    with connection.work() as work:
        queue = gettable_queue(work, q_name)
        number = 0
        for lock in holders.locks_of_confirm(work.db, queue.id, confirm_id):
            for stored in messages.locked(work.db, queue.id, LOCKED_FOR_BROWSE, lock.id, limit=_UNIT):
                take_off(work, queue, stored, search.remaining_expiry(stored, work.now_ms), None)
                number += 1
            if not messages.of_lock(work.db, lock.id):
                holders.remove(work.db, lock.id)
    return number


def _release(connection: Connection, q_name: str, confirm_id: int) -> None:
    """Unlock the messages of a run, if it has locked any."""
    try:
        undo(connection, q_name, confirm_id=confirm_id)
    except MQError as error:
        if error.reason not in (MQRC_NO_MSG_LOCKED, MQRC_UNKNOWN_OBJECT_NAME):
            raise

"""Options of a read: their names, values, defaults and checks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from mqtools.arrow.damage import Damage, damage_of
from mqtools.predicates import Condition, Predicate, any_of
from mqtools.rules.selector.selector import compile_selector
from mqtools.store.scans import scan

#: Values of an option that is on or off.
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")

#: Values of the option ``properties``.
_TEXT, _TYPED = "text", "typed"

#: An option that Spark sets for CREATE TABLE alone, and what to say of tables.
_OF_A_TABLE = "provider"
NO_TABLE = (
    "a table of format mqx is not supported: Spark does not hand its options on when the table is read; use"
    " CREATE TEMPORARY VIEW orders USING mqx OPTIONS (qmgr 'QM1', queue 'ORDERS')"
)

#: Options of every read.
READ_OPTIONS = ("qmgr", "queue", "selector", "columns", "mask", "body", "properties", "journal", "quarantine", "run")
#: Options of a batch read.
BATCH_OPTIONS = (*READ_OPTIONS, "numpartitions", "lock", "after", "until", "verify", "archive")
#: Options of a stream that is read, and of a write.
STREAM_OPTIONS = (*READ_OPTIONS, "maxevents", "lostfolder", "planned")
WRITE_OPTIONS = ("qmgr", "queue", "job_id", "quarantine", "run", "keepcontext")
#: Options that Spark itself adds to a stream that is written.
_OF_SPARK = ("queryname", "checkpointlocation")


@dataclass(slots=True, frozen=True)
class Options:
    """The options of a read. qmgr, queue: as given.  partitions: number wanted, 0 for as many as necessary.

    mask: columns and ``property:NAME`` with digests instead of values (module ``masks``).
    columns: those that a read without a schema has; empty for all, then without the data if ``body`` is false.  typed:
    it has the properties with their types.

    locks: ids of the locks whose messages alone are read, expired or not.  damage: policy for what cannot be read, from
    the options ``quarantine`` and ``run`` (module ``damage``).  verify: compare messages whose data is read with their
    checksums, at four times the cost; by default those of locks, because they are removed.  after, until: of a
    journal, the events between these numbers, by the path of the file; a file that is not named is read from its first
    event to its last.
    """

    qmgr: str
    queue: str
    selector: str
    columns: tuple[str, ...]
    mask: tuple[str, ...]
    body: bool
    typed: bool
    journal: bool
    partitions: int
    locks: tuple[bytes, ...]
    damage: Damage
    verify: bool
    after: dict[str, int]
    until: dict[str, int]

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """Parse the options as Spark passes them. Raises ValueError that names the option."""
        locks = tuple(_lock_id(word) for word in words(given.get("lock", "")))
        verify = is_yes("verify", given.get("verify", "true" if locks else "false"))
        journal = is_yes("journal", given.get("journal", "false"))
        if journal and (locks or verify):
            raise ValueError(f"option {'lock' if locks else 'verify'} is for messages, not for events")
        if given.get("mask") and given.get("archive"):
            raise ValueError("option mask is for messages and events, not for an archive")
        return cls(
            qmgr=given.get("qmgr", ""),
            queue=given.get("queue", ""),
            selector=given.get("selector", ""),
            columns=tuple(words(given.get("columns", "").lower())),
            mask=tuple(words(given.get("mask", ""))),
            body=is_yes("body", given.get("body", "true")),
            typed=_is_typed(given.get("properties", _TEXT)),
            journal=journal,
            partitions=number_of("numpartitions", given.get("numpartitions", "0"), "partitions"),
            locks=locks,
            damage=damage_of(given),
            verify=verify,
            after=_numbers("after", given.get("after", "{}")),
            until=_numbers("until", given.get("until", "{}")),
        )

    @property
    def is_fleet(self) -> bool:
        """Return whether the words for queue managers may name several."""
        return any(sign in self.qmgr for sign in ",*?[")

    @property
    def table(self) -> str:
        """Return the table that is read."""
        return scan.JOURNAL if self.journal else scan.MESSAGES


def normalise(given: Mapping[str, str]) -> dict[str, str]:
    """Return options with the paths of ``load("QM1/ORDERS")`` as queue managers and queues, without Spark's own.

    Raises ValueError: for a path together with these options, for unknown options and invalid selectors, and for a
    table, since Spark does not pass its options to a read.
    """
    options = {name: value for name, value in given.items() if name not in _OF_SPARK}
    if _OF_A_TABLE in options:
        raise ValueError(NO_TABLE)
    paths = json.loads(options.pop("paths", "[]")) + list(filter(None, [options.pop("path", "")]))
    if paths:
        twice = [name for name in ("qmgr", "queue") if name in options]
        if twice:
            raise ValueError(f"{paths[0]} names queue manager and queue: it cannot be combined with option {twice[0]}")
        options |= _of_paths(paths)
    check_names(options, dict.fromkeys((*BATCH_OPTIONS, *STREAM_OPTIONS, *WRITE_OPTIONS)))
    _check_values(options)
    return options


def _of_paths(paths: Sequence[str]) -> dict[str, str]:
    """Return queue managers and queues of paths. Raises ValueError for other queues of other queue managers."""
    each = {(path.rpartition("/")[0], path.rpartition("/")[2]) for path in paths}
    qmgrs, queues = ({one[n] for one in each} for n in (0, 1))
    if len(each) < len(qmgrs) * len(queues) or ("" in qmgrs and len(qmgrs) > 1):
        raise ValueError(f"{', '.join(paths)}: load each queue manager separately, and union the frames")
    return {"qmgr": ",".join(sorted(qmgrs)), "queue": ",".join(sorted(queues))}


def _check_values(options: Mapping[str, str]) -> None:
    """Check values that need no queue manager. Raises ValueError, and MQError for a selector with a mistake."""
    Options.parse(options)
    number_of("maxevents", options.get("maxevents", "1"), "events", least=1)
    if "/" in options.get("run", ""):
        raise ValueError(f"option run: {options['run']!r} is not the name of a file")
    for name in ("quarantine", "lostfolder"):
        if folder := options.get(name):
            _check_folder(name, folder)
    compile_selector(options.get("selector", ""))


def check_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Check that all options exist. Raises ValueError that names the others."""
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"unknown option: {', '.join(unknown)}; the options are {', '.join(known)}")


def is_yes(name: str, text: str) -> bool:
    """Parse an option that is on or off. Raises ValueError that names it."""
    word = text.strip().lower()
    if word not in (*_YES, *_NO):
        raise ValueError(f"option {name}: {text!r} is neither true nor false")
    return word in _YES


def _is_typed(text: str) -> bool:
    """Parse the option ``properties``. Raises ValueError that names it."""
    if text not in (_TEXT, _TYPED):
        raise ValueError(f"option properties: {text!r} is neither {_TEXT} nor {_TYPED}")
    return text == _TYPED


def number_of(name: str, text: str, unit: str, least: int = 0) -> int:
    """Parse an option that is a number. Raises ValueError that names it, also below the least."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise ValueError(f"option {name}: {text!r} is not a number of {unit}")
    return number


def _lock_id(word: str) -> bytes:
    try:
        return bytes.fromhex(word)
    except ValueError as error:
        raise ValueError(f"option lock: {word!r} is not a lock id") from error


def _numbers(name: str, text: str) -> dict[str, int]:
    """Parse an option that is JSON with a number for each path. Raises ValueError that names it."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(each, int) for each in found.values()):
        raise ValueError(f"option {name}: {text!r} is not JSON with the number of an event for each path")
    return found


def _check_folder(name: str, folder: str) -> None:
    """Check an option that is a folder, which may be created. Raises ValueError that names it."""
    there = os.path.abspath(folder)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"option {name}: {folder}: files cannot be created in {there}")


def words(text: str) -> list[str]:
    """Split a list at its commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def of_queue(word: str) -> Condition:
    """Return the condition of the events of a queue, or of those whose queue matches a pattern."""
    return Condition("queue", "like" if "*" in word else "=", word)


def queue_conditions(options: Options) -> list[Predicate]:
    """Return the conditions of the ``queue`` option for a journal, which has the events of all queues."""
    wanted = words(options.queue)
    if not options.journal or not wanted:
        return []
    return [any_of(map(of_queue, wanted))]

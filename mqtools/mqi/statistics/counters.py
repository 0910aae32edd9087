"""Counters of a connection: what its calls did, stored in the transactions that did it.

A call that failed, and one without a transaction, is counted by the next transaction of the connection.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import get_native_id
from typing import Any, NamedTuple, TypeVar

from mqtools.constants.objects import MQMON_ON, MQQT_LOCAL
from mqtools.constants.options import (
    MQCNO_ACCOUNTING_MQI_DISABLED,
    MQCNO_ACCOUNTING_MQI_ENABLED,
    MQCNO_ACCOUNTING_Q_DISABLED,
    MQCNO_ACCOUNTING_Q_ENABLED,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi import client_connections, system_queues
from mqtools.mqi.get.request import Attempt, Delivery
from mqtools.mqi.resolution import AliasOfTopic
from mqtools.mqi.statistics.accounting import add_accounting, end_accounting, write_ended
from mqtools.mqi.statistics.intervals import add_statistics, write_statistics
from mqtools.mqi.statistics.queue_times import note_time
from mqtools.mqi.statistics.tallies import Tally, add_tally, of_object, of_persistence
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.rules.attributes.channel import effective_monitoring
from mqtools.rules.options.get import browses
from mqtools.rules.statistics import OBJECT_TYPES
from mqtools.store import holders, queues
from mqtools.store.queues import Queue

T = TypeVar("T")

#: Microseconds of a millisecond.
_MICROSECONDS = 1000


class Switches(NamedTuple):
    """What is collected of a queue."""

    statistics: bool
    accounting: bool
    monitoring: bool


class Counters:
    """Counters of a connection, and what the next transaction must count.

    connected_ms: when it connected.  is_ending: its next transaction is the last.  A change of ACCTMQI, ACCTQ and
    STATMQI applies to connections that begin later. A change of the intervals and of a queue's attributes applies to
    all.
    """

    def __init__(self, connection: ConnectionState, options: int, connected_ms: int) -> None:
        """options: MQCNO_*, which count with ACCTCONO(ENABLED)."""
        self._connection, self._connected_ms = connection, connected_ms
        self.is_ending = False
        values = queues.read_qmgr(connection.db)
        self._statistics_mqi = values.get("statistics_mqi") == MQMON_ON
        self._accounting_mqi = values.get("accounting_mqi") == MQMON_ON
        self._accounting_q: int | None = None
        if values.get("accounting_conn_override"):
            enabled, disabled = options & MQCNO_ACCOUNTING_MQI_ENABLED, options & MQCNO_ACCOUNTING_MQI_DISABLED
            self._accounting_mqi = bool(enabled) or (self._accounting_mqi and not disabled)
            if options & (MQCNO_ACCOUNTING_Q_ENABLED | MQCNO_ACCOUNTING_Q_DISABLED):
                self._accounting_q = int(bool(options & MQCNO_ACCOUNTING_Q_ENABLED))
        self._version = -1
        self._statistics_interval = self._accounting_interval = 0
        self._of_q_mgr: dict[str, int] = {}
        self._switches: dict[str, Switches] = {}
        self._pending: dict[str, Tally] = {"": {"conn_count": [1]}}
        self._stored: dict[str, Tally] = {}
        self._stored_by: Work | None = None

    # Calls

    def note_put(self, work: Work, queue: Queue, message: Message, *, is_put1: bool) -> None:
        """Count a message that was put on a queue, or published to it."""
        which, length = message.md.persistence, len(message.data)
        sizes = {"put_bytes": of_persistence(which, length)}
        extremes = {name: of_persistence(which, length) for name in ("put_bytes_min", "put_bytes_max")}
        count = {"put1_count" if is_put1 else "put_count": of_persistence(which, 1)}
        if work.connection.is_unchecked:  # by a publication
            published = {"publish_msg_count": of_persistence(which, 1), "publish_msg_bytes": sizes["put_bytes"]}
            _add(work, "", published)
        else:
            _add(work, "", {**count, **sizes})
        _add(work, queue.name, {**count, **sizes, **extremes})

    def note_publish(self, work: Work, message: Message) -> None:
        """Count a message that is published."""
        which = message.md.persistence
        sizes = of_persistence(which, len(message.data))
        _add(work, "", {"put1_topic_count": of_persistence(which, 1), "put_topic_bytes": sizes})

    def note_get(self, attempt: Attempt, delivery: Delivery, length: int) -> None:
        """Count a get or browse of a message. length: bytes that it returned."""
        work, first = attempt.work, delivery.parts[0]
        is_browse, which = browses(attempt.options), first.md.persistence
        verb = "browse" if is_browse else "get"
        if delivery.reason == MQRC_TRUNCATED_MSG_FAILED:
            counts: Tally = {f"{verb}_fail_count": [1]}
        else:
            counts = {f"{verb}_count": of_persistence(which, 1)}
            counts |= {f"{verb}_bytes{end}": of_persistence(which, length) for end in ("", "_min", "_max")}
            if not is_browse:
                time = max(0, work.now_ms - first.put_at) * _MICROSECONDS
                counts |= {f"time_on_q{end}": of_persistence(which, time) for end in ("", "_min", "_max")}
                if self._collected(attempt.queue.name).monitoring:
                    note_time(work.db, attempt.queue.name, time)
        _add(work, "", counts)
        _add(work, attempt.queue.name, counts)

    def note_gone(self, work: Work, q_name: str, name: str, number: int) -> None:
        """Count messages that expired (``expired_msg_count``) or were cleared (``purge_count``)."""
        _add(work, "", {name: [number]})
        _add(work, q_name, {name: [number]})

    def call(self, verb: str, function: Callable[[], T], q_name: str = "", *, object_type: int = 0) -> T:
        """Make a call and count it, or that it failed.

        verb: names the counters, ``commit`` those of MQCMIT.  q_name: of the queue that is closed.
        object_type: MQOT_*, where there is a counter for each type.
        """
        one: list[int | None] = of_object(object_type, OBJECT_TYPES) if object_type else [1]
        self.note(f"{verb}_count", one)
        if q_name:
            self.note(f"q_{verb}_count", [1], q_name)
        try:
            return function()
        except MQError as error:
            self.note(f"{verb}_count", [-(number or 0) for number in one])
            if not isinstance(error, AliasOfTopic):  # then a topic is opened
                self.note(f"{verb}_fail_count", one)
            if q_name:
                self.note(f"q_{verb}_count", [-1], q_name)
            raise

    def note_failure(self, verb: str, q_name: str) -> None:
        """Count a put, get or browse that failed."""
        self.note(f"{verb}_fail_count", [1])
        self.note(f"{verb}_fail_count", [1], q_name)

    def note(self, name: str, numbers: list[int | None], q_name: str = "") -> None:
        """Add numbers to a counter of the connection, or of a queue."""
        add_tally(self._pending.setdefault(q_name, {}), {name: numbers})

    # What is collected

    def _read_switches(self) -> None:
        """Read the intervals and what the queue manager says of its queues, when definitions have changed."""
        db = self._connection.db
        if self._version != db.known.version:
            values: dict[str, Any] = queues.read_qmgr(db)
            self._of_q_mgr = {name: values.get(name, 0) for name in ("statistics_q", "accounting_q", "monitoring_q")}
            self._statistics_interval = values.get("statistics_interval", 1800)
            self._accounting_interval = values.get("accounting_interval", 1800)
            self._switches.clear()
            self._version = db.known.version

    def _collected(self, q_name: str) -> Switches:
        self._read_switches()
        found = self._switches.get(q_name)
        if found is None:
            values = system_queues.attributes(self._connection.db, q_name)
            is_local = values.get("q_type") == MQQT_LOCAL
            statistics, accounting, monitoring = (
                is_local and effective_monitoring(int(str(values.get(name, 0))), of_q_mgr) > 0
                for name, of_q_mgr in self._of_q_mgr.items()
            )
            if self._accounting_q is not None and self._of_q_mgr["accounting_q"] >= 0:
                accounting = is_local and bool(self._accounting_q)
            found = self._switches[q_name] = Switches(statistics, accounting, monitoring)
        return found

    # The end of a transaction

    def store(self, work: Work) -> MQError | None:
        """Store the counts of a transaction before its commit, and of calls before it; return why that failed."""
        self._connection.counters = None  # nothing that is put here counts
        try:
            counts = self._take(work)
            self._read_switches()
            of_queues = {name: tally for name, tally in counts.items() if name}
            with_statistics = {name: tally for name, tally in of_queues.items() if self._collected(name).statistics}
            calls = counts.get("", {})
            if self._statistics_mqi or with_statistics:
                own = self._of_connection(work, calls) if self._statistics_mqi else None
                add_statistics(work, self._statistics_interval, own, with_statistics)
            self._account(work, calls, of_queues)
            if self.is_ending and queues.qmgr(work.db).state == "ended":
                write_statistics(work)
        except MQError as error:
            return error
        finally:
            self._connection.counters = self
        return None

    def _of_connection(self, work: Work, calls: Tally) -> Tally:
        """Return the counters of a transaction with the end of the connection, or with the number of connections."""
        if self.is_ending:
            return {**calls, "disc_count": [1, 0, 0]}
        return {**calls, "conn_max": [len(holders.connections(work.db))]} if "conn_count" in calls else calls

    def _account(self, work: Work, calls: Tally, of_queues: dict[str, Tally]) -> None:
        write_ended(work)
        accounted = {name: tally for name, tally in of_queues.items() if self._collected(name).accounting}
        if self._accounting_mqi or accounted:
            self._connection.register(work)
            own = calls if self._accounting_mqi else None
            values = self._values(work)
            add_accounting(work, self._accounting_interval, own, accounted, values, self._connected_ms)
        if self.is_ending:
            end_accounting(work)

    def _values(self, work: Work) -> dict[str, object]:
        """Return what accounting records say of the connection."""
        connection = self._connection
        assert connection.presence is not None
        token = connection.presence.token
        client = client_connections.find(work.db, token)
        return {
            "connection_id": token[:24].hex().ljust(48, "0"),
            "appl_name": connection.appl_name,
            "process_id": os.getpid(),
            "thread_id": get_native_id(),
            "user_identifier": connection.user_identifier,
            **({"connection_name": client.connection_name, "channel_name": client.channel} if client else {}),
        }

    def _take(self, work: Work) -> dict[str, Tally]:
        """Return the counts to store: of the transaction, of calls before it, and of one whose commit failed."""
        if self._stored_by is not None and not self._stored_by.is_committed:
            for name, tally in self._stored.items():
                add_tally(self._pending.setdefault(name, {}), tally)
        counts, self._pending = self._pending, {}
        self._stored, self._stored_by = counts, work
        counts = {name: dict(tally) for name, tally in counts.items()}
        for name, tally in (work.counts or {}).items():
            add_tally(counts.setdefault(name, {}), tally)
        work.counts = None
        return counts

    def hand_over(self, inner: Work, outer: Work) -> None:
        """Pass on what a part of a transaction counted."""
        for name, tally in (inner.counts or {}).items():
            _add(outer, name, tally)


def _add(work: Work, name: str, counts: Tally) -> None:
    if work.counts is None:
        work.counts = {}
    add_tally(work.counts.setdefault(name, {}), counts)

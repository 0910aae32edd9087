"""Accounting of a connection, in the file until its record is written: at MQDISC, at an interval, or by another.

It is a definition of the kind below, under the identifier of the connection's holder. Another program ends it when the
connection has died; the next counted transaction writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mqtools.constants.cmqcfc import MQDISCONNECT_NORMAL
from mqtools.mqi.statistics import intervals, records
from mqtools.mqi.statistics.tallies import Tally, add_tally
from mqtools.mqi.transaction import Work
from mqtools.rules.local_time import stamp
from mqtools.rules.statistics import ACCOUNTING_MQI, ACCOUNTING_Q
from mqtools.store import objects
from mqtools.store.account_ends import ACCOUNTING, ENDED_ACCOUNTING


def add_accounting(
    work: Work,
    interval_s: int,
    calls: Tally | None,
    by_queue: Mapping[str, Tally],
    values: Mapping[str, object],
    connected_ms: int,
) -> None:
    """Add counters of the connection of a transaction, after writing those of an interval that has ended.

    interval_s: ACCTINT, 0 for none.  values: what the records say of the connection.
    """
    name = str(work.connection.id)
    found = objects.definition(work.db, ACCOUNTING, name)
    if found is None:
        stamps = stamp("conn", connected_ms)
        found = {"since": connected_ms, "values": {**values, **stamps, "seq_number": 0}, "queues": {}}
    elif interval_s and work.now_ms >= found["since"] + interval_s * 1000:
        _write(work, found, {})
        found["values"]["seq_number"] += 1
        found.update(since=work.now_ms, queues={})
        found.pop("counts", None)
    if calls is not None:
        add_tally(found.setdefault("counts", {}), calls)
    for q_name, counts in by_queue.items():
        queue = found["queues"].setdefault(q_name, {"counts": {}, "values": {}})
        add_tally(queue["counts"], counts)
        if "q_open_count" in counts:
            queue["values"] = {**stamp("open", work.now_ms), **queue["values"]}
        if "q_close_count" in counts:
            queue["values"].update(stamp("close", work.now_ms))
    objects.define(work.db, ACCOUNTING, name, found)


def end_accounting(work: Work) -> None:
    """Write the records of the connection of a transaction, which ends in order."""
    name = str(work.connection.id)
    found = objects.definition(work.db, ACCOUNTING, name)
    if found is not None:
        _write(work, found, {**stamp("disc", work.now_ms), "disc_type": MQDISCONNECT_NORMAL})
        objects.delete(work.db, ACCOUNTING, name)


def write_ended(work: Work) -> None:
    """Write the records of connections that others have ended."""
    for name in objects.names(work.db, ENDED_ACCOUNTING):
        end = objects.definition(work.db, ENDED_ACCOUNTING, name) or {}
        _write(work, end["found"], {**stamp("disc", end["at_ms"]), "disc_type": end["disconnect"]})
        objects.delete(work.db, ENDED_ACCOUNTING, name)


def _write(work: Work, found: dict[str, Any], values: Mapping[str, object]) -> None:
    of_connection = {**found["values"], **values}
    of_connection["connection_id"] = bytes.fromhex(of_connection["connection_id"])
    if "counts" in found:
        records.write_record(work, ACCOUNTING_MQI, found["since"], of_connection, found["counts"])
    groups = [
        (
            {**intervals.queue_values(work.db, q_name), **queue["values"]},
            intervals.with_average_time(queue["counts"], "time_on_q_avg"),
        )
        for q_name, queue in found["queues"].items()
    ]
    records.write_groups(work, ACCOUNTING_Q, found["since"], of_connection, groups)

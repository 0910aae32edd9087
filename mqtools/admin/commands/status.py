"""Status of queues and of their handles."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from mqtools.admin.commands.connections import Programs
from mqtools.admin.commands.queues import Row, matching
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.options import (
    MQOO_BROWSE,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SET,
)
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import attributes_of_queue
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.statistics.queue_times import read_times
from mqtools.rules.attributes.channel import effective_monitoring
from mqtools.rules.attributes.table import WORD
from mqtools.rules.commands.command import GENERIC, AdminCommand, CommandParameter, name
from mqtools.rules.local_time import date_and_time
from mqtools.rules.security.authorities import QUEUE
from mqtools.store import holders, queues
from mqtools.store.database import Database
from mqtools.store.maintenance import space
from mqtools.store.queues import Queue

_HANDLES = "QSTATUS HANDLE"
#: Open type (MQQSOT) to the attributes of a queue or handle; one of them is not zero. Any other type means all.
_OPEN_TYPES = {
    c.MQQSOT_INPUT: ("open_input_count", "open_input_type"),
    c.MQQSOT_OUTPUT: ("open_output_count", "open_output"),
}


def show_queues(db: Database, name: str, tables: str, open_type: int | None) -> Iterator[Row]:
    """Yield the status, or the handles, of each local queue that matches a generic name."""
    is_open = _OPEN_TYPES.get(open_type or 0)
    programs, of_qmgr, sizes = Programs(db), queues.read_qmgr(db), _file_sizes(db)
    for queue in matching(db, name, "QLOCAL"):
        for values in _handles_of(db, queue, programs) if tables == _HANDLES else (_status_of(db, queue, of_qmgr),):
            if is_open is None or any(map(values.get, is_open)):
                yield tables, {**sizes, **values}


def _file_sizes(db: Database) -> dict[str, int]:
    """Return the size of the file with all queues, and how large it can grow on its disk, in megabytes."""
    size = space.on_disk(db)
    sizes = {"file_size": size, "most_file_size": size + space.room(os.path.dirname(db.real_path))}
    return {name: -(-number >> 20) for name, number in sizes.items()}


def _status_of(db: Database, queue: Queue, of_qmgr: Mapping[str, Any]) -> dict[str, Any]:
    values = attributes_of_queue(db, queue.name)
    own: Any = values["monitoring_q"]
    values["monitoring_q"] = effective_monitoring(own, of_qmgr.get("monitoring_q", o.MQMON_OFF))
    times = read_times(db, queue.name) if int(str(values["monitoring_q"])) > o.MQMON_OFF else None
    values["q_time"] = times or (o.MQMON_NOT_AVAILABLE, o.MQMON_NOT_AVAILABLE)
    _, uncommitted, last_put_at, last_get_at, _, oldest_put_at = queues.status(db, queue.id)
    values["uncommitted_msgs"] = uncommitted
    values["last_put_date"], values["last_put_time"] = date_and_time(last_put_at)
    values["last_get_date"], values["last_get_time"] = date_and_time(last_get_at)
    values["oldest_msg_age"] = 0 if oldest_put_at is None else max(0, now_ms() - oldest_put_at) // 1000
    return values


def _handles_of(db: Database, queue: Queue, programs: Programs) -> Iterator[dict[str, Any]]:
    for handle in holders.of_queue(db, queue.id, "handle"):
        yield {
            "name": queue.name,
            **programs.handle_values(handle),
            "open_browse": int(bool(handle.options & MQOO_BROWSE)),
            "open_input_type": handle.options & (MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE),
            "open_inquire": int(bool(handle.options & MQOO_INQUIRE)),
            "open_output": int(bool(handle.options & MQOO_OUTPUT)),
            "open_set": int(bool(handle.options & MQOO_SET)),
        }


def _why_no_status(db: Database, name: str) -> int:
    """Return the reason in PCF why a name has no status: only local queues have one."""
    is_other = "*" not in name and find_queue(db, name, to_use=False).q_type != o.MQQT_LOCAL
    return c.MQRCCF_Q_WRONG_TYPE if is_other else c.MQRCCF_Q_STATUS_NOT_FOUND


COMMANDS = (
    AdminCommand(
        verb="DISPLAY", object_types=("QSTATUS",), number=c.MQCMD_INQUIRE_Q_STATUS, do=show_queues, shows=True,
        parameters=(
            name(o.MQCA_Q_NAME, GENERIC),
            CommandParameter("TYPE", "tables", c.MQIACF_Q_STATUS_TYPE, WORD, default="QSTATUS", reason=0,
                      words=(("QUEUE", "QSTATUS"), ("HANDLE", _HANDLES)),
                      numbers={"QSTATUS": c.MQIACF_Q_STATUS, _HANDLES: c.MQIACF_Q_HANDLE}),
            CommandParameter("OPENTYPE", "open_type", c.MQIACF_OPEN_TYPE, WORD, reason=0,
                      words=(("ALL", c.MQQSOT_ALL), ("INPUT", c.MQQSOT_INPUT), ("OUTPUT", c.MQQSOT_OUTPUT))),
        ),
        asked=c.MQIACF_Q_STATUS_ATTRS, always=("name", "status_type"), recovers=True, completes=True,
        done="AMQ8450I", missing="AMQ8565E", missing_pcf=_why_no_status, protects=QUEUE,
    ),
)  # fmt: skip

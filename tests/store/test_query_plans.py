"""Query plans: a statement of a verb seeks in an index, so that no cost grows with the depth of a queue."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mqtools.store import channels, holders, lifetimes, objects, queues
from mqtools.store.messages import (
    activity,
    applied_jobs,
    delivery_order,
    history,
    journal,
    journal_events,
    journal_retention,
    marks,
    messages,
    queue_events,
    relocation,
    replays,
    trash,
    units_of_work,
)
from mqtools.store.scans import filtered_scan, key_ranges, pages, scan

from ..copied import copy_of
from .explained import Explained, create
from .query_calls import CALLS, KEY


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Explained]:
    with closing(Explained(copy_of(create, str(tmp_path / "QM1.db")))) as database:
        yield database


#: What sorts or walks on purpose, and why. A function that is not listed does neither.
BY_DESIGN = {
    "journal_events.held_of_ids": ("SCAN q", "the messages are found by queue and identifier: on each queue"),
    "journal_events.on_queues": ("SCAN q", "the messages are found by queue and identifier: on each queue"),
    "messages.available": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.next_available": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few"),
    "messages.by_msg_id": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.in_any_state": ("TEMP B-TREE FOR ORDER BY", "those with one identifier are few, and wanted in order"),
    "messages.of_group": ("TEMP B-TREE FOR ORDER BY", "all of a group is listed, in order"),
    "messages.of_lock": ("TEMP B-TREE FOR ORDER BY", "all that a lock holds is listed, in order"),
    "activity.bars": ("TEMP B-TREE FOR GROUP BY", "a few intervals, each counted once"),
    "journal.settle": ("TEMP B-TREE FOR ORDER BY", "events are written in the order in which they were done"),
    "units_of_work.summary": ("TEMP B-TREE FOR GROUP BY", "few queues and states in a unit of work, each counted once"),
    "holders.waiters": ("TEMP B-TREE FOR DISTINCT", "one connection can wait through several handles"),
    "holders.general_waiters": ("TEMP B-TREE FOR DISTINCT", "one connection can wait through several handles"),
    "holders.unit_owners": ("SCAN", "every connection and channel is looked at, but no message"),
    "holders.holding_connections": ("SCAN owner USING INDEX", "every connection is looked at, but no message"),
    "holders.connections": ("SCAN holders USING INDEX", "every connection is wanted"),
}

#: Functions that no verb runs on its path: displays, definitions, starts and ends, inserts without a search.
ELSEWHERE = {
    "group_counts.begin",  # a look into the schema, once a connection that puts a message in a group
    "group_counts.end_if_none",  # a migration
    "by_keys.in_portions",
    "relocation.begin_anew",
    "trash.counted_size",
    "messages.insert",
    "messages.row_of",
    "messages.insert_rows",
    "messages.seq_of",
    "messages.order_key_of",
    "units_of_work.groups",
    "holders.add",
    "holders.note_confirm_put",
    "holders.remove_idle",
    "applied_jobs.add",
    "objects.define",
    "objects.names",
    "channels.define",
    "channels.names",
    "channels.add",
    "channels.ways_through",
    "queues.backout_attributes",
    "queues.columns",
    "queues.read_all",
    "queues.names",
    "queues.read_qmgr",
    "queues.define",
    "queues.redefine",
    "queues.define_qmgr",
    "queues.qmgr",
    "lifetimes.count_messages",
    "lifetimes.set_qmgr_state",
    "lifetimes.rename_qmgr",
    "lifetimes.start_qmgr",
    "lifetimes.discard_nonpersistent",
    "lifetimes.recount",
    "pages.arrival_numbers",
    "trash.keep_queue",
    "trash.keep_each",
    "trash.keep_range",
    "trash.first_that_fits",
    "queues.key_range",
    "queues.end_of_step",
    "queues.clear_range",
    "trash.size_of_queue",
    "trash.new_removal",
    "trash.arrival_number",
    "trash.size_of",
    "trash.status",
    "trash.is_due",
    "trash.removals",
    "journal.pend",
    "journal_retention.retention",
    "journal_retention.status",
    "queues.journaled_names",
    "queue_events.select",  # as activity and replays
    "queue_events.totals",
    "journal.span",  # its statements are that of journal.last_event, and one by the only key of journal_status
    "journal_retention.count_new",
    "journal_events.ids_between",  # few of the identifiers in a range, from the same indexes on all queues
    "journal_events.first_whole",
    "journal_events.levels",  # all of a table of a few rows
    "journal_events.removed_at",
    "history.removed_at",
    "history.note_order",
    "replays.write",
    "messages.is_sought",
    "filtered_scan.scan_batches",  # batch after batch
    "scan.batches",  # as scan.rows
    "scan.rows",  # its statement is that of scan.first with other columns
    "scan.key_name",  # has no statement
    "scan.map_memory",
}


@pytest.mark.parametrize(
    ("name", "call", "indexes"), CALLS, ids=[f"{number}-{row[0]}" for number, row in enumerate(CALLS)]
)
def test_every_statement_seeks_in_the_index_that_is_meant_for_it(db, name, call, indexes):
    call(db)
    searches = [plan for plan in db.plans if plan.startswith(("SEARCH", "SCAN"))]
    assert searches
    assert {index_of(plan) for plan in searches} <= indexes
    assert indexes - {KEY} <= {index_of(plan) for plan in searches}


@pytest.mark.parametrize(("name", "call", "_"), CALLS, ids=[f"{number}-{row[0]}" for number, row in enumerate(CALLS)])
def test_no_statement_scans_or_sorts_except_by_design(db, name, call, _):
    call(db)
    bad = [plan for plan in db.plans if "SCAN" in plan or "TEMP B-TREE" in plan]
    allowed = BY_DESIGN.get(name, ("nothing", ""))[0]
    assert [plan for plan in bad if allowed not in plan] == []


def index_of(plan: str) -> str:
    """The name of the index in a line of a plan, or KEY or CHUNKS for a primary key; the whole line without one."""
    words = plan.split(" USING ", 1)
    if len(words) == 1:
        return plan
    index = words[1].split(" (")[0].removeprefix("COVERING ")
    return index.removeprefix("INDEX ").removesuffix(" LEFT-JOIN")


def test_every_function_of_the_store_is_explained():
    explained = {name for name, _, _ in CALLS} | ELSEWHERE
    missing = []
    for module in (
        messages,
        applied_jobs,
        units_of_work,
        marks,
        holders,
        lifetimes,
        objects,
        key_ranges,
        queues,
        delivery_order,
        trash,
        pages,
        queue_events,
        journal,
        journal_events,
        journal_retention,
        queue_events,
        channels,
        relocation,
        scan,
        filtered_scan,
        history,
        activity,
        replays,
    ):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            qualified = f"{module.__name__.rsplit('.', 1)[1]}.{name}"
            if function.__module__ == module.__name__ and not name.startswith("_") and qualified not in explained:
                missing.append(qualified)
    assert missing == []


def test_what_is_by_design_still_is():
    assert set(BY_DESIGN) <= {name for name, _, _ in CALLS}

"""``mqx qmgr transactions``: list or resolve units of work that a transaction manager has prepared."""

from __future__ import annotations

import click

from mqtools.admin.transactions import TransactionBranch, list_transactions, resolve
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import rfc3339

from ..shared import click_options
from ..shared.command_session import DONE, Session, UsageError
from ..shared.counts import print_result
from ..shared.output_rows import print_list, row_of
from ..shared.read_only import connect_read_only
from . import qmgr

COLUMNS = (
    Column("id", "ID", "right"),
    Column("xid", "XID"),
    Column("state", "STATE"),
    Column("since", "SINCE", rank=2),
    Column("puts", "PUTS", "right", rank=1),
    Column("gets", "GETS", "right", rank=1),
    Column("queues", "QUEUES", rank=3),
    Column("user", "USER", rank=5),
    Column("application", "APPLICATION", rank=4),
)
_DONE = {"commit": "committed", "backout": "backed out", "forget": "forgotten"}


@click.command("transactions", short_help="List or resolve prepared transactions")
@click.argument("name", required=False)
@click.option("--commit", metavar="ID", help="Commit a prepared transaction")
@click.option("--backout", metavar="ID", help="Back out a prepared transaction")
@click.option("--forget", metavar="ID", help="Forget a transaction that was resolved here")
@click_options.general
def command(session: Session, name: str | None, **given: str | None) -> int:
    """List the units of work of the queue manager NAME that a transaction manager has prepared, or resolve one.

    A prepared unit of work holds its messages until its transaction manager commits it or backs it out. If that never
    happens, decide here: ID is the number of the transaction or its XID. A transaction that was resolved here stays
    listed until its transaction manager, or --forget, forgets it.

    \b
    mqx qmgr transactions QM1
    mqx qmgr transactions QM1 --commit 17
    mqx qmgr transactions QM1 --backout 1:0A0B:01

    Exit status: 0 done; 3 there are none; 5 no such transaction; 6 it is active, or was resolved before.
    """
    actions = [(action, identifier) for action, identifier in given.items() if identifier is not None]
    if len(actions) > 1:
        raise UsageError("only one of --commit, --backout and --forget is allowed")
    chosen = qmgr.one_name(session, name)
    if not actions:
        with connect_read_only(session, chosen) as connection:
            rows = [_row(each) for each in list_transactions(connection)]
        return print_list(session, rows, COLUMNS)
    action, identifier = actions[0]
    with session.connect(chosen) as connection:
        done = resolve(connection, identifier, action)
    words = f"transaction {done.number} {_DONE[action]}: {counted(done.puts + done.gets)}"
    print_result(session, words, {"puts": done.puts, "gets": done.gets})
    return DONE


def _row(each: TransactionBranch) -> dict[str, object]:
    return row_of(each, COLUMNS, id=each.number, xid=str(each.xid), since=rfc3339(each.since), queues=each.q_names)

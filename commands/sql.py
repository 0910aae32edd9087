"""``mqx sql``: queries over messages, queues, locks and the journal; nothing is ever changed."""

from __future__ import annotations

import sys

import click

from . import _sql
from .shared import click_options
from .shared.command_session import Session, UsageMistake


@click.command("sql")
@click.argument("query", required=False)
@click.option("-p", "--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Value of :NAME; repeatable.")
@click.option("--views", is_flag=True, help="List the views with their columns and what they mean.")
@click_options.general
def command(session: Session, query: str | None, parameters: tuple[str, ...], views: bool) -> int:
    """Run one query, in SQLite's SQL, over the views messages, queues, locks and journal; - reads it from stdin.

    It can only read: a statement that would change something is refused (8). Bytes show as hex. The value of
    a parameter is a number where it is written as one; cast(:NAME as text) makes a text of it.

    \b
    mqx sql 'select queue, count(*) from messages group by queue'
    mqx sql 'select name, depth, max_depth from queues where depth > 0' -o csv
    mqx sql 'select msg_id, text from messages where queue = :q and put_at < :t' -p q=ORDERS -p t=2026-11-20
    mqx sql "select * from messages, json_each(properties) p where p.key = 'colour'" -o jsonl
    mqx sql --views
    """
    if views:
        if query is not None or parameters:
            raise UsageMistake("--views takes no query")
        return _sql.show_views(session)
    if query is None:
        raise UsageMistake("the query is missing", "mqx sql --views")
    if query == "-":
        query = sys.stdin.read()
    return _sql.show_rows(session, query, _sql.read_parameters(parameters))

"""``mqx trash``: show, restore or empty what was deleted, cleared or discarded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..shared import click_options
from ..shared.command_session import Session, as_text
from ..shared.group import Group
from . import trash

F = TypeVar("F", bound=Callable[..., Any])


def _removal(function: F) -> F:
    option = click.option(
        "--removal",
        type=click_options.Number(min=1),
        metavar="N",
        help="Only messages of this removal (see mqx trash list)",
    )
    return option(function)


@click.group("trash", cls=Group)
@click_options.general
def command(session: Session) -> None:
    """Look at what was deleted, cleared or discarded, put it back, or throw it away for good.

    \b
    mqx trash list
    mqx trash restore --removal 3
    mqx trash restore ORDERS --newer 10m --to ORDERS.CHECK
    mqx trash empty --yes

    mqx delete, CLEAR QLOCAL, DELETE QLOCAL PURGE, ACTION(DISCARD) of mqx dlq-handle and mqx edit keep what they
    remove, unless --no-trash says otherwise: for trash.max_age (7d), and trash.max_size (256MiB) in all, the oldest
    going first; mqx config explain shows both. 0 for either is no trash. What is too old or too much goes when more
    comes, a bounded number at a time.

    Nothing reads the trash but these commands. Whoever needs data to be gone says --no-trash, or empties the trash;
    the pages of the file that held it are overwritten only when they are used again.
    """


@command.command("list", short_help="Show what is in the trash")
@click.argument("queue", required=False)
@click.option("--messages", "shows_messages", is_flag=True, help="Show the messages, not the removals")
@_removal
@click_options.selection
@click_options.general
def list_trash(session: Session, shows_messages: bool, **given: Any) -> int:
    """Show what was removed, of QUEUE or of all queues: a line for all that one command removed from one queue.

    With --messages, --removal or a selection it shows the messages, in the formats of mqx browse; ages are those
    of the messages, places count from what was removed first. Status 3: nothing there.

    \b
    mqx trash list
    mqx trash list ORDERS --messages
    mqx trash list --removal 3 -o jsonl | mqx put ORDERS --jsonl --keep-context
    """
    return trash.list_trash(session, trash.request_of(given), shows_messages=shows_messages)


@command.command("restore", short_help="Restore messages from the trash")
@click.argument("queue", required=False)
@_removal
@click.option("--all", "everything", is_flag=True, help="Restore all messages of the trash")
@click.option("--to", "target", metavar="QUEUE[@QMGR]", help="Target queue; default: the original queue")
@click.option("--dry-run", is_flag=True, help="Show what would be restored, without restoring it")
@click_options.selection
@click_options.general
def restore(session: Session, everything: bool, target: str | None, dry_run: bool, **given: Any) -> int:
    """Put back what was removed from QUEUE, went in a removal, or a selection means.

    \b
    mqx trash restore --removal 3
    mqx trash restore ORDERS --grep ACME
    mqx trash restore --msg-id "$id" --to ORDERS.CHECK
    mqx trash restore --all --dry-run

    A message is as it was, at its old place in the order of delivery. It comes behind all others with --to, and where
    its queue has been deleted and made again. Of several versions of one message the last comes back, the others by
    their --removal. A queue takes it back like any put: where it is full or inhibited, what came before stays
    restored (9). No reports are made for what goes back to its place.

    What mqx edit has changed changes places with what is on the queue: the message is as it was, and what edit made of
    it is in the trash. With --to its own queue there are two.

    What stays in the trash (9; all: 3): a message whose time has run out, and one whose edited version somebody holds.
    """
    request = trash.request_of(given)
    trash.check_narrowed(request, everything=everything)
    return trash.restore(session, request, target=as_text(target or ""), dry_run=dry_run)


@command.command("empty", short_help="Delete messages from the trash permanently")
@click.argument("queue", required=False)
@_removal
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it")
@click_options.selection
@click_options.general
def empty(session: Session, dry_run: bool, **given: Any) -> int:
    """Throw away for good what was removed from QUEUE, went in a removal, or a selection means; else everything.

    \b
    mqx trash empty
    mqx trash empty ORDERS --yes
    mqx trash empty --removal 3 --dry-run

    It asks first, with the count; where nobody can be asked it needs --yes. Status 3: nothing there.
    """
    return trash.empty(session, trash.request_of(given), dry_run=dry_run)

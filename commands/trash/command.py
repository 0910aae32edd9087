"""``mqx trash``: show, restore or empty what was deleted, cleared or discarded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..shared import click_options
from ..shared.command_session import Session, as_text
from ..shared.group import CommandGroup
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


@click.group("trash", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Show, restore or erase messages that were deleted, cleared or discarded.

    \b
    mqx trash list
    mqx trash restore --removal 3
    mqx trash restore ORDERS --newer 10m --to ORDERS.CHECK
    mqx trash empty --yes

    mqx delete, CLEAR QLOCAL, DELETE QLOCAL PURGE, ACTION(DISCARD) of mqx dlq-handle, and mqx edit keep the removed
    messages in the trash, unless --no-trash is given: for trash.max_age (7d), and up to trash.max_size (256MiB) in
    total, the oldest being removed first; mqx config explain shows both. 0 for either disables the trash. Messages over
    the limits are removed when more are added, a bounded number at a time.

    Only these commands read the trash. To erase data, use --no-trash or empty the trash; the pages of the file that
    held it are overwritten only when they are used again.
    """


@command.command("list", short_help="Show what is in the trash")
@click.argument("queue", required=False)
@click.option("--messages", "shows_messages", is_flag=True, help="Show the messages, not the removals")
@_removal
@click_options.selection
@click_options.general
def list_trash(session: Session, shows_messages: bool, **given: Any) -> int:
    """Show what was removed from QUEUE, or from all queues: one row for all that one command removed from one queue.

    With --messages, --removal, a selection, or -o raw, hex or dump the messages are shown; ages are those of the
    messages, positions count from the first removed. Exit status 3: none.

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
    """Restore the messages that were removed from QUEUE, in a removal, or that are selected.

    \b
    mqx trash restore --removal 3
    mqx trash restore ORDERS --grep ACME
    mqx trash restore --msg-id "$id" --to ORDERS.CHECK
    mqx trash restore --all --dry-run

    A message is restored unchanged, at its previous position in delivery order. With --to, or if its queue was deleted
    and defined again, it is the last on the queue. Of several versions of one message the last is restored, the others
    with their --removal. A restore is a put: if the queue is full or inhibited, messages restored before stay (9). No
    reports are generated for messages restored to their position.

    A message that mqx edit changed is exchanged with the one on the queue: the previous version is on the queue, and
    the edited version in the trash. With --to its own queue both are on the queue.

    Messages that stay in the trash (9; all of them: 3): expired ones, and those whose edited version is locked or
    uncommitted.
    """
    request = trash.request_of(given)
    trash.check_selection(request, everything=everything)
    return trash.restore(session, request, target=as_text(target or ""), dry_run=dry_run)


@command.command("empty", short_help="Delete messages from the trash permanently")
@click.argument("queue", required=False)
@_removal
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it")
@click_options.selection
@click_options.general_of_destroyer
def empty(session: Session, dry_run: bool, **given: Any) -> int:
    """Permanently delete messages from the trash: of QUEUE, of a removal, or selected ones; without any, all.

    \b
    mqx trash empty
    mqx trash empty ORDERS --yes
    mqx trash empty --removal 3 --dry-run

    The command asks for confirmation with the number of messages; without a terminal it requires --yes. Exit status 3:
    none.
    """
    return trash.empty(session, trash.request_of(given), dry_run=dry_run)

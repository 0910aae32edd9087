"""``mqx delete``: remove messages unread."""

from __future__ import annotations

import click

from mqtools.operations.selection import Selection

from . import _delete
from .shared import click_options
from .shared.command_session import Session, UsageMistake


@click.command("delete")
@click.argument("queue")
@click.option("--lock-id", type=click_options.LOCK_ID, metavar="HEX", help="Delete among what this lock id has locked.")
@click.option("--no-trash", is_flag=True, help="Delete for good, and faster: keep nothing in the trash.")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, and leave it.")
@click_options.selection
@click_options.general
def command(
    session: Session, queue: str, selection: Selection, lock_id: bytes | None, no_trash: bool, dry_run: bool
) -> int:
    """Delete the messages of QUEUE that the selection means; nobody reads them, no report speaks of them.

    \b
    mqx delete ORDERS --msg-id "$id"
    mqx delete ORDERS --pos 3..7 --dry-run
    mqx delete ORDERS --older 7d --yes
    mqx delete DLQ --reason MQRC_Q_FULL --yes -o json
    mqx delete ORDERS --pos 1.. --lock-id 5F2C90A1B3D4E6F7

    For anything but message ids it asks first, with the count; where nobody can be asked it needs --yes.
    A message that is locked is not there (3) without its lock id. What is deleted stays in the trash for a while
    (mqx trash), unless --no-trash says otherwise.
    """
    if selection.is_everything:
        raise UsageMistake(
            "say which messages: --pos, --msg-id, --correl-id, --where, --older, --grep, --reason, ...",
            f"everything: mqx mqsc 'CLEAR QLOCAL({queue})'",
        )
    request = _delete.DeleteRequest(queue, selection, lock_id=lock_id or b"", dry_run=dry_run, no_trash=no_trash)
    return _delete.delete_messages(session, request)

"""``mqx unlock``: let go of what ``mqx lock`` has locked."""

from __future__ import annotations

import click

from . import _options
from ._session import Session


@click.command("unlock")
@click.argument("queue")
@click.option("--lock-id", type=_options.LOCK_ID, required=True, metavar="HEX", help="The lock id that lock printed.")
@click.option("--msg-id", type=_options.ID_PREFIX, metavar="HEX", help="Only this message; its beginning is enough.")
@click.option("--dry-run", is_flag=True, help="Say what would be unlocked, and leave it locked.")
@_options.general
def command(session: Session, queue: str, lock_id: bytes, msg_id: bytes | None, dry_run: bool) -> int:
    """Unlock all messages of QUEUE that a lock id has locked, or one of them.

    A lock id that locks nothing there changes nothing and ends with status 6.

    \b
    mqx unlock ORDERS --lock-id 5F2C90A1B3D4E6F7
    mqx unlock ORDERS --lock-id 5F2C90A1B3D4E6F7 --msg-id "$id"
    mqx unlock ORDERS --lock-id "$lock" -o json
    """
    from mqtools.formats.wording import counted
    from mqtools.qmgr import lifecycle_trials
    from mqtools.qmgr.lifecycle_locks import unlock_message

    from ._chosen import whole_msg_id
    from ._counts import check_output, tell
    from ._looking import look

    check_output(session)
    with look(session) if dry_run else session.connect() as connection:
        whole = whole_msg_id(connection, queue, msg_id)
        number = (lifecycle_trials.unlock if dry_run else unlock_message)(connection, queue, lock_id, msg_id=whole)
    tell(session, f"{'would unlock' if dry_run else 'unlocked'} {counted(number)} on {queue}", {"unlocked": number})
    return 0

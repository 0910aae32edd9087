"""``mqx delete``: delete messages. Snapshot the selected keys, then delete them in batches."""

from __future__ import annotations

from typing import Any

import click

from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.operations.delete import delete_batch
from mqtools.operations.key_snapshot import locked_keys, select_keys
from mqtools.operations.selection import Selection
from mqtools.operations.views.trash_view import trash_size

from .shared import click_options
from .shared import messages as _messages
from .shared.command_session import JSON, NOTHING_THERE, PARTLY, Session, UsageError
from .shared.counts import print_totals
from .shared.deferred_signals import DeferredSignals
from .shared.holder_hint import print_holder_hint
from .shared.partly_done import PartlyDone
from .shared.progress import in_batches
from .shared.read_only import connect_to_change, fetch, source_of
from .shared.trash_notice import configure_trash, removal_number, words


@click.command("delete")
@click.argument("queue")
@click.option("--all", "everything", is_flag=True, help="Delete all messages")
@click.option("--lock-id", type=click_options.LOCK_ID, metavar="HEX", help="Delete messages locked under this id")
@click.option("--no-trash", is_flag=True, help="Delete permanently: keep nothing in the trash")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it")
@click_options.selection
@click_options.general_of_destroyer
def command(session: Session, queue: str, selection: Selection, everything: bool, **given: Any) -> int:
    """Delete the selected messages of QUEUE without reading them; no reports are generated.

    \b
    mqx delete ORDERS --msg-id "$id"
    mqx delete ORDERS --pos 3..7 --dry-run
    mqx delete ORDERS --older 7d --yes
    mqx delete DLQ --reason MQRC_Q_FULL --yes -o json
    mqx delete ORDERS --all --lock-id 5F2C90A1B3D4E6F7

    A selection by anything but message ids asks for confirmation with the number of messages; without a terminal it
    requires --yes. Without its lock id a locked message is not found (3); a delayed one is found only by --msg-id.
    Deleted messages stay in the trash for a while (see mqx trash), except with --no-trash.
    """
    if everything and not selection.is_everything:
        raise UsageError("--all cannot be combined with a selection")
    if selection.is_everything and not everything:
        raise UsageError(
            "a selection is required: --pos, --msg-id, --correl-id, --where, --older, --grep, --reason, ...",
            f"to delete all messages: --all, or mqx mqsc 'CLEAR QLOCAL({queue})'",
        )
    return _delete(session, queue, selection, **given)


def _delete(
    session: Session, queue: str, selection: Selection, *, lock_id: bytes | None, no_trash: bool, dry_run: bool
) -> int:
    """Delete the messages selected now; return 3 when there are none. Later arrivals stay."""
    with connect_to_change(session, dry_run=dry_run) as connection:
        source = source_of(connection)
        configure_trash(connection, no_trash=no_trash)
        if lock_id:
            seqs = locked_keys(source, queue, lock_id, selection)
        else:
            is_named = selection.is_by_msg_id and selection.first is selection.last is None
            seqs = select_keys(source, queue, selection, with_delayed=is_named)
        if seqs and not (selection.is_by_msg_id or session.yes or dry_run):
            session.confirm(f"delete {counted(len(seqs))} from {queue}{_trash_warning(connection, seqs)}")
        deleted = 0
        with PartlyDone(
            session, lambda: deleted, lambda: f"deleted so far: {counted(deleted)} from {queue}"
        ) as deletion:
            for batch in in_batches(session, "deleted", seqs):
                fetch(connection, batch)
                with DeferredSignals(connection):
                    deleted += delete_batch(connection, queue, batch, lock_id=lock_id or b"")
        if deletion.has_failed:
            return PARTLY
        gone = len(seqs) - deleted
        also = f"; {gone} no longer there" if gone else ""
        if not dry_run:
            text = f"deleted {counted(deleted)} from {queue}{also}{words(session, connection)}"
            print_totals(session, text, deleted, {"deleted": deleted, "removal": removal_number(connection)})
        elif session.output in JSON:
            would = {"deleted": 0, "would_delete": deleted}
            print_totals(session, f"would delete {counted(deleted)} from {queue}", deleted, would)
        else:
            _messages.show_stored(session, source, queue, seqs, lock_id)
            session.note(f"would delete {counted(deleted)} from {queue}")
        if not deleted:
            print_holder_hint(source, session, queue, selection)
        return 0 if deleted else NOTHING_THERE


def _trash_warning(connection: Connection, seqs: list[int]) -> str:
    """Return a warning for the confirmation prompt: what the trash will not keep."""
    if connection.trash is None:
        return " permanently"
    is_too_large = trash_size(connection, seqs) > connection.trash.max_bytes
    return ", more than fits in the trash" if is_too_large else ""

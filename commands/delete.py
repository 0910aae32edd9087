"""``mqx delete``: delete messages. Snapshot the selected keys, then delete them in batches."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import click

from mqtools.errors import MQError
from mqtools.formats.phrases import counted
from mqtools.mqi.connection import Connection
from mqtools.operations.delete import delete_batch
from mqtools.operations.key_snapshot import locked_keys, select_keys
from mqtools.operations.selection import Selection
from mqtools.operations.views.trash_view import trash_size

from .shared import click_options
from .shared import messages as _messages
from .shared.command_session import JSON, NOTHING_THERE, PARTLY, Session, Terminated, UsageError
from .shared.counts import print_counts
from .shared.deferred_signals import DeferredSignals
from .shared.holder_hint import print_holder_hint
from .shared.progress import ProgressBar
from .shared.read_only import connect_to_change, fetch, source_of
from .shared.trash_notice import configure_trash, removal_number, words

#: Messages in one transaction.
_BATCH = 100


@click.command("delete")
@click.argument("queue")
@click.option("--all", "everything", is_flag=True, help="Delete all messages")
@click.option("--lock-id", type=click_options.LOCK_ID, metavar="HEX", help="Delete messages locked under this id")
@click.option("--no-trash", is_flag=True, help="Delete permanently: keep nothing in the trash")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it")
@click_options.selection
@click_options.general_of_destroyer
def command(
    session: Session,
    queue: str,
    selection: Selection,
    everything: bool,
    lock_id: bytes | None,
    no_trash: bool,
    dry_run: bool,
) -> int:
    """Delete the selected messages of QUEUE without reading them; no reports are generated.

    \b
    mqx delete ORDERS --msg-id "$id"
    mqx delete ORDERS --pos 3..7 --dry-run
    mqx delete ORDERS --older 7d --yes
    mqx delete DLQ --reason MQRC_Q_FULL --yes -o json
    mqx delete ORDERS --all --lock-id 5F2C90A1B3D4E6F7

    A selection by anything but message ids asks for confirmation with the number of messages; without a terminal it
    requires --yes. A locked message is not found (3) without its lock id. Deleted messages stay in the trash for a
    while (see mqx trash), except with --no-trash.
    """
    if everything and not selection.is_everything:
        raise UsageError("--all cannot be combined with a selection")
    if selection.is_everything and not everything:
        raise UsageError(
            "a selection is required: --pos, --msg-id, --correl-id, --where, --older, --grep, --reason, ...",
            f"to delete all messages: --all, or mqx mqsc 'CLEAR QLOCAL({queue})'",
        )
    request = DeleteRequest(queue, selection, lock_id=lock_id or b"", dry_run=dry_run, no_trash=no_trash)
    return _delete_messages(session, request)


@dataclass(frozen=True, slots=True)
class DeleteRequest:
    """Request of ``mqx delete``.

    lock_id: delete messages locked under it; empty for unlocked messages.  no_trash: keep nothing in the trash.
    """

    queue: str
    selection: Selection
    _: KW_ONLY
    lock_id: bytes = b""
    dry_run: bool = False
    no_trash: bool = False


def _delete_messages(session: Session, request: DeleteRequest) -> int:
    """Delete the messages selected now; return 3 when there are none. Later arrivals stay."""
    with connect_to_change(session, dry_run=request.dry_run) as connection:
        source = source_of(connection)
        configure_trash(connection, no_trash=request.no_trash)
        seqs = _keys(source, request)
        if seqs and not (request.selection.is_by_msg_id or session.yes or request.dry_run):
            session.confirm(f"delete {counted(len(seqs))} from {request.queue}{_trash_warning(connection, seqs)}")
        deleted = 0
        try:
            with ProgressBar(session, "deleted", len(seqs)) as progress:
                for at in range(0, len(seqs), _BATCH):
                    batch = seqs[at : at + _BATCH]
                    fetch(connection, batch)
                    with DeferredSignals(connection):
                        deleted += delete_batch(connection, request.queue, batch, lock_id=request.lock_id)
                    progress.advance(len(batch))
        except MQError as error:
            if not deleted:
                raise
            session.report_error(error, _before(deleted, request.queue))
            return PARTLY
        except (KeyboardInterrupt, Terminated):
            session.note(_before(deleted, request.queue))
            raise
        if request.dry_run:
            _show(session, source, request, seqs, deleted)
            return _finish_status(session, source, request, deleted)
        gone = len(seqs) - deleted
        also = f"; {gone} no longer there" if gone else ""
        text = f"deleted {counted(deleted)} from {request.queue}{also}{words(connection)}"
        print_counts(session, text, {"deleted": deleted, "removal": removal_number(connection)})
        return _finish_status(session, connection, request, deleted)


def _finish_status(session: Session, connection: Connection, request: DeleteRequest, number: int) -> int:
    if number:
        return 0
    print_holder_hint(connection, session, request.queue, request.selection)
    return NOTHING_THERE


def _trash_warning(connection: Connection, seqs: list[int]) -> str:
    """Return a warning for the confirmation prompt: what the trash will not keep."""
    if connection.trash is None:
        return " permanently"
    is_too_large = trash_size(connection, seqs) > connection.trash.max_bytes
    return ", more than fits in the trash" if is_too_large else ""


def _keys(connection: Connection, request: DeleteRequest) -> list[int]:
    if request.lock_id:
        return locked_keys(connection, request.queue, request.lock_id, request.selection)
    return select_keys(connection, request.queue, request.selection)


def _show(session: Session, connection: Connection, request: DeleteRequest, seqs: list[int], number: int) -> None:
    """Print what would be deleted: the messages, or the count for JSON output."""
    text = f"would delete {counted(number)} from {request.queue}"
    if session.output in JSON:
        print_counts(session, text, {"deleted": 0, "would_delete": number})
        return
    _messages.show_stored(session, connection, request.queue, seqs, request.lock_id or None)
    session.note(text)


def _before(number: int, queue: str) -> str:
    return f"deleted so far: {counted(number)} from {queue}"

"""``mqx trash``: show, restore or empty what was deleted, cleared or discarded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import human_bytes, rfc3339
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.operations import trash_contents
from mqtools.operations.queue_manager_view import QueueManagerView, open_view
from mqtools.operations.selection import Selection
from mqtools.operations.trash_contents import RestoreResult
from mqtools.operations.views.trash_view import Removal, Trashed, list_removals, load_trashed

from .shared import click_options, messages
from .shared.command_session import JSON, MESSAGES, NOTHING_THERE, PARTLY, Session, Terminated, UsageError, as_text
from .shared.counts import print_totals
from .shared.deferred_signals import DeferredSignals
from .shared.group import CommandGroup
from .shared.output_formats import ROWS
from .shared.output_rows import print_list, print_rows, row_of
from .shared.progress import in_batches
from .shared.read_only import connect_to_change, fetch_trashed, source_of
from .shared.trash_notice import configure_trash, words

#: Columns of the list of removals.
_COLUMNS = (
    Column("removal", align="right", rank=0),
    Column("removed_at", "removed", rank=4),
    Column("queue", rank=1),
    Column("cause", rank=3),
    Column("messages", align="right", rank=2),
    Column("bytes", align="right", rank=6),
    Column("removed_by", "by", rank=5),
)


_removal = click.option(
    "--removal",
    type=click_options.Number(min=1),
    metavar="N",
    help="Only messages of this removal (see mqx trash list)",
)


@dataclass(frozen=True, slots=True)
class _Request:
    """Messages of the trash: of a queue, of a removal, by a selection. queue, removal: None for any."""

    queue: str | None
    removal: int | None
    selection: Selection

    def __post_init__(self) -> None:
        as_text(self.queue or "")

    def select(self, source: QueueManagerView | Connection) -> Iterator[Trashed]:
        return trash_contents.select_trashed(source, self.selection, q_name=self.queue, removal=self.removal)


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

    With --messages, --removal, a selection, or -o raw, hex or listing the messages are shown; ages are those of the
    messages, positions count from the first removed. Exit status 3: none.

    \b
    mqx trash list
    mqx trash list ORDERS --messages
    mqx trash list --removal 3 -o jsonl | mqx put ORDERS --jsonl --keep-context
    """
    request = _Request(**given)
    shows_messages |= request.removal is not None or not request.selection.is_everything
    view = open_view(session.qmgr)
    if shows_messages or session.output in set(MESSAGES).difference(ROWS):
        return _show_messages(session, view, request)
    return print_list(session, [_row(removal) for removal in list_removals(view, request.queue)], _COLUMNS)


@command.command("restore", short_help="Restore messages from the trash")
@click.argument("queue", required=False)
@_removal
@click.option("--all", "everything", is_flag=True, help="Restore all messages of the trash")
@click.option("--to", "target", metavar="Q[@QM]", help="Target queue; default: the original queue")
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
    request = _Request(**given)
    if request == _Request(None, None, Selection()) and not everything:
        raise UsageError(
            "a selection is required: QUEUE, --removal, --msg-id, --newer, ..., or --all", "mqx trash list"
        )
    with connect_to_change(session, dry_run=dry_run) as connection:
        source = source_of(connection)
        configure_trash(connection)
        numbers = trash_contents.newest_versions(request.select(source))
        restoring = _RestoreRun(session, as_text(target or ""), len(numbers))
        try:
            error = restoring.run(connection, numbers)
        except (KeyboardInterrupt, Terminated):
            session.note(restoring.balance())
            raise
        if error is not None and not restoring.done.number:
            raise error
        if dry_run:
            counts: dict[str, object] = {**restoring.counts(), "restored": 0, "would_restore": restoring.done.number}
            _show_instead(session, source, request, restoring.balance("would restore"), restoring.done.number, counts)
        if error is not None:
            session.report_error(error, "" if dry_run else restoring.balance())
        elif not dry_run:
            print_totals(
                session, restoring.balance() + words(session, connection), restoring.done.number, restoring.counts()
            )
        if not restoring.done.number:
            return NOTHING_THERE
        return PARTLY if error is not None or restoring.done.expired or restoring.done.held else 0


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
    request = _Request(**given)
    with connect_to_change(session, dry_run=dry_run) as connection:
        source = source_of(connection)
        sizes = {trashed.number: trashed.size for trashed in request.select(source)}
        text = f"{counted(len(sizes))} ({human_bytes(sum(sizes.values()))})"
        if sizes and not dry_run:
            session.confirm(f"permanently delete {text} from the trash")
        emptied = 0
        for batch in in_batches(session, "emptied", list(sizes)):
            fetch_trashed(connection, batch)
            emptied += trash_contents.empty(connection, batch)
        if dry_run:
            counts = {"emptied": 0, "would_empty": emptied}
            _show_instead(session, source, request, f"would permanently delete {text} from the trash", emptied, counts)
        else:
            print_totals(
                session, f"permanently deleted {counted(emptied)} from the trash", emptied, {"emptied": emptied}
            )
        return 0 if emptied else NOTHING_THERE


def _row(removal: Removal) -> dict[str, object]:
    named = {"removal": removal.number, "queue": removal.q_name, "bytes": removal.size}
    return row_of(removal, _COLUMNS, removed_at=rfc3339(removal.last_at), **named)


def _show_messages(session: Session, source: QueueManagerView | Connection, request: _Request) -> int:
    shown = 0

    def loaded() -> Iterator[tuple[Trashed, Message]]:
        nonlocal shown
        for trashed in request.select(source):
            shown += 1
            yield trashed, load_trashed(source, trashed)

    if session.output in JSON:
        print_rows(session, (_envelope(source, *each) for each in loaded()), (), session.output)
    else:
        writer = messages.writer(session, with_state=False)
        for trashed, message in loaded():
            writer.write(message, trashed.q_name, UNLOCKED, None)
        writer.finish()
    return 0 if shown else NOTHING_THERE


def _envelope(source: QueueManagerView | Connection, trashed: Trashed, message: Message) -> dict[str, object]:
    extra: dict[str, object] = {
        "removal": trashed.removal,
        "removed_at": rfc3339(trashed.removed_at),
        "removed_by": trashed.removed_by,
        "cause": trashed.cause,
    }
    return to_envelope(message, qmgr=source.name, queue=trashed.q_name, state=UNLOCKED, extra=extra, ccsid=source.ccsid)


@dataclass(slots=True)
class _RestoreRun:
    """Run of a restore, and its result so far."""

    _session: Session
    _target: str
    _total: int
    done: RestoreResult = field(default_factory=RestoreResult)

    def run(self, connection: Connection, numbers: list[int]) -> MQError | None:
        """Restore the messages in batches; return the error that ended the run, if any."""
        q_name, _, q_mgr_name = self._target.partition("@")
        for batch in in_batches(self._session, "restored", numbers):
            fetch_trashed(connection, batch)
            with DeferredSignals(connection):
                restored = trash_contents.restore(connection, batch, to_q_name=q_name, to_q_mgr_name=q_mgr_name)
                self.done.add(restored)
            if restored.error is not None:
                return restored.error
        return None

    def balance(self, did: str = "restored") -> str:
        done = self.done
        text = f"{did} {counted(done.number)}"
        if self._target:
            text += f" to {self._target}"
        elif done.anew:
            text += f", {done.anew} of them at the end of the queue, which was deleted and defined again"
        if done.exchanged:
            text += f", {done.exchanged} of them in place of their edited versions"
        left = self._total - done.number - done.gone
        if left:
            text += f"; {left} left in the trash"
        text += f", {done.expired} because they have expired" if done.expired else ""
        why = "because the edited version is locked or uncommitted, or does not fit in the trash"
        return text + (f", {done.held} {why}" if done.held else "")

    def counts(self) -> dict[str, object]:
        return {
            "restored": self.done.number,
            "anew": self.done.anew,
            "exchanged": self.done.exchanged,
            "expired": self.done.expired,
            "held": self.done.held,
        }


def _show_instead(
    session: Session, connection: Connection, request: _Request, text: str, messages: int, counts: Mapping[str, object]
) -> None:
    """Print the messages, or the counts for JSON output, without changing anything."""
    if session.output not in JSON:
        _show_messages(session, connection, request)
    print_totals(session, text, messages, counts)

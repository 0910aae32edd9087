"""Implementation of ``mqx trash``: list, restore, empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.formats.units import human_bytes, rfc3339
from mqtools.mqi.connection import Connection
from mqtools.operations import trash_contents
from mqtools.operations.queue_manager_view import QueueManagerView, open_view
from mqtools.operations.selection import Selection
from mqtools.operations.trash_contents import RestoreResult
from mqtools.operations.views.trash_view import list_removals, load_trashed

from ..shared import messages
from ..shared.command_session import JSON, MESSAGES, NOTHING_THERE, PARTLY, Session, Terminated, UsageError, as_text
from ..shared.counts import print_counts
from ..shared.deferred_signals import DeferredSignals
from ..shared.output_formats import ROWS
from ..shared.output_rows import print_rows
from ..shared.progress import ProgressBar
from ..shared.read_only import connect_to_change, fetch_trashed, source_of
from ..shared.trash_notice import configure_trash, words

if TYPE_CHECKING:
    from mqtools.operations.views.trash_view import Removal, Trashed

#: Messages in one transaction.
_BATCH = 100


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


@dataclass(frozen=True, slots=True)
class TrashRequest:
    """Messages of the trash: of a queue, of a removal, by a selection. queue, removal: None for any."""

    queue: str | None
    removal: int | None
    selection: Selection

    @property
    def is_everything(self) -> bool:
        """Whether the request has no restriction."""
        return self.queue is None and self.removal is None and self.selection.is_everything

    def select(self, source: QueueManagerView | Connection) -> Iterator[Trashed]:
        """Yield the selected messages, the oldest first."""
        return trash_contents.select_trashed(source, self.selection, q_name=self.queue, removal=self.removal)


def request_of(given: dict[str, Any]) -> TrashRequest:
    """Return the request of a command line. Raise UsageError."""
    queue = given["queue"]
    return TrashRequest(None if queue is None else as_text(queue), given["removal"], given["selection"])


# list


def list_trash(session: Session, request: TrashRequest, *, shows_messages: bool) -> int:
    """Print the removals, or the messages; return 3 when there are none."""
    with_messages = shows_messages or request.removal is not None or not request.selection.is_everything
    with_messages = with_messages or session.output in set(MESSAGES).difference(ROWS)
    view = open_view(session.qmgr)
    if with_messages:
        return _show_messages(session, view, request)
    return _show_removals(session, list_removals(view, request.queue))


def _show_removals(session: Session, removals: list[Removal]) -> int:
    output = session.list_output
    if removals or output != "table":
        print_rows(session, (_row(removal) for removal in removals), _COLUMNS, output)
    return 0 if removals else NOTHING_THERE


def _row(removal: Removal) -> dict[str, object]:
    return {
        "removal": removal.number,
        "removed_at": rfc3339(removal.last_at),
        "queue": removal.q_name,
        "cause": removal.cause,
        "messages": removal.messages,
        "bytes": removal.size,
        "removed_by": removal.removed_by,
    }


def _show_messages(session: Session, source: QueueManagerView | Connection, request: TrashRequest) -> int:
    writer = messages.writer(session, with_state=False)
    if session.output in JSON:
        return _show_envelopes(session, source, request, session.output)
    shown = 0
    for trashed in request.select(source):
        writer.write(load_trashed(source, trashed), trashed.q_name, UNLOCKED, None)
        shown += 1
    writer.finish()
    return 0 if shown else NOTHING_THERE


def _show_envelopes(session: Session, source: QueueManagerView | Connection, request: TrashRequest, output: str) -> int:
    shown = 0

    def envelopes() -> Iterator[dict[str, object]]:
        nonlocal shown
        for trashed in request.select(source):
            shown += 1
            extra: dict[str, object] = {
                "removal": trashed.removal,
                "removed_at": rfc3339(trashed.removed_at),
                "removed_by": trashed.removed_by,
                "cause": trashed.cause,
            }
            message = load_trashed(source, trashed)
            yield to_envelope(
                message,
                qmgr=source.name,
                queue=trashed.q_name,
                state=UNLOCKED,
                extra=extra,
                ccsid=source.ccsid,
            )

    print_rows(session, envelopes(), (), output)
    return 0 if shown else NOTHING_THERE


# restore


def restore(session: Session, request: TrashRequest, *, target: str, dry_run: bool) -> int:
    """Restore messages; return 3 when none is selected. target: queue, queue@queue-manager, empty for their own."""
    with connect_to_change(session, dry_run=dry_run) as connection:
        source = source_of(connection)
        configure_trash(connection)
        numbers = trash_contents.newest_versions(request.select(source))
        restoring = _RestoreRun(session, target, len(numbers))
        try:
            error = restoring.run(connection, numbers)
        except (KeyboardInterrupt, Terminated):
            session.note(restoring.balance())
            raise
        if error is not None and not restoring.done.number:
            raise error
        if dry_run:
            counts: dict[str, object] = {**restoring.counts(), "restored": 0, "would_restore": restoring.done.number}
            _show_instead(session, source, request, restoring.balance("would restore"), counts)
        if error is not None:
            session.report_error(error, "" if dry_run else restoring.balance())
        elif not dry_run:
            print_counts(session, restoring.balance() + words(connection), restoring.counts())
        return restoring.status(error)


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
        with ProgressBar(self._session, "restored", self._total) as progress:
            for at in range(0, len(numbers), _BATCH):
                batch = numbers[at : at + _BATCH]
                fetch_trashed(connection, batch)
                with DeferredSignals(connection):
                    restored = trash_contents.restore(connection, batch, to_q_name=q_name, to_q_mgr_name=q_mgr_name)
                    self.done.add(restored)
                if restored.error is not None:
                    return restored.error
                progress.advance(len(batch))
        return None

    def status(self, error: MQError | None) -> int:
        """Return the exit status. error: what ended the run."""
        if not self.done.number:
            return NOTHING_THERE
        return PARTLY if error is not None or self.done.expired or self.done.held else 0

    def balance(self, did: str = "restored") -> str:
        """Return the balance in words."""
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
        """Return the balance as numbers."""
        return {
            "restored": self.done.number,
            "anew": self.done.anew,
            "exchanged": self.done.exchanged,
            "expired": self.done.expired,
            "held": self.done.held,
        }


def _show_instead(
    session: Session, connection: Connection, request: TrashRequest, text: str, counts: dict[str, object]
) -> None:
    """Print the messages, or the counts for JSON output, without changing anything."""
    if session.output not in JSON:
        _show_messages(session, connection, request)
    print_counts(session, text, counts)


# empty


def empty(session: Session, request: TrashRequest, *, dry_run: bool) -> int:
    """Delete messages from the trash; return 3 when none is selected."""
    with connect_to_change(session, dry_run=dry_run) as connection:
        source = source_of(connection)
        sizes = {trashed.number: trashed.size for trashed in request.select(source)}
        text = f"{counted(len(sizes))} ({human_bytes(sum(sizes.values()))})"
        if sizes and not dry_run:
            session.confirm(f"permanently delete {text} from the trash")
        numbers, emptied = list(sizes), 0
        with ProgressBar(session, "emptied", len(numbers)) as progress:
            for at in range(0, len(numbers), _BATCH):
                batch = numbers[at : at + _BATCH]
                fetch_trashed(connection, batch)
                emptied += trash_contents.empty(connection, batch)
                progress.advance(_BATCH)
        if dry_run:
            counts: dict[str, object] = {"emptied": 0, "would_empty": emptied}
            _show_instead(session, source, request, f"would permanently delete {text} from the trash", counts)
        else:
            print_counts(session, f"permanently deleted {counted(emptied)} from the trash", {"emptied": emptied})
        return 0 if emptied else NOTHING_THERE


def check_selection(request: TrashRequest, *, everything: bool) -> None:
    """Raise UsageError for a request without a selection and without --all."""
    if request.is_everything and not everything:
        raise UsageError(
            "a selection is required: QUEUE, --removal, --msg-id, --newer, ..., or --all", "mqx trash list"
        )

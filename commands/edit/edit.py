"""Implementation of ``mqx edit``: change messages as the options say, or open one in an editor."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

from mqtools.errors import MQError
from mqtools.formats.descriptor import FLAGS, md_from_dict
from mqtools.formats.phrases import counted, did_you_mean, nearest
from mqtools.formats.properties import parse_property
from mqtools.formats.units import parse_expiry
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import Connection
from mqtools.operations.edit import Changes, EditResult, edit_batch
from mqtools.operations.key_snapshot import select_keys

from ..shared.command_session import NOTHING_THERE, PARTLY, Session, Terminated, UsageError
from ..shared.counts import print_totals
from ..shared.deferred_signals import DeferredSignals
from ..shared.holder_hint import print_holder_hint
from ..shared.read_only import connect_to_change, fetch, source_of
from ..shared.trash_notice import configure_trash, words
from .editor import EditRequest, edit_with_editor, show_difference

#: Messages in one transaction.
_BATCH = 100


def edit_messages(session: Session, request: EditRequest) -> int:
    """Edit the messages selected now; return 3 when there are none."""
    with connect_to_change(session, dry_run=request.dry_run) as connection:
        configure_trash(connection, no_trash=request.no_trash or request.dry_run)
        keys = select_keys(source_of(connection), request.queue, request.selection)
        if not keys:
            status = _change(session, connection, request, keys)
            print_holder_hint(source_of(connection), session, request.queue, request.selection)
            return status
        if request.changes is None:
            if len(keys) > 1:
                raise UsageError(
                    f"cannot open {len(keys)} messages in an editor: select one", "--set and --body-from change several"
                )
            return edit_with_editor(session, connection, request, keys[0])
        return _change(session, connection, request, keys)


def _change(session: Session, connection: Connection, request: EditRequest, keys: list[int]) -> int:
    changing = _EditRun(session, connection, request)
    try:
        changing.run(keys)
    except (KeyboardInterrupt, Terminated):
        session.note(changing.words(len(keys)))
        raise
    done = changing.done
    if done.error is not None:
        if not done.number:
            raise done.error
        session.report_error(done.error, changing.words(len(keys)))
        return PARTLY
    print_totals(session, changing.words(len(keys)), done.number, changing.counts())
    return 0 if done.number or done.unchanged else NOTHING_THERE


@dataclass(slots=True)
class _EditRun:
    """Run of an edit over messages, and its totals; done.error: the error that ended it."""

    _session: Session
    _connection: Connection
    _request: EditRequest
    done: EditResult = field(default_factory=EditResult)

    def run(self, keys: list[int]) -> None:
        for at in range(0, len(keys), _BATCH):
            fetch(self._connection, keys[at : at + _BATCH])
            with DeferredSignals(self._connection):
                batch = edit_batch(self._connection, self._request.queue, keys[at : at + _BATCH], self._apply_changes)
                self.done.number += batch.number
                self.done.unchanged += batch.unchanged
                self.done.gone += batch.gone
                self.done.error = batch.error
            if batch.error is not None:
                return

    def _apply_changes(self, before: Message) -> Message:
        assert self._request.changes is not None
        after = self._request.changes.apply(before)
        if self._request.dry_run or self._session.verbose:
            show_difference(self._session, before, after, dry_run=self._request.dry_run)
        return after

    def words(self, total: int) -> str:
        done = self.done
        text = f"{'would have ' if self._request.dry_run else ''}edited {counted(done.number)} on {self._request.queue}"
        text += f"; {done.unchanged} unchanged" if done.unchanged else ""
        text += f"; {done.gone} no longer there or locked" if done.gone else ""
        left = total - done.number - done.unchanged - done.gone
        text += f"; {left} not edited" if left else ""
        return text if self._request.dry_run else text + words(self._session, self._connection)

    def counts(self) -> dict[str, object]:
        if self._request.dry_run:
            return {"edited": 0, "would_edit": self.done.number, "unchanged": self.done.unchanged}
        return {"edited": self.done.number, "unchanged": self.done.unchanged}


# The options


def changes_of(given: dict[str, Any]) -> Changes | None:
    """Return the changes that the options describe; None without any. Raise UsageError."""
    if not (given["fields"] or given["properties"] or given["unset"] or given["body_from"] is not None):
        return None
    body = None if given["body_from"] is None else _read(given["body_from"])
    return Changes(_fields(given["fields"]), _properties(given["properties"]), given["unset"], body)


def _fields(words: tuple[str, ...]) -> dict[str, Any]:
    """Parse ``field=value`` pairs: values as in JSON, flags separated by commas, an expiry with an optional unit."""
    fields: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in MQMD.__slots__:
            hint = did_you_mean(nearest(name.lower(), MQMD.__slots__)) or "--set priority=7"
            raise UsageError(f"--set {word}: expected FIELD=VALUE with a field of the descriptor", hint)
        meant: object = value.split(",") if name in FLAGS else value
        try:
            if name == "expiry" and value[-1:].isalpha() and value[:1].isdigit():
                meant = parse_expiry(value)
            fields[name] = getattr(md_from_dict({name: meant}), name)
        except (MQError, ValueError) as error:
            text = error.text if isinstance(error, MQError) else str(error)
            raise UsageError(f"--set {word}: {text}") from error
    return fields


def _properties(words: tuple[str, ...]) -> dict[str, Property]:
    properties = {}
    for word in words:
        try:
            name, value = parse_property(word)
        except MQError as error:
            raise UsageError(f"--set-property {word}: {error.text}") from error
        properties[name] = value
    return properties


def _read(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()

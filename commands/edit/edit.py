"""What ``mqx edit`` does once its line is understood: change messages as options say, or hand one to an editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.errors import MQError
from mqtools.formats.phrases import counted, did_you_mean, nearest
from mqtools.operations.edit import Changes, EditResult, edit_batch

from ..shared.command_session import NOTHING_THERE, PARTLY, Session, Terminated, UsageMistake
from ..shared.commit_counter import Settling
from ..shared.counts import check_output, tell
from ..shared.key_snapshot import chosen_keys, hint_at_holder
from ..shared.read_only import fetch, looked_at, rehearse
from ..shared.trash_notice import use_trash, words
from .editor import edit_with_editor
from .show_difference import show_difference

if TYPE_CHECKING:
    from typing import Any

    from mqtools.message import Message, Property
    from mqtools.mqi.connection import Connection

    from .request import EditRequest

#: Messages in one transaction.
_BATCH = 100


def edit_messages(session: Session, request: EditRequest) -> int:
    """Edit what the selection means now; 3 when that is nothing."""
    check_output(session)
    with rehearse(session) if request.dry_run else session.connect() as connection:
        use_trash(connection, no_trash=request.no_trash or request.dry_run)
        keys = chosen_keys(looked_at(connection), request.queue, request.selection)
        if not keys:
            status = _change(session, connection, request, keys)
            hint_at_holder(looked_at(connection), session, request.queue, request.selection)
            return status
        if request.changes is None:
            if len(keys) > 1:
                raise UsageMistake(f"{len(keys)} messages are meant: an editor takes one", "--set and others take all")
            return edit_with_editor(session, connection, request, keys[0])
        return _change(session, connection, request, keys)


def _change(session: Session, connection: Connection, request: EditRequest, keys: list[int]) -> int:
    changing = _Changing(session, connection, request)
    try:
        changing.run(keys)
    except (KeyboardInterrupt, Terminated):
        session.note(changing.words(len(keys)))
        raise
    done = changing.done
    if done.error is not None:
        if not done.number:
            raise done.error
        session.complain(done.error, changing.words(len(keys)))
        return PARTLY
    tell(session, changing.words(len(keys)), changing.counts())
    return 0 if done.number or done.unchanged else NOTHING_THERE


class _Changing:
    """The run of changes over messages, and what became of them; done.error: what ended it."""

    def __init__(self, session: Session, connection: Connection, request: EditRequest) -> None:
        self.done = EditResult()
        self._session = session
        self._connection = connection
        self._request = request

    def run(self, keys: list[int]) -> None:
        """Change batch by batch."""
        for at in range(0, len(keys), _BATCH):
            fetch(self._connection, keys[at : at + _BATCH])
            with Settling(self._connection):
                batch = edit_batch(self._connection, self._request.queue, keys[at : at + _BATCH], self._changed)
                self.done.number += batch.number
                self.done.unchanged += batch.unchanged
                self.done.gone += batch.gone
                self.done.error = batch.error
            if batch.error is not None:
                return

    def _changed(self, before: Message) -> Message:
        assert self._request.changes is not None
        after = self._request.changes.apply(before)
        if self._request.dry_run or self._session.verbose:
            show_difference(self._session, before, after, dry_run=self._request.dry_run)
        return after

    def words(self, total: int) -> str:
        """Say what has been done, and what has not."""
        done = self.done
        text = f"{'would have ' if self._request.dry_run else ''}edited {counted(done.number)} on {self._request.queue}"
        text += f"; {done.unchanged} were so already" if done.unchanged else ""
        text += f"; {done.gone} had gone or were locked meanwhile" if done.gone else ""
        left = total - done.number - done.unchanged - done.gone
        text += f"; {left} left as they were" if left else ""
        return text if self._request.dry_run else text + words(self._connection)

    def counts(self) -> dict[str, object]:
        """Give the same in numbers."""
        if self._request.dry_run:
            return {"edited": 0, "would_edit": self.done.number, "unchanged": self.done.unchanged}
        return {"edited": self.done.number, "unchanged": self.done.unchanged}


# What the options say


def changes_of(given: dict[str, Any]) -> Changes | None:
    """Make changes of the options; None where there are none. Raises UsageMistake."""
    if not (given["fields"] or given["properties"] or given["unset"] or given["body_from"] is not None):
        return None
    body = None if given["body_from"] is None else _read(given["body_from"])
    return Changes(_fields(given["fields"]), _properties(given["properties"]), given["unset"], body)


def _fields(words: tuple[str, ...]) -> dict[str, Any]:
    """Read ``field=value`` as JSON has the fields; flags are separated by commas, a time to live may have a unit."""
    from mqtools.formats.descriptor import FLAGS, md_from_dict
    from mqtools.formats.units import parse_expiry
    from mqtools.message import MQMD

    fields: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in MQMD.__slots__:
            raise UsageMistake(f"--set {word}: a field of the descriptor and its value are needed", _similar(name))
        meant: object = value.split(",") if name in FLAGS else value
        try:
            if name == "expiry" and value[-1:].isalpha() and value[:1].isdigit():
                meant = parse_expiry(value)
            fields[name] = getattr(md_from_dict({name: meant}), name)
        except (MQError, ValueError) as error:
            text = error.text if isinstance(error, MQError) else str(error)
            raise UsageMistake(f"--set {word}: {text}") from error
    return fields


def _similar(name: str) -> str:
    from mqtools.message import MQMD

    return did_you_mean(nearest(name.lower(), MQMD.__slots__)) or "--set priority=7"


def _properties(words: tuple[str, ...]) -> dict[str, Property]:
    from mqtools.formats.envelope import parse_property

    properties = {}
    for word in words:
        try:
            name, value = parse_property(word)
        except MQError as error:
            raise UsageMistake(f"--set-property {word}: {error.text}") from error
        properties[name] = value
    return properties


def _read(path: str) -> bytes:
    import sys

    if path == "-":
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()

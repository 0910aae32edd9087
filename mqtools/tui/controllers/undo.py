"""Key that undoes the last deletion, move or edit of this session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mqtools.operations.session_upkeep import replaced_versions
from mqtools.operations.views.content import read_content
from mqtools.operations.views.message_view import Database
from mqtools.operations.views.trash_view import list_removals
from mqtools.tui.background import verbs
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.display.outcome import MovedMessages, Outcome, format_count
from mqtools.tui.display.row import Row

if TYPE_CHECKING:
    from mqtools.operations.stored_messages import Source  # it has it for type checkers only


class _Undoable(NamedTuple):
    """An action that can be undone.

    words: what undoing it does.  verb: past tense.  steps: of the job that undoes it.  is_left: whether some of it is
    left to undo after a job with an outcome.  refusal: why it cannot be undone, empty when it can.  describe: returns
    lines about its messages, for the question.
    """

    words: str
    verb: str
    steps: Callable[[SessionWriter], Iterator[Outcome]]
    is_left: Callable[[Any], bool]
    refusal: str = ""
    describe: Callable[[Database], list[str]] = lambda _: []


class EditedState(NamedTuple):
    """State of a message before or after an edit. content: of the message.  versions: replaced ones, in the trash."""

    content: object
    versions: set[int]


def read_edited_state(source: Source, q_name: str, row: Row) -> EditedState:
    return EditedState(read_content(source, row.seq), replaced_versions(source, q_name, row.md.msg_id, row.seq))


@dataclass(eq=False)
class Undo(Controller):
    """Actions of this session that can be undone, the last one first."""

    work: WorkController
    _done: list[_Undoable] = field(default_factory=list)

    def note(self, value: Any, q_name: str) -> None:
        """Note the outcome of a job on a queue, if it can be undone."""
        if not isinstance(value, Outcome):
            return
        if value.removal is not None:
            number = value.removal
            words = f"Put back on {q_name} what was deleted last (removal {number} of the trash)"
            steps, describe = partial(verbs.restore, removal=number), partial(_describe, q_name=q_name, number=number)
            self._done.append(_Undoable(words, "put back", steps, _is_left, describe=describe))
        elif value.moved is not None and value.moved.keys:
            self._done.append(_undo_of_move(value.moved, q_name))

    def note_edit(self, q_name: str, row: Row, before: EditedState, now: EditedState) -> None:
        """Note an edit of a message, and say whether it can be undone. before, now: states around the edit."""
        replaced = now.versions - before.versions
        refusal = "another program has edited it at the same time" if len(replaced) > 1 else ""
        if not replaced:
            refusal = "the trash does not keep what it replaced"
        version = min(replaced, default=0)
        steps = partial(verbs.undo_edit, q_name=q_name, seq=row.seq, version=version, edited=now.content)
        words = f"Restore the message on {q_name} as it was before the edit"
        self._done.append(_Undoable(words, "restored", steps, _is_left, refusal))
        self.browser.jobs.note(f"edit message {row.md.msg_id.hex().upper()} on {q_name}")
        undoes = f"; {self.browser.session.first_key('undo')} undoes"
        self.browser.say(f"edited{'' if refusal else undoes}")

    def undo(self) -> None:
        """Undo the last action, after asking."""
        if not self._done:
            self.browser.say("nothing has been deleted, moved or edited here that can be put back")
            return
        last = self._done[-1]
        if last.refusal:
            self._done.pop()
            self.browser.say(f"cannot undo this: {last.words}: {last.refusal}", "warning")
        else:
            dialog = self.browser.confirm(f"{last.words}?", "Undo", lambda: self._run(last))
            self.browser.ask(last.describe, dialog.show_more, is_live=True)

    def _run(self, undoable: _Undoable) -> None:
        if undoable not in self._done:
            return
        self._done.remove(undoable)

        def done(value: Any) -> None:
            if undoable.is_left(value):
                self._done.append(undoable)  # the rest can be put back later

        self.work.job(undoable.words, undoable.verb, undoable.steps, None, done=done)


def _describe(db: Database, q_name: str, number: int) -> list[str]:
    """Return a line with the number of messages of a removal that are in the trash. number: of the removal."""
    return [f"  {format_count(sum(one.messages for one in list_removals(db, q_name) if one.number == number))}"]


def _is_left(value: Any) -> bool:
    return not isinstance(value, Outcome) or value.done + value.gone < value.total


def _undo_of_move(moved: MovedMessages, q_name: str) -> _Undoable:
    words = f"Move back to {q_name} {format_count(len(moved.keys))} from {moved.q_name}"
    steps = partial(verbs.move_back, q_name=q_name, moved=moved)
    return _Undoable(words, "moved back", steps, lambda _: bool(moved.keys), moved.refusal)

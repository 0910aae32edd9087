"""Key for locks: those of this session, and those of a lock id, which outlive the process that made them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.constants.reasons import MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.formats.units import human_age
from mqtools.lifecycle.held_messages import describe_holder
from mqtools.mqi.identity import now_ms
from mqtools.operations.views.message_view import Database, read_lock_holder
from mqtools.tui.background import verbs
from mqtools.tui.background.writer import SessionWriter
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.work import WorkController
from mqtools.tui.dialogs.standard import ChoiceDialog
from mqtools.tui.display.outcome import format_count

#: Messages of a lock are counted up to this number.
_COUNTED = 1000
_ONE, _TAKE, _ALL = "one", "take", "all"


@dataclass(frozen=True, slots=True)
class LockId:
    """Lock id that locks a message.

    q_name: of the queue.  seq: key of the message.  lock_id: its bytes.  by: user and process that locked.
    made_at, lease_until: milliseconds since 1970; a lease of None has no end.  number: messages that it locks, counted
    up to a limit.
    """

    q_name: str
    seq: int
    lock_id: bytes
    by: str
    made_at: int
    lease_until: int | None
    number: int

    @property
    def number_words(self) -> str:
        return f"more than {format_count(_COUNTED)}" if self.number > _COUNTED else format_count(self.number)

    def words(self, now: int) -> str:
        """Return owner, age, lease and number of messages in words. now: milliseconds since 1970."""
        left = "" if self.lease_until is None else human_age((self.lease_until - now) / 1000)
        end = f"the lock ends in {left}" if left else "the lock has no end"
        return (
            f"Locked by {self.by} {human_age((now - self.made_at) / 1000)} ago; {end}.\n"
            f"Its lock id {self.lock_id.hex().upper()} locks {self.number_words} on {self.q_name}."
        )


def read_lock(db: Database, q_name: str, seq: int) -> LockId | None:
    """Return the lock id that locks a message; None for no lock id: a program's own lock ends with the program."""
    found = read_lock_holder(db, seq, _COUNTED + 1)
    if found is None:
        return None
    lock, number = found
    return LockId(q_name, seq, lock.token or b"", describe_holder(db, lock), lock.created_at, lock.lease_until, number)


@dataclass(eq=False)
class Locks(Controller):
    """The key that locks and unlocks."""

    work: WorkController

    def toggle(self) -> None:
        """Lock the message under the cursor, or unlock it; ask what to do when a lock id has locked it."""
        row, q_name = self.browser.current, self.browser.messages.q_name
        if row is None or row.gone_at is not None:
            return

        action = f"lock on {q_name}"

        def failed(error: Exception) -> None:
            self.browser.jobs.note(action, error)
            if isinstance(error, MQError) and error.reason == MQRC_OBJECT_IN_USE:
                self.browser.ask(
                    lambda db: read_lock(db, q_name, row.seq),
                    lambda lock: self.browser.fail(error, action) if lock is None else self._choose(lock),
                )
            else:
                self.browser.fail(error, action)

        def done(is_locked: Any) -> None:
            self.browser.jobs.note(action if is_locked else f"unlock on {q_name}")
            self.browser.say("locked: other programs cannot take it" if is_locked else "unlocked")

        self.work.write(action, lambda writer: writer.lock(q_name, row.seq), done, failed, is_logged=False)

    def _choose(self, lock: LockId) -> None:
        """Ask what to do with a lock of a lock id."""
        choices = [
            ("u", _ONE, "unlock this message: anybody can get it"),
            ("t", _TAKE, "take it over: locked by this browser instead, until the browser ends"),
        ]
        if lock.number > 1:
            choices.append(("a", _ALL, f"unlock all that the lock id locks: {lock.number_words}"))
        dialog = ChoiceDialog(lock.words(now_ms()), choices)
        self.browser.show(dialog, lambda choice: self._confirm(lock, choice), waits=True)

    def _confirm(self, lock: LockId, choice: str) -> None:
        """Ask for confirmation: the owner of the lock id relies on it."""
        number, them = (lock.number_words, "them") if choice == _ALL else (format_count(1), "it")
        yes = "Take over" if choice == _TAKE else "Unlock"
        question = (
            f"{yes} {number} on {lock.q_name}, locked by {lock.by}?\nThe lock id does not hold {them} any longer then."
        )
        self.browser.confirm(question, yes, lambda: self._release(lock, choice))

    def _release(self, lock: LockId, choice: str) -> None:
        if choice == _ALL:
            self.work.job(
                f"Unlock {lock.number_words} on {lock.q_name}",
                "unlocked",
                lambda writer: verbs.unlock(writer, lock.q_name, lock.lock_id),
                lock.number if lock.number <= _COUNTED else None,
            )
            return
        free = SessionWriter.take if choice == _TAKE else SessionWriter.unlock_one
        words = "taken over: other programs cannot take it" if choice == _TAKE else "unlocked: any program can get it"
        action = f"{'take over' if choice == _TAKE else 'unlock'} on {lock.q_name}"
        self.work.write(
            action, lambda writer: free(writer, lock.q_name, lock.seq, lock.lock_id), lambda _: self.browser.say(words)
        )

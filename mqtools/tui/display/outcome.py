"""Outcome of a verb over several messages, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.formats import phrases


@dataclass(slots=True)
class MovedMessages:
    """Messages that a move has placed. q_name: their queue now.  keys: there.  refusal: why they cannot move back."""

    q_name: str
    keys: list[int] = field(default_factory=list)
    refusal: str = ""


@dataclass(slots=True)
class Outcome:
    """Outcome of a verb so far.

    done, gone, failed: number of messages.  total: number at the start.  error: why some failed, or what ended the
    verb. extra: text appended to the words.  removal: number of the removal in the trash.  to: where they went.
    moved: messages that can be moved back, None for none.
    """

    total: int
    done: int = 0
    gone: int = 0
    failed: int = 0
    error: Exception | None = None
    extra: str = ""
    removal: int | None = None
    to: str = ""
    moved: MovedMessages | None = None

    @property
    def can_be_undone(self) -> bool:
        return self.removal is not None or (self.moved is not None and bool(self.moved.keys) and not self.moved.refusal)

    def words(self, verb: str, *, was_cancelled: bool = False) -> str:
        """Return the outcome in one line. verb: past tense, as in moved."""
        text = f"{verb} {format_count(self.done)}" + (f" to {self.to}" if self.to else "")
        if self.gone:
            text += f"; {self.gone} no longer there or held by another program"
        left = self.total - self.done - self.gone
        if left > 0:
            text += f"; {left} left"
        if was_cancelled:
            text += ", cancelled"
        if self.error is not None:
            text += f": {self.error}"
        return text + self.extra


def format_count(number: int, noun: str = "message") -> str:
    """Return a number with its noun, digits in groups."""
    return phrases.counted(number, noun, in_groups=True)

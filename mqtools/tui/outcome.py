"""Outcome of a verb over several messages, and the words for it."""

from __future__ import annotations

from mqtools.formats import phrases
from mqtools.records import Record


class Outcome(Record):
    """What has become of the messages of a verb so far.

    done, gone, failed: how many.  total: how many there were to be.  error: why some failed, or what ended it.
    extra: said behind it.  removal: its number in the trash.
    """

    __slots__ = ("done", "gone", "failed", "total", "error", "extra", "removal")

    def __init__(self, total: int) -> None:
        self.done = 0
        self.gone = 0
        self.failed = 0
        self.total = total
        self.error: Exception | None = None
        self.extra = ""
        self.removal: int | None = None

    def words(self, verb: str, *, was_cancelled: bool = False) -> str:
        """Say it in a line. verb: as in moved."""
        text = f"{verb} {counted(self.done)}"
        if self.gone:
            text += f"; {self.gone} had gone or were held meanwhile"
        left = self.total - self.done - self.gone
        if left > 0:
            text += f"; {left} left"
        if was_cancelled:
            text += ", cancelled"
        if self.error is not None:
            text += f": {self.error}"
        return text + self.extra


def counted(number: int, noun: str = "message") -> str:
    """Write a number with its noun, as the browser has all numbers."""
    return phrases.counted(number, noun, in_groups=True)

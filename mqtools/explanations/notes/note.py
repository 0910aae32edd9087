"""Note on a constant of MQ. A constant without a note is explained by its name."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """What a constant means, and what to do about it if anything.

    comp_code: "warning", "failed" or "warning or failed" for a reason that calls of mqx end with.
    """

    meaning: str
    what_to_do: str = ""
    comp_code: str = ""


def failed(meaning: str, what_to_do: str = "") -> Note:
    """Return the note on a reason of calls that fail."""
    return Note(meaning, what_to_do, "failed")


def warning(meaning: str, what_to_do: str = "") -> Note:
    """Return the note on a reason of calls that succeed with a warning."""
    return Note(meaning, what_to_do, "warning")


def warning_or_failed(meaning: str, what_to_do: str = "") -> Note:
    """Return the note on a reason that comes with either completion code."""
    return Note(meaning, what_to_do, "warning or failed")

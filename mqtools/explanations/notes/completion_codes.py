"""Notes on completion codes."""

from __future__ import annotations

#: Name to (meaning, what to do). An empty "what to do": no action is needed. A name without an entry
#: has no note.
COMPLETION_CODE_NOTES: dict[str, tuple[str, str]] = {
    # MQCC: completion codes
    "MQCC_OK": (
        "The call did what it was asked.",
        "",
    ),
    "MQCC_WARNING": (
        "The call succeeded with a warning, which the reason explains.",
        "mqx explain with the reason.",
    ),
    "MQCC_FAILED": (
        "The call failed without effect, for the given reason.",
        "mqx explain with the reason.",
    ),
    "MQCC_UNKNOWN": (
        "The outcome is not known yet.",
        "",
    ),
}

"""Notes on completion codes."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

COMPLETION_CODE_NOTES: dict[str, Note] = {
    # MQCC: completion codes
    "MQCC_OK": Note("The call did what it was asked."),
    "MQCC_WARNING": Note(
        "The call succeeded with a warning, which the reason explains.",
        "mqx explain with the reason.",
    ),
    "MQCC_FAILED": Note(
        "The call failed without effect, for the given reason.",
        "mqx explain with the reason.",
    ),
    "MQCC_UNKNOWN": Note("The outcome is not known yet."),
}

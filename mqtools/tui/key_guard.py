"""Which keys are enabled, and why one is not: in a session that only reads, without its file,
elsewhere, and in the past."""

from __future__ import annotations

from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.past import PRESENT_ONLY
from mqtools.tui.health import explain_refusal
from mqtools.tui.keymap import ALTERNATIVES, Key, is_of_file

#: Ids of keys that need a queue that is listed.
_OF_QUEUE = ("goto", "past.at", "filters")


class KeyGuard(Controller):
    """Refuses keys with the reason. health: of the queue manager, as ``read_health`` returns it."""

    def is_enabled(self, id: str) -> bool:
        """Return whether a key leads to its action.

        Of the two with the same letter, that of a lock is for the present, and that back to the present for the past.
        """
        return id not in ALTERNATIVES or (id == "live") == bool(self.browser.past.state)

    def refuses(self, key: Key, health: str) -> bool:
        """Return whether the action of a key is refused; then say why."""
        session = self.browser.session
        reason = explain_refusal(session, health) if key.writes else ""
        if session.elsewhere is not None and is_of_file(key.id):
            reason = f"{session.place} is elsewhere; mqx pull {session.place}:QUEUE makes a local copy for it"
        if key.writes or key.id in PRESENT_ONLY:
            reason = reason or self.browser.past.refusal()
        if key.id in _OF_QUEUE and not self.browser.messages.q_name:
            reason = reason or "open a queue first"
        if reason:
            verb = key.short if key.writes and key.short else key.id.replace(".", " ")
            self.browser.say(f"cannot {verb}: {reason}", "warning")
        return bool(reason)

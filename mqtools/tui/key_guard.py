"""Which keys are refused, and why: in a session that only reads, without its file, elsewhere, in the past, and where
there is nothing for them."""

from __future__ import annotations

from mqtools.tui.controllers.controller import Controller
from mqtools.tui.controllers.past import PRESENT_ONLY
from mqtools.tui.display.row import explain_absence
from mqtools.tui.health import explain_refusal
from mqtools.tui.keymap import ALTERNATIVES, Key, is_of_file

#: Ids of keys that need a queue that is listed; and the list, or the message under the cursor.
_OF_QUEUE = ("filters", "goto", "groups", "past.at", "past.earlier", "past.event_before", "rules", "write", "yank")
_OF_LIST, _OF_MESSAGE = ("mark", "mark.range"), ("edit", "explain", "lock", "trace")
#: Ids of changes that are not about the messages of the list.
_OF_QUEUES = ("put", "queue", "undo")


class KeyGuard(Controller):
    """Refuses keys with the reason. health: of the queue manager, as ``read_health`` returns it."""

    def is_enabled(self, id: str) -> bool:
        """Return whether a key leads to its action.

        Of the two with the same letter, that of a lock is for the present, and that back to the present for the past.
        """
        return id not in ALTERNATIVES or (id == "live") == bool(self.browser.past.state)

    def refuses(self, key: Key, health: str) -> bool:
        """Return whether the action of a key is refused; then say why."""
        reason = self._reason(key, health)
        if reason:
            is_verb = key.writes or key.id in PRESENT_ONLY
            self.browser.say(f"cannot {key.short or key.words}: {reason}" if is_verb else reason, "warning")
        return bool(reason)

    def _reason(self, key: Key, health: str) -> str:
        browser, session = self.browser, self.browser.session
        changes_messages = key.writes and key.id not in _OF_QUEUES
        if session.elsewhere is not None and is_of_file(key.id):
            return f"{session.place} is elsewhere; mqx pull {session.place}:QUEUE makes a local copy for it"
        if key.writes and (reason := explain_refusal(session, health)):
            return reason
        if (key.writes or key.id in PRESENT_ONLY) and browser.past.state:
            return browser.past.refusal()
        if (changes_messages or key.id in _OF_QUEUE) and not browser.messages.q_name:
            return "open a queue first"
        if changes_messages and browser.pane == "queues":
            return f"the queues have the focus; {session.first_key('open')} goes to the messages"
        if key.id in _OF_LIST and browser.pane != "messages":
            return f"the message has the focus; {session.first_key('back')} goes to the list"
        if key.id not in (*_OF_LIST, *_OF_MESSAGE):
            return ""
        return explain_absence(browser.current, is_needed=key.writes and key.id in _OF_MESSAGE)

"""Key for the trace of a message: its events, and the way to where one of them happened."""

from __future__ import annotations

from functools import partial

from mqtools.configuration import locate
from mqtools.constants.structures import MQMI_NONE
from mqtools.errors import MQError
from mqtools.operations.queue_manager_view import open_view
from mqtools.operations.views.message_view import StoredMessage, find_on_queue
from mqtools.tui.background.reader import read_repeatedly
from mqtools.tui.background.trace_reader import read_trace
from mqtools.tui.controllers.controller import Controller
from mqtools.tui.dialogs.trace import TraceDialog, TraceRow, instant_of
from mqtools.tui.display.columns import short_id

#: Events of a message that leaves its queue: it was there just before.
_DEPARTURES = ("get", "delete", "expire", "channel_send", "move")


class Traces(Controller):
    """The key for the trace of the message under the cursor."""

    def show(self) -> None:
        session, row = self.browser.session, self.browser.current
        if row is None:
            return
        msg_id = row.md.msg_id
        if msg_id == MQMI_NONE:
            self.browser.say("the message has no message id to trace")
            return
        events = partial(read_trace, path=session.path, msg_id=msg_id, check=session.file.check)
        begin = partial(read_repeatedly, events, session.deliver)
        self.browser.show(TraceDialog(short_id(msg_id), begin, self.browser.messages.times), self._go_to)

    def _go_to(self, event: TraceRow) -> None:
        browser, q_mgr_name, q_name = self.browser, str(event["qmgr"]), str(event["queue"])
        if q_mgr_name != browser.session.q_mgr_name:
            browser.ask(lambda _: _check_queue(q_mgr_name, q_name), lambda _: browser.tabs.open_tab(q_mgr_name, q_name))
            return
        msg_id = bytes.fromhex(str(event["msg_id"]))

        def found(stored: StoredMessage | None) -> None:
            if stored is not None:
                browser.open_queue(q_name, place=stored.order_key)
                browser.focus_pane("messages")
                browser.say(f"it is on {q_name} now")
            else:
                at = instant_of(event) - (event["event"] in _DEPARTURES)
                browser.past.go_to(q_name, at, msg_id=msg_id)

        browser.ask(lambda db: find_on_queue(db, q_name, msg_id), found, is_live=True)


def _check_queue(q_mgr_name: str, q_name: str) -> None:
    """Raise MQError unless a queue manager has a queue."""
    with open_view(locate.find(q_mgr_name)) as view:
        if view.queue(q_name) is None:
            raise MQError(f"queue manager {q_mgr_name} has no queue {q_name} any longer", 2085)

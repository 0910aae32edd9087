"""Connection of a command to a queue manager elsewhere: what commands ask of it besides the calls of programs."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.admin.mqsc.elsewhere import EscapeOutput
from mqtools.clients.client import subscription
from mqtools.clients.client.commands import escape, pcf
from mqtools.clients.client.connection import RemoteConnection
from mqtools.constants.cmqc import MQSO_NEW_PUBLICATIONS_ONLY
from mqtools.constants.objects import MQCA_DEAD_LETTER_Q_NAME
from mqtools.constants.reasons import MQCC_FAILED, MQRC_NONE
from mqtools.headers.pcf import Parameter
from mqtools.message import Message
from mqtools.mqi.put import PutResult
from mqtools.operations import remote_depths


class GuardedConnection(RemoteConnection):
    """A connection that changes only what its log allows, and logs what it changes."""

    def publish(self, topic: str, message: Message, options: int = 0, *, topic_object: str = "") -> PutResult:
        """Publish a message on a topic string."""
        self.log.check()
        result = subscription.publish(self, topic, message, options, topic_object=topic_object)
        self.log.add("publish", topic or topic_object, message.md.msg_id)
        return result

    def subscribe(
        self, topic: str, *, selector: str = "", retained: bool = True, topic_object: str = ""
    ) -> subscription.RemoteSubscription:
        """Return a subscription to a topic, for publications while it is open, as ``open_subscription``."""
        options = subscription.MANAGED | (0 if retained else MQSO_NEW_PUBLICATIONS_ONLY)
        return subscription.subscribe(self, topic, options, selector=selector, topic_object=topic_object)

    def escape(self, text: str) -> EscapeOutput:
        """Run an MQSC command; return the texts of its answers."""
        if not text.lstrip().upper().startswith(("DIS", "PING")):
            self.log.check()
            self.log.add("command", text)
        texts, comp_code, reason = escape(self, text)
        return EscapeOutput(texts, reason if comp_code == MQCC_FAILED else MQRC_NONE)

    def depths(self, patterns: Sequence[str]) -> list[dict[str, object]]:
        """Return the depths of the queues that match, as ``admin.depths.depths`` does."""
        return remote_depths.depths(self.pcf, patterns, self.dead_letter_q)

    def pcf(self, command: int, parameters: Sequence[Parameter] = ()) -> list[dict[int, object]]:
        """Inquire by PCF; return the values of each reply by their selectors, none where no object matches."""
        return [reply.values for reply in pcf(self, command, parameters)]

    def dead_letter_q(self) -> str:
        """Return the name of the dead-letter queue, empty without one."""
        return str(self.inquire([MQCA_DEAD_LETTER_Q_NAME])[0] or "").rstrip()

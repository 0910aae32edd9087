"""Connection of a command to a queue manager elsewhere: it changes only what it may, and logs what it changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from mqtools.admin.mqsc.elsewhere import EscapeOutput
from mqtools.clients.client import subscription
from mqtools.clients.client.channel import ClientSocket
from mqtools.clients.client.commands import escape, pcf
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions
from mqtools.clients.client.queue import RemoteQueue
from mqtools.clients.wire.pieces import Values
from mqtools.configuration.change_log import BACKOUT, COMMIT, ChangeLog
from mqtools.constants.cmqc import MQSO_NEW_PUBLICATIONS_ONLY
from mqtools.constants.objects import MQCA_DEAD_LETTER_Q_NAME
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_OUTPUT,
    MQOO_SET,
    MQPMO_SYNCPOINT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import MQCC_FAILED, MQRC_NONE, MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.pcf import Parameter
from mqtools.message import Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.identity import user_identifier
from mqtools.mqi.put import PutResult
from mqtools.operations import remote_depths
from mqtools.operations.output_reader import pause
from mqtools.rules.options.open import INPUT_OPTIONS

_BROWSES = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_CHANGES = INPUT_OPTIONS | MQOO_OUTPUT | MQOO_SET
#: Milliseconds of one wait. Then a command checks whether its output is still read.
_SLICE_MS = 1000


class GuardedQueue(RemoteQueue):
    """A queue that logs what is put and got.

    log: None where nothing may be changed.  named: the name that it was opened by.
    for_reader: its waits raise BrokenPipeError when the reader of the output has left.
    """

    log: ChangeLog | None = None
    named = ""
    for_reader = False

    def put(self, message: Message, options: int = 0, *, context: RemoteQueue | None = None) -> PutResult:
        """MQPUT. context: the queue whose context is passed on."""
        result = super().put(message, options, context=context)
        self._note("put", message, is_final=not options & MQPMO_SYNCPOINT)
        return result

    def get(self, options: int = 0, *, wait_ms: int = 0, **others: Any) -> GetResult:
        """MQGET. A long wait is made of short ones where the reader of the output may leave."""
        end = None if wait_ms == MQWI_UNLIMITED else time.monotonic() + wait_ms / 1000
        is_sliced = self.for_reader and bool(options & MQGMO_WAIT)
        while True:
            left_ms = _SLICE_MS if end is None else max(0, round((end - time.monotonic()) * 1000))
            try:
                result = super().get(options, wait_ms=min(_SLICE_MS, left_ms) if is_sliced else wait_ms, **others)
            except NoMessageAvailable:
                if not is_sliced or (end is not None and left_ms <= _SLICE_MS):
                    raise
                pause(0)
                continue
            if not options & _BROWSES:
                self._note("get", result.message, is_final=not options & MQGMO_SYNCPOINT)
            return result

    def _note(self, action: str, message: Message, *, is_final: bool) -> None:
        if self.log is not None:
            self.log.add(action, self.named, message.md.msg_id, is_final=is_final)

    def set(self, values: dict[int, int | str]) -> None:
        """MQSET."""
        super().set(values)
        assert self.log is not None
        self.log.add("set", self.named)


class GuardedConnection(RemoteConnection):
    """A connection that logs changes. log: None where nothing may be changed.  remote: name of the remote."""

    queue_class = GuardedQueue

    def __init__(
        self,
        wire: ClientSocket,
        options: ConnectionOptions,
        agreed: Values,
        establish: Callable[[], tuple[ClientSocket, Values]],
        *,
        remote: str,
        changes: str,
        for_reader: bool,
    ) -> None:
        """changes: the command that changes something, empty for one that only reads.

        for_reader: as for ``GuardedQueue``.
        """
        super().__init__(wire, options, agreed, establish)
        self._remote = remote
        self._for_reader = for_reader
        where = {"user": user_identifier(), "remote": remote, "qmgr": self.name, "qmgr_id": self.q_mgr_id}
        self._log = ChangeLog({**where, "command": changes}) if changes else None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *rest: object) -> None:
        if self._log is not None and kind is not None:
            self._log.end(BACKOUT)
        super().__exit__(kind, error, *rest)

    def log(self) -> ChangeLog:
        """Return the log of changes. Raise MQError (MQRC_NOT_AUTHORIZED) where nothing may be changed."""
        if self._log is None:
            raise read_only_error(self._remote)
        return self._log

    def open(self, q_name: str, options: int, **names: Any) -> GuardedQueue:
        """MQOPEN. Raise MQError (MQRC_NOT_AUTHORIZED) for options that allow a change where there must be none."""
        log = self.log() if options & _CHANGES else None
        queue = super().open(q_name, options, **names)
        assert isinstance(queue, GuardedQueue)
        queue.log, queue.named, queue.for_reader = log, q_name, self._for_reader
        return queue

    def put1(self, q_name: str, message: Message, options: int = 0, **others: Any) -> PutResult:
        """MQPUT1."""
        log = self.log()
        result = super().put1(q_name, message, options, **others)
        log.add("put", q_name, message.md.msg_id, is_final=not options & MQPMO_SYNCPOINT)
        return result

    def publish(self, topic: str, message: Message, options: int = 0, *, topic_object: str = "") -> PutResult:
        """Publish a message on a topic string."""
        log = self.log()
        result = subscription.publish(self, topic, message, options, topic_object=topic_object)
        log.add("publish", topic or topic_object, message.md.msg_id)
        return result

    def subscribe(
        self, topic: str, *, selector: str = "", retained: bool = True, topic_object: str = ""
    ) -> subscription.RemoteSubscription:
        """Return a subscription to a topic, for publications while it is open, as ``open_subscription``."""
        options = subscription.MANAGED | (0 if retained else MQSO_NEW_PUBLICATIONS_ONLY)
        found = subscription.subscribe(self, topic, options, selector=selector, topic_object=topic_object)
        assert isinstance(found.queue, GuardedQueue)
        found.queue.for_reader = self._for_reader
        return found

    def escape(self, text: str) -> EscapeOutput:
        """Run an MQSC command; return the texts of its answers."""
        if not is_display(text):
            self.log().add("command", text)
        texts, comp_code, reason = escape(self, text)
        return EscapeOutput(texts, reason if comp_code == MQCC_FAILED else MQRC_NONE)

    def depths(self, patterns: Sequence[str]) -> list[dict[str, object]]:
        """Return the depths of the queues that match, as ``admin.depths.depths`` does."""
        return remote_depths.depths(self.pcf, patterns, self.dead_letter_q)

    def pcf(self, command: int, parameters: Sequence[Parameter] = ()) -> list[dict[int, object]]:
        """Inquire by PCF; return the values of each reply by their selectors, none where no object matches."""
        return [reply.values() for reply in pcf(self, command, parameters)]

    def dead_letter_q(self) -> str:
        """Return the name of the dead-letter queue, empty without one."""
        return str(self.inquire([MQCA_DEAD_LETTER_Q_NAME])[0] or "").rstrip()

    def commit(self) -> None:
        """MQCMIT. The changes are logged before."""
        if self._log is None:
            return
        self._log.end(COMMIT)
        try:
            super().commit()
        except MQError as error:
            self._log.fail(str(error))
            raise

    def backout(self, *, counts: bool = True) -> None:
        """MQBACK."""
        if self._log is not None:
            self._log.end(BACKOUT)
            super().backout(counts=counts)

    def disconnect(self) -> None:
        """MQDISC, which commits."""
        if self._log is not None:
            self._log.end(COMMIT)
        super().disconnect()


def is_display(text: str) -> bool:
    """Return whether an MQSC command only displays or pings."""
    return text.lstrip().upper().startswith(("DIS", "PING"))


def read_only_error(name: str) -> MQError:
    """Return the error for a change of a remote that is read-only."""
    return MQError(
        f"{name} is read-only",
        MQRC_NOT_AUTHORIZED,
        hint="--read-write allows changes for this command"
        if ":" in name
        else f"mqx remote remove {name}, then mqx remote add {name} ... --read-write",
    )

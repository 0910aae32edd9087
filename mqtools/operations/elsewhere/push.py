"""Push: messages here take the place of their originals on another queue manager, or are added there.

A message is one unit of work there: the get of the original, and the put of its replacement. The outcome is recorded
here after the commit. After an interruption in between, the replacement is recognized by its content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from mqtools.constants.options import (
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_SET_ALL_CONTEXT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.get.search import stands_still
from mqtools.mqi.identity import now_ms
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.elsewhere.originals import Originals
from mqtools.operations.stored_messages import as_message, load_data, load_message
from mqtools.rules.message_digest import has_same_content, message_digest
from mqtools.rules.message_forms import has_rfh2_of_properties
from mqtools.rules.origins import (
    CHANGED,
    REPLACED,
    SEVERAL,
    THERE,
    MessageOrigin,
    choose_origin,
    compare_original,
    origin_of,
)
from mqtools.store.messages import origins

#: Results of a message, in addition to those of ``compare_original``: it was added; it is the same there; it was pulled
#: from another queue; it has left the queue here.
ADDED, EQUAL, FROM_ELSEWHERE, NOT_HERE = "added", "equal", "from_elsewhere", "not_here"

#: Kept context to the options of the open and of the put, the best first.
_CONTEXTS = (
    ("all", MQOO_SET_ALL_CONTEXT, MQPMO_SET_ALL_CONTEXT),
    ("original", MQOO_PASS_ALL_CONTEXT, MQPMO_PASS_ALL_CONTEXT),
    ("none", 0, 0),
)


@dataclass(slots=True)
class Push:
    """A push to one queue.

    q_name: of the queue there.  adds: add all messages, those too that were pulled.  dry_run: change nothing.
    save: takes an original before it is removed.
    results: number of messages by their results.  context: what was kept of the context: ``all``, ``original`` (that of
    the original) or ``none``.
    """

    here: Connection
    there: QueueManagerConnection
    q_name: str
    adds: bool = False
    dry_run: bool = False
    save: Callable[[Message], object] = lambda _: None
    results: Counter[str] = field(default_factory=Counter)
    context: str = "all"
    _originals: Originals = field(init=False)
    _outputs: dict[bool, tuple[OpenQueue, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Open the queue there. Raises MQError."""
        self._originals = Originals(self.there, self.q_name)

    def message(self, seq: int) -> str:
        """Push the message with a key here; return its result. Raises MQError as the calls there do."""
        result = self._push(seq)
        self.results[result] += 1
        return result

    def _push(self, seq: int) -> str:
        stored = load_message(self.here, seq)
        if stored is None:
            return NOT_HERE
        with self.here.db.reading():
            message = as_message(stored, load_data(self.here, seq), now_ms())
            known = origins.of_message(self.here.db, message.md)
        digest = message_digest(message)
        there = [each for each in known if (each.q_mgr_identifier, each.q_name) == (self.there.q_mgr_id, self.q_name)]
        if self.adds or not known:
            return EQUAL if any(each.here == digest for each in there) else self._add(message)
        if not there:
            return FROM_ELSEWHERE
        origin = choose_origin(there, digest)
        if origin is None:
            return SEVERAL
        has_same_expiry = message.md.expiry == origin.expiry or not stands_still(stored.expires_at)
        is_same = digest == origin.here and has_same_expiry
        return EQUAL if is_same else self._replace(message, origin)

    def _add(self, message: Message) -> str:
        md = message.md
        for found in self._originals.find_added(md.msg_id, md.correl_id, is_open=bool(self._outputs)):
            if has_same_content(found, message):
                self._note(message, found)
                return EQUAL
        if not self.dry_run:
            self._put(message, message.md.expiry)
        return ADDED

    def _replace(self, message: Message, origin: MessageOrigin) -> str:
        md = message.md
        found = self._originals.find_any((origin.msg_id, origin.correl_id), (md.msg_id, md.correl_id))
        result = compare_original(found, origin.digest, message)
        if result == REPLACED:
            self._note(message, found[0], origin)
        if result != THERE:
            return result
        if self.dry_run:
            return REPLACED
        self.save(found[0])
        original = self._originals.take(found[0])
        if original is None:
            return CHANGED
        expiry = original.md.expiry if md.expiry == origin.expiry else md.expiry
        self._put(message, expiry, origin)
        return REPLACED

    def _put(self, message: Message, expiry: int, origin: MessageOrigin | None = None) -> None:
        """Put a message in the unit of work there, commit, and write its origin here.

        Raises MQError; the unit of work is backed out then.
        """
        properties = {} if has_rfh2_of_properties(message) else dict(message.properties)
        sent = Message(message.data, message.md.replace(expiry=expiry, backout_count=0), properties)
        try:
            output, options = self._open_output(has_original=origin is not None)
            passed = self._originals.input if options == MQPMO_PASS_ALL_CONTEXT else None
            result = output.put(sent, options | MQPMO_SYNCPOINT, context=passed)
            result.check_complete()
        except MQError:
            self.there.backout()
            raise
        try:
            self.there.commit()
        except MQError as error:
            if error.reason != MQRC_CONNECTION_BROKEN:
                raise
            words = f"the outcome of message {sent.md.msg_id.hex().upper()} is unknown: {error.text}"
            raise MQError(
                words, error.reason, hint="repeat the command: it looks whether the message is there"
            ) from error
        self._note(message, sent, origin)

    def _open_output(self, *, has_original: bool) -> tuple[OpenQueue, int]:
        """Open the queue for output with as much of the context as the user is authorized to keep.

        Return it with the options of a put.
        """
        if has_original not in self._outputs:
            for context, open_option, put_option in _CONTEXTS:
                if context == "original" and not has_original:
                    continue
                try:
                    queue = self.there.open(self.q_name, MQOO_OUTPUT | open_option)
                except MQError as error:
                    if error.reason != MQRC_NOT_AUTHORIZED or context == "none":
                        raise
                    continue
                self.context, self._outputs[has_original] = context, (queue, put_option)
                break
        return self._outputs[has_original]

    def _note(self, message: Message, there: Message, former: MessageOrigin | None = None) -> None:
        """Write that a message here is equal to one there, or was put there."""
        if self.dry_run:
            return
        with self.here.work() as work:
            origin = origin_of(there, self.there.q_mgr_id, self.q_name, message)
            origins.write(work.db, message.md, origin, former)

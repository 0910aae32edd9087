"""One MQGET call: what it asks for, an attempt at it, what it delivers, and its result."""

from __future__ import annotations

import time
from collections.abc import Callable

from mqtools.constants.message import (
    MQEI_UNLIMITED,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
)
from mqtools.constants.options import (
    MQGMO_WAIT,
    MQGS_LAST_MSG_IN_GROUP,
    MQGS_MSG_IN_GROUP,
    MQGS_NOT_IN_GROUP,
    MQSEG_ALLOWED,
    MQSEG_INHIBITED,
    MQSS_LAST_SEGMENT,
    MQSS_NOT_A_SEGMENT,
    MQSS_SEGMENT,
    MQWI_UNLIMITED,
)
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_MD_ERROR,
    MQRC_NONE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.get.search import token_of
from mqtools.mqi.handle_state import HandleState
from mqtools.mqi.transaction import Work
from mqtools.records import OptionRecord, Record
from mqtools.rules.options.get import UNDER_CURSOR_OPTIONS
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.get.long_search import LongSearch
    from mqtools.mqi.message_handles.handle import MessageHandle


class GetResult(Record):
    """The result of a get: the message, and the output fields of MQGMO.

    data_length: bytes of the whole message, before truncation.  reason: a warning, or MQRC_NONE.
    seq: key of the (first) physical message, 0 where the call returned none.
    group_status, segment_status, segmentation: the single characters MQGS, MQSS, MQSEG.
    held: keys of what the get added to the unit of work, its reports included.
    """

    __slots__ = (
        "message",
        "comp_code",
        "reason",
        "data_length",
        "resolved_q_name",
        "seq",
        "group_status",
        "held",
        "segment_status",
        "segmentation",
    )

    def __init__(
        self,
        message: Message,
        reason: int,
        data_length: int,
        resolved_q_name: str,
        seq: int = 0,
    ) -> None:
        self.message = message
        self.comp_code = MQCC_WARNING if reason else MQCC_OK
        self.reason = reason
        self.data_length = data_length
        self.resolved_q_name = resolved_q_name
        self.seq = seq
        self.held: tuple[int, ...] = ()
        self.group_status, self.segment_status, self.segmentation = (
            position_status(message.md.msg_flags) if message.md.msg_flags else _BY_ITSELF
        )

    @property
    def msg_token(self) -> bytes:
        """MsgToken (16 bytes) of the message; empty where the call returned none."""
        return token_of(self.seq) if self.seq else b""


#: The status of a message outside groups and without segments.
_BY_ITSELF = MQGS_NOT_IN_GROUP, MQSS_NOT_A_SEGMENT, MQSEG_INHIBITED


def position_status(msg_flags: int) -> tuple[str, str, str]:
    """Return GroupStatus, SegmentStatus and Segmentation of a message (LOGORD-61, BEY-97)."""
    if msg_flags & MQMF_LAST_MSG_IN_GROUP:
        group = MQGS_LAST_MSG_IN_GROUP
    else:
        group = MQGS_MSG_IN_GROUP if msg_flags & MQMF_MSG_IN_GROUP else MQGS_NOT_IN_GROUP
    if msg_flags & MQMF_LAST_SEGMENT:
        segment = MQSS_LAST_SEGMENT
    else:
        segment = MQSS_SEGMENT if msg_flags & MQMF_SEGMENT else MQSS_NOT_A_SEGMENT
    return group, segment, MQSEG_ALLOWED if msg_flags & MQMF_SEGMENTATION_ALLOWED else MQSEG_INHIBITED


class Delivery:
    """The message of one get, as it is stored and as it is returned.

    parts: the physical messages that it is made of, first to last.  md, data: as stored.  length: bytes of application
    data, headers not counted.  reason: a warning, or MQRC_NONE.  returned_md, returned_data, properties: what the
    caller gets.  for_handle: the properties that a message handle takes.  expiry: what remains, tenths of a second.
    is_held: it is removed in the unit of work.
    """

    def __init__(self, parts: list[StoredMessage], md: MQMD, data: bytes, length: int, reason: int = MQRC_NONE) -> None:
        self.parts = parts
        self.md = self.returned_md = md
        self.data = self.returned_data = data
        self.length = length
        self.reason = reason
        self.properties: dict[str, Property] = {}
        self.for_handle = self.properties
        self.expiry = MQEI_UNLIMITED
        self.is_held = False

    def truncate(self, *, is_accepted: bool) -> None:
        """Warn of a buffer that is too short. is_accepted: return the message, truncated."""
        if is_accepted:
            self.reason = self.reason or MQRC_TRUNCATED_MSG_ACCEPTED
        else:
            self.reason = MQRC_TRUNCATED_MSG_FAILED


class GetRequest(OptionRecord):
    """Immutable arguments of one MQGET call.

    md: what to match and to convert to; filled in with the descriptor of the message.
    wait_ms: -1 without limit.  max_length: bytes of the buffer, None without limit.
    properties: the message handle that takes the properties, if any; lacks_md: there is one and no descriptor
    was given.  in_message: return the properties with the message, as Python programs want them.
    signal: what is posted under MQGMO_SET_SIGNAL.  mark_stays: a mark of the co-operating set outlives its handles.
    """

    handle: HandleState
    options: int
    match_options: int = 0
    md: MQMD | None = None
    wait_ms: int = 0
    max_length: int | None = None
    msg_token: bytes = b""
    properties: MessageHandle | None = None
    in_message: bool = True
    lacks_md: bool = False
    signal: Callable[[int], object] | int | None = None
    mark_stays: bool = False


class Wait:
    """The wait of a get (``waiters``).

    deadline: when it is over, by ``time.monotonic``; None without a limit.
    is_recorded: it is written down, so that whoever makes a message available wakes it.
    sleep: how long to sleep before the next search (seconds, None without limit), and the tokens of the connections
    whose end wakes it.  left_to: tokens of the waiters that the last search left a message to.
    """

    sleep: tuple[float | None, list[bytes]]

    def __init__(self, wait_ms: int) -> None:
        """wait_ms: -1 without limit."""
        self.deadline = None if wait_ms == MQWI_UNLIMITED else time.monotonic() + wait_ms / 1000
        self.is_recorded = False
        self.left_to: list[bytes] = []


class Attempt:
    """One search of a get, and what is done with the message: in one transaction, mostly.

    request, handle, options: what is requested.  work, queue: the transaction, and the queue as it is in it.
    wait: of a call that waits; None for any other.  long_search: where the search may leave the transaction.
    is_about_groups: the rules of groups and segments apply (``select_message``).
    """

    __slots__ = ("handle", "is_about_groups", "long_search", "options", "queue", "request", "wait", "work")

    work: Work
    queue: Queue

    def __init__(self, request: GetRequest) -> None:
        self.request = request
        self.handle = request.handle
        self.options = request.options
        self.wait: Wait | None = None
        if self.options & MQGMO_WAIT and not self.options & UNDER_CURSOR_OPTIONS:  # WAIT-22, WAIT-23
            self.wait = Wait(request.wait_ms)
        self.long_search: LongSearch | None = None
        self.is_about_groups = False

    @property
    def is_paused(self) -> bool:
        """Whether the search has left the transaction before the end of the queue."""
        return self.long_search is not None and self.long_search.is_paused

    def scan_ahead(self) -> bool:
        """Scan ahead if the search is paused, outside of a transaction; return whether to continue with it in another.

        A search that is over is forgotten: the next one begins at the front.
        """
        if self.long_search is None or not self.long_search.is_paused:
            self.long_search = None
            return False
        self.long_search.scan_ahead(self.handle.connection.db)
        return True

    @property
    def is_recorded(self) -> bool:
        """Whether the call is recorded as waiting."""
        return self.wait is not None and self.wait.is_recorded


def lacks_descriptor() -> MQError:
    """Return the error of a get whose properties come in an MQRFH2, which only a descriptor can describe (PROP-20)."""
    return MQError("properties in an MQRFH2 need a message descriptor", MQRC_MD_ERROR)

"""One MQGET call: its arguments and progress, and its result."""

from __future__ import annotations

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
)
from mqtools.constants.options import (
    MQGMO_SET_SIGNAL,
    MQGMO_WAIT,
    MQGS_LAST_MSG_IN_GROUP,
    MQGS_MSG_IN_GROUP,
    MQGS_NOT_IN_GROUP,
    MQSEG_ALLOWED,
    MQSEG_INHIBITED,
    MQSS_LAST_SEGMENT,
    MQSS_NOT_A_SEGMENT,
    MQSS_SEGMENT,
)
from mqtools.constants.reasons import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_MD_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.records import Record
from mqtools.rules.options.get import WAIT_OPTIONS, effective_wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mqtools.mqi.handle_state import HandleState
    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.transaction import Work
    from mqtools.store.queues import Queue


class GetResult(Record):
    """The result of a get: the message, and the output fields of MQGMO.

    data_length: bytes of the whole message, before truncation.  reason: a warning, or MQRC_NONE.
    group_status, segment_status, segmentation: the single characters MQGS, MQSS, MQSEG.
    """

    __slots__ = (
        "message",
        "comp_code",
        "reason",
        "data_length",
        "resolved_q_name",
        "msg_token",
        "group_status",
        "segment_status",
        "segmentation",
    )

    def __init__(
        self,
        message: Message,
        reason: int,
        data_length: int,
        resolved_q_name: str,
        msg_token: bytes,
    ) -> None:
        self.message = message
        self.comp_code = MQCC_WARNING if reason else MQCC_OK
        self.reason = reason
        self.data_length = data_length
        self.resolved_q_name = resolved_q_name
        self.msg_token = msg_token
        self.group_status, self.segment_status, self.segmentation = (
            position_status(message.md.msg_flags) if message.md.msg_flags else _BY_ITSELF
        )


#: The status of a message in no group that is no segment.
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


class GetRequest:
    """A get in progress: the arguments of one MQGET call, and how far it has come.

    wait_ms: -1 without limit.  max_length: bytes of the buffer, None without limit.
    properties: the message handle that takes the properties, if any; lacks_md: there is one and no descriptor
    was given.  in_message: return the properties with the message, as Python programs want them.
    signal: what is posted under MQGMO_SET_SIGNAL.  mark_stays: a mark of the co-operating set outlives its handles.
    waits, sets_signal: whether the call waits, or sets a signal, when there is no message (WAIT-22, WAIT-23).

    work, queue: the transaction of the current attempt, and the queue as it is in it.
    is_about_groups: the rules of groups and segments apply (``select_message``).
    may_pause: the search may continue outside of the transaction (``resumable_search``).  is_unfinished: it has to.
    waited: it is recorded as waiting.  left_to: presence tokens of the waiters it has just left a message to.
    """

    __slots__ = (
        "handle",
        "options",
        "match_options",
        "md",
        "wait_ms",
        "max_length",
        "msg_token",
        "properties",
        "in_message",
        "lacks_md",
        "signal",
        "mark_stays",
        "waits",
        "sets_signal",
        "work",
        "queue",
        "is_about_groups",
        "may_pause",
        "is_unfinished",
        "waited",
        "left_to",
    )

    work: Work
    queue: Queue

    def __init__(
        self,
        handle: HandleState,
        options: int,
        match_options: int,
        md: MQMD | None,
        wait_ms: int,
        max_length: int | None,
        msg_token: bytes,
    ) -> None:
        self.handle = handle
        self.options = int(options)  # with members of an enumeration each & takes long
        self.match_options = int(match_options)
        self.md = md
        self.wait_ms = wait_ms
        self.max_length = max_length
        self.msg_token = msg_token
        self.properties: MessageHandle | None = None
        self.in_message = True
        self.lacks_md = False
        self.signal: Callable[[int], object] | int | None = None
        self.mark_stays = False
        wait = effective_wait(self.options) if self.options & WAIT_OPTIONS else 0
        self.waits = bool(wait & MQGMO_WAIT)
        self.sets_signal = bool(wait & MQGMO_SET_SIGNAL)
        self.is_about_groups = self.may_pause = self.is_unfinished = False
        self.waited = False
        self.left_to: list[bytes] = []

    def go_on(self) -> None:
        """Continue an unfinished search, outside of a transaction."""
        assert self.handle.resumable_search is not None
        self.handle.resumable_search.go_on(self.handle.connection.db)


def lacks_descriptor() -> MQError:
    """Return the error of a get whose properties come in an MQRFH2, which only a descriptor can describe (PROP-20)."""
    return MQError("properties in an MQRFH2 need a message descriptor", MQRC_MD_ERROR)

"""State of an open queue: its options, browse cursor, lock, and positions among groups and segments."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_HOBJ_ERROR, MQRC_Q_DELETED
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.mqi import units_of_work
from mqtools.mqi.transaction import ConnectionState, Work
from mqtools.rules.groups import NO_POSITION, GroupPosition
from mqtools.store import queues
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.mqi.handle_protocols import PendingSignal
    from mqtools.rules.selector.selector import Selector


class HandleState:
    """An open queue without its verbs.

    cursor_seq, cursor_key: the message under the browse cursor and its place, which stays when it goes (BROWSE-11).
    locked_seq: the message this handle has locked.  context: descriptor of the message last got through it, for
    MQPMO_PASS_* on another handle.  get_position, browse_position, put_position: what is retained of groups and
    segments, by kind of call (LOGORD-41, LOGORD-42).  leading_key: place of the message that began what was browsed
    last.  browses_logically: whether this sweep is in logical order, None before the first browse.  signal: set last by
    MQGMO_SET_SIGNAL.  _puts_as: options that need no check again.
    """

    def __init__(self, connection: ConnectionState, q_name: str, q_mgr_name: str, options: int) -> None:
        self.connection = connection
        self.q_name = q_name
        self.q_mgr_name = q_mgr_name
        self.options = options
        self.id = 0
        self.queue_id = 0
        self.alias_name: str | None = None
        self.selector: Selector | None = None
        self.cursor_seq: int | None = None
        self.cursor_key = -1
        self.locked_seq: int | None = None
        self.context: MQMD | None = None
        self.get_position = self.browse_position = self.put_position = NO_POSITION
        self.leading_key = -1
        self.browses_logically: bool | None = None
        self._puts_as: tuple[int, ...] | None = None
        self._get_position_before: GroupPosition | None = None
        self._put_position_before: GroupPosition | None = None
        self._get_position_kept: GroupPosition | None = None
        self.signal: PendingSignal | None = None
        self.made_its_queue = False
        self.closed = False

    @property
    def has_open_group(self) -> bool:
        """Whether a group or logical message is current for a get or a browse."""
        get, browse = self.get_position, self.browse_position
        return (get is not NO_POSITION and get.is_open) or (browse is not NO_POSITION and browse.is_open)

    def retain_get_position(self, position: GroupPosition, *, in_unit_of_work: bool, keeps: bool = False) -> None:
        """Retain the position of a removing get, and the one that a backout restores (LOGORD-60, BEY-57).

        keeps: the message is not given back by a back-out, so neither is the position (SYNC-28).
        """
        if in_unit_of_work and self._get_position_before is None:
            self._get_position_before = self.get_position
        self.get_position = position
        if keeps:
            self._get_position_kept = position

    def retain_put_position(self, position: GroupPosition, *, in_unit_of_work: bool) -> None:
        """Retain the position of a put, and the one that a backout restores (LOGORD-60, BEY-57)."""
        if in_unit_of_work and self._put_position_before is None:
            self._put_position_before = self.put_position
        self.put_position = position

    def unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        """Restore the positions from before the unit of work after a backout; forget them after a commit.

        keeps: a message marked with MQGMO_MARK_SKIP_BACKOUT is now the first of the next unit of work: the
        position is behind it, and in front of it once that one is backed out too (SYNC-20, SYNC-28).
        """
        get_before, put_before = self._get_position_before, self._put_position_before
        kept = self._get_position_kept if keeps else None
        self._get_position_before = self._put_position_before = self._get_position_kept = None
        if backed_out and put_before is not None:
            self.put_position = put_before
        if backed_out and get_before is not None:
            self.get_position = get_before if kept is None else kept
            self._get_position_before = None if kept is None else get_before

    def release_lock(self, work: Work) -> bool:
        """Unlock what the handle has locked; return whether there was anything (LOCK-24)."""
        if self.locked_seq is None:
            return False
        self.locked_seq = None
        return units_of_work.unlock(work, self.id)

    def check_open(self) -> None:
        """Check that the handle is not closed. Raises MQError: MQRC_HOBJ_ERROR (BEY-52)."""
        if self.closed:
            raise self.closed_error()

    def closed_error(self) -> MQError:
        return MQError(f"the handle of queue {self.q_name} is closed", MQRC_HOBJ_ERROR)

    def fresh_queue(self, work: Work) -> Queue:
        """Read the queue as it is now. Raises MQError: MQRC_Q_DELETED."""
        queue = queues.by_id(work.db, self.queue_id)
        if queue is None:
            raise self.deleted_error()
        return queue

    def deleted_error(self) -> MQError:
        """Return the error of a call whose queue has been deleted since it was opened."""
        return MQError(f"queue {self.q_name} has been deleted", MQRC_Q_DELETED)

    def path(self, work: Work, queue: Queue) -> tuple[Queue, ...]:
        """Return the queue, preceded by the alias it was opened through, if any."""
        alias = queues.by_name(work.db, self.alias_name) if self.alias_name is not None else None
        return (queue,) if alias is None else (alias, queue)

"""MQOPEN to MQCLOSE: an object handle with its options, browse cursor, lock and context."""

from __future__ import annotations

import os

from mqtools.constants.objects import MQQA_NOT_SHAREABLE, MQQT_MODEL
from mqtools.constants.options import (
    MQACTP_NEW,
    MQGMO_UNLOCK,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
)
from mqtools.constants.reasons import (
    MQRC_CONTEXT_NOT_AVAILABLE,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_LOCKED,
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_DELETED,
    MQRC_SIGNAL_OUTSTANDING,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.get.deliver import release_lock
from mqtools.mqi.get.get import GetRequest, GetResult, get
from mqtools.mqi.put import PutResult, fail_if_quiescing, put, put_by_action
from mqtools.mqi.resolution import find_queue, resolve_for_get, resolve_for_put
from mqtools.rules.groups import NO_POSITION, close_warning
from mqtools.rules.options.get import check_get_options, effective_match_options, effective_wait
from mqtools.rules.options.open import INPUT_OPTIONS, check_close_options, check_open_options
from mqtools.rules.options.put import check_put_options, uses_put_syncpoint
from mqtools.store import holders, queues
from mqtools.store.messages import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Self

    from mqtools.mqi.connection import Connection
    from mqtools.mqi.get.resumable_search import ResumableSearch
    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.signals import Signal
    from mqtools.mqi.transaction import Work
    from mqtools.rules.groups import GroupPosition
    from mqtools.rules.selector.selector import Selector
    from mqtools.store.queues import Queue

_LOCAL = INPUT_OPTIONS | MQOO_BROWSE | MQOO_INQUIRE | MQOO_SET


class Handle:
    """An open queue. As a context manager it closes.

    cursor_seq, cursor_key: the message under the browse cursor and its place, which stays when it goes (BROWSE-11).
    locked_seq: the message this handle has locked.  context: descriptor of the message last got through it, for
    MQPMO_PASS_* on another handle.  get_position, browse_position, put_position: what is retained of groups and
    segments, by kind of call (LOGORD-41, LOGORD-42).  leading_key: place of the message that began what was browsed
    last.  browses_logically: whether this sweep is in logical order, None before the first browse.  signal: set last by
    MQGMO_SET_SIGNAL.  scout: what its selector has looked at.  _puts_as, _gets_as: options that need no check again.
    """

    def __init__(self, connection: Connection, q_name: str, q_mgr_name: str, options: int) -> None:
        self.connection = connection
        self.q_name = q_name
        self.q_mgr_name = q_mgr_name
        self.options = options
        self.id = 0
        self.queue_id = 0
        self.alias_name: str | None = None
        self.selector: Selector | None = None
        self.resumable_search: ResumableSearch | None = None
        self.cursor_seq: int | None = None
        self.cursor_key = -1
        self.locked_seq: int | None = None
        self.context: MQMD | None = None
        self.get_position = self.browse_position = self.put_position = NO_POSITION
        self.leading_key = -1
        self.browses_logically: bool | None = None
        self._puts_as: tuple[int, ...] | None = None
        self._gets_as: tuple[int, ...] | None = None
        self._before_unit: dict[str, GroupPosition] = {}
        self._after_kept: dict[str, GroupPosition] = {}
        self.signal: Signal | None = None
        self.made_its_queue = False
        self.closed = False

    @property
    def has_open_group(self) -> bool:
        """Whether a group or logical message is current for a get or a browse."""
        return self.get_position.is_open or self.browse_position.is_open

    def retain(self, position: GroupPosition, *, in_unit_of_work: bool, keeps: bool = False, put: bool = False) -> None:
        """Keep the position of a removing get, or of a put, and what a back-out goes back to (LOGORD-60, BEY-57).

        keeps: the message is not given back by a back-out, so neither is the position (SYNC-28).
        """
        kind = "put_position" if put else "get_position"
        if in_unit_of_work:
            self._before_unit.setdefault(kind, getattr(self, kind))
        setattr(self, kind, position)
        if keeps:
            self._after_kept[kind] = position

    def unit_ended(self, *, backed_out: bool, keeps: bool = False) -> None:
        """Go back to the positions of before the unit of work, or forget them: it was committed.

        keeps: a message marked with MQGMO_MARK_SKIP_BACKOUT is now the first of the next unit of work: the
        position is behind it, and in front of it once that one is backed out too (SYNC-20, SYNC-28).
        """
        before, after_kept = self._before_unit, self._after_kept if keeps else {}
        self._before_unit, self._after_kept = {}, {}
        if backed_out:
            for kind, position in before.items():
                setattr(self, kind, after_kept.get(kind, position))
            self._before_unit = {kind: before[kind] for kind in after_kept}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not (self.closed or self.connection.has_ended):
            self.close()

    def put(
        self,
        message: Message,
        options: int = 0,
        *,
        context: Handle | None = None,
        action: int = MQACTP_NEW,
        original: MessageHandle | None = None,
        msg_handle: MessageHandle | None = None,
    ) -> PutResult:
        """MQPUT. options: MQPMO_*.  context: the handle whose context is passed on.

        action: MQACTP_*, what the message is to the one that was got with the handle ``original``.
        msg_handle: the new message's; its properties win (``put_action.put_made``).
        The message's descriptor is completed with what the queue manager chose.
        """
        self.check_open()
        asked = (options, message.md.version)
        if asked != self._puts_as:
            check_put_options(options, self.options, md_version=message.md.version)
            self._puts_as = asked

        def put_one(made: Message) -> PutResult:
            with self.connection.work(self.queue_id) as work:
                return self._put_one(work, made, options, context)

        return put_by_action(put_one, message, options, action, original, msg_handle)

    def put_many(self, messages: Iterable[Message], options: int = 0) -> list[PutResult]:
        """Put several messages in one transaction: all of them, or an error and none."""
        self.check_open()
        check_put_options(options, self.options)
        with self.connection.work(self.queue_id) as work:
            return [self._put_one(work, message, options, None) for message in messages]

    def _put_one(self, work: Work, message: Message, options: int, context: Handle | None) -> PutResult:
        try:
            target = resolve_for_put(work.db, work.qmgr, self.q_name, self.q_mgr_name)
        except MQError as error:
            if queues.by_name(work.db, self.q_name) is None and not self.q_mgr_name:
                raise MQError(f"queue {self.q_name} has been deleted", MQRC_Q_DELETED) from error
            raise
        held = uses_put_syncpoint(options, work.qmgr.profile)
        holder_id = self.connection.unit_of_work(work) if held else None
        passed = None if context is None else _saved_context(context)
        return put(work, target, message, options, holder_id=holder_id, context=passed, handle=self)

    def get(
        self,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        msg_token: bytes = b"",
        gmo_version: int = 4,
        msg_handle: MessageHandle | None = None,
        properties_in_message: bool = True,
        signal: Callable[[int], object] | int | None = None,
        mark_stays: bool = False,
    ) -> GetResult:
        """MQGET. options: MQGMO_*.  md: identifiers to match; filled in with the message's descriptor.

        match_options: MQMO_*; by default message and correlation id are matched when md is given (BEY-58).
        wait_ms: WaitInterval, -1 without limit.  max_length: bytes of the buffer.
        msg_handle: takes the properties; its descriptor is matched where md is not given and match_options are.
        Without one they come with the message, unless an option says otherwise or properties_in_message is off:
        then as the queue's PropertyControl says (PROP-01).
        signal: what MQGMO_SET_SIGNAL posts to, see ``mqtools.mqi.signals``.  mark_stays: a mark that
        MQGMO_MARK_BROWSE_CO_OP sets stays until MARKINT though no handle of the co-operating set is open.
        Raises NoMessageAvailable, or MQError with the reason MQGET gives.
        """
        self.check_open()
        match_options = effective_match_options(md, match_options, gmo_version)
        md_version = 2 if md is None else md.version
        asked = (options, match_options, wait_ms, gmo_version, md_version)
        if asked != self._gets_as:
            check_get_options(
                options,
                match_options,
                self.options,
                profile=self.connection.profile,
                wait_interval_ms=wait_ms,
                gmo_version=gmo_version,
                md_version=md_version,
            )
            self._gets_as = asked
        if options & MQGMO_UNLOCK:
            return self._unlock()
        if self.signal is not None and self.signal.is_outstanding and effective_wait(options):
            raise MQError("a signal of this handle is outstanding", MQRC_SIGNAL_OUTSTANDING)
        request = GetRequest(self, options, match_options, md, wait_ms, max_length, msg_token)
        request.signal, request.mark_stays = signal, mark_stays
        if msg_handle is None and properties_in_message:
            return get(request)
        from mqtools.mqi.get.message_handles import get_by_mqi

        return get_by_mqi(request, msg_handle)

    def _unlock(self) -> GetResult:
        with self.connection.work() as work:
            released = release_lock(work, self)
        return GetResult(Message(), MQRC_NONE if released else MQRC_NO_MSG_LOCKED, 0, self.q_name, b"")

    def wait_for_arrival(
        self, deadline: float | None, look: Callable[[], bool] | None = None, watched: Sequence[int] = ()
    ) -> bool:
        """Sleep until something becomes available on the queue; False when the deadline passes first.

        deadline: by ``time.monotonic``, None for ever.  look, watched: as for ``waiting.wait_for_arrival``.
        Raises MQError: MQRC_Q_MGR_QUIESCING with a handle that was opened with MQOO_FAIL_IF_QUIESCING.
        """
        from mqtools.mqi.waiting import wait_for_arrival

        self.check_open()
        quiescing = bool(self.options & MQOO_FAIL_IF_QUIESCING)
        return wait_for_arrival(self, deadline, look, watched, ends_when_quiescing=quiescing)

    def inquire(self, selectors: Sequence[int]) -> list[int | str]:
        """MQINQ: give the values of attributes by their MQIA_* and MQCA_* selectors."""
        from mqtools.mqi.inquire import inquire

        self.check_open()
        return inquire(self, selectors)

    def set(self, values: dict[int, int | str]) -> None:
        """MQSET: change attributes by selector (BEY-85)."""
        from mqtools.mqi.inquire import set_attributes

        self.check_open()
        set_attributes(self, values)

    def close(self, options: int = 0) -> int:
        """MQCLOSE. options: MQCO_*; a dynamic queue can be deleted. The unit of work goes on (BEY-53).

        Gives the reason of a warning when a group or logical message was left unfinished, else MQRC_NONE.
        """
        self.check_open()
        with self.connection.work() as work:
            queue = queues.by_id(work.db, self.queue_id)
            check_close_options(options, 0 if queue is None else queue.definition_type)
            recovery.release_handle(work, self.id, self.queue_id)
            if queue is not None and (options or self.made_its_queue):
                from mqtools.mqi.dynamic_queues import delete_on_close

                delete_on_close(work, queue, options, made_by_handle=self.made_its_queue)
        self.closed = True
        self.connection.handles.remove(self)
        if self.signal is not None:
            self.signal.drop()
        return close_warning(self.get_position, self.put_position, self.options)

    def check_open(self) -> None:
        """Refuse a call on a handle that is closed (BEY-52)."""
        if self.closed:
            raise MQError(f"the handle of queue {self.q_name} is closed", MQRC_HOBJ_ERROR)

    def fresh_queue(self, work: Work) -> Queue:
        """Read the queue as it is now. Raises MQError: MQRC_Q_DELETED."""
        queue = queues.by_id(work.db, self.queue_id)
        if queue is None:
            raise MQError(f"queue {self.q_name} has been deleted", MQRC_Q_DELETED)
        return queue

    def path(self, work: Work, queue: Queue) -> tuple[Queue, ...]:
        """Give the queue, and the alias it was opened through, if any."""
        alias = queues.by_name(work.db, self.alias_name) if self.alias_name is not None else None
        return (queue,) if alias is None else (alias, queue)


def open_handle(
    connection: Connection, q_name: str, options: int, q_mgr_name: str, dynamic_q_name: str, selector: str
) -> Handle:
    """Open a queue: resolve its name, check that the options fit, and write the handle down."""
    check_open_options(options)
    compiled = None
    if selector:
        from mqtools.rules.selector.selector import compile_selector

        compiled = compile_selector(selector)
    with connection.work() as work:
        if options & MQOO_FAIL_IF_QUIESCING:
            fail_if_quiescing(work)
        connection_id, is_made = connection.register(work), False
        if q_mgr_name in ("", work.qmgr.name) and find_queue(work.db, q_name).q_type == MQQT_MODEL:
            from mqtools.mqi.dynamic_queues import create_dynamic

            q_name, is_made = create_dynamic(work, q_name, dynamic_q_name, connection_id), True
        handle = Handle(connection, q_name, q_mgr_name, options)
        handle.made_its_queue = is_made
        handle.selector = compiled
        queue = _resolve(work, handle)
        if options & MQOO_BROWSE and queue.marks:
            _settle_marks(work, queue)
        check_open_options(options, queue.q_type)
        handle.options = _check_sharing(work, queue, options)
        handle.queue_id = queue.id
        handle.id = holders.add(
            work.db,
            "handle",
            connection_id=connection_id,
            queue_id=queue.id,
            options=handle.options,
            user_identifier=connection.user_identifier,
            appl_name=connection.appl_name,
            pid=os.getpid(),
            created_at=work.now_ms,
        )
    return handle


def _saved_context(handle: Handle) -> MQMD | None:
    """Give the context of the last message got; None when the handle saves none."""
    if handle.options & MQOO_SAVE_ALL_CONTEXT and handle.context is None:
        raise MQError(f"nothing has been got from queue {handle.q_name} yet", MQRC_CONTEXT_NOT_AVAILABLE)
    return handle.context


def _resolve(work: Work, handle: Handle) -> Queue:
    """Find what the handle is about: the local queue, or the first definition on the way of a put."""
    if handle.options & _LOCAL:
        queue, path = resolve_for_get(work.db, handle.q_name)
        if len(path) > 1:
            handle.alias_name = handle.q_name
        return queue
    return resolve_for_put(work.db, work.qmgr, handle.q_name, handle.q_mgr_name).path[0]


def _settle_marks(work: Work, queue: Queue) -> None:
    """Remove the marks of dead handles, those of a set whose last handle died, and those that have ended (MARK-07)."""
    recover_openers(work, queue)
    marks.remove_ended(work.db, queue.id, work.now_ms)


def _check_sharing(work: Work, queue: Queue, options: int) -> int:
    """Settle "as queue default" and refuse an input open that others exclude (BEY-47, BEY-48).

    Raises MQError: MQRC_OBJECT_IN_USE.
    """
    if not options & INPUT_OPTIONS:
        return options
    if options & MQOO_INPUT_AS_Q_DEF:
        options = options & ~MQOO_INPUT_AS_Q_DEF | queue.def_input_open_option
    if queue.shareability == MQQA_NOT_SHAREABLE:
        options = options & ~MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE
    if _conflict(work, queue, options) and not (recover_openers(work, queue) and not _conflict(work, queue, options)):
        raise MQError(f"queue {queue.name} is open for input elsewhere", MQRC_OBJECT_IN_USE)
    return options


def _conflict(work: Work, queue: Queue, options: int) -> bool:
    exclusive = options & MQOO_INPUT_EXCLUSIVE
    return any(
        other.options & INPUT_OPTIONS and (exclusive or other.options & MQOO_INPUT_EXCLUSIVE)
        for other in holders.of_queue(work.db, queue.id, "handle")
    )


def recover_openers(work: Work, queue: Queue) -> bool:
    """Close the handles that dead processes have on a queue; tell whether there were any."""
    found = False
    owners = {handle.connection_id for handle in holders.of_queue(work.db, queue.id, "handle")}
    for owner_id in owners - {work.connection.id, None}:
        owner = holders.by_id(work.db, owner_id) if owner_id is not None else None
        if owner is not None and recovery.is_dead(work, owner):
            recovery.release_dead(work, owner)
            found = True
    return found

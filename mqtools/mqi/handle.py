"""MQOPEN to MQCLOSE: open a queue, and the verbs on an open queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mqtools.constants.objects import MQQA_NOT_SHAREABLE, MQQDT_TEMPORARY_DYNAMIC, MQQT_LOCAL, MQQT_MODEL, MQQT_REMOTE
from mqtools.constants.options import (
    MQACTP_NEW,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_SET_SIGNAL,
    MQGMO_UNLOCK,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
)
from mqtools.constants.reasons import (
    MQRC_CONTEXT_NOT_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_OPTIONS_ERROR,
    MQRC_SIGNAL_OUTSTANDING,
)
from mqtools.errors import MQError, NoMessageAvailable, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.base_connection import BaseConnection, is_derived
from mqtools.mqi.get.get import get, get_each
from mqtools.mqi.get.request import GetRequest, GetResult
from mqtools.mqi.get.waiters import wait_for_arrival
from mqtools.mqi.handle_state import HandleState
from mqtools.mqi.resolution import Target, find_queue, resolve_for_get, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.rules.groups import close_warning
from mqtools.rules.options.get import check_get_options, effective_match_options, effective_wait
from mqtools.rules.options.open import INPUT_OPTIONS, check_close_options, check_open_options
from mqtools.rules.options.put import check_put_options, uses_put_syncpoint
from mqtools.store import holders, queues
from mqtools.store.messages import marks
from mqtools.store.queues import Queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from mqtools.mqi.message_handles.handle import MessageHandle
    from mqtools.mqi.put import PutResult

_LOCAL = INPUT_OPTIONS | MQOO_BROWSE | MQOO_INQUIRE | MQOO_SET


class Handle(HandleState):
    """The verbs on an open queue. As a context manager it closes. table: of its attributes."""

    connection: BaseConnection
    table = "QUEUE"

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

        action: MQACTP_*, relation of the message to the one of the handle ``original``.
        msg_handle: the new message's; its properties win (``put_action.put_derived``).
        The message's descriptor is completed with what the queue manager chose.
        """
        if self.closed:
            raise self.closed_error()
        asked = (options, message.md.version)
        if asked != self._puts_as:
            check_put_options(options, self.options, md_version=message.md.version)
            self._puts_as = asked

        if is_derived(options, action, original, msg_handle):
            from mqtools.mqi.put_action import put_derived

            return put_derived(
                lambda made: self._put(made, options, context), message, options, action, original, msg_handle
            )
        return self._put(message, options, context)

    def _put(self, message: Message, options: int, context: Handle | None) -> PutResult:
        from mqtools.mqi.put import put  # a get does not need it

        with self.connection.work((self.q_name, self.q_mgr_name, self.options)) as work:
            holder_id = self._holder_id(work, options)
            passed = None if context is None else _saved_context(context)
            return put(work, self._target(work), message, options, holder_id=holder_id, context=passed, handle=self)

    def put_many(self, messages: Iterable[Message], options: int = 0) -> list[PutResult]:
        """Put several messages in one transaction: all of them, or an error and none."""
        from mqtools.mqi import bulk_put, put

        self.check_open()
        check_put_options(options, self.options)
        with self.connection.work((self.q_name, self.q_mgr_name, self.options)) as work:
            bulk = bulk_put.BulkPut(work, lambda: self._target(work), None, put.deliver_whole)
            results = []
            for message in messages:
                bulk.holder_id = self._holder_id(work, options)
                results.append(
                    put.put(work, bulk.target, message, options, holder_id=bulk.holder_id, handle=self, bulk=bulk)
                )
            bulk.flush()
        return results

    def _holder_id(self, work: Work, options: int) -> int | None:
        """Return the unit of work that a put belongs to, None for none."""
        return self.connection.unit_of_work(work, adds=1) if uses_put_syncpoint(options, work.qmgr.profile) else None

    def _target(self, work: Work) -> Target:
        try:
            return resolve_for_put(work.db, work.qmgr, self.q_name, self.q_mgr_name)
        except MQError as error:
            if queues.by_name(work.db, self.q_name) is None and not self.q_mgr_name:
                raise self.deleted_error() from error
            raise

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
        signal: what MQGMO_SET_SIGNAL posts to, see ``mqtools.mqi.get.signals``.  mark_stays: a mark that
        MQGMO_MARK_BROWSE_CO_OP sets stays until MARKINT though no handle of the co-operating set is open.
        Raises NoMessageAvailable, or MQError with the reason MQGET gives.
        """
        request = self.request(options, md, match_options, wait_ms, max_length, msg_token, gmo_version)
        if options & MQGMO_UNLOCK:
            return self._unlock()
        if self.signal is not None and self.signal.is_outstanding and effective_wait(options):
            raise MQError("a signal of this handle is outstanding", MQRC_SIGNAL_OUTSTANDING)
        request.signal, request.mark_stays = signal, mark_stays
        if msg_handle is None and properties_in_message:
            return get(request)
        from mqtools.mqi.get.message_handles import get_by_mqi

        return get_by_mqi(request, msg_handle)

    def get_each(
        self,
        number: int,
        options: int = 0,
        *,
        md: MQMD | None = None,
        match_options: int | None = None,
        wait_ms: int = 0,
        max_length: int | None = None,
        most_bytes: int = 1 << 26,
    ) -> tuple[list[GetResult], MQError | None]:
        """Get or browse up to a number of messages in one transaction, and wait only for the first.

        MQGMO_BROWSE_FIRST is for the first message, and those after it are the next ones.
        most_bytes: of data; reaching it ends the call.  The other parameters are as for ``get``, but the
        descriptor is not filled in.
        Returns the messages, and the error that ended it before the number was reached, or None: mostly
        NoMessageAvailable. A message that is too long for the buffer ends it too: it is the last result.
        Raises MQError for wrong options, and StorageError; neither gets any message.
        """
        request = self.request(options & ~MQGMO_WAIT, md, match_options, 0, max_length)
        if options & (MQGMO_UNLOCK | MQGMO_SET_SIGNAL):
            raise MQError("get_each neither unlocks nor sets a signal", MQRC_OPTIONS_ERROR)
        results, error = get_each(request, number, most_bytes)
        if results or not options & MQGMO_WAIT or not isinstance(error, NoMessageAvailable):
            return results, error
        wanted = None if md is None else md.replace()
        try:
            first = self.get(options, md=wanted, match_options=match_options, wait_ms=wait_ms, max_length=max_length)
        except StorageError:
            raise
        except MQError as failure:
            return [], failure
        if options & MQGMO_BROWSE_FIRST:
            request = request.replace(options=request.options ^ (MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT))
        results, error = get_each(request, number - 1, most_bytes)
        return [first, *results], error

    def request(
        self,
        options: int,
        md: MQMD | None,
        match_options: int | None,
        wait_ms: int,
        max_length: int | None = None,
        msg_token: bytes = b"",
        gmo_version: int = 4,
    ) -> GetRequest:
        """Check the options of a get, and return what it asks for."""
        if self.closed:
            raise self.closed_error()
        if md is None and match_options is None:
            match_options = 0
        else:
            match_options = effective_match_options(md, match_options, gmo_version)
        check_get_options(
            options,
            match_options,
            self.options,
            profile=self.connection.profile,
            wait_interval_ms=wait_ms,
            gmo_version=gmo_version,
            md_version=2 if md is None else md.version,
        )
        # With members of an enumeration each & takes long.
        return GetRequest(self, int(options), int(match_options), md, wait_ms, max_length, msg_token)

    def _unlock(self) -> GetResult:
        with self.connection.work() as work:
            released = self.release_lock(work)
        return GetResult(Message(), MQRC_NONE if released else MQRC_NO_MSG_LOCKED, 0, self.q_name)

    def wait_for_arrival(
        self, deadline: float | None, look: Callable[[], bool] | None = None, watched: Sequence[int] = ()
    ) -> bool:
        """Sleep until something becomes available on the queue; False when the deadline passes first.

        deadline: by ``time.monotonic``, None for ever.  look, watched: as for ``waiters.wait_for_arrival``.
        Raises MQError: MQRC_Q_MGR_QUIESCING with a handle that was opened with MQOO_FAIL_IF_QUIESCING.
        """
        self.check_open()
        quiescing = bool(self.options & MQOO_FAIL_IF_QUIESCING)
        return wait_for_arrival(self, deadline, look, watched, ends_when_quiescing=quiescing)

    def inquire(self, selectors: Sequence[int]) -> list[int | str | None]:
        """MQINQ: return the values of attributes by their selectors; None for one that this type of queue lacks."""
        from mqtools.mqi.objects.inquire import inquire

        self.check_open()
        return inquire(self, selectors)

    def set(self, values: dict[int, int | str]) -> None:
        """MQSET: change attributes by selector (BEY-85)."""
        from mqtools.mqi.objects.inquire import set_attributes

        self.check_open()
        set_attributes(self, values)

    def resume(self, breaks: int = 0) -> bool:  # noqa: ARG002 - see OpenQueue
        """Return False: a connection to our file does not break."""
        return False

    def close(self, options: int = 0) -> int:
        """MQCLOSE. options: MQCO_*; a dynamic queue can be deleted. The unit of work continues (BEY-53).

        Returns the reason of a warning when a group or logical message was left unfinished, else MQRC_NONE.
        """
        self.check_open()
        with self.connection.work() as work:
            queue = queues.by_id(work.db, self.queue_id)
            check_close_options(options, 0 if queue is None else queue.definition_type)
            recovery.release_handle(work, self.id, self.queue_id)
            if queue is not None and (options or self.made_its_queue):
                from mqtools.mqi.objects.dynamic_queues import delete_on_close

                delete_on_close(work, queue, options, made_by_handle=self.made_its_queue)
        self.closed = True
        self.connection.handles.remove(self)
        if self.signal is not None:
            self.signal.drop()
        return close_warning(self.get_position, self.put_position, self.options)


def open_handle(
    connection: BaseConnection, q_name: str, options: int, q_mgr_name: str, dynamic_q_name: str, selector: str
) -> Handle:
    """Open a queue: check the options, resolve its name, and record the handle.

    Raises MQError: MQRC_NOT_AUTHORIZED where the user is not authorized to the definition that is opened.
    """
    compiled = None
    if selector:
        from mqtools.rules.selector.selector import compile_selector

        compiled = compile_selector(selector)
    with connection.work((q_name, q_mgr_name, options)) as work:
        if options & MQOO_FAIL_IF_QUIESCING:
            work.fail_if_quiescing()
        connection_id, is_made, first = connection.register(work), False, None
        named = q_name
        if q_mgr_name in ("", work.qmgr.name):
            first = find_queue(work.db, q_name)
            if first.q_type == MQQT_MODEL:
                from mqtools.mqi.objects.dynamic_queues import create_dynamic

                q_name, is_made = create_dynamic(work, q_name, dynamic_q_name, connection_id), True
                first = find_queue(work.db, q_name)
        handle = (connection.handle_kind or Handle)(connection, q_name, q_mgr_name, options)
        handle.made_its_queue = is_made
        handle.selector = compiled
        is_remote = first is not None and first.q_type == MQQT_REMOTE and not options & (INPUT_OPTIONS | MQOO_BROWSE)
        if not options & _LOCAL or (is_remote and options & MQOO_OUTPUT):
            path = resolve_for_put(work.db, work.qmgr, q_name, q_mgr_name).path
            queue = path[0]
        elif first is not None and (first.q_type == MQQT_LOCAL or is_remote):
            queue, path = first, (first,)
        else:
            queue, path = resolve_for_get(work.db, q_name)
            handle.alias_name = q_name if len(path) > 1 else None
        is_own = path[0].creator_id == connection_id and path[0].definition_type == MQQDT_TEMPORARY_DYNAMIC
        if work.checks_authority and (is_made or not is_own):
            from mqtools.mqi import authority

            # A user of the model queue may use the queue created from it.
            authority.check_open(work, named if is_made else path[0].name, options)
        if options & MQOO_BROWSE and queue.marks:  # of dead handles, or ended (MARK-07)
            recovery.recover_openers(work, queue)
            marks.remove_ended(work.db, queue.id, work.now_ms)
        check_open_options(options, queue.q_type)
        handle.options = _check_sharing(work, queue, options)
        handle.queue_id = queue.id
        handle.id = work.add_holder("handle", connection_id=connection_id, queue_id=queue.id, options=handle.options)
    return handle


def _saved_context(handle: Handle) -> MQMD | None:
    """Return the context of the last message got; None when the handle saves none."""
    if handle.options & MQOO_SAVE_ALL_CONTEXT and handle.context is None:
        raise MQError(f"no get from queue {handle.q_name} has returned a message", MQRC_CONTEXT_NOT_AVAILABLE)
    return handle.context


def _check_sharing(work: Work, queue: Queue, options: int) -> int:
    """Resolve "as queue default" and refuse an input open that others exclude (BEY-47, BEY-48).

    Raises MQError: MQRC_OBJECT_IN_USE.
    """
    if not options & INPUT_OPTIONS:
        return options
    if options & MQOO_INPUT_AS_Q_DEF:
        options = options & ~MQOO_INPUT_AS_Q_DEF | queue.def_input_open_option
    if queue.shareability == MQQA_NOT_SHAREABLE:
        options = options & ~MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE
    excluded = INPUT_OPTIONS if options & MQOO_INPUT_EXCLUSIVE else MQOO_INPUT_EXCLUSIVE
    if holders.is_open(work.db, queue.id, excluded) and not (
        recovery.recover_openers(work, queue) and not holders.is_open(work.db, queue.id, excluded)
    ):
        raise MQError(f"queue {queue.name} is open for input elsewhere", MQRC_OBJECT_IN_USE)
    return options

"""Apply: carry out a plan on its queue manager, one unit of work for each message.

A message is removed only where it is the only one with its identifiers, unchanged, and in the dump here. Its get and
its put are one unit of work. A plan can be applied again after any interruption: the messages that are done have gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mqtools.constants.options import MQPMO_PASS_ALL_CONTEXT, MQPMO_SYNCPOINT
from mqtools.dlq.attempt import make_message
from mqtools.dlq.plan import PlannedAction
from mqtools.dlq.rule import Rule
from mqtools.errors import MQError, StorageError, UsageError
from mqtools.headers.chain import read_dlh
from mqtools.message import Message
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations.elsewhere.originals import Originals
from mqtools.operations.elsewhere.removed_dump import RemovedDump
from mqtools.rules.origins import CHANGED, GONE, THERE, compare_original

#: Results of an action, besides those of ``compare_original``: done; done by an earlier run, since the message is in
#: the dump and no longer on the queue; the put failed, and the message is where it was.
APPLIED, APPLIED_BEFORE, FAILED = "applied", "applied_before", "failed"

_PUT = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT


def check_place(planned: Iterable[PlannedAction], connection: QueueManagerConnection) -> None:
    """Raise UsageError for a plan for another queue manager."""
    for each in planned:
        if each.qmgr_id != connection.q_mgr_id:
            raise UsageError(
                f"the plan is for queue manager {each.qmgr_id}, not for {connection.name} ({connection.q_mgr_id})"
            )


@dataclass(slots=True)
class Apply:
    """A run of a plan. dump: where removed messages are written; one that only looks makes it a dry run.

    results: number of actions by their results.  reasons: number of puts that failed by target and reason.
    """

    connection: QueueManagerConnection
    dump: RemovedDump
    results: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, int]] = field(default_factory=Counter)
    _queues: dict[str, Originals] = field(default_factory=dict)

    def action(self, planned: PlannedAction) -> str:
        """Carry out one action; return its result. Raises MQError where nothing more can be done."""
        result = self._carry_out(planned)
        self.results[result] += 1
        return result

    def _carry_out(self, planned: PlannedAction) -> str:
        queue = self._queues.get(planned.queue)
        if queue is None:
            queue = self._queues[planned.queue] = Originals(self.connection, planned.queue)
        found = queue.find_any((planned.msg_id, planned.correl_id))
        result = compare_original(found, planned.digest)
        if result == GONE and planned.digest in self.dump.digests:
            return APPLIED_BEFORE
        if result != THERE:
            return result
        md = found[0].md
        if (md.put_date, md.put_time) != (planned.put_date, planned.put_time):
            return CHANGED
        if self.dump.only_looks:
            return APPLIED
        self.dump.add(found[0], self.connection.name, planned.queue)
        taken = queue.take(found[0])
        if taken is None:
            return CHANGED
        if planned.action != "DISCARD":
            try:
                self._put(planned, taken, queue.input)
            except StorageError:
                raise
            except MQError as error:
                self.connection.backout()  # raises again where the connection is broken
                self.reasons[planned.target, error.reason] += 1
                return FAILED
        self.connection.commit()
        return APPLIED

    def _put(self, planned: PlannedAction, taken: Message, source: OpenQueue) -> None:
        """Put a message as the rule says. Raises MQError."""
        rule = Rule(planned.line, [], planned.action, header=planned.header)
        letter = Message(taken.data, taken.md.replace(), taken.properties)
        message = make_message(rule, read_dlh(taken.md, taken.data, keep_nulls=True), letter)
        result = self.connection.put1(
            planned.target, message, _PUT, q_mgr_name=planned.target_q_mgr, context=source.context
        )
        result.check_complete()

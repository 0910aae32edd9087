"""Redrive at a queue manager elsewhere: each dead letter in a unit of work of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mqtools.dlq.redrive import Balance, Plan, Target, restore
from mqtools.dlq.remote_handler import carry
from mqtools.mqi.interface import QueueManagerConnection
from mqtools.operations.browsed_queue import BrowsedQueue


def redrive_elsewhere(
    there: QueueManagerConnection,
    todo: Plan,
    tokens: Mapping[int, int],
    balance: Balance,
    *,
    say: Callable[[Target, int], object],
    advance: Callable[[], object],
) -> None:
    """Run a plan that was made on a mirror. tokens: key of a message in the mirror to its number there.

    balance: counts what is committed.  say, advance: as for ``Redrive``.  Raises MQError: what ends the reading of the
    queue.
    """
    with BrowsedQueue(there, todo.q_name, gets=True) as source:
        for seq, target in todo.work:
            advance()
            cause, reason = carry(source, tokens[seq], target, restore)
            if balance.count(target, cause, reason):
                say(target, reason)

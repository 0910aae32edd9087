"""A get of an asyncio task: while it waits, the event loop watches the descriptors that a waiting get sleeps on.

No thread is held. A connection has one bell: a ring wakes all tasks that wait on the connection, and each of them
searches again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, cast

from mqtools.message import MQMD
from mqtools.mqi.get.get import end_without_message, search, stop_waiting
from mqtools.mqi.get.request import Attempt, GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.transaction import ConnectionState
from mqtools.store.liveness import Ends, Presence


async def _run_here(function: Callable[[], Any]) -> Any:
    return function()


async def get_in_task(
    handle: Handle,
    options: int,
    sleep: TaskSleep,
    *,
    md: MQMD | None = None,
    match_options: int | None = None,
    wait_ms: int = 0,
    run: Callable[[Callable[[], Any]], Awaitable[Any]] = _run_here,
) -> GetResult:
    """MQGET in a task: see ``Handle.get``. handle: not used otherwise meanwhile.  sleep: of its connection.

    run: runs each part of the call, such as in a thread, to its end.

    A task that is cancelled has got nothing: a message is removed only by a search that returns it at once.
    """
    attempt = Attempt(handle.request(options, md, match_options, wait_ms))
    try:
        while (result := await run(partial(search, attempt))) is None:
            if attempt.wait is None or not attempt.is_recorded:
                result = await run(partial(end_without_message, attempt))
                break
            await sleep(*attempt.wait.sleep)
        return cast(GetResult, result)
    finally:
        if attempt.is_recorded and not handle.connection.has_ended:  # the end of a connection ends its waits
            await run(partial(stop_waiting, attempt))


class TaskSleep:
    """Sleep of the tasks that wait for messages on one connection: in one event loop, or in several that take turns."""

    def __init__(self, connection: ConnectionState) -> None:
        self._connection = connection
        self._watches: dict[asyncio.AbstractEventLoop, _Watch] = {}

    async def __call__(self, timeout_s: float | None, others: Iterable[bytes]) -> None:
        """Sleep until a ring, the end of another connection, or the timeout; None: no limit.

        others: tokens of the connections whose end matters.
        """
        presence = self._connection.presence
        if presence is None or presence.bell is None:
            return  # closed
        loop = asyncio.get_running_loop()
        sleeper = loop.create_future()
        with Ends(self._connection.db, others) as ends:
            if ends.is_one_gone:
                return
            for end in ends.descriptors:
                loop.add_reader(end, _wake, sleeper)
            watch = self._watches.get(loop)
            if watch is None:
                watch = self._watches[loop] = _Watch(loop, presence, presence.bell)
                watch.begin(self.wake_all)
            watch.sleepers.add(sleeper)
            try:
                await self._sleep_in_turns(sleeper, timeout_s, ends, presence)
            finally:
                watch.sleepers.discard(sleeper)
                for end in ends.descriptors:
                    loop.remove_reader(end)
                if not watch.sleepers and self._watches.get(loop) is watch:
                    del self._watches[loop]
                    watch.stop()

    async def _sleep_in_turns(
        self, sleeper: asyncio.Future[None], timeout_s: float | None, ends: Ends, presence: Presence
    ) -> None:
        """Sleep until woken or time is out, and look after each turn for what no descriptor says."""
        loop = asyncio.get_running_loop()
        deadline = None if timeout_s is None else loop.time() + timeout_s
        while True:
            left_s = ends.turn_s if deadline is None else min(ends.turn_s, deadline - loop.time())
            await asyncio.wait((sleeper,), timeout=max(0.0, left_s))
            if sleeper.done() or ends.look_again() or self._has_new_bell(presence):
                return
            if deadline is not None and loop.time() >= deadline:
                return

    def end(self) -> None:
        """Wake all tasks, because the connection ends."""
        self.wake_all()
        watches, self._watches = self._watches, {}
        for watch in watches.values():
            watch.stop()

    def _has_new_bell(self, presence: Presence) -> bool:
        """Recreate a removed bell; return whether it was removed, and wake all tasks then."""
        if not presence.renew_bell():
            return False
        if presence.bell is not None:  # else disconnected
            for watch in self._watches.values():
                watch.stop()  # the loop watches the old pipe, though its number is that of the new one
                watch.begin(self.wake_all)
        self.wake_all()
        return True

    def wake_all(self) -> None:
        """Wake all tasks: each searches again."""
        for watch in self._watches.values():
            for sleeper in tuple(watch.sleepers):
                _wake(sleeper)


class _Watch:
    """The bell of a connection, watched by one event loop. sleepers: of the tasks that sleep in it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, presence: Presence, bell: int) -> None:
        self._loop = loop
        self._presence = presence
        self._bell = bell
        self.sleepers: set[asyncio.Future[None]] = set()

    def begin(self, rung: Callable[[], None]) -> None:
        """Have a function called at each ring. A closed loop watches nothing."""
        if not self._loop.is_closed():
            self._loop.add_reader(self._bell, self._ring, rung)

    def stop(self) -> None:
        """Leave the bell alone."""
        self._loop.remove_reader(self._bell)

    def _ring(self, rung: Callable[[], None]) -> None:
        self._presence.drain()
        rung()


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not (sleeper.done() or sleeper.get_loop().is_closed()):
        sleeper.set_result(None)

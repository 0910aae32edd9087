"""Random verbs on the queue manager and on a model of it: every answer and every stored message must agree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_UNLOCK
from mqtools.mqi import xa
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.mqi.xa import Xid

from .agreement import CORREL_IDS, MSG_IDS, QUEUES, Both, Given, Pair
from .model import ModelConnection

pytestmark = pytest.mark.slow

st_put = st.tuples(
    st.sampled_from(MSG_IDS),
    st.sampled_from(CORREL_IDS),
    st.sampled_from([0, 4, 9]),
    st.booleans(),  # persistent
    st.sampled_from([-1, -1, -1, 3, 15]),  # expiry
    st.integers(0, 12),  # length of the data
    st.sampled_from([None, None, None, 200, 1000]),  # delay
)


#: Some things happen seldom, or nothing would ever lie on a queue.
st_seldom = st.sampled_from([False] * 4 + [True])


def has_handles(both: Both) -> bool:
    return both.has_handles()


class Agreement(Both):
    """The queue manager agrees with its model."""

    # Connections and handles

    @precondition(lambda self: len(self.pairs) < 3)
    @rule()
    def connect(self) -> None:
        self.pairs.append(Pair(connect(self.path), self.model.connect()))

    @precondition(lambda self: self.pairs)
    @rule(
        data=st.data(),
        seldom=st_seldom,
        q_name=st.sampled_from(QUEUES),
        exclusive=st.sampled_from([False] * 4 + [True]),
    )
    def open(self, data: st.DataObject, seldom: bool, q_name: str, exclusive: bool) -> None:
        if not (seldom or exclusive) and self.has_handles():
            return
        self.open_both(self.some_pair(data), q_name, exclusive=exclusive)

    @precondition(has_handles)
    @rule(data=st.data(), seldom=st_seldom)
    def close(self, data: st.DataObject, seldom: bool) -> None:
        if not seldom:
            return
        pair, handle, model = self.some_handle(data)
        self.same(handle.close, lambda: self.model.close(model))
        pair.handles.remove((handle, model))

    @precondition(lambda self: self.pairs)
    @rule(data=st.data(), seldom=st_seldom)
    def disconnect(self, data: st.DataObject, seldom: bool) -> None:
        if not seldom:
            return
        pair = self.some_pair(data)
        self.same(pair.real.disconnect, lambda: self.model.disconnect(pair.model))
        self.pairs.remove(pair)

    @precondition(lambda self: self.pairs)
    @rule(data=st.data(), seldom=st_seldom)
    def die(self, data: st.DataObject, seldom: bool) -> None:
        """What a kill does: the kernel closes all files, and nobody says good-bye."""
        if not seldom:
            return
        pair = self.some_pair(data)
        if pair.real.presence is not None:
            pair.real.presence.close()  # as the kernel does when a process dies
        pair.real.db.close()
        self.model.die(pair.model)
        self.pairs.remove(pair)

    # Messages

    @precondition(has_handles)
    @rule(data=st.data(), what=st_put, held=st.booleans())
    def put(self, data: st.DataObject, what: Given, held: bool) -> None:
        pair, handle, _ = self.some_handle(data)
        self.put_both(pair, handle.q_name, what, handle, held=held)

    @precondition(lambda self: self.pairs)
    @rule(data=st.data(), q_name=st.sampled_from(QUEUES), what=st_put, held=st.booleans())
    def put1(self, data: st.DataObject, q_name: str, what: Given, held: bool) -> None:
        self.put_both(self.some_pair(data), q_name, what, None, held=held)

    @precondition(has_handles)
    @rule(data=st.data(), held=st.booleans())
    def get(self, data: st.DataObject, held: bool) -> None:
        self.get_both(data, "get", held=held)

    @precondition(has_handles)
    @rule(data=st.data(), msg_id=st.sampled_from([b"", *MSG_IDS]), correl_id=st.sampled_from([b"", *CORREL_IDS]))
    def get_by_id(self, data: st.DataObject, msg_id: bytes, correl_id: bytes) -> None:
        self.get_both(data, "get", msg_id=msg_id, correl_id=correl_id)

    @precondition(has_handles)
    @rule(data=st.data(), max_length=st.integers(0, 5), accept=st.booleans(), held=st.booleans())
    def get_a_part(self, data: st.DataObject, max_length: int, accept: bool, held: bool) -> None:
        self.get_both(data, "get", max_length=max_length, accept=accept, held=held)

    @precondition(has_handles)
    @rule(data=st.data(), correl_id=st.sampled_from([b"", b"", *CORREL_IDS]), lock=st.booleans())
    def browse_first(self, data: st.DataObject, correl_id: bytes, lock: bool) -> None:
        self.get_both(data, "first", correl_id=correl_id, lock=lock)

    @precondition(has_handles)
    @rule(data=st.data(), lock=st.booleans(), max_length=st.sampled_from([None, None, None, 3]), accept=st.booleans())
    def browse_next(self, data: st.DataObject, lock: bool, max_length: int | None, accept: bool) -> None:
        self.get_both(data, "next", lock=lock, max_length=max_length, accept=accept)

    @precondition(has_handles)
    @rule(data=st.data(), lock=st.booleans())
    def browse_under_cursor(self, data: st.DataObject, lock: bool) -> None:
        self.get_both(data, "at", lock=lock)

    @precondition(has_handles)
    @rule(data=st.data(), held=st.booleans())
    def get_under_cursor(self, data: st.DataObject, held: bool) -> None:
        self.get_both(data, "take", held=held)

    @precondition(has_handles)
    @rule(data=st.data())
    def unlock(self, data: st.DataObject) -> None:
        _, handle, model = self.some_handle(data)
        both = self.same(lambda: handle.get(MQGMO_UNLOCK).reason, lambda: self.model.unlock(model))
        assert both is not None
        assert both[0] == both[1]

    @precondition(lambda self: self.pairs)
    @rule(data=st.data())
    def commit(self, data: st.DataObject) -> None:
        pair = self.some_pair(data)
        self.same(pair.real.commit, lambda: self.model.commit(pair.model))

    @precondition(lambda self: self.pairs)
    @rule(data=st.data())
    def backout(self, data: st.DataObject) -> None:
        pair = self.some_pair(data)
        self.same(pair.real.backout, lambda: self.model.backout(pair.model))

    @precondition(lambda self: self.pairs)
    @rule(data=st.data())
    def prepare(self, data: st.DataObject) -> None:
        pair, xid, branch = self.some_pair(data), Xid(1, b"%d" % self.puts), ModelConnection()
        self.puts += 1
        real, model = self.same(lambda: pair.real.prepare(xid), lambda: self.model.prepare(pair.model, branch))
        assert real == model
        if model:
            self.branches[xid] = branch

    @precondition(lambda self: self.branches)
    @rule(data=st.data(), commits=st.booleans())
    def end_branch(self, data: st.DataObject, commits: bool) -> None:
        xid = data.draw(st.sampled_from(sorted(self.branches, key=str)))
        self.model.end(self.branches.pop(xid), commits=commits)
        assert (xa.commit if commits else xa.rollback)(self.observer, xid) == xa.XA_OK
        assert set(xa.recover(self.observer)) == set(self.branches)

    # The world

    @rule(ms=st.sampled_from([1, 300, 300, 1500]))
    def time_passes(self, ms: int) -> None:
        self.now_ms += ms
        self.model.now_ms = self.now_ms

    @rule(
        q_name=st.sampled_from(QUEUES),
        attribute=st.sampled_from(["inhibit_get", "inhibit_put"]),
        chance=st.sampled_from([0, 0, 0, 1]),
    )
    def inhibit_or_allow(self, q_name: str, attribute: str, chance: int) -> None:
        """What is inhibited is soon allowed again."""
        queue = self.model.queues[q_name]
        if not chance and not getattr(queue, attribute):
            return
        setattr(queue, attribute, not getattr(queue, attribute))
        with self.observer.work() as work:
            alter_queue(work, "QLOCAL", q_name, {attribute: int(getattr(queue, attribute))})

    @rule(seldom=st_seldom, very=st_seldom)
    def restart(self, seldom: bool, very: bool) -> None:
        if not (seldom and very):
            return
        assert queue_managers.end(self.path, immediate=True) == queue_managers.ENDED
        assert queue_managers.start(self.path) >= 0
        self.model.restart()
        for pair in self.pairs:
            self.is_broken(pair)
        self.pairs.clear()
        self.observer.disconnect()
        self.observer = connect(self.path)


Agreement.TestCase.settings = settings(
    max_examples=80, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.conformance(
    "BEY-30", "BEY-33", "BEY-37", "BEY-38", "BEY-39", "BEY-40", "BEY-46", "BEY-48", "BEY-53", "BEY-54",
    "BROWSE-11", "BROWSE-28", "BROWSE-29", "BROWSE-60", "LOCK-03", "LOCK-26", "LOCK-39", "SYNC-01", "SYNC-02",
)  # fmt: skip
class TestAgreement(Agreement.TestCase):
    """The queue manager does what its model does."""

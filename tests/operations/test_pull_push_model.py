"""Pull and push against a model: two queues as dictionaries, and where each message here came from."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.operations.elsewhere.push import ADDED, EQUAL
from mqtools.rules.origins import CHANGED, GONE, REPLACED, SEVERAL

from ..copied import three_queues
from .two_queue_managers import breaking, contents, edit, pull, push

BODIES = st.sampled_from([b"a", b"b", b"c"])
#: Place, new data, and whether it is here.
EDITS = st.tuples(st.integers(0, 2), BODIES, st.booleans())


class PullAndPush(RuleBasedStateMachine):
    """there, here: identifiers and data of messages; one identifier may have several messages here, of several pulls.

    origins: identifier and data there to the data here when both were equal.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        paths = [three_queues(f"{self.folder.name}/{name}.db") for name in ("THERE", "HERE")]
        self.path = paths[0]
        self.far, self.near = map(connect, paths)
        self.there: list[tuple[bytes, bytes]] = []
        self.here: list[tuple[bytes, bytes]] = []
        self.origins: dict[tuple[bytes, bytes], bytes] = {}

    def teardown(self) -> None:
        self.far.disconnect()
        self.near.disconnect()
        self.folder.cleanup()

    @initialize()
    def begin_with_copies(self) -> None:
        for body in (b"a", b"b", b"c"):
            self.there.append((put(self.far, body), body))
        self.pull()

    @rule(body=BODIES, is_here=st.booleans())
    def put(self, body: bytes, is_here: bool) -> None:
        connection, model = (self.near, self.here) if is_here else (self.far, self.there)
        model.append((put(connection, body), body))

    @rule(is_here=st.booleans())
    def get(self, is_here: bool) -> None:
        connection, model = (self.near, self.here) if is_here else (self.far, self.there)
        if model:
            with connection.open("Q", MQOO_INPUT_SHARED) as queue:
                assert queue.get().message.md.msg_id == model.pop(0)[0]

    @rule()
    def pull(self) -> None:
        came = here = 0
        ids = {msg_id for msg_id, _ in self.here}
        self.origins = {key: body for key, body in self.origins.items() if key[0] in ids}
        before = list(self.here)
        for message in self.there:
            if message not in self.origins:
                self.origins[message] = message[1]
                if message not in before:
                    self.here.append(message)
                    came += 1
                    continue
            here += 1
        assert pull(self.near, self.far) == (came, here)

    @rule(edits=st.lists(EDITS, min_size=1, max_size=6), at=st.integers(0, 12), is_done=st.booleans())
    def push(self, edits: list[tuple[int, bytes, bool]], at: int, is_done: bool) -> None:
        """Edit messages, and push; or begin a push that breaks at a call, and repeat it."""
        for place, body, is_here in edits:
            connection, model = (self.near, self.here) if is_here else (self.far, self.there)
            if place < len(model) and model[place][1] != body:
                edit(connection, place, body)
                model[place] = (model[place][0], body)
        if at:
            with breaking(self.path, at, is_done=is_done) as broken:
                push(self.near, broken)
        results = push(self.near, self.far).results
        wanted = [self._push(*message) for message in self.here]
        if not at:
            assert sorted(results.elements()) == sorted(wanted)
        assert (results[GONE], results[CHANGED], results[SEVERAL]) == tuple(map(wanted.count, (GONE, CHANGED, SEVERAL)))

    def _push(self, msg_id: bytes, body: bytes) -> str:
        known = {key: own for key, own in self.origins.items() if key[0] == msg_id}
        if not known:
            if (msg_id, body) in self.there:
                self.origins[msg_id, body] = body
                return EQUAL
            self.there.append((msg_id, body))
            self.origins[msg_id, body] = body
            return ADDED
        equal = {key for key, own in known.items() if own == body}
        found = equal or set(known)
        if equal:
            return EQUAL if len(found) == 1 else SEVERAL
        if len(found) != 1:
            return SEVERAL
        (original,) = found
        matching = [message for message in self.there if message[0] == msg_id]
        if len(matching) != 1:
            return SEVERAL if matching else GONE
        if matching[0] not in (original, (msg_id, body)):
            return CHANGED
        del self.origins[original]
        self.origins[msg_id, body] = body
        if matching[0] == original:
            self.there.remove(original)
            self.there.append((msg_id, body))
        return REPLACED

    @invariant()
    def both_queues_have_what_the_model_has(self) -> None:
        for connection, model in ((self.far, self.there), (self.near, self.here)):
            assert [(message.md.msg_id, message.data) for message in contents(connection)] == model


def put(connection: Connection, body: bytes) -> bytes:
    message = Message(body, MQMD(persistence=0))
    connection.put1("Q", message)
    return message.md.msg_id


TestPullAndPush = PullAndPush.TestCase
TestPullAndPush.settings = settings(max_examples=40, stateful_step_count=15, deadline=None, phases=[Phase.generate])

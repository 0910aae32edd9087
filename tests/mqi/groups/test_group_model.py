"""Random puts and gets of groups and segments: every answer and every stored message agrees with a naive model."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from mqtools.admin import queue_managers
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.names import name_or_number
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.states import UNLOCKED
from mqtools.constants.structures import MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue

from ...rows import assert_counters
from .group_model import Answer, Model, Physical, Refused

pytestmark = pytest.mark.slow

GROUPS = (b"G" * 24, b"K" * 24)
UNIT = 2
_MATCHES = {"group_id": MQMO_MATCH_GROUP_ID, "msg_seq_number": MQMO_MATCH_MSG_SEQ_NUMBER}


class Put(NamedTuple):
    """A put. segment: number of the segment, None for none.  length: bytes; strays overlap or leave gaps."""

    who: int
    held: bool
    persistent: bool
    group_id: bytes | None
    in_group: bool
    seq: int
    last: bool
    segment: int | None
    ends: bool
    length: int


class Get(NamedTuple):
    """A get or browse. match: fields of the descriptor."""

    who: int
    options: int
    match: tuple[tuple[str, object], ...]


class End(NamedTuple):
    """The end of a unit of work."""

    who: int
    commits: bool


st_who = st.sampled_from((0, 0, 0, 1))
st_seldom = st.sampled_from([False] * 3 + [True])


@st.composite
def puts(draw: st.DrawFn) -> Put:
    """Mostly what makes sense: message 1 or 2 of 2, segment 0 or 1 of 2."""
    seq, segment = draw(st.integers(1, 2)), draw(st.sampled_from((None, None, 0, 1)))
    strays = draw(st_seldom) and draw(st_seldom)
    return Put(
        draw(st_who),
        draw(st_seldom),
        draw(st_seldom),
        draw(st.sampled_from((None, *GROUPS, *GROUPS))),
        draw(st.sampled_from((True, True, False))),
        seq,
        seq == 2 if not strays else draw(st.booleans()),
        segment,
        segment == 1 if not strays else draw(st.booleans()),
        UNIT + (draw(st.integers(-1, 1)) if strays else 0),
    )


@st.composite
def whole_groups(draw: st.DrawFn) -> list[Put]:
    """A group of two, or one logical message outside groups, complete but for what may be dropped; in any order."""
    group_id, in_group = draw(st.sampled_from(GROUPS)), draw(st.booleans())
    places: list[tuple[int, int | None]] = [(2, 0), (2, 1)] if draw(st.booleans()) else [(2, None)]
    if in_group:
        places += [(1, None)]
    else:
        places = [(1, 0), (1, 1)]
    who, held = draw(st_who), draw(st_seldom)
    order = draw(st.permutations(places))[: draw(st.integers(1, 6))]
    return [
        Put(who, held, False, group_id, in_group, seq, seq == 2, segment, segment == 1, UNIT) for seq, segment in order
    ]


st_gets = st.builds(
    lambda who, options, browse, held, match: Get(who, options | (browse or held), match),
    st_who,
    st.builds(
        lambda order, completeness: order | completeness,
        st.sampled_from((0, MQGMO_LOGICAL_ORDER)),
        st.sampled_from(
            (
                0,
                MQGMO_COMPLETE_MSG,
                MQGMO_ALL_MSGS_AVAILABLE,
                MQGMO_ALL_SEGMENTS_AVAILABLE,
                MQGMO_ALL_MSGS_AVAILABLE | MQGMO_COMPLETE_MSG,
            )
        ),
    ),
    st.sampled_from((0, 0, 0, MQGMO_BROWSE_FIRST)),
    st.sampled_from((0, 0, MQGMO_SYNCPOINT)),
    st.sampled_from(
        (
            (),
            (),
            (),
            (("group_id", GROUPS[0]),),
            (("msg_seq_number", 2),),
            (("group_id", GROUPS[1]), ("msg_seq_number", 1)),
        )
    ),
)
st_steps = st.lists(
    st.one_of(
        puts().map(lambda step: [step]),
        whole_groups(),
        st.lists(st_gets, min_size=1, max_size=6),
        st.builds(lambda who, commits: [End(who, commits)], st_who, st.booleans()),
    ),
    min_size=5,
    max_size=20,
).map(lambda batches: [step for batch in batches for step in batch])


def flags_of(step: Put) -> int:
    flags = 0
    if step.in_group:
        flags |= MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if step.last else 0)
    if step.segment is not None:
        flags |= MQMF_SEGMENT | (MQMF_LAST_SEGMENT if step.ends else 0)
    return flags


class Both:
    """The queue manager and its model, side by side."""

    def __init__(self, path: str) -> None:
        queue_managers.create(path)
        self.connections: list[Connection] = [connect(path), connect(path)]
        with self.connections[0].work() as work:
            define_queue(work, "QLOCAL", "Q", {})
        options = MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE
        self.handles: list[Handle] = [connection.open("Q", options) for connection in self.connections]
        self.model = Model()
        self.puts = 0

    def put(self, step: Put) -> None:
        self.puts += 1
        data = bytes([self.puts]) * step.length
        flags = 0 if step.group_id is None else flags_of(step)
        md = MQMD(msg_flags=flags, persistence=int(step.persistent))
        if flags:
            md.group_id, md.msg_seq_number, md.offset = step.group_id or MQGI_NONE, step.seq, (step.segment or 0) * UNIT
        message = Message(data, md)
        self.handles[step.who].put(message, MQPMO_SYNCPOINT if step.held else 0)
        md = message.md
        group_id = md.group_id if any(md.group_id) else None
        placed = Physical(data, group_id, md.msg_seq_number, md.offset, md.msg_flags, step.persistent, UNLOCKED, None)
        self.model.put(step.who, placed, held=step.held)

    def get(self, step: Get) -> None:
        match = dict(step.match)
        wanted = self.answer_of_model(step, match)
        assert self.answer(step, match) == wanted
        event("got" if isinstance(wanted, Answer) else str(name_or_number("MQRC", wanted)))

    def answer_of_model(self, step: Get, match: dict[str, object]) -> Answer | int:
        try:
            return self.model.get(step.who, step.options, match)
        except Refused as refusal:
            return refusal.reason

    def answer(self, step: Get, match: dict[str, object]) -> Answer | int:
        matching = sum(_MATCHES[name] for name in match)
        try:
            result = self.handles[step.who].get(step.options, md=MQMD(**match), match_options=matching)  # type: ignore[arg-type]
        except MQError as error:
            return error.reason
        md = result.message.md
        return Answer(result.message.data, result.reason, md.offset, md.msg_flags)

    def end(self, step: End) -> None:
        connection = self.connections[step.who]
        if step.commits:
            connection.commit()
            self.model.commit(step.who)
        else:
            connection.backout()
            self.model.backout(step.who)

    def check(self) -> None:
        db = self.connections[0].db
        stored = db.all("select data, state from messages order by order_key")
        assert stored == [(message.data, message.state) for message in self.model.queue]
        assert_counters(self.connections[0])
        for handle, user in zip(self.handles, self.model.connected, strict=True):
            assert handle.get_position.is_open == user.got.is_open

    def close(self) -> None:
        for connection in self.connections:
            connection.disconnect()


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st_steps)
def test_groups_and_segments_agree_with_a_naive_model(steps: list[Put | Get | End]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        both = Both(str(Path(folder) / "QM.db"))
        try:
            for step in steps:
                if isinstance(step, Put):
                    both.put(step)
                elif isinstance(step, Get):
                    both.get(step)
                else:
                    both.end(step)
                both.check()
        finally:
            both.close()

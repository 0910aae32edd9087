"""Group completeness that triggers keep: equal to that computed from all messages, whatever arrives and leaves."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants.completeness import (
    FIRST_SEGMENT,
    GROUP_COMPLETE,
    INCOMPLETE,
    INSIDE,
    LEADING,
    MESSAGE_COMPLETE,
    at_arrival,
    completeness,
)
from mqtools.constants.message import MQOL_UNDEFINED
from mqtools.message import MQMD
from mqtools.rules.reassembly import covers, group_covers, piece_of
from mqtools.store import queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.messages import seq_of
from mqtools.store.messages.stored_message import StoredMessage

GROUPS = (b"A" * 24, b"B" * 24)
SEGMENT, LAST_SEGMENT, IN_GROUP, LAST_IN_GROUP = 2, 4, 8, 16
LENGTH = 10


class Member(NamedTuple):
    """What is put: anything goes, strays and overlapping segments too. segment: number of the offset, or None."""

    group_id: bytes
    msg_seq_number: int
    segment: int | None
    ends_message: bool
    ends_group: bool
    length: int
    state: int


members = st.builds(
    Member,
    group_id=st.sampled_from(GROUPS),
    msg_seq_number=st.integers(1, 3),
    segment=st.one_of(st.none(), st.integers(0, 2)),
    ends_message=st.booleans(),
    ends_group=st.booleans(),
    length=st.sampled_from((LENGTH, LENGTH, LENGTH // 2, 2 * LENGTH)),
    state=st.sampled_from((1, 1, 0)),
)
steps = st.lists(
    st.one_of(
        members,
        st.tuples(st.just("state"), st.integers(0, 40), st.sampled_from((1, 2, 3))),
        st.tuples(st.just("remove"), st.integers(0, 40), st.just(0)),
    ),
    max_size=40,
)


def new_database(folder: str) -> Database:
    database = create_database(str(Path(folder) / "Q.db"))
    with database.writing():
        database.run("insert into queue_status (queue_id) values (1)")
    return database


def stored_member(number: int, member: Member) -> StoredMessage:
    flags = IN_GROUP | (LAST_IN_GROUP if member.ends_group else 0)
    if member.segment is not None:
        flags |= SEGMENT | (LAST_SEGMENT if member.ends_message else 0)
    offset = (member.segment or 0) * LENGTH
    md = MQMD(
        group_id=member.group_id,
        msg_seq_number=member.msg_seq_number,
        offset=offset,
        msg_flags=flags,
        original_length=MQOL_UNDEFINED if member.segment is None else member.length,
        priority=0,
        persistence=0,
    )
    place = at_arrival(member.group_id, member.msg_seq_number, offset)
    key = seq_of(1, number)
    return StoredMessage(key, 1, member.state, place, number, None, None, None, 0, None, member.length, md)


def plain(seq: int, *, last: bool = False) -> Member:
    return Member(GROUPS[0], seq, None, True, last, LENGTH, 1)


def available_by_group(db: Database) -> dict[bytes, list[StoredMessage]]:
    found = defaultdict(list)
    for (seq,) in db.all("select seq from messages where state = 1 order by seq"):
        stored = messages.by_seq(db, seq)
        assert stored is not None
        found[stored.md.group_id].append(stored)
    return found


def counted(segments: list[StoredMessage]) -> tuple[int, int | None]:
    """Return the sum of the longest spans at each offset, and the first end."""
    spans: dict[int, int] = {}
    ends = []
    for offset, span, is_end in (piece(segment) for segment in segments):
        spans[offset] = max(spans.get(offset, 0), span)
        if is_end:
            ends.append(offset + span)
    return sum(spans.values()), min(ends, default=None)


def is_complete(segments: list[StoredMessage]) -> bool:
    """Whether the longest spans at each offset reach the first end."""
    present, end = counted(segments)
    return end is not None and present >= end


def piece(stored: StoredMessage) -> tuple[int, int, bool]:
    offset, length, is_end = piece_of(stored.md, stored.data_length)
    return offset, length if stored.md.msg_flags & SEGMENT else 1, is_end


def check_group(group: list[StoredMessage]) -> None:
    wholes = defaultdict(list)
    for stored in group:
        wholes[stored.md.msg_seq_number].append(stored)
    complete = {number for number, segments in wholes.items() if is_complete(segments)}
    lasts = [stored.md.msg_seq_number for stored in group if stored.md.msg_flags & LAST_IN_GROUP]
    is_whole = bool(lasts) and len(complete) >= min(lasts)
    if group_covers((stored.md, stored.data_length) for stored in group):
        assert is_whole, "what is whole is never hidden"
    for stored in group:
        number, offset = stored.md.msg_seq_number, stored.md.offset
        if covers([piece_of(each.md, each.data_length) for each in wholes[number]]):
            assert number in complete, "what is whole is never hidden"
        how_much = INCOMPLETE if number not in complete else GROUP_COMPLETE if is_whole else MESSAGE_COMPLETE
        place = INSIDE if offset else LEADING if number == 1 else FIRST_SEGMENT
        assert stored.completeness == completeness(place, how_much)


def check(db: Database) -> None:
    by_group = available_by_group(db)
    for group in by_group.values():
        check_group(group)
    assert db.one("select grouped from queue_status") == db.one("select count(*) from messages")
    wholes = defaultdict(list)
    for group_id, group in by_group.items():
        for stored in group:
            wholes[group_id, stored.md.msg_seq_number].append(stored)
    rows = db.all("select group_id, msg_seq_number, present, end_at from logical_messages")
    assert {row[:2]: row[2:] for row in rows} == {place: counted(segments) for place, segments in wholes.items()}
    assert dict(db.all("select group_id, last_number from groups")) == {
        group_id: min((each.md.msg_seq_number for each in group if each.md.msg_flags & LAST_IN_GROUP), default=None)
        for group_id, group in by_group.items()
    }


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(steps)
def test_completeness_is_kept(sequence: list[Member | tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = new_database(folder)
        with db.writing():
            seqs: list[int] = []
            for number, step in enumerate(sequence, 1):
                if isinstance(step, Member):
                    messages.insert(db, stored_member(number, step), b"x" * step.length)
                    seqs.append(seq_of(1, number))
                elif seqs:
                    change(db, seqs, *step)
                check(db)
        db.close()


def change(db: Database, seqs: list[int], step: str, which: int, state: int) -> None:
    index = which % len(seqs)
    stored = messages.by_seq(db, seqs[index])
    assert stored is not None
    if step == "remove":
        del seqs[index]
        messages.remove(db, stored)
    else:
        messages.set_state(db, stored, state, None, None)


def test_a_group_is_complete_when_its_last_message_and_all_before_are_there(tmp_path: Path) -> None:
    db = new_database(str(tmp_path))

    def completeness() -> list[int]:
        return [(row[0] - 1) % 3 for row in db.all("select completeness from messages where state = 1 order by seq")]

    with db.writing():
        for number, member in enumerate((plain(3, last=True), plain(1), plain(2)), 1):
            messages.insert(db, stored_member(number, member), b"x" * LENGTH)
            assert completeness() == [GROUP_COMPLETE if number == 3 else MESSAGE_COMPLETE] * number
        stored = messages.by_seq(db, seq_of(1, 2))
        assert stored is not None
        messages.set_state(db, stored, 3, None, None)
        assert completeness() == [MESSAGE_COMPLETE] * 2
        back = messages.by_seq(db, seq_of(1, 2))
        assert back is not None
        messages.set_state(db, back, 1, None, None)
        assert completeness() == [GROUP_COMPLETE] * 3
        messages.remove(db, messages.by_seq(db, seq_of(1, 1)))  # type: ignore[arg-type]
        assert completeness() == [MESSAGE_COMPLETE] * 2
        queues.clear(db, 1)
        assert db.one("select count(*) from groups") == (0,)
        assert db.one("select grouped from queue_status") == (0,)

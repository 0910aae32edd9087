"""What the store keeps of groups agrees with a look at all their messages, whatever comes and goes."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants.standings import FIRST_SEGMENT, GROUP_COMPLETE, INCOMPLETE, INSIDE, LEADING, MESSAGE_COMPLETE
from mqtools.message import MQMD
from mqtools.store import messages, queues
from mqtools.store.database import Database, create_database
from mqtools.store.messages import StoredMessage, seq_of

GROUPS = (b"A" * 24, b"B" * 24)
SEGMENT, LAST_SEGMENT, IN_GROUP, LAST_IN_GROUP = 2, 4, 8, 16

#: A member: group, sequence number, segment number or None, whether it ends its message, its group; available.
members = st.tuples(
    st.sampled_from(GROUPS),
    st.integers(1, 3),
    st.one_of(st.none(), st.integers(0, 2)),
    st.booleans(),
    st.booleans(),
    st.sampled_from((0, 1)),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), members),
        st.tuples(st.just("state"), st.tuples(st.integers(0, 40), st.sampled_from((1, 2, 3)))),
        st.tuples(st.just("remove"), st.integers(0, 40)),
    ),
    max_size=40,
)
LENGTH = 10


def new_database(folder: str) -> Database:
    database = create_database(str(Path(folder) / "Q.db"))
    with database.writing():
        database.run("insert into queue_status (queue_id) values (1)")
    return database


def stored_member(number: int, member: tuple[bytes, int, int | None, bool, bool, int]) -> StoredMessage:
    group_id, seq, segment, ends_message, ends_group, state = member
    flags = IN_GROUP | (LAST_IN_GROUP if ends_group else 0)
    if segment is not None:
        flags |= SEGMENT | (LAST_SEGMENT if ends_message else 0)
    offset = (segment or 0) * LENGTH
    md = MQMD(group_id=group_id, msg_seq_number=seq, offset=offset, msg_flags=flags, priority=0, persistence=0)
    from mqtools.constants.standings import at_arrival

    standing = at_arrival(group_id, seq, offset)
    return StoredMessage(seq_of(1, number), 1, state, standing, number, None, None, None, 0, None, LENGTH, md)


def expected_standings(db: Database) -> dict[int, int]:
    """Work out the standing of every available message from scratch."""
    rows = db.all("select seq, group_id, msg_seq_number, offset, msg_flags from messages where state = 1")
    wholes: dict[tuple[bytes, int], dict[int, tuple[int, int | None]]] = defaultdict(dict)
    last: dict[bytes, set[int]] = defaultdict(set)
    for _, group_id, number, offset, flags in rows:
        span = LENGTH if flags & SEGMENT else 1
        ends = offset + span if not flags & SEGMENT or flags & LAST_SEGMENT else None
        known = wholes[group_id, number].get(offset)
        wholes[group_id, number][offset] = (
            known[0] if known else span,
            max(ends or 0, (known and known[1]) or 0) or None,
        )
        if flags & LAST_IN_GROUP:
            last[group_id].add(number)
    return {row[0]: _standing(row, wholes, last) for row in rows}


def _standing(row, wholes, last) -> int:  # type: ignore[no-untyped-def]
    _, group_id, number, offset, _ = row
    position = INSIDE if offset else LEADING if number == 1 else FIRST_SEGMENT
    return 1 + 3 * position + (MESSAGE_COMPLETE if _complete(wholes[group_id, number]) else INCOMPLETE)


def _complete(whole: dict[int, tuple[int, int | None]]) -> bool:
    ends = [end for _, end in whole.values() if end is not None]
    return bool(ends) and sum(span for span, _ in whole.values()) == max(ends)


def check(db: Database) -> None:
    found = dict(db.all("select seq, standing from messages where state = 1"))
    for seq, wanted in expected_standings(db).items():
        assert min((found[seq] - 1) % 3, 1) == (wanted - 1) % 3, "completeness of the logical message"
        assert (found[seq] - 1) // 3 == (wanted - 1) // 3, "position"
    counts = db.one("select grouped from queue_status")
    assert counts == db.one("select count(*) from messages")
    left = db.one("select count(*) from logical_messages where not exists (select 1 from messages where state = 1)")
    assert left == (0,)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_completeness_of_logical_messages_is_kept(sequence: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = new_database(folder)
        with db.writing():
            number, seqs = 0, []
            for step, argument in sequence:
                if step == "put":
                    if _mixes(db, argument):
                        continue
                    number += 1
                    messages.insert(db, stored_member(number, argument), b"x" * LENGTH)  # type: ignore[arg-type]
                    seqs.append(seq_of(1, number))
                elif seqs:
                    _change(db, seqs, step, argument)
                check(db)
        db.close()


def _mixes(db: Database, member: object) -> bool:
    """A logical message is segmented or it is not: a mixture has no meaning, nor have two ends."""
    group_id, seq, segment, ends_message, _, _ = member  # type: ignore[misc]
    rows = db.all("select msg_flags, offset from messages where group_id = ? and msg_seq_number = ?", (group_id, seq))
    offset = (segment or 0) * LENGTH
    return any(
        bool(flags & SEGMENT) != (segment is not None)
        or (ends_message and flags & LAST_SEGMENT and there != offset)
        or (there == offset and bool(flags & LAST_SEGMENT) != ends_message)
        for flags, there in rows
    )


def _change(db: Database, seqs: list[int], step: str, argument: object) -> None:
    if step == "remove":
        stored = messages.by_seq(db, seqs.pop(argument % len(seqs)))  # type: ignore[operator]
        assert stored is not None
        messages.remove(db, stored)
        return
    which, state = argument  # type: ignore[misc]
    stored = messages.by_seq(db, seqs[which % len(seqs)])
    assert stored is not None
    messages.set_state(db, stored, state, None, None)


def test_a_group_is_complete_when_its_last_message_and_all_before_are_there(tmp_path: Path) -> None:
    db = new_database(str(tmp_path))

    def standings() -> list[int]:
        return [(row[0] - 1) % 3 for row in db.all("select standing from messages where state = 1 order by seq")]

    with db.writing():
        for number, (seq, last) in enumerate(((3, True), (1, False), (2, False)), 1):
            messages.insert(db, stored_member(number, (GROUPS[0], seq, None, True, last, 1)), b"x" * LENGTH)
            assert standings() == [GROUP_COMPLETE if number == 3 else MESSAGE_COMPLETE] * number
        stored = messages.by_seq(db, seq_of(1, 2))
        assert stored is not None
        messages.set_state(db, stored, 3, None, None)
        assert standings() == [MESSAGE_COMPLETE] * 2
        back = messages.by_seq(db, seq_of(1, 2))
        assert back is not None
        messages.set_state(db, back, 1, None, None)
        assert standings() == [GROUP_COMPLETE] * 3
        messages.remove(db, messages.by_seq(db, seq_of(1, 1)))  # type: ignore[arg-type]
        assert standings() == [MESSAGE_COMPLETE] * 2
        queues.clear(db, 1)
        assert db.one("select count(*) from groups") == (0,)
        assert db.one("select grouped from queue_status") == (0,)

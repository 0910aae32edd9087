"""Unload copies or removes messages, and its dump restores them on load."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK
from mqtools.message import MQMD, Message, Property
from mqtools.operations.selection import EVERYTHING, Selection
from mqtools.operations.unload import UnloadedMessage, copy_messages, take_messages

from ..mqi.conftest import QM
from ..rows import queue_id
from .loads import RFH2_DATA, RFH2_MD, load, through_a_dump, unloaded

# -- taking -------------------------------------------------------------------------------------------------


def taken(qm: QM, batch: int, **selection: object) -> list[list[bytes]]:
    units = take_messages(qm.main, "Q", Selection(**selection), batch=batch)  # type: ignore[arg-type]
    return [[each.message.data for each in unit] for unit in units]


def test_what_is_taken_is_gone_with_the_commit_and_back_with_a_back_out(qm: QM) -> None:
    for name in "abcde":
        qm.put(name)
    assert taken(qm, 2) == [[b"a", b"b"], [b"c", b"d"], [b"e"]]
    assert unloaded(qm) == []
    qm.main.backout()
    assert [(message.data, message.md.backout_count) for message in unloaded(qm)] == [
        (name.encode(), 1) for name in "abcde"
    ]
    assert taken(qm, 5, first=2, last=3) == [[b"b", b"c"]]
    qm.main.commit()
    assert qm.data() == [b"a", b"d", b"e"]


def test_what_somebody_else_locks_meanwhile_is_passed_over(qm: QM) -> None:
    for name in "abc":
        qm.put(name)
    units = take_messages(qm.main, "Q", EVERYTHING, batch=1)
    assert [each.message.data for each in next(units)] == [b"a"]
    other = qm.connect()
    handle = qm.open(connection=other)
    assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).message.data == b"b"
    assert [[each.message.data for each in unit] for unit in units] == [[], [b"c"]]


def test_a_taking_reports_delivery_as_a_get_does(qm: QM) -> None:
    qm.put("x", report=0x800, reply_to_q="R")
    assert taken(qm, 10) == [[b"x"]]
    qm.main.commit()
    assert [message.md.feedback for message in unloaded(qm, "R")] == [260]


def test_long_messages_do_not_come_together(qm: QM, monkeypatch) -> None:
    monkeypatch.setattr("mqtools.operations.unload._MOST_BYTES", 10)
    for name in ("a" * 6, "b" * 6, "c" * 3):
        qm.put(name)
    assert [len(unit) for unit in taken(qm, 10)] == [2, 1]


def test_what_expires_meanwhile_is_passed_over(qm: QM, advance) -> None:
    qm.put("a")
    qm.put("b", expiry=50)
    units = take_messages(qm.main, "Q", EVERYTHING, batch=1)
    assert [each.message.data for each in next(units)] == [b"a"]
    advance(6)
    assert list(units) == [[]]


def test_a_copy_has_an_end_on_a_queue_that_grows_with_it(qm: QM, advance) -> None:
    """Fill one page, so that a second is read."""
    load(qm, *(Message(b"x") for _ in range(64)))
    seen: list[UnloadedMessage] = []
    for each in copy_messages(qm.main.db, queue_id(qm.main, "Q"), EVERYTHING):
        seen.append(each)
        advance(1)
        qm.put("again")
    assert len(seen) == 64


# -- both ways ----------------------------------------------------------------------------------------------


def field(length: int) -> st.SearchStrategy[str]:
    characters = st.characters(exclude_categories=("Cs",))
    return st.text(characters, max_size=length).map(lambda text: text.rstrip(" ")) | st.just("X" * length)


identifier = st.binary(min_size=24, max_size=24).filter(any)
flagged = st.sampled_from([(0, None), (8, 1), (8 | 16, 3), (2, 2), (2 | 4, 2), (1, None)])
mqlong = st.integers(-(1 << 31), (1 << 31) - 1)
values = (
    st.builds(Property, st.just(p.MQTYPE_STRING), st.text(st.characters(exclude_categories=("Cs",))))
    | st.builds(Property, st.just(p.MQTYPE_INT32), mqlong, copy_options=st.sampled_from([0, 1, 22]))
    | st.builds(Property, st.just(p.MQTYPE_INT64), st.integers(-(1 << 63), (1 << 63) - 1))
    | st.builds(Property, st.just(p.MQTYPE_BOOLEAN), st.booleans())
    | st.builds(Property, st.just(p.MQTYPE_FLOAT64), st.floats(allow_nan=False))
    | st.builds(Property, st.just(p.MQTYPE_BYTE_STRING), st.binary())
    | st.builds(Property, st.just(p.MQTYPE_NULL), st.none())
)
properties = st.dictionaries(st.sampled_from(["colour", "usr.size", "a.b", "größe", "n1"]), values, max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Generate messages as they may be on a queue, some of them damaged."""
    flags, number = draw(flagged)
    md = MQMD(
        msg_type=draw(st.sampled_from([8, 1, 2, 4, 65536])),
        report=draw(st.sampled_from([0, 0x700, 0x80, -(1 << 31) | 0x01000000])),
        expiry=draw(st.sampled_from([-1, 1_000_000])),
        feedback=draw(st.sampled_from([0, 2053, 259])),
        encoding=draw(st.sampled_from([273, 546, 0]) | mqlong),
        coded_char_set_id=draw(st.sampled_from([1208, 500, 819, 99999, -1])),
        format=draw(st.sampled_from(["MQSTR", "", "MQDEAD", "MQHRF2", "MQXMIT", "MQHMDE"]) | field(8)),
        priority=draw(st.integers(0, 9)),
        persistence=draw(st.integers(0, 1)),
        msg_id=draw(identifier),
        correl_id=draw(st.just(bytes(24)) | identifier),
        backout_count=draw(st.integers(0, 9)),
        reply_to_q="R",
        reply_to_q_mgr="QM1",
        user_identifier=draw(field(12)),
        accounting_token=draw(st.binary(min_size=32, max_size=32)),
        appl_identity_data=draw(field(32)),
        put_appl_type=draw(mqlong),
        put_appl_name=draw(field(28)),
        put_date=draw(st.just("20261110") | field(8)),
        put_time=draw(st.just("14021100") | field(8)),
        appl_origin_data=draw(field(4)),
        group_id=draw(identifier) if number else bytes(24),
        msg_seq_number=number or 1,
        msg_flags=flags,
        original_length=10_000 if flags & 2 else -1,
    )
    data = draw(st.binary(min_size=1) | st.text(min_size=1).map(str.encode) | st.just(RFH2_DATA))
    if data == RFH2_DATA and draw(st.booleans()):
        md.format, md.encoding, md.coded_char_set_id = RFH2_MD.format, RFH2_MD.encoding, RFH2_MD.coded_char_set_id
    return Message(data, md, draw(st.just({}) | properties))


_names = count()


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    st.lists(messages(), min_size=1, max_size=4),
    st.sampled_from([(), ("p",), ("A",), ("a",), ("c",), ("iw13",)]),
)
def test_unload_and_load_are_the_identity_on_every_byte_field_and_property(
    qm: QM, given_messages: list[Message], words: tuple[str, ...]
) -> None:
    first, second = f"FIRST.{next(_names)}", f"SECOND.{next(_names)}"
    for name in (first, second):
        qm.define(name)
    load(qm, *(Message(each.data, each.md.replace(), dict(each.properties)) for each in given_messages), q_name=first)
    there = unloaded(qm, first)
    for one, other in zip(there, sorted(given_messages, key=lambda each: -each.md.priority), strict=True):
        assert (one.data, one.md) == (other.data, other.md.replace(expiry=one.md.expiry))
        assert one.properties == other.properties or not other.properties
    load(qm, *through_a_dump(there, *words), q_name=second)
    again = unloaded(qm, second)
    for each in (*there, *again):
        each.md.expiry = min(each.md.expiry, 0)  # time goes on meanwhile
    assert again == there

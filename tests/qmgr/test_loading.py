"""Loading puts messages as they were: every byte and field, damaged headers too; and unloading takes them so."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.constants import reasons as rc
from mqtools.constants.properties import (
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT64,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from mqtools.formats.dump_display import parse_display
from mqtools.formats.dump_output import dump_message
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property
from mqtools.qmgr.loading import check_message, load_messages
from mqtools.qmgr.selecting import EVERYTHING, Selection
from mqtools.qmgr.unloading import Unloaded, copies, for_dump, takings
from mqtools.rules.properties import into_rfh2
from mqtools.store import queues
from mqtools.store.database import Database

from .conftest import QM, fails

RFH2_MD, RFH2_DATA = into_rfh2(
    MQMD(format="MQSTR", coded_char_set_id=1208),
    b"body",
    {"colour": Property(MQTYPE_STRING, "red")},
    ccsid=1208,
    encoding=546,
)


def load(qm: QM, *messages: Message, q_name: str = "Q") -> None:
    assert load_messages(qm.main, q_name, messages) == (len(messages), None)


def unloaded(qm: QM, q_name: str = "Q", **selection: object) -> list[Message]:
    queue = queues.by_name(qm.main.db, q_name)
    assert queue is not None
    return [each.message for each in copies(qm.main.db, queue.id, Selection(**selection))]  # type: ignore[arg-type]


def through_a_dump(messages: list[Message], *words: str) -> list[Message]:
    """Write messages as a dump and read it."""
    lines: list[bytes] = [b"* QLOAD\n"]
    for message in messages:
        md, data, extra = for_dump(message)
        lines += b"".join(dump_message(md, data, parse_display(words), extra=extra)).split(b"\n")
    findings = Findings("f")
    read = [each.message for each in read_messages([line + b"\n" for line in lines], findings)]
    assert (findings.mistakes, findings.warnings) == ([], [])
    return read


def full(**fields: object) -> MQMD:
    """A descriptor with nothing left for the queue manager to decide."""
    given: dict[str, object] = {"priority": 4, "persistence": 0, "msg_id": b"m" * 24, "coded_char_set_id": 850}
    return MQMD(**{**given, **fields})  # type: ignore[arg-type]


# -- what may change ----------------------------------------------------------------------------------------


def test_all_of_a_descriptor_stays_context_and_backout_count_too(qm: QM) -> None:
    md = full(
        report=0x80,
        feedback=259,
        msg_type=4,
        encoding=273,
        format="OURS",
        correl_id=b"c" * 24,
        backout_count=3,
        reply_to_q="R",
        reply_to_q_mgr="QM9",
        user_identifier="somebody",
        accounting_token=b"a" * 32,
        appl_identity_data="identity",
        put_appl_type=11,
        put_appl_name="program",
        put_date="19991231",
        put_time="23595999",
        appl_origin_data="orig",
        group_id=b"g" * 24,
        msg_seq_number=7,
        offset=12,
        msg_flags=2 | 8,
        original_length=100,
    )
    load(qm, Message(b"\0\xff", md.replace()))
    assert unloaded(qm) == [Message(b"\0\xff", md)]


def test_only_what_a_queue_manager_must_decide_is_decided(qm: QM) -> None:
    qm.alter("Q", def_priority=6, def_persistence=1)
    load(qm, Message(b"x", MQMD(reply_to_q="R")))
    (found,) = unloaded(qm)
    assert found.md.msg_id != bytes(24)
    assert found.md == MQMD(
        msg_id=found.md.msg_id,
        coded_char_set_id=1208,
        reply_to_q="R",
        reply_to_q_mgr="QM1",
        priority=6,
        persistence=1,
    )


def test_expiry_begins_again_with_what_was_left(qm: QM, advance) -> None:
    load(qm, Message(b"x", full(expiry=100)))
    advance(4)
    (found,) = unloaded(qm)
    assert found.md.expiry in (59, 60)
    load(qm, found, q_name="R")
    advance(5)
    assert [each.md.expiry for each in unloaded(qm, "R")] in ([9], [10])
    advance(2)
    assert unloaded(qm, "R") == []


def test_a_version_1_descriptor_has_no_place_in_a_group(qm: QM) -> None:
    load(qm, Message(b"x", full(version=1, group_id=b"g" * 24, msg_flags=8, msg_seq_number=3)))
    assert unloaded(qm)[0].md == full()


def test_arrival_is_reported_if_asked_for_even_to_the_queue_that_is_loaded(qm: QM) -> None:
    md = full(report=0x100, reply_to_q="Q", reply_to_q_mgr="QM1")
    load(qm, Message(b"x", md), Message(b"y", md.replace()))
    assert [message.md.feedback for message in unloaded(qm)] == [0, 259, 0, 259]


# -- bytes are not looked at --------------------------------------------------------------------------------


@pytest.mark.conformance("BEY-67")
@pytest.mark.parametrize("format_name", ["MQDEAD", "MQXMIT", "MQHRF2", "MQHREF", "MQHMDE", "MQCICS"])
@pytest.mark.parametrize("data", [b"", b"no header at all", b"DLH \1\0\0\0cut"])
def test_a_damaged_header_loads_as_it_is(qm: QM, format_name: str, data: bytes) -> None:
    for version in (1, 2):
        load(qm, Message(data, full(version=version, format=format_name)))
    assert unloaded(qm) == [Message(data, full(format=format_name))] * 2


@pytest.mark.conformance("BEY-67")
def test_a_dead_letter_loads_as_it_is(qm: QM) -> None:
    md, data = prefix_dlh(full(format="MQSTR"), b"order", reason=2053, dest_q_name="Q")
    load(qm, Message(data, md.replace()), q_name="DLQ")
    assert unloaded(qm, "DLQ") == [Message(data, md)]


def test_the_properties_of_an_mqrfh2_in_front_are_those_of_the_message(qm: QM) -> None:
    load(qm, Message(RFH2_DATA, full(**{name: getattr(RFH2_MD, name) for name in ("format", "coded_char_set_id")})))
    (found,) = unloaded(qm, where="colour = 'red'")
    assert (found.data, sorted(found.properties)) == (RFH2_DATA, ["usr.colour"])


def test_options_that_only_other_queue_managers_know_are_left_to_them(qm: QM) -> None:
    md = full(report=0x10000)
    assert check_message(Message(b"x", md)) == rc.MQRC_UNKNOWN_REPORT_OPTION
    load(qm, Message(b"x", md.replace()))
    assert unloaded(qm)[0].md == md


# -- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"expiry": 0}, rc.MQRC_EXPIRY_ERROR),
        ({"msg_type": 0}, rc.MQRC_MSG_TYPE_ERROR),
        ({"version": 3}, rc.MQRC_MD_ERROR),
        ({"report": 0x100}, rc.MQRC_MISSING_REPLY_TO_Q),
    ],
)
def test_a_descriptor_that_no_queue_manager_can_have_accepted_is_refused(
    qm: QM, fields: dict[str, object], reason: int
) -> None:
    message = Message(b"x", full(**fields))
    with fails(reason):
        check_message(message)
    at, error = load_messages(qm.main, "Q", [Message(b"good"), message])
    assert (at, error and error.reason, qm.depth()) == (1, reason, 0)


def test_properties_that_could_not_be_handed_out_are_refused() -> None:
    with fails(rc.MQRC_PROPERTY_NAME_ERROR):
        check_message(Message(b"x", full(), {"a.b": Property(MQTYPE_INT32, 1), "a.b.c": Property(MQTYPE_INT32, 1)}))


def test_a_unit_is_loaded_whole_or_not_at_all(qm: QM) -> None:
    qm.alter("Q", max_q_depth=3)
    load(qm, Message(b"1"))
    at, error = load_messages(qm.main, "Q", [Message(b"2"), Message(b"3"), Message(b"4")])
    assert (at, error and error.reason) == (2, rc.MQRC_Q_FULL)
    assert qm.data() == [b"1"]


def test_a_report_on_the_queue_that_is_loaded_takes_room_there(qm: QM) -> None:
    qm.alter("Q", max_q_depth=2)
    at, error = load_messages(qm.main, "Q", [Message(b"x", full(report=0x100, reply_to_q="Q")), Message(b"y")])
    assert (at, error and error.reason) == (1, rc.MQRC_Q_FULL)


def test_a_queue_that_is_full_of_what_the_dead_had_uncommitted_takes_as_much_as_it_has_room_for(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    qm.alter("Q", max_q_depth=2)
    other = qm.connect()
    load_messages(other, "Q", [Message(b"1"), Message(b"2")], in_unit_of_work=True)
    monkeypatch.setattr("mqtools.qmgr.recovery.is_dead", lambda *_: True)
    load(qm, Message(b"3"), Message(b"4"))
    assert qm.data() == [b"3", b"4"]
    at, error = load_messages(qm.main, "Q", [Message(b"5")])
    assert (at, error and error.reason) == (0, rc.MQRC_Q_FULL)


def test_a_unit_of_work_is_there_when_it_is_committed(qm: QM) -> None:
    load_messages(qm.main, "Q", [Message(b"1")], in_unit_of_work=True)
    load_messages(qm.main, "Q", [Message(b"2")], in_unit_of_work=True)
    assert unloaded(qm) == []
    qm.main.commit()
    assert [message.data for message in unloaded(qm)] == [b"1", b"2"]


def test_what_is_persistent_among_others_is_on_disk_when_the_load_returns(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[Database] = []
    monkeypatch.setattr(Database, "sync", lambda db: flushed.append(db))
    load(qm, Message(b"1", full()), Message(b"2", full()))
    assert flushed == []
    load(qm, Message(b"1", full(persistence=1)), Message(b"2", full()))
    assert flushed == [qm.main.db]


def test_loading_takes_the_same_few_statements_for_many_ordinary_messages(
    qm: QM, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    for name in ("all", "one", "run", "run_many"):
        real = getattr(Database, name)

        def noted(db: Database, statement: str, *given: object, real: Any = real) -> Any:
            statements.append(statement)
            return real(db, statement, *given)

        monkeypatch.setattr(Database, name, noted)
    for journal in (0, 2):
        qm.alter("Q", journal=journal)
        numbers = []
        for many in (2, 300):
            statements.clear()
            load(qm, *(Message(b"x", full(priority=n % 10, persistence=n % 2)) for n in range(many)))
            numbers.append(len(statements))
        assert numbers[0] == numbers[1]


# -- taking -------------------------------------------------------------------------------------------------


def taken(qm: QM, batch: int, **selection: object) -> list[list[bytes]]:
    units = takings(qm.main, "Q", Selection(**selection), batch=batch)  # type: ignore[arg-type]
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
    units = takings(qm.main, "Q", EVERYTHING, batch=1)
    assert [each.message.data for each in next(units)] == [b"a"]
    other = qm.connect()
    from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK

    handle = qm.open(connection=other)
    assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK).message.data == b"b"
    assert [[each.message.data for each in unit] for unit in units] == [[], [b"c"]]


def test_a_taking_reports_delivery_as_a_get_does(qm: QM) -> None:
    qm.put("x", report=0x800, reply_to_q="R")
    assert taken(qm, 10) == [[b"x"]]
    qm.main.commit()
    assert [message.md.feedback for message in unloaded(qm, "R")] == [260]


def test_long_messages_do_not_come_together(qm: QM, monkeypatch) -> None:
    monkeypatch.setattr("mqtools.qmgr.unloading._MOST_BYTES", 10)
    for name in ("a" * 6, "b" * 6, "c" * 3):
        qm.put(name)
    assert [len(unit) for unit in taken(qm, 10)] == [2, 1]


def test_what_expires_meanwhile_is_passed_over(qm: QM, advance) -> None:
    qm.put("a")
    qm.put("b", expiry=50)
    units = takings(qm.main, "Q", EVERYTHING, batch=1)
    assert [each.message.data for each in next(units)] == [b"a"]
    advance(6)
    assert list(units) == [[]]


def test_a_copy_has_an_end_on_a_queue_that_grows_with_it(qm: QM, advance) -> None:
    """One page of the store is full, so that there is a next."""
    load(qm, *(Message(b"x") for _ in range(64)))
    queue = queues.by_name(qm.main.db, "Q")
    assert queue is not None
    seen: list[Unloaded] = []
    for each in copies(qm.main.db, queue.id, EVERYTHING):
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
    st.builds(Property, st.just(MQTYPE_STRING), st.text(st.characters(exclude_categories=("Cs",))))
    | st.builds(Property, st.just(MQTYPE_INT32), mqlong, copy_options=st.sampled_from([0, 1, 22]))
    | st.builds(Property, st.just(MQTYPE_INT64), st.integers(-(1 << 63), (1 << 63) - 1))
    | st.builds(Property, st.just(MQTYPE_BOOLEAN), st.booleans())
    | st.builds(Property, st.just(MQTYPE_FLOAT64), st.floats(allow_nan=False))
    | st.builds(Property, st.just(MQTYPE_BYTE_STRING), st.binary())
    | st.builds(Property, st.just(MQTYPE_NULL), st.none())
)
properties = st.dictionaries(st.sampled_from(["colour", "usr.size", "a.b", "größe", "n1"]), values, max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Messages as they could lie on a queue, some of them damaged."""
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

"""Many puts, one by one and by put_each: both store the same, and definitions count at once."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from mqtools.constants.message import MQENC_NATIVE, MQFMT_STRING, MQRO_COA
from mqtools.constants.options import (
    MQOO_SET_ALL_CONTEXT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_CONTEXT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import (
    MQRC_MD_ERROR,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.objects.definitions import alter_queue

from ..copied import three_queues
from ..errors import reason_of
from .children import getter, start_waiting
from .conftest import EVERYTHING, QM

FIELDS: dict[str, tuple[object, ...]] = {
    "priority": (-1, -1, 0, 9, 12),
    "persistence": (0, 1, 2, 2, 3),
    "format": ("", "", MQFMT_STRING, "MINE", "MQDEAD", "MUCHTOOLONG"),
    "encoding": (MQENC_NATIVE, 273),
    "expiry": (-1, -1, 5000, 0),
    "msg_id": (b"\0" * 24, b"\0" * 24, b"m" * 24, b"short"),
    "correl_id": (b"\0" * 24, b"\0" * 24, b"c" * 24),
    "group_id": (b"\0" * 24, b"\0" * 24, b"g" * 24, b""),
    "accounting_token": (b"\0" * 32, b"a" * 32),
    "report": (0, 0, 0, MQRO_COA),
    "reply_to_q": ("", "", "R"),
    "user_identifier": ("", "me"),
    "appl_identity_data": ("", "theirs"),
    "put_date": ("", "20200101"),
    "backout_count": (0, 3),
    "version": (2, 2, 1),
    "original_length": (-1, 7),
}
OPTIONS = (0, 0, MQPMO_SYNCPOINT, MQPMO_NEW_MSG_ID, MQPMO_NO_CONTEXT, MQPMO_SET_ALL_CONTEXT, MQPMO_FAIL_IF_QUIESCING)


@pytest.fixture
def puts(qm: QM) -> Puts:
    return Puts(qm)


class Puts:
    """MQPUT to Q."""

    def __init__(self, qm: QM) -> None:
        self.qm = qm
        self.handle = qm.open("Q", EVERYTHING)

    def __call__(self, data: bytes = b"x", **fields: object) -> Message:
        message = Message(data, MQMD(**fields))  # type: ignore[arg-type]
        self.handle.put(message)
        return message


def put(qm: QM, handle, verb: str, messages: list[Message], options: int) -> None:
    if verb == "put_each":
        _, error = qm.main.put_each("Q", messages, options)
        if error is not None:
            raise error
    for message in messages if verb == "put" else ():
        handle.put(message, options)


def rows(qm: QM) -> list[dict[str, object]]:
    names = [row[0] for row in qm.main.db.all("select name from pragma_table_info('messages')")]
    found = [dict(zip(names, row, strict=True)) for row in qm.main.db.all("select * from messages order by seq")]
    return [{**row, "msg_id": None, "group_id": given_id(row["group_id"]), "checksum": None} for row in found]


def given_id(group_id: bytes | None) -> bytes | None:
    """What was given for a group id; the queue manager makes another one each time."""
    return None if group_id is None or group_id.startswith(b"AMQ ") else group_id


def outcome(qm: QM, handle, verb: str, given: list[tuple[bytes, MQMD, dict[str, Property]]], options: int) -> object:
    messages = [Message(data, md.replace(), properties) for data, md, properties in given]
    try:
        put(qm, handle, verb, messages, options)
        reason = 0
    except MQError as error:
        reason = error.reason
    return reason, [message.md.replace(msg_id=b"", group_id=given_id(message.md.group_id)) for message in messages]


@pytest.mark.usefixtures("advance")
@pytest.mark.parametrize("seed", range(8))
def test_put_each_stores_and_returns_what_single_puts_do(tmp_path, seed):
    found = []
    for verb in ("put", "put_each"):
        (tmp_path / verb).mkdir()
        qm, chance, answers = QM(three_queues(str(tmp_path / verb / "QM1.db"))), random.Random(seed), []
        handle = qm.open("Q", EVERYTHING | MQOO_SET_ALL_CONTEXT)
        for _ in range(30):
            some = chance.sample(sorted(FIELDS), chance.randrange(4))
            fields: dict[str, Any] = {field: chance.choice(FIELDS[field]) for field in some}
            options = chance.choice(OPTIONS)
            properties = {"n": Property(64, 1)} if chance.random() < 0.1 else {}
            given = [(b"%d" % n * 9, MQMD(**fields), properties) for n in range(3)]
            answers.append(outcome(qm, handle, verb, given, options))
        qm.main.commit()
        found.append([*answers, *rows(qm), len(qm.got()), len(qm.got("R"))])  # a get checks the sum
        qm.main.disconnect()
    for single, together in zip(*found, strict=True):
        assert single == together


def test_each_put_has_a_message_id_of_its_own_and_the_given_descriptor_stays(puts):
    given = MQMD()
    messages = [Message(b"x", given) for _ in range(4)]
    for message in messages:
        puts.handle.put(message)
    assert len({message.md.msg_id for message in messages}) == 4
    assert given == MQMD()


def test_what_is_done_to_a_returned_descriptor_is_not_in_the_next_message(puts):
    for _ in range(3):
        message = puts()
        message.md.format, message.md.user_identifier = "OTHER", "other"
    assert [(each.message.md.format, each.message.md.user_identifier) for each in puts.qm.got()] == [("", "ana")] * 3


def test_a_changed_definition_counts_at_the_next_put(puts):
    qm = puts.qm
    assert [puts().md.priority, puts().md.priority] == [0, 0]
    qm.alter("Q", def_priority=7, max_msg_length=10)
    assert puts().md.priority == 7
    assert reason_of(puts, b"x" * 11) == MQRC_MSG_TOO_BIG_FOR_Q
    other = QM(qm.path)
    other.alter("Q", max_q_depth=4)
    puts()
    assert reason_of(puts) == MQRC_Q_FULL
    other.alter("Q", inhibit_put=1)
    other.main.disconnect()
    assert reason_of(puts) == MQRC_PUT_INHIBITED


def test_a_put_to_a_queue_that_is_journaled_meanwhile_is_in_the_journal(puts):
    puts(), puts()
    puts.qm.alter("Q", journal=1)
    puts(), puts()
    assert puts.qm.main.db.all("select count(*) from journal where event = 'put'") == [(2,)]


def test_the_messages_of_a_put_each_before_a_wrong_one_are_put(qm):
    messages = [Message(b"%d" % each) for each in range(5)]
    messages[3].md.msg_id = b"short"
    results, error = qm.main.put_each("Q", messages)
    assert error is not None
    assert (len(results), error.reason) == (3, MQRC_MD_ERROR)
    assert [each.message.data for each in qm.got()] == [b"0", b"1", b"2"]


def test_a_message_that_is_changed_after_its_put_is_stored_as_it_was_put(qm):
    first = Message(b"first", MQMD(format="FIRST"))

    def messages():
        yield first
        first.md.format, first.md.priority = "LATER", 9
        yield Message(b"second")

    results, _ = qm.main.put_each("Q", messages())
    assert [(each.message.data, each.message.md.format) for each in qm.got()] == [(b"first", "FIRST"), (b"second", "")]
    assert len({result.seq for result in results}) == 2


def test_a_put_each_in_a_transaction_that_fails_leaves_nothing(qm):
    qm.put(), qm.put()
    with suppress(ZeroDivisionError), qm.main.work():
        qm.main.put_each("Q", [Message(b"%d" % each) for each in range(5)], MQPMO_NO_SYNCPOINT)
        raise ZeroDivisionError
    assert qm.depth() == 2
    qm.main.put_each("Q", [Message(b"last")])
    assert [each.message.data for each in qm.got()] == [b"x", b"x", b"last"]


def test_a_put_each_is_seen_by_what_the_same_transaction_reads(qm):
    with qm.main.work() as work:
        qm.main.put_each("Q", [Message(b"%d" % each) for each in range(5)])
        assert work.db.all("select count(*) from messages") == [(5,)]
        assert qm.depth() == 5


def test_a_definition_that_the_same_transaction_changes_counts_at_once(qm):
    messages = [Message(b"x") for _ in range(6)]
    with qm.main.work() as work:
        qm.main.put_each("Q", messages[:3])
        alter_queue(work, "QUEUE", "Q", {"def_priority": 7})
        qm.main.put_each("Q", messages[3:])
    assert [message.md.priority for message in messages] == [0, 0, 0, 7, 7, 7]


def test_a_unit_of_work_that_ends_in_the_transaction_of_other_puts_leaves_all_of_them(qm):
    handle = qm.open("Q", EVERYTHING)
    for _ in range(3):
        handle.put(Message(b"unit"), MQPMO_SYNCPOINT)
    with qm.main.work():
        qm.main.put_each("Q", [Message(b"once") for _ in range(3)])
        qm.main.put_each("Q", [Message(b"unit") for _ in range(3)], MQPMO_SYNCPOINT)
        qm.main.commit()
    assert [each.message.data for each in qm.got()] == [b"unit"] * 3 + [b"once"] * 3 + [b"unit"] * 3


@pytest.mark.parametrize("verb", ["put", "put_each"])
def test_a_get_that_waits_is_woken_by_a_put_like_one_before(qm, verb):
    handle = qm.open("Q", EVERYTHING)
    for _ in range(2):
        put(qm, handle, verb, [Message(b"first"), Message(b"first")], 0)
    qm.got()
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    put(qm, handle, verb, [Message(b"woken"), Message(b"woken")], 0)
    assert waiting.finish() == b"woken"

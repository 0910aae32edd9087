"""Loads, moves and deletions of many messages at a time do to the file exactly what they do message by message."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.constants.message import MQMF_MSG_IN_GROUP, MQRO_COA
from mqtools.constants.options import MQGMO_SYNCPOINT, MQPMO_NONE, MQPMO_SET_ALL_CONTEXT
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.bulk_put import BulkPut
from mqtools.mqi.resolution import find_queue
from mqtools.mqi.trash_limits import Trash
from mqtools.operations import load, move
from mqtools.operations.delete import delete_batch
from mqtools.operations.move import Route, carry_batch
from mqtools.operations.selection import EVERYTHING, Selection, keys_by_place, select

from ..copied import three_queues
from ..mqi.conftest import QM

TABLES = ("messages", "message_chunks", "queue_status", "trash", "trash_status", "marks", "journal")
#: Columns that say which process did it, and ids that are new each time.
OWN = ("removed_by", "holder", "msg_id", "checksum")


def message(choose: random.Random, number: int) -> Message:
    md = MQMD(
        msg_id=b"%024d" % number,
        correl_id=choose.choice((bytes(24), b"C" * 24)),
        persistence=choose.randrange(2),
        priority=choose.randrange(10),
        expiry=choose.choice((-1, -1, 5, 1234)),
        accounting_token=choose.choice((bytes(32), b"T\xff\0\x80" * 8)),
        reply_to_q="R",
        report=choose.choice((0,) * 6 + (MQRO_COA, 1 << 3)),
        put_appl_name=choose.choice(("prog", "prög")),
        user_identifier="ada",
    )
    if choose.random() < 0.1:
        md.group_id, md.msg_flags = b"G" * 24, MQMF_MSG_IN_GROUP
    length = choose.choice((0, 1, 100, 1024, 1025, 70_000) + (300_000,) * (number % 10 == 0))
    properties = {"colour": Property(MQTYPE_STRING, "blå")} if choose.random() < 0.2 else {}
    return Message(choose.randbytes(length), md, properties)


def filled(folder: Path, seed: int, advance: Callable[[float], None]) -> QM:
    folder.mkdir()
    qm = QM(three_queues(str(folder / "QM1.db")))
    choose = random.Random(seed)
    qm.alter("Q", msg_delivery_sequence=choose.randrange(2))
    qm.alter("R", max_q_depth=choose.choice((12, 5000)), max_msg_length=choose.choice((1024, 1 << 20)))
    qm.alter("R", msg_delivery_sequence=choose.randrange(2), journal=choose.choice((0, 0, 2)))
    for number in range(40):
        qm.main.put_each("Q", [message(choose, number)], MQPMO_SET_ALL_CONTEXT)
    handle = qm.open()
    for _ in range(choose.randrange(3)):
        handle.get(MQGMO_SYNCPOINT)
    return qm


def content(qm: QM) -> dict[str, list[dict[str, object]]]:
    found = {}
    for table in TABLES:
        names = [row[0] for row in qm.main.db.all(f"select name from pragma_table_info('{table}')")]
        rows = (dict(zip(names, row, strict=True)) for row in qm.main.db.all(f"select * from {table}"))
        found[table] = [{name: value for name, value in row.items() if name not in OWN} for row in rows]
    return found


def both_ways(
    tmp_path: Path,
    seed: int,
    advance: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
    do: Callable[[QM, list[int]], object],
) -> None:
    results = []
    for way in ("together", "single"):
        if way == "single":
            monkeypatch.setattr(BulkPut, "takes", lambda *_: False)
            monkeypatch.setattr(move._Carrier, "carry_run", lambda carrier, keys: 0)
            monkeypatch.setattr(
                "mqtools.store.messages.relocation.ordinary_sizes", lambda db, queue_id, seqs, now_ms: {}
            )
            monkeypatch.setattr(
                "mqtools.store.messages.relocation.remove_ordinary", lambda db, queue_id, seqs, now_ms: 0
            )
        qm = filled(tmp_path / way, seed, advance)
        found = qm.seqs()
        advance(1)  # some have expired, of others some tenths of a second are over
        results.append((do(qm, found), content(qm)))
        advance(-1)
        for q_name in "QR":  # all that is left has the right checksum
            qm.data(q_name)
        for connection in qm.connections:
            connection.disconnect()
    assert results[0] == results[1]


def outcome(done: move.MoveResult) -> tuple[object, ...]:
    return done.number, done.gone, None if done.error is None else done.error.reason


@pytest.mark.parametrize("seed", range(12))
def test_a_move_and_a_copy_do_what_they_do_message_by_message(tmp_path, seed, advance, monkeypatch):
    def carry(qm: QM, found: list[int]) -> object:
        copied = carry_batch(qm.main, Route("Q", "R", keeps_original=True), found[:9])
        moved = carry_batch(qm.main, Route("Q", "R"), [*found[5:], found[5], 1])
        whole = carry_batch(qm.main, Route("R", "Q"), [], whole=True)
        return outcome(copied), outcome(moved), outcome(whole)

    both_ways(tmp_path, seed, advance, monkeypatch, carry)


@pytest.mark.parametrize("seed", range(8))
def test_a_deletion_does_what_it_does_message_by_message(tmp_path, seed, advance, monkeypatch):
    def erase(qm: QM, found: list[int]) -> object:
        qm.main.trash = None if seed in (0, 4, 5) else Trash(3600, (1 << 30, 2_000, 900)[seed % 3])
        number = delete_batch(qm.main, "Q", [*reversed(found), 1])
        return number, qm.main.trash and qm.main.trash.lost

    both_ways(tmp_path, seed, advance, monkeypatch, erase)


@pytest.mark.parametrize("context", [MQPMO_SET_ALL_CONTEXT, MQPMO_NONE])
@pytest.mark.parametrize("seed", range(10))
def test_a_load_does_what_it_does_message_by_message(tmp_path, seed, context, advance, monkeypatch):
    choose = random.Random(seed)
    kinds = [message(choose, number * 10).md for number in range(1, 4)]
    given = []
    for number in range(60):
        made = message(choose, number)
        if choose.random() < 0.8:  # of a few kinds, so that many are of one
            made = Message(b"%d" % number * 99, choose.choice(kinds).replace(msg_id=made.md.msg_id))
        made.md.put_date, made.md.put_time = choose.choice((("", ""), ("20261120", f"1234567{choose.randrange(9)}")))
        if choose.random() < 0.2 and not made.md.report:  # a report has it in its CorrelId
            made.md.msg_id = bytes(24)
        given.append(made)

    def load_three(qm: QM, _: list[int]) -> object:
        how = {"is_checked": True, "context": context}
        loaded = [
            load.load_messages(qm.main, "R", given[at : at + 20], in_unit_of_work=held, **how)
            for at, held in ((0, False), (20, True), (40, False))
        ]
        before = content(qm)
        qm.main.commit()
        return [(at, error and error.reason) for at, error in loaded], before

    both_ways(tmp_path, seed, advance, monkeypatch, load_three)


@pytest.mark.parametrize("column", ["data", "correl_id", "put_time", "put_appl_name", "priority", "put_at", "checksum"])
def test_a_move_notices_whatever_is_damaged(qm, column):
    for data in ("a", "b", "c"):
        qm.put(data)
    seqs, value = qm.seqs(), "1" if column.startswith("put_") else b"b" * 24 if column.endswith("id") else 9
    qm.main.db.run(f"update messages set {column} = ? where seq = ?", (b"x" if column == "data" else value, seqs[1]))
    done = carry_batch(qm.main, Route("Q", "R"), sorted(seqs))
    assert outcome(done) == (1, 0, MQRC_OBJECT_DAMAGED)
    assert qm.data("R") == [b"a"]
    assert qm.seqs() == [seqs[2]]  # the damaged one is locked


@pytest.mark.parametrize("keeps", [False, True])
def test_a_message_that_has_lost_its_data_is_damaged(qm, keeps):
    qm.put("a")
    qm.main.db.run("update messages set data = null")
    done = carry_batch(qm.main, Route("Q", "R", keeps_original=keeps), qm.seqs())
    assert outcome(done) == (0, 0, MQRC_OBJECT_DAMAGED)


@pytest.mark.parametrize(
    ("first", "last", "limit"),
    [(None, None, None), (2, None, None), (None, 3, None), (2, 4, None), (2, 4, 2), (None, None, 3), (9, None, None)],
)
def test_keys_by_place_are_those_of_a_selection(qm, advance, first, last, limit):
    for number in range(6):
        qm.put(str(number), expiry=1 if number == 2 else -1, priority=number % 3)
    advance(1)
    queue_id, chosen = find_queue(qm.main.db, "Q").id, Selection(first=first, last=last)
    expected = [stored.seq for stored in select(qm.main, queue_id, chosen, limit=limit)]
    assert keys_by_place(qm.main, queue_id, chosen, limit=limit) == expected
    assert keys_by_place(qm.main, queue_id, EVERYTHING.replace(grep="1")) is None

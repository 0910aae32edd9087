"""Late writing of what calls of a unit of work put and get while they share a transaction: nobody notices."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest

from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQRO_COA, MQRO_COD
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_CORREL_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_BACKED_OUT, MQRC_Q_FULL, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import MQError, StorageError
from mqtools.message import MQMD, Message
from mqtools.mqi.get import removal
from mqtools.mqi.transaction import Work
from mqtools.store import database, queues, write_buffer
from mqtools.store.database import Database
from mqtools.store.log import kept_turn

from ...copied import three_queues
from ..conftest import QM
from .kept import depth, is_kept, put_in_unit


@pytest.mark.usefixtures("patient")
def test_a_commit_that_cannot_be_written_backs_out_the_unit_and_counts_its_gets(qm, monkeypatch):
    for each in range(4):
        qm.put(str(each))
    handle = qm.open()
    for _ in range(3):
        handle.get(MQGMO_SYNCPOINT)
    put_in_unit(handle, 2)
    write = Database.change_many

    def fail(self: Database, statement: str, rows: Iterable[Sequence[object]]) -> None:
        if statement.startswith("insert"):
            raise StorageError("no space left", MQRC_STORAGE_MEDIUM_FULL)
        write(self, statement, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "change_many", fail)
        with pytest.raises(StorageError):
            qm.main.commit()
    with pytest.raises(MQError) as caught:
        qm.main.commit()
    assert caught.value.reason == MQRC_BACKED_OUT
    assert [(found.message.data, found.message.md.backout_count) for found in qm.got()] == [
        (b"0", 1), (b"1", 1), (b"2", 1), (b"3", 0),
    ]  # fmt: skip
    assert depth(qm) == (0, 0)


@pytest.mark.usefixtures("patient")
def test_a_failing_call_that_ran_statements_undoes_itself_and_nothing_else(qm, monkeypatch):
    for each in range(3):
        qm.put(str(each), reply_to_q="Q", report=MQRO_COD)
    handle = qm.open()
    handle.get(MQGMO_SYNCPOINT)
    put_in_unit(handle, 2)
    assert is_kept(qm.main)

    def fail(work: Work, *_: object) -> None:
        queues.read_all(work.db, "Q")
        raise MQError("full", MQRC_Q_FULL)

    with monkeypatch.context() as patch:
        patch.setattr(removal, "report_whole", fail)  # the message is held and counted then
        with pytest.raises(MQError, match="full"):
            handle.get(MQGMO_SYNCPOINT)
    assert handle.get(MQGMO_SYNCPOINT).message.data == b"1"
    qm.main.backout()
    assert [(found.message.data, found.message.md.backout_count) for found in qm.got()][:3] == [
        (b"0", 1), (b"1", 1), (b"2", 0),
    ]  # fmt: skip


@pytest.mark.usefixtures("patient")
def test_a_descriptor_that_is_changed_after_the_put_is_stored_as_it_was_put(qm):
    handle = qm.open()
    put_in_unit(handle, 2)
    message = Message(b"last", MQMD(format="TEXT"))
    handle.put(message, MQPMO_SYNCPOINT)
    message.md.format, message.md.priority = "OTHER", 9
    qm.main.commit()
    assert [(found.message.data, found.message.md.format) for found in qm.got()][-1] == (b"last", "TEXT")


@pytest.mark.usefixtures("patient")
def test_more_puts_than_the_buffer_takes_are_all_there_in_order(qm, monkeypatch):
    monkeypatch.setattr(write_buffer, "CAPACITY", 7)
    handle = qm.open()
    put_in_unit(handle, 40)
    qm.main.commit()
    assert [found.message.data for found in qm.got()] == [b"%d" % each for each in range(40)]


@pytest.mark.parametrize("seed", range(12))
def test_units_of_work_do_the_same_in_one_transaction_as_in_many(qm, tmp_path, monkeypatch, seed):
    """The same calls, with the turn kept as long as can be and never, give the same answers and leave the same."""
    outcomes = []
    for name, at_once in (("kept", 3600), ("single", -1)):
        monkeypatch.setattr(database, "_AT_ONCE_S", at_once)
        monkeypatch.setattr(kept_turn, "LONGEST_S", 3600)
        monkeypatch.setattr(kept_turn, "IDLE_MS", 3_600_000)
        outcomes.append(history(QM(three_queues(str(tmp_path / name))), random.Random(seed)))
    assert outcomes[0] == outcomes[1]


def history(qm: QM, chance: random.Random) -> list[object]:
    """Make random calls on two queues, and return what they answer and what is left."""
    if chance.random() < 0.2:
        qm.alter("R", journal=1)
    handles = [qm.open("Q"), qm.open("R")]
    answers: list[object] = []
    ids = [bytes([number]) * 24 for number in range(3)]
    for number in range(120):
        handle = chance.choice(handles)
        call = chance.choices(
            ("put", "get", "get by id", "browse", "commit", "backout", "put now", "last", "too long"),
            (40, 30, 6, 3, 4, 3, 3, 2, 3),
        )[0]
        try:
            if call in ("put", "put now"):
                md = MQMD(priority=chance.randrange(3), correl_id=chance.choice([*ids, b"\0" * 24, b"\0" * 24]))
                md.persistence = chance.randrange(2)
                if chance.random() < 0.1:
                    md.report, md.reply_to_q = MQRO_COA | MQRO_COD, "R"
                if chance.random() < 0.1:
                    md.group_id, md.msg_flags = ids[0], MQMF_LAST_MSG_IN_GROUP
                handle.put(Message(b"%d" % number, md), MQPMO_SYNCPOINT if call == "put" else MQPMO_NO_SYNCPOINT)
            elif call == "get":
                found = handle.get(MQGMO_SYNCPOINT)
                answers.append((found.message.data, found.message.md.backout_count))
            elif call == "get by id":
                match = MQMD(correl_id=chance.choice(ids))
                answers.append(handle.get(MQGMO_SYNCPOINT, md=match, match_options=MQMO_MATCH_CORREL_ID).message.data)
            elif call == "too long":
                handle.get(MQGMO_SYNCPOINT, max_length=0)
            elif call == "browse":
                answers.append(handle.get(MQGMO_BROWSE_FIRST).message.data)
            elif call == "last":
                qm.main.backout_last()
            else:
                getattr(qm.main, call)()
        except MQError as error:
            answers.append((call, error.reason))
        answers += [qm.depth("Q"), qm.depth("R")] if chance.random() < 0.05 else []
    qm.main.backout() if chance.random() < 0.5 else qm.main.commit()
    for name in ("Q", "R"):
        answers.append([(found.message.data, found.message.md.backout_count) for found in qm.got(name)])
        queue = queues.by_name(qm.main.db, name)
        answers.append((queue.depth, queue.uncommitted, queue.last_number))
    qm.main.disconnect()
    return answers

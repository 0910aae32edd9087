"""Calls in one transaction of the database do what they do one by one, and fail one by one."""

from __future__ import annotations

import random
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from mqtools.admin.depths import depth
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQRO_COA, MQRO_COD
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_CORREL_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from mqtools.constants.reasons import MQRC_EXPIRY_ERROR, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import MQError, StorageError
from mqtools.message import MQMD, Message

from ...copied import three_queues
from ...rows import assert_counters
from ..children import start_child
from ..conftest import QM, fails


@pytest.mark.parametrize("seed", range(12))
def test_units_of_work_do_the_same_in_a_batch_as_in_single_transactions(tmp_path, seed):
    outcomes = []
    for name in ("batch", "single"):
        qm = QM(three_queues(str(tmp_path / name)))
        with ExitStack() as open_block:
            outcomes.append(history(qm, random.Random(seed), open_block, in_batch=name == "batch"))
    assert outcomes[0] == outcomes[1]


def history(qm: QM, chance: random.Random, open_block: ExitStack, *, in_batch: bool) -> list[object]:
    """Make random calls on two queues, and return what they answer and what is left."""
    if chance.random() < 0.2:
        qm.alter("R", journal=1)
    handles = [qm.open("Q"), qm.open("R")]
    answers: list[object] = []
    ids = [bytes([number]) * 24 for number in range(3)]
    if in_batch:
        open_block.enter_context(qm.main.batch())
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
    open_block.close()
    for name in ("Q", "R"):
        answers.append([(found.message.data, found.message.md.backout_count) for found in qm.got(name)])
    assert_counters(qm.path)
    qm.main.disconnect()
    return answers


def test_a_call_that_fails_in_a_batch_undoes_itself_and_nothing_else(qm):
    handle = qm.open()
    with qm.main.batch():
        handle.put(Message(b"first"), MQPMO_SYNCPOINT)
        with fails(MQRC_EXPIRY_ERROR):
            handle.put(Message(b"never", MQMD(expiry=0)), MQPMO_SYNCPOINT)
        handle.put(Message(b"last"), MQPMO_SYNCPOINT)
        qm.main.commit()
    assert [result.message.data for result in qm.got()] == [b"first", b"last"]


def test_an_error_of_the_file_in_a_batch_undoes_all_of_it(qm, monkeypatch):
    qm.put("kept")
    handle = qm.open()
    database: Any = type(qm.main.db)
    run = database.run

    def fail(self: Any, statement: str, parameters: object = ()) -> int:
        if not statement.startswith("insert"):
            return run(self, statement, parameters)
        self.sql.execute("rollback")
        raise StorageError("no space left", MQRC_STORAGE_MEDIUM_FULL)

    def batch() -> None:
        with qm.main.batch():
            handle.get(MQGMO_SYNCPOINT)
            handle.put(Message(b"undone"), MQPMO_SYNCPOINT)
            monkeypatch.setattr(database, "run", fail)
            with suppress(StorageError):
                handle.put(Message(b"fails"), MQPMO_SYNCPOINT)
            monkeypatch.setattr(database, "run", run)
            handle.put(Message(b"alone"), MQPMO_NO_SYNCPOINT)  # the transaction is gone: it must not be put

    with pytest.raises(StorageError):
        batch()
    qm.main.commit()
    assert [(result.message.data, result.message.md.backout_count) for result in qm.got()] == [(b"kept", 0)]


def test_who_holds_a_batch_open_lets_others_read_and_not_write(qm):
    other, handle = qm.connect(), qm.open()
    other.db.lock_timeout_s = 0
    with qm.main.batch():
        handle.put(Message(b"a"), MQPMO_SYNCPOINT)
        assert depth(other.db, "Q") == 0
        with pytest.raises(MQError, match="write turn"):
            other.put1("Q", Message(b"b"))
        qm.main.commit()
    other.db.lock_timeout_s = None
    other.put1("Q", Message(b"b"))
    assert [result.message.data for result in qm.got()] == [b"a", b"b"]


def test_a_unit_of_work_holds_no_lock_between_its_calls(qm):
    handle = qm.open()
    other = qm.connect()
    other.db.lock_timeout_s = 0
    for number in range(5):
        handle.put(Message(b"held"), MQPMO_SYNCPOINT)
        other.put1("Q", Message(b"%d" % number))
        assert qm.depth() == 2 * (number + 1)


@pytest.mark.slow
def test_a_process_that_dies_in_a_batch_leaves_nothing_of_it(qm):
    qm.put("kept")
    child = start_child(
        """
connection = connect(path)
handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT)
with connection.batch():
    handle.get(MQGMO_SYNCPOINT)
    handle.put(Message(b"never"), MQPMO_SYNCPOINT)
    print("ready", flush=True)
    sys.stdin.read()
""",
        qm.path,
    )
    child.stdout.readline()
    child.kill()
    child.communicate()
    assert [result.message.data for result in qm.got()] == [b"kept"]

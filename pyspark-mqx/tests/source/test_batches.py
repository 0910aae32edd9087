"""Columnar loads leave the same tables and wake the same waiters as puts of single rows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark_mqx.source import writer
from pyspark_mqx.source.rows import read_message_row

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_PUT_INHIBITED, MQRC_Q_FULL
from mqtools.errors import MQError
from mqtools.message import MQMD, Property
from mqtools.mqi import transaction as work
from mqtools.mqi import units_of_work
from mqtools.mqi.bulk_put import BulkPut
from mqtools.mqi.connection import connect
from mqtools.operations import load
from mqtools.rules.properties import into_rfh2

NOW_MS = 1_790_000_000_000
#: Rows that are put in one transaction.
_TOGETHER = 4
NEW_ID = re.compile(rb"AMQ QM1 {9}.{8}", re.DOTALL)
ID = "4D" * 24
RFH2 = into_rfh2(MQMD(), b"body", {"colour": Property(MQTYPE_STRING, "red")}, ccsid=1208, encoding=546)[1]

#: Columns as an archive has them: name to its Arrow type and the values it may have. Null is among all of them.
TYPED: dict[str, tuple[Any, list[Any]]] = {
    "data": (pa.binary(), [b"", b"body", b"x" * 9, b"y" * 300_000, RFH2]),
    "msg_id": (pa.string(), [ID, "41", "00" * 24, "no hex", "4D " * 16]),
    "correl_id": (pa.string(), ["43" * 24, "00" * 24, "X'44'"]),
    "group_id": (pa.string(), ["47" * 24]),
    "msg_seq_number": (pa.int32(), [1, 2, 0]),
    "msg_flags": (pa.int32(), [0, 8, 24, 2, 6]),
    "offset": (pa.int32(), [0, 4]),
    "priority": (pa.int32(), [-1, 0, 4, 9, 77]),
    "persistence": (pa.int32(), [0, 1, 2]),
    "expiry": (pa.int32(), [-1, 50, 0]),
    "report": (pa.int32(), [0, 0x100, 0x700, 0x1800, 0x10000, -(1 << 31)]),
    "reply_to_q": (pa.string(), ["R", "NOWHERE", "Q", "X" * 49]),
    "reply_to_q_mgr": (pa.string(), ["QM1", "QM9"]),
    "version": (pa.int32(), [1, 2, 3]),
    "msg_type": (pa.int32(), [8, 1, 4, 0]),
    "format": (pa.string(), ["MQSTR", "MQHRF2", "MQDEAD", "TOOLONGAFORMAT"]),
    "coded_char_set_id": (pa.int32(), [0, 1208, 500]),
    "put_time": (pa.string(), ["12000000", "12000001", "1200000200"]),
    "user_identifier": (pa.string(), ["ana", "bo  "]),
    "backout_count": (pa.int32(), [0, 3]),
    "properties_json": (
        pa.string(),
        ['{"a":{"type":"int32","value":1}}', '{"a":{"type":"int32","value":"x"}}', "{", '{"a.b":1,"a.b.c":1}'],
    ),
    "properties": (pa.map_(pa.string(), pa.string()), [[], [("colour", "red")], [("no name", "x")]]),
    "dlh": (pa.string(), ["is not read"]),
}
#: The same as CSV files have them.
TEXTS: dict[str, tuple[Any, list[Any]]] = {
    name: (pa.string(), values)
    for name, values in {
        "data": ["", "text", "häl,lo", "日本"],
        "data_b64": ["", "AP8=", "no base64!"],
        "priority": ["", "7", "77", "high"],
        "persistence": ["MQPER_PERSISTENT", "0", "1"],
        "report": ["0", "MQRO_COA", "256"],
        "reply_to_q": ["R"],
        "coded_char_set_id": ["1208", "850", "99999"],
        "format": ["MQSTR", ""],
        "msg_id": ["41", ID, ""],
        "properties": ['{"colour": "red"}', "{"],
    }.items()
}
#: Attributes of the queue that is loaded.
QUEUES: list[dict[str, Any]] = [
    {},
    {"max_q_depth": 3},
    {"max_msg_length": 8},
    {"journal": 1},
    {"journal": 2, "def_priority": 7, "def_persistence": 1, "max_msg_length": 1_000_000},
    {"msg_delivery_sequence": 1, "def_persistence": 1},
    {"inhibit_put": 1},
]
LINES = [
    '{"data":"x","md":{"priority":3}}',
    '{"data":"y","md":{"report":"MQRO_COA","reply_to_q":"R"}}',
    '{"data":"z","properties":{"n":{"type":"int32","value":1}}}',
    "{",
]


#: Columns that have to do with each other.
THEMES = [
    ("msg_flags", "group_id", "msg_seq_number", "offset", "version"),
    ("format", "properties_json", "properties"),
    ("report", "reply_to_q", "reply_to_q_mgr", "msg_type", "expiry"),
    ("msg_id", "correl_id", "put_time", "user_identifier"),
    ("priority", "persistence", "coded_char_set_id", "data_b64"),
]


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Rows of an archive, of a CSV file, or of JSON lines; many of them ordinary."""
    kind = draw(st.sampled_from([TYPED, TYPED, TEXTS, None]))
    if kind is None:
        return pa.table({"line": pa.array(draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=6)))})
    number = draw(st.integers(1, 8))
    about = [name for name in draw(st.sampled_from(THEMES)) if name in kind]
    others = draw(st.lists(st.sampled_from(sorted({*kind} - {*about, "data"})), unique=True, max_size=4))
    columns = {}
    for name in ("data", *about, *others):
        arrow_type, values = kind[name]
        value = st.sampled_from([None, *values[: 2 if name in others else None]])
        columns[name] = pa.array(draw(st.lists(value, min_size=number, max_size=number)), arrow_type)
    return pa.table(columns)


def typed(**columns: list[Any]) -> pa.Table:
    return pa.table({name: pa.array(values, TYPED[name][0]) for name, values in columns.items()})


class Pair:
    """Two queue managers with the same queues: one is loaded by column, the other message by message."""

    def __init__(self, make_qm: Callable[[str], Any], folder: Path) -> None:
        self.folder = folder
        self.bulk, self.single = self.managers = (make_qm("QM1"), make_qm("OTHER"))
        for qm in self.managers:
            qm.main.db.run("update qmgr set q_mgr_name = 'QM1', dead_letter_q_name = 'DLQ'")
            qm.define("XMIT", "QLOCAL", usage=1)
            qm.define("AWAY", "QREMOTE", remote_q_name="THERE", remote_q_mgr_name="QM9", xmit_q_name="XMIT")
            qm.define("ALIAS", "QALIAS", base_q_name="Q", def_priority=2)

    def begin(self, attributes: dict[str, Any]) -> None:
        """Recreate the queue in both, with a get that waits on it."""
        for qm in self.managers:
            for name in ("messages", "message_chunks", "waiters", "journal", "journal_chunks", "applied"):
                qm.main.db.run(f"delete from {name}")
            qm.main.db.run("update queue_status set depth = 0, uncommitted = 0, last_number = 0, waiters = 0")
            qm.define("Q", "QUEUE", **{**UNSET, **attributes})
            queue_id = qm.main.db.all("select id from queues where name = 'Q'")[0][0]
            qm.main.db.run("insert into waiters values (7, ?, 1, null, null, x'77')", (queue_id,))
            qm.main.db.run("update queue_status set waiters = 1 where queue_id = ?", (queue_id,))

    def tables(self, qm: Any) -> dict[str, list[Any]]:
        """Return what is in the tables, but for checksums, which cover identifiers that are new; those are checked."""
        names = "messages message_chunks queue_status groups logical_messages journal journal_chunks journal_status"
        db = qm.main.db
        for q_name in ("Q", "R", "DLQ", "XMIT"):
            qm.data(q_name)
        return {
            name: [told(row) for row in db.all(f"select {columns_of(db, name)} from {name}")] for name in names.split()
        }


UNSET = {
    "max_q_depth": 5000,
    "max_msg_length": 4_194_304,
    "journal": 0,
    "def_priority": 0,
    "def_persistence": 0,
    "msg_delivery_sequence": 0,
    "inhibit_put": 0,
}


def columns_of(db: Any, table: str) -> str:
    """Return the columns of a table without the checksum."""
    return ", ".join(name for _, name, *_ in db.all(f"pragma table_info({table})") if name != "checksum")


def told(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row without generated identifiers."""
    return tuple(NEW_ID.sub(b"new", value) if isinstance(value, bytes) else value for value in row)


def load_singly(qm: Any, queue: str, rows: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Put rows one by one; return what was set aside."""
    refused = []
    context = writer._context_of([*rows[0]])
    with connect(qm.path, appl_name="mqx") as connection:
        for at in range(0, len(rows), _TOGETHER):
            with connection.work() as transaction:
                loader = load.Loader(transaction, queue, "", connection.unit_of_work(transaction), context)
                for number, row in enumerate(rows[at : at + _TOGETHER], at + 1):
                    try:
                        loader.load(read_message_row(row))
                    except MQError as error:
                        if error.reason in (MQRC_PUT_INHIBITED, MQRC_Q_FULL):
                            raise
                        refused.append((number, str(error)))
        with connection.work() as transaction:
            units_of_work.commit(transaction, connection.unit_of_work(transaction))
            transaction.durable = True
        connection.unit_ended(backed_out=False)
    return refused


@pytest.fixture
def pair(make_qm: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    monkeypatch.setattr(work, "now_ms", lambda: NOW_MS)
    pair = Pair(make_qm, tmp_path)
    monkeypatch.setattr(type(pair.bulk.main.db), "sync", lambda _: None)
    return pair


def outcome(qm: Any, call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> tuple[object, list[bytes]]:
    """Return the result or error of a load, and whom it woke when all was flushed."""
    woken: list[bytes] = []
    with monkeypatch.context() as patch:
        patch.setattr(type(qm.main.db), "sync", lambda _: woken.append(b"flushed"))
        patch.setattr("mqtools.store.liveness.ring", lambda _folder, token: woken.append(token))
        try:
            return call(), woken
        except MQError as error:
            return error.reason, woken


@example(typed(data=[b"", b"x"], msg_flags=[2, 2], group_id=["47" * 24] * 2), {}, "Q")
@example(typed(data=[b"", b"x"], msg_flags=[6, 6], group_id=["47" * 24] * 2, offset=[999_999_999] * 2), {}, "Q")
@example(typed(data=[RFH2, RFH2], format=["MQHRF2", "MQHRF2"]), {}, "Q")
@example(typed(data=[b"x"], properties_json=['{"a.b":1,"a.b.c":1}']), {}, "Q")
@example(typed(priority=[1, 1, 1, 1, 0, 1, 0, 1], persistence=[0, 1, 0, 1, 1, 1, 1, 1]), {}, "Q")
@example(pa.table({"line": ['{"data":"x"}'] * 4}), {"max_q_depth": 3}, "Q")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=80)
@given(tables(), st.sampled_from(QUEUES), st.sampled_from(["Q", "Q", "Q", "ALIAS", "AWAY"]))
@pytest.mark.conformance("BEY-37", "BEY-40", "BEY-42", "BEY-45", "BEY-86", "RPT-03")
def test_rows_loaded_together_are_as_if_put_one_by_one(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, table: pa.Table, attributes: dict[str, Any], queue: str
) -> None:
    pair.begin(attributes)
    path = pair.folder / "rows.arrow"
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table, max_chunksize=_TOGETHER)
    job = writer.LoadJob(pair.bulk.path, queue, "job", str(pair.folder / "aside"))
    if os.path.exists(job.quarantine_file):
        os.unlink(job.quarantine_file)

    def in_bulk() -> list[tuple[int, str]]:
        writer.load_staged(job, [str(path)])
        if not os.path.exists(job.quarantine_file):
            return []
        lines = [json.loads(line) for line in Path(job.quarantine_file).read_text().splitlines()]
        return [(line["row"], line["reason"]) for line in lines]

    def one_by_one() -> list[tuple[int, str]]:
        with monkeypatch.context() as patch:
            patch.setattr(BulkPut, "takes", lambda *_: False)
            return load_singly(pair.single, queue, table.to_pylist())

    assert outcome(pair.bulk, in_bulk, monkeypatch) == outcome(pair.single, one_by_one, monkeypatch)
    assert pair.tables(pair.bulk) == pair.tables(pair.single)

"""Rows and columns: two ways to read, of which each gives exactly what the other gives."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.admin import queue_managers
from mqtools.arrow import columns, reader
from mqtools.arrow.arrays import type_of
from mqtools.arrow.ranges import plan
from mqtools.arrow.read_options import Options
from mqtools.arrow.reader import RowQuery
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import connect
from mqtools.mqi.identity import now_ms
from mqtools.mqi.objects.definitions import define_queue
from tests.rows import CHUNK

DEAD_LETTER = b"DLH " + struct.pack("<ii", 1, 2035) + b"Q".ljust(48) + b"QM1".ljust(48) + struct.pack("<ii", 546, 1208)
DEAD_LETTER += b"MQSTR".ljust(8) + struct.pack("<i", 6) + b"app".ljust(28) + b"20261122" + b"10000000"

PROPERTIES = st.sampled_from(
    [{}, {"a": Property(MQTYPE_STRING, "é")}, {"b": Property(MQTYPE_STRING, ""), "n": Property(MQTYPE_INT32, 5)}]
)
BODIES = st.one_of(
    st.binary(max_size=60), st.sampled_from([DEAD_LETTER, b"l" * 16_385, b"m" * 100_000, b"v" * (CHUNK + 1)])
)
FIELDS = st.fixed_dictionaries(
    {
        "priority": st.integers(0, 1),
        "correl_id": st.sampled_from([bytes(24), b"c" * 24]),
        "group_id": st.sampled_from([bytes(24), b"g" * 24]),
        "accounting_token": st.sampled_from([bytes(32), b"t" * 32]),
        "format": st.sampled_from(["", "MQSTR"]),
        "expiry": st.sampled_from([-1, 10_000_000]),
        "reply_to_q": st.sampled_from(["", "ANSWERS"]),
    }
)


#: The instant of all reads: what is left of a message's time depends on it.
NOW_MS = now_ms()


def everything(path: str, *, journal: bool, is_alone: bool) -> list[dict[str, Any]]:
    known = columns.known_columns(journal=journal)
    schema = pa.schema([(name, type_of(kind)) for name, kind in known.items()])
    options = Options.parse({"qmgr": path, "journal": str(journal)})
    spans = plan(options)
    with mock.patch("mqtools.arrow.reader.now_ms", return_value=NOW_MS):
        batches = reader.read_file(path, lambda _: spans, RowQuery(schema, options.table, is_alone=is_alone))
        return [row for batch in batches for row in batch.to_pylist()]


@given(
    messages=st.lists(st.tuples(BODIES, FIELDS, PROPERTIES), min_size=1, max_size=25),
    journal=st.integers(0, 2),
    rows=st.integers(1, 9),
    size=st.sampled_from([1, 100, 2_000_000]),
)
@settings(max_examples=25, deadline=None)
def test_rows_and_columns_are_the_same(messages: list[Any], journal: int, rows: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = queue_managers.create(str(Path(folder) / "QM1.db"))
        with connect(path) as connection:
            with connection.work() as work:
                define_queue(work, "QLOCAL", "Q", {"max_msg_length": 104857600, "journal": journal})
            for data, fields, properties in messages:
                fields = {**fields, "format": "MQDEAD"} if data == DEAD_LETTER else fields
                connection.put1("Q", Message(data, MQMD(**fields), properties))
        with mock.patch.multiple(reader, _ROWS=rows, _ROWS_WITH_DATA=rows, _BYTES=size):
            for of_journal in (False, True):
                if of_journal and not journal:
                    continue  # there is none
                found = everything(path, journal=of_journal, is_alone=True)
                assert found == everything(path, journal=of_journal, is_alone=False)
                bodies = [None if of_journal and journal == 1 else data for data, _, _ in messages]
                assert [row["data"] for row in found] == bodies
                described = [(fields["priority"], fields["correl_id"].hex().upper()) for _, fields, _ in messages]
                assert [(row["priority"], row["correl_id"]) for row in found] == described
                values = [[(name, str(one.value)) for name, one in sorted(given.items())] for _, _, given in messages]
                assert [row["properties"] for row in found] == values

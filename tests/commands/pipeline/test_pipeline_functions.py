"""The documented functions of ``pyspark_mqx`` give what the commands give, of queues and of archives of both kinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pyspark_mqx
import pytest

from mqtools.constants.message import MQFB_COD, MQMF_SEGMENT, MQMT_REPORT, MQRO_COD
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.headers.chain import prefix_dlh
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.operations.load import load_messages

Q = "DEV.QUEUE.1"
RULES = "REASON(2053) ACTION(DISCARD)\n"
JOBS: dict[str, tuple[tuple[str, ...], Callable[[Any], Any]]] = {
    "reconcile": (("reconcile", "--sent", "{}", "--reports", "{}"), lambda one: pyspark_mqx.reconcile(one, one)),
    "reassemble": (("reassemble", "--from", "{}"), pyspark_mqx.reassemble),
    "triage": (("triage", "--rules", "my.rules", "--from", "{}"), lambda one: pyspark_mqx.triage(one, RULES)),
}


def fill(path: str) -> None:
    """Put an original and its report, a segment, a dead letter, and messages that are locked and got."""
    letter, data = prefix_dlh(MQMD(format="MQSTR"), b"dead", reason=2053, dest_q_name="ORDERS")
    segment = MQMD(version=2, group_id=b"g" * 24, msg_flags=MQMF_SEGMENT)
    with connect(path) as connection:
        with connection.work() as work:
            alter_queue(work, "QLOCAL", Q, {"journal": 2})
        load_messages(connection, Q, [Message(b"got", MQMD(report=MQRO_COD, reply_to_q="DEV.QUEUE.2"))])
        with connection.open(Q, MQOO_INPUT_SHARED) as handle:
            handle.get()
        report = MQMD(msg_type=MQMT_REPORT, feedback=MQFB_COD, correl_id=b"1" * 24)
        each = [
            (b"1", MQMD(msg_id=b"1" * 24, report=MQRO_COD, reply_to_q="DEV.QUEUE.2")),
            (b"", report),
            (b"part", segment),
            (data, letter),
        ]
        assert load_messages(connection, Q, [Message(*one) for one in each]) == (4, None)
        browse_messages_and_lock(connection, Q, limit=1)


@pytest.fixture
def sources(qm: str, on_spark: Callable[..., Any], spark: Any) -> dict[str, tuple[str, Any]]:
    """Return the word for a command and the frame for a function, of archives and of a queue."""
    fill(qm)
    Path("my.rules").write_text(RULES)
    for folder, *words in (("messages/", "--queue", Q), ("events/", "--journal")):
        assert on_spark("archive", "--to", folder, *words).status == 0
    found = {
        name: (name, pyspark_mqx.read_archive(spark, Path(name).absolute().as_uri()))
        for name in ("messages/", "events/")
    }
    return found | {"queue": (Q, spark.read.format("mqx").load(f"{qm}/{Q}"))}


def test_functions_give_what_commands_give(sources: Any, on_spark: Callable[..., Any]) -> None:
    for kind, (word, frame) in sources.items():
        for name, (words, function) in JOBS.items():
            line = ["--queue" if each == "--from" and name == "triage" and kind == "queue" else each for each in words]
            assert on_spark(*(each.format(word) for each in line), "--to", "out", "-o", "json").status in (0, 9)
            wanted = [row for file in Path("out").glob("*.parquet") for row in pq.ParquetFile(file).read().to_pylist()]
            found = function(frame).toArrow().to_pylist()
            assert sorted(map(plain, found)) == sorted(map(plain, wanted)), (kind, name)
            assert wanted, (kind, name)
        option = ("--queue", Q) if kind == "queue" else ("--from", word)
        groups = json.loads(on_spark("triage", *option, "-o", "json").out)["groups"]
        assert [row["count"] for row in pyspark_mqx.groups(frame).collect()] == [group["count"] for group in groups]


def plain(row: dict[str, Any]) -> str:
    """Return a row as text, with its times as numbers: one of a file has no zone."""
    return str({name: value.isoformat()[:23] if hasattr(value, "isoformat") else value for name, value in row.items()})

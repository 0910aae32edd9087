"""``mqx trace``: the command line, its exit statuses, and what it prints."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.errors import UsageError
from mqtools.operations.archive_files import data_files

from .conftest import Done

Q = "DEV.QUEUE.1"


def rows(done: Done) -> list[dict[str, Any]]:
    assert done.status == 0, done
    return done.rows


def test_the_life_of_a_message_over_two_queue_managers(
    qm: str, mqx: Callable[..., Done], define: Callable[..., None]
) -> None:
    define(Q, journal=1)
    other = queue_managers.create("QM2", developer=True)
    assert other != qm
    mqx("-m", "QM2", "mqsc", f"ALTER QLOCAL({Q}) JOURNAL(YES)", check=True)
    for name in ("QM1", "QM2"):
        mqx("-m", name, "put", Q, name, "--msg-id", "text:SAME", check=True)
    mqx("-m", "QM1", "get", Q, check=True)
    found = rows(mqx("trace", "text:SAME", "-o", "jsonl"))
    assert [(row["qmgr"], row["event"]) for row in found] == [("QM1", "put"), ("QM2", "put"), ("QM1", "get")]
    assert list(found[0]) == [
        *("at", "qmgr", "queue", "event", "outcome", "holder", "appl_name", "user_identifier", "msg_id", "correl_id"),
        "detail",
    ]
    only = rows(mqx("trace", found[0]["msg_id"][:9].lower(), "-m", "QM2", "-o", "jsonl"))
    assert [row["qmgr"] for row in only] == ["QM2"]
    both = rows(mqx("trace", "text:SAME", "-m", "QM1", "-m", "QM2", "-o", "jsonl"))
    assert both == found
    assert json.loads(mqx("trace", "text:SAME", "-o", "json", check=True).out) == found
    assert rows(mqx("trace", "--where", "Root.MQMD.Priority = 0", "-o", "jsonl")) == found


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ((), 2, "ID or --where is required"),
        (("XYZ",), 2, "is not an identifier in hex"),
        (("A" * 50,), 2, "longer than the 24 bytes"),
        (("",), 2, ""),
        (("AB", "-m", "NONE"), 5, "there is no queue manager NONE"),
        (("AB",), 3, "no queue has a journal"),
        (("F" * 48,), 3, ""),
        (("AB", "--from", "nowhere"), 2, "nowhere: no such archive"),
        (("--where", "x ="), 2, ""),
        (("AB", "-o", "hex"), 2, "no output format"),
    ],
)
def test_what_is_refused_and_what_is_not_known(
    qm: str, mqx: Callable[..., Done], words: tuple[str, ...], status: int, text: str
) -> None:
    done = mqx("trace", *words)
    assert (done.status, text in done.err, done.out) == (status, True, b"")


def test_a_beginning_of_several_ids_is_refused_with_the_candidates(
    qm: str, mqx: Callable[..., Done], define: Callable[..., None]
) -> None:
    define(Q, journal=1)
    for name in ("AAA1", "AAA2"):
        mqx("put", Q, name, "--msg-id", name, check=True)
    done = mqx("trace", "AAA").ended(2)
    for name in ("AAA1", "AAA2"):
        assert name.ljust(48, "0") in done.err


def test_an_archive_without_pyarrow_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="requires pyarrow") as caught:
        data_files(str(tmp_path))
    assert "mqtools[arrow]" in (caught.value.hint or "")


def test_a_table_of_delta_without_a_log_is_refused(qm: str, mqx: Callable[..., Done], tmp_path: Any) -> None:
    (tmp_path / "lake/orders/_delta_log").mkdir(parents=True)
    mqx("trace", "text:ONE", "--from", str(tmp_path / "lake")).ended(2, "lake/orders: cannot read the Delta table: ")


def test_following_shows_what_happens_and_ends_on_an_interrupt_with_130(
    qm: str, mqx: Callable[..., Done], start: Callable[..., Any], define: Callable[..., None]
) -> None:
    define(Q, journal=1)
    follower = start("trace", "text:ONE", "--follow", "-o", "jsonl")
    mqx("put", Q, "one", "--msg-id", "text:ONE", check=True)
    assert json.loads(follower.stdout.readline())["event"] == "put"
    mqx("get", Q, check=True)
    while (row := json.loads(follower.stdout.readline()))["outcome"].startswith("held"):
        continue
    assert row["event"] == "get"
    follower.send_signal(signal.SIGINT)
    assert follower.wait(timeout=60) == 130


@pytest.mark.parametrize("journal", [0, 1])
def test_replays_with_new_ids_belong_to_the_life_of_the_original(
    qm: str, mqx: Callable[..., Done], define: Callable[..., None], journal: int
) -> None:
    define(Q, journal=2)
    define("DEV.QUEUE.2", journal=journal)
    mqx("put", Q, "one", "--msg-id", "text:ONE", check=True)
    for _ in range(2):
        mqx("replay", Q, "--since", "-1h", "--to", "DEV.QUEUE.2", "--new-ids", check=True)
    put, *replays = rows(mqx("trace", "text:ONE", "-o", "jsonl"))
    assert [(row["queue"], row["event"]) for row in replays] == [("DEV.QUEUE.2", "replay")] * 2
    assert all(row["detail"].endswith(f"copy of {put['msg_id']}") for row in replays)
    assert len({row["msg_id"] for row in (put, *replays)}) == 3


def test_the_reading_of_a_whole_long_journal_is_said(
    qm: str, mqx: Callable[..., Done], define: Callable[..., None]
) -> None:
    define(Q, journal=1)
    mqx("put", Q, "x", "--msg-id", "text:FIRST", check=True)
    with closing(sqlite3.connect(qm)) as sql:
        names = [row[1] for row in sql.execute("pragma table_info(journal)")]
        columns = ", ".join("1 + number" if name == "event_seq" else name for name in names)
        sql.execute(
            f"insert into journal ({', '.join(names)}) with recursive numbers (number) as"
            " (select 1 union all select number + 1 from numbers where number < 100000)"
            f" select {columns} from numbers, journal where event_seq = 1"
        )
        sql.commit()
    whole = mqx("trace", "--where", "Root.MQMD.Priority = 9")
    assert (whole.status, whole.out) == (3, b"")
    assert "reading the whole journal of QM1 (100001 events): the selector requires no id" in whole.err
    narrow = mqx("trace", "--where", f"Root.MQMD.MsgId = 0x{'00' * 23}01 and Root.MQMD.Priority = 9")
    assert (narrow.status, narrow.err) == (3, "")

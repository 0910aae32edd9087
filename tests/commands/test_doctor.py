"""``mqx doctor``: what it looks at, what it says, and that it changes nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import error_log
from mqtools.admin.error_log import Inserts
from mqtools.channel.exits import ExitContext, ExitMessage, load_chain
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.message import MQMD
from mqtools.mqi.connection import connect

from ..channel.in_doubt import leave_in_doubt
from .conftest import Done

Mqx = Callable[..., Done]


def findings(done: Done) -> dict[str, list[dict[str, Any]]]:
    by_check: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(done.out):
        by_check.setdefault(finding["check"], []).append(finding)
    return by_check


def test_a_queue_manager_that_is_sound(qm: str, mqx: Mqx) -> None:
    mqx("put", "DEV.QUEUE.1", "x", check=True)
    before = Path(qm).read_bytes()
    done = mqx("doctor", "-o", "json", check=True)
    found = findings(done)
    assert list(found) == [
        "file",
        "log",
        "permissions",
        "disk",
        "reserve",
        "messages",
        "locks",
        "errors",
        "transactions",
        "space",
        "readers",
        "pipes",
        "writer",
        "programs",
        "channels",
        "references",
        "settings",
    ]
    assert {finding["state"] for rows in found.values() for finding in rows} == {"ok"}
    assert found["file"][0]["subject"] == qm
    assert mqx("doctor", "--thorough", check=True).out.startswith(b"file\tok\t")
    assert Path(qm).read_bytes() == before


def test_a_severe_entry_of_the_error_log_is_reported(qm: str, mqx: Mqx) -> None:
    error_log.note(qm, "AMQ5008S", "ended by SIGSEGV", Inserts(object="L1"))
    error_log.note(qm, "AMQ9999E", "no severe one")
    done = mqx("doctor", "-o", "json")
    (found,) = findings(done)["errors"]
    assert (done.status, found["state"]) == (4, "notice")
    assert "1 severe entry" in found["what"]
    assert "'L1' ended unexpectedly" in found["what"]


@pytest.mark.parametrize(
    ("words", "age", "state", "end"),
    [
        (["lock", "--lease", "never"], "2 days", "notice", "mqx unlock DEV.QUEUE.1 --lock-id"),
        (["get", "--confirm-id", "7"], "2 days", "notice", "mqx undo DEV.QUEUE.1 --confirm-id"),
        (["lock", "--lease", "never"], "1 hour", "ok", ""),
        (["lock", "--lease", "90d"], "2 days", "ok", ""),
        (["get", "--confirm-id", "7", "--lease", "90d"], "2 days", "ok", ""),
    ],
)
def test_what_is_held_for_more_than_a_day_without_a_lease_is_reported(
    qm: str, mqx: Mqx, words: list[str], age: str, state: str, end: str
) -> None:
    mqx("put", "DEV.QUEUE.1", "x", check=True)
    mqx(words[0], "DEV.QUEUE.1", *words[1:], check=True)
    sql = sqlite3.connect(qm)
    with sql:
        sql.execute(
            "update holders set created_at = unixepoch('now', ?) * 1000 where kind in ('lock', 'confirm')", (f"-{age}",)
        )
    sql.execute("pragma wal_checkpoint(truncate)")
    sql.close()
    mqx("doctor", "--accept-missing-log")  # another program than mqx has closed the file
    done = mqx("doctor", "-o", "json")
    (finding,) = findings(done)["locks"]
    assert (done.status, finding["state"]) == (4 if state == "notice" else 0, state)
    if state == "notice":
        assert finding["subject"] == "DEV.QUEUE.1"
        assert end in finding["hint"]


@pytest.mark.parametrize("thorough", [[], ["--thorough"]])
def test_a_damaged_file_is_said_with_a_status_of_its_own(qm: str, mqx: Mqx, thorough: list[str]) -> None:
    mqx("put", "DEV.QUEUE.1", "x" * 50_000, check=True)
    size = os.path.getsize(qm)
    with open(qm, "r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    done = mqx("doctor", "-o", "json", *thorough).ended(10)
    found = findings(done)
    assert {finding["state"] for finding in found["file"]} == {"damaged"}
    assert "references" not in found


def test_files_that_others_may_read_are_named_with_the_remedy(qm: str, mqx: Mqx) -> None:
    os.chmod(qm, 0o644)
    done = mqx("doctor", "-o", "json").ended(4)
    found = findings(done)["permissions"]
    assert (found[0]["state"], found[0]["subject"], found[0]["hint"]) == ("notice", qm, f"chmod go= {qm}")
    for finding in found:  # SQLite's own files have taken after the first
        subprocess.run(finding["hint"].split(), check=True)
    assert mqx("doctor").status == 0


def test_the_table_fits_a_terminal_and_what_to_do_follows_in_full(qm: str, mqx: Mqx) -> None:
    os.chmod(qm, 0o644)
    done = mqx("doctor", "-o", "table", COLUMNS="60")
    table, *below = done.out.decode().split("\n\n")
    assert table.splitlines()[0].split() == ["CHECK", "STATE", "SUBJECT", "WHAT"]
    (words,) = [
        words for words in (" ".join(text.split()) for text in below) if words.startswith(f"permissions: {qm}: ")
    ]
    assert words.endswith(f" hint: chmod go= {qm}")


def test_what_dead_processes_have_left_is_counted_and_the_living_are_not(
    qm: str,
    mqx: Mqx,
    start: Callable[..., subprocess.Popen[bytes]],
    eventually: Callable[[Callable[[], Any]], Any],
    count_rows: Callable[[str], int],
) -> None:
    waiter = start("get", "DEV.QUEUE.1", "--follow")
    run_folder = Path(f"{qm}-run")
    eventually(lambda: count_rows("waiters") == 1)  # who waits has made both of its pipes
    found = findings(mqx("doctor", "-o", "json", check=True))
    assert found["pipes"][0]["state"] == "ok"
    assert str(waiter.pid) in found["programs"][0]["what"]
    waiter.kill()
    waiter.wait()
    found = findings(mqx("doctor", "-o", "json", check=True))  # they do no harm
    assert found["pipes"][0]["state"] == "ok"
    assert found["pipes"][0]["what"].startswith("2 left by dead processes")
    assert str(waiter.pid) not in found["programs"][0]["what"]
    assert list(run_folder.glob("life-*")), "nothing is changed"


def test_room_that_nothing_needs_is_said_and_what_gives_it_back(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (20 << 20))
    mqx("mqsc", "ALTER QMGR MAXMSGL(104857600)", "ALTER QLOCAL(DEV.QUEUE.1) MAXMSGL(104857600)", check=True)
    mqx("put", "DEV.QUEUE.1", "--file", str(tmp_path / "big"), check=True)
    (finding,) = findings(mqx("doctor", "-o", "json", check=True))["space"]
    assert finding["hint"] is None or "log" in finding["what"]
    mqx("get", "DEV.QUEUE.1", check=True)
    (finding,) = findings(mqx("doctor", "-o", "json", check=True))["space"]
    assert finding["hint"].startswith(f"mqx qmgr compact -m {qm} ")
    mqx(*finding["hint"].split()[1:5], check=True)
    (finding,) = findings(mqx("doctor", "-o", "json", check=True))["space"]
    assert (finding["what"].startswith("0 of "), finding["hint"]) == (True, None)
    assert os.path.getsize(qm) < 1 << 20


def receive(root: Path, **fields: Any) -> None:
    """Have a portion written as the receiving end of a channel does it."""
    chain = load_chain("REFERENCE", str(root))
    chain.start(ExitContext("QM0.TO.QM1", "RCVR", "QM1"))
    rmh = MQRMH(coded_char_set_id=1208, dest_name="in/film\x1b[31m.bin", object_instance_id=b"I" * 24, **fields)
    data = pack_mqrmh(rmh, 546, 1208) + b"abc"
    chain(ExitMessage(data, MQMD(format="MQHREF", coded_char_set_id=1208), remote_q="Q"))
    chain.end()


@pytest.mark.conformance("REF-18")
def test_objects_that_never_completed_are_listed(qm: str, mqx: Mqx, tmp_path: Path) -> None:
    root = tmp_path / "received"
    root.mkdir()
    for name in ("QM0.TO.QM1", "OTHER"):
        mqx("mqsc", f"DEFINE CHANNEL({name}) CHLTYPE(RCVR) MSGEXIT('REFERENCE') MSGDATA('{root}')", check=True)
    assert mqx("doctor").status == 0
    receive(root, flags=1, data_logical_offset=6)
    done = mqx("doctor", "-o", "json").ended(4)
    (finding,) = findings(done)["references"]
    assert finding["subject"] == "in/film\x1b[31m.bin"
    assert "3 of 9 bytes" in finding["what"]
    assert "portions are missing (0 to 6)" in finding["what"]
    assert str(root) in finding["hint"]
    assert b"\x1b" not in mqx("doctor", "-o", "plain").out
    receive(root)
    receive(root, data_logical_offset=3)
    assert (root / "in/film\x1b[31m.bin").read_bytes() == b"abcabcabc"
    assert mqx("doctor").status == 0


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        ("CHLTYPE(RCVR) MSGEXIT('REFERENCE') MSGDATA('/no/such/folder')", 4),
        ("CHLTYPE(RCVR) MSGEXIT('other:exit,REFERENCE') MSGDATA('/no/such/folder')", 0),
        ("CHLTYPE(RCVR) MSGEXIT('other:exit') MSGDATA('/no/such/folder')", 0),
        ("CHLTYPE(RCVR) MSGEXIT('REFERENCE')", 0),
        ("CHLTYPE(SDR) XMITQ(X) CONNAME('qmgr:QM2') MSGEXIT('REFERENCE') MSGDATA('/no/such/folder')", 0),
    ],
)
def test_folders_are_those_of_the_exit_at_receivers(qm: str, mqx: Mqx, attributes: str, status: int) -> None:
    mqx("mqsc", f"DEFINE CHANNEL(C) {attributes}", check=True)
    done = mqx("doctor", "-o", "json").ended(status)
    assert ("/no/such/folder" in findings(done)["references"][0]["what"]) is (status == 4)


def test_a_channel_in_doubt_is_named(qm: str, mqx: Mqx) -> None:
    mqx("mqsc", "DEFINE CHANNEL(C) CHLTYPE(SDR) XMITQ(X) CONNAME('qmgr:QM2')", check=True)
    with connect(qm) as connection:
        leave_in_doubt(connection, "C", 17)
    done = mqx("doctor", "-o", "json").ended(4)
    (finding,) = findings(done)["channels"]
    assert (finding["subject"], "message 17" in finding["what"]) == ("C", True)


def test_a_queue_manager_that_is_not_there(mqx: Mqx) -> None:
    assert mqx("doctor", "-m", "NONE").status == 5
    assert mqx("doctor", "-m", "NONE", "-o", "raw").status == 2


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ('protcted = ["PROD*"]', "unknown setting 'protcted' ignored", "did you mean protected?"),
        ('lock_timeout = "soon"', "lock_timeout: ", ""),
    ],
)
def test_a_mistake_in_the_configuration_is_named(
    qm: str, mqx: Mqx, environment: dict[str, str], line: str, what: str, hint: str
) -> None:
    file = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(line + "\n")
    done = mqx("doctor", "-o", "json")
    (found,) = findings(done)["settings"]
    assert (done.status, found["state"]) == (4, "notice")
    assert what in found["what"]
    assert hint in found["hint"]

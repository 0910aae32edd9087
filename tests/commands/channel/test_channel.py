"""``mqx channel``: two queue managers, a channel between them, and what operators ask and are told of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import NAME
from .two_ends import Run, got, one, put, status_of


def transports(mqx_path: str) -> dict[str, str]:
    return {
        "local": "qmgr:QM2",
        "command": f"{mqx_path} channel receive QM2",
        "exec": f"exec:{mqx_path} channel receive -m QM2",
    }


@pytest.mark.parametrize("kind", ["local", "command", "exec"])
def test_messages_cross_over_a_local_queue_manager_and_over_a_command(
    mqx: Run, pair: str, mqx_path: str, kind: str
) -> None:
    put(mqx, "first", "second")
    done = one(mqx, "channel", "start", NAME, "--drain", "--to", transports(mqx_path)[kind])
    assert (done.status, done.out) == (0, b"")
    assert "sent 2 messages in 1 batch to QM2" in done.err
    assert got(mqx) == [b"first", b"second"]


def test_a_queue_at_another_queue_manager_is_named_with_an_at_sign(mqx: Run, pair: str) -> None:
    mqx("put", "ORDERS@QM2", "hello", "-m", "QM1", check=True)
    one(mqx, "channel", "start", NAME, "--drain")
    assert got(mqx) == [b"hello"]


def test_the_status_has_the_documented_keys_at_both_ends(mqx: Run, pair: str) -> None:
    before = status_of(mqx, "QM1")
    assert before["peer"] == "qmgr:QM2"
    assert before["last_message_at"] is None
    put(mqx, "four", "four")
    one(mqx, "channel", "start", NAME, "--drain")
    sent, received = status_of(mqx, "QM1"), status_of(mqx, "QM2")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", sent.pop("last_message_at"))
    received.pop("last_message_at")
    common = {
        "name": NAME,
        "state": "inactive",
        "batches": 1,
        "messages": 2,
        "bytes": 8,
        "sequence": 2,
        "indoubt_sequence": None,
        "last_error": None,
    }
    assert sent == {**common, "type": "SDR", "xmit_q": "QM2", "peer": "QM2"}
    assert received == {**common, "type": "RCVR", "xmit_q": "", "peer": "QM1"}


def test_the_status_of_all_channels_is_a_table_or_plain(mqx: Run, pair: str) -> None:
    table = one(mqx, "channel", "status", "-o", "table").out.decode()
    assert "CHANNEL" in table
    assert NAME in table
    assert one(mqx, "channel", "status").out.decode().split("\t")[:3] == [NAME, "SDR", "inactive"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["start", "NONE", "--drain"], 5),
        (["start", NAME, "--drain", "--to", "qmgr:NONE"], 5),
        (["start", NAME, "--drain", "--to", "127.0.0.1(9)"], 1),
        (["start", NAME, "--drain", "--to", "echo no channel here"], 1),
        (["start", NAME, "--drain", "--to", "exit 3"], 1),
        (["start", NAME, "--drain", "--to", ""], 2),
        (["status", "NONE"], 5),
        (["stop", "NONE"], 5),
        (["reset", "NONE", "--seqnum", "1"], 5),
        (["reset", NAME], 2),
        (["resolve", NAME, "--action", "commit"], 3),
        (["resolve", NAME, "--action", "forget"], 2),
        (["ping", "NONE"], 5),
        (["ping", NAME, "--to", "127.0.0.1(9)"], 1),
        (["listen"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_what_fails_says_so_with_its_status(mqx: Run, pair: str, arguments: list[str], status: int) -> None:
    done = one(mqx, "channel", *arguments)
    assert (done.status, done.out) == (status, b""), done.err
    assert done.err.count("mqx: ") == 1, done.err


def test_a_stopped_channel_refuses_at_the_other_end_until_it_is_started(mqx: Run, pair: str) -> None:
    put(mqx, "later")
    assert mqx("channel", "stop", NAME, "-m", "QM2").status == 0
    assert one(mqx, "channel", "start", NAME, "--drain").status == 8
    assert mqx("channel", "start", NAME, "-m", "QM2").status == 0
    assert one(mqx, "channel", "start", NAME, "--drain").status == 0
    assert got(mqx) == [b"later"]


@pytest.mark.parametrize("kind", ["local", "command"])
def test_a_drain_that_could_not_deliver_all_is_9(mqx: Run, pair: str, mqx_path: str, kind: str) -> None:
    mqx("mqsc", "-m", "QM2", "DEFINE QLOCAL(DLQ)", "ALTER QMGR DEADQ(DLQ)", check=True)
    mqx("mqsc", "-m", "QM1", "DEFINE QREMOTE(LOST) RNAME(NOWHERE) RQMNAME(QM2) XMITQ(QM2)", check=True)
    put(mqx, "delivered")
    mqx("put", "LOST", "x", "y", "-m", "QM1", check=True)
    done = one(mqx, "channel", "start", NAME, "--drain", "-o", "json", "--to", transports(mqx_path)[kind])
    totals = done.totals
    assert (done.status, totals["messages"], totals["refused"], totals["peer"]) == (9, 3, 2, "QM2")
    assert "not delivered: 2 messages" in done.err
    assert got(mqx) == [b"delivered"]
    put(mqx, "next")
    assert one(mqx, "channel", "start", NAME, "--drain").status == 0


def test_a_message_that_the_sender_cannot_send_is_9_too(mqx: Run, pair: str) -> None:
    mqx("mqsc", "-m", "QM1", f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) MAXMSGL(10)", check=True)
    put(mqx, "short", "longer than that")
    done = one(mqx, "channel", "start", NAME, "--drain")
    assert (done.status, got(mqx)) == (9, [b"short"]), done.err


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["start", NAME, "--drain"], "messages"),
        (["ping", NAME], "took_ms"),
        (["stop", NAME], "state"),
        (["reset", NAME, "--seqnum", "4"], "next_sequence"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_verb_reports_in_json(mqx: Run, pair: str, arguments: list[str], key: str) -> None:
    done = one(mqx, "channel", *arguments, "-o", "json")
    report = done.totals if key == "messages" else json.loads(done.out)
    assert (done.status, report["channel"], key in report) == (0, NAME, True), done.err
    assert one(mqx, "channel", *arguments, "-o", "table").status == 2


def test_ping_names_who_answers(mqx: Run, pair: str, mqx_path: str) -> None:
    one(mqx, "channel", "ping", NAME, "--to", f"{mqx_path} channel receive QM2").ended(0, "QM2")


def test_define_is_the_mqsc_command(mqx: Run, pair: str) -> None:
    done = one(mqx, "channel", "define", "QM1.TO.QM3", "CHLTYPE(SDR) XMITQ(QM2)", "CONNAME('host(1414)')")
    assert done.status == 0
    shown = one(mqx, "mqsc", "DISPLAY CHANNEL(QM1.TO.QM3) CONNAME").out
    assert b"CONNAME(host(1414))" in shown
    assert one(mqx, "channel", "define", "X", "CHLTYPE(NONE)").status == 2


def test_what_an_exit_prints_does_not_get_into_the_stream(
    mqx: Run, pair: str, mqx_path: str, tmp_path: Any, environment: dict[str, str]
) -> None:
    (tmp_path / "loud.py").write_text("def loud(context, message):\n    print('hello')\n    return message\n")
    environment["PYTHONPATH"] = str(tmp_path)
    mqx("mqsc", f"ALTER CHANNEL({NAME}) CHLTYPE(RCVR) MSGEXIT('loud:loud')", "-m", "QM2", check=True)
    put(mqx, "data")
    assert one(mqx, "channel", "start", NAME, "--drain", "--to", f"{mqx_path} channel receive QM2").status == 0
    assert got(mqx) == [b"data"]


def test_a_channel_that_fails_in_the_background_says_why_until_it_runs(
    mqx: Run, define_pair: Callable[[str], None], eventually: Callable[..., Any]
) -> None:
    define_pair("CONNAME('127.0.0.1(1)')")
    assert b"AMQ8420I" in mqx("mqsc", f"DISPLAY CHSTATUS({NAME})", "-m", "QM1").out
    mqx("mqsc", f"START CHANNEL({NAME})", "-m", "QM1", check=True)
    eventually(lambda: status_of(mqx, "QM1")["last_error"])
    error = status_of(mqx, "QM1")["last_error"]
    assert error["reason"] == "MQRC_HOST_NOT_AVAILABLE"
    assert "127.0.0.1(1)" in error["message"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", error["at"])
    assert error["message"] in one(mqx, "channel", "status").out.decode()
    shown = mqx("mqsc", f"DISPLAY CHSTATUS({NAME}) CONNAME RQMNAME", "-m", "QM1", check=True).out
    assert b"CONNAME(127.0.0.1(1))" in shown
    assert re.search(rb"RQMNAME\( *\)", shown)
    done = mqx("doctor", "-m", "QM1", "-o", "json")
    found = [each for each in json.loads(done.out) if each["subject"] == NAME]
    assert (done.status, found[0]["what"].endswith(error["message"])) == (4, True)
    mqx("channel", "stop", NAME, "-m", "QM1", check=True)
    eventually(lambda: status_of(mqx, "QM1")["state"] == "stopped")
    eventually(lambda: mqx("channel", "start", NAME, "--drain", "--to", "qmgr:QM2", "-m", "QM1").status == 0)
    assert status_of(mqx, "QM1")["last_error"] is None
    shown = mqx("mqsc", f"DISPLAY CHSTATUS({NAME}) RQMNAME", "-m", "QM1", check=True).out
    assert b"RQMNAME(QM2)" in shown

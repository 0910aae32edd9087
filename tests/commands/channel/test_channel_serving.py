"""``mqx channel``: senders and listeners that run, whom they serve, and how they end."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants import cmqc, cmqcfc
from mqtools.headers.pcf import CFH, CFIN, CFST
from mqtools.headers.pcf_bytes import pack_pcf

from .conftest import NAME
from .two_ends import Run, got, one, put, status_of


def test_a_listener_serves_over_tcp_and_a_sender_runs_until_it_is_stopped(
    mqx: Run, pair: str, start: Run, eventually: Run
) -> None:
    listener = start("channel", "listen", "--port", "0", "--insecure", "-m", "QM2")
    port = re.search(rb"\((\d+)\)", listener.stderr.readline())[1].decode()
    put(mqx, "first")
    sender = start("channel", "start", NAME, "-m", "QM1", "--to", f"127.0.0.1({port})")
    assert mqx("get", "ORDERS", "-m", "QM2", "--wait", "60s").out == b"first"
    put(mqx, "second")
    assert mqx("get", "ORDERS", "-m", "QM2", "--wait", "60s").out == b"second"
    eventually(lambda: status_of(mqx, "QM1")["sequence"] == 2)
    assert (status_of(mqx, "QM1")["state"], status_of(mqx, "QM2")["state"]) == ("running", "running")
    assert one(mqx, "channel", "start", NAME, "--drain").status == 6
    assert one(mqx, "channel", "stop", NAME).status == 0
    assert sender.wait(60) == 0
    assert status_of(mqx, "QM1")["state"] == "stopped"
    listener.terminate()
    assert listener.wait(60) == 0


SIGNALS = [(signal.SIGTERM, 0), (signal.SIGINT, 130)]


def listen(start: Run, *options: str) -> tuple[Any, str]:
    """Start a listener of QM2; return the process and the port."""
    listener = start("channel", "listen", "--port", "0", "--insecure", "-m", "QM2", *options)
    return listener, re.search(rb"\((\d+)\)", listener.stderr.readline())[1].decode()


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_sender_without_work_ends_in_order_on_a_signal(
    mqx: Run, pair: str, start: Run, eventually: Run, number: int, status: int
) -> None:
    for state, to in [("running", "qmgr:QM2"), ("retrying", "127.0.0.1(9)")]:
        sender = start("channel", "start", NAME, "-m", "QM1", "--to", to)
        eventually(lambda state=state: status_of(mqx, "QM1")["state"] == state)
        sender.send_signal(number)
        assert sender.wait(60) == status
        assert b"0 messages in 0 batches" in sender.stderr.read()
        assert status_of(mqx, "QM1")["state"] == "inactive"


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_sender_ends_after_its_batch_on_a_signal(
    mqx: Run, pair: str, start: Run, eventually: Run, number: int, status: int
) -> None:
    mqx("mqsc", f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) BATCHSZ(5)", "-m", "QM1", check=True)
    lines = b"\n".join(b"m%d" % n for n in range(2000))
    mqx("put", "ORDERS", "--lines", "--persistent", "-m", "QM1", stdin=lines, check=True)
    sender = start("channel", "start", NAME, "-m", "QM1")
    eventually(lambda: status_of(mqx, "QM1")["sequence"] > 50)
    sender.send_signal(number)
    assert sender.wait(60) == status
    sent, received = status_of(mqx, "QM1"), status_of(mqx, "QM2")
    assert (sent["state"], sent["indoubt_sequence"]) == ("inactive", None)
    assert sent["sequence"] == received["sequence"] < 2000
    assert mqx("qdepth", "ORDERS", "--count", "-m", "QM2").out == b"%d\n" % sent["sequence"]


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_listener_ends_after_the_batches_of_its_callers_on_a_signal(
    mqx: Run, pair: str, start: Run, eventually: Run, number: int, status: int
) -> None:
    mqx("mqsc", f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) BATCHSZ(5) SHORTTMR(600)", "-m", "QM1", check=True)
    lines = b"\n".join(b"m%d" % n for n in range(2000))
    mqx("put", "ORDERS", "--lines", "--persistent", "-m", "QM1", stdin=lines, check=True)
    listener, port = listen(start)
    start("channel", "start", NAME, "-m", "QM1", "--to", f"127.0.0.1({port})")
    eventually(lambda: status_of(mqx, "QM1")["sequence"] > 50)
    listener.send_signal(number)
    assert listener.wait(60) == status
    sent = eventually(lambda: found if (found := status_of(mqx, "QM1"))["state"] != "running" else None)
    received = status_of(mqx, "QM2")
    assert (sent["state"], received["state"], sent["indoubt_sequence"]) == ("retrying", "inactive", None)
    assert sent["sequence"] == received["sequence"] < 2000


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_listener_without_callers_ends_on_a_signal(pair: str, start: Run, number: int, status: int) -> None:
    listener, _ = listen(start)
    listener.send_signal(number)
    assert listener.wait(60) == status
    assert b"unexpected" not in listener.stderr.read()


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_who_serves_one_peer_ends_in_order_on_a_signal(
    mqx: Run, pair: str, mqx_path: str, start: Run, eventually: Run, tmp_path: Path, number: int, status: int
) -> None:
    pid, ended = tmp_path / "pid", tmp_path / "ended"
    receive = f"sh -c 'echo $$ > {pid}; exec {mqx_path} channel receive QM2'; echo $? > {ended}"
    sender = start("channel", "start", NAME, "-m", "QM1", "--to", f"exec:{receive}")
    eventually(lambda: status_of(mqx, "QM2")["state"] == "running")
    os.kill(int(pid.read_text()), number)
    assert eventually(lambda: ended.exists() and ended.read_text()) == f"{status}\n"
    sender.kill()
    assert status_of(mqx, "QM2")["state"] == "inactive"
    assert status_of(mqx, "QM1")["indoubt_sequence"] is None


def test_a_requester_is_told_that_the_listener_of_its_server_ends(
    mqx: Run, pair: str, start: Run, eventually: Run
) -> None:
    mqx("mqsc", "DEFINE QLOCAL(BACK) USAGE(XMITQ)", "-m", "QM2", check=True)
    mqx("mqsc", "DEFINE CHANNEL(BACK) CHLTYPE(SVR) XMITQ(BACK) QMNAME(QM1)", "-m", "QM2", check=True)
    listener, port = listen(start)

    def state() -> str:
        return str(json.loads(mqx("channel", "status", "BACK", "-m", "QM1", "-o", "json").out)[0]["state"])

    define = f"DEFINE CHANNEL(BACK) CHLTYPE(RQSTR) CONNAME('127.0.0.1({port})')"
    mqx("mqsc", define, "-m", "QM1", check=True)
    requester = start("channel", "start", "BACK", "-m", "QM1")
    eventually(lambda: state() == "running")
    listener.terminate()
    assert listener.wait(60) == 0
    assert requester.wait(60) == 1
    assert b"the process that runs channel BACK ends (MQRC_CHANNEL_STOPPED" in requester.stderr.read()


def test_a_listener_without_tls_has_to_be_asked_for(mqx: Run, pair: str) -> None:
    refused = mqx("channel", "listen", "--port", "0", "-m", "QM2")
    assert (refused.status, refused.out) == (2, b"")
    assert "tls.certificate, tls.key, tls.trust not set" in refused.err
    assert "every user of this machine" in refused.err
    assert "--insecure" in refused.err
    everywhere = mqx("channel", "listen", "--port", "0", "--address", "0.0.0.0", "-m", "QM2")
    assert "everyone who can reach 0.0.0.0" in everywhere.err


def test_a_listener_on_a_unix_socket_needs_no_tls(mqx: Run, pair: str, start: Run, tmp_path: Path) -> None:
    listener = start("channel", "listen", "--unix", str(tmp_path / "s"), "-m", "QM2")
    assert listener.stderr.readline() == f"listening on unix:{tmp_path}/s for QM2\n".encode()
    put(mqx, "near")
    mqx("channel", "start", NAME, "-m", "QM1", "--to", f"unix:{tmp_path}/s", "--drain", check=True)
    listener.terminate()
    assert listener.wait(60) == 0
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "either --port or --unix is needed"),
        (("--port", "0", "--unix", "s"), "either --port or --unix is needed"),
        (("--port", "0", "--insecure", "--allow-uid", "0"), "--allow-uid needs --unix"),
        (("--unix", "s", "--allow-uid", "no such user"), "there is no user no such user"),
    ],
)
def test_options_of_a_listener_that_do_not_fit_are_refused(
    mqx: Run, pair: str, options: tuple[str, ...], words: str
) -> None:
    mqx("channel", "listen", "-m", "QM2", *options).ended(2, words)


def test_an_insecure_listener_says_who_may_call(start: Run, pair: str) -> None:
    listener = start("channel", "listen", "--port", "0", "--insecure", "-m", "QM2")
    listener.stderr.readline()
    assert b"--insecure: channels without SSLCIPH are open to every user of this machine" in listener.stderr.readline()


def test_certificates_that_cannot_be_read_are_said_before_anything_is_served(mqx: Run, pair: str) -> None:
    files = {f"MQX_TLS_{name}": "/none.pem" for name in ("CERTIFICATE", "KEY", "TRUST")}
    refused = mqx("channel", "listen", "--port", "0", "-m", "QM2", **files)
    assert (refused.status, refused.out) == (1, b"")
    assert "the certificates for TLS cannot be used" in refused.err


def test_a_command_that_a_channel_brings_is_refused_until_the_operator_allows_it(
    mqx: Run, pair: str, tmp_path: Path
) -> None:
    commands = "SYSTEM.ADMIN.COMMAND.QUEUE"
    body = tmp_path / "command"
    planted = CFST(cmqc.MQCA_Q_NAME, b"PLANTED"), CFIN(cmqc.MQIA_Q_TYPE, cmqc.MQQT_LOCAL)
    body.write_bytes(pack_pcf(CFH(cmqcfc.MQCMD_CREATE_Q), planted, cmqc.MQENC_NATIVE))

    def mqsc(*lines: str) -> Any:
        return mqx("mqsc", "-m", "QM2", *lines)

    def send() -> None:
        name = f"{commands}@QM2"
        request = ("--type", "request", "--reply-to", "REPLIES@QM2", "--format", "MQADMIN", "--persistent")
        mqx("put", name, "--file", str(body), *request, "-m", "QM1", check=True)
        one(mqx, "channel", "start", NAME, "--drain")

    mqsc(f"DEFINE QLOCAL({commands})", "DEFINE QLOCAL(REPLIES)", "DEFINE QLOCAL(DLQ)", "ALTER QMGR DEADQ(DLQ)")
    assert b"RCMDS(NO)" in mqsc("DISPLAY QMGR RCMDS").out
    send()
    assert mqsc("DISPLAY QLOCAL(PLANTED)").status != 0
    why = ("--reason", "MQRC_NOT_AUTHORIZED")
    assert len(json.loads(mqx("browse", "DLQ", *why, "-m", "QM2", "-o", "json", check=True).out)) == 1
    assert mqx("dlq-handle", "--redrive", "-m", "QM2").status == 9
    assert mqx("move", "DLQ", commands, "-m", "QM2").status == 8
    assert mqsc("DISPLAY QLOCAL(PLANTED)").status != 0
    mqsc("ALTER QMGR RCMDS(YES)")
    send()
    assert mqsc("DISPLAY QLOCAL(PLANTED)").status == 0


def test_a_sender_retries_until_the_other_end_is_there(mqx: Run, pair: str, start: Run, eventually: Run) -> None:
    put(mqx, "patient")
    sender = start("channel", "start", NAME, "-m", "QM1", "--to", "127.0.0.1(9)")
    eventually(lambda: status_of(mqx, "QM1")["state"] == "retrying")
    sender.send_signal(signal.SIGINT)
    assert sender.wait(60) == 130
    assert status_of(mqx, "QM1")["state"] == "inactive"
    mqx("mqsc", f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) SHORTRTY(1) SHORTTMR(0) LONGRTY(0)", "-m", "QM1", check=True)
    assert one(mqx, "channel", "start", NAME, "--to", "127.0.0.1(9)").status == 1
    assert status_of(mqx, "QM1")["state"] == "stopped"
    assert one(mqx, "channel", "start", NAME, "--drain").status == 0
    assert got(mqx) == [b"patient"]

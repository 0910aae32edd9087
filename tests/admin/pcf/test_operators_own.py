"""Channel attributes that name commands, code or files of the operator: only MQSC can set them."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin import channels
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.channels import MQCHT_SENDER
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.headers.pcf import CFIN, CFSL, CFST

SENDER = CFIN(c.MQIACH_CHANNEL_TYPE, MQCHT_SENDER)
XMITQ = CFST(c.MQCACH_XMIT_Q_NAME, b"QM2")

#: What PCF cannot set: the parameter, and the attribute as MQSC sets it.
FORBIDDEN = [
    (CFST(c.MQCACH_CONNECTION_NAME, b"exec:touch /tmp/planted"), "CONNAME('exec:touch /tmp/planted')"),
    (CFST(c.MQCACH_CONNECTION_NAME, b" EXEC:touch /tmp/planted"), "CONNAME('exec:touch /tmp/planted')"),
    (CFSL(c.MQCACH_CONNECTION_NAME, [b"exec:touch /tmp/a", b"b(1)"]), "CONNAME('exec:touch /tmp/a,b(1)')"),
    (CFST(c.MQCACH_CONNECTION_NAME, b"qmgr:/home/ana/QM2.db"), "CONNAME('qmgr:/home/ana/QM2.db')"),
    (CFST(c.MQCACH_CONNECTION_NAME, b"Qmgr: QM2.db"), "CONNAME('qmgr:QM2.db')"),
    (CFST(c.MQCACH_CONNECTION_NAME, b"unix:/run/mq.sock"), "CONNAME('unix:/run/mq.sock')"),
    (CFST(c.MQCACH_CONNECTION_NAME, b" Unix :/run/mq.sock"), "CONNAME('unix:/run/mq.sock')"),
    (CFST(c.MQCACH_MSG_EXIT_NAME, b"REFERENCE"), "MSGEXIT('REFERENCE')"),
    (CFST(c.MQCACH_MSG_EXIT_USER_DATA, b"/any/folder"), "MSGDATA('/any/folder')"),
    (CFST(c.MQCACH_SEND_EXIT_USER_DATA, b"words"), "SENDDATA('words')"),
    (CFST(c.MQCACH_RCV_EXIT_USER_DATA, b"words"), "RCVDATA('words')"),
    (CFST(c.MQCACH_SEC_EXIT_USER_DATA, b"words"), "SCYDATA('words')"),
]


def named(name: str, number: int = c.MQCACH_CHANNEL_NAME) -> CFST:
    return CFST(number, name.encode())


def mqsc(server: Any, text: str) -> None:
    for report in run_mqsc(server.qm.main, text).commands:
        assert report.outcome == "ok", (report.messages, report.mistakes)


@pytest.mark.parametrize(("parameter", "words"), FORBIDDEN, ids=[words for _, words in FORBIDDEN])
def test_pcf_sets_no_command_code_or_path_and_mqsc_does(server: Any, parameter: Any, words: str) -> None:
    refused = (MQRC_NOT_AUTHORIZED, parameter.parameter)
    assert server.reason(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ, parameter) == refused
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    before = channels.find_channel(server.qm.main.db, "A.B")
    assert server.reason(c.MQCMD_CHANGE_CHANNEL, named("A.B"), parameter) == refused
    assert channels.find_channel(server.qm.main.db, "A.B") == before

    mqsc(server, f"ALTER CHANNEL(A.B) CHLTYPE(SDR) {words}")
    names = named("A.B", c.MQCACF_FROM_CHANNEL_NAME), named("A.C", c.MQCACF_TO_CHANNEL_NAME)
    assert server.reason(c.MQCMD_COPY_CHANNEL, *names, SENDER) == refused


def test_what_a_change_leaves_as_it_is_is_no_change(server: Any) -> None:
    mqsc(server, "DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(QM2) CONNAME('exec:ssh b') MSGEXIT('REFERENCE')")
    same = (CFST(c.MQCACH_CONNECTION_NAME, b"exec:ssh b"), CFST(c.MQCACH_MSG_EXIT_NAME, b"REFERENCE".ljust(128)))
    server.ask(c.MQCMD_CHANGE_CHANNEL, named("A.B"), SENDER, *same, CFIN(c.MQIACH_BATCH_SIZE, 3))
    assert channels.find_channel(server.qm.main.db, "A.B")["batch_size"] == 3
    none = CFST(c.MQCACH_MSG_EXIT_NAME, b"")
    assert server.reason(c.MQCMD_CHANGE_CHANNEL, named("A.B"), none)[0] == MQRC_NOT_AUTHORIZED


@pytest.mark.parametrize("place", [b"b(1414)", b"::1(1414)", b"a(1),b(2)", b"qmgr:QM2", b"executive(1414)", b""])
def test_pcf_sets_hosts_and_names_of_queue_managers(server: Any, place: bytes) -> None:
    connection = CFST(c.MQCACH_CONNECTION_NAME, place)
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ, connection)
    assert channels.find_channel(server.qm.main.db, "A.B")["connection_name"] == place.decode()


@pytest.mark.parametrize(
    ("number", "keyword"),
    [
        (cmqc.MQCA_SERVICE_START_COMMAND, "STARTCMD"),
        (cmqc.MQCA_SERVICE_START_ARGS, "STARTARG"),
        (cmqc.MQCA_SERVICE_STOP_COMMAND, "STOPCMD"),
        (cmqc.MQCA_SERVICE_STOP_ARGS, "STOPARG"),
        (cmqc.MQCA_STDOUT_DESTINATION, "STDOUT"),
        (cmqc.MQCA_STDERR_DESTINATION, "STDERR"),
    ],
)
def test_pcf_sets_no_program_or_file_of_a_service_and_mqsc_does(server: Any, number: int, keyword: str) -> None:
    name, planted = named("S", cmqc.MQCA_SERVICE_NAME), CFST(number, b"/tmp/planted")
    refused = (MQRC_NOT_AUTHORIZED, number)
    assert server.reason(c.MQCMD_CREATE_SERVICE, name, planted) == refused
    mqsc(server, f"DEFINE SERVICE(S) {keyword}('/bin/true')")
    assert server.reason(c.MQCMD_CHANGE_SERVICE, name, planted) == refused
    copy = named("S", c.MQCACF_FROM_SERVICE_NAME), named("T", c.MQCACF_TO_SERVICE_NAME)
    assert server.reason(c.MQCMD_COPY_SERVICE, *copy) == refused
    server.ask(c.MQCMD_CHANGE_SERVICE, name, CFST(number, b"/bin/true"), CFST(cmqc.MQCA_SERVICE_DESC, b"words"))
    (shown,) = server.ask(c.MQCMD_INQUIRE_SERVICE, name)
    assert (shown[number].rstrip(), shown[cmqc.MQCA_SERVICE_DESC].rstrip()) == ("/bin/true", "words")

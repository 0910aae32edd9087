"""Commands on the queue manager and on topics in MQSC and PCF."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.constants.administration import MQCFOP_GREATER
from mqtools.errors import MQError
from mqtools.headers.pcf import CFIF, CFIL, CFIN, CFST
from mqtools.message import Message
from mqtools.operations.subscribe import publish

from ..pcf.conftest import server as server


def mqsc(server: Any, text: str) -> list[dict[str, str | None]]:
    report = run_mqsc(server.qm.main, text)
    assert [each.outcome for each in report.commands] == ["ok"] * report.read, report.commands
    return [item.attributes for each in report.commands for item in each.objects]


def topic(string: str) -> CFST:
    return CFST(cmqc.MQCA_TOPIC_STRING, string.encode())


@pytest.fixture
def topics(server: Any) -> Any:
    mqsc(server, "DEFINE TOPIC(T) TOPICSTR('a/b') PUB(DISABLED)\nDEFINE SUB(S) TOPICSTR('a/c/d') DEST(Q)")
    publish(server.qm.main, "a/c/d", Message(b"x"), retain=True)
    return server


# Topics


def test_the_tree_of_topics_has_what_is_above_objects_subscriptions_and_retained_publications(topics: Any) -> None:
    shown = mqsc(topics, "DISPLAY TPSTATUS('#') ADMIN RETAINED SUBCOUNT")
    assert [(each["TOPICSTR"], each["ADMIN"], each["RETAINED"], each["SUBCOUNT"]) for each in shown] == [
        ("", "SYSTEM.BASE.TOPIC", "NO", "0"),
        ("a", "", "NO", "0"),
        ("a/b", "T", "NO", "0"),
        ("a/c", "", "NO", "0"),
        ("a/c/d", "", "YES", "1"),
    ]
    (pubsub,) = mqsc(topics, "DISPLAY PUBSUB")
    assert (pubsub["STATUS"], pubsub["SUBCOUNT"], pubsub["TPCOUNT"]) == ("ACTIVE", "1", "5")


def test_the_status_of_a_topic_has_the_attributes_that_it_inherits(topics: Any) -> None:
    (reply,) = topics.ask(c.MQCMD_INQUIRE_TOPIC_STATUS, topic("a/b"))
    assert (reply[cmqc.MQIA_INHIBIT_PUB], reply[cmqc.MQIA_DURABLE_SUB]) == (cmqc.MQTA_PUB_INHIBITED, 1)
    some = CFIF(cmqc.MQIA_SUB_COUNT, MQCFOP_GREATER, 0)
    asked = CFIL(c.MQIACF_TOPIC_STATUS_ATTRS, [cmqc.MQIA_SUB_COUNT] * 2)
    (counted,) = topics.ask(c.MQCMD_INQUIRE_TOPIC_STATUS, topic("#"), some, asked)
    assert set(counted) == {cmqc.MQCA_TOPIC_STRING, c.MQIACF_TOPIC_STATUS_TYPE, cmqc.MQIA_SUB_COUNT}
    assert topics.reason(c.MQCMD_INQUIRE_TOPIC_STATUS, topic("z"))[0] == c.MQRCCF_TOPIC_STRING_NOT_FOUND


def test_the_subscribers_of_a_topic_are_shown(topics: Any) -> None:
    (shown,) = mqsc(topics, "DISPLAY TPSTATUS('a/+/d') TYPE(SUB) NUMMSGS")
    assert (shown["TOPICSTR"], shown["NUMMSGS"]) == ("a/c/d", "1")
    kind = CFIN(c.MQIACF_TOPIC_STATUS_TYPE, c.MQIACF_TOPIC_SUB)
    assert len(topics.ask(c.MQCMD_INQUIRE_TOPIC_STATUS, topic("a/c/d"), kind)) == 1


def test_a_retained_publication_is_cleared(topics: Any) -> None:
    kind = CFIN(c.MQIACF_CLEAR_TYPE, c.MQCLRT_RETAINED)
    for _ in range(2):
        topics.ask(c.MQCMD_CLEAR_TOPIC_STRING, topic("a/c/d"), kind)
        assert mqsc(topics, "DISPLAY TPSTATUS('a/c/d') RETAINED")[0]["RETAINED"] == "NO"
    publish(topics.qm.main, "a/c/d", Message(b"x"), retain=True)
    mqsc(topics, "CLEAR TOPICSTR('a/c/d') CLRTYPE(RETAINED)")
    assert mqsc(topics, "DISPLAY TPSTATUS('a/c/d') RETAINED")[0]["RETAINED"] == "NO"


def test_a_queue_manager_without_publish_subscribe_neither_publishes_nor_subscribes(topics: Any) -> None:
    mqsc(topics, "ALTER QMGR PSMODE(DISABLED)")
    assert mqsc(topics, "DISPLAY PUBSUB")[0]["STATUS"] == "INACTIVE"
    with pytest.raises(MQError) as caught:
        publish(topics.qm.main, "x", Message(b"x"))
    assert caught.value.reason == rc.MQRC_PUBSUB_INHIBITED
    assert run_mqsc(topics.qm.main, "DEFINE SUB(S2) TOPICSTR('x') DEST(Q)").commands[0].reason == 2531


# The queue manager


def test_what_is_chosen_for_monitoring_is_shown_by_queues(server: Any) -> None:
    mqsc(server, "DEFINE QLOCAL(OWN) MONQ(HIGH)")
    assert [each["MONQ"] for each in mqsc(server, "DISPLAY QSTATUS(*) MONQ WHERE(QUEUE EQ Q)")] == ["OFF"]
    mqsc(server, "ALTER QMGR MONQ(LOW)")
    found = {each["QUEUE"]: each["MONQ"] for each in mqsc(server, "DISPLAY QSTATUS(*) MONQ")}
    assert (found["Q"], found["OWN"]) == ("LOW", "HIGH")
    mqsc(server, "ALTER QMGR MONQ(NONE)")
    assert {each["MONQ"] for each in mqsc(server, "DISPLAY QSTATUS(*) MONQ")} == {"OFF"}


def test_the_status_of_the_queue_manager_says_whether_commands_are_served(server: Any) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR_STATUS)
    assert (reply[c.MQIACF_CMD_SERVER_STATUS], reply[c.MQCACF_HOST_NAME]) == (2, socket.gethostname())
    mqsc(server, "ALTER QLOCAL(SYSTEM.ADMIN.COMMAND.QUEUE) GET(DISABLED)")
    (shown,) = mqsc(server, "DISPLAY QMSTATUS CMDSERV STARTDA")
    assert (shown["CMDSERV"], len(str(shown["STARTDA"]))) == ("STOPPED", 10)


@pytest.mark.parametrize(
    ("command", "parameters", "reason"),
    [
        (c.MQCMD_REFRESH_Q_MGR, [CFIN(c.MQIACF_REFRESH_TYPE, c.MQRT_EXPIRY)], 0),
        (c.MQCMD_REFRESH_Q_MGR, [CFIN(c.MQIACF_REFRESH_TYPE, 77)], c.MQRCCF_ATTR_VALUE_ERROR),
        (c.MQCMD_REFRESH_Q_MGR, [], c.MQRCCF_PARM_COUNT_TOO_SMALL),
        (c.MQCMD_RESET_Q_MGR, [CFIN(c.MQIACF_ACTION, c.MQACT_ADVANCE_LOG)], 0),
        (c.MQCMD_RESET_Q_MGR, [CFIN(c.MQIACF_ACTION, c.MQACT_ADD)], c.MQRCCF_ACTION_VALUE_ERROR),
    ],
)
def test_refresh_and_reset_are_accepted(server: Any, command: int, parameters: list[Any], reason: int) -> None:
    if reason:
        assert server.reason(command, *parameters)[0] == reason
    else:
        server.ask(command, *parameters)


def test_the_authorization_service_is_shown(server: Any) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_AUTH_SERVICE)
    assert (reply[c.MQIACF_INTERFACE_VERSION], reply[c.MQIACF_USER_ID_SUPPORT]) == ([6], c.MQUIDSUPP_YES)
    assert mqsc(server, "DISPLAY AUTHSERV IFVERSION")[0]["IFVERSION"] == "6"


def test_a_channel_is_pinged_without_holding_the_queue_manager(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mqsc(server, "DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(QM2) CONNAME('qmgr:/nowhere')")
    name = CFST(c.MQCACH_CHANNEL_NAME, b"A.B")
    reason, _ = server.reason(c.MQCMD_PING_CHANNEL, name)
    assert reason == run_mqsc(server.qm.main, "PING CHANNEL(A.B)").commands[0].reason != 0
    pinged = []

    def ping(connection: Any, name: str) -> None:
        pinged.append((name, connection.current_work))

    monkeypatch.setattr("mqtools.mqi.hooks.ping_channel", ping)
    server.ask(c.MQCMD_PING_CHANNEL, name, CFIN(c.MQIACH_DATA_COUNT, 64))
    assert pinged == [("A.B", None)]
    assert server.reason(c.MQCMD_PING_CHANNEL)[0] == c.MQRCCF_PARM_COUNT_TOO_SMALL


@pytest.mark.parametrize(
    "command",
    [
        c.MQCMD_INQUIRE_CLUSTER_Q_MGR,
        c.MQCMD_INQUIRE_COMM_INFO,
        c.MQCMD_INQUIRE_PROT_POLICY,
        c.MQCMD_DELETE_COMM_INFO,
        c.MQCMD_SUSPEND_Q_MGR_CLUSTER,
    ],
)
def test_what_a_queue_manager_does_not_have_is_not_found(server: Any, command: int) -> None:
    number = {
        c.MQCMD_INQUIRE_CLUSTER_Q_MGR: cmqc.MQCA_CLUSTER_Q_MGR_NAME,
        c.MQCMD_INQUIRE_COMM_INFO: cmqc.MQCA_COMM_INFO_NAME,
        c.MQCMD_INQUIRE_PROT_POLICY: cmqc.MQCA_POLICY_NAME,
    }.get(command, cmqc.MQCA_CLUSTER_NAME)
    asked = CFIL(c.MQIACF_CLUSTER_Q_MGR_ATTRS, [c.MQIACF_ALL])
    assert server.reason(command, CFST(number, b"*"), asked)[0] == rc.MQRC_UNKNOWN_OBJECT_NAME


def test_a_display_of_what_a_queue_manager_does_not_have_finds_nothing(server: Any) -> None:
    (report,) = run_mqsc(server.qm.main, "DISPLAY CLUSQMGR(*)").commands
    assert (report.messages[0][:9], report.reason) == ("AMQ8147E:", rc.MQRC_UNKNOWN_OBJECT_NAME)
    (left_out,) = run_mqsc(server.qm.main, "DISPLAY CLUSQMGR(*)", skips_unsupported=True).commands
    assert left_out.outcome == "skipped"

"""Subscriptions in MQSC and PCF: change, copy, attributes and filters of what is shown, status."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.constants.administration import MQCFOP_CONTAINS, MQCFOP_LIKE
from mqtools.constants.objects import MQCA_NAMELIST_NAME, MQCA_NAMES
from mqtools.headers.pcf import CFIL, CFIN, CFSF, CFST
from mqtools.message import Message
from mqtools.operations.subscribe import publish

from ..pcf.conftest import server as server

SUBSCRIPTIONS = """
DEFINE SUB(S1) TOPICSTR('a/b') DEST(Q) USERDATA('first') SELECTOR('x = 1')
DEFINE SUB(S2) TOPICSTR('a/+') DESTCLAS(MANAGED) PUBPRTY(3) SUBLEVEL(2) PUBACCT('0102')
"""
NAME = c.MQCACF_SUB_NAME


def mqsc(server: Any, text: str) -> list[dict[str, str | None]]:
    report = run_mqsc(server.qm.main, text)
    assert [each.outcome for each in report.commands] == ["ok"] * report.read, [
        each.messages for each in report.commands
    ]
    return [item.attributes for each in report.commands for item in each.objects]


def reason(server: Any, text: str) -> int:
    (report,) = run_mqsc(server.qm.main, text).commands
    return report.reason


def named(name: str, number: int = NAME) -> CFST:
    return CFST(number, name.encode())


@pytest.fixture
def subscribed(server: Any) -> Any:
    mqsc(server, SUBSCRIPTIONS)
    return server


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("SUB(*) USERDATA", [{"SUB": "S1", "USERDATA": "first"}, {"SUB": "S2", "USERDATA": ""}]),
        ("SUB(*) USERDATA WHERE(DESTCLAS EQ PROVIDED)", [{"SUB": "S1", "DESTCLAS": "PROVIDED", "USERDATA": "first"}]),
        ("SUB(*) SUBLEVEL WHERE(TOPICSTR LK 'a/+')", [{"SUB": "S2", "SUBLEVEL": "2", "TOPICSTR": "a/+"}]),
        ("SUB(*) PUBPRTY DURABLE(YES) WHERE(PUBPRTY LT 9)", [{"SUB": "S2", "PUBPRTY": "3"}]),
        ("SBSTATUS(S1) NUMMSGS SUBTYPE", [{"SUB": "S1", "NUMMSGS": "0", "SUBTYPE": "ADMIN"}]),
    ],
)  # fmt: skip
def test_a_display_of_subscriptions_honours_attributes_and_filters(
    subscribed: Any, command: str, shown: list[dict[str, str]]
) -> None:
    found = mqsc(subscribed, f"DISPLAY {command}")
    assert [{key: value for key, value in each.items() if key != "SUBID"} for each in found] == shown


def test_an_inquiry_of_subscriptions_honours_attributes_and_filters(subscribed: Any) -> None:
    asked = CFIL(c.MQIACF_SUB_ATTRS, [c.MQCACF_SUB_USER_DATA, c.MQCACF_SUB_USER_DATA])
    like = CFSF(cmqc.MQCA_TOPIC_STRING, MQCFOP_LIKE, b"a/b")
    (reply,) = subscribed.ask(c.MQCMD_INQUIRE_SUBSCRIPTION, named("*"), asked, like)
    assert set(reply) == {NAME, c.MQBACF_SUB_ID, c.MQCACF_SUB_USER_DATA, cmqc.MQCA_TOPIC_STRING}
    api = CFIN(c.MQIACF_SUB_TYPE, c.MQSUBTYPE_API)
    assert subscribed.reason(c.MQCMD_INQUIRE_SUBSCRIPTION, named("*"), api)[0] == rc.MQRC_NO_SUBSCRIPTION


def test_a_subscription_is_changed_except_for_what_it_is_about(subscribed: Any) -> None:
    subscribed.ask(c.MQCMD_CHANGE_SUBSCRIPTION, named("S1"), named("second", c.MQCACF_SUB_USER_DATA))
    mqsc(subscribed, "ALTER SUB(S1) DEST(R) EXPIRY(50000) VARUSER(FIXED)")
    (shown,) = mqsc(subscribed, "DISPLAY SUB(S1)")
    expected = {"USERDATA": "second", "DEST": "R", "EXPIRY": "50000", "VARUSER": "FIXED", "SELECTOR": "x = 1"}
    assert {key: shown[key] for key in expected} == expected
    assert reason(subscribed, "ALTER SUB(S1) TOPICSTR('b')") == rc.MQRC_TOPIC_NOT_ALTERABLE
    assert reason(subscribed, "ALTER SUB(S1) WSCHEMA(CHAR)") == rc.MQRC_TOPIC_NOT_ALTERABLE
    assert reason(subscribed, "ALTER SUB(S1) SELECTOR('x = 2')") == rc.MQRC_SELECTOR_NOT_ALTERABLE
    assert reason(subscribed, "ALTER SUB(S1) DESTCLAS(MANAGED)") == rc.MQRC_DEST_CLASS_NOT_ALTERABLE
    assert reason(subscribed, "ALTER SUB(NONE) USERDATA('x')") == rc.MQRC_NO_SUBSCRIPTION
    mqsc(subscribed, "ALTER SUB(S1) TOPICSTR('a/b') REQONLY(YES)")
    publish(subscribed.qm.main, "a/b", Message(b"x"))
    assert subscribed.qm.depth("R") == 0


def test_a_copy_of_a_subscription_has_what_it_does_not_say_itself(subscribed: Any) -> None:
    names = named("S1", c.MQCACF_FROM_SUB_NAME), named("S3", c.MQCACF_TO_SUB_NAME)
    subscribed.ask(c.MQCMD_COPY_SUBSCRIPTION, *names, named("own", c.MQCACF_SUB_USER_DATA))
    mqsc(subscribed, "DEFINE SUB(S4) LIKE(S2) TOPICSTR('c')")
    third, fourth = mqsc(subscribed, "DISPLAY SUB(S3)\nDISPLAY SUB(S4)")
    assert (third["TOPICSTR"], third["DEST"], third["SELECTOR"], third["USERDATA"]) == ("a/b", "Q", "x = 1", "own")
    assert (fourth["TOPICSTR"], fourth["DESTCLAS"], fourth["SUBLEVEL"]) == ("c", "MANAGED", "2")
    assert subscribed.reason(c.MQCMD_COPY_SUBSCRIPTION, *names)[0] == c.MQRCCF_SUB_ALREADY_EXISTS


def test_the_status_of_a_subscription_counts_what_it_got(subscribed: Any) -> None:
    publish(subscribed.qm.main, "a/c", Message(b"x"))
    (reply,) = subscribed.ask(c.MQCMD_INQUIRE_SUB_STATUS, named("S2"))
    assert (reply[c.MQIACF_MESSAGE_COUNT], reply[c.MQIACF_SUB_TYPE]) == (1, c.MQSUBTYPE_ADMIN)
    assert len(reply[c.MQCACF_LAST_MSG_DATE].strip()) == 10
    assert mqsc(subscribed, "DISPLAY SBSTATUS(S1)")[0]["LMSGDATE"] == ""


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("NAMELIST(*) NAMCOUNT WHERE(NAMES CT 'B')", ["N2"]),
        ("NAMELIST(N*) NAMES WHERE(NAMES EXG 'B*')", ["N1"]),
        ("NAMELIST(*) ALTDATE WHERE(NAMCOUNT EQ 1)", ["N1"]),
        ("PROCESS(*) APPLICID WHERE(APPLTYPE EQ WINDOWS)", ["P"]),
        ("TOPIC(*) TOPICSTR WHERE(PUB EQ DISABLED)", ["T"]),
        ("LISTENER(*) TRPTYPE WHERE(PORT EQ '1415')", ["L"]),
    ],
)
def test_a_display_of_kept_objects_honours_attributes_and_filters(server: Any, command: str, names: list[str]) -> None:
    mqsc(
        server,
        "DEFINE NAMELIST(N1) NAMES('A')\nDEFINE NAMELIST(N2) NAMES('A','B')"
        "\nDEFINE TOPIC(T) TOPICSTR('t') PUB(DISABLED)"
        "\nDEFINE PROCESS(P) APPLICID('run') APPLTYPE(WINDOWS)\nDEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415)",
    )
    kind, keywords = command.split("(")[0], command.split("WHERE")
    asked = {kind, *keywords[0].split()[1:], keywords[1].strip("(").split()[0]}
    for each in (found := mqsc(server, f"DISPLAY {command}")):
        assert set(each) - {"TYPE"} == asked
    assert [each[kind] for each in found] == names


def test_an_inquiry_of_name_lists_filters_by_one_of_the_names(server: Any) -> None:
    mqsc(server, "DEFINE NAMELIST(N1) NAMES('A')\nDEFINE NAMELIST(N2) NAMES('A','B')")
    contains = CFSF(MQCA_NAMES, MQCFOP_CONTAINS, b"B")
    (reply,) = server.ask(c.MQCMD_INQUIRE_NAMELIST, named("*", MQCA_NAMELIST_NAME), contains)
    assert reply[MQCA_NAMES] == ["A", "B"]
    wrong = CFSF(MQCA_NAMES, MQCFOP_LIKE, b"B")
    assert server.reason(c.MQCMD_INQUIRE_NAMELIST, named("*", MQCA_NAMELIST_NAME), wrong) == (
        c.MQRCCF_CFSF_OPERATOR_ERROR,
        MQCA_NAMES,
    )

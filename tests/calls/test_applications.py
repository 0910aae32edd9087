"""Applications elsewhere: what descriptors and displays say of them, and the authority of their users."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.calls import connections, messages, objects, subscriptions
from mqtools.calls.connections import Application, open_session
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers.fields import WIRE
from mqtools.headers.structures_message import MD, OD, PMO, SD
from mqtools.mqi.connection import connect

from ..errors import reason_of
from .conftest import made
from .test_forms import sent

CLIENT = {"name": "orders.jar", "type": cmqc.MQAT_JAVA, "channel": "DEV.APP.SVRCONN", "connection_name": "10.0.0.7"}
ALTERNATE = cmqc.MQOO_ALTERNATE_USER_AUTHORITY


@pytest.fixture
def mqsc():
    """Run MQSC commands; return what the last displays."""

    def run(*commands):
        with connect("QM1") as connection:
            reports = [run_mqsc(connection, command).commands[0] for command in commands]
        return [found.attributes for found in reports[-1].objects]

    return run


@pytest.fixture
def begin():
    """Connect as an application elsewhere."""
    begun = []

    def session(user="ana", **fields):
        begun.append(open_session("QM1", 0, Application(user=user, is_checked=True, **{**CLIENT, **fields})))
        return begun[-1]

    yield session
    for one in begun:
        one.connection.disconnect()


@pytest.fixture
def granted(mqsc):
    """Grant authorities to users: name of a queue, or QM1, to words."""

    def grant(user="ana", **authorities):
        for name, words in {"QM1": "CONNECT", **authorities}.items():
            what = "OBJTYPE(QMGR)" if name == "QM1" else f"PROFILE('{name}') OBJTYPE(QUEUE)"
            mqsc(f"SET AUTHREC {what} PRINCIPAL('{user}') AUTHADD({words})")

    return grant


def opened(session, name, options, **fields):
    return objects.open_object(session, made(OD, ObjectName=name, **fields), options)[0]


def test_descriptors_and_displays_name_the_application(begin, granted, mqsc):
    granted(**{"DEV.QUEUE.1": "PUT,GET"})
    session = begin()
    ho = opened(session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT)
    md, *_ = messages.put(session, ho, made(MD), made(PMO), b"x")
    values = MD.unpack(md)
    assert (values["UserIdentifier"].strip(), values["PutApplName"].strip()) == (b"ana", b"orders.jar")
    assert values["PutApplType"] == cmqc.MQAT_JAVA
    (shown,) = mqsc("DISPLAY CONN(*) WHERE(CHANNEL EQ DEV.APP.SVRCONN) ALL")
    found = {key: shown[key] for key in ("CHANNEL", "CONNAME", "USERID", "APPLTAG")}
    assert found == {"CHANNEL": CLIENT["channel"], "CONNAME": "10.0.0.7", "USERID": "ana", "APPLTAG": "orders.jar"}


def test_a_user_needs_authority_to_connect_open_put_and_subscribe(begin, granted):
    assert reason_of(begin) == cmqc.MQRC_NOT_AUTHORIZED
    assert reason_of(begin, user="") == cmqc.MQRC_NOT_AUTHORIZED
    granted(**{"DEV.QUEUE.1": "PUT"})
    session = begin()
    opened(session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT)
    for name, options, kind in [
        (b"DEV.QUEUE.1", cmqc.MQOO_BROWSE, cmqc.MQOT_Q),
        (b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT | cmqc.MQOO_SET_ALL_CONTEXT, cmqc.MQOT_Q),
        (b"", cmqc.MQOO_INQUIRE, cmqc.MQOT_Q_MGR),
        (b"DEV.BASE.TOPIC", cmqc.MQOO_OUTPUT, cmqc.MQOT_TOPIC),
    ]:
        reason = reason_of(opened, session, name, options, ObjectType=kind, Version=4)
        assert reason == cmqc.MQRC_NOT_AUTHORIZED, (name, options)
    od = made(OD, ObjectName=b"DEV.QUEUE.2")
    assert reason_of(messages.put1, session, od, made(MD), made(PMO), b"") == cmqc.MQRC_NOT_AUTHORIZED
    sd = made(SD, ObjectName=b"DEV.BASE.TOPIC", Options=cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED)
    assert reason_of(subscriptions.subscribe, session, sd, -1) == cmqc.MQRC_NOT_AUTHORIZED


def test_an_alternate_user_is_checked_where_the_user_may_act_for_others(begin, granted):
    granted(**{"DEV.QUEUE.2": "PUT"})
    granted("bob", **{"DEV.QUEUE.1": "PUT"})
    session, bob = begin(), {"AlternateUserId": b"bob"}
    assert reason_of(opened, session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT | ALTERNATE, **bob) == cmqc.MQRC_NOT_AUTHORIZED
    granted(QM1="CONNECT,ALTUSR")
    opened(session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT | ALTERNATE, **bob)
    assert reason_of(opened, session, b"DEV.QUEUE.2", cmqc.MQOO_OUTPUT | ALTERNATE, **bob) == cmqc.MQRC_NOT_AUTHORIZED
    options = made(PMO, Options=cmqc.MQPMO_ALTERNATE_USER_AUTHORITY)
    messages.put1(session, made(OD, ObjectName=b"DEV.QUEUE.1", **bob), made(MD), options, b"")
    opened(session, b"DEV.QUEUE.2", cmqc.MQOO_OUTPUT)


def test_the_user_of_a_model_queue_may_use_what_it_made(begin, granted):
    granted(**{"DEV.APP.MODEL.QUEUE": "GET"})
    session, other = begin(), begin()
    od = made(OD, ObjectName=b"DEV.APP.MODEL.QUEUE")
    _, od, _ = objects.open_object(session, od, cmqc.MQOO_INPUT_SHARED)
    name = OD.unpack(od)["ObjectName"].strip()
    opened(session, name, cmqc.MQOO_BROWSE)
    assert reason_of(opened, other, name, cmqc.MQOO_BROWSE) == cmqc.MQRC_NOT_AUTHORIZED


@pytest.mark.parametrize(("shared", "reason"), [(0, cmqc.MQRC_IDENTITY_MISMATCH), (cmqc.MQSO_ANY_USERID, 0)])
def test_a_durable_subscription_is_its_users_unless_it_is_for_any(begin, granted, mqsc, shared, reason):
    options = cmqc.MQSO_CREATE | cmqc.MQSO_RESUME | cmqc.MQSO_DURABLE | cmqc.MQSO_MANAGED | shared
    text = {"SubName": "SUB", "ObjectString": "dev/news"}
    users = ("application-ana", "application-bob")  # the same in a descriptor
    for user in users:
        granted(user)
        mqsc(f"SET AUTHREC PROFILE(DEV.BASE.TOPIC) OBJTYPE(TOPIC) PRINCIPAL('{user}') AUTHADD(SUB,RESUME)")
    ana = begin(users[0])
    _, *handles, _ = subscriptions.subscribe(ana, sent("<", SD, text, Options=options), -1, WIRE["<"])
    for handle in handles:
        objects.close_object(ana, handle, 0)
    found = 0
    try:
        subscriptions.subscribe(begin(users[1]), sent("<", SD, text, Options=options), -1, WIRE["<"])
    except MQError as error:
        found = error.reason
    assert found == reason


def test_a_failed_connection_leaves_no_instance(begin, mqsc):
    reason_of(begin)
    assert mqsc("DISPLAY CONN(*) WHERE(CHANNEL EQ DEV.APP.SVRCONN)") == []
    assert connections.connect("QM1", 0, Application(is_checked=True))[1:] == (2, cmqc.MQRC_NOT_AUTHORIZED)


def test_a_connection_has_as_many_handles_as_maxhands_allows(begin, granted, mqsc):
    granted(**{"DEV.QUEUE.1": "PUT"})
    mqsc("ALTER QMGR MAXHANDS(3)")
    session = begin()
    handles = [opened(session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT) for _ in range(3)]
    calls = (
        (opened, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT),
        (subscriptions.subscribe, made(SD, Options=cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED), -1),
    )
    for verb, *arguments in calls:
        assert reason_of(verb, session, *arguments) == cmqc.MQRC_HANDLE_NOT_AVAILABLE
    objects.close_object(session, handles[0], 0)
    opened(session, b"DEV.QUEUE.1", cmqc.MQOO_OUTPUT)

"""Events of channels: started, stopped, stopped by a user, retrying, blocked, TLS."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin import channel_events
from mqtools.admin.error_log import Inserts
from mqtools.errors import MQError
from mqtools.rules.events import EVENTS, REFUSALS

from ..mqi.event_story import events, only
from .conftest import CHANNEL, Ends

ABOUT_ONE = {"MQCA_Q_MGR_NAME": "QM1", "MQCACH_CHANNEL_NAME": CHANNEL}


def kinds(found: list[dict[str, Any]]) -> list[tuple[object, object]]:
    return [(row["event"], row["qualifier"]) for row in found]


def test_a_run_of_a_channel_is_two_events_at_each_end(ends: Ends) -> None:
    for end in (ends.one, ends.two):
        end.mqsc("ALTER QMGR CHLEV(ENABLED)")
    ends.one.put()
    ends.drain()
    run = [("Channel Started", None), ("Channel Stopped", "MQRQ_CHANNEL_STOPPED_OK")]
    started, stopped = events(ends.one.main, "CHANNEL")
    assert kinds([started, stopped]) == run
    place = f"qmgr:{ends.two.path}"
    assert started["parameters"] == {
        **ABOUT_ONE, "MQCACH_XMIT_Q_NAME": "QM2", "MQCACH_CONNECTION_NAME": place
    }  # fmt: skip
    assert stopped["parameters"] | ABOUT_ONE == stopped["parameters"]
    assert kinds(events(ends.two.main, "CHANNEL")) == run


def test_without_chlev_nothing_is_put_and_exceptions_leave_out_what_went_well(ends: Ends) -> None:
    ends.two.mqsc("ALTER QMGR CHLEV(EXCEPTION)")
    ends.one.put()
    ends.drain()
    ends.two.mqsc(f"STOP CHANNEL({CHANNEL})")
    assert events(ends.one.main, "CHANNEL") == []
    assert only(ends.two.main, "CHANNEL")["event"] == "Channel Stopped By User"


def test_a_run_that_fails_is_an_event_with_the_error(ends: Ends) -> None:
    ends.one.mqsc("ALTER QMGR CHLEV(EXCEPTION)")
    ends.one.put("refused")
    ends.two.mqsc("ALTER QLOCAL(ORDERS) PUT(DISABLED)", "ALTER QMGR DEADQ(' ')")
    with pytest.raises(MQError):
        ends.drain()
    found = only(ends.one.main, "CHANNEL")
    assert kinds([found]) == [("Channel Stopped", "MQRQ_CHANNEL_STOPPED_ERROR")]
    assert found["parameters"]["MQIACF_ERROR_IDENTIFIER"] == 0x2000_9999
    assert "QM2" in found["parameters"]["MQCACF_AUX_ERROR_DATA_STR_2"]


@pytest.mark.parametrize(
    ("command", "qualifier"),
    [
        (f"SET CHLAUTH({CHANNEL}) TYPE(QMGRMAP) QMNAME(QM1) USERSRC(NOACCESS)", "MQRQ_CHANNEL_BLOCKED_NOACCESS"),
        ("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('blocked')", "MQRQ_CHANNEL_BLOCKED_USERID"),
    ],
)
def test_a_caller_that_is_blocked_is_an_event(ends: Ends, command: str, qualifier: str) -> None:
    ends.two.mqsc("ALTER QMGR CHLEV(ENABLED)", f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MCAUSER('blocked')", command)
    ends.one.put()
    with pytest.raises(MQError):
        ends.drain()
    found = only(ends.two.main, "CHANNEL")
    assert kinds([found]) == [("Channel Blocked", qualifier)]
    assert found["parameters"]["MQCACH_CHANNEL_NAME"] == CHANNEL
    assert found["parameters"]["MQCA_REMOTE_Q_MGR_NAME"] == "QM1"


def test_a_wrong_use_of_tls_is_an_event_of_its_own(ends: Ends) -> None:
    ends.two.mqsc("ALTER QMGR SSLEV(ENABLED)", f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) SSLCIPH(ANY_TLS12_OR_HIGHER)")
    ends.one.put()
    with pytest.raises(MQError):
        ends.drain()
    assert kinds(events(ends.two.main, "CHANNEL")) == [("Channel SSL Error", "MQRQ_SSL_HANDSHAKE_ERROR")]


def test_a_user_of_a_channel_who_may_not_connect_is_an_event(ends: Ends) -> None:
    ends.two.mqsc("ALTER QMGR AUTHOREV(ENABLED)", f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MCAUSER('nobody.here')")
    ends.one.put()
    with pytest.raises(MQError):
        ends.drain()
    found = only(ends.two.main)
    assert (found["event"], found["qualifier"]) == ("Not Authorized (type 1)", "MQRQ_CONN_NOT_AUTHORIZED")
    assert found["parameters"]["MQCACF_USER_IDENTIFIER"] == "nobody.here"


@pytest.mark.parametrize("number", REFUSALS)
def test_each_refusal_of_the_error_log_is_an_event(ends: Ends, number: str) -> None:
    about = Inserts(channel=CHANNEL, connection_name="192.0.2.7", user="ana")
    channel_events.note_refusal(ends.one.path, number, about)
    ends.one.mqsc("ALTER QMGR CHLEV(ENABLED) SSLEV(ENABLED) AUTHOREV(ENABLED)")
    channel_events.note_refusal(ends.one.path, number, about)
    found = events(ends.one.main) + events(ends.one.main, "CHANNEL")
    assert len(found) == 1
    reason, _ = REFUSALS[number]
    assert str(found[0]["event"]).startswith(EVENTS[reason].name)
    assert found[0]["qualifier"].startswith("MQRQ_")


def test_an_address_that_is_blocked_is_named_as_the_cause(ends: Ends) -> None:
    ends.one.mqsc("ALTER QMGR CHLEV(ENABLED)", "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('192.0.2.*')")
    channel_events.note_refusal(ends.one.path, "AMQ9777E", Inserts(channel=CHANNEL, connection_name="192.0.2.7"))
    found = only(ends.one.main, "CHANNEL")
    assert found["qualifier"] == "MQRQ_CHANNEL_BLOCKED_ADDRESS"
    assert "MQCACH_CHANNEL_NAME" not in found["parameters"]

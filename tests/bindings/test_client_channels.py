"""Channels that programs name to connect: their instances in displays, STOP CHANNEL, and the check of names."""

from __future__ import annotations

import ctypes
import os
import threading

import pytest

from mqtools.admin import users
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.bindings import ibmmqc, pymqe
from mqtools.headers.structures_connection import CD, CSP
from mqtools.mqi.connection import connect

from .conftest import made

CHANNEL, PLACE, OTHER = "DEV.APP.SVRCONN", "localhost(1414)", "elsewhere(1414)"


@pytest.fixture
def mqsc():
    """Run an MQSC command; return what it displays."""

    def run(command):
        with connect("QM1") as connection:
            (report,) = run_mqsc(connection, command).commands
        return [found.attributes for found in report.objects]

    return run


@pytest.fixture
def client(pymqi):
    """Connect as a client."""

    def open_connection(channel=CHANNEL, place=PLACE, user="ana"):
        return pymqi.connect("QM1", channel, place, user, "secret")

    return open_connection


def instances(mqsc, channel=CHANNEL):
    found = mqsc(f"DISPLAY CHSTATUS({channel}) ALL")
    return [(one["STATUS"], one["CONNAME"], one["MCAUSER"]) for one in found]


def test_a_connection_with_nothing_open_is_displayed_with_what_it_named(client, mqsc, pcf, pymqi):
    program = client()
    names = {"CHANNEL": CHANNEL, "CONNAME": PLACE, "USERID": "ana"}
    assert names in [{key: found[key] for key in names} for found in mqsc("DISPLAY CONN(*) ALL")]
    f = pymqi.CMQCFC
    everyone = {f.MQBACF_GENERIC_CONNECTION_ID: pymqi.ByteString(b"")}
    asked = [f.MQCACH_CHANNEL_NAME, f.MQCACH_CONNECTION_NAME, f.MQCACF_UOW_LOG_START_DATE, f.MQIACF_UOW_STATE]
    found = pcf.MQCMD_INQUIRE_CONNECTION({**everyone, f.MQIACF_CONNECTION_ATTRS: asked})
    shown = {(one[asked[0]].strip(), one[asked[1]].strip(), one[asked[2]].strip(), one[asked[3]]) for one in found}
    no_unit = f.MQUOWST_NONE
    assert shown == {(b"", b"", b"", no_unit), (CHANNEL.encode(), PLACE.encode(), b"", no_unit)}
    program.disconnect()
    assert names not in [{key: found[key] for key in names} for found in mqsc("DISPLAY CONN(*) ALL")]


def test_the_user_of_an_mqcsp_is_that_of_the_connection(mqsc):
    user = ctypes.create_string_buffer(b"bo")
    csp = made(CSP, CSPUserId=ctypes.addressof(user), CSPUserIdLength=2)
    cd = made(CD, ChannelName=CHANNEL.encode(), ConnectionName=PLACE.encode(), UserIdentifier=b"ana")
    h, *_ = ibmmqc.MQCONNX("QM1", None, cd, csp)
    assert instances(mqsc) == [("RUNNING", PLACE, "bo")]
    pymqe.MQDISC(h)


def test_status_of_a_channel_shows_its_instances(client, mqsc, pcf, pymqi, fails):
    f = pymqi.CMQCFC
    asked = {f.MQCACH_CHANNEL_NAME: CHANNEL}
    fails(f.MQRCCF_CHL_STATUS_NOT_FOUND, pcf.MQCMD_INQUIRE_CHANNEL_STATUS, asked)
    programs = [client(), client(place=OTHER, user="bo")]
    assert sorted(instances(mqsc)) == [("RUNNING", OTHER, "bo"), ("RUNNING", PLACE, "ana")]
    (found,) = pcf.MQCMD_INQUIRE_CHANNEL_STATUS({**asked, f.MQCACH_CONNECTION_NAME: OTHER})
    assert (found[f.MQIACH_CHANNEL_STATUS], found[f.MQCACH_CONNECTION_NAME].strip()) == (3, OTHER.encode())
    fails(3065, pcf.MQCMD_INQUIRE_CHANNEL_STATUS, {**asked, f.MQCACH_XMIT_Q_NAME: "ANY"})
    for program in programs:
        program.disconnect()
    assert instances(mqsc) == []


def test_a_quiescing_channel_asks_its_programs_to_leave_and_refuses_others(client, mqsc, pymqi, fails):
    program = client()
    queue = pymqi.Queue(program, "DEV.QUEUE.1")
    queue.put(b"1")
    waiting = pymqi.CMQC.MQGMO_WAIT | pymqi.CMQC.MQGMO_FAIL_IF_QUIESCING
    gmo = pymqi.GMO(Options=waiting, WaitInterval=60_000)
    other = pymqi.Queue(program, "DEV.QUEUE.2", pymqi.CMQC.MQOO_INPUT_SHARED)
    stopping = threading.Timer(0.2, mqsc, [f"STOP CHANNEL({CHANNEL})"])
    stopping.start()
    fails(pymqi.CMQC.MQRC_CONNECTION_QUIESCING, other.get, None, pymqi.MD(), gmo)
    stopping.join()
    assert instances(mqsc) == [("STOPPING", PLACE, "ana")]
    program.put1("DEV.QUEUE.2", b"goes on")
    fails(pymqi.CMQC.MQRC_CHANNEL_NOT_AVAILABLE, client)
    client("DEV.ADMIN.SVRCONN").disconnect()
    program.disconnect()
    assert instances(mqsc) == [("STOPPED", "", "")]
    mqsc(f"START CHANNEL({CHANNEL})")
    client().disconnect()


@pytest.mark.parametrize("mode", ["FORCE", "TERMINATE"])
def test_a_channel_that_is_stopped_by_force_backs_out_and_breaks_its_connections(
    client, qmgr, mqsc, pymqi, fails, mode
):
    broken = pymqi.CMQC.MQRC_CONNECTION_BROKEN
    programs = [client(), client(place=OTHER)]
    held = pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT)
    for program in programs:
        pymqi.Queue(program, "DEV.QUEUE.1").put(b"held", pymqi.MD(), held)
    queue = pymqi.Queue(programs[1], "DEV.QUEUE.2", pymqi.CMQC.MQOO_INPUT_SHARED)
    gmo = pymqi.GMO(Options=pymqi.CMQC.MQGMO_WAIT, WaitInterval=60_000)
    stopping = threading.Timer(0.2, mqsc, [f"STOP CHANNEL({CHANNEL}) MODE({mode}) CONNAME('{OTHER}')"])
    stopping.start()
    fails(broken, queue.get, None, pymqi.MD(), gmo)
    stopping.join()
    fails(broken, programs[1].commit)
    programs[0].commit()
    assert pymqi.Queue(qmgr, "DEV.QUEUE.1").inquire(pymqi.CMQC.MQIA_CURRENT_Q_DEPTH) == 1
    client(place=OTHER).disconnect()  # a place that is named stops no channel


def test_pcf_stops_the_channel_of_clients(client, mqsc, pcf, pymqi):
    f = pymqi.CMQCFC
    program = client()
    names = {f.MQCACH_CONNECTION_NAME: PLACE, pymqi.CMQC.MQCA_Q_MGR_NAME: ""}
    pcf.MQCMD_STOP_CHANNEL({f.MQCACH_CHANNEL_NAME: CHANNEL, f.MQIACF_MODE: f.MQMODE_FORCE, **names})
    assert instances(mqsc) == []
    assert not program.is_connected


def test_the_instance_of_a_program_that_died_is_gone(client, mqsc):
    pid = os.fork()
    if not pid:
        client()
        os._exit(0)
    os.waitpid(pid, 0)
    assert instances(mqsc) == []


# -- the check ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("channel", "place", "reason"),
    [
        (CHANNEL, PLACE, 0),
        (CHANNEL, "down(1),localhost", 0),
        ("NO.SUCH", PLACE, 2540),
        ("SYSTEM.DEF.SENDER", PLACE, 2539),
        (CHANNEL, "localhost(1415)", 2538),
        ("DEV.ADMIN.SVRCONN", PLACE, 2035),
    ],
)
def test_a_client_is_checked_on_request(client, mqsc, pymqi, fails, monkeypatch, channel, place, reason):
    mqsc("SET CHLAUTH(DEV.ADMIN.SVRCONN) TYPE(BLOCKUSER) USERLIST('ana')")
    client(channel, place).disconnect()
    monkeypatch.setenv("MQX_CHECK_CHANNEL", "1")
    if reason:
        fails(reason, client, channel, place)
    else:
        client(channel, place).disconnect()
    pymqi.connect("QM1").disconnect()


@pytest.mark.parametrize(("password", "reason"), [("right", 0), ("wrong", 2035)])
def test_a_password_is_checked_on_request(mqsc, pymqi, fails, monkeypatch, password, reason):
    with connect("QM1") as connection, connection.work() as work:
        users.set_password(work, "app", users.hash_password(b"right"))
    monkeypatch.setenv("MQX_CHECK_CHANNEL", "1")
    user, secret = (ctypes.create_string_buffer(text) for text in (b"app", password.encode()))
    csp = made(
        CSP, CSPUserId=ctypes.addressof(user), CSPUserIdLength=3, CSPPassword=ctypes.addressof(secret),
        CSPPasswordLength=5,
    )  # fmt: skip
    cd = made(CD, ChannelName=CHANNEL.encode(), ConnectionName=PLACE.encode())
    h, _, found = ibmmqc.MQCONNX("QM1", None, cd, csp)
    assert found == reason
    if reason:
        fails(reason, pymqi.connect, "QM1", CHANNEL, PLACE, "app", password)
    else:
        pymqe.MQDISC(h)
        pymqi.connect("QM1", CHANNEL, PLACE, "app", password).disconnect()


def test_the_port_is_that_of_a_listener_where_one_is_defined(client, mqsc, fails, monkeypatch):
    monkeypatch.setenv("MQX_CHECK_CHANNEL", "1")
    mqsc("DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1500)")
    fails(2538, client)
    client(place="localhost(1500)").disconnect()

"""Programs on a queue manager elsewhere, whose calls go through the client: the tests of the stand-in once more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.bindings import pymqe
from mqtools.bindings.ibmmqc import MQCB
from mqtools.bindings.remote_calls import REMOTE
from mqtools.constants import cmqc
from mqtools.headers.structures_connection import CBD, CD
from mqtools.headers.structures_message import CMHO, GMO, MD, OD, PD, PMO, SMPO
from mqtools.mqi.connection import connect
from mqtools.network.dispatch import Service
from mqtools.network.listener import Listener

from ..listening import listening
from .conftest import made
from .test_standin import *  # noqa: F403 - each of its tests runs here

CHANNEL, Q = "OWN.SVRCONN", b"DEV.QUEUE.1".ljust(48)


@pytest.fixture(autouse=True)
def port(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A listener of the default queue manager, which programs reach as one elsewhere; return its port."""
    with connect("QM1") as connection:
        run_mqsc(connection, f"ALTER QMGR CHLAUTH(DISABLED)\nDEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)")
    path = str(home / "QM1.db")
    listener = Listener(Service(path=path, connect=lambda: connect(path), note=print), "127.0.0.1", 0)
    monkeypatch.setenv(REMOTE, f"mq://127.0.0.1:{listener.port}/{CHANNEL}")
    with listening(listener):
        yield listener.port


def test_a_program_names_the_channel_and_the_place_itself(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REMOTE, "mq:")
    monkeypatch.delenv("MQSERVER", raising=False)
    cd = CD.pack({**CD.initial(), "ChannelName": CHANNEL.encode(), "ConnectionName": f"localhost({port})".encode()})
    h, *result = pymqe.MQCONNX("QM1", 0, cd)
    assert result == [0, 0]
    assert pymqe.MQDISC(h) == (0, 0)
    assert pymqe.MQCONN("QM1")[1:] == (2, cmqc.MQRC_CHANNEL_CONFIG_ERROR)
    monkeypatch.setenv("MQSERVER", f"{CHANNEL}/TCP/localhost({port})")
    h, *result = pymqe.MQCONN("QM1")
    assert result == [0, 0]
    assert pymqe.MQDISC(h) == (0, 0)


def test_consumers_are_refused(h: int) -> None:
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=Q), cmqc.MQOO_INPUT_SHARED)
    cbd = made(CBD)
    assert MQCB(h, cmqc.MQOP_REGISTER, cbd, ho, made(MD), made(GMO)) == (2, cmqc.MQRC_FUNCTION_NOT_SUPPORTED)


def test_the_properties_of_a_handle_need_no_room_in_the_buffer(h: int) -> None:
    ho, *_ = pymqe.MQOPEN(h, made(OD, ObjectName=Q), cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_OUTPUT)
    sent, *_ = pymqe.MQCRTMH(h, made(CMHO))
    pymqe.MQSETMP(h, sent, made(SMPO), b"colour", made(PD), cmqc.MQTYPE_STRING, b"red", 3)
    pymqe.MQPUT(h, ho, made(MD), made(PMO, Version=3, NewMsgHandle=sent), b"data")
    got, *_ = pymqe.MQCRTMH(h, made(CMHO))
    gmo = made(GMO, Version=4, MsgHandle=got, Options=cmqc.MQGMO_PROPERTIES_IN_HANDLE)
    data, _, _, length, *result = pymqe.MQGET(h, ho, made(MD), gmo, 4)
    assert (data, length, result) == (b"data", 4, [0, 0])
    assert pymqe.MQINQMP(h, got, 0, b"colour", 0, cmqc.MQTYPE_STRING, 10)[0] == "red"
    pymqe.MQPUT(h, ho, made(MD), made(PMO, Version=3, NewMsgHandle=sent), b"data")
    _, _, _, length, *result = pymqe.MQGET(h, ho, made(MD), gmo, 3)
    assert (length, result) == (4, [1, cmqc.MQRC_TRUNCATED_MSG_FAILED])

"""XA calls of a client: what each returns, and what becomes of branches when conversations end."""

from __future__ import annotations

import pytest

from mqtools.admin.transactions import resolve
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.xa import RECOVERED, REQUESTS, XaHeader, read_xa
from mqtools.constants import cmqc
from mqtools.mqi.connection import connect
from mqtools.mqi.xa import (
    TMENDRSCAN,
    TMFAIL,
    TMJOIN,
    TMNOFLAGS,
    TMONEPHASE,
    TMRESUME,
    TMSTARTRSCAN,
    TMSUCCESS,
    TMSUSPEND,
    XA_HEURCOM,
    XA_HEURRB,
    XA_OK,
    XA_RBROLLBACK,
    XA_RDONLY,
    XAER_INVAL,
    XAER_NOTA,
    XAER_PROTO,
    XAER_RMERR,
    XAER_RMFAIL,
    Xid,
)

from .conftest import Client, depth_of

X, Y = (1, b"global", b"b"), (1, b"global", b"c")
START, END, PREPARE = SegmentType.XA_START, SegmentType.XA_END, SegmentType.XA_PREPARE
COMMIT, ROLLBACK, RECOVER = SegmentType.XA_COMMIT, SegmentType.XA_ROLLBACK, SegmentType.XA_RECOVER


def xa(client, kind, flags=TMNOFLAGS, conversation=1, **values):
    """Make an XA call; return its value, and behind that what was recovered."""
    rest = REQUESTS[kind].write(values, client.order)
    client.send(client.segment(kind, XaHeader(0, flags, 5).pack(rest, client.order), conversation))
    (reply,) = client.received()
    header, body = read_xa(reply)
    assert (reply.kind, reply.conversation) == (kind + 16, conversation)
    assert (header.flags, header.resource_manager) == (flags, 5)
    assert Cursor(reply.body, ">").integer() == 28 + len(reply.body)
    return (header.value, RECOVERED.read(body)) if kind == RECOVER else header.value


def recovered(client, flags=TMSTARTRSCAN | TMENDRSCAN, count=15):
    return xa(client, RECOVER, flags, count=count)


def put_in(client, xid=X, flags=TMNOFLAGS):
    """Put a message in a branch, and leave the branch."""
    assert xa(client, START, flags, xid=xid) == XA_OK
    assert client.put(client.open(), b"in a branch", cmqc.MQPMO_SYNCPOINT, Persistence=1) == (0, 0)
    assert xa(client, END, TMSUCCESS, xid=xid) == XA_OK


def test_a_branch_is_committed_in_two_phases(client):
    assert xa(client, SegmentType.XA_OPEN, info=b"QM1") == XA_OK
    put_in(client)
    assert xa(client, PREPARE, xid=X) == XA_OK
    assert client.get(client.open())[0] == cmqc.MQRC_NO_MSG_AVAILABLE
    assert recovered(client) == (1, [X])
    assert xa(client, COMMIT, xid=X) == XA_OK
    assert client.get(client.open()) == (0, b"in a branch")
    assert recovered(client) == (0, [])
    assert xa(client, SegmentType.XA_CLOSE, info=b"QM1") == XA_OK


def test_a_branch_is_suspended_resumed_and_joined_by_another_conversation(little):
    little.start(3)
    assert xa(little, START, xid=X) == XA_OK
    assert xa(little, END, TMSUSPEND, xid=X) == XA_OK
    put_in(little, Y)
    put_in(little, X, TMRESUME)
    assert xa(little, START, TMJOIN, conversation=3, xid=X) == XA_OK
    assert xa(little, PREPARE, xid=X) == XAER_PROTO
    assert xa(little, END, TMSUCCESS, conversation=3, xid=X) == XA_OK
    assert xa(little, COMMIT, TMONEPHASE, conversation=3, xid=X) == XA_OK
    assert xa(little, ROLLBACK, conversation=3, xid=Y) == XA_OK
    assert depth_of("DEV.QUEUE.1") == 1


def test_a_branch_without_messages_and_one_that_failed(little):
    assert [xa(little, START, xid=X), xa(little, END, TMSUCCESS, xid=X)] == [XA_OK, XA_OK]
    assert xa(little, PREPARE, xid=X) == XA_RDONLY
    assert [xa(little, START, xid=X), xa(little, END, TMFAIL, xid=X)] == [XA_OK, XA_OK]
    assert xa(little, PREPARE, xid=X) == XA_RBROLLBACK


def test_a_prepared_branch_outlives_its_socket_and_any_other_does_not(host, little):
    put_in(little, X)
    put_in(little, Y)
    assert xa(little, PREPARE, xid=X) == XA_OK
    assert xa(little, START, xid=(1, b"active", b"")) == XA_OK
    little.channel.close()
    other = Client(host)
    other.negotiate()
    assert other.mqconn() == (0, 0)
    assert recovered(other) == (1, [X])
    assert [xa(other, COMMIT, TMONEPHASE, xid=Y), xa(other, COMMIT, xid=X)] == [XAER_NOTA, XA_OK]
    assert depth_of("DEV.QUEUE.1") == 1
    other.channel.close()


@pytest.mark.parametrize(("action", "code", "depth"), [("commit", XA_HEURCOM, 1), ("backout", XA_HEURRB, 0)])
def test_what_an_operator_decided_is_told_until_it_is_forgotten(little, action, code, depth):
    put_in(little)
    assert [xa(little, SegmentType.XA_FORGET, xid=X), xa(little, PREPARE, xid=X)] == [XAER_PROTO, XA_OK]
    with connect("QM1") as connection:
        resolve(connection, str(Xid(*X)), action)
    assert recovered(little) == (1, [X])
    assert [xa(little, kind, xid=X) for kind in (COMMIT, ROLLBACK)] == [code, code]
    assert xa(little, SegmentType.XA_FORGET, xid=X) == XA_OK
    assert (recovered(little), depth_of("DEV.QUEUE.1")) == ((0, []), depth)


def test_a_scan_returns_as_many_as_the_client_wants(little):
    xids = [(1, b"n%d" % number, b"b" * number) for number in range(5)]
    for xid in xids:
        put_in(little, xid)
        assert xa(little, PREPARE, xid=xid) == XA_OK
    assert recovered(little, TMNOFLAGS) == (XAER_INVAL, [])
    assert recovered(little, TMSTARTRSCAN, 2) == (2, xids[:2])
    assert recovered(little, TMNOFLAGS, 2) == (2, xids[2:4])
    assert recovered(little, TMENDRSCAN, 2) == (1, xids[4:])
    assert recovered(little, TMNOFLAGS) == (XAER_INVAL, [])
    assert recovered(little, TMSTARTRSCAN, -1) == (XAER_INVAL, [])


def test_mqcmit_in_a_branch_is_refused(little):
    assert xa(little, START, xid=X) == XA_OK
    api, _ = little.call(SegmentType.MQCMIT)
    assert (api.comp_code, api.reason) == (2, cmqc.MQRC_ENVIRONMENT_ERROR)
    assert xa(little, SegmentType.XA_CLOSE, info=b"QM1") == XAER_PROTO


@pytest.mark.parametrize("xid", [(-1, b"", b""), (1, b"", b"b"), (1, b"g" * 65, b"")])
@pytest.mark.parametrize("kind", [START, END, PREPARE, COMMIT, ROLLBACK, SegmentType.XA_FORGET])
def test_an_xid_that_is_not_valid(little, kind, xid):
    assert xa(little, kind, TMSUCCESS if kind == END else TMNOFLAGS, xid=xid) == XAER_INVAL


def test_a_client_does_not_fill_the_file_with_branches(little):
    codes = [
        xa(little, kind, flags, xid=(1, b"%d" % number, b""))
        for number in range(257)
        for kind, flags in ((START, TMNOFLAGS), (END, TMSUCCESS))
    ]
    assert (set(codes[:-2]), codes[-2:]) == ({XA_OK}, [XAER_RMERR, XAER_PROTO])
    assert xa(little, ROLLBACK, xid=(1, b"0", b"")) == XA_OK
    assert xa(little, START, xid=X) == XA_OK


def test_xa_complete_has_nothing_to_wait_for(little):
    assert xa(little, SegmentType.XA_COMPLETE, xid=X) == XAER_PROTO


def test_xa_before_mqconn(host):
    client = Client(host)
    client.negotiate()
    assert xa(client, START, xid=X) == XAER_RMFAIL
    assert recovered(client) == (XAER_RMFAIL, [])
    client.channel.close()

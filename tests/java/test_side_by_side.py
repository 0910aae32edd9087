"""The same calls by IBM's Java client and by ours, recorded at a proxy: the same segments mean the same."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.clients.wire import calls, handshake, spi, streaming
from mqtools.clients.wire.calls import read_api
from mqtools.clients.wire.codes import SegmentType
from mqtools.clients.wire.pieces import Cursor
from mqtools.clients.wire.segments import Splitter, WireSegment
from mqtools.constants.objects import MQIA_CURRENT_Q_DEPTH
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message

from .proxy import Proxy
from .serving import PASSWORD, define, serve
from .test_kills import java

__all__ = ["java"]
pytestmark = pytest.mark.java
Q = "DEV.JAVA.1"


@dataclass
class Recorder(Proxy):
    """A proxy that keeps what the client sends."""

    sent: list[WireSegment] = field(default_factory=list)

    def note(self, side: str, segment: bytes) -> None:
        if side == "client":
            self.sent += Splitter(1 << 20).feed(segment)


@pytest.fixture(scope="module")
def recorded(java: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[WireSegment]]]:
    """Return what each client sends."""
    with serve(tmp_path_factory.mktemp("side"), "--port", "0") as running:
        define(running.qmgr)

        def record(client: str) -> list[WireSegment]:
            proxy = Recorder(running.port)
            if client == "java":
                line = [java[0], f"-Dmqx.port={proxy.own_port}", *java[1:], "mqx.Exchange"]
                subprocess.run(line, check=True, cwd=tempfile.gettempdir(), capture_output=True, timeout=120)
            else:
                _exchange(proxy.own_port)
            proxy.close()
            with connect_remote(_options(running.port)) as connection, connection.open(Q, MQOO_INPUT_SHARED) as queue:
                queue.get_each(10)
            return proxy.sent

        yield record


def _options(port: int) -> ConnectionOptions:
    channel = "DEV.ADMIN.SVRCONN"
    return ConnectionOptions((HostPort("127.0.0.1", port),), channel, q_mgr_name="QM1", user="admin", password=PASSWORD)


def _exchange(port: int) -> None:
    with connect_remote(_options(port)) as connection:
        queue = connection.open(Q, MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_INQUIRE)
        queue.put(Message(b"hello", MQMD(format="MQSTR", coded_char_set_id=1208)), MQPMO_SYNCPOINT)
        connection.commit()
        queue.inquire([MQIA_CURRENT_Q_DEPTH])
        queue.get(MQGMO_BROWSE_FIRST)
        queue.get(MQGMO_WAIT | MQGMO_SYNCPOINT, wait_ms=5000)
        connection.backout()
        queue.close()


def _of_kind(segments: list[WireSegment], kind: int) -> list[WireSegment]:
    return [segment for segment in segments if segment.kind == kind]


def test_both_clients_send_the_same_kinds_of_segments(recorded: Callable[[str], list[WireSegment]]) -> None:
    theirs, ours = recorded("java"), recorded("mqx")
    kinds = {segment.name for segment in theirs}
    assert {segment.name for segment in ours} <= kinds
    assert kinds - {segment.name for segment in ours} <= {"MQOPEN"}
    for kind in (SegmentType.INITIAL_DATA, SegmentType.USERID_DATA, SegmentType.CONAUTH_INFO, SegmentType.MQCONN):
        pairs = zip(_of_kind(theirs, kind), _of_kind(ours, kind), strict=False)
        for their, our in pairs:
            assert (our.eyecatcher, our.flags, our.conversation, our.request) == (
                their.eyecatcher, their.flags, their.conversation, their.request,
            )  # fmt: skip
    assert theirs[-1].flags == ours[-1].flags
    assert theirs[-1].eyecatcher == ours[-1].eyecatcher

    initial = [handshake.INITIAL_DATA.read(Cursor(each[0].body, each[0].order)) for each in (theirs, ours)]
    for name in ("CapFlag1", "MaxTransmissionSize", "MaxMsgSize", "MsgCompressionList"):
        assert initial[1][name] == initial[0][name], name

    opened = [_spi(each, 12, spi.OPEN_CALL)["in"]["lpoo"] for each in (theirs, ours)]
    for name in ("Version", "LpiOptions", "DefPersistence", "ExtraLength"):
        assert opened[1][name] == opened[0][name], name

    inquired = [calls.INQUIRE.read(read_api(_of_kind(each, SegmentType.MQINQ)[-1])[1]) for each in (theirs, ours)]
    assert inquired[1]["selectors"] == inquired[0]["selectors"] == (MQIA_CURRENT_Q_DEPTH,)

    put = [calls.PUT.read(read_api(_of_kind(each, SegmentType.MQPUT)[0])[1]) for each in (theirs, ours)]
    assert put[1]["data"] == put[0]["data"] == b"hello"
    assert (put[1]["pmo"][:8], put[1]["md"][:4]) == (put[0]["pmo"][:8], put[0]["md"][:4])

    asked = [
        [streaming.REQUEST_MSGS.read(Cursor(one.body, one.order)) for one in _of_kind(each, SegmentType.REQUEST_MSGS)]
        for each in (theirs, ours)
    ]
    browse, get = [each[0] for each in asked], [each[-1] for each in asked]
    assert browse[1]["Options"] & 0x30 == 0x30  # first, then next: ours reads ahead
    assert browse[0]["Options"] & 0x10
    for name in ("Version", "RequestedBytes", "QueueStatus", "WaitInterval"):
        assert get[1][name] == get[0][name], name
    assert get[1]["Options"] & ~0x2000 == get[0]["Options"] & ~0x2000  # but for FAIL_IF_QUIESCING
    assert get[1]["RequestFlags"] | 0x10 == get[0]["RequestFlags"] | 0x10  # theirs repeats no selection


def _spi(segments: list[WireSegment], verb: int, layout: object) -> dict:
    for segment in _of_kind(segments, SegmentType.SPI):
        _, body = read_api(segment)
        if spi.SPI.read(body)["Verb"] == verb:
            return layout.read(body)  # type: ignore[attr-defined,no-any-return]
    raise AssertionError(f"no verb {verb}")

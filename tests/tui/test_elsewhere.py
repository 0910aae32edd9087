"""The browser over a queue manager elsewhere: over its mirror, while messages come and go there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.admin.new_queue_manager import create_private
from mqtools.clients.client.commands import pcf
from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.message import Property
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.elsewhere import mirror as mirrors
from mqtools.operations.elsewhere.mirror import Mirror
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data
from mqtools.tui.background import mirror_thread
from mqtools.tui.background.mirror_thread import MirrorThread

from ..commands.elsewhere import CHANNEL, served
from .conftest import QM, Screen


@pytest.fixture
def there(qm: QM, monkeypatch: pytest.MonkeyPatch):
    """A connection to QM1 as a queue manager elsewhere."""
    monkeypatch.setattr(mirror_thread, "_LEAST_PAUSE_S", 0.02)
    monkeypatch.setattr(mirror_thread, "_PAUSE", 0)
    run_mqsc(qm.connection, f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)")
    run_mqsc(qm.connection, "ALTER QMGR DEADQ(DLQ)")
    with served(qm.path) as port, connect_remote(ConnectionOptions((HostPort("127.0.0.1", port),), CHANNEL)) as found:
        yield found


@pytest.fixture
def mirror(there: RemoteConnection, tmp_path: Path):
    (tmp_path / "mirror").mkdir()
    here = create_private(str(tmp_path / "mirror" / "QM1.db"), "QM1")
    yield Mirror(here, there, lambda command, given: [reply.values() for reply in pcf(there, command, given)], "DLQ")
    here.db.close()


@pytest.fixture
def browse_elsewhere(
    browse: Callable[..., AbstractAsyncContextManager[Screen]], mirror: Mirror
) -> Callable[..., AbstractAsyncContextManager[Screen]]:
    """Open the browser of PROD, which is QM1 elsewhere."""

    @asynccontextmanager
    async def open_browser(q_name: str = "Q") -> AsyncIterator[Screen]:
        thread = MirrorThread(mirror, "PROD")
        async with browse(q_name, path=mirror.here.path, read_only=True, elsewhere=thread) as screen:
            yield screen

    return open_browser


def bodies(screen: Screen) -> list[str]:
    return [row.beginning for row in screen.app.browser.messages.window.rows if row.gone_at is None]


async def test_messages_of_a_queue_elsewhere_come_and_go(qm: QM, browse_elsewhere) -> None:
    qm.put_numbered(3)
    async with browse_elsewhere() as screen:
        await screen.until(lambda: bodies(screen) == ["message 0", "message 1", "message 2"])
        assert "QM1 at PROD" in screen.status
        qm.put("arrived", priority=9)
        assert qm.get() == b"arrived"
        qm.put("urgent", priority=9)
        qm.get(msg_id=qm.put("passing"))
        await screen.until(lambda: bodies(screen) == ["urgent", "message 0", "message 1", "message 2"])
        qm.get()
        await screen.until(lambda: bodies(screen) == ["message 0", "message 1", "message 2"])
        assert [row["depth"] for row in screen.app.browser.queues.rows if row["name"] == "Q"] == [3]


async def test_queues_elsewhere_are_those_that_are_there_now(qm: QM, browse_elsewhere) -> None:
    async with browse_elsewhere("") as screen:
        qm.define("NEW", inhibit_put=1)
        qm.put("for new", "R")
        await screen.until(lambda: "NEW" in screen.app.browser.queues.names)
        rows = {row["name"]: row for row in screen.app.browser.queues.rows}
        assert rows["NEW"]["inhibit_put"]
        assert rows["DLQ"]["is_dead_letter"]
        with qm.connection.work() as work:
            delete_queue(work, "QLOCAL", "NEW")
        await screen.until(lambda: "NEW" not in screen.app.browser.queues.names)


@pytest.mark.parametrize("key", ["T", "E", "R", "S", "comma", "at"])
async def test_what_needs_our_own_file_is_refused_with_a_sentence(qm: QM, browse_elsewhere, key: str) -> None:
    qm.put("one")
    async with browse_elsewhere() as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        await screen.press(key)
        await screen.until(lambda: "PROD is elsewhere; mqx pull PROD:QUEUE makes a local copy" in screen.said)
        assert screen.app.screen is screen.app.browser


async def test_nothing_is_changed_elsewhere(qm: QM, browse_elsewhere) -> None:
    qm.put("one")
    async with browse_elsewhere() as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        for key in ("d", "space", "L", "X"):
            await screen.press(key)
        assert screen.said.count("this session is read-only") == 4
    assert qm.data() == [b"one"]


def unreachable() -> None:
    raise MQError("the host is not available", MQRC_HOST_NOT_AVAILABLE)


async def test_a_lost_connection_is_shown_and_made_again(
    qm: QM, browse_elsewhere, there: RemoteConnection, monkeypatch
) -> None:
    qm.put("one")
    async with browse_elsewhere() as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        establish = there._establish
        monkeypatch.setattr(there, "_establish", unreachable)
        there.calls.wire.close()
        await screen.until(lambda: "CONNECTION LOST" in screen.status)
        qm.put("two")
        monkeypatch.setattr(there, "_establish", establish)
        await screen.until(lambda: bodies(screen) == ["one", "two"])
        await screen.until(lambda: "LIVE" in screen.status)


def test_a_mirror_has_messages_to_the_byte(qm: QM, mirror: Mirror) -> None:
    fields = {"correl_id": b"c" * 24, "report": 0x100, "reply_to_q": "R"}
    mirror.read_queues()
    for size in (1000, 500_000):  # the second comes by itself
        properties = {"colour": Property(MQTYPE_STRING, "red")}
        qm.put(bytes(range(250)) * (size // 250), **fields, properties=properties)
        list(mirror.refresh("Q"))
    copies, originals = (
        [
            (stored.md, stored.properties, load_data(source, stored.seq))
            for stored in select(source.db, find_queue(source.db, "Q").id)
        ]
        for source in (mirror.here, qm.connection)
    )
    assert copies == originals


def test_a_deep_queue_is_listed_up_to_a_limit(qm: QM, mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "MOST", 30)
    qm.put_numbered(25)
    mirror.read_queues()
    list(mirror.refresh("Q"))
    qm.put_numbered(25)
    with pytest.raises(Exception, match="Q: only 30 messages are listed"):
        list(mirror.refresh("Q"))


def test_a_deleted_queue_takes_no_room_of_a_mirror(qm: QM, mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "MOST_BYTES", 100)
    for _ in range(3):
        qm.define("NEW")
        qm.put("x" * 60, "NEW")
        mirror.read_queues()
        list(mirror.refresh("NEW"))
        with qm.connection.work() as work:
            delete_queue(work, "QLOCAL", "NEW", purge=True)
        mirror.read_queues()

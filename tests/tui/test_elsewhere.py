"""The browser over a queue manager elsewhere: over its mirror, while messages come and go there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.admin.new_queue_manager import create_private
from mqtools.clients.client.commands import pcf
from mqtools.clients.client.connect import connect_remote
from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.configuration.paths import home
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.message import Property
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import delete_queue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.browsed_queue import BrowsedQueue
from mqtools.operations.edit import Changes, edit_batch
from mqtools.operations.elsewhere import mirror as mirrors
from mqtools.operations.elsewhere.mirror import Mirror
from mqtools.operations.move import Route
from mqtools.operations.remote_move import carry_batch, delete_batch
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data
from mqtools.tui.background import mirror_thread, verbs_elsewhere
from mqtools.tui.background.mirror_thread import MirrorThread
from mqtools.tui.background.verbs_elsewhere import REMOVED, copy_to_edit
from mqtools.tui.dialogs.standard import ConfirmDialog, FormDialog
from mqtools.tui.dialogs.transfer import TransferDialog

from ..commands.elsewhere import CHANNEL, served
from ..operations.two_queue_managers import contents
from .conftest import QM, Screen
from .filling import fill


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
    here = create_private(str(tmp_path / "mirror" / "QM1.db"), "QM1", there.q_mgr_id)
    yield Mirror(here, there, lambda command, given: [reply.values for reply in pcf(there, command, given)], "DLQ")
    here.db.close()


@pytest.fixture
def browse_elsewhere(
    browse: Callable[..., AbstractAsyncContextManager[Screen]], mirror: Mirror, there: RemoteConnection
) -> Callable[..., AbstractAsyncContextManager[Screen]]:
    """Open the browser of PROD, which is QM1 elsewhere."""

    @asynccontextmanager
    async def open_browser(q_name: str = "Q", *, changes: bool = False) -> AsyncIterator[Screen]:
        thread = MirrorThread(mirror, "PROD", (lambda: connect_remote(there.options)) if changes else None)
        async with browse(q_name, path=mirror.here.path, read_only=not changes, elsewhere=thread) as screen:
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
        for key in ("d", "space", "m", "p"):
            await screen.press(key)
        assert screen.said.count("this session is read-only") == 4
    assert qm.data() == [b"one"]


async def test_marked_messages_are_deleted_there(qm: QM, browse_elsewhere) -> None:
    qm.put_numbered(3)
    async with browse_elsewhere(changes=True) as screen:
        await screen.until(lambda: len(bodies(screen)) == 3)
        await screen.press("space", "space", "d", opens=ConfirmDialog)
        assert "Delete 2 messages from Q at PROD?" in screen.text
        await screen.press("y")
        await screen.until(lambda: "deleted 2 messages" in screen.said)
        await screen.until(lambda: bodies(screen) == ["message 2"])
        assert not screen.app.browser.marks.on("Q")
    assert qm.data() == [b"message 2"]


@pytest.mark.parametrize(("key", "left"), [("m", []), ("c", [b"one"])])
async def test_a_message_is_moved_or_copied_there_with_its_descriptor(qm: QM, browse_elsewhere, key, left) -> None:
    msg_id = qm.put("one", correl_id=b"c" * 24, priority=7)
    async with browse_elsewhere(changes=True) as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        await screen.press(key, opens=TransferDialog)
        await screen.enter("NOPE")
        await screen.until(lambda: "1 left" in screen.said)
        assert "MQRC_UNKNOWN_OBJECT_NAME" in screen.said
        await screen.press(key, opens=TransferDialog)
        assert "from Q at PROD to queue" in screen.text
        await screen.enter("R")
        await screen.until(lambda: "1 message to R" in screen.said)
    db = qm.connection.db
    (moved,) = select(db, find_queue(db, "R").id)
    assert (moved.md.msg_id, moved.md.correl_id, moved.md.priority) == (msg_id, b"c" * 24, 7)
    assert qm.data() == left


async def test_a_form_puts_a_message_there(qm: QM, browse_elsewhere) -> None:
    async with browse_elsewhere(changes=True) as screen:
        await screen.press("p", opens=FormDialog)
        assert "Put a message on Q at PROD" in screen.text
        await fill(screen, priority="7", data="made by hand")
        await screen.until(lambda: "put on Q at PROD:" in screen.said)
        await screen.until(lambda: bodies(screen) == ["made by hand"])


async def test_a_message_that_has_gone_there_is_counted(qm: QM, browse_elsewhere) -> None:
    qm.put_numbered(2)
    async with browse_elsewhere(changes=True) as screen:
        await screen.until(lambda: len(bodies(screen)) == 2)
        await screen.press("d", opens=ConfirmDialog)
        assert qm.get() == b"message 0"
        await screen.press("y")
        await screen.until(lambda: "deleted 0 messages; 1 no longer there" in screen.said)
    assert qm.data() == [b"message 1"]


def test_a_message_with_another_id_is_never_taken_for_the_one_on_the_screen(qm: QM, there: RemoteConnection) -> None:
    qm.put("one")
    with BrowsedQueue(there, "Q") as queue:
        ((number, _),) = queue.tokens()
    assert delete_batch(there, "Q", {number: b"x" * 24}).gone == 1
    assert carry_batch(there, Route("Q", "R"), [number], msg_ids={number: b"x" * 24}).gone == 1
    assert (qm.data(), qm.data("R")) == ([b"one"], [])


async def test_a_queue_that_is_deleted_there_loses_its_marked_messages(qm: QM, browse_elsewhere) -> None:
    qm.put("one")
    async with browse_elsewhere(changes=True) as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        await screen.press("space")
        await screen.until(lambda: screen.app.session.writer.marked.get("Q"))
        with qm.connection.work() as work:
            delete_queue(work, "QLOCAL", "Q", purge=True)
        await screen.until(lambda: not bodies(screen))


@pytest.mark.parametrize("key", ["z", "L", "A", "r", "a", "X"])
async def test_what_only_our_own_file_can_do_is_refused_on_a_read_write_remote(qm: QM, browse_elsewhere, key) -> None:
    qm.put("one")
    async with browse_elsewhere(changes=True) as screen:
        await screen.until(lambda: bodies(screen) == ["one"])
        await screen.press(key)
        await screen.until(lambda: "PROD is elsewhere; mqx pull PROD:QUEUE makes a local copy" in screen.said)
    assert qm.data() == [b"one"]


@pytest.mark.parametrize("happens", ["edited", "unchanged", "gone meanwhile", "of another"])
async def test_a_message_elsewhere_is_edited(qm: QM, browse_elsewhere, monkeypatch, happens) -> None:
    qm.put("one", correl_id=b"c" * 24)
    (before,) = contents(qm.connection)
    dump = Path(home()) / REMOVED
    copies: list[str] = []

    def run_editor(line: list[str], *, check: bool) -> CompletedProcess[bytes]:
        copies.append(line[line.index("-m") + 1])
        with connect(copies[0]) as copy:
            if happens == "of another":
                copy.db.run("update origins set q_mgr_identifier = 'ANOTHER'")
            (stored,) = select(copy.db, find_queue(copy.db, "Q").id)
            if happens != "unchanged":
                edit_batch(copy, "Q", [stored.seq], Changes(body=b"two").apply)
        if happens == "gone meanwhile":
            qm.get()
        return CompletedProcess(line, 0)

    async with browse_elsewhere(changes=True) as screen:
        screen.app.session.program = ["mqx"]
        monkeypatch.setattr("subprocess.run", run_editor)
        monkeypatch.setattr(screen.app, "suspend", screen.app.browser.prevent)  # there is no terminal to give away
        await screen.until(lambda: bodies(screen) == ["one"])
        await screen.press("e")
        said = {
            "edited": "edited; the former",
            "unchanged": "nothing was changed",
            "gone meanwhile": "original has gone",
            "of another": "the original is on another queue manager",
        }
        await screen.until(lambda: said[happens] in screen.said)
        left = {"edited": ["two"], "gone meanwhile": []}.get(happens, ["one"])
        await screen.until(lambda: bodies(screen) == left)
    assert contents(qm.connection) == [before.replace(data=body.encode()) for body in left]
    assert [json.loads(line)["data"] for line in dump.open()] == (["one"] if happens == "edited" else [])
    is_kept = happens in ("gone meanwhile", "of another")
    assert Path(copies[0]).exists() == is_kept == (f"is kept: mqx push Q -m {copies[0]} --to PROD:Q" in screen.said)


def test_no_copy_stays_of_a_message_that_cannot_be_edited(qm: QM, monkeypatch, tmp_path: Path) -> None:
    qm.put("one")
    (stored,) = select(qm.connection.db, find_queue(qm.connection.db, "Q").id)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(verbs_elsewhere, "define_copy", lambda *_: unreachable())
    with pytest.raises(MQError):
        copy_to_edit(qm.connection, "Q", stored.seq)
    assert not list(tmp_path.glob("mqx-*"))


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


def test_a_system_queue_is_listed_when_it_is_in_use_or_named(qm: QM, mirror: Mirror) -> None:
    used, named = "SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM.ADMIN.QMGR.EVENT"
    for name in (used, named, "SYSTEM.PENDING.DATA.QUEUE"):
        qm.put("x", name)
        qm.get(name)
    qm.put("x", used)
    mirror.q_name = named
    names = [row["name"] for row in mirror.read_queues()]
    assert [name for name in names if name.startswith("SYSTEM.") and "COMMAND" not in name] == [named, used]


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

"""A queue manager, and the browser over it without a terminal: keys are pressed, the screen is read as text."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from mqtools.lifecycle.verbs import get_message
from mqtools.message import MQMD, Message
from mqtools.mqi.browse_marks import is_marked_for_set
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import load_data
from mqtools.tui.app import BrowserApp, BrowserSession
from mqtools.tui.background.writer import SessionWriter

from ..copied import three_queues

PATIENCE_S = 60


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


class QM:
    """A queue manager and short words for what tests do with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.connection: Connection = connect(path, appl_name="other", user_identifier="ana")

    def put(self, data: bytes | str, q_name: str = "Q", *, properties=None, **fields) -> bytes:
        body = data.encode() if isinstance(data, str) else data
        message = Message(body, MQMD(**{"format": "MQSTR", **fields}), properties or {})
        self.connection.put1(q_name, message)
        return message.md.msg_id

    def put_numbered(self, number: int, **fields) -> None:
        """Put ``message 0``, ``message 1`` and so on."""
        for each in range(number):
            self.put(f"message {each}", **fields)

    def define(self, name: str, **values: object) -> None:
        with self.connection.work() as work:
            define_queue(work, "QLOCAL", name, values)

    def alter(self, **values: object) -> None:
        with self.connection.work() as work:
            alter_qmgr(work, values)

    def data(self, q_name: str = "Q") -> list[bytes]:
        db = self.connection.db
        return [
            load_data(self.connection, stored.seq) for stored in select(db, find_queue(db, q_name).id, all_states=True)
        ]

    def get(self, q_name: str = "Q", **criteria) -> bytes:
        return get_message(self.connection, q_name, filter=criteria or None).message.data

    def is_marked(self, q_name: str = "Q") -> list[bool]:
        with self.connection.work() as work:
            found = list(select(work.db, find_queue(work.db, q_name).id, all_states=True))
            return [is_marked_for_set(work, stored.seq) for stored in found]

    def marked_until(self) -> int:
        """Return when the first mark lapses, 0 where there is none."""
        rows = self.connection.db.all("select until from marks")
        return rows[0][0] if rows else 0


@pytest.fixture
def qm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """QM1 with the queues Q, R and DLQ."""
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = QM(three_queues(str(tmp_path / "QM1.db")))
    yield made
    made.connection.disconnect()


class Heard(BrowserApp):
    """The browser, and all that it has said in passing, which the screen shows for some seconds only."""

    def __init__(self, session: BrowserSession) -> None:
        super().__init__(session)
        self.said: list[str] = []

    def notify(self, message: str, **how: object) -> None:  # type: ignore[override]
        self.said.append(message)
        super().notify(message, **how)  # type: ignore[arg-type]


class Asked:
    """How many questions the browser has asked of its threads, and jobs it has begun, whose answers have not come.

    late: how many of them were waited for in vain: a test has the threads wait.
    """

    def __init__(self, session: BrowserSession, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pending = self.late = 0
        monkeypatch.setattr(session.reader, "ask", self._counted(session.reader.ask, 1))
        for name, ask, place in _ASKED_OF_WRITER:  # of all, because the browser starts its own when it needs it
            monkeypatch.setattr(SessionWriter, name, self._counted(ask, place))

    def _counted(self, ask: Callable[..., None], place: int) -> Callable[..., None]:
        """Return a method that counts its calls. place: of the argument that takes the answer."""

        def ask_and_count(*given: Any) -> None:
            answer = given[place]

            def answered(value: Any) -> None:
                self.pending -= 1
                self.late = min(self.late, self.pending)
                answer(value)

            self.pending += 1
            ask(*given[:place], answered, *given[place + 1 :])

        return ask_and_count


#: Methods of the thread that writes, and which of their arguments takes the answer.
_ASKED_OF_WRITER = (("do", SessionWriter.do, 2), ("run", SessionWriter.run, 3))


class Screen:
    """The browser as somebody sees it who presses keys."""

    def __init__(self, app: Heard, pilot: Pilot, asked: Asked) -> None:
        self.app = app
        self.pilot = pilot
        self._asked = asked

    @property
    def text(self) -> str:
        """Everything on the screen, line by line."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips[:height]]
        return "\n".join(line[:width] for line in lines)

    @property
    def place(self) -> str:
        """The line that says where one is in the list."""
        return self.app.browser.messages._place()

    @property
    def rows(self) -> list[str]:
        """The lines of the list of messages, without the gutter."""
        pane = self.app.browser.messages
        return [pane.draw_line(y).text[1:].rstrip() for y in range(1, pane.size.height)]

    @property
    def cursor_line(self) -> tuple[int, str]:
        """Which line of the screen the cursor is on, and the beginning of its message's data."""
        window = self.app.browser.messages.window
        return window.cursor - window.top, "" if window.current is None else window.current.beginning

    @property
    def detail(self) -> str:
        """The lines of the message that is shown in full, before they are wrapped, folded and numbered."""
        return "\n".join(self.app.browser.detail.lines._given)

    @property
    def tree(self) -> list[str]:
        """The lines of the message that is shown in full as they are on the screen, with numbers and signs."""
        lines = self.app.browser.detail.lines
        return ["".join(text for text, _ in lines._line_cells(place)) for place in range(lines.line_count)]

    @property
    def status(self) -> str:
        """The status bar."""
        return self.app.browser._top.draw_line(0).text.rstrip()

    @property
    def about(self) -> str:
        """The line about it."""
        shown = self.app.browser.detail.detail
        return "" if shown is None else self.app.browser.detail._about(shown)

    @property
    def said(self) -> str:
        """What was said in passing."""
        return "\n".join(self.app.said)

    @property
    def is_searching(self) -> bool:
        """Whether more hits may come: escape stops the search then, and leaves the filter."""
        return self.app.browser.message_list.is_searching

    async def press(self, *keys: str, opens: type | None = None) -> None:
        """Press keys, later than those that are dropped. opens: the dialog to which they lead, which is waited for."""
        await asyncio.sleep(max(0, self.app.session.drop_keys_until - time.monotonic()))
        await self.pilot.press(*keys)
        if opens is not None:
            await self.until(lambda: isinstance(self.app.screen, opens))

    async def type(self, text: str) -> None:
        """Type into a field."""
        for char in text:
            await self.pilot.press(_NAMES.get(char, char))

    async def enter(self, text: str, opens: type | None = None) -> None:
        """Type into a field and press enter."""
        await self.type(text)
        await self.press("enter", opens=opens)

    async def settle(self, *_: float) -> None:
        """Wait until the keys that were pressed are done, and what they asked the threads is answered, or is late.

        Textual's own waits for a process that is idle, which is late on a quiet machine and early on a busy one.
        """
        asked, deadline = self._asked, time.monotonic() + _MOMENT_S
        for _ in range(3):
            await asyncio.sleep(0)  # the key comes to the application
        await self.pilot._wait_for_screen()
        while self.app._typed or self.app._key_sent_at or asked.pending > asked.late:
            if time.monotonic() > deadline:
                asked.late = asked.pending
                break
            await asyncio.sleep(0.001)
            await self.pilot._wait_for_screen()
        self.app.screen._on_timer_update()

    async def until(self, claim: Callable[[], object]) -> None:
        """Wait until the screen shows something."""
        deadline = time.monotonic() + PATIENCE_S
        while not claim():
            assert time.monotonic() < deadline, f"it never happened; the screen:\n{self.text}\nsaid: {self.said}"
            await self.pilot.pause(0.005)


#: Time after which an answer is late (seconds).
_MOMENT_S = 1.0
_NAMES = {" ": "space", ".": "full_stop", "/": "slash", "_": "underscore", "-": "minus", "=": "equals_sign"}


@pytest.fixture
def browse(qm: QM, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AbstractAsyncContextManager[Screen]]:
    """Open the browser: ``async with browse("Q", size=(80, 24)) as screen``."""

    @asynccontextmanager
    async def open_browser(
        q_name: str = "Q", *, path: str = "", size: tuple[int, int] = (120, 36), **given: Any
    ) -> AsyncIterator[Screen]:
        session = BrowserSession(path or qm.path, q_name, **given)
        app, asked = Heard(session), Asked(session, monkeypatch)
        try:
            async with app.run_test(size=size) as pilot:
                screen = Screen(app, pilot, asked)
                monkeypatch.setattr("textual.app.wait_for_idle", screen.settle)
                await screen.until(lambda: app.browser.queues.rows)
                if q_name:
                    await screen.until(
                        lambda: app.browser.message_list.source and not app.browser.message_list._is_asking
                    )
                await pilot.pause()  # what has been read is drawn then
                try:
                    yield screen
                except BaseException as error:
                    raise app.crash or error from error
        finally:
            await asyncio.to_thread(_join, session)

    return open_browser


def _join(session: BrowserSession) -> None:
    """Wait for the threads of a browser: what they still do would be done to the next one."""
    for worker in (session.reader, session.writer):
        if worker is not None and worker._thread.is_alive():
            worker._thread.join(PATIENCE_S)


def states(screen: Screen) -> list[str]:
    """Return what the lines of the list say of the states of their messages."""
    return [row[:4].strip() for row in screen.rows if row]


@pytest.fixture
def letters(qm):
    """Dead letters on DLQ, which were for R; R has room again."""
    qm.define("TINY", max_q_depth=1)
    qm.put("in the way", "TINY")
    qm.connection.put_each("TINY", [Message(b"one", MQMD()), Message(b"two", MQMD())], dead_letter=True)
    assert qm.get("TINY") == b"in the way"

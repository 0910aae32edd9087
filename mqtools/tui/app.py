"""The Textual application: key order, signals, suspension and crash handling."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen
from textual.theme import Theme

from mqtools.tui import keymap, themes
from mqtools.tui.browser import Browser
from mqtools.tui.session import BrowserSession
from mqtools.tui.state import THEME
from mqtools.tui.terminal_driver import HUNG_UP, TerminalDriver

#: Longest time that a key waits for the one before it (seconds).
_KEY_S = 1.0
#: Signals that end the browser, and the exit status.
_ENDINGS = {signal.SIGTERM: 143, signal.SIGHUP: HUNG_UP, signal.SIGINT: 130}


class BrowserApp(App["tuple[str, str]"]):
    """The browser over one queue manager. Returns the name of another one to browse next, and of a queue; or None."""

    CSS_PATH = Path(__file__).with_name("browser.tcss")
    TITLE = "mqx"
    ENABLE_COMMAND_PALETTE = False  # the browser has its own

    def __init__(self, session: BrowserSession, number_of_colours: int | None = None) -> None:
        """number_of_colours: of the terminal when it has few; None for many."""
        super().__init__(ansi_color=None if number_of_colours is None else True)
        for theme in (themes.DARK, themes.LIGHT, *themes.OF_TERMINAL.values()):
            self.register_theme(theme)
        self._terminal_theme = None if number_of_colours is None else themes.OF_TERMINAL[number_of_colours].name
        self.session = session
        self.browser = Browser(session)
        self.crash: Exception | None = None
        self._complaints: list[str] = []
        self._typed: deque[events.Key] = deque()
        self._key_sent_at = 0.0  # 0 when the last one has been handled completely

    def get_driver_class(self) -> type[Driver]:
        """Return the driver of the terminal; where there is none, such as in a web page, Textual's own."""
        found = super().get_driver_class()
        return TerminalDriver if issubclass(TerminalDriver, found) else found

    def get_default_screen(self) -> Screen[Any]:
        """Return the browser, with the keys that it names."""
        self.session.keys, self._complaints = keymap.read_keymap()
        return self.browser

    def on_mount(self) -> None:
        self.set_keymap(self.session.keys)
        saved = self.session.state[THEME]
        self.theme = self._terminal_theme or (saved if saved in self.available_themes else themes.DARK.name)
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self.app_resume_signal.subscribe(self, lambda _: self.refresh())  # the shell has written over the screen
        self._handle_signals()
        self.session.begin(self, changed=self.browser.changed, failed=self.browser.fail)
        for text in self._complaints:
            self.notify(text, severity="warning", markup=False)

    def _remember_theme(self, theme: Theme) -> None:
        if self._terminal_theme is None:
            self.session.remember(THEME, theme.name)

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number, status in _ENDINGS.items():
            try:
                loop.add_signal_handler(number, partial(self.exit, return_code=status))
            except (RuntimeError, ValueError):
                return  # not the main thread, as in tests

    def on_unmount(self) -> None:
        self.session.end()

    def action_suspend_process(self) -> None:
        """Suspend if a shell can resume the process: otherwise it would hang with the terminal half restored."""
        if _is_resumable():
            super().action_suspend_process()
        else:
            self.browser.say("cannot suspend: no shell started mqx in this terminal that could resume it", "warning")

    async def on_event(self, event: events.Event) -> None:
        """Handle one key at a time, each until all its effects are done.

        A key is sent to what has the focus and looked up in the bindings on its way back up. Without this, a key that
        follows one that opens a dialog is sent past the dialog, and enter submits a field before its characters arrive.
        """
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._typed.append(event)
            if monotonic() - self._key_sent_at > _KEY_S:
                await self._send_next_key()
        else:
            await super().on_event(event)

    async def _send_next_key(self) -> None:
        self._key_sent_at = 0.0
        while self._typed and self._typed[0].time < self.session.drop_keys_until:
            self._typed.popleft()
        if self._typed and self.screen_stack:
            self._key_sent_at = monotonic()
            target = self.focused or self.screen
            await super().on_event(self._typed.popleft())
            self._follow_key(target)
            self.set_timer(_KEY_S + 0.1, self._resume_keys)

    async def _resume_keys(self) -> None:
        """Send the next key when the call that follows the last one was lost, because a widget was removed."""
        if self._key_sent_at and monotonic() - self._key_sent_at > _KEY_S:
            await self._send_next_key()

    def _follow_key(self, node: DOMNode | None) -> None:
        """Follow the last key up the message queues of all its parents, then send the next one."""
        if node is None or node is self or not node.call_later(self._follow_key, node.parent):
            self.call_later(self._send_next_key)

    def _handle_exception(self, error: Exception) -> None:
        """Keep an error for the caller: a traceback here would print message data."""
        self.crash = self.crash or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()


def _is_resumable() -> bool:
    """Return whether a shell would resume this process once it has stopped.

    The kernel discards SIGTSTP in an orphaned process group: one in which no parent belongs to another group of the
    same session, such as the group of a session leader that a terminal emulator has started.
    """
    try:
        has_shell = os.getsid(os.getppid()) == os.getsid(0)
    except OSError:
        return False
    return has_shell and os.getpgrp() != os.getsid(0)

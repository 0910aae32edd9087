"""The Textual application: key order, signals, suspension and crash handling."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections import deque
from functools import partial
from pathlib import Path
from threading import Thread
from time import monotonic

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.driver import Driver
from textual.theme import Theme

from mqtools.configuration import locate
from mqtools.errors import MQError
from mqtools.tui import keymap, themes
from mqtools.tui.browser import Browser
from mqtools.tui.health import FILE_GONE, explain_gone
from mqtools.tui.session import BrowserSession
from mqtools.tui.state import THEME
from mqtools.tui.terminal_driver import HUNG_UP, TerminalDriver

#: Longest time that a key waits for the one before it (seconds).
_KEY_S = 1.0
#: Time after which garbage is collected, long enough for the first rows (seconds).
_START_S = 1.0
#: Signals that end the browser, and the exit status.
_ENDINGS = {signal.SIGTERM: 143, signal.SIGHUP: HUNG_UP, signal.SIGINT: 130}


class BrowserApp(App["tuple[str, str]"]):
    """The browser. Each queue manager that is open has a tab: a mode of the application with a screen of its own.

    Returns the name of a queue manager elsewhere to browse next, and of a queue; or None.
    browser: of the tab in front.  tabs: all of them by their modes, in the order of the status bar.
    """

    CSS_PATH = Path(__file__).with_name("browser.tcss")
    TITLE = "mqx"
    ENABLE_COMMAND_PALETTE = False  # the browser has its own
    DEFAULT_MODE = "tab-1"

    def __init__(self, session: BrowserSession, number_of_colours: int | None = None) -> None:
        """number_of_colours: of the terminal when it has few; None for many."""
        super().__init__(ansi_color=None if number_of_colours is None else True)
        for theme in (themes.DARK, themes.LIGHT, *themes.OF_TERMINAL.values()):
            self.register_theme(theme)
        self._terminal_theme = None if number_of_colours is None else themes.OF_TERMINAL[number_of_colours].name
        saved = session.state[THEME]
        name = self._terminal_theme or (saved if saved in themes.CHOICES else themes.DARK.name)
        self.set_reactive(BrowserApp.theme, name)  # an assignment would have all styles parsed twice
        self.stylesheet.set_variables(self.get_css_variables())
        session.keys, self._complaints = keymap.read_keymap()
        self.browser = Browser(session)
        self.tabs = {self.DEFAULT_MODE: self.browser}
        self.crash: Exception | None = None
        self._typed: deque[events.Key] = deque()
        self._key_sent_at = 0.0  # 0 when the last one has been handled completely

    def get_driver_class(self) -> type[Driver]:
        """Return the driver of the terminal; where there is none, such as in a web page, Textual's own."""
        found = super().get_driver_class()
        return TerminalDriver if issubclass(TerminalDriver, found) else found

    @property
    def session(self) -> BrowserSession:
        return self.browser.session

    def get_default_screen(self) -> Browser:
        """Return the first tab: Textual parses all styles once more for a screen of a mode that was added."""
        return self.browser

    def on_load(self) -> None:
        self.browser.begin(self)  # its threads read while Textual builds the screen

    def on_mount(self) -> None:
        self.add_mode(self.DEFAULT_MODE, self.get_default_screen)  # so that it can be removed
        self.set_keymap(self.session.keys)
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self.app_resume_signal.subscribe(self, lambda _: self.refresh())  # the shell has written over the screen
        self._handle_signals()
        self.set_timer(_START_S, gc.enable)
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
        self.end_sessions()

    def end_sessions(self) -> None:
        for tab in self.tabs.values():
            tab.session.end()

    # -- tabs

    def _add_tab(self, browser: Browser) -> str:
        """Add a tab; return its mode."""
        mode = f"tab-{int(next(reversed(self.tabs)).removeprefix('tab-')) + 1}"
        self.tabs[mode] = browser
        self.add_mode(mode, lambda: browser)
        return mode

    def open_tab(self, q_mgr_name: str, q_name: str = "") -> None:
        """Go to the tab of a queue manager; open it where there is none. One elsewhere takes the place of all tabs.

        q_name: queue to list, empty for all.
        """
        try:
            if locate.is_elsewhere(q_mgr_name):
                self.exit((q_mgr_name, q_name))
                return
            path = locate.find(q_mgr_name)
            for mode, tab in self.tabs.items():
                if os.path.realpath(tab.session.path) == os.path.realpath(path):
                    self._show_tab(mode)
                    if tab.queue_list.health == FILE_GONE:
                        tab.say(explain_gone(tab.session), "error")
                    if q_name:
                        tab.open_queue(q_name)
                        tab.focus_pane("messages")
                    return
            browser = Browser(self.session.of_another(path, q_name))
        except (MQError, OSError) as error:
            self.browser.fail(error)
            return
        self._show_tab(self._add_tab(browser))
        browser.begin(self)

    def _show_tab(self, mode: str) -> None:
        self.browser = self.tabs[mode]
        self.switch_mode(mode)
        self.browser.show_status()

    def step_tab(self, by: int) -> None:
        """Go to another tab; behind the last is the first."""
        modes = list(self.tabs)
        if len(modes) == 1:
            key, which = self.session.first_key("qmgr"), "next" if by > 0 else "previous"
            self.browser.say(f"no {which} queue manager is open: {key} opens one")
        else:
            self._show_tab(modes[(modes.index(self.current_mode) + by) % len(modes)])

    def close_tab(self) -> None:
        """Close the tab in front with its marks and locks; the last one stays."""
        mode, browser = self.current_mode, self.browser
        if len(self.tabs) == 1:
            key = self.session.first_key("quit")
            self.browser.say(f"this is the only queue manager that is open, and one stays open: {key} quits")
            return
        self.step_tab(-1)
        del self.tabs[mode]
        self.remove_mode(mode)
        self.browser.show_status()
        Thread(target=browser.session.end, name="mqx-close").start()  # it waits for the threads of the session

    def action_suspend_process(self) -> None:
        """Suspend if a shell can resume the process: otherwise it would hang with the terminal half restored."""
        if _is_resumable():
            super().action_suspend_process()
        else:
            self.browser.say("cannot suspend: no shell started mqx in this terminal that could resume it", "warning")

    async def on_event(self, event: events.Event) -> None:
        """Handle one key at a time, each until all its effects are done, and a dialog that it opens is there.

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
            if self.screen.is_mounted:
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

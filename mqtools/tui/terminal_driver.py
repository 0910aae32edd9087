"""Textual's driver of the terminal, made to end the browser when the terminal is gone.

Textual's thread that writes ends at an error. When a terminal is closed, the error may come before SIGHUP: then the
thread that draws would wait for room in an abandoned queue, for good, and would never see the signal. Its
thread that reads takes the same error for a mistake of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TextIO, cast

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from mqtools.configuration import settings
from mqtools.tui.ascii_forms import translation
from mqtools.tui.short_styles import shorten

#: What Textual writes for a bell, and the notification of the desktop for that.
_BELL, _OSC_9 = "\a", "\x1b]9;mqx: new dead letters\a"
#: Exit status when the terminal is gone.
HUNG_UP = 143


class TerminalDriver(LinuxDriver):
    """Driver that ends the application, with the status of SIGHUP, when the terminal is gone."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._end = partial(self._loop.call_soon_threadsafe, partial(app.exit, return_code=HUNG_UP))
        self._file = cast("Any", TerminalOutput(cast("TextIO", self._file), self._end))

    def run_input_thread(self) -> None:
        """Read keys until the application ends; end it when the terminal is gone."""
        try:
            super().run_input_thread()
        except OSError:
            self._end()


class TerminalOutput:
    """Output to a terminal that may be closed, in characters that it can show.

    gone: called, once, in the thread that writes.
    """

    def __init__(self, file: TextIO, gone: Callable[[], object]) -> None:
        self._file = file
        self._gone = gone
        self._is_gone = False
        self._translate = translation(file.encoding)
        self._bell = _OSC_9 if settings.value_of(settings.TUI_NOTIFY) == settings.OSC_9 else _BELL

    def write(self, text: str) -> int:
        """Write a text, for a bell what announces it; drop it when the terminal is gone."""
        if text == _BELL:
            text = self._bell
        shown = text if self._translate is None else self._translate(text)
        self._try(partial(self._file.write, shorten(shown)))
        return len(text)

    def flush(self) -> None:
        """Write what is buffered; drop it when the terminal is gone."""
        self._try(self._file.flush)

    def _try(self, write: Callable[[], object]) -> None:
        if self._is_gone:
            return
        try:
            write()
        except OSError:
            self._is_gone = True
            self._gone()

    def isatty(self) -> bool:
        return self._file.isatty()

    def fileno(self) -> int:
        return self._file.fileno()

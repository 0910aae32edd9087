"""Layout of the panes: their sizes, which of them are on the screen, and the keys that change both."""

from __future__ import annotations

from textual.widget import Widget

from mqtools.tui.controllers.controller import BrowserScreen, Controller

PANES = ("queues", "messages", "detail")
#: Below _NARROW columns or _LOW lines one pane is shown at a time.
_NARROW, _LOW = 70, 16
#: Least width of the queues pane, and cells by which a key changes it.
_LEAST, _STEP = 24, 4
#: Greatest part of the screen for names and depths, and for further columns.
_NAMES_PART, _COLUMNS_PART = 0.52, 0.36


class PaneLayout(Controller):
    """Arranges the panes. is_zoomed: only the pane with the focus is shown."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self.is_zoomed = False
        self._more = 0  # cells that the queues pane was widened by

    @property
    def is_low(self) -> bool:
        """Whether the terminal has so few lines that a note would hide a dialog."""
        return bool(self.browser.app.size.height < _LOW)

    @property
    def _is_small(self) -> bool:
        return self.browser.app.size.width < _NARROW or self.is_low

    @property
    def is_single(self) -> bool:
        return self.is_zoomed or self._is_small

    def pane(self, name: str) -> Widget:
        """Return a pane by its name, of PANES."""
        browser = self.browser
        return {"queues": browser.queues, "messages": browser.messages, "detail": browser.detail}[name]

    def arrange(self) -> None:
        browser, is_single = self.browser, self.is_single
        for name in PANES:
            pane = self.pane(name)
            pane.display = not is_single or browser.pane == name
            pane.set_class(self._is_small, "-small")
        browser.right.display = not is_single or browser.pane != "queues"
        self.fit_queues()
        browser.past.arrange()
        browser.queues.refresh()
        browser.messages.draw()

    def fit_queues(self) -> None:
        """Make the queues pane as wide as the names need, and as a key has changed that, within limits."""
        self.browser.queues.styles.width = "1fr" if self.is_single else self._natural_width + self._more

    @property
    def _natural_width(self) -> int:
        width, queues = self.browser.app.size.width, self.browser.queues
        return max(_LEAST, min(int(width * _NAMES_PART), queues.width_for(int(width * _COLUMNS_PART))))

    def resize_queues(self, by: int) -> None:
        """Widen or narrow the queues pane. by: 1 or -1."""
        natural, most = self._natural_width, self.browser.app.size.width - _LEAST
        self._more = max(_LEAST, min(most, natural + self._more + by * _STEP)) - natural
        self.fit_queues()
        if self.is_single:
            self.browser.say("only one pane is shown")

    def zoom(self) -> None:
        """Show only the pane with the focus, or all of them again."""
        self.is_zoomed = not self.is_zoomed
        self.arrange()
        self.browser.show_status()

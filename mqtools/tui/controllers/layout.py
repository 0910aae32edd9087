"""Layout of the panes: their sizes, which of them are on the screen, and the keys that change both."""

from __future__ import annotations

from textual.widget import Widget

from mqtools.tui.controllers.controller import BrowserScreen, Controller
from mqtools.tui.display.tabs import HEX

PANES = ("queues", "messages", "detail")
#: Below _NARROW columns or _LOW lines one pane is shown at a time.
_NARROW, _LOW = 70, 16
#: Least width of the queues pane, with the focus and without, and cells of a change by key.
_LEAST, _LEAST_ELSEWHERE, _STEP = 24, 16, 4
#: Greatest part of the screen for names and depths, and for further columns; and for both without the focus.
_NAMES_PART, _COLUMNS_PART, _ELSEWHERE_PART = 0.52, 0.62, 0.27
#: Below this width a message with the focus takes the place of the queues as well.
_WITH_QUEUES = 100
#: Least width of the detail next to the list, and with 16 bytes a line of hex; and least height of either pane.
_BESIDE, _BESIDE_HEX, _LEAST_HEIGHT = 60, 92, 5
#: Part of the height that a message with the focus may have.
_FOCUSED_PART = 0.7


class PaneLayout(Controller):
    """Arranges the panes. is_zoomed: only the pane with the focus is shown."""

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self.is_zoomed = False
        self._more = 0  # cells that the queues pane was widened by
        self._detail_lines: tuple[str, int] = ("", 0)  # queue, and most lines that a message of it had
        self._hex_on: str | None = None  # queue whose message was shown in hex

    @property
    def _is_small(self) -> bool:
        size = self.browser.app.size
        return size.width < _NARROW or size.height < _LOW

    @property
    def is_single(self) -> bool:
        return self.is_zoomed or self._is_small

    def pane(self, name: str) -> Widget:
        """Return a pane by its name, of PANES."""
        browser = self.browser
        return {"queues": browser.queues, "messages": browser.messages, "detail": browser.detail}[name]

    def arrange(self) -> None:
        browser, is_single = self.browser, self.is_single
        has_queues = browser.app.size.width >= _WITH_QUEUES or browser.pane != "detail"
        for name in PANES:
            pane = self.pane(name)
            pane.display = browser.pane == name if is_single else name != "queues" or has_queues
            pane.set_class(self._is_small, "-small")
        browser.right.display = not is_single or browser.pane != "queues"
        self.fit_queues()
        self.split()
        browser.past.arrange()
        browser.queues.refresh()
        browser.messages.draw()

    def fit_queues(self) -> None:
        """Make the queues pane as wide as the names need, and as a key has changed that, within limits."""
        self.browser.queues.styles.width = "1fr" if self.is_single else self._natural_width + self._more

    @property
    def _natural_width(self) -> int:
        width, queues = self.browser.app.size.width, self.browser.queues
        if self.browser.pane == "queues":
            return max(_LEAST, min(int(width * _NAMES_PART), queues.width_for(int(width * _COLUMNS_PART))))
        limit = int(width * _ELSEWHERE_PART)
        return max(_LEAST_ELSEWHERE, min(limit, queues.width_for(limit)))

    def split(self) -> None:
        """Divide the room between list and message: side by side when wide, else by what they contain."""
        browser = self.browser
        messages, detail = browser.messages.styles, browser.detail.styles
        width = browser.app.size.width - (self._natural_width + self._more if browser.queues.display else 0)
        beside = self._least_beside
        is_beside = not self.is_single and width >= _BESIDE + beside
        browser.right.set_class(is_beside, "-beside")
        height = browser.right.size.height
        if is_beside or self.is_single or height < 2 * _LEAST_HEIGHT:
            detail.width = messages.height = detail.height = "1fr"
            messages.width = min(width // 2, width - beside) if is_beside else "1fr"
            return
        messages.width = detail.width = "1fr"
        frame = 2
        rows = browser.messages.total + 1 + frame
        lines = self._most_lines() + frame
        if browser.pane == "detail":
            least = min(rows, max(_LEAST_HEIGHT, height - int(height * _FOCUSED_PART)))
        else:
            least = min(rows, max(_LEAST_HEIGHT, height // 2))
        list_height = max(_LEAST_HEIGHT, least, min(rows, height - lines))
        messages.height, detail.height = min(list_height, height - _LEAST_HEIGHT), "1fr"

    @property
    def _least_beside(self) -> int:
        """Return the least width of the detail next to the list; it stays for all messages of the queue."""
        browser = self.browser
        if browser.detail.detail is not None and browser.detail.detail.tab == HEX:
            self._hex_on = browser.messages.q_name
        return _BESIDE_HEX if self._hex_on == browser.messages.q_name else _BESIDE

    def _most_lines(self) -> int:
        """Return the most lines that a message of the queue had: a pane that shrinks with each message is no help."""
        browser, (q_name, most) = self.browser, self._detail_lines
        lines = browser.detail.line_count
        most = max(most, lines) if q_name == browser.messages.q_name else lines
        self._detail_lines = browser.messages.q_name, most
        return most

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

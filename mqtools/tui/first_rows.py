"""First drawing of the screen, with the first rows in it, and the start of what was put off until then."""

from __future__ import annotations

import gc

from mqtools.tui.controllers.by_name import import_the_rest
from mqtools.tui.controllers.controller import BrowserScreen, Controller

#: Longest time for which nothing is drawn, and only what the first rows need is imported (seconds).
_BLANK_S, _PATIENCE_S = 0.2, 1.0


class FirstRows(Controller):
    """Draws the screen for the first time with the first rows in it, and does then what was put off.

    may_draw: whether the screen is drawn; before, it is only laid out, in four steps of which each would draw it.
    are_drawn: whether the rows are on the screen, or are late.
    """

    def __init__(self, browser: BrowserScreen) -> None:
        super().__init__(browser)
        self.may_draw = self.are_drawn = False

    def begin(self) -> None:
        """Wait for the rows, for a limited time."""
        self.browser.set_timer(_BLANK_S, self._draw)
        self.browser.set_timer(_PATIENCE_S, self._go_on)

    def draw(self) -> None:
        """Draw the rows, or that there are none."""
        self._draw()
        self.browser.call_after_refresh(self._go_on)

    def _draw(self) -> None:
        if not self.may_draw:
            self.may_draw = True
            self.browser.draw_now()
            self.browser.call_after_refresh(self.browser.mount_lines)

    def _go_on(self) -> None:
        if not self.are_drawn:
            self.are_drawn = True
            self.browser.show_current()
            import_the_rest(self._imported)

    def _imported(self) -> None:
        if not gc.isenabled():
            gc.freeze()  # what is imported stays: it need not be looked through
            gc.enable()
        self.browser.session.deliver(self.browser.session.start_writer)

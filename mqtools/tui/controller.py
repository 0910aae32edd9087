"""Base of the controllers: what belongs to one subject of the browser, with its own state."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.tui.browser import Browser


class Controller:
    """Handles the keys of one subject. browser: the screen, whose panes it reads and changes."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

"""The help: keys and signs, narrowed while words are typed."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from mqtools.tui.dialogs.standard import TextDialog
from mqtools.tui.display.fuzzy import match_cost
from mqtools.tui.help import HelpEntry, help_lines, side_by_side
from mqtools.tui.panes.table_view import FAR

#: Cells of the dialog that are not text.
_FRAME = 6
#: Beginning of a search in other panes, which may also be the key that is searched.
_SLASH = "/"


class HelpDialog(TextDialog):
    """Help that can be searched: by words, synonyms, or the name of a key."""

    BINDINGS = [
        Binding("escape,f1", "finish", "back"),
        Binding("home", f"move({-FAR})", show=False, priority=True),
        Binding("end", f"move({FAR})", show=False, priority=True),
    ]
    AUTO_FOCUS = "#line"

    def __init__(self, entries: Sequence[HelpEntry], width: int) -> None:
        """width: cells of the screen that the dialog may have."""
        self._entries = entries
        self._room = width - _FRAME
        lines = self._lines_of(entries)
        super().__init__("Keys · type to search   up, down, home, end: scroll", lines, is_wide=True)

    def _lines_of(self, entries: Sequence[HelpEntry]) -> list[str]:
        return side_by_side(list(help_lines(entries)), self._room) or ["no match"]

    def widgets(self) -> ComposeResult:
        yield Input(id="line", compact=True)
        yield from super().widgets()

    def on_input_changed(self, event: Input.Changed) -> None:
        typed = event.value.strip()
        found = [one for one in self._entries if typed in one.sign.split()] if typed else list(self._entries)
        words = typed.removeprefix(_SLASH)
        self.show_lines(self._lines_of([*found, *(one for one in self._matches(words) if one not in found)]))

    def _matches(self, words: str) -> list[HelpEntry]:
        """Return the entries that match words, those with similar words where there are none."""
        for has_typos in (False, True):
            found = [
                one
                for one in self._entries
                if match_cost(words, f"{one.words} {one.group}", one.synonyms, has_typos=has_typos) is not None
            ]
            if found or not words:
                return found
        return []

    def on_input_submitted(self) -> None:
        self.finish()

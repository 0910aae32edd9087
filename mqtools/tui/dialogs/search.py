"""Search dialog: a list of entries, the nearest first while words are typed; the command palette and the themes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from mqtools.formats.terminal import visible
from mqtools.tui.dialogs.standard import Dialog
from mqtools.tui.display.fuzzy import match_cost

#: Most entries that are listed at a time.
_MOST = 200
_NO_MATCH = "no match"


@dataclass(frozen=True, slots=True)
class SearchItem:
    """An entry to choose.

    value: the answer.  words: searched and shown.  note: shown before them, such as keys.  synonyms: searched only.
    """

    value: Any
    words: str
    note: str = ""
    synonyms: str = ""


class SearchDialog(Dialog[Any]):
    """Choice of one of many entries. An empty answer cancels.

    Textual's own palette gathers its commands in a worker, which fails when the palette is closed meanwhile.
    changed: takes the value of the entry under the cursor, and an empty text when the dialog is cancelled.
    first: value of the entry that the cursor is on at first.  last: returns an entry for typed words, the last one.
    """

    BINDINGS = [
        Binding("escape", "cancel", "cancel"),
        Binding("down,ctrl+n", "move('cursor_down')", show=False),
        Binding("up,ctrl+p", "move('cursor_up')", show=False),
        Binding("pagedown", "move('page_down')", show=False),
        Binding("pageup", "move('page_up')", show=False),
    ]
    AUTO_FOCUS = "#line"

    box = "dialog reading"

    def __init__(
        self,
        title: str,
        entries: Sequence[SearchItem],
        *,
        changed: Callable[[Any], None] | None = None,
        first: Any = "",
        last: Callable[[str], SearchItem] | None = None,
    ) -> None:
        super().__init__(title, "words: search   up, down: choose   enter: do it   esc: cancel")
        self._entries = list(entries)
        self._changed = changed
        self._first = first
        self._last = last
        self._found = self._entries[:_MOST]
        self._note_width = max((len(entry.note) for entry in entries), default=0)

    def widgets(self) -> ComposeResult:
        yield Input(id="line", compact=True)
        yield OptionList(*self._options())

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        values = [entry.value for entry in self._found]
        self.query_one(OptionList).highlighted = values.index(self._first) if self._first in values else 0

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._changed is not None and self._found:
            self._changed(self._found[event.option_index].value)

    def action_cancel(self) -> None:
        if self._changed is not None:
            self._changed("")
        self.finish()

    def _options(self) -> list[Option]:
        lines = [visible(f"{entry.note:{self._note_width}}  {entry.words}") for entry in self._found]
        return [Option(Text(line)) for line in lines]

    def add(self, entries: Sequence[SearchItem]) -> None:
        """Add entries behind the others; the cursor stays."""
        self._entries += entries
        if self.is_mounted and self.is_current:  # not while it is being removed
            options = self.query_one(OptionList)
            place = options.highlighted
            self._search(self.query_one(Input).value)
            options.highlighted = place or 0

    def on_input_changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    def _search(self, typed: str) -> None:
        """List the entries that match, the nearest first."""
        found = _matches(typed, self._entries) or _matches(typed, self._entries[:_MOST], has_typos=True)
        self._found = [entry for _, entry in sorted(found, key=lambda one: one[0])][:_MOST]
        if self._last is not None and typed.strip():
            last = self._last(typed.strip())
            self._found.append(last if self._found else replace(last, note=_NO_MATCH))
        options = self.query_one(OptionList).clear_options()
        options.add_options(self._options() or [Option(_NO_MATCH, disabled=True)]).highlighted = 0

    def on_input_submitted(self) -> None:
        place = self.query_one(OptionList).highlighted
        if place is not None and self._found:
            self.finish(self._found[place].value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.finish(self._found[event.option_index].value)

    def action_move(self, how: str) -> None:
        """Move the cursor of the list. how: name of its action."""
        getattr(self.query_one(OptionList), f"action_{how}")()


def _matches(typed: str, entries: Sequence[SearchItem], *, has_typos: bool = False) -> list[tuple[int, SearchItem]]:
    costs = [(match_cost(typed, one.words, one.synonyms, has_typos=has_typos), one) for one in entries]
    return [(cost, one) for cost, one in costs if cost is not None]

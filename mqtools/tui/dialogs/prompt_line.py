"""Prompt line: one line of input at the bottom of the screen, with the lines that were entered before."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from mqtools.tui.dialogs.standard import Dialog, make_literal

#: Most lines that are remembered.
_REMEMBERED = 50
#: Behind the input, and in front of it where the title leaves it less than a number of cells.
_KEYS, _SHORT, _LEAST_INPUT = " enter: apply  up: before  esc: cancel", "/", 16


class PromptLine(Dialog[str]):
    """Input at the bottom; an empty line answers with ``empty``, escape with an empty text.

    history: lines that were entered, the newest last, each once; up and down go through them.  changed: takes the text
    at each change, and the first one again at escape.  hint: shown while the line is empty.
    """

    BINDINGS = [
        Binding("escape", "cancel", "cancel"),
        Binding("up", "recall(-1)", show=False),
        Binding("down", "recall(1)", show=False),
    ]
    AUTO_FOCUS = "#line"
    box = ""

    def __init__(
        self,
        title: str,
        history: list[str],
        *,
        value: str = "",
        empty: str = "",
        changed: Callable[[str], None] | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(title)
        self._history = history
        self._value = value
        self._empty = empty
        self._changed = changed
        self._hint = hint
        self._place = len(history)

    def compose(self) -> ComposeResult:
        room = self.app.size.width - _LEAST_INPUT - len(self._title) - 1
        with Vertical(classes="dialog prompt"):
            yield Static("", classes="refusal", markup=False)
            with Horizontal(classes="entry"):
                yield make_literal(f"{self._title if room >= 0 else _SHORT} ")
                yield Input(self._value, placeholder=self._hint, id="line", compact=True)
                if room >= len(_KEYS):
                    yield make_literal(_KEYS)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.remove_class("-refused")
        if self._changed is not None and self.is_current:
            self._changed(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        line = event.value.strip()
        if line:
            self._history[:] = [*(one for one in self._history if one != line), line][-_REMEMBERED:]
            self.submit(line)
        else:
            self.finish(self._empty)

    def action_recall(self, by: int) -> None:
        lines = self._history
        self._place = max(0, min(len(lines), self._place + by))
        line = self.query_one(Input)
        line.value = lines[self._place] if self._place < len(lines) else ""
        line.cursor_position = len(line.value)

    def action_cancel(self) -> None:
        if self._changed is not None:
            self._changed(self._value)
        self.finish("")

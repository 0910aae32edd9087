"""Dialogs: confirmation, text input, choices, forms, text to read.

Their texts may hold names and data of messages: they are made visible and shown without markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Label, OptionList, Select, Static, TextArea
from textual.widgets.option_list import Option

from mqtools.formats.terminal import visible
from mqtools.tui.help import format_keys
from mqtools.tui.keymap import BY_ID
from mqtools.tui.panes.lines import LinesView
from mqtools.tui.panes.table_view import MOVES

Answer = TypeVar("Answer")

Fields = dict[str, str]
#: Takes what was entered, and what takes its result: the answer, or the error that refuses the entry.
Check: TypeAlias = Callable[[Any, Callable[[Any], None]], None]


#: Lines of a page of a text.
_PAGE = 10


def make_literal(text: str) -> Static:
    """Return a widget that shows a text without markup."""
    return Static(visible(text, "\n"), markup=False)


class Dialog(ModalScreen[Answer]):
    """A dialog: title, widgets, and the keys. It has the class ``-low`` on a terminal with few lines.

    box: classes of the box around them; empty for none, where notifications stay.  told: the last of those that are
    hidden, for the lower border.  check: of what is entered; None for no check.  closed_late: called when the dialog
    closes later than its last key.
    """

    box = "dialog"
    told = ""

    check: Check | None = None
    closed_late: Callable[[], None] | None = None

    BINDINGS = [Binding(BY_ID["suspend"].keys, "app.suspend_process", id="suspend", show=False)]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]

    CSS_PATH = Path(__file__).with_name("dialogs.tcss")
    _is_checking = _is_late = False

    def __init__(self, title: str = "", keys: str = "") -> None:
        super().__init__()
        self._title = title
        self._keys = keys
        self._more = Static(markup=False)
        self._more.display = False

    def compose(self) -> ComposeResult:
        with Vertical(classes=self.box):
            yield make_literal(self._title)
            yield self._more
            yield from self.widgets()
            if self._keys:
                yield make_literal(self._keys)

    def widgets(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.tell(self.told)

    def show_more(self, lines: Sequence[str]) -> None:
        """Show lines below the title, also before the dialog is shown. lines: made visible."""
        self._more.display = bool(lines)
        self._more.update("\n".join(lines))

    def submit(self, entry: Any) -> None:
        """Close the dialog with an entry once it is checked; a refused one stays, with the reason."""
        if self.check is None:
            self.finish(entry)
        elif not self._is_checking:
            self._is_checking, self._is_late = True, False
            self.check(entry, self._take)
            self._is_late = True

    def _take(self, value: Any) -> None:
        self._is_checking = False
        if not isinstance(value, Exception):
            if self._is_late and self.closed_late is not None:
                self.closed_late()
            self.finish(value)
        elif self.is_attached:
            hint = getattr(value, "hint", None)
            self.query_one(".refusal", Static).update(visible(f"{value} ({hint})" if hint else str(value), "\n"))
            self.add_class("-refused")

    def finish(self, answer: Answer | None = None) -> None:
        """Close the dialog with an answer, once: keys that follow too fast may request it again."""
        if self.is_current:
            self.dismiss(answer)

    def action_finish(self) -> None:
        self.finish()

    def tell(self, text: str) -> bool:
        """Show a notification in the lower border; return whether there is one, and it is on the screen."""
        boxes = [box for box in self.query(".dialog") if box.styles.border_bottom[0]]
        for box in boxes:
            box.border_subtitle = Text(" ".join(text.split()))
        return bool(boxes)


class ConfirmDialog(Dialog[bool]):
    """Confirmation of a change: True, or cancelled, which is the default."""

    BINDINGS = [Binding("y", "answer(True)", "yes"), Binding("n,escape,enter", "answer(False)", "no")]
    AUTO_FOCUS = "#no"

    def __init__(self, question: str, yes: str, *, is_loss: bool = False) -> None:
        """is_loss: what is confirmed loses messages; only then is its name red."""
        super().__init__(question)
        self._yes = yes
        self._is_loss = is_loss

    def widgets(self) -> ComposeResult:
        with Horizontal(classes="buttons"):
            yield Button(f"{self._yes} (y)", id="yes", classes="-loss" if self._is_loss else "")
            yield Button("Cancel (n)", id="no", variant="primary")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.finish(event.button.id == "yes" or None)

    def action_answer(self, answer: bool) -> None:
        self.finish(answer or None)


class InputDialog(Dialog[str]):
    """Input of a line; an empty answer cancels.

    suggestions: completions.  consequence: what would follow from the line, in words.
    """

    BINDINGS = [Binding("escape", "finish", "cancel")]

    def __init__(
        self,
        title: str,
        *,
        value: str = "",
        suggestions: Sequence[str] = (),
        consequence: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(title, f"enter: do it   {'tab or right: complete   ' if suggestions else ''}esc: cancel")
        self._consequence = consequence
        self._value = value
        self._suggestions = suggestions

    def widgets(self) -> ComposeResult:
        yield Input(self._value, suggester=SuggestFromList(self._suggestions, case_sensitive=False), id="line")
        if self._consequence is not None:
            yield Static("", classes="note", markup=False)
        yield Static("", classes="refusal", markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.remove_class("-refused")
        if self._consequence is not None:
            self.query_one(".note", Static).update(visible(self._consequence(event.value.strip()), "\n"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        line = event.value.strip()
        if line:
            self.submit(line)
        else:
            self.finish()

    def key_tab(self) -> None:
        """Complete the input to the first suggestion with that beginning."""
        line = self.query_one(Input)
        found = [name for name in self._suggestions if name.casefold().startswith(line.value.casefold())]
        if line.value and found:
            line.value = found[0]
            line.cursor_position = len(found[0])


class ChoiceDialog(Dialog[Any]):
    """Choice of one: by cursor and enter, by mouse, or by its letter. choices: letter, value and words of each."""

    BINDINGS = [Binding("escape", "finish", "cancel")]

    def __init__(self, title: str, choices: Sequence[tuple[str, Any, str]]) -> None:
        super().__init__(title, "enter or its letter: do it   esc: cancel")
        self._choices = choices

    def widgets(self) -> ComposeResult:
        yield OptionList(*(Option(Text(f"{letter}  {visible(words)}")) for letter, _, words in self._choices))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.finish(self._choices[event.option_index][1])

    def on_key(self, event: Any) -> None:
        for letter, value, _ in self._choices:
            if event.character == letter:
                event.stop()
                self.finish(value)
                return


class MultiChoiceDialog(Dialog["list[str] | None"]):
    """Choice of several: space or the mouse toggles one. choices: value and words of each.

    chosen: the initial values.  usual: the defaults, restored by a key.
    """

    BINDINGS = [
        Binding("enter", "take", "take them", priority=True),
        Binding("space", "change", "in or out"),
        Binding("u", "usual", "the usual ones"),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
        Binding("escape,q", "finish", "back"),
    ]

    def __init__(
        self, title: str, choices: Sequence[tuple[str, str]], chosen: Sequence[str], usual: Sequence[str]
    ) -> None:
        super().__init__(title, "space: toggle   u: defaults   enter: apply   esc: cancel")
        self._choices = choices
        self._usual = usual
        self._chosen = set(chosen)

    def widgets(self) -> ComposeResult:
        yield OptionList(*[Option(self._line(value, words)) for value, words in self._choices])

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def _line(self, value: str, words: str) -> Text:
        return Text(f"[{'x' if value in self._chosen else ' '}] {visible(words)}")

    def _refresh(self) -> None:
        options = self.query_one(OptionList)
        for place, (value, words) in enumerate(self._choices):
            options.replace_option_prompt_at_index(place, self._line(value, words))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._change(event.option_index)

    def action_change(self) -> None:
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._change(place)

    def _change(self, place: int) -> None:
        self._chosen ^= {self._choices[place][0]}
        self._refresh()

    def action_usual(self) -> None:
        self._chosen = set(self._usual)
        self._refresh()

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_take(self) -> None:
        self.finish([value for value, _ in self._choices if value in self._chosen])


class FormDialog(Dialog["Fields | None"]):
    """Form of named fields and a body.

    fields: name, words and value of each; the body is the field ``data``.  choices: field -> its values, each with its
    words, where there are few.
    """

    BINDINGS = [Binding("ctrl+s", "submit", "do it"), Binding("escape", "cancel", "cancel")]

    box = "dialog form"

    def __init__(
        self,
        title: str,
        fields: Sequence[tuple[str, str, str]],
        choices: Mapping[str, Sequence[tuple[str, str]]] = MappingProxyType({}),
    ) -> None:
        super().__init__(title, "ctrl+s: do it   tab: next field   esc: cancel")
        self._fields = fields
        self._choices = choices
        empty = [name for name, _, value in fields if not value and name == "queue"]
        self.AUTO_FOCUS = f"#field-{empty[0]}" if empty else "#field-data"  # type: ignore[misc]

    def widgets(self) -> ComposeResult:
        with VerticalScroll():
            for name, words, value in self._fields:
                with Horizontal(classes="field"):
                    yield Label(words, markup=False)
                    yield self._control(name, value)
            body = TextArea(id="field-data")
            body.border_title = "data"
            yield body
        yield Static("", classes="refusal", markup=False)

    def _control(self, name: str, value: str) -> Input | Select[str]:
        if name not in self._choices:
            return Input(value, id=f"field-{name}", compact=True)
        options = [(words, one) for one, words in self._choices[name]]
        return Select(options, value=value, allow_blank=False, id=f"field-{name}", compact=True)

    def on_mount(self) -> None:
        self._first = self._values

    def action_cancel(self) -> None:
        """Cancel; ask first when something was entered."""
        if self._values == self._first:
            self.finish()
        else:
            self.app.push_screen(
                ConfirmDialog("Discard what was entered?", "Discard"), lambda yes: self.finish() if yes else None
            )

    def action_submit(self) -> None:
        self.submit(self._values)

    @property
    def _values(self) -> Fields:
        controls = {name: self.query_one(f"#field-{name}") for name, _, _ in self._fields}
        values = {name: str(one.value).strip() for name, one in controls.items() if isinstance(one, Input | Select)}
        values["data"] = self.query_one("#field-data", TextArea).text
        return values


class TextDialog(Dialog[bool]):
    """Text to read.

    is_wide: as wide as the screen.  key: keys that close it with True, empty for none.  does: what they do.
    """

    BINDINGS = [
        *MOVES,
        Binding("escape,q,enter", "finish", "back"),
        Binding("space", "page(1)", show=False),
    ]

    def __init__(
        self, title: str, lines: Sequence[str], *, is_wide: bool = False, key: str = "", does: str = ""
    ) -> None:
        super().__init__(title, f"{format_keys(key)}: {does}   esc: back" if key else "esc: back")
        self._key = [one.strip() for one in key.split(",")]
        self.box = "dialog reading -wide" if is_wide else "dialog reading"
        self._lines = lines
        self._view = LinesView(id="reading", at_words=True)

    def widgets(self) -> ComposeResult:
        yield self._view

    def on_mount(self) -> None:
        self.show_lines(self._lines)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Replace the text."""
        self._view.show([visible(line) for line in lines])
        self._view.refresh(layout=True)

    def on_key(self, event: events.Key) -> None:
        if event.key in self._key:
            event.stop()
            self.finish(True)

    def action_move(self, by: int) -> None:
        self._view.move(by)

    def action_page(self, by: int) -> None:
        self._view.move(by * _PAGE)

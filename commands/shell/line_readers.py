"""Readers of the lines typed in ``mqx shell``: with prompt_toolkit where it is installed, with readline otherwise.

A reader takes the prompt, returns a line, and appends it to the history. It raises EOFError and KeyboardInterrupt as
``input`` does.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator

from click.shell_completion import CompletionItem, ShellComplete

from .._cli import mqx
from ..completion import VARIABLE, add_completion
from .history import History


def prompt_reader(history: History) -> Callable[[str], str] | None:
    """Return a reader with a menu of completions and suggestions from the history; None without prompt_toolkit."""
    try:
        import prompt_toolkit as toolkit
    except ImportError:
        return None

    class LineCompleter(toolkit.completion.Completer):  # type: ignore[misc]
        """Completions with the help of each."""

        def get_completions(self, document: object, event: object) -> Iterator[toolkit.completion.Completion]:  # noqa: ARG002
            before, word = _split(document.text_before_cursor)  # type: ignore[attr-defined]
            for item in complete(before, word):
                yield toolkit.completion.Completion(
                    f"{item.value} ", -len(word), display=item.value, display_meta=item.help or ""
                )

    session = toolkit.PromptSession(
        history=toolkit.history.InMemoryHistory(history.lines),
        completer=LineCompleter(),
        auto_suggest=toolkit.auto_suggest.AutoSuggestFromHistory(),
        complete_while_typing=False,
        enable_system_prompt=False,
    )

    def read(prompt: str) -> str:
        line: str = session.prompt(prompt)
        history.append(line)
        return line

    return read


def readline_reader(history: History) -> Callable[[str], str]:
    """Return a reader with completion and history by readline."""
    import readline

    found: list[str] = []

    def find(text: str, state: int) -> str | None:
        """Return the completion of that number, as readline asks for it; None after the last one."""
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            found[:] = [f"{item.value} " for item in complete(before, text)]
        return found[state] if state < len(found) else None

    readline.clear_history()
    for line in history.lines:
        readline.add_history(line)
    readline.set_auto_history(False)
    readline.set_completer(find)
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")

    def read(prompt: str) -> str:
        line = input(prompt)
        if history.append(line):
            readline.add_history(line)
        return line

    return read


def _split(line: str) -> tuple[str, str]:
    """Return a line up to its last word, and that word."""
    word = "" if line[-1:].isspace() else (line.split() or [""])[-1]
    return line[: len(line) - len(word)], word


def complete(before: str, word: str) -> list[CompletionItem]:
    """Return the candidates for an unfinished word. before: the line up to it."""
    try:
        words = shlex.split(before)
    except ValueError:
        return []  # within quotes
    if words[:1] == ["mqx"]:
        words = words[1:]
    add_completion(mqx)
    # Commands that are loaded meanwhile get completion of their values; the values read what is on the line.
    os.environ.update({VARIABLE: "shell", "COMP_WORDS": f"mqx {before}"})
    try:
        items = ShellComplete(mqx, {}, "mqx", VARIABLE).get_completions(words, word)
    finally:
        del os.environ[VARIABLE], os.environ["COMP_WORDS"]
    return [item for item in items if item.type == "plain"]

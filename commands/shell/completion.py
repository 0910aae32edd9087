"""Completion of a line of ``mqx shell``, by the engine that completes command lines in shells."""

from __future__ import annotations

import os
import shlex

from click.shell_completion import CompletionItem, ShellComplete

from .._cli import mqx
from ..completion import VARIABLE, add_completion


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

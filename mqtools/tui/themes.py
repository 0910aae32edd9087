"""Themes of the browser, and the one for terminals with few colours or none."""

from __future__ import annotations

import curses
import os
import sys
from dataclasses import replace

from rich.console import Console
from textual.theme import BUILTIN_THEMES, Theme

#: Variable of a theme that holds the number of the terminal's colours, where it uses those.
COLOURS = "terminal-colours"

DARK = Theme(
    name="mqx-dark",
    primary="#3b7dd8",
    secondary="#2a5d9f",
    accent="#56c7bd",
    warning="#e5b454",
    error="#f0717c",
    success="#7fcb8f",
    foreground="#d9dee7",
    background="#121416",
    surface="#121416",
    panel="#23262a",
    dark=True,
)
LIGHT = Theme(
    name="mqx-light",
    primary="#4a86cf",
    secondary="#2f5f9e",
    accent="#0a766d",
    warning="#8f5f00",
    error="#b3243a",
    success="#2b7440",
    foreground="#1d2732",
    background="#fbfaf6",
    surface="#fbfaf6",
    panel="#e6eaee",
    dark=False,
)


def _terminal_theme(number: int) -> Theme:
    """Return the theme of the terminal's own colours. number: of them, 0 for none."""
    known, bright = BUILTIN_THEMES["ansi-dark"], "bright_" if number == 16 else ""
    variables = {**known.variables, COLOURS: str(number), "border-blurred": "ansi_default"}
    return replace(known, name=f"terminal-{number}", accent="ansi_cyan", error=f"ansi_{bright}red", variables=variables)


#: Number of colours -> theme.
OF_TERMINAL = {number: _terminal_theme(number) for number in (16, 8, 0)}
#: Themes to choose from.
CHOICES = (DARK.name, LIGHT.name, "nord", "gruvbox", "solarized-light")


def few_colours() -> int | None:
    """Return the number of colours of this terminal when it is at most 16, 0 for none; else None."""
    if os.environ.get("NO_COLOR"):
        return 0
    system = Console(file=sys.__stderr__, force_terminal=True).color_system
    if system is None:
        return 0
    if system != "standard":
        return None
    if os.environ.get("TERM", "").endswith("16color"):
        return 16
    try:
        curses.setupterm(fd=2)
    except curses.error:
        return 16
    number = curses.tigetnum("colors")
    return 16 if number >= 16 else 8 if number >= 8 else 0

"""ASCII forms of the characters that the browser draws with, for terminals that cannot show them."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable

from rich.cells import cell_len

#: Environment variable that asks for ASCII forms.
VARIABLE = "MQX_ASCII"
_LINES = {
    "|": "│┃▐▎▏▍▋▊▉",
    "-": "─━┄▃▄",
    "+": "╭╮╰╯┏┓┗┛",
    "#": "█▇",
    "=": "▆▅",
    ".": "▁▂░·",
    ">": "▌→",
    "<": "←",
    "^": "▲↑▔",
    "v": "↓▼",
    "x": "×",
    "~": "…",  # a dot would look like a part of a name
}
#: Signs that the fonts of consoles lack.
_SIGNS = {
    "@": "✉",
    "&": "⚿",
    "%": "◐",
    "x": "⊘✗",
    ">": "⇥↷›",
    "<": "⇤◴↶‹",
    "*": "●",
    "o": "○⟳↻◇",
    "=": "‖⧉",
    "e": "✎",
    "0": "∅",
    "+": "▸",
    "-": "▾",
}


def _table(*forms: dict[str, str]) -> dict[int, str]:
    return {ord(sign): form for some in forms for form, signs in some.items() for sign in signs}


_FOR_CONSOLES = _table(_SIGNS)
_FOR_ALL = {0x2800: " ", **dict.fromkeys(range(0x2801, 0x2900), ":"), **_table(_LINES, _SIGNS)}  # with braille


def translation(encoding: str) -> Callable[[str], str] | None:
    """Return what replaces characters in the output to a terminal; None where it shows all. encoding: of the output."""
    if os.environ.get(VARIABLE):
        return lambda text: _encodable(text.translate(_FOR_ALL), "ascii")
    if codecs.lookup(encoding).name != "utf-8":
        return lambda text: _encodable(text.translate(_FOR_ALL), encoding)
    return (lambda text: text.translate(_FOR_CONSOLES)) if os.environ.get("TERM") == "linux" else None


def _encodable(text: str, encoding: str) -> str:
    """Return a text in which question marks of the same width replace the characters that an encoding lacks."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        lost = text[error.start : error.end]
        rest = _encodable(text[error.end :], encoding)
        return f"{text[: error.start]}{'?' * cell_len(lost)}{rest}"
    return text

"""Shorter output to a terminal: a style is written as its difference from the one before.

Textual writes each piece of text with its whole style in front and a reset behind.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_STYLE = re.compile(r"\x1b\[([\d;]*)m")
#: Moves of the cursor, on which a style has no effect.
_MOVES = re.compile(r"(?:[\r\n]|\x1b\[\d+;\d+H)*")
#: A colour of the text or of its ground, or another parameter of a style.
_PARAMETER = re.compile(r"(?P<text>38;(?:2;\d+;\d+|5);\d+)|(?P<ground>48;(?:2;\d+;\d+|5);\d+)|(?P<other>\d+)")
#: The last one ends bold and dim.
_RESET, _BOLD, _DIM, _NEITHER = "0", "1", "2", "22"
#: Parameters that draw nothing on a space: bold, dim, italic.
_ON_LETTERS = {_BOLD, _DIM, "3"}


class _Style(NamedTuple):
    """Style in parameters of SGR. other: those that are not a colour of many."""

    other: frozenset[str] = frozenset()
    text: str = ""
    ground: str = ""


_PLAIN = _Style()


def shorten(text: str) -> str:
    """Return an output of Textual that draws the same with fewer bytes.

    Its first change of style is complete: another program may have left the terminal in any style.
    """
    now: _Style | None = None
    wanted = _PLAIN
    pieces = []
    for number, piece in enumerate(_STYLE.split(text)):
        if number % 2:
            wanted = _parse(piece)
        elif piece:
            if wanted != (now or _PLAIN) and not _draws_alike(piece, now, wanted):
                pieces.append(_change(now, wanted))
                now = wanted
            pieces.append(piece)
    return "".join(pieces if now in (None, _PLAIN) else [*pieces, _change(now, _PLAIN)])


def _draws_alike(piece: str, now: _Style | None, wanted: _Style) -> bool:
    """Return whether a text draws the same in two styles: moves do, and spaces on the same ground."""
    if _MOVES.fullmatch(piece):
        return True
    is_blank = now is not None and now.ground == wanted.ground and now.other | wanted.other <= _ON_LETTERS
    return is_blank and not piece.strip(" ")


def _parse(parameters: str) -> _Style:
    found: dict[str, list[str]] = {"text": [], "ground": [], "other": []}
    for each in _PARAMETER.finditer(parameters):
        found[each.lastgroup or ""].append(each.group())
    other = frozenset(found["other"]) - {_RESET}
    return _Style(other, "".join(found["text"][-1:]), "".join(found["ground"][-1:]))


def _change(now: _Style | None, wanted: _Style) -> str:
    """Return the sequence that changes a style to another. now: None when it is not known."""
    if now is None or not _can_follow(now, wanted):
        now, parameters = _PLAIN, [""]  # a reset, as "0" is
    else:
        parameters = [_NEITHER] if now.other - wanted.other else []
    parameters += sorted(wanted.other - now.other)
    parameters += [new for old, new in zip(now[1:], wanted[1:], strict=True) if new != old]
    return f"\x1b[{';'.join(parameters)}m"


def _can_follow(now: _Style, wanted: _Style) -> bool:
    """Return whether a style can follow another without a reset."""
    gone = now.other - wanted.other
    ends_only_bold = gone == {_BOLD} and _DIM not in wanted.other
    has_colours = (wanted.text or not now.text) and (wanted.ground or not now.ground)
    return bool((not gone or ends_only_bold) and has_colours)

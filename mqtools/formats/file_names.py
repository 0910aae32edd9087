"""Names of files with places to fill in: ``%n`` and its kind make one file a message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import strftime, struct_time

#: Placeholders that make one file for each message, to the number in their place: of the message on its queue, of the
#: message written, of the file. A capital letter is a number of five digits.
NUMBERS = {"i": "index", "o": "written", "n": "file"}
_DIGITS = 5

#: Place of a date or a time to its form for ``strftime``. Other places that dmpmqmsg knows are not known here.
_TIMES = {
    "H": "%H", "HH": "%H", "h": "%I", "hh": "%I", "M": "%M", "S": "%S", "P": "%p",
    "d": "%d", "dd": "%d", "m": "%m", "mm": "%m", "mmm": "%b", "y": "%y", "yy": "%Y", "j": "%j",
}  # fmt: skip

#: Those of them that are written without a zero in front.
_SHORT = frozenset("Hhdm")

_PLACES = ("n", "N", "i", "I", "o", "O", *_TIMES, "%")
#: A text, a place (the longest that is known), or the beginning of an unknown one.
_PIECE = re.compile(f"([^%]+)|%({'|'.join(sorted(_PLACES, key=len, reverse=True))})|(%.?)", re.DOTALL)


def pieces_of(name: str) -> list[tuple[str, str]]:
    """Split a name into texts (``"", text``) and places (``"%", what``).

    Raises ValueError for a place that is not known; a percent sign is written ``%%``.
    """
    pieces: list[tuple[str, str]] = []
    for text, place, unknown in _PIECE.findall(name):
        if unknown:
            known = ", ".join(f"%{each}" for each in _PLACES)
            raise ValueError(f"{unknown} has no meaning in the name of a file; there are {known}")
        pieces.append(("", text or place) if place in ("", "%") else ("%", place))
    return pieces


def is_numbered(pieces: list[tuple[str, str]]) -> bool:
    """Return whether a name has a place for a number: then each message has its own file."""
    return any(kind == "%" and what.lower() in NUMBERS for kind, what in pieces)


def fill_name(pieces: list[tuple[str, str]], numbers: Mapping[str, int], at: struct_time) -> str:
    """Return the name with its places filled. numbers: by the words of ``NUMBERS``.  at: the instant for dates."""
    words = []
    for kind, what in pieces:
        if not kind:
            words.append(what)
        elif what.lower() in NUMBERS:
            number = numbers[NUMBERS[what.lower()]]
            words.append(f"{number:0{_DIGITS}}" if what.isupper() else str(number))
        else:
            word = strftime(_TIMES[what], at)
            words.append(word.lstrip("0") or "0" if what in _SHORT else word)
    return "".join(words)

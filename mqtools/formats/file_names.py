"""Names of files with places to fill in: ``%n`` and its kind make one file a message."""

from __future__ import annotations

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


def pieces_of(name: str) -> list[tuple[str, str]]:
    """Split a name into texts (``"", text``) and places (``"%", what``).

    Raises ValueError for a place that is not known; a percent sign is written ``%%``.
    """
    pieces: list[tuple[str, str]] = []
    rest = name
    while rest:
        text, percent, rest = rest.partition("%")
        if text:
            pieces.append(("", text))
        if not percent:
            break
        place = _place(rest)
        pieces.append(("", "%") if place == "%" else ("%", place))
        rest = rest[len(place) :]
    return pieces


def _place(rest: str) -> str:
    for length in (3, 2, 1):
        word = rest[:length]
        if word in _TIMES or (length == 1 and (word == "%" or word.lower() in NUMBERS)):
            return word
    known = ", ".join(f"%{word}" for word in ("n", "N", "i", "I", "o", "O", *_TIMES, "%"))
    raise ValueError(f"%{rest[:1]} has no meaning in the name of a file; there are {known}")


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

"""Display options of dumps: the letters of dmpmqmsg's ``-d``, and a readable name for each."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: The forms of data lines: hex, hex with a column of characters, strings of invariant or of printable characters
#: with hex between them, lines of text. The last loses the ends of lines.
HEX, CHARACTERS, INVARIANT, PRINTABLE, TEXT = "hex", "characters", "invariant", "printable", "text"

#: Letter of ``-d`` to its name. At most one of A, p, t; w has a number behind it.
LETTERS = {
    "a": CHARACTERS,
    "A": INVARIANT,
    "c": "application-text",
    "C": "correl-ids",
    "H": "no-header",
    "i": "index",
    "M": "msg-ids",
    "N": "no-descriptor",
    "p": PRINTABLE,
    "s": "summary",
    "t": TEXT,
    "T": "ages",
    "w": "width",
}
_NAMES = frozenset(LETTERS.values())
#: Names of what is shown besides; each is a field of ``Display``.
_ADDED = frozenset(("application-text", "index", "ages", "summary", "msg-ids", "correl-ids"))
_WIDTH = "width"
_LEAST_WIDTH = 10

#: Names that say how the data is written; one is enough.
_FORMS = (INVARIANT, PRINTABLE, TEXT)


@dataclass(frozen=True, slots=True)
class Display:
    """Options of what a dump shows of each message. data: a form of data lines.  width: bytes in a line of hex.

    application_text: ApplIdentityData and ApplOriginData as characters instead of hex.  header, descriptor, index:
    whether there is one.  ages: a list of ages instead of a dump.  summary: numbers of messages by age and size
    instead, with message or correlation identifiers where asked for.
    """

    data: str = HEX
    width: int = 25
    application_text: bool = False
    header: bool = True
    descriptor: bool = True
    index: bool = False
    ages: bool = False
    summary: bool = False
    msg_ids: bool = False
    correl_ids: bool = False


def parse_display(words: tuple[str, ...] | list[str]) -> Display:
    """Read what was given with ``-d``: letters run together (``pw40i``), or names with commas (``printable,index``).

    Raises ValueError with words for the operator.
    """
    names: set[str] = set()
    width = Display().width
    for word in words:
        for name, number in _named(word) or _lettered(word):
            names.add(name)
            width = width if number is None else number
    forms = [form for form in _FORMS if form in names]
    if len(forms) > 1:
        raise ValueError(f"data is written as {forms[0]} or as {forms[1]}, not as both")
    if width < _LEAST_WIDTH:
        raise ValueError(f"width {width}: a line has at least {_LEAST_WIDTH} bytes")
    return Display(
        data=next((form for form in (*_FORMS, CHARACTERS) if form in names), HEX),
        width=width,
        header="no-header" not in names,
        descriptor="no-descriptor" not in names,
        **{name.replace("-", "_"): True for name in names & _ADDED},
    )


def _named(word: str) -> list[tuple[str, int | None]]:
    """Read names; nothing where the word is not made of names."""
    read: list[tuple[str, int | None]] = []
    for part in word.split(","):
        name, equals, number = part.partition("=")
        if name not in _NAMES or bool(equals) != (name == _WIDTH) or (equals and not _is_number(number)):
            return []
        read.append((name, int(number) if equals else None))
    return read


def _lettered(word: str) -> list[tuple[str, int | None]]:
    read: list[tuple[str, int | None]] = []
    for letter, digits in re.findall("(.)((?<=w)[0-9]+)?", word, re.DOTALL):
        name = LETTERS.get(letter)
        if name is None:
            known = ", ".join(f"{letter} {name}" for letter, name in LETTERS.items())
            raise ValueError(f"{word!r}: no letter {letter!r} and no such name; there are {known}")
        if name == _WIDTH and not digits:
            raise ValueError(f"{word!r}: w needs a number of bytes, such as w40")
        read.append((name, int(digits) if digits else None))
    return read


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9

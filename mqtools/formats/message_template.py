"""Templates for messages in the manner of kcat: ``%i %p %s\\n``."""

from __future__ import annotations

from mqtools.formats.message_values import MessageView, value_of
from mqtools.formats.rows import cell_text
from mqtools.formats.terminal import visible, visible_bytes

#: Placeholder to the name of the column that it shows.
PLACEHOLDERS = {
    "q": "queue",
    "Q": "qmgr",
    "i": "msg_id",
    "c": "correl_id",
    "g": "group_id",
    "p": "priority",
    "t": "put_at",
    "a": "age",
    "s": "length",
    "f": "format",
    "r": "reason",
    "d": "destination",
}
#: The placeholder of the whole data.
_BODY = "b"

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}


class Template:
    """A parsed template. parts: literal texts, and placeholders as one character behind ``%``."""

    def __init__(self, parts: list[str]) -> None:
        self._parts = parts

    @property
    def has_body(self) -> bool:
        return f"%{_BODY}" in self._parts

    def render(self, view: MessageView, *, for_terminal: bool) -> bytes:
        """Return the text of one message. The body is exact, or made visible for a terminal."""
        return b"".join(_render(part, view, for_terminal=for_terminal) for part in self._parts)


def parse_template(text: str) -> Template:
    """Parse a template. Raises ValueError for an unknown placeholder or escape."""
    parts: list[str] = []
    rest = iter(text)
    for character in rest:
        if character == "%":
            parts.append(_placeholder(next(rest, "")))
        elif character == "\\":
            parts.append(_escape(next(rest, "")))
        else:
            parts.append(character)
    return Template(parts)


def _placeholder(letter: str) -> str:
    if letter == "%":
        return "%"
    if letter and (letter in PLACEHOLDERS or letter == _BODY):
        return f"%{letter}"
    known = " ".join(f"%{each}" for each in (*PLACEHOLDERS, _BODY, "%"))
    raise ValueError(f"unknown placeholder %{letter}; known: {known}")


def _escape(letter: str) -> str:
    if letter in _ESCAPES and letter:
        return _ESCAPES[letter]
    known = " ".join(f"\\{each}" for each in _ESCAPES)
    raise ValueError(f"unknown escape \\{letter}; known: {known}")


def _render(part: str, view: MessageView, *, for_terminal: bool) -> bytes:
    if len(part) == 1:
        return part.encode("utf-8", "surrogateescape")
    if part == f"%{_BODY}":
        md = view.message.md
        if not for_terminal:
            return view.message.data
        return visible_bytes(view.message.data, md.coded_char_set_id, md.encoding, keep="\n\t").encode()
    return visible(cell_text(value_of(view, PLACEHOLDERS[part[1]]))).encode("utf-8", "surrogatepass")

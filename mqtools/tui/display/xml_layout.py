"""Indented layout of XML, one element per line. No external resource is read, and no entity is expanded."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from xml.parsers import expat

from mqtools.tui.display.tabs import NotLaidOut

_INDENT = "  "
#: Characters that are parsed at a time.
_STEP = 16_384


def lay_out(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of an XML document, each with how far the text has been read.

    Raises ValueError for text that is not XML; NotLaidOut: it defines entities.
    """
    layout = _Layout()
    parser = expat.ParserCreate()
    parser.StartElementHandler = layout.start
    parser.EndElementHandler = layout.end
    parser.CharacterDataHandler = layout.characters
    parser.CommentHandler = layout.comment
    parser.EntityDeclHandler = _refuse
    text = text.lstrip("\ufeff \r\n\t")
    for at in range(0, len(text) + 1, _STEP):
        try:
            parser.Parse(text[at : at + _STEP], at + _STEP > len(text))
        except (expat.ExpatError, UnicodeError) as error:
            raise ValueError(str(error)) from error
        if at + _STEP > len(text):
            layout.done = len(layout.lines)
        yield from ((at, line) for line in layout.take())


def _refuse(*_: object) -> None:
    raise NotLaidOut("it defines entities")


def _text(text: str) -> str:
    return escape(text.strip(), quote=False)


class _Layout:
    """Lines so far, and text not yet written. An element with only text takes one line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.done = 0  # lines that do not change any more
        self._depth = 0
        self._text = ""
        self._is_open = False

    def take(self) -> list[str]:
        """Return the lines that are complete, once."""
        taken, self.lines = self.lines[: self.done], self.lines[self.done :]
        self.done = 0
        return taken

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._write_text()
        words = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
        self.done = len(self.lines)
        self._line(f"<{name}{words}>")
        self._depth += 1
        self._is_open = True

    def end(self, name: str) -> None:
        self._depth -= 1
        if self._is_open:
            self.lines[-1] += _text(self._text)
            self._text = ""
            self.lines[-1] += f"</{name}>"
        else:
            self._write_text(deeper=1)
            self._line(f"</{name}>")
        self._is_open = False

    def characters(self, text: str) -> None:
        self._text += text

    def comment(self, text: str) -> None:
        self._write_text()
        self._line(f"<!--{text}-->")

    def _write_text(self, deeper: int = 0) -> None:
        text, self._text = self._text.strip(), ""
        self._is_open = False
        if text:
            self._line(_text(text), deeper)

    def _line(self, text: str, deeper: int = 0) -> None:
        self.lines.append(_INDENT * (self._depth + deeper) + text)

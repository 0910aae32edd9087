"""Indented layout of XML, one element per line. No external resource is read, and no entity is expanded."""

from __future__ import annotations

from html import escape
from xml.parsers import expat

_INDENT = "  "


def lay_out(text: str) -> list[str]:
    """Return the lines of an XML document. Raises ValueError for text that is not XML, or defines entities."""
    layout = _Layout()
    parser = expat.ParserCreate()
    parser.StartElementHandler = layout.start
    parser.EndElementHandler = layout.end
    parser.CharacterDataHandler = layout.characters
    parser.CommentHandler = layout.comment
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(text.lstrip("\ufeff \r\n\t"), True)
    except (expat.ExpatError, UnicodeError) as error:
        raise ValueError(str(error)) from error
    return layout.lines


def _refuse(*_: object) -> None:
    raise ValueError("it defines entities")


def _text(text: str) -> str:
    return escape(text.strip(), quote=False)


class _Layout:
    """Lines so far, and text not yet written. An element with only text takes one line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._text = ""
        self._is_open = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._write_text()
        words = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
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

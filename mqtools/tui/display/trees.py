"""Layouts of a body as a tree of lines, by tab."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqtools.tui.display import json_layout, xml_layout
from mqtools.tui.display.tabs import JSON, XML

#: Tab to what yields the lines of a text, each with how far the text has been read; it raises ValueError.
TREES: dict[int, Callable[[str], Iterator[tuple[int, str]]]] = {JSON: json_layout.lay_out, XML: xml_layout.lay_out}

"""Parsing of the filter line: ``TEXT``, ``hex BYTES`` or ``where SELECTOR``."""

from __future__ import annotations

from mqtools.operations.queue_search import Filter
from mqtools.operations.selection import Selection
from mqtools.rules.selector.selector import compile_selector


def parse_filter(words: str) -> Filter:
    """Parse a filter. Raises ValueError, MQError: MQRC_SELECTION_STRING_ERROR."""
    kind, _, rest = words.strip().partition(" ")
    if kind.lower() == "where" and rest.strip():
        compile_selector(rest.strip())
        return Filter(words, Selection(where=rest.strip()))
    if kind.lower() == "hex" and rest.strip():
        try:
            return Filter(words, Selection(grep_hex=bytes.fromhex(rest)))
        except ValueError:
            raise ValueError("hex: not an even number of hexadecimal digits") from None
    return Filter(words, text=words)

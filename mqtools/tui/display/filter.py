"""Parsing of the filter line: ``TEXT``, a selector, or one of ``text TEXT``, ``where SELECTOR``, ``hex BYTES``."""

from __future__ import annotations

import re

from mqtools.errors import MQError
from mqtools.operations.selection import Selection
from mqtools.operations.views.queue_search import MessageFilter
from mqtools.rules.selector.selector import compile_selector

#: Marks of a selector without ``where``: a single word would be one, too.
_COMPARISON = r"[=<>]|\b(?:like|in|between|is)\b"


def parse_filter(words: str) -> MessageFilter:
    """Parse a filter. Raises ValueError, MQError: MQRC_SELECTION_STRING_ERROR.

    A line without a word in front is a selector where it compares something and is valid as one, else text.
    """
    kind, _, rest = words.strip().partition(" ")
    rest = rest.strip()
    if kind.lower() == "where" and rest:
        compile_selector(rest)
        return MessageFilter(words, Selection(where=rest))
    if kind.lower() == "hex" and rest:
        try:
            return MessageFilter(words, Selection(grep_hex=bytes.fromhex(rest)))
        except ValueError:
            raise ValueError("hex: not an even number of hexadecimal digits") from None
    if kind.lower() == "text" and rest:
        return MessageFilter(words, text=rest)
    if _is_selector(words):
        return MessageFilter(words, Selection(where=words.strip()))
    return MessageFilter(words, text=words)


def _is_selector(words: str) -> bool:
    if not re.search(_COMPARISON, words, re.IGNORECASE):
        return False
    try:
        compile_selector(words)
    except MQError:
        return False
    return True


def describe_kind(wanted: MessageFilter) -> str:
    """Return the kind of a filter in words; empty for text."""
    if wanted.selection.where:
        return "by selector"
    return "by bytes" if wanted.selection.grep_hex else ""

"""Topic strings: composition, and matching by subscriptions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from mqtools.constants.reasons import MQRC_TOPIC_STRING_ERROR
from mqtools.errors import MQError

#: Wildcards of levels: any levels or none, exactly one level. They count only where they are a whole level.
ANY_LEVELS, ONE_LEVEL = "#", "+"
#: Wildcards of characters: any characters or none, exactly one character; the escape makes the next one plain.
ANY_CHARACTERS, ONE_CHARACTER, ESCAPE = "*", "?", "%"

_LONGEST = 10240


def topic_string(of_object: str, added: str) -> str:
    """Return the string of a topic object joined with an added one.

    Raises MQError: MQRC_TOPIC_STRING_ERROR when there is nothing, or too much.
    """
    whole = f"{of_object}/{added.removeprefix('/')}" if of_object and added else of_object or added
    if not whole or len(whole.encode("utf-8", "replace")) > _LONGEST:
        raise MQError(f"a topic string has 1 to {_LONGEST} bytes", MQRC_TOPIC_STRING_ERROR)
    return whole


def is_at_or_above(string: str, topic: str) -> bool:
    """Return whether a topic object's string is that of a topic, or of one above it; the empty string is above all."""
    above = string.rstrip("/")
    return not above or topic == above or topic.startswith(f"{above}/")


def literal_levels(pattern: str, *, by_character: bool = False) -> str:
    """Return the levels of a subscription's topic before the first with a wildcard: where its authority is checked."""
    if not by_character:
        levels = pattern.split("/")
        return "/".join(takewhile(lambda level: level not in (ANY_LEVELS, ONE_LEVEL), levels))
    characters = _characters(pattern)
    literal = list(takewhile(lambda each: each not in (ANY_CHARACTERS, ONE_CHARACTER), characters))
    text = "".join(each[-1] for each in literal)
    return text if len(literal) == len(characters) else text.rpartition("/")[0]


def matches(pattern: str, topic: str, *, by_character: bool = False) -> bool:
    """Return whether a subscription to a pattern matches a topic.

    by_character: the wildcards are those of characters (MQSO_WILDCARD_CHAR), otherwise those of levels.
    """
    if by_character:
        return _matches(_characters(pattern), topic, ANY_CHARACTERS, ONE_CHARACTER, ESCAPE)
    return _matches(pattern.split("/"), topic.split("/"), ANY_LEVELS, ONE_LEVEL)


def _characters(pattern: str) -> list[str]:
    """Split into characters; a literal wildcard character keeps its escape."""
    pairs = re.findall(f"{ESCAPE}(.)|([^{ESCAPE}])", pattern, re.DOTALL)
    special = (ANY_CHARACTERS, ONE_CHARACTER, ESCAPE)
    return [ESCAPE + escaped if escaped in special else escaped or plain for escaped, plain in pairs]


def _matches(pattern: Sequence[str], parts: Sequence[str], several: str, one: str, escape: str = "") -> bool:
    """Match parts from left to right, backtracking to the last multi-part wildcard."""
    at, seen, back_to, resumed = 0, 0, -1, 0
    while seen < len(parts):
        if at < len(pattern) and pattern[at] == several:
            back_to, resumed = at, seen
            at += 1
        elif at < len(pattern) and (pattern[at] == one or pattern[at].removeprefix(escape) == parts[seen]):
            at, seen = at + 1, seen + 1
        elif back_to >= 0:
            resumed += 1
            at, seen = back_to + 1, resumed
        else:
            return False
    return all(rest == several for rest in pattern[at:])

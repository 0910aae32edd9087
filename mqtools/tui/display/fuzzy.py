"""Fuzzy match of typed words with an entry of a list: whole words first, then beginnings, synonyms, parts, typos."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

#: Costs of the kinds of match, from best to worst. A match with a word or its beginning costs one more where it is not
#: the first word: entries that are named by the typed word come before those that mention it.
_WORD, _BEGINNING, _SYNONYM, _PART, _LETTERS, _TYPO = 0, 2, 4, 6, 8, 24
#: Letters that match in order span at most so many times their number.
_SPAN = 2
#: Least letters and least similarity of a word with a typo.
_LONG, _SIMILAR = 4, 0.8
_BETWEEN_WORDS = re.compile(r"[\W_]+")


def match_cost(typed: str, text: str, synonyms: str = "", *, has_typos: bool = False) -> int | None:
    """Return how far typed words are from an entry, 0 for the nearest; None when one of them does not match.

    text: what the entry shows.  synonyms: other words for it, which match by their beginnings.  has_typos: accept words
    that are only similar.
    """
    text, total = text.casefold(), 0
    words, others = _BETWEEN_WORDS.split(text), synonyms.casefold().split()
    for one in typed.casefold().split():
        cost = _cost_of(one, text, words, others)
        if cost is None and has_typos and _is_similar(one, words + others):
            cost = _TYPO
        if cost is None:
            return None
        total += cost
    return total


def _cost_of(typed: str, text: str, words: list[str], synonyms: list[str]) -> int | None:
    if typed in words:
        return _WORD + (words[0] != typed)
    if any(word.startswith(typed) for word in words):
        return _BEGINNING + (not words[0].startswith(typed))
    if any(word.startswith(typed) for word in synonyms):
        return _SYNONYM
    if typed in text:
        return _PART
    if (span := _span_of(typed, text)) is not None:
        return _LETTERS + span - len(typed)
    return None


def _is_similar(typed: str, words: list[str]) -> bool:
    return len(typed) >= _LONG and any(SequenceMatcher(None, typed, word).ratio() >= _SIMILAR for word in words)


def _span_of(typed: str, text: str) -> int | None:
    """Return the shortest span of the letters in their order, from the beginning of a word; None without one."""
    if len(typed) == 1:
        return None
    spans = []
    for beginning in re.finditer(r"(?<![^\W_])" + re.escape(typed[0]), text):
        at = beginning.start()
        for letter in typed[1:]:
            at = text.find(letter, at + 1)
            if at < 0:
                break
        else:
            spans.append(at + 1 - beginning.start())
    return min((span for span in spans if span <= len(typed) * _SPAN), default=None)

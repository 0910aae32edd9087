"""Predicates that the store can narrow by (``mqtools.predicates``): bytes, text in a character set, an age.

The store can look for bytes. Text is bytes where the data is all body and its character set writes the text in one way;
any other message comes into question, and who searches has to look at it.
"""

from __future__ import annotations

from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.formats import COMMON_PREFIX, HEADER_FORMATS
from mqtools.mqi.identity import put_date_and_time
from mqtools.predicates import ANYTHING, Condition, Predicate, any_of, every

#: CCSID to codec. Data that is not text in the first is searched as if it were in the second.
_CODECS = {DEFAULT_CCSID: "utf-8", 819: "latin-1"}
#: ASCII letters that a letter beyond ASCII can be when case is ignored: long s is s, and the Kelvin sign k.
_AMBIGUOUS = "afhijklnstwy"


def of_put_time(sign: str, limit: float) -> Predicate:
    """Return the predicate of messages put before or after a time (milliseconds since 1970).

    sign: ``<`` or ``>``. The put time is that of the descriptor, or the arrival on the queue.
    """
    date, time = put_date_and_time(int(limit))
    on_the_day = every([Condition("put_date", "=", date), Condition("put_time", f"{sign}=", time)])
    return any_of([Condition("put_date", sign, date), on_the_day, Condition("put_at", sign, limit)])


def of_text(text: str, *, ignore_case: bool = False) -> Predicate:
    """Return the predicate of messages that may contain a text; any other message does not."""
    return _of_text_in_any_case(text) if ignore_case else _of_text(text)


def _of_text(text: str) -> Predicate:
    written = set()
    for codec in _CODECS.values():
        try:
            written.add(text.encode(codec))
        except UnicodeEncodeError:
            continue  # no data in this character set has it
    found = [Condition("data", "has bytes", each) for each in sorted(written)]
    return any_of([*_unread(), *found])


def _of_text_in_any_case(text: str) -> Predicate:
    """Search for the longest part of the text that nothing but ASCII can match."""
    kept = "".join(letter if letter.isascii() and letter not in _AMBIGUOUS else " " for letter in text.casefold())
    part = max(kept.split(), key=len, default="")
    return any_of([*_unread(), Condition("data", "has letters", part)]) if part else ANYTHING


def of_letters(text: str) -> Predicate:
    """Return the predicate of messages that may contain an ASCII text in UTF-8, ignoring the case of ASCII."""
    return any_of([*_unread((DEFAULT_CCSID,)), Condition("data", "has letters", text.lower())])


def _unread(ccsids: tuple[int, ...] = tuple(_CODECS)) -> list[Predicate]:
    """Return predicates of messages that have to be read: with headers, or in other character sets."""
    return [
        Condition("format", "starts", COMMON_PREFIX),
        Condition("format", "in", HEADER_FORMATS),
        Condition("coded_char_set_id", "in", ccsids, negated=True),
    ]

"""What a selection demands of the stored messages (``mqtools.predicates``): bytes, text in a character set, an age.

The store can look for bytes. Text is bytes where the data is all body and its character set writes the text in one way;
any other message comes into question, and who searches has to look at it.
"""

from __future__ import annotations

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.headers.chain import COMMON_PREFIX, HEADER_FORMATS
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.mqi.identity import put_date_and_time
from mqtools.predicates import ANYTHING, Condition, any_of, every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.operations.selection import Selection
    from mqtools.predicates import Predicate

#: CCSID to codec. What is no text in the first is searched as if it were in the second.
_CODECS = {DEFAULT_CCSID: "utf-8", 819: "latin-1"}
#: ASCII letters that a letter beyond ASCII can be when case is ignored: long s is s, and the Kelvin sign k.
_AMBIGUOUS = "afhijklnstwy"


def of_selection(selection: Selection, now: int) -> Predicate:
    """Give what the data, the format and the put time must be like. now: milliseconds since 1970."""
    predicates: list[Predicate] = []
    if selection.reason is not None:
        predicates.append(Condition("format", "=", MQFMT_DEAD_LETTER_HEADER))
    if selection.grep_hex:
        predicates.append(Condition("data", "has bytes", selection.grep_hex))
    if selection.grep:
        predicates.append(_of_text_in_any_case(selection.grep) if selection.ignore_case else _of_text(selection.grep))
    if selection.older_s is not None:
        predicates.append(of_put_time("<", now - selection.older_s * 1000 + 1))
    if selection.newer_s is not None:
        predicates.append(of_put_time(">", now - selection.newer_s * 1000 - 1))
    return every(predicates)


def of_put_time(sign: str, limit: float) -> Predicate:
    """Put before or after a time (milliseconds since 1970), as the descriptor says, or when the message came."""
    date, time = put_date_and_time(int(limit))
    on_the_day = every([Condition("put_date", "=", date), Condition("put_time", f"{sign}=", time)])
    return any_of([Condition("put_date", sign, date), on_the_day, Condition("put_at", sign, limit)])


def _of_text(text: str) -> Predicate:
    """Text as it is written."""
    written = set()
    for codec in _CODECS.values():
        try:
            written.add(text.encode(codec))
        except UnicodeEncodeError:
            continue  # no data in this character set has it
    found = [Condition("data", "has bytes", each) for each in sorted(written)]
    return any_of([*_unread(), *found])


def _of_text_in_any_case(text: str) -> Predicate:
    """Text whatever the case: the longest part of it that nothing but ASCII can be."""
    kept = "".join(letter if letter.isascii() and letter not in _AMBIGUOUS else " " for letter in text.casefold())
    part = max(kept.split(), key=len, default="")
    return any_of([*_unread(), Condition("data", "has letters", part)]) if part else ANYTHING


def of_letters(text: str) -> Predicate:
    """Text of ASCII in UTF-8, upper and lower case of ASCII alike."""
    return any_of([*_unread((DEFAULT_CCSID,)), Condition("data", "has letters", text.lower())])


def _unread(ccsids: tuple[int, ...] = tuple(_CODECS)) -> list[Predicate]:
    """Messages that have to be read: those with headers in front of the body, and in other character sets."""
    return [
        Condition("format", "starts", COMMON_PREFIX),
        Condition("format", "in", HEADER_FORMATS),
        Condition("coded_char_set_id", "in", ccsids, negated=True),
    ]

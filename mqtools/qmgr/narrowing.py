"""What a search of the data demands of the stored messages (``mqtools.demands``): bytes, or text in a character set.

The store can look for bytes. Text is bytes where the data is all body and its character set writes the text in one way;
any other message comes into question, and who searches has to look at it.
"""

from __future__ import annotations

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.demands import Condition, any_of, every
from mqtools.headers.chain import COMMON_PREFIX, HEADER_FORMATS
from mqtools.headers.charsets import DEFAULT_CCSID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.demands import Demand
    from mqtools.qmgr.selecting import Selection

#: CCSID to codec. What is no text in the first is searched as if it were in the second.
_CODECS = {DEFAULT_CCSID: "utf-8", 819: "latin-1"}


def of_selection(selection: Selection) -> Demand:
    """Give what the data and the format must be like; of the other conditions nothing."""
    demands: list[Demand] = []
    if selection.reason is not None:
        demands.append(Condition("format", "=", MQFMT_DEAD_LETTER_HEADER))
    if selection.grep_hex:
        demands.append(Condition("data", "has bytes", selection.grep_hex))
    if selection.grep and not selection.ignore_case:
        demands.append(of_text(selection.grep))
    return every(demands)


def of_text(text: str) -> Demand:
    """Text as it is written."""
    written = set()
    for codec in _CODECS.values():
        try:
            written.add(text.encode(codec))
        except UnicodeEncodeError:
            continue  # no data in this character set has it
    found = [Condition("data", "has bytes", each) for each in sorted(written)]
    return any_of([*_unread(), Condition("coded_char_set_id", "in", tuple(_CODECS), negated=True), *found])


def of_letters(text: str) -> Demand:
    """Text of ASCII in UTF-8, upper and lower case of ASCII alike."""
    return any_of(
        [
            *_unread(),
            Condition("coded_char_set_id", "<>", DEFAULT_CCSID),
            Condition("data", "has letters", text.lower()),
        ]
    )


def _unread() -> list[Demand]:
    """Messages with headers in front of the body: these have to be read."""
    return [Condition("format", "starts", COMMON_PREFIX), Condition("format", "in", HEADER_FORMATS)]

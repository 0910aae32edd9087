"""The tabs of one message: their numbers and names, and what the detail pane shows of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from mqtools.formats.phrases import counted

TEXT, HEX, JSON, XML, DESCRIPTOR, HEADERS = range(1, 7)
TABS = {TEXT: "text", HEX: "hex", JSON: "JSON", XML: "XML", DESCRIPTOR: "descriptor", HEADERS: "headers"}
#: Those that depend on the data alone; the others also show what changes with time.
OF_DATA = (TEXT, HEX, JSON, XML)

#: Bytes of the data that are shown at first, and that are added each time.
STEP = 65_536
#: Data that is laid out as JSON or XML at once; longer data in its own thread (bytes).
LONGEST_TREE = 1 << 18


class Detail(NamedTuple):
    """A tab of a message.

    tab: of TABS.  owner: holder of the message, empty for none.  lines: without newlines.  shown, length: bytes of the
    data that the lines show, and of all of it.  made_of: everything that the layout depends on.  kind: JSON or XML when
    the body is that, else 0.  headers: number of them.  folds: what can be folded in the lines.
    """

    seq: int
    tab: int
    msg_id: str
    owner: str
    lines: Sequence[str]
    shown: int
    length: int
    made_of: tuple[object, ...]
    reason: str = ""
    kind: int = 0
    headers: int = 0
    folds: Mapping[int, int] = MappingProxyType({})


class NotLaidOut(ValueError):
    """A body that may be well formed, and is not laid out."""


def explain_layout(tab: int, error: Exception, where: str = "") -> str:
    """Return in words that a body is not laid out as a tab. where: in the body, empty for all of it."""
    shown = "shown as " if isinstance(error, NotLaidOut) else ""
    return f"the body is not {shown}{TABS[tab]}{where}: {error}"


def find_line(detail: Detail, text: str, more: str) -> int:
    """Return the index of a line by its number, or in the hex tab by the offset of a byte.

    text: decimal, or hex as 0x1F4; negative from the end of what is shown.  more: key that shows more.
    Raises ValueError.
    """
    is_hex = detail.tab == HEX
    what, there = ("byte", detail.shown) if is_hex else ("line", len(detail.lines))
    try:
        number = int(text, 0)
    except ValueError:
        raise ValueError(f"{text!r} is not a {what} number: use 500, 0x1F4, or -1 for the last") from None
    place = there + number if number < 0 else number if is_hex else number - 1
    if not 0 <= place < there:
        hint = f"; {more} shows more of {detail.length} bytes" if detail.shown < detail.length else ""
        raise ValueError(f"only {counted(there, what, in_groups=True)} here{hint}")
    if not is_hex:
        return place
    return 0 if len(detail.lines) < 2 else place // int(detail.lines[1].partition(":")[0], 16)

"""The columns of the list of messages: which there are, what they say, and which of them there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age
from mqtools.records import Record
from mqtools.tui import times
from mqtools.tui.lines import cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from mqtools.tui.row import Row

    #: The instant, in milliseconds since 1970, and how times are written.
    Clock: TypeAlias = tuple[int, str]
    #: What a column says of a row.
    Says: TypeAlias = Callable[[Row, Clock], str]

#: Cells of the letters of the state, which always stand in front.
STATE = 4
#: Cells that the data has at least where it is shown, and from which columns have their full width.
_LEAST_DATA, _WIDE_DATA = 10, 31
#: Bytes of an identifier that are shown: its end tells it from others.
_ID_BYTES = 8


class Column(Record):
    """A column.

    id: as it is remembered.  heading: above it.  words: in the dialog.  narrow, wide: cells.  says: the text.
    is_right: numbers are.
    """

    __slots__ = ("id", "heading", "words", "narrow", "wide", "says", "is_right")

    def __init__(
        self, id: str, heading: str, words: str, narrow: int, wide: int, says: Says, *, is_right: bool = False
    ) -> None:
        self.id = id
        self.heading = heading
        self.words = words
        self.narrow = narrow
        self.wide = wide
        self.says = says
        self.is_right = is_right


def _length(row: Row) -> str:
    length = row.length
    if length < 100_000:
        return str(length)
    return f"{length // 1024}K" if length < 100_000_000 else f"{length // 1_048_576}M"


def _expiry(row: Row, now_ms: int) -> str:
    return "" if row.expires_at is None else human_age((row.expires_at - now_ms) / 1000)


def _identifier(value: bytes) -> str:
    """Show the end of an identifier that is more than zeros."""
    said = value.rstrip(b"\0")
    return ("…" if len(said) > _ID_BYTES else "") + said[-_ID_BYTES:].hex().upper()


def _reply_to(row: Row) -> str:
    md = row.md
    return f"{md.reply_to_q}@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else str(md.reply_to_q)


DATA = "data"

#: In this order they stand side by side. The data comes last and has what is left of the line.
ALL = (
    Column("time", "time", "time of arrival", 8, 8, lambda row, clock: times.short(row.put_at, *clock)),
    Column("priority", "p", "priority", 1, 1, lambda row, _: str(row.md.priority)),
    Column("type", "type", "type; of a report what it says, of a dead letter why", 10, 20, lambda row, _: row.kind),
    Column("format", "format", "format", 8, 8, lambda row, _: row.md.format),
    Column(
        "persistence",
        "per",
        "persistent",
        3,
        3,
        lambda row, _: "yes" if row.md.persistence == MQPER_PERSISTENT else "no",
    ),
    Column("expiry", "expires", "time left until it expires", 7, 7, lambda row, clock: _expiry(row, clock[0])),
    Column("backouts", "bo", "how often it was backed out", 3, 3, lambda row, _: str(row.md.backout_count)),
    Column("application", "put by", "application that put it", 12, 20, lambda row, _: row.md.put_appl_name),
    Column("user", "user", "user", 8, 12, lambda row, _: row.md.user_identifier),
    Column("msg_id", "message id", "end of the message id", 17, 17, lambda row, _: _identifier(row.md.msg_id)),
    Column(
        "correl_id",
        "correlation id",
        "end of the correlation id",
        17,
        17,
        lambda row, _: _identifier(row.md.correl_id),
    ),
    Column("group_id", "group id", "end of the group id", 17, 17, lambda row, _: _identifier(row.md.group_id)),
    Column("sequence", "seq", "sequence number in the group", 4, 4, lambda row, _: str(row.md.msg_seq_number)),
    Column("reply_to", "reply to", "reply-to queue", 12, 20, lambda row, _: _reply_to(row)),
    Column("length", "length", "length in bytes", 6, 7, lambda row, _: _length(row), is_right=True),
    Column(DATA, "data", "destination and beginning of the data", 0, 0, lambda row, _: row.words),
)
BY_ID = {column.id: column for column in ALL}

#: The columns where nobody has chosen others.
USUAL = ("time", "priority", "type", "length", DATA)

#: What gives way first where there is not room for all: what is not named here, the last first, then these.
_GIVES_WAY = ("time", "length", "priority", "type")


def known(ids: Iterable[str]) -> list[str]:
    """Give those of some ids that there are, in the order of the columns; the usual ones where none is."""
    chosen = set(ids)
    return [column.id for column in ALL if column.id in chosen] or list(USUAL)


class Fitted(Record):
    """The columns that a line has room for, each with its cells, and those that are left out.

    has_data: the data is behind them.
    """

    __slots__ = ("cells", "left_out", "has_data")

    def __init__(self, cells: list[tuple[Column, int]], left_out: list[Column], *, has_data: bool) -> None:
        self.cells = cells
        self.left_out = left_out
        self.has_data = has_data

    def line(self, state: str, texts: Sequence[str], data: str) -> str:
        """Put a line together."""
        parts = [cell(state, STATE)]
        for (column, width), text in zip(self.cells, texts, strict=True):
            parts.append(cell(text, width, right=column.is_right))
        return " ".join([*parts, data] if self.has_data else parts)

    def heading(self, time: str) -> str:
        """Give the line of headings. time: that of the times."""
        texts = [time if column.id == "time" else column.heading for column, _ in self.cells]
        return self.line("", texts, BY_ID[DATA].heading)

    def row(self, row: Row, state: str, clock: Clock) -> str:
        """Give the line of a row."""
        texts = [visible(column.says(row, clock)) for column, _ in self.cells]
        return self.line(state, texts, row.words)


def fit(ids: Sequence[str], width: int) -> Fitted:
    """Choose what there is room for in a line. ids: of the columns that are wanted.  width: in cells."""
    has_data = DATA in ids
    shown = [BY_ID[id] for id in ids if id != DATA]
    left_out: list[Column] = []
    while True:
        left = width - STATE - 1 - sum(column.wide + 1 for column in shown)
        if left >= (_WIDE_DATA if has_data else 0):
            return Fitted([(column, column.wide) for column in shown], left_out, has_data=has_data)
        left = width - STATE - 1 - sum(column.narrow + 1 for column in shown)
        if left >= (_LEAST_DATA if has_data else 0) or not shown:
            return Fitted([(column, column.narrow) for column in shown], left_out, has_data=has_data)
        left_out.append(_first_to_go(shown))
        shown.remove(left_out[-1])


def _first_to_go(shown: list[Column]) -> Column:
    others = [column for column in shown if column.id not in _GIVES_WAY]
    return others[-1] if others else min(shown, key=lambda column: _GIVES_WAY.index(column.id))

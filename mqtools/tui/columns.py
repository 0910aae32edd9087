"""The columns of the message list: one table of them, and the layout for a width."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age
from mqtools.tui import colours, times
from mqtools.tui.text_width import format_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from mqtools.tui.cells import Cell
    from mqtools.tui.row import Row

    #: The instant, in milliseconds since 1970, and how times are written.
    Clock: TypeAlias = tuple[int, str]
    #: Returns the text of a column for a row.
    ColumnText: TypeAlias = Callable[[Row, Clock], str]

#: Width of the state column, which is always first: the gutter and up to four letters.
STATE = 5
#: Least width of the data column, and the width from which the other columns are wide.
_LEAST_DATA, _WIDE_DATA = 10, 31
#: Bytes of an identifier that are shown, from its end, which differs most.
_ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    id: as it is saved.  heading: above it.  words: in the dialog.  narrow, wide: cells.  text: of a row.
    is_right: aligned to the right.
    """

    id: str
    heading: str
    words: str
    narrow: int
    wide: int
    text: ColumnText
    _: KW_ONLY
    is_right: bool = False


def _length(row: Row) -> str:
    length = row.length
    if length < 100_000:
        return str(length)
    return f"{length // 1024}K" if length < 100_000_000 else f"{length // 1_048_576}M"


def _expiry(row: Row, now_ms: int) -> str:
    return "" if row.expires_at is None else human_age((row.expires_at - now_ms) / 1000)


def _identifier(value: bytes) -> str:
    """Return the end of an identifier, without the zeros that pad it."""
    said = value.rstrip(b"\0")
    return ("…" if len(said) > _ID_BYTES else "") + said[-_ID_BYTES:].hex().upper()


def _reply_to(row: Row) -> str:
    md = row.md
    return f"{md.reply_to_q}@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else str(md.reply_to_q)


DATA = "data"

#: In display order. The data comes last and has the rest of the line.
ALL = (
    Column("time", "time", "time of arrival", 8, 8, lambda row, clock: times.format_short(row.put_at, *clock)),
    Column("priority", "p", "priority", 1, 1, lambda row, _: str(row.md.priority)),
    Column("type", "type", "type; of a report what it text, of a dead letter why", 10, 20, lambda row, _: row.kind),
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

#: The default columns.
USUAL = ("time", "priority", "type", "length", DATA)

#: Columns in the order in which they are dropped for lack of room, after those that are not named here, last first.
_GIVES_WAY = ("time", "length", "priority", "type")


def select_known(ids: Iterable[str]) -> list[str]:
    """Return the valid ids in display order; the default columns when none is valid."""
    chosen = set(ids)
    return [column.id for column in ALL if column.id in chosen] or list(USUAL)


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The columns that fit into a line, each with its width, and those that are left out.

    has_data: the data column follows them.
    """

    cells: list[tuple[Column, int]]
    left_out: list[Column]
    _: KW_ONLY
    has_data: bool

    def line(self, state: str, texts: Sequence[str], data: str) -> str:
        """Return a line of the list."""
        parts = [format_cell(state, STATE)]
        for (column, width), text in zip(self.cells, texts, strict=True):
            parts.append(format_cell(text, width, right=column.is_right))
        return " ".join([*parts, data] if self.has_data else parts)

    def heading(self, time: str) -> str:
        """Return the heading line. time: heading of the time column."""
        texts = [time if column.id == "time" else column.heading for column, _ in self.cells]
        return self.line("", texts, BY_ID[DATA].heading)

    def row(self, row: Row, clock: Clock) -> list[Cell]:
        """Return the cells of a row behind its state."""
        cells: list[Cell] = []
        for column, width in self.cells:
            text = visible(column.text(row, clock))
            cells.append((f" {format_cell(text, width, right=column.is_right)}", _role(column.id, text, row)))
        if self.has_data:
            cells += [(f" → {row.target} ", colours.KEY)] if row.target else []
            cells.append((f" {row.beginning}", colours.TEXT))
        return cells


def _role(id: str, text: str, row: Row) -> str:
    """Return the role of a cell: the reason of a dead letter is a danger; times, zeros and noughts are dim."""
    if id == "type" and row.is_dead:
        return colours.DANGER
    if id == "backouts" and text != "0":
        return colours.WARN
    return colours.DIM if id in ("time", "type", "format") or text in ("0", "no") else colours.TEXT


def fit(ids: Sequence[str], width: int) -> ColumnLayout:
    """Lay out columns for a line. ids: of the requested columns.  width: in cells."""
    has_data = DATA in ids
    shown = [BY_ID[id] for id in ids if id != DATA]
    left_out: list[Column] = []
    while True:
        left = width - STATE - 1 - sum(column.wide + 1 for column in shown)
        if left >= (_WIDE_DATA if has_data else 0):
            return ColumnLayout([(column, column.wide) for column in shown], left_out, has_data=has_data)
        left = width - STATE - 1 - sum(column.narrow + 1 for column in shown)
        if left >= (_LEAST_DATA if has_data else 0) or not shown:
            return ColumnLayout([(column, column.narrow) for column in shown], left_out, has_data=has_data)
        left_out.append(_first_to_go(shown))
        shown.remove(left_out[-1])


def _first_to_go(shown: list[Column]) -> Column:
    others = [column for column in shown if column.id not in _GIVES_WAY]
    return others[-1] if others else min(shown, key=lambda column: _GIVES_WAY.index(column.id))

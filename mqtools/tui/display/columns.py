"""The columns of the message list: one table of them, and the layout for a width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age
from mqtools.mqi.get.search import remaining_ms
from mqtools.tui.display import colours, times
from mqtools.tui.display.cells import Cell, cut_middle, find_hits, format_cell, mark_hits, shorten
from mqtools.tui.display.row import JSON_PATH, PROPERTY, Row

#: The instant, in milliseconds since 1970, and how times are written.
Clock: TypeAlias = tuple[int, str]
#: Returns the text of a column for a row.
ColumnText: TypeAlias = "Callable[[Row, Clock, Seen], str]"


#: Width of the state column, which is always first: the gutter and up to four letters.
STATE = 5
#: Least width of the data column, after type and group alone, and with wide other columns.
_LEAST_DATA, _LEAST_BEHIND_TYPE, _WIDE_DATA = 26, 10, 31
#: Cells of the destination of a dead letter that come before its data.
_TARGET = 24
#: A name or number that a common prefix ends in: it may continue.
_NAME_AT_END = re.compile(r"\w+$")
#: Bytes of an identifier that are shown, from its end, which differs most.
_ID_BYTES = 8


class PaneColumn(NamedTuple):
    """A column.

    id: as it is saved.  heading: above it.  words: in the dialog.  narrow: cells.  text: of a row.
    wide: cells where there is room, 0 for no more.  is_right: aligned to the right.
    """

    id: str
    heading: str
    words: str
    narrow: int
    text: ColumnText
    wide: int = 0
    is_right: bool = False

    @property
    def name(self) -> str:
        """Name in a sentence: the heading, unless that is short for the id."""
        return self.id if len(self.heading) < 4 and self.id in BY_ID else self.heading


def _length(row: Row) -> str:
    length = row.length
    if length < 100_000:
        return str(length)
    return f"{length // 1024}K" if length < 100_000_000 else f"{length // 1_048_576}M"


def _expiry(row: Row, now_ms: int) -> str:
    return "" if row.expires_at is None else human_age(remaining_ms(row.expires_at, now_ms) / 1000)


def short_id(value: bytes) -> str:
    """Return the end of an identifier, without the zeros that pad it."""
    said = value.rstrip(b"\0")
    return ("…" if len(said) > _ID_BYTES else "") + said[-_ID_BYTES:].hex().upper()


def _reply_to(row: Row) -> str:
    md = row.md
    return f"{md.reply_to_q}@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else str(md.reply_to_q)


TYPE, SEQUENCE, DATA = "type", "sequence", "data"
#: Id of the choice to show the data from where the listed messages differ; and fewest characters that are left out.
DIFFERENCE, _LEAST_PREFIX = "difference", 4
#: Cells of a column with a value of the body or a property.
_NARROW_VALUE, _WIDE_VALUE = 10, 18


class Seen:
    """Properties that the rows of a queue so far share; the columns are laid out after that.

    has_groups: some of them belong to groups.  longest_type: cells.  prefix: what the bodies in memory begin with.
    """

    def __init__(self) -> None:
        self.has_groups = False
        self.longest_type = 0
        self.prefix = ""
        self._sizes: dict[bytes, int] = {}
        self._rows: Sequence[Row] = ()

    def add(self, rows: Sequence[Row]) -> None:
        """Take in the rows in memory."""
        if rows is self._rows:
            return
        self._rows = rows
        bodies = [row.beginning for row in rows]
        self.prefix = _common_beginning(min(bodies), max(bodies)) if len(rows) > 1 else ""
        self.longest_type = max([self.longest_type, *(len(row.kind) for row in rows)])
        for row in rows:
            self.has_groups = self.has_groups or row.is_grouped
            if row.is_last_of_group:
                self._sizes[row.md.group_id] = row.md.msg_seq_number

    def place_of(self, row: Row) -> str:
        """Return the number of a message in its group and of how many, as far as the last one was seen."""
        md = row.md
        return f"{md.msg_seq_number}/{self._sizes.get(md.group_id, '?')}" if row.is_grouped else ""


def _common_beginning(one: str, other: str) -> str:
    """Return what two texts begin with, without a name or number that may continue."""
    pairs = enumerate(zip(one, other, strict=False))
    length = next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
    return _NAME_AT_END.sub("", one[:length])


#: In display order. The data comes last and has the rest of the line.
ALL = (
    PaneColumn("time", "time", "time of arrival", 8, lambda row, clock, _: times.format_short(row.put_at, *clock)),
    PaneColumn("priority", "p", "priority", 1, lambda row, *_: str(row.md.priority)),
    PaneColumn(
        TYPE, "type", "type; of a report what it reports, of a dead letter why", 10, lambda row, *_: row.kind, 20
    ),
    PaneColumn("format", "format", "format", 8, lambda row, *_: row.md.format),
    PaneColumn(
        "persistence", "per", "persistent", 3, lambda row, *_: "yes" if row.md.persistence == MQPER_PERSISTENT else "no"
    ),
    PaneColumn("expiry", "expires", "time left until it expires", 7, lambda row, clock, _: _expiry(row, clock[0])),
    PaneColumn("backouts", "bo", "how often it was backed out", 3, lambda row, *_: str(row.md.backout_count)),
    PaneColumn("application", "put by", "application that put it", 12, lambda row, *_: row.md.put_appl_name, 20),
    PaneColumn("user", "user", "user", 8, lambda row, *_: row.md.user_identifier, 12),
    PaneColumn("msg_id", "message id", "end of the message id", 17, lambda row, *_: short_id(row.md.msg_id)),
    PaneColumn(
        "correl_id", "correlation id", "end of the correlation id", 17, lambda row, *_: short_id(row.md.correl_id)
    ),
    PaneColumn("group_id", "group id", "end of the group id", 17, lambda row, *_: short_id(row.md.group_id)),
    PaneColumn(
        SEQUENCE, "group", "number in the group, and of how many", 5, lambda row, _, seen: seen.place_of(row), 7
    ),
    PaneColumn("reply_to", "reply to", "reply-to queue", 12, lambda row, *_: _reply_to(row), 20),
    PaneColumn("length", "length", "length in bytes", 6, lambda row, *_: _length(row), 7, is_right=True),
    PaneColumn(DIFFERENCE, "", "the data from where the listed messages differ", 0, lambda *_: ""),
    PaneColumn(DATA, "data", "destination and beginning of the data", 0, lambda row, *_: row.words),
)
BY_ID = {column.id: column for column in ALL}

#: The default columns.
USUAL = ("time", "priority", TYPE, SEQUENCE, "length", DATA)

#: Columns in the order in which they are dropped for lack of room, after those that are not named here, last first.
_GIVES_WAY = ("priority", "length", "time", SEQUENCE, TYPE)


def select_known(ids: Iterable[str]) -> list[str]:
    """Return the valid ids in display order, values before the data; the default columns when none is valid."""
    chosen = list(dict.fromkeys(ids))
    known = [column.id for column in ALL if column.id in chosen]
    values = [id for id in chosen if id.startswith((JSON_PATH, PROPERTY))]
    at = len(known) - (DATA in known) - (DIFFERENCE in known)
    return [*known[:at], *values, *known[at:]] or list(USUAL)


def column_of(id: str) -> PaneColumn:
    """Return a column by its id."""
    if id in BY_ID:
        return BY_ID[id]
    kind, _, name = id.partition(":")
    words = f"{'JSON' if kind + ':' == JSON_PATH else kind} {name}"
    return PaneColumn(
        id, visible(name), visible(words), _NARROW_VALUE, lambda row, *_: row.values.get(id, ""), _WIDE_VALUE
    )


class ColumnLayout(NamedTuple):
    """The columns that fit into a line, each with its width, and those that are left out.

    has_data: the data column follows them, in data_width cells.  prefix: of the data that is left out.
    """

    cells: list[tuple[PaneColumn, int]]
    left_out: list[PaneColumn]
    has_data: bool
    data_width: int
    prefix: str = ""

    def heading(self, time: str) -> str:
        """Return the heading line. time: heading of the time column."""
        texts = [time if column.id == "time" else column.heading for column, _ in self.cells]
        parts = [" " * STATE]
        for (column, width), text in zip(self.cells, texts, strict=True):
            parts.append(format_cell(text, width, right=column.is_right))
        return " ".join([*parts, BY_ID[DATA].heading] if self.has_data else parts)

    def at(self, x: int) -> str:
        """Return the id of the column at a cell of the heading line; empty for none."""
        right = STATE
        for column, width in self.cells:
            right += width + 1
            if x < right:
                return column.id if x >= STATE else ""
        return DATA if self.has_data else ""

    def row(self, row: Row, clock: Clock, seen: Seen, needle: str = "") -> list[Cell]:
        """Return the cells of a row behind its state. needle: text whose hits in the data are marked."""
        cells: list[Cell] = []
        for column, width in self.cells:
            text = visible(column.text(row, clock, seen))
            cells.append((f" {format_cell(text, width, right=column.is_right)}", _role(column.id, text, row)))
        return [*cells, *mark_hits(self._data(row, needle), needle)] if self.has_data else cells

    def _data(self, row: Row, needle: str) -> list[Cell]:
        """Return destination and data; from the first hit on where that would be cut off."""
        cells: list[Cell] = []
        width = max(1, self.data_width)
        if row.target:
            target = cut_middle(row.target, min(_TARGET, max(6, width * 2 // 5)))
            cells.append((f" → {target} ", colours.KEY))
            width = max(1, width - cell_len(target) - 4)
        begin = len(self.prefix) - 1 if self.prefix and row.beginning.startswith(self.prefix) else 0
        hits = find_hits(row.beginning, needle)
        if hits and hits[0][1] > width:
            begin = max(0, hits[0][0] - min(width // 4, max(0, width - len(needle) - 1)))
        text = f"…{row.beginning[begin + 1 :]}" if begin else row.beginning
        return [*cells, (f" {shorten(text[: width + 1], width)}", colours.TEXT)]


def _role(id: str, text: str, row: Row) -> str:
    """Return the role of a cell: the reason of a dead letter is a danger; times, zeros and noughts are dim."""
    if id == TYPE and row.is_dead:
        return colours.DANGER
    if id == "backouts" and text != "0":
        return colours.WARN
    return colours.DIM if id in ("time", TYPE, "format") or text in ("0", "no") else colours.TEXT


def fit(ids: Sequence[str], width: int, seen: Seen | None = None) -> ColumnLayout:
    """Lay out columns for a line. ids: of the requested columns.  width: in cells.  seen: rows that they are for."""
    has_data = DATA in ids
    prefix = seen.prefix if seen is not None and DIFFERENCE in ids and len(seen.prefix) >= _LEAST_PREFIX else ""
    shown = [
        column_of(id)
        for id in ids
        if id not in (DATA, DIFFERENCE) and (id != SEQUENCE or (seen is not None and seen.has_groups))
    ]
    left_out: list[PaneColumn] = []
    while True:
        narrow = [column.narrow for column in shown]
        can_be_narrow = all(column.id in (TYPE, SEQUENCE) for column in shown)
        for widths in ([_wide(column, seen) for column in shown], narrow):
            left = width - STATE - 1 - sum(one + 1 for one in widths)
            least = _WIDE_DATA if widths != narrow else _LEAST_BEHIND_TYPE if can_be_narrow else _LEAST_DATA
            least = least if has_data else 0
            if left >= least or not shown:
                cells = list(zip(shown, widths, strict=True))
                return ColumnLayout(cells, left_out, has_data=has_data, data_width=left + 1, prefix=prefix)
        left_out.append(_first_to_go(shown))
        shown.remove(left_out[-1])


def _wide(column: PaneColumn, seen: Seen | None) -> int:
    """Return the width of a column where there is room: types are as wide as they have to be."""
    wide = column.wide if column.id != TYPE or seen is None else min(column.wide, seen.longest_type)
    return max(column.narrow, wide)


def _first_to_go(shown: list[PaneColumn]) -> PaneColumn:
    others = [column for column in shown if column.id in BY_ID and column.id not in _GIVES_WAY]
    if others:
        return others[-1]
    return min(shown, key=lambda column: _GIVES_WAY.index(column.id) if column.id in BY_ID else len(_GIVES_WAY))

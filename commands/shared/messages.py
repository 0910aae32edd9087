"""Output of messages in the requested format, the same for get, browse and lock."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

from mqtools.constants.states import UNLOCKED
from mqtools.formats.hexdump import hexdump
from mqtools.formats.message_values import PREVIEW_BYTES as PREVIEW_BYTES
from mqtools.formats.message_values import MessageView, sort_key, value_of
from mqtools.formats.rows import Column, write_rows
from mqtools.formats.table_fit import END
from mqtools.formats.terminal import visible
from mqtools.formats.units import rfc3339
from mqtools.message import Message
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import StoredMessage, as_message, load_data, load_message
from mqtools.records import OptionRecord

from . import command_session
from .command_session import JSON, Session, UsageError
from .output_rows import color_wanted, table_width
from .raw_messages import RawWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.formats.message_template import Template
    from mqtools.operations.stored_messages import Source

#: Formats with one row a message.
ROWS = ("table", "plain", "csv")

#: Columns of a table in the order of their importance: the last ones are left out where a terminal is narrow.
_ORDER = ("msg_id", "state", "lock_id", "data", "age", "put_at", "length", "priority", "type", "format")
_RANKS = {name: rank for rank, name in enumerate(_ORDER)}
_NUMBERS = ("priority", "length", "age")


class Shape(OptionRecord):
    """Form of the output that a command line asks for.

    columns: names, empty for those of the command.  sort: column to sort by, with ``-`` before it for the reverse.
    template: in place of an output format.  show_time: milliseconds since 1970 to text.
    """

    columns: Sequence[str] = ()
    sort: str = ""
    template: Template | None = None
    show_time: Callable[[int], str] = staticmethod(rfc3339)

    def needs_body(self, output: str) -> bool:
        """Return whether messages are written with their whole data."""
        if self.template is not None:
            return self.template.has_body
        return output not in ROWS and not self.columns


def show_stored(
    session: Session, source: Source, q_name: str, keys: Iterable[int], lock_id: bytes | None = None
) -> None:
    """Print messages by their keys, as a dry run does; those that are gone are left out."""
    shown = writer(session)
    for key in keys:
        stored = load_message(source, key)
        if stored is not None:
            shown.write_stored(stored, load_data(source, key), q_name, lock_id)
    shown.finish()


def writer(
    session: Session,
    *,
    default: str = "",
    separator: bytes = b"\n",
    force: bool = False,
    with_state: bool | None = None,
    shape: Shape | None = None,
) -> MessageWriter:
    """Return a writer for the output format of the session.

    default: format when none was requested, empty for that of a list.  separator: text that ends each message of raw
    output.  force: write exact bytes to a terminal.  with_state: whether rows have state and lock id; None to decide by
    the first message, where all are in the same state.  shape: columns, order, template.
    """
    output = session.output or default or session.list_output
    if output not in command_session.MESSAGES:
        raise UsageError(f"no output format {output!r} here: {', '.join(command_session.MESSAGES)}")
    if shape is not None and shape.columns and output not in (*ROWS, *command_session.JSON):
        raise UsageError(f"--columns cannot be combined with -o {output}")
    return MessageWriter(session, output, RawWriter(separator, force), shape or Shape(), with_state)


class MessageWriter:
    """Writer of messages; ``finish`` ends the document."""

    def __init__(self, session: Session, output: str, raw: RawWriter, shape: Shape, with_state: bool | None) -> None:
        self.q_mgr_name = ""
        self.ccsid = 1208
        self._session = session
        self._output = output
        self._raw = raw
        self._with_state = with_state
        self._shape = shape
        self._to_sort: list[MessageView] = []
        self._written = 0
        self._rows: list[dict[str, object]] = []
        self._has_header = output == "plain"

    @property
    def is_holding(self) -> bool:
        """Whether messages are held that are not written yet: those to be sorted, and the rows of a table."""
        return bool(self._to_sort) or (self._output == "table" and bool(self._rows))

    def write_message(self, message: Message, q_name: str) -> None:
        """Write a message returned by a get, and flush it."""
        self.write(message, q_name, UNLOCKED, None)

    def write_stored(self, stored: StoredMessage, data: bytes, q_name: str, lock_id: bytes | None = None) -> None:
        """Write a stored message. data: all of it, or the beginning that a row shows."""
        message = as_message(stored, data, now_ms())
        self.write(message, q_name, stored.state, lock_id, length=stored.data_length)

    def write(
        self, message: Message, q_name: str, state: int, lock_id: bytes | None, *, length: int | None = None
    ) -> None:
        """Write a message in any state. length: of the whole data, where only its beginning is given."""
        view = MessageView(
            message,
            q_name=q_name,
            q_mgr_name=self.q_mgr_name,
            state=state,
            lock_id=lock_id or b"",
            whole_length=length,
            ccsid=self.ccsid,
            show_time=self._shape.show_time,
            now_ms=now_ms(),
        )
        if self._shape.sort:
            self._to_sort.append(view)
        else:
            self._write(view)

    def _write(self, view: MessageView) -> None:
        if self._shape.template is not None:
            is_text = sys.stdout.isatty() and not self._raw.force
            command_session.write_out(self._shape.template.render(view, for_terminal=is_text))
        elif self._output == "raw":
            self._raw.write_message(view.message)
        elif self._output in JSON:
            self._write_json(view)
        elif self._output in ("hex", "listing"):
            self._write_listing(view.message)
        else:
            if self._with_state is None:
                self._with_state = view.state != UNLOCKED
            self._rows.append({name: value_of(view, name) for name in self._column_names()})
            if self._output != "table":
                self.flush()
        self._written += 1

    def _column_names(self) -> Sequence[str]:
        if self._shape.columns:
            return self._shape.columns
        names = ["msg_id", "put_at", "priority", "type", "format", "length", "data"]
        if self._output == "table":
            names.insert(2, "age")
        if self._with_state:
            names[1:1] = ["state", "lock_id"]
        return names

    def _write_sorted(self) -> None:
        """Write the held messages in the order asked for."""
        name = self._shape.sort.removeprefix("-")
        keyed = [(sort_key(view, name), view) for view in self._to_sort]
        keyed.sort(key=lambda each: each[0] or (), reverse=self._shape.sort.startswith("-"))
        keyed.sort(key=lambda each: each[0] is None)  # messages without a value are last in both directions
        self._to_sort = []
        for _, view in keyed:
            self._write(view)

    def flush(self) -> None:
        if (
            self._shape.template is None
            and self._output in ("table", "plain", "csv")
            and (self._rows or not self._has_header)
        ):
            write_rows(
                self._rows,
                _columns(self._column_names()),
                self._output,
                lambda text: command_session.write_out(text.encode("utf-8")),
                header=not self._has_header,
                color=color_wanted(self._session),
                width=table_width(self._session),
            )
            self._has_header = True
            self._rows = []

    def finish(self) -> None:
        """End the document: write the bracket of a JSON array, the rows of a table."""
        self._write_sorted()
        is_document = self._shape.template is None
        if is_document and self._output == "json":
            command_session.write_out(b"]\n" if self._written else b"[]\n")
        elif is_document and self._output in ("table", "csv"):
            self.flush()
        sys.stdout.buffer.flush()

    def _write_json(self, view: MessageView) -> None:
        text = self._json_of(view).encode("utf-8")
        if self._output == "jsonl":
            command_session.write_out(text + b"\n")
        else:
            command_session.write_out((b",\n" if self._written else b"[") + text)

    def _json_of(self, view: MessageView) -> str:
        """Return the values of the columns asked for, else the envelope of a message."""
        from mqtools.formats.envelope.envelope import to_envelope
        from mqtools.formats.jsontext import dumps

        if self._shape.columns:
            return dumps({name: value_of(view, name) for name in self._shape.columns})
        return dumps(
            to_envelope(
                view.message,
                qmgr=self.q_mgr_name,
                queue=view.q_name,
                state=view.state,
                lock_id=view.lock_id or None,
                ccsid=self.ccsid,
            )
        )

    def _write_listing(self, message: Message) -> None:
        from mqtools.formats.message_listing import describe

        lines = describe(message, ccsid=self.ccsid) if self._output == "listing" else hexdump(message.data, ebcdic=True)
        if self._written:
            command_session.write_line("")
        for line in lines:
            command_session.write_line(visible(line))
        sys.stdout.buffer.flush()


def _columns(names: Sequence[str]) -> list[Column]:
    return [
        Column(
            name,
            align="right" if name in _NUMBERS else "left",
            rank=_RANKS.get(name, len(_RANKS)),
            cut=END if name == "data" else None,
        )
        for name in names
    ]

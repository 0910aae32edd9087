"""Layout of one message as lines of text, by tab. Everything that comes from the message is made visible here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.names import name_of
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import MQError
from mqtools.formats.header_view import header_to_dict
from mqtools.formats.hexdump import hexdump
from mqtools.formats.message_listing import describe_descriptor
from mqtools.formats.properties import property_to_dict
from mqtools.formats.terminal import visible
from mqtools.formats.units import human_age, rfc3339
from mqtools.headers.chain import Chain, Header, read_dlh, walk
from mqtools.headers.charsets import decode_text
from mqtools.headers.folders import outline
from mqtools.mqi.get.search import properties_of, remaining_ms, stands_still
from mqtools.operations.views.message_view import StoredMessage, decode_for_display
from mqtools.tui.display.folds import find_folds
from mqtools.tui.display.highlight import in_columns
from mqtools.tui.display.row import Row
from mqtools.tui.display.tabs import DESCRIPTOR, HEADERS, HEX, JSON, TABS, TEXT, XML, Detail, explain_layout
from mqtools.tui.display.trees import TREES

#: Padding of a quoted text, and of a hexadecimal one of zeros only.
_PADDING = r" +(?='$)|(?<=X'00)(?:00)+(?='$)"
#: First characters of JSON and XML, and the tab that lays it out.
_BEGINNINGS = {"{": JSON, "[": JSON, "<": XML}
_BLANK = "\ufeff \r\n\t"
#: Widths that a line of the hex tab can have, the bytes in it, and whether it has a column in EBCDIC.
_HEX_WIDTHS = ((89, 16, True), (70, 16, False), (53, 8, True), (0, 4, True))


def make_detail(
    stored: StoredMessage,
    data: bytes,
    tab: int | None,
    width: int,
    *,
    owner: str,
    made_of: tuple[object, ...],
    related: Sequence[tuple[str, Row]] = (),
) -> Detail:
    """Lay out a tab of a message.

    data: maybe only the beginning.  tab: None for what fits the body: text, or hex.  width: of a line, in characters.
    owner, made_of: as in ``Detail``.  related: for the headers: messages that have to do with it, with their queues.
    """
    md = stored.md
    body = Body(stored, data)
    kind = body.kind
    if tab is None:
        tab = TEXT if body.is_text else HEX
    lines = [*_LAYOUTS[tab](body, width), *_related(related)]
    return Detail(
        stored.seq,
        tab,
        md.msg_id.hex().upper(),
        owner,
        lines,
        len(data),
        stored.data_length,
        made_of,
        _reason(stored, data),
        kind,
        len(body.chain.headers),
        find_folds(lines) if tab in (JSON, XML, HEADERS) else {},
    )


def _reason(stored: StoredMessage, data: bytes) -> str:
    """Return why a message is a dead letter, where it was to go, and who put it; empty for another message."""
    if stored.md.format != MQFMT_DEAD_LETTER_HEADER:
        return ""
    try:
        dlh = read_dlh(stored.md, data)
    except MQError:
        return "no valid MQDLH"
    named = name_of("MQRC", dlh.reason) or name_of("MQFB", dlh.reason) or "reason"
    to = f"{dlh.dest_q_name}@{dlh.dest_q_mgr_name}" if dlh.dest_q_mgr_name else dlh.dest_q_name
    words = [f"{str(named).removeprefix('MQRC_')} {dlh.reason}", f"for {to}"]
    return visible(" · ".join([*words, *([f"by {dlh.put_appl_name}"] if dlh.put_appl_name else [])]))


class Body:
    """The data of a message, split into headers and body. data: maybe only the beginning."""

    def __init__(self, stored: StoredMessage, data: bytes) -> None:
        self.stored = stored
        self.data = data
        self.is_cut = len(data) < stored.data_length
        md = stored.md
        self.chain: Chain = walk(data, md.format, md.encoding, md.coded_char_set_id)
        self.bytes = data[self.chain.body_offset :]
        self.text = decode_for_display(self.bytes, self.chain.body_ccsid, self.chain.body_encoding, is_cut=self.is_cut)

    @property
    def is_text(self) -> bool:
        """Whether the body is text in its character set, without NULs."""
        if self.chain.error is not None or "\0" in self.text:
            return False
        ccsid = self.chain.body_ccsid
        for shorter in range(4 if self.is_cut else 1):
            try:
                decode_text(self.bytes[: len(self.bytes) - shorter], max(ccsid, 0) or 1208, self.chain.body_encoding)
            except MQError:
                continue
            return True
        return False

    @cached_property
    def tree(self) -> tuple[int, list[str]]:
        """The tab that lays the body out, and its lines. Raises ValueError, RecursionError: it only looks like that."""
        tab = _BEGINNINGS.get(self.text.lstrip(_BLANK)[:1], 0)
        return tab, [visible(line) for _, line in TREES[tab](self.text)] if tab else []

    @property
    def kind(self) -> int:
        """JSON or XML when the body is that, by its beginning when only that is there; 0 for anything else."""
        if self.chain.error is not None:
            return 0
        if self.is_cut:
            return _BEGINNINGS.get(self.text.lstrip(_BLANK)[:1], 0)
        try:
            return self.tree[0]
        except (ValueError, RecursionError):
            return 0


def _text(body: Body, _: int) -> Iterator[str]:
    for line in body.text.split("\n"):
        yield visible(line)


def _hex(body: Body, width: int) -> Iterator[str]:
    """Yield all of the data, headers included, so that offsets are those of the message."""
    wide, ebcdic = next((number, ebcdic) for least, number, ebcdic in _HEX_WIDTHS if width >= least)
    return hexdump(body.data, ebcdic=ebcdic, width=wide)


def _tree_of(body: Body, _: int, tab: int) -> Iterator[str]:
    """Yield the body as JSON or XML: of a long one the beginning; words where it is not that."""
    lines = 0
    try:
        for _, line in TREES[tab](body.text):
            lines += 1
            yield visible(line)
    except (ValueError, RecursionError) as error:
        if lines and body.is_cut:
            return  # where the beginning ends
        other = f"; tab {body.kind} shows it as {TABS[body.kind]}" if body.kind else ""
        yield f"{visible(explain_layout(tab, error))}{other}"


def _descriptor(body: Body, width: int) -> Iterator[str]:
    stored = body.stored
    lines = [
        *(re.sub(_PADDING, "", line) for line in describe_descriptor(stored.md)),
        f"  {'DataLength':16} : {stored.data_length}",
        f"  {'ArrivedAt':16} : {rfc3339(stored.put_at)}",
        *([] if stored.expires_at is None else [f"  {'ExpiresAt':16} : {_expiry(stored.expires_at)}"]),
        f"  {'State':16} : {STATE_NAMES[stored.state]}",
    ]
    return iter(in_columns(lines, width))


def _expiry(expires_at: int) -> str:
    """Return when a message expires; the expiry of a pulled one stands still."""
    if stands_still(expires_at):
        return f"stands still, {human_age(remaining_ms(expires_at, 0) / 1000)} left"
    return rfc3339(expires_at)


def _headers(body: Body, width: int) -> Iterator[str]:
    for header in body.chain.headers:
        yield f"MQ{header.struc_id} at {header.offset}, {header.length} bytes"
        fields = _with_numbers(header)
        folders = fields.pop("folders", None)
        yield from in_columns(list(_tree(fields, "  ")), width)
        for folder in folders if isinstance(folders, list) else ():
            yield from map(visible, _folder(str(folder), "  "))
    if body.chain.error is not None:
        yield visible(f"at {body.chain.body_offset}: {body.chain.error.text}")
    if not body.chain.headers and body.chain.error is None:
        yield "no headers"
    properties = properties_of(body.stored)
    yield ""
    yield "properties" if properties else "no properties"
    for name, value in properties.items():
        shown = property_to_dict(value)
        yield visible(f"  {name} : {shown['value']!s}  * {shown['type']}")


def _with_numbers(header: Header) -> dict[str, object]:
    """Return the fields of a header; a name is followed by its number."""
    shown = header_to_dict(header)
    for name, value in shown.items():
        number = getattr(header.record, name, None)
        if isinstance(value, str) and isinstance(number, int):
            shown[name] = f"{value} {number}"
    return shown


def _tree(value: object, indent: str) -> Iterator[str]:
    """Yield the lines of nested JSON values."""
    items: list[tuple[str, object]] = []
    if isinstance(value, dict):
        items = [(f"{key} : ", item) for key, item in value.items()]
    elif isinstance(value, list):
        items = [("- ", item) for item in value]
    for name, item in items:
        if isinstance(item, dict | list) and item:
            yield visible(f"{indent}{name}".rstrip(" "))
            yield from _tree(item, indent + "  ")
        else:
            yield visible(f"{indent}{name}{'' if item in ([], {}) else item}")


def _folder(folder: str, indent: str) -> list[str]:
    """Return a folder of an MQRFH2 as a tree; as it is where it is not well formed."""
    try:
        return [_element(indent, *element) for element in outline(folder)]
    except MQError as error:
        return [f"{indent}folder : {folder}  * {error.text}"]


def _element(indent: str, depth: int, name: str, attributes: dict[str, str], content: str) -> str:
    comment = " ".join(value if name == "dt" else f"{name}={value}" for name, value in attributes.items())
    said = f" : {content}" if content else ""
    return f"{indent}{'  ' * depth}{name}{said}{f'  * {comment}' if comment else ''}"


def _related(found: Sequence[tuple[str, Row]]) -> Iterator[str]:
    """Yield the reports and replies about the message on its reply-to queue, and the message that it is about."""
    if found:
        yield ""
        yield "reports, replies, and the message that this is about"
    for q_name, row in found:
        yield visible(f"  {q_name} : {row.kind}  {rfc3339(row.put_at)}  {row.md.msg_id.hex().upper()}")


_LAYOUTS: dict[int, Callable[[Body, int], Iterator[str]]] = {
    TEXT: _text,
    HEX: _hex,
    JSON: partial(_tree_of, tab=JSON),
    XML: partial(_tree_of, tab=XML),
    DESCRIPTOR: _descriptor,
    HEADERS: _headers,
}

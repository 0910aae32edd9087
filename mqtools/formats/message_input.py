"""Files of messages in any form that is known by its first line: a dump, a browse listing, JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from mqtools.formats.delimiters import TooLong
from mqtools.formats.dump.reader import read_dump
from mqtools.formats.jsonl_input import read_jsonl
from mqtools.formats.listing_input import read_listing
from mqtools.formats.mistakes import Findings, ReadMessage
from mqtools.headers.charsets import DEFAULT_CCSID

Reader: TypeAlias = Callable[[Iterable[tuple[int, bytes]], Findings, int], Iterator[ReadMessage]]

#: The beginning of the first line to the form. A first line that begins otherwise is of no known form; comments
#: in front of a dump without a header, and blank lines, do not count.
_DUMP, _LISTING, _JSON, _BARE = "dump", "listing", "json", "dump without a header"
_BEGINNINGS = (
    (b"* QLOAD", _DUMP),
    (b"* DMPMQMSG", _DUMP),
    (b"AMQSBCG0", _LISTING),
    (b" MQ message with ", _LISTING),
    (b"****Message descriptor****", _LISTING),
    (b"{", _JSON),
    (b"A ", _BARE),
    (b"N", _BARE),
)
#: Form to what reads it; the others are dumps.
_READERS: dict[str, Reader] = {_JSON: read_jsonl, _LISTING: read_listing}


def read_messages(
    lines: Iterable[bytes],
    findings: Findings,
    form: str | None = None,
    *,
    default: str | None = None,
    ccsid: int = DEFAULT_CCSID,
) -> Iterator[ReadMessage]:
    """Read the messages of a file one by one; what is wrong goes to the findings, and none of it is given.

    lines: with their ends; where they raise TooLong, that is a mistake and the end.
    form: ``json`` if the caller knows it; else its first line decides.  default: the form where that is unclear.
    ccsid: of the character fields of descriptors: the queue manager's.
    Only one message is held at a time. A file without a line that counts has no messages and no mistakes.
    """
    try:
        yield from _read(enumerate(lines, 1), findings, form, default, ccsid)
    except TooLong as error:
        findings.mistake((error.number, 1), "this line is longer than that of any message")


def _read(
    numbered: Iterator[tuple[int, bytes]], findings: Findings, form: str | None, default: str | None, ccsid: int
) -> Iterator[ReadMessage]:
    first = next(((number, line) for number, line in numbered if _counts(line)), None)
    if first is None:
        return iter(())
    number, line = first
    form = form or _form_of(line) or default
    if form is None:
        findings.mistake(
            (number, 1), "a dump (* QLOAD, * DMPMQMSG), a listing (AMQSBCG0) or JSON lines ({) must begin here"
        )
        return iter(())
    if form == _BARE:
        findings.warn((number, 1), "there is no header of a dump; it is taken as one")
    return _READERS.get(form, read_dump)(chain([(number, line)], numbered), findings, ccsid)


def _counts(line: bytes) -> bool:
    """Return whether a line is neither blank nor a comment of an unknown form."""
    return bool(line.strip()) and (not line.startswith(b"*") or _form_of(line) is not None)


def _form_of(line: bytes) -> str | None:
    return next((form for beginning, form in _BEGINNINGS if line.startswith(beginning)), None)

"""``mqx unload``: write the messages of a queue to a dump."""

from __future__ import annotations

from typing import Any

import click

from mqtools.constants.message import MQENC_NATIVE
from mqtools.formats.dump import display as dump_display
from mqtools.operations.archive_files import check_arrow
from mqtools.operations.selection import Selection

from ..shared import click_options, past
from ..shared.command_session import Session, UsageError
from . import unload
from .request import BATCH, UnloadRequest


def _form(text: str) -> tuple[int, int]:
    ccsid, _, encoding = text.partition(":")
    numbers = (ccsid, encoding or str(MQENC_NATIVE))
    if not all(number.isdecimal() for number in numbers) or int(ccsid) == 0:
        raise ValueError("a CCSID such as 1208, or with an encoding 1208:546")
    return int(numbers[0]), int(numbers[1])


@click.command("unload")
@click.argument("queue")
@click.argument("file", required=False, callback=click_options.none_for_stream)
@click.option("--move", is_flag=True, help="Remove the messages once they are safely on disk")
@click.option(
    "-d",
    "--display",
    "words",
    multiple=True,
    metavar="LETTERS|NAMES",
    help="Output form: letters of dmpmqmsg, or their names, comma-separated (below)",
)
@click.option("--jsonl", is_flag=True, help="Write JSON lines, as browse -o jsonl does")
@click.option("--parquet", metavar="FILE", help="Write a Parquet file (extra arrow)")
@click.option("--mask", metavar="FIELD,...", help="With --parquet: digests of fields")
@click.option("--strip-headers", is_flag=True, help="Remove MQDLH and MQXQH (-h of dmpmqmsg)")
@click.option(
    "--convert",
    type=click_options.Converted("ccsid", _form),
    metavar="CCSID[:ENCODING]",
    help="Convert the data (-P of dmpmqmsg); default encoding: 546",
)
@click_options.number
@click.option("--append", is_flag=True, help="Append to FILE")
@click.option("--force", is_flag=True, help="Overwrite FILE without confirmation")
@click_options.batch(BATCH, "Messages in one unit of --move; all: one unit of work")
@past.at
@click.option("--dry-run", is_flag=True, help="Show what would be unloaded, without writing it")
@click_options.selection
@click_options.general_elsewhere
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Write the messages of QUEUE to FILE, or to standard output, in the text form of dmpmqmsg (its options: man page).

    \b
    mqx unload DLQ dlq.dump
    mqx unload DLQ dlq.dump --move --reason MQRC_Q_FULL --older 1h
    mqx unload ORDERS --pos 3..7 -d printable,index
    mqx unload ORDERS 'orders/%N.dump' -n 100
    mqx unload ORDERS --jsonl | mqx load ORDERS -m OTHER
    mqx unload ORDERS --parquet orders.parquet --where "colour = 'red'"

    The messages that any program could get are written in delivery order. They stay on the queue; with --move, each
    unit of work removes its messages after they have been flushed to disk. mqx load of the file restores the same
    messages, byte for byte. Properties are written as an MQRFH2 in front of the data, as in MQ. A comment has the
    properties again, and all fields that the format lacks.

    -d takes letters (pw40i) or comma-separated names (printable,width=40,index). Data is written in hex. a characters
    adds a column of characters. A invariant writes strings of characters that all code pages share, and hex between
    them. p printable writes strings of printable characters. t text writes lines of text, without line ends.

    Further letters: c application-text writes ApplIdentityData and ApplOriginData as characters; w<n> or width=<n> is
    the number of bytes in a line of hex; i index numbers the messages; H no-header and N no-descriptor omit these.
    Instead of a dump, T ages lists how long each message has been on the queue. s summary prints statistics by age and
    size to standard error; M msg-ids and C correl-ids add the ids of the oldest message, the largest, and so on.

    FILE with %n (the number of the message; also %i and %o, and %N, %I, %O with five digits): one file per message.
    Dates and times are %yy %mm %dd %HH %M %S; %% is a percent sign.

    With --strip-headers a dead letter is written as the original message, and a message of a transmission queue with
    its original descriptor; damaged headers stay. With --convert the data and the headers in front of it are converted
    as by a get; a message that cannot be converted is written unchanged (4).

    --at writes the messages that were on the queue at that time, which its JOURNAL(BODY) must cover.

    --parquet FILE writes a table for polars, DuckDB and pandas: the columns of mqx pipeline archive, in the order of
    arrival. mqx load cannot read it. --mask data,property:NAME replaces values with digests; equal values have equal
    digests. Their key is MQX_MASK_KEY, or the file mask.key in the folder of the queue managers.

    Exit status: 0 unloaded; 2 FILE exists, or a time that cannot be shown; 3 no messages; 4 not all converted; 5
    unknown queue; 8 gets inhibited; 9 damaged messages were left out, and each was named; 10 all were damaged, or disk
    full; messages that are not in the file stay on the queue.
    """
    session.refuse_elsewhere(given, "at", "parquet")
    words, parquet, mask = given.pop("words"), given.pop("parquet"), given.pop("mask")
    try:
        display = dump_display.parse_display(words)
    except ValueError as error:
        raise UsageError(f"-d: {error}", "mqx unload --help lists the letters") from error
    request = UnloadRequest(**given, display=display, selection=selection)
    _check(request, has_letters=bool(words))
    if parquet is not None or mask is not None:
        return _write_parquet(session, request, parquet, mask)
    return unload.unload(session, request)


def _write_parquet(session: Session, request: UnloadRequest, file: str | None, mask: str | None) -> int:
    if file is None:
        raise UsageError("--mask requires --parquet")
    plain = UnloadRequest(request.queue, selection=Selection(where=request.selection.where), force=request.force)
    if request != plain or file == "-":
        raise UsageError("--parquet requires a file name, and can be combined with --force, --mask and --where only")
    check_arrow("--parquet")
    from .parquet import unload_parquet

    return unload_parquet(session, request, file, mask.split(",") if mask else ())


def _check(request: UnloadRequest, *, has_letters: bool) -> None:
    """Raise UsageError for options that cannot be combined."""
    display = request.display
    if request.jsonl and has_letters:
        raise UsageError("-d cannot be combined with --jsonl")
    if request.move and (display.ages or display.summary or display.data == dump_display.TEXT):
        raise UsageError(
            "--move cannot be combined with -d ages, summary or text: the messages could not be loaded again"
        )
    if request.move and request.at is not None:
        raise UsageError("--move cannot be combined with --at: the past cannot be changed")

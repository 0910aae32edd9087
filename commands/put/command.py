"""``mqx put``: put messages from arguments, files or standard input on a queue."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mqtools.constants.message import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_MSG_IN_GROUP,
    MQMT_REQUEST,
)
from mqtools.constants.options import MQPMO_NONE, MQPMO_SET_ALL_CONTEXT
from mqtools.formats.times import parse_time
from mqtools.message import MQMD
from mqtools.mqi.identity import now_ms

from ..shared import click_options, descriptor_options
from ..shared.command_session import Session, UsageError, given_option
from ..shared.dependent_options import check_required
from ..shared.named_values import named_value
from ..shared.rate import paced
from . import csv_input, input, put, reference
from .reply import WAIT_S, ReplyRequest, put_and_wait
from .request import BATCH, PutRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from mqtools.message import Message

    _Source: TypeAlias = tuple[Iterable[Message], input.Pause | None]

#: Words for the types of a message.
TYPES = {"datagram": 8, "request": 1, "reply": 2, "report": 4}
#: Fields of the descriptor that options of their names set.
_FIELDS = (
    "msg_type", "priority", "persistence", "expiry", "msg_id", "correl_id", "group_id", "msg_seq_number", "encoding",
    "coded_char_set_id", "report", "feedback",
)  # fmt: skip


def _message_type(text: str) -> int:
    return TYPES[text] if text in TYPES else named_value("MQMT", text)


def _report(text: str) -> int:
    value = 0
    for word in text.split(","):
        known = word.strip().upper().replace("-", "_")
        for suffix, full in (("_DATA", "_WITH_DATA"), ("_FULL", "_WITH_FULL_DATA")):
            if known.endswith(suffix) and "WITH" not in known:
                known = known.removesuffix(suffix) + full
        value |= named_value("MQRO", word.strip(), {"DISCARD": "DISCARD_MSG"}.get(known, known))
    return value


@click.command("put")
@click.argument("queue")
@click.argument("data", nargs=-1, type=click.UNPROCESSED)
@click.option("--lines", is_flag=True, help="Read one message per line of stdin")
@click.option("-0", "--null", "null", is_flag=True, help="Read messages ended by NUL from stdin")
@click.option("--delimiter", metavar="STR", help="Read messages ended by this text from stdin")
@click.option("--jsonl", is_flag=True, help="Read one JSON message per line of stdin, as browse -o jsonl writes it")
@click.option("--csv", "is_csv", is_flag=True, help="Read one message per row of comma-separated values from stdin")
@click.option("--header", is_flag=True, help="With --csv: the first row has the names of the columns")
@click.option(
    "--column",
    "columns",
    metavar="TARGET=COLUMN,…",
    help="With --csv: columns of the data, of fields, and of property:NAME[:TYPE]",
)
@click.option("--keep-context", is_flag=True, help="With --jsonl: keep the whole descriptor")
@click.option("--file", "files", multiple=True, metavar="PATH", help="Read one message from a file; repeatable")
@click.option(
    "--type",
    "msg_type",
    type=click_options.Converted("type", _message_type),
    help="Message type: datagram, request, reply, report or N",
)
@click.option("--priority", type=int, metavar="N", help="Priority, 0 to 9; default: that of the queue")
@descriptor_options.persistence("queue")
@click_options.expiry
@click.option(
    "--delay",
    type=click_options.DURATION,
    metavar="DURATION",
    help="Deliver each message so long after its put: 30s, 10m, 1h; until then no get finds it",
)
@click.option(
    "--deliver-at",
    type=click_options.Converted("time", lambda text: parse_time(text, now_ms())),
    metavar="TIME",
    help="Deliver at this time: 2026-11-28T07:00, 07:00",
)
@click.option("--msg-id", type=click_options.ID, help="Message id: hex or text:WORDS; default: a new one")
@click.option("--correl-id", type=click_options.ID, help="Correlation id: hex or text:WORDS")
@click.option("--group-id", type=click_options.ID, help="Group id: hex or text:WORDS")
@click.option(
    "--seq",
    "msg_seq_number",
    type=click_options.Number(1, 999_999_999),
    metavar="N",
    help="Sequence number in the group",
)
@click.option("--last", is_flag=True, help="Last message of the group; last portion of the object")
@click.option(
    "--segment", type=click_options.SIZE, metavar="SIZE", help="Segment each message into segments of this size"
)
@click.option("--format", "format_name", metavar="NAME", help="Format, at most 8 characters; default: MQSTR for text")
@click.option(
    "--ccsid", "coded_char_set_id", type=int, metavar="N", help="Coded character set of the data; default: 1208"
)
@click.option("--encoding", type=int, help="Encoding of numbers in the data")
@click.option("--reply-to", metavar="Q[@QM]", help="Queue for replies and reports")
@click.option(
    "--report",
    type=click_options.Converted("names", _report),
    help="coa, cod-data, exception-full, expiration, pan, nan, discard, pass-msg-id, …",
)
@click_options.message_properties
@click.option("--feedback", type=click_options.FEEDBACK, metavar="NAME|N", help="Feedback of a report")
@click_options.batch(BATCH, "Messages in one transaction; all: one unit of work")
@click_options.confirm_id("Leave unconfirmed until mqx confirm put")
@click.option("--once", metavar="KEY", help="Put nothing if messages were put under this key within the --window")
@click.option("--window", type=click_options.DURATION, help="With --once: time that the key counts; default: 1d")
@click.option("--print-id", is_flag=True, help="Print the id of each message")
@click.option("--request", is_flag=True, help="Wait for the reply to each message, and print it")
@click.option(
    "--wait",
    type=click_options.DURATION,
    help="With --request: time to wait for each reply; default: 5s",
)
@click.option("--force", is_flag=True, help="With --request: write the exact bytes, also to a terminal")
@reference.options
@click_options.rate
@click.option("--dead-letter", is_flag=True, help="Put messages that QUEUE refuses on the dead-letter queue")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without doing it")
@click_options.general_elsewhere
def command(session: Session, **given: Any) -> int:
    """Put messages on QUEUE: one per DATA; without DATA, all of stdin is one message, byte for byte.

    \b
    mqx put ORDERS 'first order' 'second order' --once "orders of $(date +%F)"
    mqx put BIG --segment 64KB < film.bin
    grep ERROR app.log | mqx put ALERTS --lines --delay 10m --expiry 1h
    mqx put REQ.Q --request --reply-to REP.Q --report coa,cod-data --wait 10s 'who is there?'
    mqx browse OLD -o jsonl | mqx put NEW --jsonl --keep-context
    id=$(mqx put ORDERS --print-id hello)

    - is also stdin. Messages are put as soon as the input pauses. When a put fails, messages put before stay and are
    counted (status 9), except with --batch all and --once. With --jsonl an unknown key is a mistake (2). All mistakes
    are reported with line and column, up to a hundred; no message after the first mistake is put. A character field of
    the descriptor that is not text in the queue manager's CCSID is {"b64": "..."}. Data with --ccsid is text in that
    CCSID, of format MQSTR unless --format is given.

    --csv has the columns that --column names: --header --column data=BODY,priority=PRIO,property:colour=COLOUR. Without
    --column the header has fields, data and property:NAME; without --header columns are numbers from 1. An empty cell
    sets nothing. All rows are read first: after a mistake nothing is put (2).

    --segment puts each message in its own transaction; mqx get --complete reassembles the segments. With
    --group-id 4B01 --seq 3 --last it is the third and last message of that group. A message with --delay or
    --deliver-at counts in the depth, and no get or browse finds it before its time. browse --all-states shows it. Its
    expiry begins with the put.

    With --confirm-id no program sees a message before mqx confirm put; a persistent message and its id survive every
    crash. After a failure a script can repeat the put: while a message is unconfirmed, a put of the same data with the
    same options adds no second message.

    --once puts all messages in one unit of work with KEY, which QUEUE keeps for the --window. Within it a second put
    puts nothing and ends with 0; it waits for one in progress. A put that fails or is killed leaves the key free.

    --request waits for the reply to each message before it puts the next. It writes the reply out as mqx get does, in
    the format of -o. The reply is the message with the identifiers that the request's report options define; reports
    stay on the reply queue. If --reply-to names a model queue, a temporary queue is created from it and deleted at the
    end of the command; it cannot hold persistent replies.

    --reference puts a message that names a file and has no data: the exit REFERENCE of the channel reads the file below
    its root folder and sends it, and the exit at the other end writes it. With --offset and --length it is a portion,
    and all portions of an object have the same --instance-id; a whole object gets a new one. --last marks the last
    portion of the object; not needed for a portion that reaches the end of the file. --format, --ccsid and --encoding
    are those of the file. With --confirm-id also give --instance-id: else it is another message.

    -o json writes one object to stdout: the number of messages put, their ids and keys (seq), and the warnings.

    Exit status: 0 done; 2 invalid message, nothing put; 3 no reply in time; 4 put with a warning; 5 unknown queue; 7
    queue full or message too long; 8 puts inhibited; 9 some put, then a failure, or some without a reply.
    """
    request = _request(given)
    messages, pause = _messages(session, request, given)
    if given["delay"] is not None or given["deliver_at"] is not None:
        messages = _delayed(messages, given["delay"], given["deliver_at"])
    if given["rate"] is not None:
        messages = paced(messages, given["rate"])
        request.batch = None if request.batch is None else max(1, min(request.batch, int(given["rate"])))
    if given["request"] and not request.dry_run:
        is_one = pause is None and len(given["data"] or given["files"]) <= 1
        return put_and_wait(session, request, messages, _replies(given, is_one=is_one))
    return put.put_all(session, request, messages, pause)


def _delayed(messages: Iterable[Message], delay_s: float | None, deliver_at: int | None) -> Iterator[Message]:
    """Yield messages with their delivery time: an instant in ms since 1970, or a time from now on."""
    for message in messages:
        message.deliver_at = deliver_at if delay_s is None else now_ms() + round(delay_s * 1000)
        yield message


def _messages(session: Session, request: PutRequest, given: dict[str, Any]) -> _Source:
    """Return the messages, and the input that pauses between them, if it is a stream."""
    session.refuse_elsewhere(given, "confirm_id", "once", "dead_letter", "delay", "deliver_at", "reference", "dry_run")
    if given["reference"] is not None:
        return reference.messages(request, given), None
    if given["data"]:
        return put.read_arguments(request, list(given["data"])), None
    if given["files"]:
        return input.read_files(request, list(given["files"])), None
    if given["jsonl"]:
        pause = input.Pause()
        return input.read_jsonl(request, pause, keep_context=given["keep_context"]), pause
    if given["is_csv"]:
        return csv_input.read_csv(request, csv_input.parse_columns(given["columns"]), header=given["header"]), None
    delimiter = (
        b"\n"
        if given["lines"]
        else b"\0"
        if given["null"]
        else (given["delimiter"] or "").encode("utf-8", "surrogateescape")
    )
    if delimiter:
        pause = input.Pause()
        return input.read_pieces(request, pause, delimiter, strip_cr=given["lines"]), pause
    if sys.stdin.isatty():
        session.note("reading messages from the terminal, one per line; an empty line or ctrl-D ends input")
        pause = input.Pause()
        return input.read_terminal(request, pause), pause
    return _whole_input(session, request), None


def _whole_input(session: Session, request: PutRequest) -> Iterator[Message]:
    for message in input.read_whole(request):
        if not message.data:
            session.tell_person("standard input is empty, and so is the message")
        yield message


def _replies(given: dict[str, Any], *, is_one: bool) -> ReplyRequest:
    return ReplyRequest(
        given["reply_to"],
        WAIT_S if given["wait"] is None else given["wait"],
        separator=b"" if is_one else b"\0" if given["null"] else b"\n",
        force=given["force"],
    )


def _request(given: dict[str, Any]) -> PutRequest:
    framings = [name for name in ("lines", "null", "delimiter", "jsonl", "is_csv", "files", "data") if given[name]]
    framings += ["reference"] if given["reference"] is not None else []
    if len(framings) > 1:
        options = {"data": "DATA", "files": "--file", "is_csv": "--csv"}
        shown = (options.get(name, f"--{name}") for name in framings)
        raise UsageError(f"only one source of messages is allowed, not {' and '.join(shown)}")
    if given["delimiter"] == "":
        raise UsageError("--delimiter is empty")
    check_required(given, "jsonl", "keep_context")
    if given["delay"] is not None and given["deliver_at"] is not None:
        raise UsageError("--delay cannot be combined with --deliver-at")
    if given["deliver_at"] is not None and given["deliver_at"] <= now_ms():
        raise UsageError("--deliver-at is in the past")
    if (given["header"] or given["columns"] is not None) and not given["is_csv"]:
        raise UsageError("--header and --column require --csv")
    _check_request(given)
    if given["once"] is not None:
        _check_once(given)
    check_required(given, "once", "window")
    reference.check(given)
    own = {name: given[name] for name in ("queue", "print_id", "dry_run", "dead_letter", "once")}
    return PutRequest(
        md=_descriptor(given),
        properties=click_options.properties_of(given["properties"]),
        options=MQPMO_SET_ALL_CONTEXT if given["keep_context"] else MQPMO_NONE,
        batch=1 if given["request"] else None if given["once"] is not None else given["batch"],
        confirm_id=given["confirm_id"] or 0,
        given_format=given["format_name"] is not None,
        segment=_segment(given),
        window_s=PutRequest.window_s if given["window"] is None else given["window"],
        number=len(given["data"] or given["files"]) or None,
        **own,
    )


def _check_request(given: dict[str, Any]) -> None:
    """Raise UsageError for options that --request excludes; set the message type to request."""
    if not given["request"]:
        if option := given_option(given, "wait", "force"):
            raise UsageError(f"{option} requires --request")
        return
    if not given["reply_to"]:
        raise UsageError("--request requires --reply-to Q: a queue for the replies, or a model queue")
    if option := given_option(given, "confirm_id", "dead_letter", "print_id", "keep_context", "delay", "deliver_at"):
        raise UsageError(f"--request cannot be combined with {option}")
    if given["batch"] != BATCH:
        raise UsageError("--request cannot be combined with --batch: it puts each message in its own transaction")
    if given["msg_type"] not in (None, MQMT_REQUEST):
        raise UsageError("--request cannot be combined with another --type than request")
    given["msg_type"] = MQMT_REQUEST


def _check_once(given: dict[str, Any]) -> None:
    if not given["once"]:
        raise UsageError("--once is empty")  # An unset variable of a script must not be a key.
    if option := given_option(given, "request", "confirm_id"):
        raise UsageError(f"--once cannot be combined with {option}")
    if given["batch"] not in (BATCH, None):
        raise UsageError("--once cannot be combined with --batch: all messages are one unit of work")


def _segment(given: dict[str, Any]) -> int:
    size: int | None = given["segment"]
    if size is None:
        return 0
    if size < 1:
        raise UsageError("--segment must be a size greater than zero, such as 4KB")
    if option := given_option(given, "confirm_id", "dead_letter"):
        raise UsageError(
            f"--segment cannot be combined with {option}",
            "--segment puts all segments of a message in one transaction",
        )
    return size


def _descriptor(given: dict[str, Any]) -> MQMD:
    md = descriptor_options.descriptor_of(given, _FIELDS)
    if given["format_name"] is not None:
        md.format = given["format_name"].rstrip()
    if given["reply_to"]:
        md.reply_to_q, _, md.reply_to_q_mgr = given["reply_to"].partition("@")
    if given["last"] and given["reference"] is None:
        md.msg_flags |= MQMF_LAST_MSG_IN_GROUP
    elif given["group_id"] is not None or given["msg_seq_number"] is not None:
        md.msg_flags |= MQMF_MSG_IN_GROUP
    return md

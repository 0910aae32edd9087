"""``mqx report-gen``: generate reports, replies and forwards about messages, as an application would."""

from __future__ import annotations

from typing import Any

import click

from mqtools.operations.reports.generation import Order
from mqtools.operations.selection import Selection

from ..shared import click_options
from ..shared.command_session import Session, UsageError
from .generate import ReportRequest, generate
from .track import clear, track


@click.command("report-gen")
@click.argument("queue")
@click.option(
    "--feedback",
    type=click_options.FEEDBACK,
    metavar="NAME|N",
    help="coa, cod, expiration, pan, nan, MQRC_…, MQFB_… or N; required for a report",
)
@click.option(
    "--action",
    type=click.Choice(["report", "reply", "forward"]),
    default="report",
    show_default=True,
    help="Kind of message to generate",
)
@click.option("--to", metavar="Q[@QM]", help="Target; default: the reply-to queue; required for a forward")
@click.option("--data", metavar="TEXT", help="Data of the new message")
@click.option("--file", metavar="PATH", help="File with the data of the new message; - is stdin")
@click_options.message_properties
@click.option(
    "--md-version",
    type=click.Choice(["1", "2"]),
    default="2",
    show_default=True,
    help="Descriptor version; 1: version-2 fields are in an MQMDE before the data",
)
@click.option(
    "--track",
    type=click_options.ID_PREFIX,
    metavar="GROUPID|MSGID",
    help="Show the status of one original, without generating anything",
)
@click.option("--reports", metavar="QUEUE", help="With --track: queue of the reports; default: the reply-to queue")
@click_options.number
@click.option("--lock-id", type=click_options.LOCK_ID, help="Use messages that mqx lock has locked under this id")
@click.option(
    "--consume",
    is_flag=True,
    help="Remove the original when its report is put; with --track: remove orphan segments",
)
@click.option("--dry-run", is_flag=True, help="Show what would be put and where, without putting it")
@click_options.selection
@click_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Generate a report about each selected message of QUEUE, and put it on the message's reply-to queue.

    \b
    mqx report-gen REQUESTS --msg-id "$id" --feedback pan
    mqx report-gen ORDERS -n 1 --feedback MQRC_FORMAT_ERROR --data 'line 3 is cut' --consume
    mqx report-gen REQUESTS --action reply --file answer.xml --consume
    mqx report-gen STEP1 --action forward --to STEP2@QM2 --consume
    mqx get JOBS --all -o jsonl | mqx report-gen - --feedback pan --dry-run
    mqx report-gen ORDERS --track "$id" --reports ORDERS.REPLY

    Without a selection, all messages that any program could get are used. QUEUE - reads messages from stdin: JSON
    lines, as browse -o jsonl writes them, or a dump or listing, as mqx load reads them. Reports and replies have the
    identifiers that the original requests, a forward keeps its own. In a report on arrival, delivery, expiration or an
    exception the original decides how much of its data is included; any other has no data unless it is given. Headers
    in front of the data are always included. A report that the original does not request is generated with a warning.

    --track shows the status of one message, or one group, that was sent to QUEUE, from the reports about it: which of
    its parts were delivered, have arrived, failed and why, or expired; for which no report came (silent), or none was
    requested (unasked). The exit status is 0 when all parts were delivered, 9 when a part failed or expired, 3 while
    neither is known. Orphans are segments on QUEUE whose message lost another segment; --consume removes them.

    Exit status: 0 done; 3 no messages; 9 some failed; otherwise that of the reason (1 without a reply-to queue).
    """
    if given["track"] is not None:
        return _track(session, selection, given)
    if given["reports"] is not None:
        raise UsageError("--reports requires --track: use --to for another queue than the reply-to queue")
    _check(selection, given)
    own = {name: given[name] for name in ("queue", "limit", "consume", "dry_run")}
    request = ReportRequest(order=_order(given), selection=selection, lock_id=given["lock_id"] or b"", **own)
    return generate(session, request)


def _track(session: Session, selection: Selection, given: dict[str, Any]) -> int:
    usual = {"action": "report", "md_version": "2", "properties": ()}
    makes = ("action", "md_version", "properties", "feedback", "to", "data", "file", "limit", "lock_id")
    if not selection.is_everything or any(given[name] != usual.get(name) for name in makes):
        raise UsageError("--track can only be combined with --reports, --consume and --dry-run")
    if given["queue"] == "-":
        raise UsageError("--track requires the queue of the original")
    if given["reports"] == "" or not given["track"]:
        raise UsageError("--track and --reports require a value")
    original = given["track"], given["queue"], given["reports"] or ""
    return clear(session, *original, dry_run=given["dry_run"]) if given["consume"] else track(session, *original)


def _check(selection: Selection, given: dict[str, Any]) -> None:
    """Raise UsageError for options that cannot be combined."""
    if given["action"] == "report" and given["feedback"] is None:
        raise UsageError("a report requires --feedback", "coa, cod, expiration, pan, nan, MQRC_…, MQFB_… or a number")
    if given["action"] == "forward" and not given["to"]:
        raise UsageError("a forward requires --to")
    if given["to"] is not None and not given["to"].partition("@")[0]:
        raise UsageError(f"--to {given['to']}: expected Q or Q@QM")
    if given["data"] is not None and given["file"] is not None:
        raise UsageError("--data cannot be combined with --file")
    if given["queue"] == "-":
        _check_stdin(selection, given)


def _check_stdin(selection: Selection, given: dict[str, Any]) -> None:
    if given["consume"]:
        raise UsageError("--consume requires a queue, not messages from stdin")
    if given["lock_id"] or not selection.is_everything:
        raise UsageError("a selection requires a queue, not messages from stdin: use mqx browse Q … -o jsonl")
    if given["file"] == "-":
        raise UsageError("cannot read both messages and data from stdin")


def _order(given: dict[str, Any]) -> Any:
    to_q, _, to_q_mgr = (given["to"] or "").partition("@")
    text, data = _data(given["data"], given["file"])
    return Order(
        given["action"],
        feedback=given["feedback"],
        to_q=to_q,
        to_q_mgr=to_q_mgr,
        text=text,
        data=data,
        properties=click_options.properties_of(given["properties"]),
        md_version=int(given["md_version"]),
    )


def _data(text: str | None, path: str | None) -> tuple[str | None, bytes | None]:
    """Return the data as text, or as bytes of a file or of an argument that is not text."""
    if path is not None:
        with click.open_file(path, "rb") as file:
            return None, file.read()
    if text is None:
        return None, None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return None, text.encode("utf-8", "surrogateescape")
    return text, None

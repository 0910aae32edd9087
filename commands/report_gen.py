"""``mqx report-gen``: reports, replies and forwards about messages, as an application makes them."""

from __future__ import annotations

from typing import Any

import click

from mqtools.constants import names
from mqtools.qmgr.selecting import Selection

from . import _options
from ._report_gen import ReportRequest, generate
from ._session import Session, UsageMistake


def _feedback(text: str) -> int:
    for family in ("MQFB", "MQRC"):
        try:
            return names.value_of(family, text)
        except ValueError:
            continue
    raise ValueError(f"{text!r} is no feedback: coa, cod, expiration, pan, nan, an MQFB_ or MQRC_ name, or a number")


@click.command("report-gen")
@click.argument("queue")
@click.option(
    "--feedback",
    type=_options.Converted("feedback", _feedback),
    metavar="NAME|N",
    help="coa, cod, expiration, pan, nan, MQRC_…, MQFB_… or N; a report needs it.",
)
@click.option(
    "--action",
    type=click.Choice(["report", "reply", "forward"]),
    default="report",
    show_default=True,
    help="What to make of each message.",
)
@click.option("--to", metavar="Q[@QM]", help="Put there, not on the reply-to queue; a forward needs it.")
@click.option("--data", metavar="TEXT", help="Data of the new message.")
@click.option("--file", metavar="PATH", help="The same from a file; - is stdin.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME[:TYPE]=VALUE", help="Message property; repeatable."
)
@click.option("-n", "number", type=click.IntRange(min=1), help="Number of messages; default all.")
@click.option("--lock-id", type=_options.LOCK_ID, help="Messages that mqx lock has locked under this id.")
@click.option("--consume", is_flag=True, help="Take the message off QUEUE when its report is put.")
@click.option("--dry-run", is_flag=True, help="Show what would be put and where, and put nothing.")
@_options.selection
@_options.general
def command(session: Session, selection: Selection, **given: Any) -> int:
    """Make a report about each message of QUEUE that the selection means, and put it on its reply-to queue.

    \b
    mqx report-gen REQUESTS --msg-id 414D5120 --feedback pan
    mqx report-gen ORDERS -n 1 --feedback MQRC_FORMAT_ERROR --data 'line 3 is cut' --consume
    mqx report-gen REQUESTS --action reply --file answer.xml --consume
    mqx report-gen STEP1 --action forward --to STEP2@QM2 --consume
    mqx report-gen ORDERS --older 1h --feedback nan --dry-run
    mqx get JOBS --follow -o jsonl | mqx report-gen - --feedback pan

    Without a selection: about all that any program could get. QUEUE - reads messages from stdin, as
    browse -o jsonl writes them. Report and reply have the identifiers that the original asks for, a forward keeps
    its own. In a report on arrival, delivery, expiration or an exception the original decides how much of its data
    goes in; in any other there is none unless it is given. Headers in front of the data always go in.
    A report nobody asked for is made, with a warning.

    Exit status: 0 done, 3 no message, 9 some failed, otherwise that of the reason (1 where there is no reply-to
    queue).
    """
    return generate(session, _request(selection, given))


def _request(selection: Selection, given: dict[str, Any]) -> ReportRequest:
    _check(selection, given)
    return ReportRequest(
        given["queue"],
        _order(given),
        selection=selection,
        limit=given["number"],
        lock_id=given["lock_id"] or b"",
        consume=given["consume"],
        dry_run=given["dry_run"],
    )


def _check(selection: Selection, given: dict[str, Any]) -> None:
    """Refuse words that do not make sense together."""
    if given["action"] == "report" and given["feedback"] is None:
        raise UsageMistake("a report needs --feedback", "coa, cod, expiration, pan, nan, MQRC_…, MQFB_… or a number")
    if given["action"] == "forward" and not given["to"]:
        raise UsageMistake("a forward needs --to")
    if given["to"] is not None and not given["to"].partition("@")[0]:
        raise UsageMistake(f"--to {given['to']}: a queue is needed, as Q or Q@QM")
    if given["data"] is not None and given["file"] is not None:
        raise UsageMistake("--data and --file together make no sense")
    if given["queue"] == "-":
        _check_stdin(selection, given)


def _check_stdin(selection: Selection, given: dict[str, Any]) -> None:
    if given["consume"]:
        raise UsageMistake("--consume needs a queue: messages from stdin lie on none")
    if given["lock_id"] or not selection.is_everything:
        raise UsageMistake("a selection needs a queue; choose before: mqx browse Q … -o jsonl")
    if given["file"] == "-":
        raise UsageMistake("messages and data cannot both come from stdin")


def _order(given: dict[str, Any]) -> Any:
    from mqtools.formats.properties import parse_property
    from mqtools.qmgr.generation import Order

    to_q, _, to_q_mgr = (given["to"] or "").partition("@")
    text, data = _data(given["data"], given["file"])
    return Order(
        given["action"],
        feedback=given["feedback"],
        to_q=to_q,
        to_q_mgr=to_q_mgr,
        text=text,
        data=data,
        properties=dict(parse_property(word) for word in given["properties"]),
    )


def _data(text: str | None, path: str | None) -> tuple[str | None, bytes | None]:
    """The data as text, or as the bytes of a file or of an argument that is no text."""
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

"""``mqx diff``: compare the messages of queues, dumps and archives."""

from __future__ import annotations

import click

from mqtools.formats.phrases import counted, did_you_mean, nearest
from mqtools.formats.rows import Column
from mqtools.message import MQMD
from mqtools.operations.journal.past import PastUnavailable
from mqtools.operations.message_sets import InputInvalid, read_set
from mqtools.rules.comparison import FIELDS, MSG_ID, SIDE, ComparedMessage, Totals, compare

from .load.input import show_findings
from .shared import click_options
from .shared.command_session import FAILED, USAGE, Session, UsageError
from .shared.output_rows import print_rows


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option("--key", "fields", metavar="FIELD,FIELD", help="Descriptor fields or properties that identify a message")
@click_options.general
def command(session: Session, a: str, b: str, fields: str | None) -> int:
    """Show which messages are only in A, only in B, or in both but different.

    \b
    mqx diff ORDERS orders.dump
    mqx diff QM1:ORDERS QM2:ORDERS
    mqx diff ORDERS@10:05 ORDERS
    mqx diff ORDERS@-1h ORDERS@-15m -o jsonl
    mqx diff ORDERS archive/queue=ORDERS --key correl_id
    mqx diff ORDERS ORDERS.TEST --key order_id,msg_seq_number

    A and B are each one of: QUEUE or QM:QUEUE; QUEUE@TIME, the queue as it was (as for browse --at); a file that mqx
    load reads; - for standard input; a folder with an archive (requires pyarrow). Locked and uncommitted messages of a
    queue are compared, too. A name with a / is a file if there is one; any other name is a queue if there is one.

    Messages are matched by MsgId, or by --key; a message that occurs twice on one side and once on the other is a
    difference. Compared are the descriptor, properties and data; not the queue, the queue manager, the state, the lock
    and the version of the descriptor. With --key MsgId is not compared. Expiry counts down, so lifetimes that differ by
    less than a minute are the same. Between a queue and a file, it counts only whether there is one.

    Rows: side (a, b or both), msg_id or the fields of the key, and for both the names of the fields that differ. Totals
    are printed on stderr.

    Exit status: 0 the same; 1 different; 2 a time that cannot be shown; 5 unknown queue, or no such file.
    """
    names = _key(fields)
    if a == b == "-":
        raise UsageError("only one side can be read from standard input")
    in_a = _read(session, a, names)
    in_b = _read(session, b, names)
    if in_a is None or in_b is None:
        return USAGE
    _check_key(names, [*in_a, *in_b])
    totals = Totals()
    rows = compare(in_a, in_b, names, totals)
    print_rows(session, rows, [Column(name) for name in (SIDE, *names, FIELDS)])
    session.note(
        f"{counted(totals.only_a)} only in A, {totals.only_b} only in B, "
        f"{totals.different} different, {totals.same} the same"
    )
    return 0 if totals.are_same else FAILED


def _key(text: str | None) -> tuple[str, ...]:
    """Return the fields of the key. Raise UsageError."""
    if text is None:
        return MSG_ID
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not name or name in (SIDE, FIELDS) or names.count(name) > 1:
            raise UsageError(f"--key {text}: expected different descriptor fields or properties, comma-separated")
    return names


def _check_key(names: tuple[str, ...], entries: list[ComparedMessage]) -> None:
    """Raise UsageError for a field of the key that no message has."""
    for at, name in enumerate(names):
        if name not in MQMD.__slots__ and entries and all(entry.key[at] is None for entry in entries):
            likely = did_you_mean(nearest(name, MQMD.__slots__))
            raise UsageError(f"--key {name}: no descriptor field, and no message has a property of this name", likely)


def _read(session: Session, text: str, key: tuple[str, ...]) -> list[ComparedMessage] | None:
    """Return the messages of a side; print the mistakes of a dump and return None. Raise UsageError, MQError."""
    try:
        return list(read_set(text, session.qmgr, key))
    except InputInvalid as invalid:
        show_findings(session, invalid.findings.mistakes, [])
        return None
    except ValueError as error:
        raise UsageError(f"{text}: {error}") from error
    except PastUnavailable as error:
        q_name = text.rpartition("@")[0]
        hint = f"mqx diff {q_name}@{error.earliest} ..." if error.earliest else error.hint
        raise UsageError(str(error), hint) from error

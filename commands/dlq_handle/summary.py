"""Dead letters by group, with explanations of the reasons, and a rules table for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from mqtools.dlq.letters import Letter, letters, letters_elsewhere
from mqtools.dlq.suggest import suggest_rules
from mqtools.dlq.summary import FIELDS, LetterGroup, summarise
from mqtools.dlq.target import choose_input_queue
from mqtools.explanations import lookup
from mqtools.formats.rows import Column
from mqtools.formats.units import human_age, human_bytes, rfc3339
from mqtools.mqi.identity import now_ms
from mqtools.operations.browsed_queue import BrowsedQueue, base_of
from mqtools.operations.selection import Selection
from mqtools.operations.stored_messages import local_queue

from ..shared.command_session import JSON, NOTHING_THERE, Session, UsageError, write_out
from ..shared.output_rows import print_rows, wrap
from .handle import LetterPlace, connect

Row = dict[str, object]

#: Before what to do about a reason.
_INDENT = "    "


def fields_of(text: str) -> list[str]:
    """Parse the value of --by. Raise UsageError for an unknown field."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FIELDS]
    if unknown or not names:
        wrong = f"unknown field {', '.join(unknown)}" if unknown else "no field"
        raise UsageError(f"--by: {wrong} to group dead letters by", f"fields: {', '.join(FIELDS)}")
    return list(dict.fromkeys(names))


@contextmanager
def open_letters(session: Session, place: LetterPlace, selection: Selection) -> Iterator[tuple[str, Iterator[Letter]]]:
    """Yield the name of the queue and its selected letters, here or elsewhere.

    The letters are read before the end of the block.
    """
    asker = place.asker(session)
    if place.at is None and asker.is_elsewhere:
        with session.connect_elsewhere(asker.qmgr, changes=False) as there:
            q_name = session.queue = choose_input_queue(there.name, there.dead_letter_q(), None, place.queue)
            with BrowsedQueue(there, q_name) as browsed:
                yield base_of(there, q_name), letters_elsewhere(browsed, selection)
        return
    connection, q_name = connect(session, place, only_looks=True)
    with connection:
        found = local_queue(connection, q_name)
        yield found.name, letters(connection, found.id, selection)


def summary(session: Session, found: Iterable[Letter], by: Sequence[str]) -> int:
    """Print the groups, largest first, and on stderr redriven messages that came back and what the reasons mean."""
    output = session.list_output
    groups = summarise(found, by)
    if output == "table":
        print_rows(session, _for_people(groups, by), _columns(by), output)
    else:
        print_rows(session, [_row(group, by) for group in groups], _columns(by), output)
    _notes(session, groups, by, explained=output not in JSON)
    return 0 if groups else NOTHING_THERE


def _columns(by: Sequence[str]) -> list[Column]:
    numbers = [Column(name, align="right") for name in ("count", "bytes", "oldest", "newest", "came_back")]
    return [*(Column(name) for name in by), *numbers]


def _row(group: LetterGroup, by: Sequence[str]) -> Row:
    row: Row = dict(zip(by, group.key, strict=True))
    row.update(
        count=group.count,
        bytes=group.bytes,
        oldest=None if group.oldest is None else rfc3339(group.oldest),
        newest=None if group.newest is None else rfc3339(group.newest),
        came_back=group.came_back,
    )
    if "reason" in by:
        row["meaning"], row["what_to_do"] = _explained(row["reason"])
    return row


def _for_people(groups: list[LetterGroup], by: Sequence[str]) -> list[Row]:
    now = now_ms()
    rows = []
    for group in groups:
        row = _row(group, by)
        if row[by[0]] is None:
            row[by[0]] = "(no MQDLH)"
        row["bytes"] = human_bytes(group.bytes)
        for name, at in (("oldest", group.oldest), ("newest", group.newest)):
            row[name] = None if at is None else human_age(max(0, now - at) / 1000)
        rows.append(row)
    return rows


def _explained(reason: object) -> tuple[str | None, str | None]:
    found = lookup.explain(str(reason)) if isinstance(reason, str) else []
    return (found[0].meaning, found[0].what_to_do) if found else (None, None)


def _notes(session: Session, groups: list[LetterGroup], by: Sequence[str], *, explained: bool) -> None:
    came_back = sum(group.came_back for group in groups)
    if came_back:
        session.note(f"came back after redrive: {came_back}")
    if not explained or "reason" not in by:
        return
    place = list(by).index("reason")
    for reason in dict.fromkeys(group.key[place] for group in groups):
        meaning, what_to_do = _explained(reason)
        for text, indent in (
            (meaning and f"{reason}: {meaning}", ""),
            (what_to_do and f"What to do: {what_to_do}", _INDENT),
        ):
            for line in wrap(text or "", indent):
                session.note(line)


def suggest(session: Session, q_name: str, found: Iterable[Letter]) -> int:
    """Print a rules table for dead letters of a queue; return 3 when there are none."""
    if session.output is not None:
        raise UsageError("the output is a rules table: -o does not apply", "mqx dlq-handle --summary -o json")
    lines = suggest_rules(found, q_name)
    write_out("".join(f"{line}\n" for line in lines).encode("utf-8"))
    return 0 if lines else NOTHING_THERE

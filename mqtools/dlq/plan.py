"""Plan: what a rules table would do with each message, as JSON lines that ``mqx apply`` carries out elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, BinaryIO

from mqtools.dlq.attempt import AttemptResult
from mqtools.errors import UsageError
from mqtools.formats.jsontext import dumps
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import as_message, load_data, load_message
from mqtools.rules.message_digest import message_digest
from mqtools.rules.object_names import NAME_LENGTH, is_valid_name
from mqtools.rules.origins import choose_origin
from mqtools.store import queues
from mqtools.store.messages import origins
from mqtools.store.queues import Queue
from mqtools.store.source import Source

#: Limits of a plan from elsewhere: bytes of a line, lines, mistakes that are named.
_LINE, _LINES, _NAMED = 4096, 1_000_000, 5


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """Action on one message, which must be the only one with its identifiers.

    qmgr_id: QMgrIdentifier of its queue manager.  put_date, put_time: of its descriptor.  digest: as
    ``message_digest``.  action: RETRY, FWD or DISCARD.  target, target_q_mgr: of a put, empty for DISCARD.
    header: whether the put keeps the MQDLH.  line: of the rule.
    """

    qmgr_id: str
    queue: str
    msg_id: bytes
    correl_id: bytes
    put_date: str
    put_time: str
    digest: bytes
    action: str
    target: str
    target_q_mgr: str
    header: bool
    line: int


def as_line(planned: PlannedAction) -> str:
    """Return an action as one line of JSON."""
    return dumps({field.name: getattr(planned, field.name) for field in fields(planned)}) + "\n"


def plan_action(source: Source, queue: Queue, outcome: AttemptResult) -> PlannedAction | None:
    """Return the action on a message that a dry run has handled.

    The message of a pulled copy is its original. Return None where it cannot be named: the copy was edited or has gone.
    """
    stored = load_message(source, outcome.seq)
    if stored is None or outcome.rule is None:
        return None
    message = as_message(stored, load_data(source, outcome.seq), now_ms())
    md, rule, digest = message.md, outcome.rule, message_digest(message)
    known = origins.of_message(source.db, md)
    origin = choose_origin(known, digest)
    if origin is not None and origin.here == digest:
        place = (origin.q_mgr_identifier, origin.q_name, origin.msg_id, origin.correl_id)
        put, there = (origin.put_date, origin.put_time), origin.digest
    elif not known:
        place = (
            str(queues.read_qmgr(source.db)["q_mgr_identifier"]),
            queue.name,
            bytes(md.msg_id),
            bytes(md.correl_id),
        )
        put, there = (md.put_date, md.put_time), digest
    else:
        return None
    keeps_header = rule.action == "FWD" and rule.header
    return PlannedAction(*place, *put, there, rule.action, *outcome.target, keeps_header, rule.line)


def read_plan(file: BinaryIO, name: str) -> list[PlannedAction]:
    """Read a plan. name: of the file, for mistakes.

    Raises UsageError that names the first mistakes; a plan with a mistake is not read at all.
    """
    found: list[PlannedAction] = []
    mistakes: list[str] = []
    for number, line in enumerate(iter(partial(file.readline, _LINE + 1), b""), 1):
        if number > _LINES:
            raise UsageError(f"{name}: more than {_LINES} lines")
        try:
            found.append(_read_line(line))
        except ValueError as error:
            mistakes.append(f"{name}:{number}: {error}")
            if len(mistakes) == _NAMED:
                break
    if mistakes:
        raise UsageError("\n".join(mistakes))
    return found


def _read_line(line: bytes) -> PlannedAction:
    """Read a line of a plan. Raises ValueError."""
    if len(line) > _LINE:
        raise ValueError(f"longer than {_LINE} bytes")
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    names = {field.name for field in fields(PlannedAction)}
    if not isinstance(given, dict) or given.keys() != names:
        raise ValueError(f"not an object with the keys {', '.join(sorted(names))}")
    read = PlannedAction(**{name: read(name, given[name]) for name, read in _READERS.items()})
    if (read.action == "DISCARD") != (not read.target) or (read.action != "FWD" and read.header):
        raise ValueError(f"target and header do not fit action {read.action}")
    return read


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > NAME_LENGTH:
        raise ValueError(f"{name} is not text of at most {NAME_LENGTH} characters")
    return value


def _object_name(name: str, value: object) -> str:
    text = _text(name, value)
    if text and not is_valid_name(text):
        raise ValueError(f"{name} is not the name of an object")
    return text


def _queue_name(name: str, value: object) -> str:
    if not value:
        raise ValueError(f"{name} is empty")
    return _object_name(name, value)


def _bytes_of(length: int) -> Callable[[str, object], bytes]:
    def read(name: str, value: object) -> bytes:
        if isinstance(value, str) and len(value) == 2 * length and value.isalnum() and value.isascii():
            try:
                return bytes.fromhex(value)
            except ValueError:
                pass
        raise ValueError(f"{name} is not {length} bytes in hex")

    return read


def _digits(name: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= 8 and value.isascii():
        return value
    raise ValueError(f"{name} is not a {name.replace('_', ' ')}")


def _action(name: str, value: object) -> str:
    if value in ("RETRY", "FWD", "DISCARD"):
        return str(value)
    raise ValueError(f"{name} is not RETRY, FWD or DISCARD")


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} is not true or false")
    return value


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError(f"{name} is not a line number")
    return value


#: Key of a line to what reads its value.
_READERS: dict[str, Callable[[str, object], Any]] = {
    "qmgr_id": _text,
    "queue": _queue_name,
    "msg_id": _bytes_of(24),
    "correl_id": _bytes_of(24),
    "put_date": _digits,
    "put_time": _digits,
    "digest": _bytes_of(32),
    "action": _action,
    "target": _object_name,
    "target_q_mgr": _object_name,
    "header": _flag,
    "line": _number,
}

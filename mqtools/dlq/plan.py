"""Plan: what a rules table would do with each message, as JSON lines that ``mqx apply`` carries out elsewhere."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import partial
from typing import BinaryIO

from mqtools.dlq.attempt import AttemptResult
from mqtools.errors import UsageError
from mqtools.formats.jsontext import dumps
from mqtools.mqi.identity import now_ms
from mqtools.operations.stored_messages import as_message, load_data, load_message
from mqtools.rules.message_digest import message_digest
from mqtools.rules.origins import choose_origin, origin_of
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
    rule = outcome.rule
    if known := origins.of_message(source.db, message.md):
        digest = message_digest(message)
        origin = choose_origin(known, digest)
        if origin is None or origin.here != digest:
            return None
    else:
        origin = origin_of(message, str(queues.read_qmgr(source.db)["q_mgr_identifier"]), queue.name)
    place = (origin.q_mgr_identifier, origin.q_name, origin.msg_id, origin.correl_id, origin.put_date, origin.put_time)
    keeps_header = rule.action == "FWD" and rule.header
    return PlannedAction(*place, origin.digest, rule.action, *outcome.target, keeps_header, rule.line)


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


#: Key of a line that has text, to the pattern of its value, and what that is.
_TEXTS = {
    "qmgr_id": (r".{1,48}", "text of 1 to 48 characters"),
    "queue": (r"[A-Za-z0-9._/%]{1,48}", "the name of a queue"),
    **dict.fromkeys(("msg_id", "correl_id"), (r"[0-9A-F]{48}", "24 bytes in hex")),
    **dict.fromkeys(("put_date", "put_time"), (r"[ -~]{0,8}", "at most 8 characters")),
    "digest": (r"[0-9A-F]{64}", "32 bytes in hex"),
    "action": (r"RETRY|FWD|DISCARD", "RETRY, FWD or DISCARD"),
    **dict.fromkeys(("target", "target_q_mgr"), (r"[A-Za-z0-9._/%]{0,48}", "the name of an object")),
}


def _read_line(line: bytes) -> PlannedAction:
    """Read a line of a plan. Raises ValueError."""
    if len(line) > _LINE:
        raise ValueError(f"longer than {_LINE} bytes")
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    names = [field.name for field in fields(PlannedAction)]
    if not isinstance(given, dict) or given.keys() != set(names):
        raise ValueError(f"not an object with the keys {', '.join(names)}")
    for name, (pattern, what) in _TEXTS.items():
        if not isinstance(given[name], str) or not re.fullmatch(pattern, given[name]):
            raise ValueError(f"{name} is not {what}")
    if not isinstance(given["header"], bool) or type(given["line"]) is not int or not 0 <= given["line"] < 1 << 31:
        raise ValueError("header is not true or false, or line is not a number")
    if (given["action"] == "DISCARD") != (not given["target"]) or (given["action"] != "FWD" and given["header"]):
        raise ValueError(f"target and header do not fit action {given['action']}")
    return PlannedAction(
        **{**given, **{name: bytes.fromhex(given[name]) for name in ("msg_id", "correl_id", "digest")}}
    )

"""Check-up of channels: batches in doubt, last errors, and incomplete objects of reference messages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain

from mqtools.admin.channels import type_of
from mqtools.admin.error_log import last_failure
from mqtools.admin.findings import NOTICE, Finding, or_sound
from mqtools.channel.exits import parse_exits
from mqtools.channel.reference.audit import UnfinishedObject, unfinished_objects
from mqtools.channel.reference.files import ObjectRefused
from mqtools.errors import MQError
from mqtools.formats.units import human_age, rfc3339
from mqtools.rules.attributes.channel import SENDING_TYPES
from mqtools.store import channels
from mqtools.store.database import Database


def check_channels(db: Database) -> Iterator[Finding]:
    """Check the channels of a queue manager; return at least one finding for each check."""
    yield from or_sound(chain(_in_doubt(db), _failed(db)), "channels", db.path, "none in doubt or failed")
    yield from or_sound(_references(db), "references", db.path, "no object is incomplete")


def _in_doubt(db: Database) -> Iterator[Finding]:
    for name in channels.names(db):
        for sync_state in channels.sync_states(db, name):
            if sync_state.indoubt_sequence is not None:
                what = f"the batch up to message {sync_state.indoubt_sequence} is in doubt"
                yield Finding("channels", NOTICE, name, what, f"mqx channel start {name} asks the other end")


def _failed(db: Database) -> Iterator[Finding]:
    for name in channels.names(db):
        error = last_failure(db, name)
        if error is not None:
            what = f"failed at {rfc3339(error.last_at)}: {error.detail}"
            yield Finding("channels", NOTICE, name, what, f"mqx channel start {name} shows whether it still fails")


def _references(db: Database) -> Iterator[Finding]:
    """Check the root folders of the receiving channels with the exit REFERENCE, each once."""
    roots: dict[str, str] = {}
    for name in channels.names(db):
        for root in receiving_roots(channels.definition(db, name) or {}):
            roots.setdefault(root, name)
    for root, name in roots.items():
        try:
            for unfinished in unfinished_objects(root):
                yield _unfinished(unfinished)
        except (MQError, ObjectRefused) as error:
            words = error.text if isinstance(error, MQError) else str(error)
            yield Finding("references", NOTICE, name, words, f"MSGDATA of channel {name} names the folder")


def receiving_roots(definition: dict[str, object]) -> list[str]:
    """Return the root folders that a channel's exit REFERENCE writes to; none for a channel that sends."""
    exits = str(definition.get("message_exit") or "")
    if not exits or type_of(definition) in SENDING_TYPES:
        return []
    try:
        chain = parse_exits(exits, str(definition.get("message_user_data") or ""))
    except MQError:
        return []  # a chain that cannot be loaded has never written anything
    return [data for name, data in chain if name == "REFERENCE" and data]


def _unfinished(unfinished: UnfinishedObject) -> Finding:
    length = "?" if unfinished.length is None else unfinished.length
    missing = ", ".join(f"{begin} to {end}" for begin, end in unfinished.missing[:3])
    age = human_age(time.time() - unfinished.changed_at)
    what = f"{unfinished.received} of {length} bytes, nothing new for {age}: {unfinished.why}"
    what += f" ({missing})" if missing else ""
    hint = f"its portions may arrive in any order; until then: {unfinished.path}"
    return Finding("references", NOTICE, unfinished.name or unfinished.path, what, hint)

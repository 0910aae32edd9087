"""MQSC text that recreates all definitions of a queue manager.

Run into a new queue manager it makes the same definitions, so that the export of that one is the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mqtools.admin import channels, kept_definitions
from mqtools.admin.access_export import access_commands
from mqtools.admin.commands.subscriptions import subscription_values
from mqtools.admin.subscriptions import durable_subscriptions
from mqtools.constants import cmqc
from mqtools.constants.objects import MANAGED_DURABLE, MANAGED_NON_DURABLE, MQQDT_TEMPORARY_DYNAMIC
from mqtools.formats.mqsc.script import quote
from mqtools.mqi import system_queues
from mqtools.mqi.authority import check_manager
from mqtools.mqi.objects.definitions import object_type_of
from mqtools.mqi.publish_subscribe.publications import SubscriptionRecord
from mqtools.rules.attributes.channel import MODELS
from mqtools.rules.attributes.table import BYTES, NAME, SWITCH, TEXT, Attribute, attributes_of, format_value
from mqtools.rules.object_names import SYSTEM_PREFIX
from mqtools.rules.stored_objects import KINDS
from mqtools.rules.system_queues import DEFAULT_QUEUES, SYSTEM_QUEUES
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.source import Source

_HEAD = "* Definitions of a queue manager of mqx. To recreate them: mqx mqsc --file FILE"

#: Attributes of channels that are part of the command itself.
_CHANNEL_KEYS = ("name", "channel_type")


def export_definitions(source: Source) -> Iterator[str]:
    """Yield the lines of the MQSC text: queue manager, queues, topics and other objects, subscriptions, channels."""
    db = source.db
    check_manager(db, "DSP")
    yield _HEAD
    with db.reading():
        yield from _command("ALTER QMGR", _changed(attributes_of("QMGR"), queues.read_qmgr(db)))
        yield from _queues(db)
        for object_type in KINDS:
            for name in sorted(kept_definitions.stored_names(db, object_type), key=_system_last):
                words = _changed(attributes_of(object_type), kept_definitions.find(db, object_type, name))
                yield from _command(f"DEFINE {object_type}({quote(name)}) REPLACE", words)
        for subscription in durable_subscriptions(db):
            yield from _command(f"DEFINE SUB({quote(subscription.name)}) REPLACE", _subscription(subscription))
        yield from _channels(db)
        for begin, words in access_commands(db):
            yield from _command(begin, words)


def _system_last(name: str) -> tuple[bool, str]:
    """Return the place of a name: what new objects begin with is altered when all others are defined."""
    return name.startswith(SYSTEM_PREFIX), name


def _queues(db: Database) -> Iterator[str]:
    altered = {object_type for object_type, name in DEFAULT_QUEUES.items() if _is_altered(db, name)}
    for name in sorted(queues.names(db), key=_system_last):
        values = queues.read_all(db, name) or {}
        is_managed = name.startswith((MANAGED_DURABLE, MANAGED_NON_DURABLE))
        object_type = object_type_of(int(str(values["q_type"])))
        is_temporary = object_type == "QLOCAL" and values.get("definition_type") == MQQDT_TEMPORARY_DYNAMIC
        if not (is_managed or is_temporary) and (name not in SYSTEM_QUEUES or _is_altered(db, name)):
            rows = [row for row in attributes_of(object_type) if row.name not in ("name", "q_type")]
            words = _all(rows, values) if object_type in altered else _changed(rows, values)
            yield from _command(f"DEFINE {object_type}({quote(name)}) REPLACE", words)


def _is_altered(db: Database, name: str) -> bool:
    """Return whether a SYSTEM queue differs from that of a new queue manager."""
    object_type = SYSTEM_QUEUES[name][0]
    rows, now = attributes_of(object_type), system_queues.attributes(db, name)
    begins = {**system_queues.initial_attributes(object_type), **SYSTEM_QUEUES[name][1]}
    return any(row.settable and now.get(row.name, row.default) != begins.get(row.name, row.default) for row in rows)


def _channels(db: Database) -> Iterator[str]:
    """Yield the channels, models first; with all attributes where one was altered."""
    names = [name for name in channels.names(db) if channels.is_stored(db, name)]
    has_models = any(name in MODELS for name in names)
    for name in sorted(names, key=lambda each: (each not in MODELS, each)):
        values = channels.find_channel(db, name)
        channel_type = channels.type_of(values)
        rows = [row for row in attributes_of(channel_type) if row.name not in _CHANNEL_KEYS]
        words = _all(rows, values) if has_models else _changed(rows, values)
        yield from _command(f"DEFINE CHANNEL({quote(name)}) CHLTYPE({channel_type}) REPLACE", words)


def _changed(rows: Sequence[Attribute], values: Mapping[str, object]) -> list[str]:
    """Return the settable attributes that do not have the value which a new object begins with."""
    chosen = [row for row in rows if row.settable and values.get(row.name, row.default) != row.default]
    return [word for row in chosen if (word := _word(row, values[row.name]))]


def _all(rows: Sequence[Attribute], values: Mapping[str, object]) -> list[str]:
    """Return all settable attributes, for a queue manager whose defaults are not those of a new one."""
    return [word for row in rows if row.settable and (word := _word(row, values.get(row.name, row.default)))]


def _word(row: Attribute, value: object) -> str:
    """Return an attribute as a parameter of DEFINE; empty where it has no value."""
    if row.many and isinstance(value, list):
        return f"{row.keyword}({','.join(map(_text, value))})" if value else ""
    if not isinstance(value, (int, str)):
        return ""
    shown = format_value(row, value)
    if row.kind == SWITCH:
        return shown
    return f"{row.keyword}({_text(shown) if row.kind in (TEXT, NAME, BYTES) else shown})"


def _text(value: str) -> str:
    """Return a text in quotes; a blank one as MQSC wants it."""
    return "'" + (value or " ").replace("'", "''") + "'"


def _subscription(found: SubscriptionRecord) -> list[str]:
    """Return the attributes of a subscription; its topic string is whole, and a managed queue is made again."""
    values = {**subscription_values(found), "topicobj": ""}
    if values["destclas"] == cmqc.MQDC_MANAGED:
        values["dest"] = ""
    return _changed(attributes_of("SUB"), values)


def _command(begin: str, words: Sequence[str]) -> Iterator[str]:
    """Yield a command with one parameter a line; nothing for an ALTER without any."""
    if not words and begin.startswith("ALTER"):
        return
    lines = [begin, *(f"   {word}" for word in words)]
    for line in lines[:-1]:
        yield f"{line} +"
    yield lines[-1]

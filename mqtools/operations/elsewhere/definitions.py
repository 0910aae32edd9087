"""Definitions of the queues that pulled messages name, so that a rehearsal finds them here.

Only attributes that say how a queue takes and gives messages are taken over: no triggers, no channels, no events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from mqtools.constants.cmqcfc import MQCMD_INQUIRE_Q, MQIACF_ALL, MQIACF_Q_ATTRS
from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER
from mqtools.constants.objects import MQCA_Q_NAME
from mqtools.errors import MQError
from mqtools.headers.chain import read_dlh
from mqtools.headers.pcf import CFIL, CFST, Parameter
from mqtools.message import Message
from mqtools.mqi.authority import check_queue, check_reader
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects.definitions import define_queue, object_type_of
from mqtools.rules.attributes.table import attributes_of, format_value, parse_value
from mqtools.rules.object_names import SYSTEM_PREFIX, is_valid_name
from mqtools.store import queues

#: Attributes of a queue that are taken over.
_TAKEN = frozenset((
    "q_desc", "inhibit_put", "inhibit_get", "def_priority", "def_persistence", "def_input_open_option", "shareability",
    "max_q_depth", "max_msg_length", "msg_delivery_sequence", "npm_class", "property_control", "index_type", "usage",
    "backout_threshold", "backout_req_q_name", "base_q_name", "remote_q_name", "remote_q_mgr_name", "xmit_q_name",
))  # fmt: skip
#: Of the queue that is pulled to these are not.
_INHIBITS = ("inhibit_put", "inhibit_get")
#: Attributes that name another queue which is needed, too.
_NAMES_QUEUE = ("base_q_name", "xmit_q_name", "backout_req_q_name")

#: Returns the attributes of a queue elsewhere by name, None where there is no such queue.
Inquire: TypeAlias = Callable[[str], Mapping[str, object] | None]


def inquire_by_pcf(
    inquire: Callable[[int, Sequence[Parameter]], Sequence[Mapping[int, object]]], q_name: str
) -> Mapping[str, object] | None:
    """Return the attributes of a queue by name. inquire: sends a command, and returns the values of each reply."""
    replies = inquire(MQCMD_INQUIRE_Q, [CFST(MQCA_Q_NAME, q_name.encode()), CFIL(MQIACF_Q_ATTRS, [MQIACF_ALL])])
    rows = {row.selector: row.name for row in attributes_of("QUEUE")}
    found = next((values for values in replies if values.get(MQCA_Q_NAME) == q_name), None)
    return None if found is None else {rows[key]: value for key, value in found.items() if key in rows}


def inquire_in_file(connection: Connection, q_name: str) -> Mapping[str, object] | None:
    """Return the attributes of a queue of our file by name. Raises MQError: MQRC_NOT_AUTHORIZED."""
    with connection.db.reading():
        check_reader(connection.db, q_name, "DSP")
        return queues.read_all(connection.db, q_name)


@dataclass(slots=True)
class Definitions:
    """Definitions that are brought here as messages name them. made: names and types of the queues defined.

    q_mgr_name: of the queue manager elsewhere.
    """

    connection: Connection
    q_mgr_name: str
    inquire: Inquire
    made: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def bring(self, q_name: str) -> None:
        """Define the queue that messages are pulled to, and the name of the queue manager there as one of ours.

        A RETRY of a dead letter finds its queue here then. Raises MQError.
        """
        if self.q_mgr_name != self.connection.name and self._is_wanted(self.q_mgr_name):
            description = "Alias of this queue manager, made by mqx pull"
            values: dict[str, object] = {"remote_q_mgr_name": self.connection.name, "q_desc": description}
            self._define("QREMOTE", self.q_mgr_name, values)
        self.bring_all([q_name], without=_INHIBITS)

    def bring_named_by(self, messages: Iterable[Message]) -> None:
        """Define the queues that messages name. Raises MQError."""
        for message in messages:
            self.bring_all(self._names(message))

    def _names(self, message: Message) -> Iterator[str]:
        """Yield the queues of a message's dead-letter header and reply-to fields, or the way to their queue manager."""
        md = message.md
        places = [(md.reply_to_q, md.reply_to_q_mgr)]
        if md.format == MQFMT_DEAD_LETTER_HEADER:
            with suppress(MQError):  # without a valid header it names nothing
                dlh = read_dlh(md, message.data)
                places.append((dlh.dest_q_name, dlh.dest_q_mgr_name))
        for q_name, q_mgr_name in places:
            yield q_name if q_mgr_name in ("", self.q_mgr_name) else q_mgr_name

    def bring_all(self, names: Iterable[str], without: Iterable[str] = ()) -> None:
        """Define queues, and those that their definitions name. without: attributes that are not taken over."""
        missing = list(names)
        while missing:
            name = missing.pop()
            if not self._is_wanted(name):
                continue
            found = self.inquire(name)
            try:
                object_type = object_type_of(int(str((found or {})["q_type"])))
            except (KeyError, ValueError, MQError):
                continue  # it does not exist there, or is of a type that cannot be defined
            values: dict[str, object] = dict(_valid_values(object_type, found or {}, _TAKEN.difference(without)))
            if object_type != "QMODEL":
                self._define(object_type, name, values)
                missing += [str(values[each]) for each in _NAMES_QUEUE if values.get(each)]

    def _is_wanted(self, name: str) -> bool:
        """Return whether a queue is missing here, and was not looked for before."""
        if name in self._seen or not is_valid_name(name) or name.startswith(SYSTEM_PREFIX):
            return False
        self._seen.add(name)
        with self.connection.db.reading():
            return queues.by_name(self.connection.db, name) is None

    def _define(self, object_type: str, name: str, values: dict[str, object]) -> None:
        with self.connection.work() as work:
            check_queue(work.connection, name, "CRT")
            define_queue(work, object_type, name, values)
        self.made[name] = object_type


def _valid_values(
    object_type: str, found: Mapping[str, object], names: Collection[str]
) -> Iterator[tuple[str, int | str]]:
    """Yield the attributes of a queue elsewhere that MQSC could set here; for any other the default stays."""
    for row in attributes_of(object_type):
        value = found.get(row.name)
        if row.name in names and isinstance(value, (int, str)) and (text := format_value(row, value)).isprintable():
            with suppress(ValueError):
                yield row.name, parse_value(row, text)

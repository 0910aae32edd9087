"""Filters of the lifecycle verbs: message fields and the values that they must have.

MQ Everyplace keeps a few fields of each message in an index (INDEX-02). A filter that names one of them finds its
messages without a search through the others. Their names are MQ's in snake_case, as everywhere; the names of MQ
Everyplace, Java's and C's, mean the same fields. A filter may name any other field of the descriptor, or a property:
then the messages that index and predicate leave are examined one by one (INDEX-10, INDEX-11).
"""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.constants.reasons import MQRC_SELECTION_STRING_ERROR
from mqtools.constants.structures import MQCI_NONE, MQGI_NONE
from mqtools.errors import MQError
from mqtools.message import MQMD, Property
from mqtools.predicates import Predicate, every, limit_size, unless_damaged
from mqtools.rules.selector.names import Reader, field_name, property_keys, reader_of
from mqtools.rules.selector.predicates import equality

#: Field of the index to its names in MQ Everyplace (INDEX-03 to INDEX-07, AMB-29). ``MQe.`` may be left out.
#: The first two are the unique id. A name that is not here is a field of the descriptor or a property.
INDEX_FIELDS = {
    "origin_q_mgr": ("MQe.Msg_OriginQMgr", "MQE_MSG_ORIGIN_QMGR"),
    "msg_time": ("MQe.Msg_Time", "MQE_MSG_TIME"),
    "msg_id": ("MQe.Msg_ID", "MQE_MSG_MSGID"),
    "correl_id": ("MQe.Msg_CorrelID", "MQE_MSG_CORRELID"),
    "priority": ("MQe.Msg_Priority", "MQE_MSG_PRIORITY"),
}
_FIELD_OF = {
    alias: field
    for field, names in INDEX_FIELDS.items()
    for name in names
    for alias in (name, name.removeprefix("MQe."))
}

#: Field that the store can seek by, and the type of its values. The unique id leads to a message id.
_SOUGHT: dict[str, type] = {
    "msg_id": bytes,
    "correl_id": bytes,
    "group_id": bytes,
    "priority": int,
    "msg_seq_number": int,
    "offset": int,
}
_UNIQUE: dict[str, type] = {"origin_q_mgr": str, "msg_time": int}
_TYPES = {**_SOUGHT, **_UNIQUE}
#: Identifiers of no value, which are in no index.
_NO_IDS = (MQCI_NONE, MQGI_NONE)
_ID_LENGTH = 24

#: Prefix of generated message identifiers; twelve bytes of the queue manager's name follow.
_MADE = b"AMQ "
_NAME_END = 16


class IndexFilter:
    """Compiled filter: ``sought`` and ``predicate`` are for the store, ``matches`` decides.

    origin_q_mgr, msg_time: the parts of the unique id, None for any.  property_names: of those that it looks at.
    Raises MQError: MQRC_SELECTION_STRING_ERROR for a value that its field cannot have, an empty name, or a
    field named twice with two values.
    """

    def __init__(self, given: Mapping[str, object]) -> None:
        self.sought: dict[str, object] = {}
        self.origin_q_mgr: str | None = None
        self.msg_time: int | None = None
        self._others: list[tuple[str, Reader, object]] = []
        for field, value in _by_field(given).items():
            if field in _UNIQUE:
                setattr(self, field, value)
            elif field in _SOUGHT and value not in _NO_IDS:
                self.sought[field] = value
            else:
                name = field_name(field) if field in MQMD.__slots__ else field
                self._others.append((name, _reader_of(name), value))
        self.property_names = frozenset(key for name, _, _ in self._others for key in property_keys(name))

    @property
    def is_by_unique_id(self) -> bool:
        """Return whether both parts of the unique id are given."""
        return self.origin_q_mgr is not None and self.msg_time is not None

    @property
    def reads_messages(self) -> bool:
        """Return whether fields beyond the store's index are compared."""
        return bool(self._others) or self.origin_q_mgr is not None or self.msg_time is not None

    @property
    def predicate(self) -> Predicate:
        """Return the predicate that every match meets besides ``sought``; like that of a selector."""
        predicate = every(equality(name, value) for name, _, value in self._others)
        return limit_size(unless_damaged(predicate) if self.property_names else predicate)

    def matches(self, md: MQMD, properties: Mapping[str, Property], unique_id: tuple[str, int]) -> bool:
        """Return whether a message has all values that the store does not seek by (INDEX-09)."""
        origin, time = unique_id
        if self.origin_q_mgr is not None and not is_same_origin(self.origin_q_mgr, origin):
            return False
        if self.msg_time not in (None, time):
            return False
        return all(_equal(read(md, properties, None), value) for _, read, value in self._others)


def _by_field(given: Mapping[str, object]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in given.items():
        field = _FIELD_OF.get(name, name)
        kept = _checked(name, field, value)
        if field in fields and fields[field] != kept:
            raise MQError(f"the filter asks for two values of {field}", MQRC_SELECTION_STRING_ERROR)
        fields[field] = kept
    return fields


def _checked(name: str, field: str, value: object) -> object:
    kind = _TYPES.get(field, object)
    if not name or not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise MQError(f"{value!r} cannot be a value of {name!r} in a filter", MQRC_SELECTION_STRING_ERROR)
    if kind is bytes and isinstance(value, bytes):
        return value.ljust(_ID_LENGTH, b"\0")
    return value


def _reader_of(name: str) -> Reader:
    """Return the function that reads the value of a name, as in a selector."""
    try:
        return reader_of(name)
    except LookupError as error:
        raise MQError(str(error), MQRC_SELECTION_STRING_ERROR) from error


def _equal(value: object, wanted: object) -> bool:
    """Return whether two values are equal; true and 1 are not."""
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def unique_id(md: MQMD, seq: int, q_mgr_name: str) -> tuple[str, int]:
    """Return the unique id of a message: its origin queue manager, and its time there (INDEX-03).

    A message identifier that a queue manager made has both: twelve characters of the name, and nanoseconds
    since 1970 that it used for no other message. An application's own identifier has neither: such a message
    counts as put here, and its unique key replaces the time.
    seq: the key.  q_mgr_name: our own name.
    """
    if not md.msg_id.startswith(_MADE):
        return q_mgr_name, seq
    name = md.msg_id[len(_MADE) : _NAME_END].decode("latin-1").rstrip()
    return q_mgr_name if is_same_origin(q_mgr_name, name) else name, int.from_bytes(md.msg_id[_NAME_END:], "big")


def build_msg_id(q_mgr_name: str, time: int) -> bytes | None:
    """Return the message identifier that a queue manager generated at a time; None if there can be none."""
    if not 0 <= time < 1 << 64:
        return None
    return _MADE + q_mgr_name.encode("latin-1", "replace")[:12].ljust(12) + time.to_bytes(8, "big")


def is_same_origin(name: str, other: str) -> bool:
    """Return whether two names have the same form in identifiers."""
    return name[:12].rstrip() == other[:12].rstrip()

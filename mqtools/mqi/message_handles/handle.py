"""MQCRTMH to MQDLTMH: message handles, which hold properties between a program and its gets and puts.

A handle is the program's own: nothing of it is in the queue manager. A name is there once; where MQ would keep
a second property of a name, here the first is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

from mqtools.constants.properties import (
    MQCMHO_DEFAULT_VALIDATION,
    MQCMHO_NO_VALIDATION,
    MQDMHO_NONE,
    MQDMPO_DEL_FIRST,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQIMPO_INQ_FIRST,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_FIRST,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQTYPE_AS_SET,
)
from mqtools.constants.reasons import (
    MQRC_HMSG_ERROR,
    MQRC_MIXED_CONTENT_NOT_ALLOWED,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_NONE,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NOT_AVAILABLE,
)
from mqtools.errors import MQError
from mqtools.formats.properties import check_property_name, evident_type
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.message import MQMD, Property, PropertyValue
from mqtools.mqi.message_handles import descriptor_fields as fields
from mqtools.mqi.message_handles.inquiry import (
    Inquired,
    answer,
    check_name_length,
    check_pattern,
    matches,
    not_available,
)
from mqtools.mqi.message_handles.options import check_descriptor, check_options
from mqtools.rules.properties import full_name, is_value_and_group, other_name
from mqtools.rules.property_types import coerce_value

__all__ = ["Inquired", "MessageHandle"]

#: The name that asks for all properties of the folder ``usr``, which then come without that prefix.
_ALL_USR = "usr.%"


class MessageHandle:
    """A message handle: ordered properties, a property cursor, a descriptor.

    md: the descriptor that goes with it; ``fields_set`` of it were set as properties.
    Every call raises MQError: MQRC_HMSG_ERROR after ``delete``, MQRC_MSG_HANDLE_IN_USE while another thread's call
    has the handle.
    """

    def __init__(self, options: int = MQCMHO_DEFAULT_VALIDATION) -> None:
        """MQCRTMH. options: MQCMHO_*; MQCMHO_NO_VALIDATION takes names as they are."""
        check_options("MQCMHO", options)
        self.md = MQMD()
        self.fields_set: set[str] = set()
        self._validates = options != MQCMHO_NO_VALIDATION
        self._names: list[str] = []
        self._values: dict[str, Property] = {}
        self._lock = RLock()
        self._deleted = False
        self.reset_cursor()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the handle for one call, calls within it included: other threads get MQRC_MSG_HANDLE_IN_USE."""
        if not self._lock.acquire(blocking=False):
            raise MQError("another call has the message handle", MQRC_MSG_HANDLE_IN_USE)
        try:
            if self._deleted:
                raise MQError("the message handle has been deleted", MQRC_HMSG_ERROR)
            yield
        finally:
            self._lock.release()

    def delete(self, options: int = MQDMHO_NONE) -> None:
        """MQDLTMH: delete the handle with its properties. options: MQDMHO_*."""
        check_options("MQDMHO", options)
        with self.in_use():
            self.clear()
            self._deleted = True

    @property
    def properties(self) -> dict[str, Property]:
        with self.in_use():
            return {name: self._values[name].replace() for name in self._names}

    def clear(self) -> None:
        """Forget all properties and the descriptor, as a get does before it fills the handle (PROP-19)."""
        with self.in_use():
            self.md = MQMD()
            self.fields_set = set()
            self._names, self._values = [], {}
            self.reset_cursor()

    def copy_from(self, properties: Mapping[str, Property], md: MQMD | None = None) -> None:
        with self.in_use():
            self.clear()
            self._values = {name: value.replace() for name, value in properties.items()}
            self._names = list(self._values)
            if md is not None:
                self.md = md.replace()

    def reset_cursor(self) -> None:
        self._current: str | None = None
        self._next = 0
        self._asked: str | None = None

    # MQSETMP

    def set(self, name: str, value: PropertyValue | Property, options: int = MQSMPO_SET_FIRST) -> None:
        """MQSETMP: set a property, or a field of the descriptor by ``Root.MQMD.<Field>``.

        value: without a property it is of the type that it is of by itself.  options: one MQSMPO_*; a property that is
        new goes behind those of its folder.
        Raises MQError: MQRC_PROPERTY_NAME_LENGTH_ERR, MQRC_PROPERTY_NAME_ERROR, MQRC_MIXED_CONTENT_NOT_ALLOWED,
        MQRC_PROPERTY_TYPE_ERROR, MQRC_PROP_NUMBER_FORMAT_ERROR, MQRC_PD_ERROR, MQRC_OPTIONS_ERROR,
        MQRC_PROPERTY_NOT_AVAILABLE when there is no property under the cursor.
        """
        with self.in_use():
            check_options("MQSMPO", options)
            check_name_length(name)
            is_field = name.startswith(fields.PREFIX)
            if is_field and not isinstance(value, Property):
                self.fields_set.add(fields.set_field(self.md, name, None, value))
                return
            prop = value if isinstance(value, Property) else Property(evident_type(value), value)
            check_descriptor(prop.support, prop.context, prop.copy_options)
            if is_field:
                self.fields_set.add(fields.set_field(self.md, name, prop.type, prop.value))
                return
            if self._validates:
                check_property_name(name)
            self._place(name, prop.replace(value=coerce_value(prop.type, prop.value)), options)

    def _place(self, name: str, prop: Property, options: int) -> None:
        held = self._find(name)
        if held is None and is_value_and_group(name, self._names):
            raise MQError(f"{name} would be a value and a group at once", MQRC_MIXED_CONTENT_NOT_ALLOWED)
        current = None
        if options not in (MQSMPO_SET_FIRST, MQSMPO_APPEND_PROPERTY):
            current = self._under_cursor(name if options == MQSMPO_SET_PROP_UNDER_CURSOR else "")
        if held is not None and (options == MQSMPO_SET_FIRST or held == current):
            self._values[held] = prop
            return
        if held is not None:
            self._remove(held)
        if current is None:
            at = self._end_of_folder(name)
        else:
            at = self._names.index(current) + (options == MQSMPO_SET_PROP_AFTER_CURSOR)
        self._names.insert(at, name)
        self._values[name] = prop
        if at < self._next:
            self._next += 1

    def _end_of_folder(self, name: str) -> int:
        folder = full_name(name).rpartition(".")[0] + "."
        for at in range(len(self._names), 0, -1):
            if full_name(self._names[at - 1]).startswith(folder):
                return at
        return len(self._names)

    # MQINQMP

    def inquire(
        self,
        name: str,
        *,
        options: int = MQIMPO_INQ_FIRST,
        type: int = MQTYPE_AS_SET,
        max_length: int | None = None,
        requested_ccsid: int = DEFAULT_CCSID,
    ) -> Inquired:
        """MQINQMP: return a property, or a field of the descriptor by ``Root.MQMD.<Field>``.

        name: may end in ``%`` for any rest; MQIMPO_INQ_NEXT continues while the name asked for stays the same.
        options: MQIMPO_*.  type: wanted with MQIMPO_CONVERT_TYPE.  max_length: bytes there is room for.
        requested_ccsid: with MQIMPO_CONVERT_VALUE.
        A value too long is cut: warning MQRC_PROPERTY_VALUE_TOO_BIG. Other warnings: MQRC_PROP_TYPE_NOT_SUPPORTED,
        MQRC_PROP_VALUE_NOT_CONVERTED.
        Raises MQError, with the cursor where it was: MQRC_PROPERTY_NOT_AVAILABLE, MQRC_PROPERTY_NAME_LENGTH_ERR,
        MQRC_PROPERTY_NAME_ERROR, MQRC_PROP_CONV_NOT_SUPPORTED,
        MQRC_PROP_NUMBER_FORMAT_ERROR, MQRC_PROPERTY_TYPE_ERROR, MQRC_OPTIONS_ERROR.
        """
        with self.in_use():
            check_options("MQIMPO", options)
            if not options & MQIMPO_INQ_PROP_UNDER_CURSOR:
                check_pattern(name)
            is_field = name.startswith(fields.PREFIX)
            held = name if is_field else self._names[self._locate(name, options)]
            prop = fields.inquire_field(self.md, name) if is_field else self._values[held]
            shown = other_name(held) if name == _ALL_USR and "." in held else held
            result = answer(shown, prop, options, type, max_length, requested_ccsid)
            if not is_field:
                self._move_cursor(name, held, options)
            return result

    def _locate(self, pattern: str, options: int) -> int:
        if options & MQIMPO_INQ_PROP_UNDER_CURSOR:
            return self._names.index(self._under_cursor())
        start = self._next if options & MQIMPO_INQ_NEXT and pattern == self._asked else 0
        for at in range(start, len(self._names)):
            if matches(pattern, self._names[at]):
                return at
        raise not_available(pattern)

    def _move_cursor(self, pattern: str, name: str, options: int) -> None:
        if not options & MQIMPO_INQ_PROP_UNDER_CURSOR:
            self._current, self._asked = name, pattern
            self._next = self._names.index(name) + 1

    def _find(self, name: str) -> str | None:
        other = other_name(name)
        return name if name in self._values else other if other in self._values else None

    def _under_cursor(self, name: str = "") -> str:
        """Return the property under the cursor; a name that is given must be the property's."""
        if self._current is None or name not in ("", self._current, other_name(self._current)):
            raise not_available(name or "under the property cursor")
        return self._current

    # MQDLTMP

    def delete_property(self, name: str, options: int = MQDMPO_DEL_FIRST) -> int:
        """MQDLTMP: delete a property, or reset a field of the descriptor.

        name: without wildcard; may be empty with MQDMPO_DEL_PROP_UNDER_CURSOR.
        Returns MQRC_NONE, or the warning MQRC_PROPERTY_NOT_AVAILABLE.
        Raises MQError: MQRC_PROPERTY_NAME_LENGTH_ERR, MQRC_PROPERTY_NAME_ERROR, MQRC_OPTIONS_ERROR,
        MQRC_PROPERTY_NOT_AVAILABLE when nothing, or another property, is under the cursor.
        """
        with self.in_use():
            check_options("MQDMPO", options)
            if options == MQDMPO_DEL_PROP_UNDER_CURSOR:
                self._remove(self._under_cursor(name))
                return MQRC_NONE
            check_name_length(name)
            if "%" in name:
                raise MQError(f"{name!r}: cannot delete by wildcard", MQRC_PROPERTY_NAME_ERROR)
            if name.startswith(fields.PREFIX):
                self.fields_set.discard(fields.reset_field(self.md, name))
                return MQRC_NONE
            held = self._find(name)
            if held is None:
                return MQRC_PROPERTY_NOT_AVAILABLE
            self._remove(held)
            return MQRC_NONE

    def _remove(self, name: str) -> None:
        at = self._names.index(name)
        del self._names[at], self._values[name]
        if at < self._next:
            self._next -= 1
        if name == self._current:
            self._current = None

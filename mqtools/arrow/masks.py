"""Masking: replace values with keyed digests. Equal values have equal digests.

The key is ``$MQX_MASK_KEY``, or the file ``mask.key`` in the folder of the queue managers, which is created on first
use. Without the key, the value of a digest cannot be found by trying all values.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa

from mqtools.arrow import arrays
from mqtools.arrow.columns import readable_columns
from mqtools.arrow.pages import values_of
from mqtools.arrow.whole_files import write_whole
from mqtools.configuration.paths import home

#: In front of the name of a property that is masked.
PROPERTY = "property:"
#: Columns that say where a row is from and what it is.
_PLACES = frozenset(("qmgr", "queue", "state", "event", "outcome", "state_before", "state_after"))
_PROPERTIES = ("properties", "properties_json")
_KEY_BYTES = 32


@dataclass(slots=True, frozen=True)
class Mask:
    """Values to mask. columns: by name.  properties: by name, None for all.  key: of the digests."""

    columns: frozenset[str]
    properties: frozenset[str] | None
    key: bytes

    def array(self, name: str, values: Any, kind: pa.DataType) -> pa.Array:
        """Return the array of a column as ``arrays.array`` does, masked."""
        if name in _PROPERTIES and self.properties != frozenset():
            values = [text and self._properties(text) for text in values_of(values)]
        made = arrays.array(name, values, kind)
        if name not in self.columns:
            return made
        known = made.dictionary_encode()
        digests = pa.array([self._digest(value, kind) for value in known.dictionary.to_pylist()], kind)
        return digests.take(known.indices)

    def _digest(self, value: str | bytes, kind: pa.DataType) -> str | bytes:
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        found = hmac.digest(self.key, data, "sha256")
        return found.hex() if kind == pa.string() else found

    def _properties(self, text: str) -> str:
        """Return stored properties with digests in place of values. Raises ValueError for other JSON."""
        found = orjson.loads(text)
        try:
            for name in found.keys() if self.properties is None else found.keys() & self.properties:
                digest = self._digest(orjson.dumps(found[name]["value"]), pa.string())
                found[name] = {"type": "string", "value": digest}
        except (AttributeError, LookupError, TypeError) as error:
            raise ValueError("the stored properties are damaged") from error
        return orjson.dumps(found).decode()


def mask_of(names: Iterable[str]) -> Mask | None:
    """Return the mask of columns and ``property:NAME``, None if there are none. Raises ValueError for another name."""
    wanted = frozenset(names)
    if not wanted:
        return None
    properties = frozenset(each.removeprefix(PROPERTY) for each in wanted if each.startswith(PROPERTY))
    columns = frozenset(each for each in wanted if not each.startswith(PROPERTY))
    known = readable_columns(journal=True)
    can = {name for name, kind in known.items() if kind in ("string", "binary")} - _PLACES | {"properties"}
    if wrong := sorted(columns - can):
        raise ValueError(f"{', '.join(wrong)} cannot be masked; property:NAME can, and {', '.join(sorted(can))}")
    if "data" in columns:
        columns |= {"text"}
    return Mask(columns - set(_PROPERTIES), None if columns & set(_PROPERTIES) else properties, _read_key())


def _read_key() -> bytes:
    if given := os.environ.get("MQX_MASK_KEY"):
        return given.encode()
    path = os.path.join(home(), "mask.key")
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with suppress(FileExistsError):  # another process has just made it
            write_whole(path, lambda file: file.write(os.urandom(_KEY_BYTES)), replaces=False)
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        key = file.read()
    if len(key) < _KEY_BYTES:
        raise ValueError(f"{path}: the key has {len(key)} bytes, not {_KEY_BYTES}")
    return key

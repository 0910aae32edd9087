"""Blocks in which attributes of a connection or a transaction have other values."""

from __future__ import annotations


class Override:
    """Block in which attributes of an object have the given values; its end restores those before."""

    def __init__(self, target: object, **values: object) -> None:
        self._target = target
        self._values = values

    def __enter__(self) -> None:
        self._before = {name: getattr(self._target, name) for name in self._values}
        self._set(self._values)

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def _set(self, values: dict[str, object]) -> None:
        for name, value in values.items():
            setattr(self._target, name, value)

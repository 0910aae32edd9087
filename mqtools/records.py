"""Records: slotted value classes of the fast lane, dataclasses in all but the cost of importing ``dataclasses``.

Importing the standard module costs a one-shot command as much as all the rest of its work. A record is written out by
hand (``__slots__`` and an ``__init__`` with defaults), which type checkers read as it is. It gets equality, ``repr``
and ``replace`` from here. An ``__init__`` generated from annotations costs fifteen times as much for each class at
every start, because it is compiled then; a general one that loops over the fields costs three times as much for each
instance. An ``OptionRecord`` has that general one, for what no plain message needs. Value classes that put, get,
browse and qdepth do not load are ``@dataclass(slots=True)`` instead, derived from ``Record`` where they need
``replace``. ``dataclasses.fields``, ``asdict`` and ``replace`` work on a record: the field table they look for is made
when they first ask.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self, dataclass_transform


class _FieldTable:
    """``__dataclass_fields__`` of a record class, made on first use."""

    def __get__(self, record: Record | None, cls: type[Record]) -> dict[str, Any]:
        if cls is Record:
            raise AttributeError("__dataclass_fields__")  # a dataclass may be derived from it
        from dataclasses import make_dataclass
        from inspect import signature

        parameters = signature(cls.__init__).parameters
        types = {name: each.annotation for name, each in parameters.items()} if cls.__slots__ else cls.__annotations__
        if set(cls.__slots__) - set(types):
            raise AttributeError("__dataclass_fields__")
        twin = make_dataclass(cls.__name__, [(name, types[name]) for name in _names(cls)])
        table: dict[str, Any] = twin.__dataclass_fields__  # type: ignore[attr-defined]
        return table


class Record:
    """Base of value classes: compared field by field, copied with ``replace``; not hashable."""

    __slots__: tuple[str, ...] = ()
    __dataclass_fields__ = _FieldTable()

    def __eq__(self, other: object) -> bool:
        if self.__class__ is not other.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _names(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(self))
        return f"{self.__class__.__name__}({shown})"

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields changed. Unknown field: AttributeError."""
        copy = self.__class__.__new__(self.__class__)
        for name in _names(self):
            setattr(copy, name, getattr(self, name))
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy


class RowRecord(Record):
    """Record that is made of a row, whose values are those of the annotated fields in their order.

    Each class has ``__slots__ = tuple(__annotations__)`` behind its fields.
    """

    __slots__: tuple[str, ...] = ()

    def __init__(self, row: Iterable[object]) -> None:
        for name, value in zip(self.__slots__, row, strict=True):
            setattr(self, name, value)


def _names(record: Record | type[Record]) -> tuple[str, ...]:
    """Return the names of the fields: an ``OptionRecord`` has no slots, but annotations."""
    return record.__slots__ or tuple(record.__annotations__)


if TYPE_CHECKING:

    @dataclass_transform()
    class _Annotated(Record):
        """Class whose fields are annotated, to type checkers."""

else:
    _Annotated = Record  # ``typing`` takes long to import


class OptionRecord(_Annotated):
    """Record that is made seldom, or beside far more work: its fields are annotated, defaults are class attributes.

    Nothing checks at run time that a field without a default is given; type checkers do.
    A function as default is a ``staticmethod``.
    """

    def __init__(self, *values: object, **named: object) -> None:
        self.__dict__.update(zip(self.__annotations__, values, strict=False), **named)

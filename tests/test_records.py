"""Records: dataclasses in all but the cost."""

import dataclasses
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.message import MQMD, Message, Property
from mqtools.records import OptionRecord, Record


class Point(Record):
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: int = 0) -> None:
        self.x = x
        self.y = y


class OtherPoint(Point):
    __slots__ = ()


class Computed(Record):
    __slots__ = ("double", "x")

    def __init__(self, x: int) -> None:
        self.x = x
        self.double = 2 * x


@given(st.integers(), st.integers(), st.integers(), st.integers())
def test_records_are_equal_when_all_their_fields_are(a, b, c, d):
    assert (Point(a, b) == Point(c, d)) == ((a, b) == (c, d))


def test_records_of_different_classes_are_not_equal():
    assert Point(1, 2) != OtherPoint(1, 2)
    assert Point(1, 2) != (1, 2)


def test_records_are_not_hashable_because_they_change():
    with pytest.raises(TypeError):
        hash(Point(1))


def test_repr_shows_every_field():
    assert repr(Point(1, 2)) == "Point(x=1, y=2)"


def test_replace_changes_the_copy_and_leaves_the_original():
    original = Point(1, 2)
    copy = original.replace(y=5)
    assert (original.x, original.y, copy.x, copy.y) == (1, 2, 1, 5)


def test_replace_with_a_field_that_does_not_exist_is_an_error():
    with pytest.raises(AttributeError):
        Point(1).replace(z=3)


def test_records_have_no_room_for_other_attributes():
    with pytest.raises(AttributeError):
        Point(1).z = 3


@pytest.mark.parametrize("record", [MQMD(), Property(1, "x"), Message(b"data")], ids=lambda r: type(r).__name__)
def test_the_functions_of_dataclasses_work_on_records(record):
    assert dataclasses.is_dataclass(record)
    assert tuple(field.name for field in dataclasses.fields(record)) == type(record).__slots__
    assert dataclasses.replace(record) == record


def test_asdict_reaches_records_in_records():
    assert dataclasses.asdict(Message(b"x", MQMD(priority=3)))["md"]["priority"] == 3


def test_a_record_that_computes_a_field_is_no_dataclass():
    assert not dataclasses.is_dataclass(Computed(1))
    assert Computed(2).replace(x=3) == Computed(2).replace(x=3)


def test_message_defaults_are_not_shared():
    first, second = Message(), Message()
    first.md.priority = 9
    first.properties["a"] = Property(1, 1)
    assert second.md.priority != 9
    assert second.properties == {}


class Search(OptionRecord):
    where: str
    limit: int | None = None
    test: Callable[[str], int] = len


def test_an_option_record_has_the_defaults_of_its_class_and_compares_as_a_record():
    search = Search("a > 1", test=int)
    assert (search.limit, search.test("7"), Search("x").test("seven")) == (None, 7, 5)
    assert search == Search("a > 1", None, int) != search.replace(limit=5)
    assert repr(Search("x", 3)) == "Search(where='x', limit=3, test=<built-in function len>)"

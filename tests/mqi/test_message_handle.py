"""Message handles: their life, setting and deleting properties, and the property cursor."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.message import MQMD, Property
from mqtools.mqi.message_handles.handle import MessageHandle

from ..errors import reason_of
from .handles import HERE, NEXT, handle_of


class TestLifeOfAHandle:
    def test_a_deleted_handle_is_of_no_use(self) -> None:
        handle = handle_of(x=1)
        handle.delete()
        for call, *args in (
            (handle.set, "x", 1),
            (handle.inquire, "x"),
            (handle.delete_property, "x"),
            (handle.clear,),
            (handle.copy_from, {}),
            (handle.delete,),
            (handle.in_use().__enter__,),
            (getattr, handle, "properties"),
        ):
            assert reason_of(call, *args) == r.MQRC_HMSG_ERROR == 2460

    def test_another_thread_finds_a_handle_in_use(self) -> None:
        handle = handle_of(x=1)
        reasons: list[int] = []
        with handle.in_use():
            handle.set("y", 2)  # the call's own thread goes on
            for call in (lambda: handle.inquire("x"), lambda: handle.set("x", 2), handle.delete):
                thread = Thread(target=lambda call=call: reasons.append(reason_of(call)))
                thread.start()
                thread.join()
        assert reasons == [r.MQRC_MSG_HANDLE_IN_USE] * 3
        assert handle.inquire("y").value == 2

    @pytest.mark.conformance("PROP-19")
    def test_filling_a_handle_clears_it_first(self) -> None:
        handle = handle_of(old=1)
        handle.inquire("old")
        handle.copy_from({"new": Property(p.MQTYPE_INT8, 2)}, MQMD(priority=7))
        assert reason_of(handle.inquire, "old") == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert reason_of(handle.inquire, "", options=HERE) == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert handle.inquire("new").value == 2
        assert handle.inquire("Root.MQMD.Priority").value == 7

    def test_a_handle_shares_no_property_with_what_it_was_filled_from(self) -> None:
        properties = {"x": Property(p.MQTYPE_INT8, 1)}
        handle = MessageHandle()
        handle.copy_from(properties)
        handle.properties["x"].value = 5
        properties["x"].value = 6
        assert handle.inquire("x").value == 1


class TestSetting:
    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            (p.MQTYPE_BOOLEAN, True),
            (p.MQTYPE_BYTE_STRING, b"\0\1"),
            (p.MQTYPE_INT8, -128),
            (p.MQTYPE_INT16, 1),
            (p.MQTYPE_INT32, 1),
            (p.MQTYPE_INT64, 1),
            (p.MQTYPE_FLOAT32, 1.5),
            (p.MQTYPE_FLOAT64, 1.1),
            (p.MQTYPE_STRING, "é"),
            (p.MQTYPE_NULL, None),
        ],
    )
    def test_each_type_comes_back(self, kind: int, value: Any) -> None:
        handle = MessageHandle()
        handle.set("x", Property(kind, value))
        found = handle.inquire("x")
        assert (found.type, found.value, found.comp_code, found.reason) == (kind, value, r.MQCC_OK, r.MQRC_NONE)

    @pytest.mark.conformance("ACT-55")
    def test_descriptor_of_a_property_comes_back_and_has_its_initial_values(self) -> None:
        handle = handle_of(x=1)
        found = handle.inquire("x")
        assert (found.support, found.context, found.copy_options) == (
            p.MQPD_SUPPORT_OPTIONAL,
            p.MQPD_NO_CONTEXT,
            p.MQCOPY_DEFAULT,
        )
        handle.set("x", Property(p.MQTYPE_INT64, 1, p.MQPD_SUPPORT_REQUIRED, p.MQPD_USER_CONTEXT, p.MQCOPY_REPLY))
        found = handle.inquire("x")
        assert (found.support, found.context, found.copy_options) == (p.MQPD_SUPPORT_REQUIRED, 1, p.MQCOPY_REPLY)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("", r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("x" * 4096, r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("é" * 2048, r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("a b", r.MQRC_PROPERTY_NAME_ERROR),
            ("x.%", r.MQRC_PROPERTY_NAME_ERROR),
            ("JMSType", r.MQRC_PROPERTY_NAME_ERROR),
            ("select.and..x", r.MQRC_PROPERTY_NAME_ERROR),
            ("Root.MQMD.Nothing", r.MQRC_PROPERTY_NAME_ERROR),
            ("Root.MQMD.Version", r.MQRC_PROPERTY_NAME_ERROR),
            ("f.g.h", r.MQRC_MIXED_CONTENT_NOT_ALLOWED),
            ("f", r.MQRC_NONE),
            ("x" * 4095, r.MQRC_NONE),
        ],
    )
    def test_names_that_cannot_be_are_refused(self, name: str, reason: int) -> None:
        handle = handle_of(f__g=1)
        if reason == r.MQRC_NONE:
            handle.set(name, 1)
            return
        assert reason_of(handle.set, name, 1) == reason
        assert list(handle.properties) == ["f.g"]

    def test_a_group_takes_no_value(self) -> None:
        handle = handle_of(f__g__h=1)
        assert reason_of(handle.set, "f.g", 1) == r.MQRC_MIXED_CONTENT_NOT_ALLOWED
        handle.delete_property("f.g.h")
        handle.set("f.g", 1)

    def test_without_validation_names_are_taken_as_they_are(self) -> None:
        handle = MessageHandle(p.MQCMHO_NO_VALIDATION)
        handle.set("a b", 1)
        assert handle.inquire("a b").value == 1

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            ({"type": p.MQTYPE_AS_SET}, r.MQRC_PROPERTY_TYPE_ERROR),
            ({"type": 3}, r.MQRC_PROPERTY_TYPE_ERROR),
            ({"type": p.MQTYPE_STRING}, r.MQRC_PROPERTY_TYPE_ERROR),
            ({"type": p.MQTYPE_INT8}, r.MQRC_PROP_NUMBER_FORMAT_ERROR),
            ({"support": 2}, r.MQRC_PD_ERROR),
            ({"context": 2}, r.MQRC_PD_ERROR),
            ({"copy_options": 0x20}, r.MQRC_PD_ERROR),
        ],
    )
    def test_a_property_that_cannot_be_set_changes_nothing(self, more: dict[str, int], reason: int) -> None:
        handle = handle_of(x="old")
        assert reason_of(handle.set, "x", Property(**{"type": p.MQTYPE_INT64, "value": 1000, **more})) == reason
        assert handle.properties == {"x": Property(p.MQTYPE_STRING, "old")}

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (3, r.MQRC_OPTIONS_ERROR),
            (p.MQSMPO_SET_PROP_UNDER_CURSOR, r.MQRC_PROPERTY_NOT_AVAILABLE),
            (p.MQSMPO_SET_PROP_AFTER_CURSOR, r.MQRC_PROPERTY_NOT_AVAILABLE),
            (p.MQSMPO_SET_PROP_BEFORE_CURSOR, r.MQRC_PROPERTY_NOT_AVAILABLE),
        ],
    )
    def test_options_that_cannot_be_change_nothing(self, options: int, reason: int) -> None:
        handle = handle_of(x="old")
        assert reason_of(handle.set, "x", 1000, options) == reason
        assert reason_of(MessageHandle, 3) == reason_of(MessageHandle().delete, 1) == r.MQRC_OPTIONS_ERROR
        assert handle.properties == {"x": Property(p.MQTYPE_STRING, "old")}

    def test_both_names_of_usr_are_one_property(self) -> None:
        handle = handle_of(usr__x=1)
        handle.set("x", 2)
        assert handle.properties == {"usr.x": Property(p.MQTYPE_INT64, 2)}
        assert handle.inquire("x").value == handle.inquire("usr.x").value == 2
        assert handle.delete_property("x") == r.MQRC_NONE
        assert handle.properties == {}


class TestPlaces:
    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (p.MQSMPO_SET_FIRST, ["a", "f.b", "c", "f.d", "f.new"]),
            (p.MQSMPO_APPEND_PROPERTY, ["a", "f.b", "c", "f.d", "f.new"]),
            (p.MQSMPO_SET_PROP_BEFORE_CURSOR, ["a", "f.new", "f.b", "c", "f.d"]),
            (p.MQSMPO_SET_PROP_AFTER_CURSOR, ["a", "f.b", "f.new", "c", "f.d"]),
        ],
    )
    def test_a_new_property_goes_where_the_option_says(self, options: int, expected: list[str]) -> None:
        handle = handle_of(a=1, f__b=1, c=1)
        handle.set("f.d", 1)
        handle._names = ["a", "f.b", "c", "f.d"]
        handle.inquire("f.b")
        handle.set("f.new", 1, options=options)
        assert list(handle.properties) == expected

    def test_a_new_property_goes_behind_those_of_its_folder(self) -> None:
        assert list(handle_of(f__a=1, x=1, f__b=1, y=1, g__a=1).properties) == ["f.a", "f.b", "x", "y", "g.a"]

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (p.MQSMPO_SET_FIRST, ["a", "b", "c"]),
            (p.MQSMPO_APPEND_PROPERTY, ["b", "c", "a"]),
            (p.MQSMPO_SET_PROP_BEFORE_CURSOR, ["a", "b", "c"]),
            (p.MQSMPO_SET_PROP_AFTER_CURSOR, ["b", "a", "c"]),
        ],
    )
    def test_a_property_that_is_there_is_replaced(self, options: int, expected: list[str]) -> None:
        handle = handle_of(a=1, b=1, c=1)
        handle.inquire("b")
        handle.set("a", 2, options=options)
        assert list(handle.properties) == expected
        assert handle.inquire("a").value == 2

    def test_the_property_under_the_cursor_is_set_by_its_own_name_only(self) -> None:
        handle = handle_of(a=1, b=1)
        handle.inquire("a")
        handle.set("a", 2, options=p.MQSMPO_SET_PROP_UNDER_CURSOR)
        reason = reason_of(handle.set, "b", 2, options=p.MQSMPO_SET_PROP_UNDER_CURSOR)
        assert reason == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert [prop.value for prop in handle.properties.values()] == [2, 1]


class TestDeleting:
    def test_a_property_that_is_not_there_is_a_warning(self) -> None:
        handle = handle_of(x=1)
        assert handle.delete_property("x") == r.MQRC_NONE
        assert handle.delete_property("x") == r.MQRC_PROPERTY_NOT_AVAILABLE

    def test_the_one_under_the_cursor_goes(self) -> None:
        handle = handle_of(a=1, b=1)
        here = p.MQDMPO_DEL_PROP_UNDER_CURSOR
        assert reason_of(handle.delete_property, "", here) == r.MQRC_PROPERTY_NOT_AVAILABLE
        handle.inquire("a")
        assert reason_of(handle.delete_property, "b", here) == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert handle.delete_property("usr.a", here) == r.MQRC_NONE
        assert reason_of(handle.delete_property, "", here) == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert list(handle.properties) == ["b"]

    @pytest.mark.parametrize(
        ("name", "options", "reason"),
        [
            ("%", 0, r.MQRC_PROPERTY_NAME_ERROR),
            ("", 0, r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("x", 2, r.MQRC_OPTIONS_ERROR),
        ],
    )
    def test_deletions_that_cannot_be(self, name: str, options: int, reason: int) -> None:
        assert reason_of(handle_of(x=1).delete_property, name, options) == reason


class PropertyCursor(RuleBasedStateMachine):
    """Whatever is set and deleted during a walk, what was not walked over yet comes next, in order, once."""

    def __init__(self) -> None:
        super().__init__()
        self.handle = handle_of(a=1, b=1, c=1)
        self.to_come = ["a", "b", "c"]
        self.handle.reset_cursor()

    @rule(name=st.sampled_from("abcdef"), value=st.integers(0, 9))
    def set(self, name: str, value: int) -> None:
        is_new = name not in self.handle.properties
        self.handle.set(name, value)
        if is_new:
            self.to_come.append(name)

    @rule(name=st.sampled_from("abcdef"))
    def delete(self, name: str) -> None:
        if self.handle.delete_property(name) == r.MQRC_NONE and name in self.to_come:
            self.to_come.remove(name)

    @rule()
    def walk(self) -> None:
        if self.to_come:
            assert self.handle.inquire("%", options=NEXT).name == self.to_come.pop(0)
        else:
            assert reason_of(self.handle.inquire, "%", options=NEXT) == r.MQRC_PROPERTY_NOT_AVAILABLE

    @rule()
    def again(self) -> None:
        names = list(self.handle.properties)
        self.to_come = names[1:]
        if names:
            assert self.handle.inquire("%").name == names[0]

    @invariant()
    def names_and_values_agree(self) -> None:
        assert sorted(self.handle._names) == sorted(self.handle._values)


TestPropertyCursor = PropertyCursor.TestCase

"""Message handles: inquiring by name and wildcard, conversion, and the fields of the descriptor."""

from __future__ import annotations

import pytest

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.message import MQMD, Property
from mqtools.mqi.message_handles.handle import Inquired, MessageHandle

from ..errors import reason_of
from .handles import FIRST, HERE, NEXT, handle_of, walk


class TestInquiring:
    def test_wildcards_walk_in_order_to_the_end(self) -> None:
        handle = handle_of(a=1, usr__b=1, f__a=1, f__b=1)
        assert walk(handle) == ["a", "usr.b", "f.a", "f.b"]
        assert walk(handle, "f.%") == ["f.a", "f.b"]
        assert walk(handle, "f%") == ["f.a", "f.b"]
        assert walk(handle, "usr.%") == ["a", "b"], "they come without the prefix"
        assert walk(handle, "x%") == []

    def test_next_after_the_end_stays_at_the_end(self) -> None:
        handle = handle_of(a=1)
        walk(handle)
        assert reason_of(handle.inquire, "%", options=NEXT) == r.MQRC_PROPERTY_NOT_AVAILABLE
        handle.set("b", 1)
        assert handle.inquire("%", options=NEXT).name == "b"

    def test_next_with_another_name_begins_again(self) -> None:
        handle = handle_of(a=1, b=1)
        assert handle.inquire("%", options=NEXT).name == "a"
        assert handle.inquire("a%", options=NEXT).name == "a"
        assert handle.inquire("%", options=NEXT).name == "a"
        assert handle.inquire("%", options=NEXT).name == "b"

    @pytest.mark.parametrize("gone", ["a", "b", "c"])
    def test_a_walk_goes_on_when_a_property_goes(self, gone: str) -> None:
        handle = handle_of(a=1, b=1, c=1)
        handle.inquire("%")
        handle.inquire("%", options=NEXT)
        handle.delete_property(gone)
        if gone == "c":
            assert reason_of(handle.inquire, "%", options=NEXT) == r.MQRC_PROPERTY_NOT_AVAILABLE
        else:
            assert handle.inquire("%", options=NEXT).name == "c"

    def test_under_the_cursor_is_what_was_inquired_last(self) -> None:
        handle = handle_of(a=1, b=2)
        assert reason_of(handle.inquire, "", options=HERE) == r.MQRC_PROPERTY_NOT_AVAILABLE
        handle.inquire("b")
        assert handle.inquire("", options=HERE).value == 2
        assert reason_of(handle.inquire, "x") == r.MQRC_PROPERTY_NOT_AVAILABLE
        assert handle.inquire("%", options=HERE).value == 2, "a call that fails leaves the cursor"
        handle.delete_property("b")
        assert reason_of(handle.inquire, "", options=HERE) == r.MQRC_PROPERTY_NOT_AVAILABLE

    @pytest.mark.parametrize(
        ("name", "options", "reason"),
        [
            ("x", FIRST, r.MQRC_PROPERTY_NOT_AVAILABLE),
            ("", FIRST, r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("x" * 4096, FIRST, r.MQRC_PROPERTY_NAME_LENGTH_ERR),
            ("a%b", FIRST, r.MQRC_PROPERTY_NAME_ERROR),
            ("a", NEXT | HERE, r.MQRC_OPTIONS_ERROR),
            ("a", 0x40, r.MQRC_OPTIONS_ERROR),
            ("Root.MQMD.Nothing", FIRST, r.MQRC_PROPERTY_NAME_ERROR),
        ],
    )
    def test_inquiries_that_find_nothing(self, name: str, options: int, reason: int) -> None:
        assert reason_of(handle_of(a=1).inquire, name, options=options) == reason

    def test_a_value_too_long_is_cut_with_a_warning(self) -> None:
        handle = handle_of(text="aéz", raw=b"abc", number=7)
        cut = handle.inquire("text", max_length=2)
        assert (cut.value, cut.comp_code, cut.reason, cut.data_length) == (
            "a",
            r.MQCC_WARNING,
            r.MQRC_PROPERTY_VALUE_TOO_BIG,
            4,
        )
        assert handle.inquire("", options=HERE, max_length=4).value == "aéz"
        assert handle.inquire("raw", max_length=2).value == b"ab"
        assert handle.inquire("number", max_length=7).value is None
        assert handle.inquire("number", max_length=8).value == 7

    def test_the_length_can_be_asked_for_alone(self) -> None:
        handle = handle_of(x="abc")
        asked = handle.inquire("%", options=p.MQIMPO_QUERY_LENGTH, max_length=0)
        assert asked == Inquired("x", None, p.MQTYPE_STRING, data_length=3)
        assert handle.inquire("", options=HERE).value == "abc"

    @pytest.mark.parametrize(
        ("value", "wanted", "reason"),
        [
            ("12", p.MQTYPE_INT32, r.MQRC_NONE),
            ("12", p.MQTYPE_AS_SET, r.MQRC_NONE),
            ("12", p.MQTYPE_BYTE_STRING, r.MQRC_PROP_CONV_NOT_SUPPORTED),
            ("1x", p.MQTYPE_INT32, r.MQRC_PROP_NUMBER_FORMAT_ERROR),
            ("12", 3, r.MQRC_PROPERTY_TYPE_ERROR),
        ],
    )
    def test_types_are_converted_when_asked(self, value: str, wanted: int, reason: int) -> None:
        handle = handle_of(first=1, x=value)
        handle.inquire("first")
        if reason:
            assert reason_of(handle.inquire, "x", options=p.MQIMPO_CONVERT_TYPE, type=wanted) == reason
            assert handle.inquire("", options=HERE).name == "first"
            return
        found = handle.inquire("x", options=p.MQIMPO_CONVERT_TYPE, type=wanted)
        assert (found.value, found.type) == ((12, wanted) if wanted else ("12", p.MQTYPE_STRING))
        assert handle.inquire("x", type=p.MQTYPE_INT8).value == "12", "without the option it comes as it was set"

    @pytest.mark.parametrize(
        ("value", "ccsid", "length", "reason"),
        [
            ("é", 819, 1, r.MQRC_NONE),
            ("é", 1200, 2, r.MQRC_NONE),
            ("ж", 819, 2, r.MQRC_PROP_VALUE_NOT_CONVERTED),
            ("é", 4711, 2, r.MQRC_PROP_VALUE_NOT_CONVERTED),
            (5, 4711, 8, r.MQRC_NONE),
        ],
    )
    def test_a_value_that_cannot_be_converted_comes_as_it_is(
        self, value: object, ccsid: int, length: int, reason: int
    ) -> None:
        found = handle_of(x=value).inquire("x", options=p.MQIMPO_CONVERT_VALUE, requested_ccsid=ccsid)
        assert (found.value, found.data_length, found.reason) == (value, length, reason)
        assert found.comp_code == (r.MQCC_WARNING if reason else r.MQCC_OK)

    def test_a_value_of_unknown_type_comes_as_text(self) -> None:
        handle = MessageHandle()
        handle.copy_from({"x": Property(0x8000, "17:00")})
        found = handle.inquire("x")
        assert (found.value, found.type, found.comp_code, found.reason) == (
            "17:00",
            p.MQTYPE_STRING,
            r.MQCC_WARNING,
            r.MQRC_PROP_TYPE_NOT_SUPPORTED,
        )


class TestDescriptorFields:
    def test_fields_are_set_and_inquired_by_their_names(self) -> None:
        handle = MessageHandle()
        handle.set("Root.MQMD.Priority", 9)
        handle.set("Root.MQMD.CorrelId", Property(p.MQTYPE_BYTE_STRING, b"abc"))
        handle.set("Root.MQMD.ReplyToQ", "R  ")
        assert (handle.md.priority, handle.md.reply_to_q) == (9, "R")
        assert handle.inquire("Root.MQMD.CorrelId").value == b"abc".ljust(24, b"\0")
        assert handle.fields_set == {"priority", "correl_id", "reply_to_q"}
        assert handle.properties == {}
        assert walk(handle) == []

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("Priority", "9"),
            ("Priority", Property(p.MQTYPE_INT64, 9)),
            ("MsgId", b"x" * 25),
            ("ReplyToQ", "x" * 49),
            ("CorrelId", Property(p.MQTYPE_STRING, "x")),
        ],
    )
    def test_a_field_takes_its_own_type_only(self, name: str, value: object) -> None:
        handle = MessageHandle()
        assert reason_of(handle.set, f"Root.MQMD.{name}", value) == r.MQRC_PROPERTY_TYPE_ERROR
        assert (handle.md, handle.fields_set) == (MQMD(), set())

    def test_deleting_a_field_gives_its_initial_value_back(self) -> None:
        handle = MessageHandle()
        handle.set("Root.MQMD.Priority", 9)
        assert handle.delete_property("Root.MQMD.Priority") == r.MQRC_NONE
        assert (handle.md.priority, handle.fields_set) == (MQMD().priority, set())

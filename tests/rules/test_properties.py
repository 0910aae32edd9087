"""Properties: the form a get gives them in, their names, and what goes with a message made of another."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants import options as mq
from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.constants.message import MQENC_NATIVE, MQFMT_STRING
from mqtools.errors import MQError
from mqtools.headers.chain import walk
from mqtools.headers.mqrfh2 import unpack_mqrfh2
from mqtools.message import MQMD, Property
from mqtools.rules.properties import (
    PROPERTY_TABLE,
    apply_property_form,
    compat_gives_rfh2,
    is_value_and_group,
    merge_properties,
    other_name,
    properties_for,
    properties_of_made,
    property_form,
    rfh2_properties,
)

from ..errors import fails
from .entries import entry
from .rfh2_messages import message, text

AS_Q_DEF = mq.MQGMO_PROPERTIES_AS_Q_DEF
IN_HANDLE = mq.MQGMO_PROPERTIES_IN_HANDLE
NO_PROPERTIES = mq.MQGMO_NO_PROPERTIES
FORCE = mq.MQGMO_PROPERTIES_FORCE_MQRFH2
COMPATIBILITY = mq.MQGMO_PROPERTIES_COMPATIBILITY
CONTROLS = (p.MQPROP_ALL, p.MQPROP_COMPATIBILITY, p.MQPROP_NONE, p.MQPROP_FORCE_MQRFH2)


class TestRepresentation:
    @pytest.mark.parametrize(
        ("option", "has_handle", "expected"),
        [
            entry("PROP-01", AS_Q_DEF, False, ("rfh2", "compat", "none", "rfh2")),
            entry("PROP-02", AS_Q_DEF, True, ("handle", "handle", "handle", "rfh2")),
            entry("PROP-03", AS_Q_DEF, True, ("handle", "handle", "handle", "rfh2")),
            entry("PROP-04", 0, False, ("rfh2", "compat", "none", "rfh2")),
            entry("PROP-05", IN_HANDLE, True, ("handle",) * 4),
            entry("PROP-07", IN_HANDLE, True, ("handle",) * 4),
            entry("PROP-08", AS_Q_DEF, False, ("rfh2", "compat", "none", "rfh2")),
            entry("PROP-09", NO_PROPERTIES, False, ("none",) * 4),
            entry("PROP-10", NO_PROPERTIES, True, ("none",) * 4),
            entry("PROP-11", FORCE, False, ("rfh2",) * 4),
            entry("PROP-12", FORCE, True, ("rfh2",) * 4),
            entry("PROP-13", COMPATIBILITY, False, ("compat",) * 4),
            entry("PROP-14", COMPATIBILITY, True, ("compat",) * 4),
            entry("PROP-17", mq.MQGMO_WAIT, True, ("handle", "handle", "handle", "rfh2")),
            entry("PROP-18", mq.MQGMO_NO_WAIT | AS_Q_DEF, False, ("rfh2", "compat", "none", "rfh2")),
        ],
    )
    def test_option_handle_and_queue_decide(self, option: int, has_handle: bool, expected: tuple[str, ...]) -> None:
        assert tuple(property_form(option, control, has_handle) for control in CONTROLS) == expected

    @pytest.mark.conformance("PROP-06")
    @pytest.mark.parametrize("control", [*CONTROLS, p.MQPROP_V6COMPAT])
    def test_in_handle_without_a_handle_fails(self, control: int) -> None:
        with pytest.raises(MQError) as caught:
            property_form(IN_HANDLE | mq.MQGMO_WAIT, control, False)
        assert caught.value.reason == r.MQRC_HMSG_ERROR == 2460

    @pytest.mark.conformance("PROP-16")
    def test_two_forms_at_once_are_refused(self) -> None:
        with fails(r.MQRC_OPTIONS_ERROR):
            property_form(NO_PROPERTIES | IN_HANDLE, p.MQPROP_ALL, True)

    def test_v6compat_is_taken_as_compat(self) -> None:
        for row in PROPERTY_TABLE.values():
            assert row[p.MQPROP_V6COMPAT] == row[p.MQPROP_COMPATIBILITY]

    @pytest.mark.conformance("PROP-15")
    @pytest.mark.parametrize("name", ["mcd.x", "jms.x", "usr.x", "mqext.x"])
    def test_each_prefix_gives_an_mqrfh2(self, name: str) -> None:
        assert compat_gives_rfh2(["color", name])

    @pytest.mark.conformance("PROP-15")
    @pytest.mark.parametrize("names", [["jmsx.y"], ["color"], ["usr"], ["JMS.x"], ["a.usr.x"], []])
    def test_nothing_else_does(self, names: list[str]) -> None:
        assert not compat_gives_rfh2(names)


class TestRepresented:
    """A stored message as its get delivers it."""

    def got(self, form: str, md: MQMD, data: bytes, properties: dict[str, Property]) -> Any:
        return apply_property_form(form, md, data, properties, ccsid=1208, encoding=MQENC_NATIVE)

    @pytest.mark.conformance("PROP-13")
    def test_compat_with_a_known_folder_gives_all_properties_in_one_mqrfh2(self) -> None:
        properties = {"jms.Dst": text("q"), "color": text("red")}
        md, data, held = self.got("compat", MQMD(format=MQFMT_STRING), b"body", properties)
        assert md.format == "MQHRF2"
        assert held == {}
        assert unpack_mqrfh2(data, md.encoding, 1208).folders == [
            "<jms><Dst>q</Dst></jms>",
            "<usr><color>red</color></usr>",
        ]
        assert data.endswith(b"body")

    @pytest.mark.conformance("PROP-14")
    def test_compat_without_one_gives_nothing(self) -> None:
        md = MQMD(format=MQFMT_STRING)
        assert self.got("compat", md, b"body", {"color": text()}) == (md, b"body", {})

    @pytest.mark.conformance("PROP-08")
    def test_properties_set_with_a_handle_come_in_front_of_the_data_without_one(self) -> None:
        md, data, held = self.got("rfh2", MQMD(format=MQFMT_STRING), b"body", {"color": text()})
        assert (md.format, held) == ("MQHRF2", {})
        assert data.startswith(b"RFH ")

    @pytest.mark.parametrize("form", ["rfh2", "compat"])
    @pytest.mark.parametrize("known", [True, False])
    def test_an_mqrfh2_of_the_sender_comes_back_byte_for_byte(self, form: str, known: bool) -> None:
        md, data = message("<usr >\n<x dt='int'>1</x></usr>  ", "<other>text</other>", name_value_ccsid=0, flags=7)
        properties = rfh2_properties(md, data) if known else {}
        assert self.got(form, md, data, properties) == (md, data, {})

    def test_an_mqrfh2_of_the_sender_is_joined_with_what_a_handle_set(self) -> None:
        md, data = message("<usr><x>1</x></usr>", "<other>text</other>")
        md, data, _ = self.got("rfh2", md, data, {"x": text("2"), "f.y": text("3")})
        headers = walk(data, md.format, md.encoding, md.coded_char_set_id).headers
        assert [header.record.folders for header in headers] == [  # type: ignore[attr-defined]
            ["<usr><x>2</x></usr>", "<f content='properties'><y>3</y></f>"],
            ["<other>text</other>"],
        ]

    def test_handle_has_all_and_the_data_none(self) -> None:
        md, data = message("<usr><x>1</x></usr>")
        bare, body, held = self.got("handle", md, data, {"color": text("red")})
        assert (bare.format, body) == (MQFMT_STRING, b"body")
        assert held == {"usr.x": text("1"), "color": text("red")}

    @pytest.mark.conformance("PROP-09")
    def test_none_leaves_what_is_no_property(self) -> None:
        md, data = message("<usr><x>1</x></usr>", "<other>text</other>")
        bare, body, held = self.got("none", md, data, {"color": text("red")})
        assert held == {}
        assert unpack_mqrfh2(body, bare.encoding, 1208).folders == ["<other>text</other>"]

    @pytest.mark.parametrize("form", ["handle", "rfh2", "compat", "none"])
    def test_a_damaged_mqrfh2_is_data(self, form: str) -> None:
        md, data = message("<usr><x>1</usr>")
        assert self.got(form, md, data, {}) == (md, data, {})


class TestNames:
    @pytest.mark.parametrize(
        ("name", "other"),
        [("x", "usr.x"), ("usr.x", "x"), ("f.x", "f.x"), ("usr.f.x", "usr.f.x"), ("usr.", "")],
    )
    def test_properties_of_usr_have_two_names(self, name: str, other: str) -> None:
        assert other_name(name) == other

    @pytest.mark.parametrize(
        ("name", "held", "mixed"),
        [
            ("x.y.z", "x.y", True),
            ("x.y", "x.y.z", True),
            ("x", "usr.x.y", True),
            ("x", "x.y", False),
            ("x.y", "x.y", False),
            ("x", "usr.x", False),
            ("x.y", "x.yz", False),
        ],
    )
    def test_a_name_cannot_be_value_and_group(self, name: str, held: str, mixed: bool) -> None:
        assert is_value_and_group(name, ["other", held]) is mixed

    def test_joined_sets_replace_by_either_name(self) -> None:
        assert merge_properties(
            {"usr.x": text("1"), "y": text("1")}, {"x": text("2"), "usr.y": text("2"), "z": text("2")}
        ) == {
            "usr.x": text("2"),
            "y": text("2"),
            "z": text("2"),
        }


class TestCopied:
    ORIGINAL = {
        name: Property(p.MQTYPE_STRING, name, copy_options=bits)
        for name, bits in {
            "forward": p.MQCOPY_FORWARD,
            "reply": p.MQCOPY_REPLY,
            "report": p.MQCOPY_REPORT,
            "publish": p.MQCOPY_PUBLISH,
            "none": p.MQCOPY_NONE,
            "all": p.MQCOPY_ALL,
            "default": p.MQCOPY_DEFAULT,
        }.items()
    }

    @pytest.mark.parametrize(
        ("action", "expected"),
        [
            entry("ACT-15", p.MQCOPY_FORWARD, {"forward", "all", "default"}),
            entry("ACT-33", p.MQCOPY_REPLY, {"reply", "all"}),
            entry("ACT-44", p.MQCOPY_REPORT, {"report", "all", "default"}),
            entry("ACT-55", p.MQCOPY_PUBLISH, {"publish", "all", "default"}),
        ],
    )
    def test_copy_options_decide(self, action: int, expected: set[str]) -> None:
        assert set(properties_for(action, self.ORIGINAL)) == expected
        assert set(properties_of_made(action, self.ORIGINAL, {})) == expected

    def test_null_removes_by_either_name(self) -> None:
        assert properties_of_made(p.MQCOPY_FORWARD, {"usr.f": text()}, {"f": Property(p.MQTYPE_NULL, None)}) == {}

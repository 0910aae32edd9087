"""Properties: the form a get gives them in, what goes with a message made of another, MQRFH2 and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import options as mq
from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.constants.message import MQCCSI_INHERIT, MQENC_INTEGER_NORMAL, MQENC_NATIVE, MQFMT_NONE, MQFMT_STRING
from mqtools.errors import MQError
from mqtools.headers.chain import walk
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2, unpack_mqrfh2
from mqtools.message import MQMD, Property
from mqtools.rules.properties import (
    PROPERTY_TABLE,
    apply_property_form,
    check_properties,
    compat_gives_rfh2,
    from_rfh2,
    full_name,
    into_rfh2,
    is_value_and_group,
    merge_properties,
    other_name,
    properties_for,
    properties_of_made,
    property_form,
    rfh2_properties,
)

from .entries import entry

AS_Q_DEF = mq.MQGMO_PROPERTIES_AS_Q_DEF
IN_HANDLE = mq.MQGMO_PROPERTIES_IN_HANDLE
NO_PROPERTIES = mq.MQGMO_NO_PROPERTIES
FORCE = mq.MQGMO_PROPERTIES_FORCE_MQRFH2
COMPATIBILITY = mq.MQGMO_PROPERTIES_COMPATIBILITY
CONTROLS = (p.MQPROP_ALL, p.MQPROP_COMPATIBILITY, p.MQPROP_NONE, p.MQPROP_FORCE_MQRFH2)
BIG = MQENC_INTEGER_NORMAL


def text(value: str = "v") -> Property:
    return Property(p.MQTYPE_STRING, value)


def message(*folders: str, data: bytes = b"body", **fields: Any) -> tuple[MQMD, bytes]:
    """A message in UTF-8 that begins with an MQRFH2, which describes what follows as MQSTR."""
    header = MQRFH2(format=MQFMT_STRING, coded_char_set_id=1208, folders=list(folders), **fields)
    md = MQMD(format="MQHRF2", encoding=MQENC_NATIVE, coded_char_set_id=1208)
    return md, pack_mqrfh2(header, MQENC_NATIVE, 1208) + data


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
        with pytest.raises(MQError) as caught:
            property_form(NO_PROPERTIES | IN_HANDLE, p.MQPROP_ALL, True)
        assert caught.value.reason == r.MQRC_OPTIONS_ERROR

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

    @pytest.mark.conformance("ACT-10")
    def test_without_action_all_go_and_the_new_win(self) -> None:
        made = properties_of_made(None, {"p": text("1"), "q": text("2")}, {"q": text("3")})
        assert made == {"p": text("1"), "q": text("3")}

    @pytest.mark.parametrize(
        ("original", "new", "made"),
        [
            entry("ACT-16", {"f": text("1")}, {"f": text("2"), "g": text("3")}, {"f": text("2"), "g": text("3")}),
            entry("ACT-17", {"f": text("1")}, {"f": Property(p.MQTYPE_NULL, None)}, {}),
            entry("ACT-18", {"n": Property(p.MQTYPE_STRING, "1", copy_options=0)}, {"n": text("5")}, {"n": text("5")}),
            entry("ACT-19", {}, {"z": Property(p.MQTYPE_NULL, None)}, {"z": Property(p.MQTYPE_NULL, None)}),
        ],
    )
    def test_new_properties_win(self, original: Any, new: Any, made: Any) -> None:
        assert properties_of_made(p.MQCOPY_FORWARD, original, new) == made

    def test_null_removes_by_either_name(self) -> None:
        assert properties_of_made(p.MQCOPY_FORWARD, {"usr.f": text()}, {"f": Property(p.MQTYPE_NULL, None)}) == {}


NAMES = st.sampled_from(["a", "b", "usr.c", "f.a", "f.b", "g.h.i", "jms.Dst", "mqext.q"])
VALUES = st.one_of(
    st.builds(Property, st.just(p.MQTYPE_STRING), st.text(st.characters(exclude_categories=["Cs"]))),
    st.builds(Property, st.just(p.MQTYPE_BYTE_STRING), st.binary()),
    st.builds(Property, st.just(p.MQTYPE_BOOLEAN), st.booleans()),
    st.builds(Property, st.just(p.MQTYPE_INT8), st.integers(-128, 127)),
    st.builds(Property, st.just(p.MQTYPE_INT64), st.integers(-(2**63), 2**63 - 1)),
    st.builds(Property, st.just(p.MQTYPE_FLOAT64), st.floats(allow_nan=False)),
    st.builds(
        Property,
        st.just(p.MQTYPE_NULL),
        st.none(),
        st.sampled_from([p.MQPD_SUPPORT_OPTIONAL, p.MQPD_SUPPORT_REQUIRED]),
        st.integers(0, 1),
        st.integers(0, 31),
    ),
)


class TestIntoAndFrom:
    @settings(max_examples=150)
    @given(
        st.dictionaries(NAMES, VALUES),
        st.binary(max_size=20),
        st.sampled_from(["", "MQSTR", "MQHRF2"]),
        st.sampled_from([273, 546, 785]),
        st.sampled_from([819, 1208, 500, 1200]),
    )
    def test_round_trip_gives_equal_properties_and_the_same_message(
        self, properties: dict[str, Property], data: bytes, format_name: str, encoding: int, ccsid: int
    ) -> None:
        md = MQMD(format=format_name, encoding=encoding, coded_char_set_id=ccsid)
        for own in (MQENC_NATIVE, BIG):
            packed_md, packed = into_rfh2(md, data, properties, ccsid=1208, encoding=own)
            if not properties:
                assert (packed_md, packed) == (md, data)
                continue
            expected = {full_name(name): value for name, value in properties.items()}
            assert from_rfh2(packed_md, packed) == (md, data, expected)
            assert rfh2_properties(packed_md, packed) == expected

    def test_the_mqrfh2_describes_what_follows_and_the_descriptor_describes_it(self) -> None:
        md = MQMD(format=MQFMT_STRING, encoding=546, coded_char_set_id=819, correl_id=b"c" * 24)
        packed_md, data = into_rfh2(md, b"body", {"x": text()}, ccsid=500, encoding=BIG)
        assert packed_md == md.replace(format="MQHRF2", encoding=BIG, coded_char_set_id=500)
        header = unpack_mqrfh2(data, BIG, 500)
        assert (header.format, header.encoding, header.coded_char_set_id) == (MQFMT_STRING, 546, 819)

    def test_a_value_under_both_names_is_written_once(self) -> None:
        md, data = into_rfh2(MQMD(), b"", {"x": text("1"), "usr.x": text("2")}, ccsid=1208, encoding=546)
        assert rfh2_properties(md, data) == {"usr.x": text("2")}

    @pytest.mark.parametrize(
        ("properties", "reason"),
        [
            ({"a b": text()}, r.MQRC_PROPERTY_NAME_ERROR),
            ({"f.a": text(), "f.a.b": text()}, r.MQRC_PROPERTY_NAME_ERROR),
            ({"a": Property(p.MQTYPE_INT8, "x")}, r.MQRC_PROPERTY_TYPE_ERROR),
        ],
    )
    def test_what_no_mqrfh2_carries_can_be_refused_before(self, properties: Any, reason: int) -> None:
        with pytest.raises(MQError) as caught:
            check_properties(properties)
        assert caught.value.reason == reason
        check_properties({"x": text(), "usr.x": text()})

    def test_other_folders_stay(self) -> None:
        md, data = message("<usr><x>1</x></usr>", "<other>text</other>", "<f content='properties'><y/></f>")
        bare, rest, properties = from_rfh2(md, data)
        assert properties == {"usr.x": text("1"), "f.y": text("")}
        assert bare == md
        header = unpack_mqrfh2(rest, 546, 1208)
        assert (header.folders, header.format) == (["<other>text</other>"], MQFMT_STRING)
        assert rest.endswith(b"body")

    @pytest.mark.parametrize("folders", [[], ["<other>text</other>"], ["no folder at all"]])
    def test_a_header_without_properties_stays_as_it_is(self, folders: list[str]) -> None:
        md, data = message(*folders)
        assert from_rfh2(md, data) == (md, data, {})

    def test_a_folder_of_properties_without_any_goes_too(self) -> None:
        md, data = message("<usr></usr>")
        assert from_rfh2(md, data) == (md.replace(format=MQFMT_STRING), b"body", {})

    @pytest.mark.parametrize("format_name", [MQFMT_NONE, "MQSTR", "MQDEAD", "MQHRF"])
    def test_other_formats_are_not_looked_into(self, format_name: str) -> None:
        md, data = message("<usr><x>1</x></usr>")
        md.format = format_name
        assert from_rfh2(md, data) == (md, data, {})

    @pytest.mark.parametrize("first", ["<usr><x>1</x></usr>", "<other>1</other>"])
    @pytest.mark.parametrize("second", ["<usr><x>2</x></usr>", "<other>2</other>"])
    def test_of_two_headers_each_loses_its_own(self, first: str, second: str) -> None:
        """The second is written big-endian and in EBCDIC, as the first says, or the descriptor when that goes."""
        inner = MQRFH2(format=MQFMT_STRING, encoding=546, coded_char_set_id=819, folders=[second])
        outer = MQRFH2(format="MQHRF2", encoding=BIG, coded_char_set_id=500, folders=[first])
        md = MQMD(format="MQHRF2", encoding=546, coded_char_set_id=1208)
        data = pack_mqrfh2(outer, 546, 1208) + pack_mqrfh2(inner, BIG, 500) + b"body"

        bare, rest, properties = from_rfh2(md, data)

        chain = walk(rest, bare.format, bare.encoding, bare.coded_char_set_id, strict=True)
        kept = [header.record.folders for header in chain.headers]  # type: ignore[attr-defined]
        assert kept == [[folder] for folder in (first, second) if "other" in folder]
        assert (chain.body_format, chain.body_encoding, chain.body_ccsid) == (MQFMT_STRING, 546, 819)
        assert rest[chain.body_offset :] == b"body"
        usr = [folder for folder in (first, second) if "usr" in folder]
        assert properties == ({"usr.x": text(usr[0][8])} if usr else {})

    def test_what_inherits_goes_on_inheriting(self) -> None:
        header = MQRFH2(format=MQFMT_STRING, coded_char_set_id=MQCCSI_INHERIT, encoding=0, folders=["<usr><x/></usr>"])
        md = MQMD(format="MQHRF2", encoding=BIG, coded_char_set_id=0)
        bare, rest, _ = from_rfh2(md, pack_mqrfh2(header, BIG, 1208) + b"body")
        assert (bare, rest) == (md.replace(format=MQFMT_STRING), b"body")

    @pytest.mark.parametrize(
        ("folder", "data", "reason"),
        [
            ("<usr><x>1</usr>", None, r.MQRC_RFH_FORMAT_ERROR),
            ("<usr><x dt='i4'>one</x></usr>", None, r.MQRC_RFH_FORMAT_ERROR),
            ("<usr>text<x/></usr>", None, r.MQRC_RFH_FORMAT_ERROR),
            ("", b"RFH ", r.MQRC_RFH_ERROR),
        ],
    )
    def test_a_damaged_header_is_refused(self, folder: str, data: bytes | None, reason: int) -> None:
        md, whole = message(folder)
        for call in (from_rfh2, rfh2_properties):
            with pytest.raises(MQError) as caught:
                call(md, whole if data is None else data)
            assert caught.value.reason == reason

    def test_many_headers_are_no_deeper_than_one(self) -> None:
        one = pack_mqrfh2(MQRFH2(format="MQHRF2", coded_char_set_id=1208, folders=["<usr><x/></usr>"]), 546, 1208)
        md = MQMD(format="MQHRF2", encoding=546, coded_char_set_id=1208)
        bare, rest, properties = from_rfh2(md, one * 2000 + b"body")
        assert (bare.format, rest, len(properties)) == ("MQHRF2", b"body", 1)

    @given(st.binary(max_size=80), st.booleans())
    def test_any_bytes_are_a_message_or_an_error_with_a_reason(self, data: bytes, has_start: bool) -> None:
        md, whole = message("<usr><x>1</x></usr>")
        damaged = whole[:40] + data if has_start else data
        reason = r.MQRC_NONE
        try:
            from_rfh2(md, damaged)
        except MQError as error:
            reason = error.reason
        assert reason in (r.MQRC_NONE, r.MQRC_RFH_ERROR, r.MQRC_RFH_FORMAT_ERROR)
        _, _, held = apply_property_form("handle", md, damaged, {}, ccsid=1208, encoding=546)
        assert not reason or held == {}

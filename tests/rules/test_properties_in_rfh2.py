"""Properties into an MQRFH2 and back: what is read, written, left, and refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.constants.message import MQCCSI_INHERIT, MQENC_INTEGER_NORMAL, MQENC_NATIVE, MQFMT_NONE, MQFMT_STRING
from mqtools.errors import MQError
from mqtools.headers.chain import walk
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2, unpack_mqrfh2
from mqtools.message import MQMD, Property
from mqtools.rules.properties import (
    apply_property_form,
    check_properties,
    from_rfh2,
    full_name,
    into_rfh2,
    rfh2_properties,
)

from ..errors import fails
from .rfh2_messages import message, text

BIG = MQENC_INTEGER_NORMAL


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
        with fails(reason):
            check_properties(properties)
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

        chain = walk(rest, bare.format, bare.encoding, bare.coded_char_set_id)
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
            with fails(reason):
                call(md, whole if data is None else data)

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

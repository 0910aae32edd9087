"""The structures of the MQI as bytes: lengths, places and initial values that programs count on."""

from __future__ import annotations

import ctypes
from struct import unpack_from

import pytest

from mqtools.headers import structures_connection as c
from mqtools.headers import structures_message as m
from mqtools.headers.fields import read_variable, write_variable

LENGTHS = [
    (m.MD, 364), (m.GMO, 112), (m.PMO, 184), (m.OD, 424), (m.SD, 344), (m.SRO, 16), (m.STS, 280), (m.CMHO, 12),
    (m.DMHO, 12), (m.PD, 24), (m.SMPO, 20), (m.IMPO, 64), (m.DMPO, 12), (m.XQH, 104), (m.TM, 684), (m.TMC2, 732),
    (c.CD, 1988), (c.SCO, 628), (c.CNO, 272), (c.CSP, 104), (c.BNO, 20), (c.CBD, 168), (c.CBC, 64), (c.CTLO, 24),
    (c.RFH2, 36), (c.CFH, 36),
]  # fmt: skip


@pytest.mark.parametrize(("structure", "length"), LENGTHS, ids=[one.name for one, _ in LENGTHS])
def test_a_structure_is_as_long_as_in_c_and_survives_a_round_trip(structure, length):
    packed = structure.pack(structure.initial())
    assert len(packed) == length
    assert structure.pack(structure.unpack(packed)) == packed


@pytest.mark.parametrize(
    ("structure", "member", "offset", "value"),
    [
        (m.MD, "Persistence", 44, 2),
        (m.MD, "OriginalLength", 360, -1),
        (m.GMO, "MatchOptions", 72, 3),
        (m.GMO, "ReturnedLength", 96, -1),
        (m.PMO, "Timeout", 12, -1),
        (m.OD, "ResolvedType", 416, -3),
        (m.SD, "PubPriority", 216, -1),
        (c.CD, "MaxMsgLength", 844, 4194304),
        (c.CBD, "MaxMsgLength", 160, -1),
    ],
)
def test_members_lie_where_they_lie_in_c(structure, member, offset, value):
    assert structure.initial()[member] == value
    assert unpack_from("i", structure.pack(structure.initial()), offset) == (value,)


def test_a_short_buffer_is_zeros_at_its_end():
    assert m.PD.unpack(b"PD  \x01")["CopyOptions"] == 0


def test_a_string_of_variable_length_is_read_where_its_pointer_says():
    buffer = ctypes.create_string_buffer(b"a/b/c and more")
    values = {**m.OD.initial(), "ObjectStringVSPtr": ctypes.addressof(buffer), "ObjectStringVSLength": 5}
    assert read_variable(values, "ObjectString") == "a/b/c"
    values["ObjectStringVSLength"] = -1
    assert read_variable(values, "ObjectString") == "a/b/c and more"
    assert read_variable(m.OD.initial(), "ObjectString") == ""


def test_an_answer_is_never_longer_than_the_room_for_it():
    buffer = ctypes.create_string_buffer(b"........", 8)
    values = {**m.SD.initial(), "ResObjectStringVSPtr": ctypes.addressof(buffer), "ResObjectStringVSBufSize": 4}
    write_variable(values, "ResObjectString", "abcdef")
    assert buffer.raw == b"abcd...."
    assert values["ResObjectStringVSLength"] == 6

"""The stand-in for pymqi: its structures and headers, member by member and byte by byte."""

from __future__ import annotations

import pickle
import struct
import traceback

import pytest

# -- structures ---------------------------------------------------------------------------------------------


def test_tracebacks_and_pickles_name_the_package(pymqi):
    error = pymqi.MQMIError(2, 2033)
    assert traceback.format_exception_only(error) == [f"pymqi.MQMIError: {error}\n"]
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.reason) == (pymqi.MQMIError, 2033)
    for name in ("PYIFError", "QueueManager", "MD", "RFH2", "PCFExecute", "connect"):
        assert getattr(pymqi, name).__module__ == "pymqi"


def test_members_are_attributes_and_items_and_unknown_ones_are_refused(pymqi):
    md = pymqi.MD(Priority=3)
    md["Format"] = b"MQSTR"
    assert (md.Priority, md["Format"], md.get()["Version"]) == (3, b"MQSTR", 1)
    with pytest.raises(AttributeError):
        md["Formt"] = b""
    with pytest.raises(AttributeError):
        pymqi.MD(Formt=b"")
    md.Formt = b"kept and never packed"
    assert len(md.pack()) == md.get_length() == 364


def test_text_is_refused_when_it_is_set_or_packed(pymqi):
    md = pymqi.MD()
    with pytest.raises(TypeError):
        md["ReplyToQ"] = "X"
    with pytest.raises(TypeError):
        md.set(ReplyToQ="X")
    md.ReplyToQ = "X"
    with pytest.raises(TypeError):
        md.pack()


def test_arrays_come_back_as_lists(pymqi):
    cd = pymqi.CD()
    cd.MsgCompList[0] = 9
    again = pymqi.CD()
    assert again.MsgCompList[0] == 0
    again.unpack(cd.pack())
    assert again.MsgCompList == [9, *[-1] * 15]


def test_variable_strings_are_kept_by_their_object(pymqi):
    sd = pymqi.SD()
    sd.set_vs("SubName", "mine")
    sd.set_vs("ObjectStringVSPtr", b"a/b")
    assert (sd.get_vs("SubName"), sd.get_vs("ObjectString"), sd.get_vs("SubUserData")) == (b"mine", b"a/b", None)
    assert sd.SubNameVSLength == 4
    with pytest.raises(TypeError):
        sd.set_vs("SubUserData", "text")


# -- RFH2 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("encoding", "order"), [(273, ">"), (546, "<"), (None, "<")])
def test_an_rfh2_is_written_in_the_encoding_of_what_comes_before(pymqi, encoding, order):
    rfh2 = pymqi.RFH2()
    rfh2.add_folder(b"<usr><a>1</a></usr>")
    packed = rfh2.pack(encoding)
    assert struct.unpack_from(order + "2i", packed, 4) == (2, 60)
    again = pymqi.RFH2()
    again.unpack(packed, encoding)
    assert again.get() == rfh2.get()
    assert again.usr == b"<usr><a>1</a></usr> "
    assert (again.StrucLength, again.usrLength) == (60, 20)


@pytest.mark.parametrize("length", [0, 36, 1000])
def test_a_folder_sets_the_length_to_the_total(pymqi, length):
    rfh2 = pymqi.RFH2(StrucLength=length)
    for number, folder in enumerate((b"<usr><a>1</a></usr>", b"<jms/>"), 1):
        rfh2.add_folder(folder)
        assert rfh2.StrucLength == len(rfh2.pack()) == (60 if number == 1 else 72)
    assert pymqi.RFH2().StrucLength == 0


def test_an_rfh2_that_was_read_is_written_in_its_own_encoding(pymqi):
    written = pymqi.RFH2()
    written.add_folder(b"<usr><a>1</a></usr>")
    big, little = written.pack(273), written.pack(546)
    header = pymqi.RFH2()
    header.unpack(big)
    assert header.pack() == big
    header.add_folder(b"<jms/>")
    assert header.pack() == big[:8] + struct.pack(">i", 72) + big[12:] + struct.pack(">i", 8) + b"<jms/>  "
    header.unpack(little)
    assert header.pack() == little
    assert header.pack(273) == big


@pytest.mark.parametrize(
    ("data", "encoding", "words"),
    [
        (b"XXXX", None, "RFH2 - StrucId not MQRFH_STRUC_ID"),
        (b"RFH \2\0\0\0", None, "RFH2 - Buffer too short. Should be 36[+] bytes instead of 8"),
        (b"RFH \2\0\0\0" + struct.pack("<i", -1) + bytes(24), 546, '"StrucLength" is negative'),
        (b"RFH \2\0\0\0" + struct.pack("<i", 99) + bytes(30), 546, "RFH2 - Buffer too short. Expected: 99"),
        (b"RFH \2\0\0\0" + struct.pack("<i", 44) + bytes(24) + struct.pack("<i", 4) + b"<a> ", 546, "not well formed"),
    ],
)
def test_what_is_no_rfh2_is_said(pymqi, data, encoding, words):
    with pytest.raises(pymqi.PYIFError, match=words):
        pymqi.RFH2().unpack(data, encoding)


def test_folders_are_bytes_and_xml(pymqi):
    with pytest.raises(TypeError):
        pymqi.RFH2().add_folder("<usr/>")
    with pytest.raises(pymqi.PYIFError, match=r"RFH2 - XML Folder not well formed\. Exception: "):
        pymqi.RFH2().add_folder(b"<usr>")


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("CFIN", {"Value": -5}),
        ("CFIL", {"Values": [1, 2]}),
        ("CFST", {"String": b"abcde"}),
        ("CFSL", {"Strings": [b"a", b"b"]}),
        ("CFSL", {"Strings": []}),
        ("CFBS", {"String": b"\1\2\3"}),
        ("CFIF", {"Operator": 4, "FilterValue": 7}),
        ("CFSF", {"Operator": 18, "FilterValue": b"A*"}),
        ("CFBF", {"Operator": 2, "FilterValue": b"\0"}),
        ("CFIN64", {"Value": 1 << 40}),
        ("CFIL64", {"Values": [1, 1 << 40]}),
    ],
)
def test_a_structure_survives_a_round_trip(pymqi, name, members):
    structure = getattr(pymqi, name)(Parameter=2016, **members)
    again = getattr(pymqi, name)()
    again.unpack(structure.pack())
    assert again.get() == structure.get()
    kind, length, parameter = struct.unpack_from("3i", structure.pack())
    assert (kind, length, parameter) == (structure.Type, structure.StrucLength, 2016)

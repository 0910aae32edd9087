"""The reference-message header: its strings and its logical offset."""

import pytest

from mqtools.constants.reasons import MQRC_RMH_ERROR
from mqtools.headers import mqrmh

from ..errors import fails

LITTLE = 546


@pytest.mark.conformance("REF-29")
def test_reference_header_counts_its_strings_and_not_the_bulk_data() -> None:
    rmh = mqrmh.MQRMH(object_type="FLATFILE", src_env="/a/", src_name="in", dest_env="/b/", dest_name="out")
    data = mqrmh.pack_mqrmh(rmh, LITTLE, 1208)
    assert data[108:] == b"/a/in/b/out"
    assert data[8:12] == (119).to_bytes(4, "little")
    assert mqrmh.unpack_mqrmh(data + b"bulk", LITTLE, 1208) == rmh


def test_reference_header_strings_may_stand_in_any_order_and_overlap() -> None:
    data = bytearray(mqrmh.pack_mqrmh(mqrmh.MQRMH(src_name="abcdef"), LITTLE, 1208))
    for offset, number in ((80, 3), (84, 110), (88, 2), (92, 108), (64, 0), (68, 9999)):
        data[offset : offset + 4] = number.to_bytes(4, "little")
    read = mqrmh.unpack_mqrmh(bytes(data), LITTLE, 1208)
    assert (read.src_env, read.src_name, read.dest_env, read.dest_name) == ("", "abcdef", "cde", "ab")


@pytest.mark.conformance("REF-30")
@pytest.mark.parametrize(("length", "offset"), [(1, 114), (7, 108), (-1, 108), (2, -1), (2**31 - 1, 108)])
def test_reference_header_string_outside_struc_length_is_refused(length: int, offset: int) -> None:
    data = bytearray(mqrmh.pack_mqrmh(mqrmh.MQRMH(src_name="abcdef"), LITTLE, 1208) + b"bulk data")
    data[72:76] = length.to_bytes(4, "little", signed=True)
    data[76:80] = offset.to_bytes(4, "little", signed=True)
    with fails(MQRC_RMH_ERROR, "src_name"):
        mqrmh.unpack_mqrmh(bytes(data), LITTLE, 1208)


@pytest.mark.conformance("REF-32")
def test_logical_offset_is_split_at_a_thousand_million() -> None:
    low, high = mqrmh.split_logical_offset(3_000_000_123)
    assert (low, high) == (123, 3)
    assert mqrmh.MQRMH(data_logical_offset=low, data_logical_offset2=high).logical_offset == 3_000_000_123

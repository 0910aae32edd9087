"""The rules and formatting headers: folders and their lengths, names and values and their quotation marks."""

import pytest

from mqtools.constants.reasons import MQRC_RFH_ERROR, MQRC_RFH_FORMAT_ERROR
from mqtools.errors import MQError
from mqtools.headers import mqrfh2

from ..errors import fails

LITTLE, BIG = 546, 273


@pytest.mark.parametrize("ccsid", [1208, 1200])
def test_folders_are_padded_with_blanks_to_four_bytes(ccsid: int) -> None:
    record = mqrfh2.MQRFH2(name_value_ccsid=ccsid, folders=["<usr/>", "<a/>"])
    data = mqrfh2.pack_mqrfh2(record, BIG, 1208)
    first = int.from_bytes(data[36:40], "big")
    assert first % 4 == 0
    expected = b"<usr/>  " if ccsid == 1208 else "<usr/>".encode("utf_16_be")
    assert data[40 : 40 + first] == expected
    assert int.from_bytes(data[8:12], "big") == len(data)


@pytest.mark.parametrize(
    ("offset", "number", "words"),
    [(36, -4, "NameValueLength"), (36, 400, "NameValueLength"), (36, 4, "NameValueLength"), (8, 45, "multiple")],
)
def test_bad_lengths_inside_an_rfh2_are_refused(offset: int, number: int, words: str) -> None:
    data = bytearray(mqrfh2.pack_mqrfh2(mqrfh2.MQRFH2(folders=["<usr></usr>"]), LITTLE, 1208))
    data[offset : offset + 4] = number.to_bytes(4, "little", signed=True)
    with fails(MQRC_RFH_ERROR, words):
        mqrfh2.unpack_mqrfh2(bytes(data), LITTLE, 1208)


def test_folder_that_is_no_text_is_refused() -> None:
    data = bytearray(mqrfh2.pack_mqrfh2(mqrfh2.MQRFH2(folders=["<usr/>"]), LITTLE, 1208))
    data[40] = 0xFF
    with fails(MQRC_RFH_FORMAT_ERROR):
        mqrfh2.unpack_mqrfh2(bytes(data), LITTLE, 1208)


def test_name_value_ccsid_zero_is_read_as_1208_and_an_unknown_one_is_refused() -> None:
    data = bytearray(mqrfh2.pack_mqrfh2(mqrfh2.MQRFH2(folders=["<usr>é</usr>"]), LITTLE, 1208))
    data[32:36] = bytes(4)
    assert mqrfh2.unpack_mqrfh2(bytes(data), LITTLE, 1208).folders == ["<usr>é</usr>"]
    data[32:36] = (930).to_bytes(4, "little")
    with pytest.raises(MQError, match="NameValueCCSID 930"):
        mqrfh2.unpack_mqrfh2(bytes(data), LITTLE, 1208)

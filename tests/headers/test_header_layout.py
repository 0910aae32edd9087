"""Where each header says what follows it, and how long it is."""

from __future__ import annotations

import pytest

from mqtools.headers.bridges import MQIIH, pack_mqiih
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.headers.mqmde import MQMDE, pack_mqmde
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh
from mqtools.message import MQMD

from .chains import walk_sound

BIG = 273
FOLLOWING = {"format": "MYBODY", "encoding": 546, "coded_char_set_id": 1208}
NO_LENGTH = None

#: Header as it is written, its length, and at which bytes it says its length and what follows: encoding, CCSID, format.
LAYOUT = {
    "MQDEAD": (pack_mqdlh(MQDLH(**FOLLOWING), BIG, 819), 172, NO_LENGTH, 108, 112, 116),
    "MQXMIT": (pack_mqxqh(MQXQH(msg_desc=MQMD(version=1, **FOLLOWING)), BIG, 819), 428, NO_LENGTH, 128, 132, 136),
    "MQHMDE": (pack_mqmde(MQMDE(**FOLLOWING), BIG, 819), 72, 8, 12, 16, 20),
    "MQIMS": (pack_mqiih(MQIIH(**FOLLOWING), BIG, 819), 84, 8, NO_LENGTH, NO_LENGTH, 20),
    "MQHREF": (pack_mqrmh(MQRMH(**FOLLOWING), BIG, 819), 108, 8, 12, 16, 20),
    "MQHRF2": (pack_mqrfh2(MQRFH2(**FOLLOWING), BIG, 819), 36, 8, 12, 16, 20),
}


@pytest.mark.conformance("RSEG-13")
@pytest.mark.parametrize("format", LAYOUT)
def test_each_header_says_at_its_place_what_follows(format: str) -> None:
    data, length, length_at, encoding_at, ccsid_at, format_at = LAYOUT[format]
    assert len(data) == length
    assert data[format_at : format_at + 8] == b"MYBODY  "
    for at, number in ((length_at, length), (encoding_at, 546), (ccsid_at, 1208)):
        assert at is NO_LENGTH or int.from_bytes(data[at : at + 4], "big") == number
    chain = walk_sound(data + b"body", format, BIG, 819)
    assert (chain.body_offset, chain.body_format) == (length, "MYBODY")


@pytest.mark.conformance("RSEG-12")
def test_a_reference_message_in_a_dead_letter_is_two_headers_and_a_body() -> None:
    reference = pack_mqrmh(MQRMH(format="MQSTR", encoding=BIG, coded_char_set_id=819), BIG, 819)
    dead = pack_mqdlh(MQDLH(format="MQHREF", encoding=BIG, coded_char_set_id=819), BIG, 819)
    chain = walk_sound(dead + reference + b"payload", "MQDEAD", BIG, 819)
    assert [header.struc_id for header in chain.headers] == ["DLH", "RMH"]
    assert (chain.body_offset, chain.body_format) == (172 + len(reference), "MQSTR")

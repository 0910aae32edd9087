"""Headers as JSON shows them."""

import json
from typing import Any

import pytest

from mqtools.constants.message import MQRO_COA_WITH_DATA
from mqtools.formats.header_view import header_to_dict
from mqtools.headers.chain import prefix_dlh, prefix_xqh, walk
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh
from mqtools.message import MQMD


def _views(md: MQMD, data: bytes) -> list[dict[str, Any]]:
    chain = walk(data, md.format, md.encoding, md.coded_char_set_id)
    assert chain.error is None
    views = [header_to_dict(header) for header in chain.headers]
    assert json.loads(json.dumps(views)) == views
    assert all(next(iter(view)) == "struc_id" for view in views)
    return views


@pytest.mark.parametrize(
    ("reason", "shown"),
    [(2053, "MQRC_Q_FULL"), (271, "MQFB_XMIT_Q_MSG_ERROR"), (268, "MQFB_STOPPED_BY_MSG_EXIT"), (77777, 77777)],
)
def test_dead_letter_header_shows_names_for_numbers(reason: int, shown: object) -> None:
    md = MQMD(format="MQSTR", coded_char_set_id=1208)
    dead = prefix_dlh(
        md, b"x", reason=reason, dest_q_name="ORDERS", put_appl_type=6, put_date="20261120", put_time="08154233"
    )
    assert _views(*dead) == [
        {
            "struc_id": "DLH",
            "version": 1,
            "reason": shown,
            "dest_q_name": "ORDERS",
            "dest_q_mgr_name": "",
            "encoding": 546,
            "coded_char_set_id": 1208,
            "format": "MQSTR",
            "put_appl_type": "MQAT_UNIX",
            "put_appl_name": "",
            "put_date": "20261120",
            "put_time": "08154233",
        }
    ]


def test_transmission_header_shows_its_descriptor() -> None:
    md = MQMD(report=MQRO_COA_WITH_DATA, msg_id=b"\xab" * 24, msg_seq_number=2, format="MQSTR")
    marks = {"msg_id": bytes(24), "put_date": "", "put_time": ""}
    xmit = prefix_xqh(md, b"x", remote_q_name="Q", remote_q_mgr_name="QM2", q_mgr_name="QM1", **marks)  # type: ignore[arg-type]
    xqh, mde = _views(*xmit)
    assert (xqh["struc_id"], mde["struc_id"], mde["struc_length"]) == ("XQH", "MDE", 72)
    assert xqh["msg_desc"]["report"] == ["MQRO_COA_WITH_DATA"]
    assert xqh["msg_desc"]["msg_type"] == "MQMT_DATAGRAM"
    assert xqh["msg_desc"]["msg_id"] == "AB" * 24
    assert mde["msg_flags"] == ["MQMF_NONE"]
    assert mde["group_id"] == "00" * 24


def test_reference_header_shows_its_strings_and_whole_offset() -> None:
    rmh = MQRMH(src_name="a.dat", data_logical_offset=123, data_logical_offset2=3, coded_char_set_id=819)
    (view,) = _views(MQMD(format="MQHREF", coded_char_set_id=500), pack_mqrmh(rmh, 546, 500))
    assert (view["struc_id"], view["src_name"], view["logical_offset"]) == ("RMH", "a.dat", 3_000_000_123)


def test_rfh2_shows_its_folders() -> None:
    rfh2 = MQRFH2(folders=["<usr><a>1</a></usr>"], format="MQSTR")
    (view,) = _views(MQMD(format="MQHRF2", coded_char_set_id=1208), pack_mqrfh2(rfh2, 546, 1208))
    assert (view["struc_id"], view["folders"]) == ("RFH2", ["<usr><a>1</a></usr>"])


def test_unknown_header_shows_its_common_fields() -> None:
    # Given a header of an unknown kind that calls itself by a known identifier
    data = b"RMH " + b"".join(number.to_bytes(4, "little") for number in (1, 32, 0, 0)) + b"MQSTR   " + bytes(4)
    (view,) = _views(MQMD(format="MQHXYZ", coded_char_set_id=1208), data)
    assert (view["struc_id"], view["struc_length"], view["format"]) == ("RMH", 32, "MQSTR")

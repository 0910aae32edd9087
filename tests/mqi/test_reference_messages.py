"""Reference messages at a queue manager: refused as segments and when damaged, and reports about them."""

from __future__ import annotations

from struct import pack_into
from typing import Any

import pytest

from mqtools.constants import message as mq
from mqtools.constants import options as op
from mqtools.constants import reasons as rc
from mqtools.headers.mqmde import prefix_mqmde
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh, unpack_mqrmh
from mqtools.message import MQMD, Message

from .conftest import QM, fails

HEADER = pack_mqrmh(MQRMH(coded_char_set_id=1208, src_name="in", dest_name="out"), 546, 1208)


def put(qm: QM, data: bytes = HEADER, **fields: Any) -> MQMD:
    return qm.put(data, format="MQHREF", coded_char_set_id=1208, **fields)


@pytest.mark.conformance("REF-28", "AMB-30")
@pytest.mark.parametrize("flags", [mq.MQMF_SEGMENT, mq.MQMF_LAST_SEGMENT, mq.MQMF_SEGMENTATION_ALLOWED])
@pytest.mark.parametrize("options", [0, op.MQPMO_LOGICAL_ORDER])
def test_a_reference_message_is_never_segmented(qm: QM, flags: int, options: int) -> None:
    qm.alter("Q", max_msg_length=50)
    with fails(rc.MQRC_SEGMENTATION_NOT_ALLOWED), qm.open() as handle:
        md = MQMD(format="MQHREF", coded_char_set_id=1208, msg_flags=flags)
        handle.put(Message(HEADER, md), options)
    assert qm.depth() == 0


@pytest.mark.conformance("REF-28")
def test_an_mqmde_does_not_help_it(qm: QM) -> None:
    md = MQMD(format="MQHREF", coded_char_set_id=1208, msg_flags=mq.MQMF_SEGMENT, group_id=b"G" * 24)
    own, data = prefix_mqmde(md, HEADER)
    with fails(rc.MQRC_SEGMENTATION_NOT_ALLOWED):
        qm.main.put1("Q", Message(data, own.replace(version=1)))


def test_a_reference_message_may_be_in_a_group(qm: QM) -> None:
    put(qm, msg_flags=mq.MQMF_LAST_MSG_IN_GROUP, group_id=b"G" * 24)
    assert qm.depth() == 1


def damaged(offset: int, value: int) -> bytes:
    data = bytearray(HEADER)
    pack_into("<i", data, offset, value)
    return bytes(data)


@pytest.mark.conformance("REF-30")
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"XXXX" + HEADER[4:], id="struc_id"),
        pytest.param(damaged(4, 2), id="version"),
        pytest.param(damaged(8, 107), id="struc_length too small"),
        pytest.param(damaged(8, len(HEADER) + 1), id="struc_length too long"),
        pytest.param(damaged(76, len(HEADER) - 1), id="src_name outside"),
        pytest.param(damaged(92, -1), id="dest_name outside"),
        pytest.param(damaged(16, 0), id="coded_char_set_id 0"),
        pytest.param(damaged(100, -1), id="data_logical_offset"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_a_malformed_header_is_refused(qm: QM, data: bytes) -> None:
    with fails(rc.MQRC_RMH_ERROR):
        put(qm, data)
    assert qm.depth() == 0


@pytest.mark.parametrize(
    ("report", "bulk"),
    [
        (mq.MQRO_COA, 0),
        (mq.MQRO_COA_WITH_DATA, 100),
        (mq.MQRO_COA_WITH_FULL_DATA, 500),
        (mq.MQRO_COD, 0),
        (mq.MQRO_COD_WITH_DATA, 100),
    ],
)
def test_a_report_about_a_reference_message_keeps_its_header(qm: QM, report: int, bulk: int) -> None:
    put(qm, HEADER + b"x" * 500, report=report, reply_to_q="R")
    qm.got("Q")
    (result,) = qm.got("R")
    md, data = result.message.md, result.message.data
    assert (md.msg_type, md.format) == (mq.MQMT_REPORT, "MQHREF")
    assert data == HEADER + b"x" * bulk
    assert unpack_mqrmh(data, md.encoding, md.coded_char_set_id).dest_name == "out"

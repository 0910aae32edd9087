"""Nothing about a message, or about the report it asks for, may keep a get from getting it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.constants.message import MQRO_COD, MQRO_DISCARD_MSG, MQRO_EXPIRATION, MQRO_EXPIRATION_WITH_FULL_DATA
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message

from .conftest import QM

#: Queues that no report can reach, each for another reason.
UNREACHABLE = ["NONE", "R" * 48, "é" * 48, "\N{GRINNING FACE}" * 20, "Q\0Q", " "]

st_report = st.sampled_from([MQRO_COD, MQRO_EXPIRATION, MQRO_EXPIRATION_WITH_FULL_DATA]).flatmap(
    lambda report: st.sampled_from([report, report | MQRO_DISCARD_MSG])
)
st_format = st.sampled_from(["", "MQSTR", "MQDEAD", "MQHRF2", "MQHREF", "MQHMDE", "MQXMIT", "é", "MQ?"])


@pytest.mark.conformance("BEY-30", "RPT-02", "RPT-04")
@pytest.mark.parametrize("reply_to_q", UNREACHABLE, ids=ascii)
@pytest.mark.parametrize("report", [MQRO_COD, MQRO_EXPIRATION])
def test_a_report_that_cannot_be_delivered_keeps_no_get_from_going_on(qm: QM, advance, reply_to_q, report):
    expiry = 1 if report == MQRO_EXPIRATION else -1
    try:
        qm.put("first", report=report, reply_to_q=reply_to_q, expiry=expiry)
    except MQError:
        return  # refused at once is fine too
    qm.put("second")
    advance(1)
    wanted = [b"second"] if report == MQRO_EXPIRATION else [b"first", b"second"]
    assert [result.message.data for result in qm.got()] == wanted
    assert qm.depth() == 0


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    report=st_report,
    reply_to_q=st.sampled_from(["R", *UNREACHABLE]) | st.text(max_size=48),
    reply_to_q_mgr=st.sampled_from(["", "QM1", "QM9"]) | st.text(max_size=48),
    format=st_format,
    data=st.binary(max_size=200) | st.sampled_from([b"DLH ", b"RFH "]).map(lambda start: start + bytes(200)),
    expired=st.booleans(),
)
def test_whatever_was_put_can_be_got(qm: QM, monkeypatch, report, reply_to_q, reply_to_q_mgr, format, data, expired):
    md = MQMD(
        report=report,
        reply_to_q=reply_to_q,
        reply_to_q_mgr=reply_to_q_mgr,
        format=format,
        expiry=1 if expired else -1,
    )
    try:
        qm.main.put1("Q", Message(data, md))
    except MQError:
        return
    with qm.open("Q", MQOO_INPUT_SHARED) as handle, monkeypatch.context() as patch:
        if expired:
            patch.setattr("mqtools.mqi.transaction.now_ms", lambda: 1 << 42)
            with pytest.raises(NoMessageAvailable):
                handle.get()
        else:
            assert handle.get().message.data[-1:] == data[-1:]
    assert qm.depth() == 0

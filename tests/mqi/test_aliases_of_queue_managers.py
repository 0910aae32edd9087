"""Names that stand for other names on the way to another queue manager, and what expires on the way."""

from __future__ import annotations

import pytest

from mqtools.constants.message import MQRO_EXPIRATION
from mqtools.constants.objects import MQUS_TRANSMISSION
from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQOO_BROWSE
from mqtools.headers.chain import strip_xqh
from mqtools.headers.mqxqh import unpack_mqxqh
from mqtools.message import MQMD, Message

from .conftest import QM


def routed(qm: QM) -> None:
    qm.define("TO.QM2", usage=MQUS_TRANSMISSION)


def test_a_queue_manager_alias_leads_to_another_queue_manager(qm: QM) -> None:
    routed(qm)
    qm.define("FAR", "QREMOTE", remote_q_mgr_name="QM2", xmit_q_name="TO.QM2")
    qm.main.put1("ORDERS", Message(b"x", MQMD()), q_mgr_name="FAR")
    (result,) = qm.got("TO.QM2")
    header = unpack_mqxqh(result.message.data, result.message.md.encoding, result.message.md.coded_char_set_id)
    assert (header.remote_q_name, header.remote_q_mgr_name) == ("ORDERS", "QM2")


@pytest.mark.parametrize("remote_q_mgr_name", ["", "QM1"])
def test_an_alias_of_this_queue_manager_leads_to_its_own_queues(qm: QM, remote_q_mgr_name: str) -> None:
    qm.define("OLD.NAME", "QREMOTE", remote_q_mgr_name=remote_q_mgr_name)
    qm.main.put1("Q", Message(b"x", MQMD()), q_mgr_name="OLD.NAME")
    assert qm.data("Q") == [b"x"]


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ({"remote_q_name": "ANSWERS", "remote_q_mgr_name": "QM9"}, ("ANSWERS", "QM9")),
        ({"remote_q_name": "", "remote_q_mgr_name": "QM9"}, ("ALIAS", "QM9")),
        ({"remote_q_name": "ANSWERS", "remote_q_mgr_name": ""}, ("ANSWERS", "QM1")),
    ],
    ids=["both", "queue manager only", "queue only"],
)
def test_a_reply_to_queue_alias_gives_queue_and_queue_manager(
    qm: QM, definition: dict[str, object], expected: tuple[str, str]
) -> None:
    qm.define("ALIAS", "QREMOTE", **definition)
    md = qm.put(reply_to_q="ALIAS")
    assert (md.reply_to_q, md.reply_to_q_mgr) == expected


def test_a_reply_to_queue_with_its_queue_manager_is_no_alias(qm: QM) -> None:
    qm.define("ALIAS", "QREMOTE", remote_q_name="ANSWERS", remote_q_mgr_name="QM9")
    md = qm.put(reply_to_q="ALIAS", reply_to_q_mgr="QM5")
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("ALIAS", "QM5")


def test_any_other_reply_to_queue_is_one_of_ours(qm: QM) -> None:
    for name in ("R", "NOT.DEFINED.HERE"):
        md = qm.put(reply_to_q=name)
        assert (md.reply_to_q, md.reply_to_q_mgr) == (name, "QM1")


@pytest.mark.conformance("RPT-02")
def test_what_expires_on_a_transmission_queue_is_reported_as_it_was_put(qm: QM, advance) -> None:
    routed(qm)
    qm.define("ORDERS", "QREMOTE", remote_q_name="ORDERS", remote_q_mgr_name="QM2", xmit_q_name="TO.QM2")
    md = qm.put("late", "ORDERS", report=MQRO_EXPIRATION, reply_to_q="R", expiry=10, format="MQSTR")
    (_, data) = strip_xqh(*_stored(qm))
    assert data == b"late"
    advance(5)
    assert qm.got("TO.QM2") == []
    (report,) = qm.got("R")
    assert (report.message.md.feedback, report.message.md.correl_id) == (258, md.msg_id)
    assert (report.message.md.format, report.message.data) == ("MQSTR", b"")


def _stored(qm: QM) -> tuple[object, bytes]:
    with qm.open("TO.QM2", MQOO_BROWSE) as handle:
        message = handle.get(MQGMO_BROWSE_FIRST).message
    return message.md, message.data

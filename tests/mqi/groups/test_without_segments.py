"""A queue manager without segments, of the profile zos: what becomes there of segments and of reports about them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import reasons as rc
from mqtools.constants.message import (
    MQFB_COA,
    MQFB_COD,
    MQFMT_MD_EXTENSION,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMT_REPORT,
    MQRO_COA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
)
from mqtools.constants.objects import MQIT_GROUP_ID, MQUS_TRANSMISSION
from mqtools.constants.options import MQGMO_NO_SYNCPOINT, MQPMO_LOGICAL_ORDER, MQPMO_NO_SYNCPOINT
from mqtools.constants.structures import MQGI_NONE, MQMDE_LENGTH_2
from mqtools.errors import MQError
from mqtools.headers.mqmde import prefix_mqmde, unpack_mqmde
from mqtools.message import MQMD, Message
from mqtools.operations.reports.outcomes import track_message
from mqtools.rules.report_outcomes import DELIVERED

from ..conftest import QM, fails, take
from ..courier import carry
from ..zos_story import ZosQM
from .group_story import COMPLETE, G, nothing, part


@pytest.fixture
def zos(tmp_path: Path) -> Iterator[ZosQM]:
    """A queue manager QMZ of the profile zos with the queues Q and R, and a way to QM1."""
    made = ZosQM(queue_managers.create(str(tmp_path / "QMZ.db"), profile="zos"))
    for name in ("Q", "R"):
        made.define(name, index_type=MQIT_GROUP_ID)
    made.define("QM1", usage=MQUS_TRANSMISSION)
    yield made
    for connection in made.connections:
        with suppress(MQError):
            connection.disconnect()


@pytest.fixture
def home(qm: QM) -> QM:
    """The queue manager QM1, with a way to QMZ."""
    qm.define("QMZ", usage=MQUS_TRANSMISSION)
    return qm


def send(home: QM, data: bytes, **fields: object) -> MQMD:
    """Put a message at QM1 for the queue Q at QMZ."""
    message = Message(data, MQMD(**fields))  # type: ignore[arg-type]
    home.main.put1("Q", message, q_mgr_name="QMZ")
    return message.md


def second_segment(home: QM, report: int, **fields: object) -> MQMD:
    return send(
        home, b"x" * 200, group_id=G, offset=300, msg_flags=MQMF_SEGMENT, report=report, reply_to_q="R", **fields
    )


@pytest.mark.conformance("RSEG-01")
@pytest.mark.parametrize("flags", [MQMF_SEGMENT, MQMF_LAST_SEGMENT, MQMF_SEGMENTATION_ALLOWED])
@pytest.mark.parametrize("options", [MQPMO_NO_SYNCPOINT, MQPMO_NO_SYNCPOINT | MQPMO_LOGICAL_ORDER])
def test_segments_are_refused(zos: ZosQM, flags: int, options: int) -> None:
    with fails(rc.MQRC_SEGMENTS_NOT_SUPPORTED), zos.open() as handle:
        handle.put(Message(b"x", MQMD(version=2, msg_flags=flags)), options)
    with fails(rc.MQRC_SEGMENTS_NOT_SUPPORTED):
        zos.put(msg_flags=flags | MQMF_MSG_IN_GROUP)
    assert zos.depth() == 0


@pytest.mark.conformance("RSEG-01")
def test_groups_of_whole_messages_are_not(zos: ZosQM) -> None:
    zos.put(msg_flags=MQMF_MSG_IN_GROUP, group_id=G, msg_seq_number=2)
    extended, data = prefix_mqmde(MQMD(version=2, group_id=G, msg_flags=MQMF_MSG_IN_GROUP), b"one")
    zos.main.put1("Q", Message(data, extended), MQPMO_NO_SYNCPOINT)
    mds = [result.message.md for result in zos.got()]
    assert [(md.group_id, md.msg_seq_number, md.format) for md in mds] == [(G, 2, ""), (G, 1, "")]


@pytest.mark.conformance("RSEG-30")
def test_a_report_about_a_segment_has_its_place_in_the_data_there(home: QM, zos: ZosQM) -> None:
    """The report is made at QM1, where there are segments, and comes to a queue at QMZ."""
    part(home, G, 300, b"x" * 200, report=MQRO_COA, reply_to_q="R", reply_to_q_mgr="QMZ")
    carry(home, zos)
    [result] = zos.got("R")
    md, data = result.message.md, result.message.data
    assert (md.msg_type, md.format, md.group_id, len(data)) == (
        MQMT_REPORT,
        MQFMT_MD_EXTENSION,
        MQGI_NONE,
        MQMDE_LENGTH_2,
    )
    place = unpack_mqmde(data, md.encoding, md.coded_char_set_id)
    assert (place.group_id, place.offset, place.original_length) == (G, 300, 200)


@pytest.mark.conformance("RSEG-31")
def test_a_report_made_there_without_data_tells_no_place(home: QM, zos: ZosQM) -> None:
    original = second_segment(home, MQRO_COD)
    carry(home, zos)
    zos.open().get(MQGMO_NO_SYNCPOINT)
    carry(zos, home)
    [result] = home.got("R")
    assert (result.message.md.correl_id, result.message.data) == (original.msg_id, b"")
    assert (result.message.md.group_id, result.message.md.msg_flags) == (MQGI_NONE, 0)


@pytest.mark.conformance("RSEG-32")
def test_a_report_made_there_with_data_begins_with_the_place(home: QM, zos: ZosQM) -> None:
    second_segment(home, MQRO_COD_WITH_DATA)
    [arrived] = carry(home, zos)
    assert (arrived.format, arrived.group_id) == (MQFMT_MD_EXTENSION, MQGI_NONE)
    zos.open().get(MQGMO_NO_SYNCPOINT)
    [report] = carry(zos, home)
    assert (report.feedback, report.group_id, report.offset, report.format) == (MQFB_COD, G, 300, "")
    assert [len(data) for data in home.data("R")] == [100 - MQMDE_LENGTH_2]


@pytest.mark.conformance("RSEG-32")
@pytest.mark.parametrize(("report", "place"), [(MQRO_COD_WITH_DATA, (300, 200)), (MQRO_COD, (0, None))])
def test_a_report_that_stays_there_is_attributed_by_what_its_data_says(
    home: QM, zos: ZosQM, report: int, place: tuple[int, int | None]
) -> None:
    original = second_segment(home, report, reply_to_q_mgr="QMZ")
    carry(home, zos)
    zos.open().get(MQGMO_NO_SYNCPOINT)
    parts = track_message(zos.main, original.msg_id, "Q", "R").parts
    assert [(part.offset, part.length) for part in parts if part.outcome == DELIVERED] == [place]


@pytest.mark.conformance("RSEG-23")
def test_reports_of_a_far_queue_manager_are_whole_when_all_segments_have_come_there(qm: QM, tmp_path: Path) -> None:
    far = QM(queue_managers.create(str(tmp_path / "QM2.db")))
    for queue_manager, other in ((qm, "QM2"), (far, "QM1")):
        queue_manager.define(other, usage=MQUS_TRANSMISSION)
    far.define("Q")
    for offset, data in ((0, b"aaa"), (3, b"bb"), (5, b"c")):
        flags = MQMF_SEGMENT | (MQMF_LAST_SEGMENT if data == b"c" else 0)
        md = MQMD(group_id=G, offset=offset, msg_flags=flags, report=MQRO_COA, reply_to_q="R")
        qm.main.put1("Q", Message(data, md), q_mgr_name="QM2")
    for _ in range(2):
        carry(qm, far)
        carry(far, qm)
        with nothing():
            take(qm.open("R"), COMPLETE)
    carry(qm, far)
    carry(far, qm)
    assert far.data("Q") == [b"aaa", b"bb", b"c"]
    result = qm.open("R").get(COMPLETE)
    assert (result.message.md.feedback, result.message.md.group_id, result.data_length) == (MQFB_COA, G, 6)
    for connection in far.connections:
        connection.disconnect()

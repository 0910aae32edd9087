"""Put of generated messages: context, originals and the common transaction."""

from __future__ import annotations

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import message as c
from mqtools.constants.options import MQPMO_SET_ALL_CONTEXT
from mqtools.constants.reasons import (
    MQRC_GET_INHIBITED,
)
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_queue
from mqtools.mqi.resolution import find_queue
from mqtools.operations.reports.generation import FORWARD, REPLY, Order, generate_from_queue
from mqtools.operations.selection import select

from ..errors import fails
from .originals import ANSWERS, OTHER, SOURCE, A, original


@pytest.fixture
def connection(tmp_path, monkeypatch):
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    queue_managers.create("QM1", developer=True)
    with connect("QM1", appl_name="mqx", user_identifier="me") as connection:
        yield connection


def put(connection, message, q_name=SOURCE):
    connection.put1(q_name, message, MQPMO_SET_ALL_CONTEXT)


def stored_on(connection, q_name):
    return list(select(connection.db, find_queue(connection.db, q_name).id))


def keys(connection, q_name=SOURCE):
    return [stored.seq for stored in stored_on(connection, q_name)]


PAN = Order(feedback=c.MQFB_PAN)


@pytest.mark.conformance("TYPES-14")
def test_report_shows_that_an_application_made_it(connection):
    put(connection, original(c.MQRO_PAN))
    generate_from_queue(connection, PAN, SOURCE, keys(connection))
    [report] = stored_on(connection, ANSWERS)
    assert (report.md.put_appl_type, report.md.put_appl_name, report.md.user_identifier) == (
        c.MQAT_UNIX,
        "mqx",
        "ana",
    )
    assert report.md.put_date != "20261120" or report.md.put_time != "08154233"


def test_reply_has_our_own_context(connection):
    put(connection, original())
    generate_from_queue(connection, Order(REPLY), SOURCE, keys(connection))
    [reply] = stored_on(connection, ANSWERS)
    assert (reply.md.put_appl_name, reply.md.user_identifier) == ("mqx", "me")


@pytest.mark.conformance("TYPES-16")
def test_forward_passes_all_context_and_a_server_can_answer_the_requester(connection):
    put(connection, original())
    generate_from_queue(connection, Order(FORWARD, to_q=OTHER), SOURCE, keys(connection), consume=True)
    [forwarded] = stored_on(connection, OTHER)
    for field in ("put_appl_name", "user_identifier", "put_date", "put_time", "msg_id", "correl_id", "report"):
        assert getattr(forwarded.md, field) == getattr(original().md, field)
    generate_from_queue(connection, Order(REPLY), OTHER, keys(connection, OTHER))
    [reply] = stored_on(connection, ANSWERS)
    assert reply.md.correl_id == A


@pytest.mark.conformance("RPT-26")
def test_new_identifiers_are_unique(connection):
    put(connection, original())
    put(connection, original())
    outcomes = generate_from_queue(connection, PAN, SOURCE, keys(connection))
    ids = {outcome.made.message.md.msg_id for outcome in outcomes}
    assert len(ids) == 2
    assert A not in ids
    assert bytes(24) not in ids


@pytest.mark.conformance("RPT-28")
def test_with_pass_msg_id_several_reports_have_one_msg_id(connection):
    put(connection, original(c.MQRO_PASS_MSG_ID))
    for feedback in (c.MQFB_COA, c.MQFB_COD):
        generate_from_queue(connection, Order(feedback=feedback), SOURCE, keys(connection))
    reports = stored_on(connection, ANSWERS)
    assert [(report.md.msg_id, report.md.feedback) for report in reports] == [(A, c.MQFB_COA), (A, c.MQFB_COD)]


def test_what_is_gone_meanwhile_is_passed_over(connection):
    put(connection, original())
    chosen = keys(connection)
    generate_from_queue(connection, PAN, SOURCE, chosen, consume=True)
    assert generate_from_queue(connection, PAN, SOURCE, chosen, consume=True) == []


@pytest.mark.conformance("RPT-39")
def test_remaining_expiry_is_what_remains_at_the_queue(connection, advance):
    put(connection, original(c.MQRO_PASS_DISCARD_AND_EXPIRY, expiry=600))
    generate_from_queue(connection, PAN, SOURCE, keys(connection))
    [report] = stored_on(connection, ANSWERS)
    [request] = stored_on(connection, SOURCE)
    assert abs(report.expires_at - request.expires_at) <= 100


def test_a_get_inhibited_queue_is_not_read(connection):
    with connection.work() as work:
        alter_queue(work, "QLOCAL", SOURCE, {"inhibit_get": 1})
    with fails(MQRC_GET_INHIBITED):
        generate_from_queue(connection, PAN, SOURCE, [1])


def test_consuming_confirms_the_delivery_that_the_original_asks_about(connection):
    put(connection, original(c.MQRO_COD))
    generate_from_queue(connection, PAN, SOURCE, keys(connection), consume=True)
    assert [report.md.feedback for report in stored_on(connection, ANSWERS)] == [c.MQFB_PAN, c.MQFB_COD]

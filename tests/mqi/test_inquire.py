"""MQINQ and MQSET: the attributes of an open queue, by selector; and what an alias has of its own."""

from __future__ import annotations

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import objects
from mqtools.constants.options import MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_INQUIRE, MQOO_OUTPUT, MQOO_SET
from mqtools.constants.reasons import (
    MQRC_CHAR_ATTRS_ERROR,
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_GET_INHIBITED,
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_SELECTOR_ERROR,
    MQRC_TRIGGER_CONTROL_ERROR,
    MQRC_TRIGGER_DEPTH_ERROR,
    MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQRC_TRIGGER_TYPE_ERROR,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
)
from mqtools.message import Message
from mqtools.mqi.connection import connect

from ..errors import fails, reason_of


@pytest.fixture
def connection(tmp_path, monkeypatch):
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    queue_managers.create("QM1")
    with connect("QM1") as connection:
        define(connection, "DEFINE QLOCAL(Q) DESCR('mine') MAXDEPTH(7)\nDEFINE QALIAS(A) TARGET(Q)")
        yield connection


def define(connection, text):
    assert {command.outcome for command in run_mqsc(connection, text).commands} == {"ok"}


@pytest.mark.conformance("BEY-83")
def test_inquire_gives_the_values_in_the_order_of_the_selectors(connection):
    connection.put1("Q", Message(b"one"))
    with connection.open("Q", MQOO_INQUIRE | MQOO_INPUT_SHARED | MQOO_OUTPUT) as handle:
        assert handle.inquire(
            [
                objects.MQCA_Q_DESC,
                objects.MQIA_MAX_Q_DEPTH,
                objects.MQIA_CURRENT_Q_DEPTH,
                objects.MQIA_OPEN_INPUT_COUNT,
                objects.MQIA_OPEN_OUTPUT_COUNT,
                objects.MQIA_INHIBIT_GET,
                objects.MQCA_Q_NAME,
                objects.MQIA_Q_TYPE,
            ]
        ) == ["mine", 7, 1, 1, 1, 0, "Q", objects.MQQT_LOCAL]


@pytest.mark.conformance("BEY-83")
def test_inquire_needs_a_handle_that_is_open_for_it(connection):
    with connection.open("Q", MQOO_BROWSE) as handle:
        assert reason_of(handle.inquire, [objects.MQIA_CURRENT_Q_DEPTH]) == MQRC_NOT_OPEN_FOR_INQUIRE


@pytest.mark.conformance("BEY-84")
def test_a_selector_that_is_none_is_refused(connection):
    with connection.open("Q", MQOO_INQUIRE) as handle:
        assert reason_of(handle.inquire, [objects.MQIA_CURRENT_Q_DEPTH, 99999]) == MQRC_SELECTOR_ERROR


def test_an_attribute_of_another_type_of_queue_has_no_value(connection):
    with connection.open("Q", MQOO_INQUIRE) as handle:
        assert handle.inquire([objects.MQCA_BASE_Q_NAME, objects.MQIA_Q_TYPE]) == [None, objects.MQQT_LOCAL]


def test_an_alias_is_inquired_itself_not_its_base(connection):
    with connection.open("A", MQOO_INQUIRE | MQOO_INPUT_SHARED) as handle:
        assert handle.inquire([objects.MQCA_BASE_Q_NAME, objects.MQIA_Q_TYPE]) == ["Q", objects.MQQT_ALIAS]
        assert handle.inquire([objects.MQIA_CURRENT_Q_DEPTH]) == [None]


@pytest.mark.conformance("BEY-83")
def test_a_remote_definition_is_inquired_and_set_itself(connection):
    define(connection, "DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(QM2)")
    with connection.open("FAR", MQOO_INQUIRE | MQOO_SET) as handle:
        assert handle.inquire([objects.MQCA_REMOTE_Q_NAME, objects.MQIA_Q_TYPE]) == ["THERE", objects.MQQT_REMOTE]
        handle.set({objects.MQIA_INHIBIT_PUT: 1})
        assert handle.inquire([objects.MQIA_INHIBIT_PUT, objects.MQIA_CURRENT_Q_DEPTH]) == [1, None]
    assert reason_of(connection.open, "FAR", MQOO_INQUIRE | MQOO_OUTPUT) == MQRC_UNKNOWN_REMOTE_Q_MGR


@pytest.mark.conformance("RPT-32")
def test_a_monitor_sees_how_many_programs_serve_a_queue_the_dead_left_out(connection):
    servers = [connect("QM1") for _ in range(3)]
    for server in servers:
        server.open("Q", MQOO_INPUT_SHARED)
    with connection.open("Q", MQOO_INQUIRE) as monitor:
        assert monitor.inquire([objects.MQIA_OPEN_INPUT_COUNT]) == [3]
        servers[0].disconnect()
        assert monitor.inquire([objects.MQIA_OPEN_INPUT_COUNT]) == [2]
        servers[1].presence.close()  # as the kernel does when a process dies
        assert monitor.inquire([objects.MQIA_OPEN_INPUT_COUNT]) == [1]
    servers[1].db.close()
    servers[2].disconnect()


@pytest.mark.conformance("BEY-85")
def test_set_takes_effect_at_once_for_handles_that_are_open(connection):
    connection.put1("Q", Message(b"one"))
    with (
        connect("QM1") as other,
        other.open("Q", MQOO_INPUT_SHARED) as reader,
        connection.open("Q", MQOO_SET) as handle,
    ):
        handle.set({objects.MQIA_INHIBIT_GET: 1})
        assert reason_of(reader.get) == MQRC_GET_INHIBITED
        handle.set({objects.MQIA_INHIBIT_GET: 0})
        assert reader.get().message.data == b"one"


@pytest.mark.conformance("BEY-85")
def test_set_needs_a_handle_that_is_open_for_it(connection):
    with connection.open("Q", MQOO_INQUIRE) as handle:
        assert reason_of(handle.set, {objects.MQIA_INHIBIT_GET: 1}) == MQRC_NOT_OPEN_FOR_SET


@pytest.mark.conformance("BEY-85")
@pytest.mark.parametrize("selector", [objects.MQIA_MAX_Q_DEPTH, objects.MQCA_Q_DESC, 99999])
def test_set_changes_only_inhibit_and_trigger_attributes(connection, selector):
    with connection.open("Q", MQOO_SET | MQOO_INQUIRE) as handle:
        assert reason_of(handle.set, {objects.MQIA_INHIBIT_PUT: 1, selector: 1}) == MQRC_SELECTOR_ERROR
        assert handle.inquire([objects.MQIA_INHIBIT_PUT]) == [0]


@pytest.mark.parametrize(
    ("selector", "good", "bad", "reason"),
    [
        (objects.MQIA_INHIBIT_GET, 1, 2, MQRC_INHIBIT_VALUE_ERROR),
        (objects.MQIA_INHIBIT_PUT, 1, -1, MQRC_INHIBIT_VALUE_ERROR),
        (objects.MQIA_TRIGGER_CONTROL, 1, 7, MQRC_TRIGGER_CONTROL_ERROR),
        (objects.MQIA_TRIGGER_TYPE, 3, 9, MQRC_TRIGGER_TYPE_ERROR),
        (objects.MQIA_TRIGGER_DEPTH, 5, 0, MQRC_TRIGGER_DEPTH_ERROR),
        (objects.MQIA_TRIGGER_MSG_PRIORITY, 9, 10, MQRC_TRIGGER_MSG_PRIORITY_ERR),
        (objects.MQCA_TRIGGER_DATA, "go", "x" * 65, MQRC_CHAR_ATTRS_ERROR),
    ],
)
def test_set_takes_the_values_of_the_attribute_and_no_others(connection, selector, good, bad, reason):
    with connection.open("Q", MQOO_SET | MQOO_INQUIRE) as handle:
        handle.set({selector: good})
        assert handle.inquire([selector]) == [good]
        assert reason_of(handle.set, {selector: bad}) == reason
        assert handle.inquire([selector]) == [good]


def test_a_character_attribute_is_set_without_its_trailing_blanks(connection):
    with connection.open("Q", MQOO_SET | MQOO_INQUIRE) as handle:
        handle.set({objects.MQCA_TRIGGER_DATA: "go".ljust(64)})
        assert handle.inquire([objects.MQCA_TRIGGER_DATA]) == ["go"]


def test_set_through_an_alias_changes_the_alias(connection):
    connection.put1("Q", Message(b"one"))
    with connection.open("A", MQOO_SET) as handle:
        handle.set({objects.MQIA_INHIBIT_GET: 1})
    with connection.open("A", MQOO_INPUT_SHARED) as reader:
        assert reason_of(reader.get) == MQRC_GET_INHIBITED
    with connection.open("Q", MQOO_INPUT_SHARED) as reader:
        assert reader.get().message.data == b"one"


# Names of dynamic queues


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Q", MQRC_OBJECT_ALREADY_EXISTS),
        ("", MQRC_DYNAMIC_Q_NAME_ERROR),
        ("no good", MQRC_DYNAMIC_Q_NAME_ERROR),
        (f"{'X' * 33}*", MQRC_DYNAMIC_Q_NAME_ERROR),
    ],
)
def test_a_dynamic_queue_needs_a_new_name_that_is_one(connection, name, reason):
    define(connection, "DEFINE QMODEL(M)")
    with fails(reason):
        connection.open("M", MQOO_INPUT_SHARED, dynamic_q_name=name)

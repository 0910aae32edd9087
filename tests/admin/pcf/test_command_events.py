"""Configuration and command events: of MQSC, PCF, Escape and MQSET, with what the object was before and after."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.options import MQOO_SET
from mqtools.headers.pcf import CFIN, CFST
from mqtools.mqi.connection import Connection

from ...mqi.conftest import QM
from ...mqi.event_story import events, only
from .conftest import Server

CREATE, CHANGE, DELETE, REFRESH = "Create Object", "Change Object", "Delete Object", "Refresh Object"


def run(qm: QM, *commands: str) -> None:
    assert not run_mqsc(qm.main, "\n".join(commands)).failed


@pytest.fixture
def audited(qm: QM) -> QM:
    run(qm, "ALTER QMGR CONFIGEV(ENABLED) CMDEV(ENABLED)")
    taken(qm.main)
    return qm


def taken(connection: Connection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return events(connection, "CONFIG"), events(connection, "COMMAND")


#: Object type to its DEFINE without a name, an attribute to alter, the parameter of its name and its MQOT.
OBJECTS = {
    "QLOCAL": ("", "DESCR('x')", "MQCA_Q_NAME", "MQOT_Q"),
    "QALIAS": ("TARGET(Q)", "DESCR('x')", "MQCA_Q_NAME", "MQOT_Q"),
    "CHANNEL": ("CHLTYPE(RCVR)", "CHLTYPE(RCVR) DESCR('x')", "MQCACH_CHANNEL_NAME", "MQOT_CHANNEL"),
    "NAMELIST": ("NAMES(A)", "NAMES(A,B)", "MQCA_NAMELIST_NAME", "MQOT_NAMELIST"),
    "PROCESS": ("", "DESCR('x')", "MQCA_PROCESS_NAME", "MQOT_PROCESS"),
    "TOPIC": ("TOPICSTR('x')", "DESCR('x')", "MQCA_TOPIC_NAME", "MQOT_TOPIC"),
    "LISTENER": ("TRPTYPE(TCP)", "TRPTYPE(TCP) DESCR('x')", "MQCACH_LISTENER_NAME", "MQOT_LISTENER"),
    "SERVICE": ("STARTCMD('x')", "DESCR('x')", "MQCA_SERVICE_NAME", "MQOT_SERVICE"),
    "AUTHINFO": ("AUTHTYPE(IDPWOS)", "AUTHTYPE(IDPWOS) DESCR('x')", "MQCA_AUTH_INFO_NAME", "MQOT_AUTH_INFO"),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_that_is_created_changed_and_deleted_is_four_messages(audited: QM, kind: str) -> None:
    defined, altered, name, number = OBJECTS[kind]
    run(audited, f"DEFINE {kind}(NEW) {defined}", f"ALTER {kind}(NEW) {altered}", f"DELETE {kind}(NEW)")
    found = events(audited.main, "CONFIG")
    assert [row["event"] for row in found] == [CREATE, CHANGE, CHANGE, DELETE]
    created, before, after, deleted = (row["parameters"] for row in found)
    assert {row["object"] for row in found} == {"NEW"}
    for each in (created, before, after, deleted):
        assert (each[name], each["MQIACF_OBJECT_TYPE"]) == ("NEW", number)
        assert (each["MQIACF_EVENT_ORIGIN"], each["MQCACF_EVENT_USER_ID"]) == ("MQEVO_CONSOLE", "ana")
    assert created == before != after == deleted


def test_a_command_is_an_event_with_its_text_and_its_origin(audited: QM) -> None:
    run(audited, "DEFINE QLOCAL(NEW)", "CLEAR QLOCAL(NEW)", "DISPLAY QLOCAL(NEW)")
    commands = events(audited.main, "COMMAND")
    assert [row["object"] for row in commands] == ["MQCMD_CREATE_Q", "MQCMD_CLEAR_Q", "MQCMD_INQUIRE_Q"]
    assert commands[0]["reason"] == "MQRC_COMMAND_MQSC"
    assert commands[0]["parameters"] == {
        "MQGACF_COMMAND_CONTEXT": {
            "MQCACF_EVENT_USER_ID": "ana", "MQIACF_EVENT_ORIGIN": "MQEVO_CONSOLE", "MQCACF_EVENT_Q_MGR": "QM1",
            "MQIACF_COMMAND": "MQCMD_CREATE_Q",
        },
        "MQGACF_COMMAND_DATA": {"MQCACF_COMMAND_MQSC": "DEFINE QLOCAL(NEW)"},
    }  # fmt: skip
    run(audited, "ALTER QMGR CMDEV(NODISPLAY)", "DISPLAY QMGR")
    assert only(audited.main, "COMMAND")["object"] == "MQCMD_CHANGE_Q_MGR"


def test_a_command_that_fails_is_no_event(audited: QM) -> None:
    run_mqsc(audited.main, "ALTER QLOCAL(NO.SUCH.Q) DESCR('x')\nDEFINE QLOCAL(Q)\nDISPLAY QLOCAL(NO.SUCH.Q)")
    assert taken(audited.main) == ([], [])


def test_no_password_is_in_an_event(audited: QM) -> None:
    run(audited, "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME(x) XMITQ(Q) PASSWORD('se)cret')")
    found = str(taken(audited.main))
    assert "cret" not in found
    assert found.count("********") == 2


def test_a_command_in_pcf_is_an_event_with_its_parameters(audited: QM, server: Server) -> None:
    server.ask(c.MQCMD_CREATE_Q, CFST(o.MQCA_Q_NAME, b"NEW"), CFIN(o.MQIA_Q_TYPE, o.MQQT_LOCAL))
    (created,), (command,) = taken(audited.main)
    assert (created["event"], created["object"]) == (CREATE, "NEW")
    assert created["parameters"]["MQIACF_EVENT_ORIGIN"] == "MQEVO_MSG"
    assert created["parameters"]["MQCACF_EVENT_APPL_NAME"] == "test"
    assert command["reason"] == "MQRC_COMMAND_PCF"
    assert command["parameters"]["MQGACF_COMMAND_CONTEXT"]["MQIACF_EVENT_ORIGIN"] == "MQEVO_MSG"
    assert command["parameters"]["MQGACF_COMMAND_DATA"] == {"MQCA_Q_NAME": "NEW", "MQIA_Q_TYPE": "MQQT_LOCAL"}


def test_a_command_in_escape_is_one_event(audited: QM, server: Server) -> None:
    text = b"DEFINE QLOCAL(NEW)"
    server.send(c.MQCMD_ESCAPE, CFIN(c.MQIACF_ESCAPE_TYPE, c.MQET_MQSC), CFST(c.MQCACF_ESCAPE_TEXT, text))
    configuration, commands = taken(audited.main)
    assert [row["event"] for row in configuration] == [CREATE]
    (command,) = commands
    assert command["parameters"]["MQGACF_COMMAND_DATA"] == {"MQCACF_COMMAND_MQSC": text.decode()}
    assert command["parameters"]["MQGACF_COMMAND_CONTEXT"]["MQIACF_EVENT_ORIGIN"] == "MQEVO_MSG"


def test_mqset_is_a_change(audited: QM) -> None:
    with audited.open("Q", MQOO_SET) as handle:
        handle.set({o.MQIA_INHIBIT_PUT: 1})
    before, after = events(audited.main, "CONFIG")
    assert (before["event"], after["event"]) == (CHANGE, CHANGE)
    assert [row["parameters"]["MQIA_INHIBIT_PUT"] for row in (before, after)] == [0, 1]
    assert after["parameters"]["MQIACF_EVENT_ORIGIN"] == "MQEVO_MQSET"


def test_refresh_reports_each_object_and_its_parameters_narrow_it(audited: QM) -> None:
    run(audited, "REFRESH QMGR TYPE(CONFIGEV)")
    found = events(audited.main, "CONFIG")
    assert {row["event"] for row in found} == {REFRESH}
    assert {"Q", "R", "DLQ", "QM1", "SYSTEM.DEF.RECEIVER"} <= {row["object"] for row in found}
    run(audited, "REFRESH QMGR TYPE(CONFIGEV) OBJECT(QUEUE) NAME('D*')")
    assert [row["object"] for row in events(audited.main, "CONFIG")] == ["DLQ"]


def test_the_change_that_enables_or_disables_them_is_an_event(qm: QM) -> None:
    run(qm, "ALTER QMGR DESCR('before')", "ALTER QMGR CONFIGEV(ENABLED)")
    switched_on = events(qm.main, "CONFIG")
    assert [row["parameters"]["MQIA_CONFIGURATION_EVENT"] for row in switched_on] == [0, 1]
    run(qm, "ALTER QMGR CONFIGEV(DISABLED)")
    assert len(events(qm.main, "CONFIG")) == 2
    run(qm, "ALTER QMGR DESCR('after')", "DEFINE QLOCAL(NEW)")
    assert events(qm.main, "CONFIG") == []


def test_the_queue_of_configuration_events_has_none(audited: QM) -> None:
    run(audited, "ALTER QLOCAL(SYSTEM.ADMIN.CONFIG.EVENT) MAXDEPTH(7)")
    assert events(audited.main, "CONFIG") == []

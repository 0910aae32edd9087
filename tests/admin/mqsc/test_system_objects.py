"""Objects that every queue manager has: SYSTEM.DEFAULT.*, model queues and others."""

from __future__ import annotations

import pytest

from mqtools.admin.export import export_definitions
from mqtools.constants.options import MQOO_BROWSE, MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_IN_USE

from ...rows import queue_names
from .mqsc_story import attributes, get_all, only, put, run


@pytest.mark.parametrize(
    ("object_type", "name", "keyword"),
    [
        ("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", "MAXDEPTH(7)"),
        ("QALIAS", "SYSTEM.DEFAULT.ALIAS.QUEUE", "DEFPRTY(7)"),
        ("QREMOTE", "SYSTEM.DEFAULT.REMOTE.QUEUE", "DEFPRTY(7)"),
        ("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE", "DEFPRTY(7)"),
        ("TOPIC", "SYSTEM.DEFAULT.TOPIC", "DESCR(words)"),
        ("NAMELIST", "SYSTEM.DEFAULT.NAMELIST", "DESCR(words)"),
        ("PROCESS", "SYSTEM.DEFAULT.PROCESS", "APPLICID(program)"),
        ("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP", "PORT(1500)"),
        ("SERVICE", "SYSTEM.DEFAULT.SERVICE", "STARTCMD(program)"),
    ],
)
def test_new_objects_have_the_attributes_of_an_altered_default_object(connection, object_type, name, keyword):
    word, value = keyword.rstrip(")").split("(")
    assert run(connection, f"DISPLAY {object_type}({name}) ALL")
    run(connection, f"DEFINE {object_type}(BEFORE)\nALTER {object_type}({name}) {keyword}")
    run(connection, f"DEFINE {object_type}(AFTER)\nDEFINE {object_type}(SAME) LIKE({name})")
    shown = [run(connection, f"DISPLAY {object_type}({each}) ALL")[0] for each in ("BEFORE", "AFTER", "SAME")]
    found = [item.attributes.get(word, "") for item in shown]
    assert found[0] not in (value, value.upper())
    assert found[1:] == [value.upper()] * 2


def test_a_new_queue_manager_has_its_queues_without_having_written_them(connection):
    (shown,) = run(connection, "DISPLAY QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) CRDATE CURDEPTH MAXDEPTH")
    (q_mgr,) = run(connection, "DISPLAY QMGR CRDATE")
    assert shown.attributes["CRDATE"] == q_mgr.attributes["CRDATE"]
    assert (shown.attributes["CURDEPTH"], shown.attributes["MAXDEPTH"]) == ("0", "5000")
    assert "SYSTEM.MQEXPLORER.REPLY.MODEL" in [each.attributes["QUEUE"] for each in run(connection, "DIS QMODEL(*)")]
    with connection.open("SYSTEM.MQEXPLORER.REPLY.MODEL", MQOO_INPUT_SHARED, dynamic_q_name="AMQ.*") as handle:
        assert attributes(connection, handle.q_name, "DEFTYPE") == ["TEMPDYN"]
    connection.open("SYSTEM.ADMIN.QMGR.EVENT", MQOO_BROWSE).close()
    run(connection, "DEFINE QALIAS(DEAD) TARGET(SYSTEM.DEAD.LETTER.QUEUE)")
    put(connection, "DEAD", b"letter")
    assert get_all(connection, "SYSTEM.DEAD.LETTER.QUEUE") == [b"letter"]
    used = ["DEAD", "SYSTEM.ADMIN.QMGR.EVENT", "SYSTEM.DEAD.LETTER.QUEUE", "SYSTEM.MQEXPLORER.REPLY.MODEL"]
    assert queue_names(connection) == used


@pytest.mark.parametrize("object_type", ["QLOCAL(SYSTEM.DEAD.LETTER.QUEUE)", "TOPIC(SYSTEM.BASE.TOPIC)"])
def test_what_every_queue_manager_has_is_defined_only_with_replace(connection, object_type):
    assert only(connection, f"DEFINE {object_type}").reason == MQRC_OBJECT_ALREADY_EXISTS
    run(connection, f"DEFINE {object_type} DESCR(words) REPLACE")
    assert run(connection, f"DISPLAY {object_type} DESCR")[0].attributes["DESCR"] == "WORDS"


def test_a_queue_that_every_queue_manager_has_cannot_be_deleted(connection):
    assert only(connection, "DELETE QLOCAL(SYSTEM.DEAD.LETTER.QUEUE)").reason == MQRC_OBJECT_IN_USE


def test_an_export_has_the_altered_system_objects_after_those_that_they_do_not_change(connection):
    run(connection, "DEFINE QLOCAL(A) MAXDEPTH(3)")
    connection.open("SYSTEM.DEAD.LETTER.QUEUE", MQOO_BROWSE).close()
    assert "SYSTEM" not in "".join(export_definitions(connection))
    run(connection, "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) DEFPRTY(7)\nDEFINE QLOCAL(Z)")
    text = "\n".join(export_definitions(connection))
    assert [line.split()[1] for line in text.splitlines() if line.startswith("DEFINE")] == [
        "QLOCAL(A)",
        "QLOCAL(Z)",
        "QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE)",
    ]
    run(connection, text)
    assert [attributes(connection, name, "DEFPRTY", "MAXDEPTH") for name in "AZ"] == [["0", "3"], ["7", "5000"]]

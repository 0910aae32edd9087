"""Reports of MQSC runs: mistakes with positions, failures, runmqsc output and JSON."""

from __future__ import annotations

import json

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.commands.catalogue import BY_WORDS
from mqtools.admin.mqsc.run import as_json, check_mqsc, lines, run_mqsc

from ...rows import queue_names
from .mqsc_story import only

# What is wrong


@pytest.mark.parametrize(
    ("command", "column", "text"),
    [
        ("DEFINE QLOCAL(Q) MAXDEPT(3)", 18, "MAXDEPT is not an attribute of QLOCAL; did you mean MAXDEPTH?"),
        ("DEFINE QLOCAL(Q) MAXDEPTH(many)", 18, "MAXDEPTH must be 0 to 999999999"),
        ("DEFINE QLOCAL(Q) TARGET(X)", 18, None),
        ("DEFINE QLOCAL(Q) CURDEPTH(1)", 18, "CURDEPTH can be displayed, not set"),
        ("DEFINE QALIAS(Q) TARGET(A) TARGQ(B)", 28, "TARGQ is given twice, once as a synonym"),
        ("DEFINE QLOCAL(Q) REPLACE(YES)", 18, "REPLACE takes no value"),
        ("DEFINE QLOCAL(Q) LIKE", 18, "LIKE takes one value: LIKE(...)"),
        ("DEFINE QLOCAL MAXDEPTH(3)", 1, "DEFINE QLOCAL needs a name: QLOCAL(NAME)"),
        ("DEFINE QLOCAL(A*)", 1, "'A*' is not a valid name: use letters, digits, . / _ %, at most 48 characters"),
        ("DELETE QALIAS(Q) PURGE", 18, "PURGE is not a parameter of DELETE"),
        ("CLEAR QLOCAL(Q) NOW", 17, "NOW is not a parameter of CLEAR"),
        ("ALTER QMGR(QM1)", 1, "ALTER QMGR takes no name"),
        ("DISPLAY QLOCAL(Q) MAXDEPTH(3)", 19, "MAXDEPTH takes no value here; filter by it with WHERE"),
        ("DISPLAY QLOCAL(Q) CURDEPHT", 19, "CURDEPHT is not an attribute of QLOCAL; did you mean CURDEPTH?"),
        ("DISPLAY QUEUE(*) TYPE(TOPIC)", 18, "TYPE must be one of QALIAS QLOCAL QMODEL QREMOTE ALL"),
        ("DISPLAY QUEUE(*) WHERE(CURDEPTH LK 3)", 18, "LK is for texts and names; CURDEPTH is neither"),
        ("DISPLAY QUEUE(*) WHERE(CURDEPTH GT)", 18, None),
        ("DISPLAY QSTATUS(*) WHERE(NOPE EQ 1)", 20, None),
        ("PING QMGR NOW", 11, "NOW is not a parameter of PING"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_nothing_is_run(connection, command, column, text):
    report = run_mqsc(connection, f"* a comment\n{command}", "setup.mqsc")
    (mistake,) = report.mistakes
    assert (mistake.file, mistake.line, mistake.column) == ("setup.mqsc", 2, column)
    assert text is None or mistake.text == text
    assert (report.read, report.syntax_errors, report.failed) == (1, 1, 0)
    assert queue_names(connection) == []


def test_all_mistakes_of_a_file_are_reported_at_once_and_the_rest_is_run(connection):
    text = """DEFINE QLOCAL(A)
DEFINE QLOCAL(B) +
   MAXDEPT(3) +
   PUT(OFF)
DEFIN QLOCAL(C)
DELETE QLOCAL(NOPE)
DEFINE QLOCAL(D)
"""
    report = run_mqsc(connection, text)
    assert [(mistake.line, mistake.column) for mistake in report.mistakes] == [(3, 4), (4, 4), (5, 1)]
    assert [command.outcome for command in report.commands] == ["ok", "syntax", "syntax", "failed", "ok"]
    assert [(command.line, command.column) for command in report.commands][:2] == [(1, 1), (3, 4)]
    assert (report.read, report.syntax_errors, report.failed) == (5, 2, 1)
    assert queue_names(connection) == ["A", "D"]


def test_a_check_runs_nothing_and_finds_the_same_mistakes(connection):
    report = check_mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B) MAXDEPT(3)\nDISPLAY QLOCAL(NOPE)")
    assert [command.outcome for command in report.commands] == ["ok", "syntax", "ok"]
    assert queue_names(connection) == []


@pytest.mark.parametrize("command", ["DEFINE COMMINFO(P)", "DISPLAY STGCLASS(*)", "REFRESH CLUSTER(*)"])
def test_a_command_of_mq_that_is_not_ours_fails_and_says_so(connection, command):
    found = only(connection, command)
    assert found.outcome == "failed"
    assert found.messages[0].endswith("is not supported (MQRC_FUNCTION_NOT_SUPPORTED 2298)")
    assert check_mqsc(command).failed == 1


def test_nothing_after_end_is_run(connection):
    report = run_mqsc(connection, "DEFINE QLOCAL(A)\nEND\nDEFINE QLOCAL(B)")
    assert (report.read, queue_names(connection)) == (1, ["A"])


def test_an_ended_queue_manager_fails_each_command(connection, tmp_path):
    queue_managers.end(str(tmp_path / "QM1.db"), immediate=True)
    report = run_mqsc(connection, "DEFINE QLOCAL(A)\nPING QMGR\nDISPLAY QUEUE(*)")
    assert report.failed == 3
    assert {as_json(report)[n]["reason"] for n in range(3)} == {"MQRC_CONNECTION_BROKEN"}
    queue_managers.start(str(tmp_path / "QM1.db"))


#: Command to the parameters that it cannot do without.
NEEDED = {
    ("CLEAR", "TOPICSTR"): " CLRTYPE(RETAINED)",
    ("DEFINE", "CHANNEL"): " CHLTYPE(RCVR)",
    ("DEFINE", "SUB"): " TOPICSTR('x')",
    ("RESOLVE", "CHANNEL"): " ACTION(COMMIT)",
    ("SET", "CHLAUTH"): " TYPE(BLOCKUSER) USERLIST('x')",
    ("SET", "AUTHREC"): " OBJTYPE(QMGR) PRINCIPAL('x') AUTHADD(ALL)",
    ("DELETE", "AUTHREC"): " OBJTYPE(QMGR) PRINCIPAL('x')",
    ("DISPLAY", "ENTAUTH"): " OBJTYPE(QMGR) PRINCIPAL('x')",
}


@pytest.mark.parametrize(("verb", "object_type"), BY_WORDS)
def test_every_command_refuses_a_parameter_that_it_does_not_have(verb, object_type):
    name = "" if object_type in ("QMGR", "QMSTATUS", "PUBSUB", "AUTHSERV", "AUTHREC", "ENTAUTH") else "(X)"
    report = check_mqsc(f"{verb} {object_type}{name}{NEEDED.get((verb, object_type), '')} ZZZ(1)")
    assert [mistake.text.split()[0] for mistake in report.mistakes] == ["ZZZ"]


# What a run gives


def test_a_run_reads_like_runmqsc(connection):
    report = run_mqsc(connection, "* set up\ndefine ql(a) +\n  maxdepth(3)\ndis ql(a) maxdepth curdepth\ndelete ql(b)")
    assert list(lines(report)) == [
        "       : * set up",
        "     1 : define ql(a) +",
        "       :   maxdepth(3)",
        "AMQ8006I: mqx queue created.",
        "     2 : dis ql(a) maxdepth curdepth",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)                                TYPE(QLOCAL)",
        "   CURDEPTH(0)                             MAXDEPTH(3)",
        "     3 : delete ql(b)",
        "AMQ8147E: mqx object B not found.",
        "mqx: queue B does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "3 MQSC commands read.",
        "No commands have a syntax error.",
        "One valid MQSC command could not be processed.",
    ]


def test_a_syntax_error_shows_the_command_up_to_it(connection):
    shown = list(lines(run_mqsc(connection, "alter ql(a) maxdept(4) put(enabled)")))
    assert shown[1:4] == [
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "ALTER QLOCAL(A) MAXDEPT(4)",
        "<stdin>:1:13: MAXDEPT is not an attribute of QLOCAL; did you mean MAXDEPTH?",
    ]


def test_json_has_one_object_a_command_with_the_attributes_by_name(connection):
    report = run_mqsc(connection, "DEFINE QL(A) GET(DISABLED)\nDIS QL(A) GET SHARE MAXDEPTH\nDELETE QL(B)\nFOO")
    first, second, third, fourth = json.loads(json.dumps(as_json(report)))
    assert first["outcome"] == "ok"
    assert second["objects"] == [
        {"name": "A", "q_type": "QLOCAL", "inhibit_get": "DISABLED", "max_q_depth": 5000, "shareability": "SHARE"}
    ]
    assert (third["outcome"], third["reason"]) == ("failed", "MQRC_UNKNOWN_OBJECT_NAME")
    assert (fourth["outcome"], fourth["reason"]) == ("syntax", None)
    assert fourth["mistakes"] == [{"line": 4, "column": 1, "message": "FOO is not a verb"}]
    assert [item["number"] for item in (first, second, third, fourth)] == [1, 2, 3, 4]

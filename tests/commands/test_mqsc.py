"""``mqx mqsc``: where commands come from, how the outcome shows, and the status."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

pytestmark = pytest.mark.usefixtures("qm")

Run = Callable[..., Any]

SCRIPT = str(Path(sys.executable).with_name("mqx"))

OK = "DEFINE QLOCAL(ORDERS)"
UNKNOWN = "DISPLAY QLOCAL(NOPE)"
MISTAKE = "DEFINE QLOCAL(ORDERS"


def test_commands_come_from_arguments(mqx: Run) -> None:
    done = mqx("mqsc", "DEFINE QLOCAL(ORDERS) MAXDEPTH(7)", "DISPLAY QLOCAL(ORDERS) MAXDEPTH")
    assert (done.status, done.err) == (0, "")
    lines = done.out.decode().splitlines()
    assert lines[0].endswith("1 : DEFINE QLOCAL(ORDERS) MAXDEPTH(7)")
    assert lines[1] == "AMQ8006I: mqx queue created."
    assert "   MAXDEPTH(7)" in lines
    assert lines[-3:] == [
        "2 MQSC commands read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


def test_commands_come_from_stdin(mqx: Run) -> None:
    assert mqx("mqsc", stdin=b"* a comment\nDEFINE QLOCAL(ORDERS) +\n  MAXDEPTH(7)\nEND\nnot read\n").status == 0
    assert mqx("qdepth", "ORDERS", "-o", "json", check=True).out.count(b'"max_depth":7') == 1


@pytest.mark.parametrize("dash", [False, True])
def test_commands_come_from_a_file(mqx: Run, tmp_path: Path, dash: bool) -> None:
    script = tmp_path / "setup.mqsc"
    script.write_text(f"{OK}\n", encoding="utf-8")
    if dash:
        done = mqx("mqsc", "--file", "-", stdin=script.read_bytes())
    else:
        done = mqx("mqsc", "--file", str(script))
    assert done.status == 0
    mqx("put", "ORDERS", "x", check=True)


def test_a_file_that_is_not_there_is_2(mqx: Run) -> None:
    mqx("mqsc", "--file", "/no/such/file").ended(2, "/no/such/file")


def test_arguments_and_a_file_exclude_each_other(mqx: Run, tmp_path: Path) -> None:
    assert mqx("mqsc", OK, "--file", str(tmp_path)).status == 2


@pytest.mark.parametrize(
    ("commands", "status"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([OK], 0, id="done"),
        pytest.param([MISTAKE], 2, id="a mistake"),
        pytest.param([OK, MISTAKE], 2, id="done and a mistake"),
        pytest.param([UNKNOWN], 5, id="failed alone with its own status"),
        pytest.param([UNKNOWN, UNKNOWN], 5, id="failed with one status"),
        pytest.param(["DELETE QLOCAL(DEV.QUEUE.1)"], 1, id="not empty"),
        pytest.param([OK, UNKNOWN], 9, id="done and failed"),
        pytest.param([OK, UNKNOWN, MISTAKE], 9, id="done, failed and a mistake"),
        pytest.param([UNKNOWN, "DELETE QLOCAL(DEV.QUEUE.1)"], 1, id="failed with several statuses"),
        pytest.param([UNKNOWN, MISTAKE], 1, id="failed and a mistake, nothing done"),
    ],
)
@pytest.mark.parametrize("output", ["plain", "json", "jsonl"])
def test_the_status_says_what_became_of_the_commands(mqx: Run, commands: list[str], status: int, output: str) -> None:
    mqx("put", "DEV.QUEUE.1", "x", check=True)
    assert mqx("mqsc", "-o", output, stdin="\n".join(commands).encode()).status == status


def test_every_mistake_is_said_with_its_place_and_a_caret_and_then_their_number(mqx: Run, tmp_path: Path) -> None:
    script = tmp_path / "bad.mqsc"
    script.write_text("DEFINE QLOCAL(A)\n  DEFINE QX(B) FOO(1\nDEFINE QLOCAL(C) MAXDPTH(5)\n", encoding="utf-8")
    done = mqx("mqsc", "--file", str(script)).ended(2)
    lines = done.err.splitlines()
    assert lines[0].startswith(f"{script}:2:10: ")
    assert lines[1:3] == ["  DEFINE QX(B) FOO(1", "         ^"]
    assert lines[3].startswith(f"{script}:2:19: ")
    assert lines[6].startswith(f"{script}:3:18: ")
    assert "MAXDEPTH" in lines[6]
    assert lines[-1] == "3 mistakes"


def test_the_caret_stands_under_its_column_when_characters_are_made_visible(mqx: Run) -> None:
    done = mqx("mqsc", "DEFINE QLOCAL(A) DESCR('\x1b\u202e') NOPE(1)")
    shown, caret = done.err.splitlines()[1:3]
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown[len(caret) - 1 :].startswith("NOPE")


def test_json_is_an_object_a_command(mqx: Run) -> None:
    done = mqx("mqsc", OK, UNKNOWN, MISTAKE, "DISPLAY QLOCAL(ORDERS) MAXDEPTH DEFPSIST", "-o", "json")
    first, second, third, fourth = json.loads(done.out)
    assert (first["number"], first["command"], first["outcome"]) == (1, OK, "ok")
    assert (second["outcome"], second["reason"]) == ("failed", "MQRC_UNKNOWN_OBJECT_NAME")
    assert third["outcome"] == "syntax"
    assert third["mistakes"][0]["line"] == 3
    assert fourth["objects"][0]["max_q_depth"] == 5000
    assert fourth["objects"][0]["def_persistence"] == "NO"


def test_mistakes_are_json_on_stderr_where_the_output_is(mqx: Run) -> None:
    done = mqx("mqsc", MISTAKE, "-o", "jsonl")
    (mistake,) = json.loads(done.err)["errors"]
    assert (mistake["file"], mistake["line"], mistake["column"]) == ("<arguments>", 1, 14)
    assert mistake["message"]


def test_each_error_is_said_once(mqx: Run) -> None:
    done = mqx("mqsc", OK, "DEFIN QLOCAL(X)", "ALTER QLOCAL(NOPE) MAXDEPTH(3)")
    for words in ("DEFIN is not a verb", "NOPE does not exist"):
        assert (done.out.decode() + done.err).count(words) == 1
    assert b"AMQ8147E: mqx object NOPE not found.\n" in done.out


def test_a_failure_is_said_on_stderr(mqx: Run) -> None:
    errors = mqx("mqsc", OK, UNKNOWN, UNKNOWN).err.splitlines()
    assert [line[:18] for line in errors] == ["mqx: mqsc: line 2:", "mqx: mqsc: line 3:"]
    assert all(line.endswith("(MQRC_UNKNOWN_OBJECT_NAME 2085)") for line in errors)
    assert "1 of 2 commands failed" in mqx("mqsc", "PING QMGR", UNKNOWN, "-o", "json").err
    assert json.loads(mqx("mqsc", UNKNOWN, "-o", "json").err)["error"]["reason"] == 2085


def test_what_an_attribute_holds_cannot_steer_the_terminal(mqx: Run) -> None:
    mqx("mqsc", "DEFINE QLOCAL(A) DESCR('\x1b[31mred')", check=True)
    assert b"\x1b" not in mqx("mqsc", "DISPLAY QLOCAL(A) DESCR", check=True).out
    (shown,) = json.loads(mqx("mqsc", "DISPLAY QLOCAL(A) DESCR", "-o", "json").out)
    assert shown["objects"][0]["q_desc"] == "\x1b[31mred"


def test_bytes_that_are_no_text_are_a_mistake_and_no_crash(mqx: Run) -> None:
    mqx("mqsc", stdin=b"DEFINE QLOCAL(A) DESCR('\xff')\n").ended(2, "1 mistake")


@pytest.mark.slow
def test_on_a_terminal_each_command_runs_when_it_is_complete(environment: dict[str, str]) -> None:
    child = pexpect.spawn(SCRIPT, ["mqsc"], env=environment, encoding="utf-8", timeout=60)
    child.expect("mqx> ")
    child.sendline("DEFINE QLOCAL(ORDERS) +")
    child.expect("   > ")
    child.sendline("MAXDEPTH(7)")
    child.expect("AMQ8006I: mqx queue created.")
    child.expect("mqx> ")
    child.sendline("DISPLAY QLOCAL(ORDERS) MAXDEPTH")
    child.expect(r"MAXDEPTH\(7\)")
    child.sendline("DEFINE QX(A)")
    child.expect("1:8: QX is not an object type")
    child.expect("mqx> ")
    child.sendline("end")
    child.expect("3 MQSC commands read.")
    child.expect(pexpect.EOF)
    child.wait()
    child.close()
    assert child.exitstatus == 2


def test_on_a_terminal_a_failed_command_has_one_error_line(environment: dict[str, str]) -> None:
    words = ["mqsc", "DELETE QLOCAL(NOPE)", "START CHANNEL(NOPE)"]
    child = pexpect.spawn(SCRIPT, words, env=environment, encoding="utf-8", timeout=60, dimensions=(24, 80))
    child.expect(pexpect.EOF)
    lines = child.before.splitlines()
    assert [line for line in lines if line.startswith("mqx: ")] == [
        "mqx: queue NOPE does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "mqx: channel NOPE does not exist (MQRC_UNKNOWN_CHANNEL_NAME 2540)",
    ]


@pytest.mark.parametrize("command", ["ALTER QMGR ACTIVREC(MSG)", "DEFINE COMMINFO(A)"])
def test_definitions_that_are_not_supported_lead_to_the_option_that_skips_them(mqx: Run, command: str) -> None:
    done = mqx("mqsc", OK, command)
    assert done.err.splitlines()[-1] == "hint: --skip-unsupported leaves out what mqx lacks, and lists it"
    done = mqx("mqsc", "--skip-unsupported", f"{command} +\n", check=True)
    assert "hint" not in done.err
    assert not done.err.rstrip("\n").endswith("+")


@pytest.mark.parametrize("command", [MISTAKE, "DISPLAY QMGR ZZZZ", "DISPLAY QLOCAL(*) WHERE(ZZZZ EQ 1)"])
def test_a_mistake_does_not_lead_to_the_option_that_skips(mqx: Run, command: str) -> None:
    """Nor does an unknown attribute that is to be displayed: the option leaves out only what is to be set."""
    for options in ([], ["--skip-unsupported"]):
        done = mqx("mqsc", *options, "PING QMGR", command)
        assert (done.status != 0, "hint" in done.err) == (True, False)


@pytest.mark.parametrize(
    ("kind", "rest", "created", "changed", "displayed", "deleted"),
    [
        ("LISTENER", "TRPTYPE(TCP)", "AMQ8626I", "AMQ8623I", "AMQ8630I", "AMQ8628I"),
        ("NAMELIST", "NAMES(A,B)", "AMQ8552I", "AMQ8551I", "AMQ8550I", "AMQ8553I"),
        ("PROCESS", "APPLICID('x')", "AMQ8010I", "AMQ8012I", "AMQ8407I", "AMQ8011I"),
        ("SERVICE", "STARTCMD('x')", "AMQ8625I", "AMQ8624I", "AMQ8629I", "AMQ8627I"),
        ("TOPIC", "TOPICSTR('x')", "AMQ8690I", "AMQ8691I", "AMQ8633I", "AMQ8692I"),
    ],
)
def test_each_kind_of_object_has_the_messages_of_runmqsc(
    mqx: Run, kind: str, rest: str, created: str, changed: str, displayed: str, deleted: str
) -> None:
    commands = (f"DEFINE {kind}(X) {rest}", f"ALTER {kind}(X) DESCR('y')", f"DISPLAY {kind}(X)", f"DELETE {kind}(X)")
    lines = mqx("mqsc", *commands, check=True).out.decode().splitlines()
    assert [line[:8] for line in lines if line.startswith("AMQ")] == [created, changed, displayed, deleted]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("DISPLAY QLOCAL(NONE)", "queue NONE does not exist"),
        ("DISPLAY QALIAS(NONE*)", "no QALIAS matches NONE*"),
        ("DISPLAY NAMELIST(NONE*)", "no namelist matches NONE*"),
        ("DISPLAY SUB(*)", "no subscription matches *"),
        ("DISPLAY CHANNEL(NONE*)", "no channel matches NONE*"),
        ("DISPLAY AUTHREC PRINCIPAL('none')", "no authority record matches *"),
        ("DISPLAY AUTHREC PROFILE(NONE) MATCH(EXACT)", "authority record NONE does not exist"),
    ],
)
def test_a_display_that_finds_nothing_says_what_it_looked_for(mqx: Run, command: str, words: str) -> None:
    assert f"{words} (" in mqx("mqsc", command).err


def test_what_has_no_effect_is_said_once(mqx: Run) -> None:
    done = mqx(
        "mqsc",
        "DEFINE QLOCAL(A) CLUSTER(C) DEFBIND(OPEN) MAXDEPTH(7)",
        "DEFINE QLOCAL(B) CLUSTER(C) TRIGGER",
        "DEFINE TOPIC(T) TOPICSTR('t') MCAST(ENABLED) PUBSCOPE(ASPARENT) PUB(DISABLED)",
        "DEFINE LISTENER(L) BACKLOG(7) PORT(1500)",
        "DEFINE SUB(S) TOPICSTR('t') DEST(A) SUBLEVEL(3)",
        "ALTER QMGR MAXHANDS(300)",
    )
    words = "QLOCAL CLUSTER, QLOCAL TRIGGER, TOPIC MCAST, LISTENER BACKLOG, SUB SUBLEVEL, QMGR MAXHANDS"
    assert (done.status, done.err) == (0, f"no effect in mqx: {words}\n")


def test_the_developers_topic_is_an_object(mqx: Run) -> None:
    assert b"TOPICSTR(dev/)" in mqx("mqsc", "DISPLAY TOPIC(DEV.BASE.TOPIC)", check=True).out
    assert b"DEFINE TOPIC(DEV.BASE.TOPIC) REPLACE" in mqx("qmgr", "export", check=True).out

"""``mqx remote`` and ``-m`` of a queue manager elsewhere: names, access, passwords, and the log of changes."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

Q = "DEV.QUEUE.1"
ADD = ("remote", "add", "PROD", "--connection", "localhost(1414)", "--channel", "OPS.SVRCONN")


def test_a_remote_is_added_listed_and_removed(mqx, environment):
    assert mqx("remote", "list").status == 3
    mqx(*ADD, "--user", "ana", "--password-command", "pass mq", "--cipher", "ANY_TLS12", "--read-write", check=True)
    (row,) = json.loads(mqx("remote", "list", "-o", "json", check=True).out)
    assert row == {
        "name": "PROD",
        "connection": "localhost(1414)",
        "channel": "OPS.SVRCONN",
        "qmgr": "",
        "user": "ana",
        "cipher": "ANY_TLS12",
        "read_write": True,
    }
    path = Path(environment["MQX_HOME"], "remotes.toml")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    mqx("remote", "remove", "PROD", check=True)
    assert (mqx("remote", "list").status, mqx("remote", "remove", "PROD").status) == (3, 5)


@pytest.mark.parametrize(
    "words",
    [
        ("remote", "add", "QM1", "--connection", "h(1)", "--channel", "C"),
        ("remote", "add", "A/B", "--connection", "h(1)", "--channel", "C"),
        ("remote", "add", "P", "--connection", "h(1)"),
        ("remote", "add", "P", "--connection", "h(x)", "--channel", "C"),
        ("remote", "add", "P", "--connection", "h(1)", "--channel", "a b"),
        ("remote", "add", "P", "--connection", "h(1)", "--channel", "C", "--qmgr", "a b"),
        ("remote", "add", "P", "--connection", "h(1)", "--channel", "C", "--cipher", "NOPE"),
        ("remote", "add", "P", "--ccdt", "none.json"),
        ("remote", "add", "ELSEWHERE", "--connection", "h(1)", "--channel", "C"),
        ("qmgr", "create", "ELSEWHERE"),
        ("browse", Q, "-m", "mq://ana:secret@host/CHANNEL"),
        ("browse", Q, "-m", "mq:"),
    ],
)
def test_what_makes_no_remote_is_refused(mqx, port, words):
    assert mqx(*words).status == 2


def test_a_name_is_that_of_one_queue_manager_here_or_elsewhere(mqx, port, environment):
    mqx("browse", Q, "-m", "ELSEWHER").ended(5, "there are: QM1, ELSEWHERE, ELSEWHERE.RO; create it")
    Path(environment["MQX_HOME"], "ELSEWHERE.db").write_bytes(b"")
    mqx("browse", Q, "-m", "ELSEWHERE").ended(2, "both a queue manager here and a remote")


def test_ping_shows_the_queue_manager_and_records_the_exchange(mqx, port, tmp_path):
    (row,) = json.loads(
        mqx("remote", "ping", "ELSEWHERE", "--record", str(tmp_path / "r"), "-o", "json", check=True).out
    )
    assert (row["qmgr"], row["qmgr_id"].startswith("QM1_"), row["platform"]) == ("QM1", True, "UNIX")
    assert (row["level"] >= 900, row["latency_ms"] > 0, (tmp_path / "r").stat().st_size > 0) == (True, True, True)


@pytest.mark.parametrize("place", ["ELSEWHERE.RO", "address"])
@pytest.mark.parametrize(
    "words",
    [
        ("put", Q, "x"),
        ("get", Q),
        ("move", Q, "DEV.QUEUE.2"),
        ("load", Q, "-"),
        ("unload", Q, "--move"),
        ("mqsc", "DEFINE QLOCAL(X)"),
        ("pub", "a/b", "x"),
        ("dlq-handle", "DEV.DEAD.LETTER.QUEUE", "--rules", "RULES"),
        ("dlq-handle", "DEV.DEAD.LETTER.QUEUE", "--redrive"),
    ],
)
def test_a_remote_is_read_only_unless_it_is_read_write(mqx, port, bodies, tmp_path, words, place):
    (tmp_path / "rules").write_text("ACTION(DISCARD)\n")
    words = [str(tmp_path / "rules") if word == "RULES" else word for word in words]
    name = f"mq://127.0.0.1:{port}/DEV.ADMIN.SVRCONN" if place == "address" else place
    mqx("put", "-m", "QM1", Q, "a", check=True)
    done = mqx(*words, "-m", name, "--yes")
    assert (done.status, "read-only" in done.err, bodies(Q)) == (8, True, [b"a"])


def test_an_address_is_read_write_where_the_command_says_so(mqx, port, bodies):
    address = f"mq://127.0.0.1:{port}/DEV.ADMIN.SVRCONN/QM1"
    mqx("put", Q, "x", "-m", address, "--read-write", "--yes", check=True)
    assert bodies(Q) == [b"x"]
    assert mqx("put", Q, "x", "-m", address, "--read-write", "--yes", "--read-only").status == 8
    server = {"MQSERVER": f"DEV.ADMIN.SVRCONN/TCP/127.0.0.1({port})"}
    assert mqx("get", Q, "-m", "mq:", "--read-write", "--yes", check=True, **server).out == b"x"


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("put", Q, "x", "y"), "put 2 messages on DEV.QUEUE.1"),
        (("get", Q, "--all"), "get all that match of 1 messages on DEV.QUEUE.1"),
        (("move", Q, "DEV.QUEUE.2"), "move 1 message from DEV.QUEUE.1 to DEV.QUEUE.2"),
        (("mqsc", "DEFINE QLOCAL(X)", "DIS QMGR"), "run 2 commands"),
    ],
)
def test_a_change_needs_yes_without_a_terminal(mqx, port, bodies, words, asked):
    mqx("put", "-m", "QM1", Q, "a", check=True)
    mqx(*words, "-m", "ELSEWHERE").ended(2, f"{asked} at ELSEWHERE (queue manager QM1) without confirmation")
    assert bodies(Q) == [b"a"]


@pytest.mark.parametrize(
    "words",
    [
        ("browse", Q, "--at", "-5m"),
        ("browse", Q, "--all-states"),
        ("get", Q, "--confirm-id", "7"),
        ("put", Q, "x", "--once", "k"),
        ("trace", "414D51"),
        ("lock", Q),
        ("undo", Q, "--confirm-id", "7"),
        ("sql", "select 1"),
        ("replay", Q, "--since", "-5m", "--to", "DEV.QUEUE.2"),
        ("delete", Q, "--all"),
        ("dlq-handle", Q, "--redrive", "--delay", "1h"),
        ("dlq-handle", Q, "--summary", "--at", "-5m"),
        ("trash", "list"),
        ("edit", Q, "--msg-id", "41"),
        ("qdepth", "--at", "-5m"),
        ("tui", "--serve"),
        ("put", Q, "x", "--dry-run"),
        ("pub", "t", "x", "--dry-run"),
        ("load", Q, "--jsonl", "--dry-run"),
        ("doctor",),
    ],
)
def test_what_needs_our_file_is_refused_with_what_helps(mqx, port, words):
    done = mqx(*words, "-m", "ELSEWHERE", "--yes").ended(2)
    what = "--dry-run" if "--dry-run" in words else ""
    assert f"{what} needs a queue manager of mqx, and ELSEWHERE is elsewhere" in done.err
    assert ("mqx pull ELSEWHERE:QUEUE" in done.err) == ("doctor" not in words)


def test_what_was_changed_is_in_a_log_of_its_owner(mqx, there, environment):
    (msg_id,) = there("put", Q, "x", "--print-id", check=True).out.decode().split()
    there("move", Q, "DEV.QUEUE.2", check=True)
    mqx("browse", "DEV.QUEUE.2", "-m", "ELSEWHERE", check=True)
    path = Path(environment["MQX_HOME"], "remote-changes.jsonl")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    put, move = map(json.loads, path.read_text().splitlines())
    assert (put["remote"], put["qmgr"], put["command"], put["outcome"]) == ("ELSEWHERE", "QM1", "put", "done")
    assert put["changes"] == [{"action": "put", "object": Q, "msg_id": msg_id}]
    assert (move["command"], move["outcome"]) == ("move", "commit")
    assert [(each["action"], each["object"], each["msg_id"]) for each in move["changes"]] == [
        ("put", "DEV.QUEUE.2", msg_id),
        ("get", Q, msg_id),
    ]


def test_a_password_is_not_handed_to_programs_and_is_nowhere_in_the_home(mqx, port, environment):
    mqx("put", "-m", "QM1", Q, "x", check=True)
    done = mqx("get", "-m", "QM1", Q, "--exec", "echo [$MQX_PASSWORD]", check=True, MQX_PASSWORD="geheim")
    assert done.out == b"[]\n"
    address = f"mq://ana@127.0.0.1:{port}/DEV.ADMIN.SVRCONN"
    mqx("user", "add", "ana", "-m", "QM1", stdin=b"another\n", check=True)
    mqx("browse", Q, "-m", address).ended(8, "no password was sent: set MQX_PASSWORD")
    mqx("browse", Q, "-m", address, MQX_PASSWORD="geheim").ended(8, "check the password of user ana")
    mqx(*ADD, "--user", "ana", "--password-command", "nosuchcommand", check=True)
    mqx("browse", Q, "-m", "PROD").ended(8, "PROD failed: nosuchcommand: No such file or directory (MQRC")
    files = [path for path in Path(environment["MQX_HOME"]).rglob("*") if path.is_file()]
    assert not any(b"geheim" in path.read_bytes() for path in files)


def test_the_browser_connects_before_it_takes_the_screen(mqx, port):
    mqx("tui", "-m", "ELSEWHERE", "NOPE").ended(5, "queue NOPE does not exist")
    mqx("tui", "-m", "ELSEWHERE", Q, "--read-only").ended(2, "the browser requires a terminal")

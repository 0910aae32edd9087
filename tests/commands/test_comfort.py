"""Comfort of the command line: shell, services, rates, words of errors, the default of several queue managers."""

from __future__ import annotations

from pathlib import Path

import pytest

Q = "DEV.QUEUE.1"


def test_a_shell_runs_the_lines_of_its_input(inline, qm):
    lines = b'put DEV.QUEUE.1 "one message"\n# a comment\n\nmqx qdepth DEV.QUEUE.1 --count\nget DEV.QUEUE.1\n'
    assert inline("shell", stdin=lines, check=True).out == b"1\none message"


def test_a_shell_ends_with_the_status_of_the_last_line_or_at_the_first_failure(inline, qm):
    lines = f"get NOPE\nput {Q} x\n".encode()
    assert inline("shell", stdin=lines).status == 0
    assert inline("shell", "--stop", stdin=lines).status == 5
    assert inline("qdepth", Q, "--count").out == b"1\n"
    assert inline("shell", stdin=f"get {Q}\nget {Q}\n".encode()).status == 3


def test_general_options_of_a_shell_hold_for_its_lines(inline, qm):
    done = inline("--read-only", "-o", "json", "shell", stdin=f"put {Q} x\nqdepth {Q}\nexit\nput {Q} y\n".encode())
    assert done.status == 0
    assert '"reason":2035' in done.err
    assert done.out.startswith(b"[{")


@pytest.mark.parametrize(("line", "status"), [("put 'x", 2), ("nonsense", 2), ("shell", 2), ("quit", 0), ("", 0)])
def test_what_a_shell_cannot_run_is_2(inline, qm, line, status):
    assert inline("shell", stdin=line.encode()).status == status


def test_commands_of_a_shell_have_no_input(inline, qm):
    assert inline("shell", stdin=f"put {Q}\nqdepth {Q} --count\n".encode(), check=True).out == b"1\n"


def test_completion_of_a_typed_line(qm, monkeypatch, inline):
    readline = pytest.importorskip("readline")
    from importlib import import_module

    from .conftest import SCRIPT_PACKAGE

    shell = import_module(f"{SCRIPT_PACKAGE}.shell")

    monkeypatch.setattr(readline, "get_line_buffer", lambda: "put DEV.QUEUE.")
    monkeypatch.setattr(readline, "get_begidx", lambda: 4)
    completer = shell._Completer()
    assert completer.complete("DEV.QUEUE.", 0) == "DEV.QUEUE.1 "
    assert completer.complete("DEV.QUEUE.", 3) is None


def test_a_unit_runs_the_command_line(inline, qm, environment):
    words = ("-m", "QM1", "dlq-handle", "--rules", "/etc/a b/$x%.tab")
    done = inline("service", "install", "dlq", *words, check=True)
    path = Path(environment["XDG_CONFIG_HOME"]) / "systemd" / "user" / "mqx-dlq.service"
    text = path.read_text()
    assert '-m mqtools -m QM1 dlq-handle --rules "/etc/a b/$$x%%.tab"\n' in text
    assert f"MQX_HOME={environment['MQX_HOME']}" in text
    assert "systemctl --user" in done.err
    assert inline("service", "install", "dlq", *words).status == 2
    assert inline("service", "install", "--force", "dlq", *words).status == 0


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("x", "browse", Q), 2),
        (("a b", "dlq-handle"), 2),
        (("../x", "dlq-handle"), 2),
        (("x", "-m", "NOPE", "dlq-handle"), 5),
        (("x", "channel", "status"), 2),
    ],
)
def test_what_is_no_service_is_not_installed(inline, qm, words, status):
    assert inline("service", "install", *words).status == status


def test_a_rate_is_read_and_wrong_ones_are_refused(inline, qm):
    inline("put", Q, "a", "b", "--rate", "1000/s", check=True)
    assert inline("get", Q, "--all", "--rate", "60000/m", check=True).out == b"a\nb"
    assert inline("put", Q, "a", "--rate", "5").status == 2
    assert inline("get", Q, "--rate", "5/s", "--exec", "true").status == 2


def test_an_expiry_without_a_unit_asks_for_one(inline, qm):
    done = inline("put", Q, "x", "--expiry", "600")
    assert done.status == 2
    assert "600s is seconds, 600t tenths of a second" in done.err
    inline("put", Q, "x", "--expiry", "600t", check=True)
    assert int(inline("browse", Q, "--columns", "expiry").out) in range(500, 601)


@pytest.mark.parametrize("name", ["boolean", "BOOLEAN", "bool", "MQTYPE_BOOLEAN"])
def test_names_of_property_types(inline, qm, name):
    inline("put", Q, "x", "--property", f"flag:{name}=true", check=True)
    assert inline("browse", Q, "--where", "flag = TRUE", "--format", "%b").out == b"x"


def test_an_unknown_property_type_lists_the_known_ones(inline, qm):
    assert "string bool int8" in inline("put", Q, "x", "--property", "a:foo=1").err


def test_a_lowered_priority_is_said(inline, qm):
    done = inline("put", Q, "x", "--priority", "99")
    assert done.status == 4
    assert "priority 99 is above the maximum, 9" in done.err


def test_a_mistake_in_a_selector_says_what_was_found(inline, qm):
    assert "expected a value, found `=`" in inline("browse", Q, "--where", "a = = 3").err


def test_only_one_statement_of_sql(inline, qm):
    assert "SQL error: only one statement at a time" in inline("sql", "select 1; select 2").err


def test_an_unknown_setting_is_named(inline, qm, environment):
    file = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("colour = 1\n")
    assert "unknown setting 'colour' ignored" in inline("config", "explain").err


def test_a_rehearsed_redrive_says_what_would_stay(inline, qm):
    inline("mqsc", "DEFINE QLOCAL(ORDERS) MAXDEPTH(1)", check=True)
    inline("put", "ORDERS", "--dead-letter", "a", "b")
    done = inline("dlq-handle", "--redrive", "--dry-run")
    assert done.status == 9
    assert "1 would stay: ORDERS@QM1 is full (2053)" in done.err


def test_the_first_queue_manager_stays_the_default(inline, qm):
    inline("qmgr", "create", "QM0", "--dev", check=True)
    done = inline("put", Q, "x")
    if done.err:  # both were created within one second: the name decides
        assert "first created of QM0, QM1" in done.err
    assert done.status == 0
    inline("qmgr", "use", "QM0", check=True)
    assert inline("put", Q, "x").err == ""

"""``mqx shell``: many command lines in one process."""

from __future__ import annotations

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

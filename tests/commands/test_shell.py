"""``mqx shell``: many command lines in one process."""

from __future__ import annotations

from importlib import import_module

import pytest

from ..tui.terminal import PseudoTerminal
from .conftest import SCRIPT_PACKAGE, script

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
    done.ended(0, '"reason":2035')
    assert done.out.startswith(b"[{")


@pytest.mark.parametrize(("line", "status"), [("put 'x", 2), ("nonsense", 2), ("shell", 2), ("quit", 0), ("", 0)])
def test_what_a_shell_cannot_run_is_2(inline, qm, line, status):
    assert inline("shell", stdin=line.encode()).status == status


def test_commands_of_a_shell_have_no_input(inline, qm):
    assert inline("shell", stdin=f"put {Q}\nqdepth {Q} --count\n".encode(), check=True).out == b"1\n"


@pytest.mark.parametrize(
    ("line", "words"), [("help", b"Dead letters:"), ("help put", b"--lines"), ("?", b"Usage: mqx")]
)
def test_help_in_a_shell_is_that_of_mqx_and_of_its_commands(inline, qm, line, words):
    assert words in inline("shell", stdin=line.encode(), check=True).out


def module(name):
    return import_module(f"{SCRIPT_PACKAGE}.shell.{name}")


@pytest.mark.parametrize(
    ("before", "word", "found"),
    [
        ("", "qd", ["qdepth"]),
        ("mqx put ", "DEV.QUEUE.", ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]),
        ("qmgr ", "cre", ["create"]),
        ("-m QM1 get ", "DEV.DEAD", ["DEV.DEAD.LETTER.QUEUE"]),
        ("get DEV.QUEUE.1 ", "--logical", ["--logical-order"]),
        ("put 'within quotes ", "x", []),
    ],
)
def test_completion_of_a_typed_line(qm, inline, before, word, found):
    assert [item.value for item in module("line_readers").complete(before, word)] == found


def test_readline_asks_for_one_completion_after_the_other(qm, inline, monkeypatch):
    readline = pytest.importorskip("readline")
    monkeypatch.setattr(readline, "get_line_buffer", lambda: "put DEV.QUEUE.")
    monkeypatch.setattr(readline, "get_begidx", lambda: 4)
    module("line_readers").readline_reader(module("history").History())
    complete = readline.get_completer()
    assert complete("DEV.QUEUE.", 0) == "DEV.QUEUE.1 "
    assert complete("DEV.QUEUE.", 3) is None


@pytest.fixture
def history(tmp_path):
    return tmp_path / ".local/state/mqx/shell-history"


def test_the_history_keeps_each_line_once_for_the_user_only(inline, history):
    lines = module("history").History()
    assert [lines.append(line) for line in ("qdepth", "qdepth", " ", "get Q \udce4")] == [True, False, False, True]
    assert history.stat().st_mode & 0o777 == 0o600
    assert history.read_bytes() == b"qdepth\nget Q \xe4\n"
    history.write_text("".join(f"line {number}\n" for number in range(1500)))
    assert module("history").History().lines[0] == "line 500"
    assert len(history.read_text().splitlines()) == 1000


@pytest.fixture
def typed(environment):
    """Begin a shell at a terminal."""
    terminals = []

    def begin(**extra):
        # The screen of the tests answers no question about its cursor.
        settings = {**environment, "PROMPT_TOOLKIT_NO_CPR": "1", **extra}
        terminals.append(PseudoTerminal(script(), "shell", env=settings))
        terminals[-1].until("mqx>")
        return terminals[-1]

    yield begin
    for terminal in terminals:
        terminal.close()


@pytest.mark.slow
def test_a_shell_at_a_terminal_completes_suggests_and_remembers(qm, typed, history):
    shell = typed()
    shell.type("put DEV.QUEUE.1 hello\r")
    shell.until(r"hello\s+mqx>")
    shell.type("qdepth DEV.D\t")
    shell.until("qdepth DEV.DEAD.LETTER.QUEUE")
    shell.type("\x15ge\t")
    shell.until("mqx> get")
    shell.type("\x15q\t")
    shell.until("Create, start, end, back up and list")  # the help of qmgr, in the menu
    shell.type("\x15put D")
    shell.until(r"hello\s+mqx> put DEV.QUEUE.1 hello")  # the suggestion
    shell.type("\x15get NOPE\r")
    shell.until("2085")
    shell.type("\x04")
    assert shell.end() == 5
    assert history.read_text() == "put DEV.QUEUE.1 hello\nget NOPE\n"


@pytest.mark.slow
def test_a_shell_without_prompt_toolkit_has_readline(qm, typed, tmp_path):
    (tmp_path / "without").mkdir()
    (tmp_path / "without/prompt_toolkit.py").write_text("raise ImportError(__name__)\n")
    shell = typed(PYTHONPATH=str(tmp_path / "without"))
    shell.type("put DEV.QUEUE.1 first\r")
    shell.until(r"first\s+mqx>")
    shell.type("qdepth DEV.D\t")
    shell.until("qdepth DEV.DEAD.LETTER.QUEUE")
    shell.type("\x15\x1b[A")
    shell.until(r"mqx> put DEV.QUEUE.1 first\s*\Z")
    shell.type("\x15exit\r")
    assert shell.end() == 0


@pytest.mark.slow
def test_a_shell_whose_terminal_goes_keeps_its_history(qm, typed, history):
    shell = typed()
    shell.type("qdepth --count\r")
    shell.until(r"0\s+mqx>")
    shell.child.close()  # the terminal goes
    assert history.read_text() == "qdepth --count\n"

"""A terminal as standard output and input: what it shows, and how lines of it are put."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time

import pytest

Q = "DEV.QUEUE.1"
PATIENCE_S = 60


class Terminal:
    """A command on a pseudo-terminal: what it shows, what is typed, how it ends."""

    def __init__(self, path, arguments, environment, variables=None, **streams):
        self._master, slave = pty.openpty()
        streams = {"stdin": slave, "stdout": slave, "stderr": subprocess.PIPE, **streams}
        streams = {name: slave if stream == "terminal" else stream for name, stream in streams.items()}
        self.process = subprocess.Popen(
            [path, *arguments],
            env={**environment, "TERM": "xterm", **(variables or {})},
            start_new_session=True,
            **streams,
        )
        os.close(slave)
        self.shown = b""

    def type(self, text):
        os.write(self._master, text)

    def read_until(self, wanted):
        """Read what is shown until it holds some bytes, or to the end when wanted is None."""
        deadline = time.monotonic() + PATIENCE_S
        while wanted is None or wanted not in self.shown:
            ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
            assert ready, self.shown
            try:
                piece = os.read(self._master, 4096)
            except OSError:  # the last one has left the terminal
                piece = b""
            if not piece:
                break
            self.shown += piece
        return self.shown

    def end(self):
        """Read to the end; give the status, what was shown, and what went to a piped stderr."""
        self.read_until(None)
        err = self.process.stderr.read().decode() if self.process.stderr else ""
        return self.process.wait(PATIENCE_S), self.shown, err

    def close(self):
        self.process.kill()
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        os.close(self._master)


@pytest.fixture
def terminal(qm, mqx_path, environment):
    opened = []

    def on(*arguments, **options):
        opened.append(Terminal(mqx_path, arguments, environment, **options))
        return opened[-1]

    yield on
    for one in opened:
        one.close()


# -- a terminal as standard output --------------------------------------------------------------------------


def test_text_is_shown_on_a_terminal_with_its_controls_visible(terminal, mqx, bodies):
    mqx("put", Q, stdin=b"one\x1b[2J\x07\ntwo\ttab\r\n", check=True)
    status, shown, _ = terminal("get", Q).end()
    assert status == 0
    assert shown.decode() == "one␛[2J␇\r\ntwo\ttab␍\r\n"
    assert bodies(Q) == []


@pytest.mark.parametrize("options", [[], ["--wait", "1s"], ["--grep-hex", "00"]])
@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"text\0with NUL"])
def test_binary_is_refused_on_a_terminal_and_stays(terminal, mqx, bodies, data, options):
    mqx("put", Q, stdin=data, check=True)
    status, shown, err = terminal("get", Q, *options).end()
    assert (status, shown) == (2, b"")
    assert "--force" in err
    assert bodies(Q) == [data]


def test_text_before_a_binary_message_is_got_and_the_binary_one_stays(terminal, mqx, bodies):
    mqx("put", Q, "text", check=True)
    mqx("put", Q, stdin=b"\xff", check=True)
    status, shown, _ = terminal("get", Q, "--all").end()
    assert (status, shown) == (2, b"text\r\n")
    assert bodies(Q) == [b"\xff"]


def test_force_sends_the_exact_bytes(terminal, mqx, bodies):
    mqx("put", Q, stdin=b"\xff\x1b[0m", check=True)
    status, shown, _ = terminal("get", Q, "--force").end()
    assert (status, shown) == (0, b"\xff\x1b[0m")
    assert bodies(Q) == []


@pytest.mark.parametrize("command", ["browse", "qdepth"])
def test_a_terminal_gets_a_table(terminal, mqx, command):
    mqx("put", Q, "x", check=True)
    _, shown, _ = terminal(command, Q).end()
    assert b"DATA" in shown or b"DEPTH" in shown


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_on_a_terminal(terminal, mqx, variables, coloured):
    mqx("put", Q, "x", check=True)
    status, shown, _ = terminal("browse", Q, variables=variables).end()
    assert status == 0
    assert (b"\x1b[" in shown) == coloured


def test_a_mistake_is_on_the_screen_once(terminal, mqx):
    status, shown, _ = terminal("mqsc", "DEFINE QLOCLA(X)", stderr="terminal").end()
    assert (status, shown.count(b"did you mean QLOCAL?")) == (2, 1)
    status, shown, err = terminal("mqsc", "DEFINE QLOCLA(X)").end()
    assert (status, shown.count(b"did you mean QLOCAL?"), err.count("did you mean QLOCAL?")) == (2, 0, 1)


# -- a terminal as standard input ---------------------------------------------------------------------------


def test_on_a_terminal_each_line_is_put_at_once_and_an_empty_one_ends(terminal, bodies, eventually):
    one = terminal("put", Q, stderr="terminal")
    one.read_until(b"ends")
    one.type(b"first\n")
    eventually(lambda: bodies(Q) == [b"first"])
    one.type(b"second\n\n")
    assert one.process.wait(PATIENCE_S) == 0
    assert bodies(Q) == [b"first", b"second"]


def test_ctrl_d_ends_the_lines_of_a_terminal(terminal, bodies, eventually):
    one = terminal("put", Q, stderr="terminal")
    one.read_until(b"ends")
    one.type(b"only\n")
    eventually(lambda: bodies(Q) == [b"only"])
    one.type(b"\x04")
    assert one.process.wait(PATIENCE_S) == 0


def test_ctrl_c_on_a_terminal_keeps_what_was_put(terminal, bodies, eventually):
    one = terminal("put", Q, stderr="terminal")
    one.read_until(b"ends")
    one.type(b"kept\n")
    eventually(lambda: bodies(Q) == [b"kept"])
    one.process.send_signal(signal.SIGINT)
    assert one.process.wait(PATIENCE_S) == 130
    assert bodies(Q) == [b"kept"]


def test_nothing_is_asked_of_a_terminal_when_data_is_given(terminal, bodies):
    assert terminal("put", Q, "x").end()[0] == 0
    assert bodies(Q) == [b"x"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("get", "DEV.QUEUE.2"), b"no message on DEV.QUEUE.2"),
        (("get", "DEV.QUEUE.2", "--grep", "x"), b"no message on DEV.QUEUE.2 matches"),
        (("browse", "DEV.QUEUE.2"), b"no message on DEV.QUEUE.2"),
        (("browse", Q, "--grep", "held"), b"hint: 1 message is locked by "),
        (("get", Q, "--grep", "held"), b"hint: 1 message is locked by "),
        (("put", "DEV.QUEUE.3"), b"standard input is empty, and so is the message"),
    ],
)
def test_what_looks_like_nothing_is_said_where_stderr_is_a_terminal(terminal, mqx, line, words):
    mqx("put", Q, "held", "free", check=True)
    mqx("lock", Q, "--grep", "held", check=True)
    status, shown, _ = terminal(*line, stdin=subprocess.DEVNULL, stderr="terminal").end()
    assert (status, words in shown) == (0 if line[0] == "put" else 3, True), shown
    status, _, err = terminal(*line, stdin=subprocess.DEVNULL).end()
    assert err == "" or line[:2] == ("get", Q)

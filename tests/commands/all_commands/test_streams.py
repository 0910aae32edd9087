"""Streams as the world has them: readers that leave, full disks, closed descriptors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

Q = "DEV.QUEUE.1"
PATIENCE_S = 60


# -- readers that leave -------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["raw", "jsonl", "json", "table", "plain", "csv", "hex", "listing"])
@pytest.mark.parametrize("options", [[], ["--all"], ["--all", "--color", "never"], ["--all", "--grep", "m"]])
def test_a_message_that_nobody_read_stays(qm, mqx, start, closed_pipe, bodies, count_rows, output, options):
    mqx("put", Q, "m1", "m2", "m3", check=True)
    process = start("get", Q, *options, "-o", output, stdout=closed_pipe)
    assert (process.wait(PATIENCE_S), process.stderr.read()) == (141, b"")
    assert bodies(Q) == [b"m1", b"m2", b"m3"]
    assert count_rows("holders") == 0


def read_exactly(stream, number):
    """Read so many bytes from a pipe and not one more."""
    seen = b""
    while len(seen) < number and (piece := os.read(stream.fileno(), number - len(seen))):
        seen += piece
    return seen


def test_what_was_read_is_gone_and_the_rest_stays(qm, mqx, start, bodies):
    big = b"x" * 100_000  # more than a pipe holds
    mqx("put", Q, "--delimiter", "|", stdin=b"first|" + big + b"|third", check=True)
    process = start("get", Q, "--all", "-o", "raw")
    assert read_exactly(process.stdout, 6) == b"first\n"
    process.stdout.close()
    assert process.wait(PATIENCE_S) == 141
    assert bodies(Q) == [big, b"third"]


def test_head_takes_no_more_than_it_can_see(qm, mqx, environment, mqx_path, bodies):
    lines = [b"%05d" % n + b"x" * 1000 for n in range(300)]
    mqx("put", Q, "--lines", stdin=b"\n".join(lines), check=True)
    line = f'"{mqx_path}" get {Q} --all | head -c 3000 > seen; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", line], env=environment, cwd=environment["HOME"], capture_output=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == (b"141\n", b"")
    left = bodies(Q)
    assert left == lines[-len(left) :]
    assert left


@pytest.mark.parametrize(
    "line",
    [
        ["browse", Q],
        ["browse", Q, "-o", "json"],
        ["browse", Q, "--color", "never"],
        ["qdepth"],
        ["qdepth", "-o", "json"],
        ["qdepth", "--watch", "10ms"],
        ["put", Q, "x", "--print-id"],
        ["--help"],
        ["put", "--help"],
        ["--version"],
    ],
)
def test_every_command_ends_silently_when_its_reader_has_left(qm, mqx, start, closed_pipe, line):
    mqx("put", Q, "x", check=True)
    process = start(*line, stdout=closed_pipe)
    assert (process.wait(PATIENCE_S), process.stderr.read()) == (141, b"")


@pytest.mark.parametrize(
    "options",
    [
        ["--follow"],
        ["--wait", "60s"],
        ["--follow", "-o", "table"],
        ["--follow", "-o", "json"],
        ["--follow", "--grep", "m"],
        ["--follow", "--confirm-id", "3"],
        ["--follow", "--confirm-id", "3", "--grep", "m"],
    ],
    ids=" ".join,
)
def test_a_wait_ends_when_its_reader_leaves_and_not_with_the_next_message(
    qm, mqx, start, eventually, bodies, count_rows, options
):
    process = start("get", Q, *options)
    eventually(lambda: count_rows("waiters") == 1)
    process.stdout.close()
    assert (process.wait(PATIENCE_S), process.stderr.read()) == (141, b"")
    assert [count_rows(table) for table in ("waiters", "holders")] == [0, 0]
    mqx("put", Q, "m", check=True)
    assert bodies(Q) == [b"m"]


def test_head_ends_a_get_that_follows(qm, mqx, start, eventually, environment, mqx_path, bodies, count_rows):
    line = f'"{mqx_path}" get {Q} --follow | head -n 1; echo "${{PIPESTATUS[0]}}"'
    shell = subprocess.Popen(["bash", "-c", line], env=environment, stdout=subprocess.PIPE)
    eventually(lambda: count_rows("waiters") == 1)
    mqx("put", Q, "one", check=True)
    assert (shell.communicate(timeout=PATIENCE_S)[0], shell.returncode) == (b"one\n141\n", 0)
    assert bodies(Q) == []


def test_a_wait_for_a_reply_ends_when_its_reader_leaves(qm, start, eventually, count_rows):
    process = start("put", Q, "x", "--request", "--reply-to", "DEV.QUEUE.2", "--wait", "60s")
    eventually(lambda: count_rows("waiters") == 1)
    process.stdout.close()
    assert (process.wait(PATIENCE_S), process.stderr.read()) == (141, b"")


def test_a_depth_that_is_watched_ends_when_its_reader_leaves(qm, start):
    process = start("qdepth", Q, "--count", "--watch", "1h")
    assert read_exactly(process.stdout, 2) == b"0\n"
    process.stdout.close()
    assert (process.wait(PATIENCE_S), process.stderr.read()) == (141, b"")


def test_a_wait_goes_on_where_the_output_is_a_file_or_nothing(qm, mqx, start, eventually, tmp_path, count_rows):
    with (tmp_path / "out").open("wb") as out:
        to_file = start("get", Q, "--wait", "60s", stdout=out)
        to_nothing = start("get", Q, "--wait", "60s", stdout=subprocess.DEVNULL)
        eventually(lambda: count_rows("waiters") == 2)
        mqx("put", Q, "m", "m", check=True)
        assert [to_file.wait(PATIENCE_S), to_nothing.wait(PATIENCE_S)] == [0, 0]
    assert (tmp_path / "out").read_bytes() == b"m"


def test_nobody_has_to_listen_to_stderr(qm, start, closed_pipe, bodies):
    process = start("put", Q, "x", "-v", stderr=closed_pipe)
    assert process.wait(PATIENCE_S) == 0
    assert start("put", "NOWHERE", "x", stderr=closed_pipe).wait(PATIENCE_S) == 5
    assert bodies(Q) == [b"x"]


# -- full disks ---------------------------------------------------------------------------------------------


@pytest.fixture
def full_disk():
    """A file on which every write fails for want of space."""
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "wb", buffering=0) as file:
        yield file


@pytest.mark.parametrize("output", ["raw", "jsonl", "json", "table", "plain", "csv", "hex", "listing"])
@pytest.mark.parametrize("options", [[], ["--all", "--color", "never"]])
def test_a_message_that_found_no_room_stays(qm, mqx, start, full_disk, bodies, output, options):
    mqx("put", Q, "m1", "m2", check=True)
    process = start("get", Q, *options, "-o", output, stdout=full_disk)
    assert process.wait(PATIENCE_S) == 10
    said = process.stderr.read()
    assert b"standard output: No space left on device" in said
    assert b"MQRC_STORAGE_MEDIUM_FULL" in said
    assert b"2192" in said
    assert bodies(Q) == [b"m1", b"m2"]


@pytest.mark.parametrize("line", [["browse", Q], ["qdepth"], ["put", Q, "x", "--print-id"], ["put", "--help"]])
def test_output_that_found_no_room_is_10(qm, mqx, start, full_disk, line):
    mqx("put", Q, "x", check=True)
    assert start(*line, stdout=full_disk).wait(PATIENCE_S) == 10


def test_ids_that_found_no_room_are_of_messages_that_were_put(qm, start, full_disk, bodies):
    process = start("put", Q, "x", "y", "--print-id", stdout=full_disk)
    assert process.wait(PATIENCE_S) == 10
    assert b"put so far: 2 messages" in process.stderr.read()
    assert bodies(Q) == [b"x", b"y"]


def test_a_disk_that_fills_up_in_the_middle_of_a_message(qm, mqx, environment, mqx_path, bodies):
    import resource

    data = b"x" * 100_000
    mqx("put", Q, stdin=data, check=True)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    with open(f"{environment['HOME']}/out", "wb") as out:
        for unbuffered in ("", "1"):
            done = subprocess.run(
                [mqx_path, "browse", Q, "-o", "raw"],
                env={**environment, "PYTHONUNBUFFERED": unbuffered},
                stdout=out,
                stderr=subprocess.PIPE,
                preexec_fn=limit,
                check=False,
            )
            assert done.returncode != 0
    assert bodies(Q) == [data]


# -- descriptors that are closed ----------------------------------------------------------------------------


def with_closed(environment, path, shell):
    line = f'"{path}" {shell}; echo "$?" > status'
    done = subprocess.run(
        ["sh", "-c", line], env=environment, cwd=environment["HOME"], capture_output=True, timeout=60, check=False
    )
    with open(f"{environment['HOME']}/status") as file:
        return int(file.read()), done


@pytest.mark.parametrize("options", ["", "--color never", "-o json", "-o table --all"])
def test_a_closed_standard_output_takes_no_message(qm, mqx, environment, mqx_path, bodies, options):
    mqx("put", Q, "m", check=True)
    status, done = with_closed(environment, mqx_path, f"get {Q} {options} >&-")
    assert status == 2
    assert b"standard output is closed" in done.stderr
    assert bodies(Q) == [b"m"]


def test_a_put_needs_no_standard_output(qm, environment, mqx_path, bodies):
    assert with_closed(environment, mqx_path, f"put {Q} m >&- 2>&-")[0] == 0
    assert bodies(Q) == [b"m"]


@pytest.mark.parametrize("framing", ["", "--lines", "--jsonl", "-"])
def test_a_closed_standard_input_is_no_message(qm, environment, mqx_path, bodies, framing):
    status, done = with_closed(environment, mqx_path, f"put {Q} {framing} <&-")
    assert status == 2
    assert done.stderr == b"mqx: put: standard input is closed\n"
    assert bodies(Q) == []


def test_all_closed_and_the_queue_manager_is_not_written_over(qm, mqx, environment, mqx_path, bodies):
    mqx("put", Q, "m", check=True)
    with_closed(environment, mqx_path, f"browse {Q} <&- >&- 2>&-")
    with_closed(environment, mqx_path, f"get {Q} <&- >&- 2>&-")
    assert bodies(Q) == [b"m"]


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (f"put {Q} --jsonl", 7, b"MQRC_MSG_TOO_BIG_FOR_Q_MGR"),
        (f"load {Q}", 2, b"<stdin>:1:1: this line is longer than that of any message"),
        ("report-gen - --feedback pan", 2, b"<stdin>:1:1: this line is longer than that of any message"),
    ],
)
def test_a_line_that_never_ends_is_refused(qm, environment, line, status, words):
    code = "import mqtools.formats.delimiters as framing; framing.LONGEST_LINE = 100_000; "
    code += "from mqtools.commands import main; main()"
    with open("/dev/zero", "rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", code, *line.split()],
            stdin=endless,
            env=environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (done.returncode, words in done.stderr) == (status, True), done.stderr

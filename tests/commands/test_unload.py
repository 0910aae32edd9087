"""``mqx unload`` from outside: what is written, what stays, and what goes only when it is safe."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pexpect
import pytest

Q, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def ids(mqx: Callable[..., Any], qm: str) -> list[str]:
    """Message ids of alpha, beta, gamma on the queue."""
    return list(mqx("put", Q, "alpha", "beta", "gamma", "--print-id", check=True).out.decode().split())


def data_of(dump: bytes) -> list[bytes]:
    """The data of each message of a dump in hex lines."""
    return [
        b"".join(bytes.fromhex(line[2:].decode()) for line in message.splitlines() if line.startswith(b"X "))
        for message in dump.split(b"A VER 2\n")[1:]
    ]


def test_a_copy_is_written_in_the_order_of_delivery_and_the_messages_stay(mqx, ids, bodies):
    done = mqx("unload", Q, check=True)
    assert data_of(done.out) == [b"alpha", b"beta", b"gamma"]
    assert done.out.startswith(b"* QLOAD Version:8.0 Created:")
    assert f"\n* Qmgr  = QM1\n* Queue = {Q}\n\nA VER 2\n".encode() in done.out
    assert "unloaded 3 messages" in done.err
    assert bodies(Q) == [b"alpha", b"beta", b"gamma"]


def test_a_file_is_for_its_owner_alone_and_counts_can_be_json(mqx, ids, tmp_path):
    path = tmp_path / "q.dump"
    done = mqx("unload", Q, str(path), "-o", "json", "-q", check=True)
    assert (done.out, done.err) == (b"", '{"messages":3,"unloaded":3,"bytes":14}\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert data_of(path.read_bytes()) == [b"alpha", b"beta", b"gamma"]


@pytest.mark.parametrize("form", [(), ("--jsonl",)])
def test_standard_output_has_the_messages_and_not_a_count(mqx, ids, form):
    done = mqx("unload", Q, *form, "-o", "json", check=True)
    outputs = [re.sub(b" Created:.*", b"", out) for out in (done.out, mqx("unload", Q, *form, check=True).out)]
    assert (outputs[0], done.totals["messages"]) == (outputs[1], 3)


def test_nothing_there_is_status_3_and_makes_no_file(mqx, qm, tmp_path):
    path = tmp_path / "q.dump"
    assert mqx("unload", Q, str(path)).status == 3
    assert not path.exists()
    path.write_bytes(b"kept")
    assert mqx("unload", Q, str(path), "--force").status == 3
    assert path.read_bytes() == b"kept"


def test_a_file_that_has_something_in_it_is_not_overwritten_unasked(mqx, ids, tmp_path):
    path = tmp_path / "q.dump"
    path.write_bytes(b"precious")
    said = f"mqx: unload: {path} exists\nhint: --force replaces it\n"
    assert (mqx("unload", Q, str(path)).ended(2).err, path.read_bytes()) == (said, b"precious")
    mqx("unload", Q, str(path), "--append", check=True)
    assert path.read_bytes().startswith(b"precious* QLOAD")
    for option in ("--force", "--yes"):
        mqx("unload", Q, str(path), option, check=True)
        assert len(data_of(path.read_bytes())) == 3
        assert path.read_bytes().startswith(b"* QLOAD")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--pos", "2..3"], [b"beta", b"gamma"]),
        (["-n", "1"], [b"alpha"]),
        (["--grep", "AM", "-i"], [b"gamma"]),
        (["--grep-hex", "62"], [b"beta"]),
        (["--where", "Root.MQMD.Priority = 9"], None),
        (["--older", "1h"], None),
        (["--newer", "1h"], [b"alpha", b"beta", b"gamma"]),
        (["--reason", "MQRC_Q_FULL"], None),
        (["--correl-id", "41" * 24], None),
    ],
)
def test_every_selection_option_selects(mqx, ids, options, found):
    done = mqx("unload", Q, *options).ended(0 if found else 3)
    assert data_of(done.out) == (found or [])


def test_a_message_is_found_by_its_identifier_also_from_standard_input(mqx, ids):
    assert data_of(mqx("unload", Q, "--msg-id", ids[1]).out) == [b"beta"]
    assert data_of(mqx("unload", Q, "--ids", "-", stdin=f"{ids[2]}\n{ids[0]}\n".encode()).out) == [b"alpha", b"gamma"]


def test_letters_and_names_change_how_it_is_written(mqx, ids):
    assert b'\nS "alpha"\n' in mqx("unload", Q, "-d", "p").out
    assert mqx("unload", Q, "-d", "pH").out == mqx("unload", Q, "--display", "printable,no-header").out
    assert mqx("unload", Q, "-d", "N").out.count(b"\nN\nX ") == 3
    text = mqx("unload", Q, "-d", "text")
    assert b"\nT alpha\n" in text.out
    assert "does not keep" in text.err
    done = mqx("unload", Q, "-d", "zebra")
    assert (done.status, done.out) == (2, b"")
    assert "zebra" in done.err


def test_ages_and_summary_are_no_dump(mqx, ids):
    ages = mqx("unload", Q, "-d", "T", check=True).out.decode().split("\n\n")
    assert [line.split("\n")[0] for line in ages[:3]] == [f"{n} {msg_id}" for n, msg_id in enumerate(ids, 1)]
    done = mqx("unload", Q, "-d", "sM", check=True)
    assert done.out == b""
    assert "messages: 3\n" in done.err
    assert f"biggest: 5 bytes  MsgId {ids[0]}\n" in done.err


def test_json_lines_are_those_of_browse(mqx, ids):
    assert mqx("unload", Q, "--jsonl", check=True).out == mqx("browse", Q, "-o", "jsonl", check=True).out
    assert mqx("unload", Q, "--jsonl", "-d", "p").status == 2


def test_properties_are_in_an_mqrfh2_as_a_get_would_have_them(mqx, qm):
    mqx("put", Q, "body", "--property", "colour=red", check=True)
    dump = mqx("unload", Q, check=True).out
    assert b"\nA FMT MQHRF2  \n" in dump
    (data,) = data_of(dump)
    assert data.startswith(b"RFH ")
    assert data.endswith(b"<usr><colour>red</colour></usr> body")


def test_one_file_a_message(mqx, ids, tmp_path):
    mqx("unload", Q, str(tmp_path / "m%N-%o.dump"), check=True)
    assert sorted(path.name for path in tmp_path.glob("m*")) == [f"m0000{n}-{n}.dump" for n in (1, 2, 3)]
    assert [data_of((tmp_path / f"m0000{n}-{n}.dump").read_bytes()) for n in (1, 2, 3)] == [
        [b"alpha"],
        [b"beta"],
        [b"gamma"],
    ]
    mqx("unload", Q, str(tmp_path / "m%N-%o.dump")).ended(2)
    assert mqx("unload", Q, str(tmp_path / "%k")).status == 2


def test_a_dry_run_writes_nothing_and_takes_nothing(mqx, ids, tmp_path, bodies):
    path = tmp_path / "q.dump"
    done = mqx("unload", Q, str(path), "--move", "--dry-run", "-o", "json", check=True)
    assert done.totals == {"messages": 3, "would_move": 3, "bytes": 14}
    assert not path.exists()
    assert len(bodies(Q)) == 3


def test_what_is_held_is_left_out_and_that_is_said(mqx, ids):
    mqx("lock", Q, "--msg-id", ids[0], check=True)
    done = mqx("unload", Q, check=True)
    assert data_of(done.out) == [b"beta", b"gamma"]
    assert "1 message locked or uncommitted and skipped" in done.err


@pytest.mark.parametrize("alias", [False, True])
def test_a_queue_that_cannot_be_read_is_refused(mqx, qm, define, alias):
    define(Q, inhibit_get=1)
    name = Q
    if alias:
        define("ALIAS", "QALIAS", base_q_name=Q)
        name = "ALIAS"
    for option in ([], ["--move"]):
        assert mqx("unload", name, *option).status == 8
    assert mqx("unload", "NO.SUCH.Q").status == 5


def test_a_closed_pipe_is_silent(mqx, ids, start, closed_pipe):
    process = start("unload", Q, stdout=closed_pipe)
    assert process.wait(60) == 141
    assert process.stderr.read() == b""


def test_nothing_in_a_message_steers_a_terminal(mqx, qm, mqx_path, environment):
    mqx("put", Q, "--jsonl", "--keep-context", stdin=b'{"data":"x","md":{"put_appl_name":"\\u001b]52;c;Z\\u0007"}}\n')
    child = pexpect.spawn(mqx_path, ["unload", Q, "-d", "p"], env=environment, timeout=60)
    shown = child.read()
    assert b"\x1b" not in shown
    assert "␛]52;c;Z␇".encode() in shown
    assert b"\x1b]52;c;Z\x07" in mqx("unload", Q).out


# -- moving -------------------------------------------------------------------------------------------------


def test_a_move_takes_away_what_it_wrote_and_only_that(mqx, ids, tmp_path, bodies):
    path = tmp_path / "q.dump"
    done = mqx("unload", Q, str(path), "--move", "--pos", "1..2", check=True)
    assert data_of(path.read_bytes()) == [b"alpha", b"beta"]
    assert bodies(Q) == [b"gamma"]
    assert "moved 2 messages" in done.err


def test_a_move_to_a_pipe_loses_nothing_when_the_reader_goes(mqx, ids, start, closed_pipe, bodies):
    process = start("unload", Q, "--move", stdout=closed_pipe)
    assert process.wait(60) == 141
    assert sorted(bodies(Q)) == [b"alpha", b"beta", b"gamma"]


def test_a_full_disk_loses_nothing(mqx, ids, bodies):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    mqx("unload", Q, "/dev/full", "--move", "--yes").ended(10)
    assert sorted(bodies(Q)) == [b"alpha", b"beta", b"gamma"]


def test_what_could_not_be_written_whole_is_taken_back_out_of_the_file(
    mqx, mqx_path, environment, qm, tmp_path, bodies
):
    """With room for a part of the second unit only, the file ends with the first, and the rest is on the queue."""
    mqx("put", Q, "--lines", stdin=b"".join(b"%d %s\n" % (n, b"x" * 1_000_000) for n in range(20)), check=True)
    path = tmp_path / "q.dump"
    code = "import resource, signal, subprocess, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    code += "limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (25_000_000, 25_000_000)); "
    code += "sys.exit(subprocess.run(sys.argv[1:], preexec_fn=limit, restore_signals=False).returncode)"
    line = [mqx_path, "unload", Q, str(path), "--move", "--batch", "10"]
    done = subprocess.run([sys.executable, "-c", code, *line], env=environment, capture_output=True, check=False)
    assert done.returncode == 10, done.stderr
    assert len(data_of(path.read_bytes())) == 10
    assert len(bodies(Q)) == 10
    assert b"moved so far: 10 messages" in done.stderr


def test_a_killed_move_has_lost_nothing(mqx, qm, tmp_path, start, bodies, eventually):
    mqx("put", Q, "--lines", stdin=b"".join(b"%d\n" % n for n in range(3000)), check=True)
    path = tmp_path / "q.dump"
    process = start("unload", Q, str(path), "--move", "--batch", "5")
    eventually(lambda: path.exists() and path.stat().st_size > 100_000)
    process.send_signal(signal.SIGKILL)
    process.wait()
    written = {int(data) for data in data_of(path.read_bytes()) if data}

    def is_whole() -> bool:
        left = [int(line) for line in mqx("browse", Q, "-o", "raw").out.split()]
        assert len(set(left)) == len(left) < 3000
        return written | set(left) == set(range(3000))

    eventually(is_whole)  # elsewhere, the unit of work is backed out when its end is noticed there


#: Sends the process SIGTERM as soon as it has committed so many times.
ENDS_ITSELF = """
import itertools
import signal
import sqlite3
from mqtools.store.database import Database

run, commits = Database.run, itertools.count(1)

def run_and_end(self, statement, *parameters):
    done = run(self, statement, *parameters)
    if statement == "commit" and next(commits) == NUMBER:
        signal.raise_signal(signal.SIGTERM)
    return done

Database.run = run_and_end
"""


@pytest.mark.parametrize("number", [5, 6, 7, 8])
def test_a_move_ended_by_sigterm_has_each_message_once(mqx, qm, tmp_path, number):
    """Units are taken and forgotten in turn: whatever a commit was for, the signal comes right behind it."""
    mqx("put", Q, "--lines", stdin=b"".join(b"%d\n" % n for n in range(100)), check=True)
    path = tmp_path / "q.dump"
    (tmp_path / "sitecustomize.py").write_text(ENDS_ITSELF.replace("NUMBER", str(number)))
    done = mqx("unload", Q, str(path), "--move", "--batch", "5", PYTHONPATH=str(tmp_path)).ended(143)
    left = [int(line) for line in mqx("browse", Q, "-o", "raw").out.split()]
    written = [int(data) for data in data_of(path.read_bytes())]
    assert sorted(written + left) == list(range(100))
    assert f"moved so far: {len(written)} messages" in done.err
    assert written


@pytest.mark.parametrize(
    ("batch", "files", "left"),
    [("2", ["m1", "m2", "m3"], [b"gamma"]), ("all", ["m3"], [b"alpha", b"beta", b"gamma"])],
)
def test_a_failed_move_of_one_file_a_message_leaves_no_file_of_its_unit(mqx, ids, tmp_path, bodies, batch, files, left):
    (tmp_path / "m3").mkdir()
    mqx("unload", Q, str(tmp_path / "m%n"), "--move", "--batch", batch).ended(2)
    assert sorted(path.name for path in tmp_path.glob("m*")) == files
    assert bodies(Q) == left


def test_a_move_in_one_unit_counts_all_of_it(mqx, qm, tmp_path, bodies):
    mqx("put", Q, "--lines", stdin=b"ab\n" * 450, check=True)
    done = mqx("unload", Q, str(tmp_path / "f"), "--move", "--batch", "all", "-d", "i", "-o", "json", check=True)
    assert (done.totals, bodies(Q)) == ({"messages": 450, "unloaded": 450, "bytes": 900}, [])
    assert (tmp_path / "f").read_bytes().count(b"* Index 450\n") == 1


@pytest.mark.parametrize("letter", ["t", "s", "T"])
def test_a_move_into_what_cannot_be_loaded_again_is_refused(mqx, ids, letter, bodies):
    assert mqx("unload", Q, "--move", "-d", letter).status == 2
    assert len(bodies(Q)) == 3


def test_the_file_of_the_queue_manager_is_only_read(mqx, ids, qm):
    os.chmod(qm, 0o400)
    before = Path(qm).read_bytes()
    mqx("unload", Q, check=True)
    assert Path(qm).read_bytes() == before


def test_headers_can_be_left_out_and_the_data_converted(mqx, qm, browse):
    mqx("put", "NO.SUCH.Q", "dead", "--dead-letter", "--property", "colour=red", "--priority", "7")
    before = browse("DEV.DEAD.LETTER.QUEUE")[0]
    words = ("unload", "DEV.DEAD.LETTER.QUEUE", "--strip-headers", "--convert", "500:273", "--jsonl")
    written = json.loads(mqx(*words, check=True).out)
    md = written["md"]
    assert (md["format"], md["coded_char_set_id"], md["encoding"], written["data"]) == ("MQSTR", 500, 273, "dead")
    kept = ("msg_id", "priority", "put_appl_name", "put_time", "user_identifier")
    assert [md[name] for name in kept] == [before["md"][name] for name in kept]
    assert written["properties"] == before["properties"]


def test_what_cannot_be_converted_is_written_as_it_is_with_a_warning(mqx, qm):
    mqx("put", Q, "--format", "", "one", check=True)
    mqx("put", Q, "two", check=True)
    done = mqx("unload", Q, "--convert", "37")
    assert (done.status, data_of(done.out)) == (4, [b"one", "two".encode("cp037")])
    assert "1 message not converted: MQRC_FORMAT_ERROR 2110" in done.err
    assert mqx("unload", Q, "--convert", "latin").status == 2


@pytest.mark.parametrize("move", [(), ("--move",)])
def test_a_damaged_message_is_named_and_left_out(mqx, qm, ids, bodies, move):
    with closing(sqlite3.connect(qm)) as file:
        file.execute("update messages set data = cast('bets' as blob) where data = cast('beta' as blob)")
        file.commit()
    done = mqx("unload", Q, *move).ended(9, f"message {ids[1]} is damaged")
    assert data_of(done.out) == [b"alpha", b"gamma"]
    assert "unloaded 2 messages" in done.err or "moved 2 messages" in done.err


def test_a_parquet_file_is_private_and_replaces_no_file_unasked(mqx, ids, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, link = tmp_path / "q.parquet", tmp_path / "link.parquet"
    assert mqx("unload", Q, "--parquet", str(path), "-o", "json", check=True).totals["unloaded"] == 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert parquet.read_table(path)["data"].to_pylist() == [b"alpha", b"beta", b"gamma"]
    link.symlink_to(path)
    for there in (path, link):
        mqx("unload", Q, "--parquet", str(there)).ended(2, "exists\nhint: --force replaces it")
    mqx("unload", Q, "--parquet", str(link), "--force", "--mask", "data", check=True)
    assert (link.is_symlink(), parquet.read_metadata(path).num_rows, len(list(tmp_path.glob("*.parquet")))) == (
        False,
        3,
        2,
    )
    assert {len(data.as_py()) for data in parquet.read_table(link)["data"]} == {32}
    for there in (tmp_path / "none", path):
        done = mqx("unload", OTHER, "--parquet", str(there)).ended(3)
        assert done.err == f"unloaded 0 messages from {OTHER}\n"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--parquet", "p", "--pos", "1"), "--where only"),
        (("--parquet", "-"), "requires a file name"),
        (("--mask", "data"), "--mask requires --parquet"),
        (("--parquet", "p", "--mask", "nix"), "nix cannot be masked"),
    ],
)
def test_options_that_a_parquet_file_cannot_have_are_refused(mqx, qm, words, said):
    pytest.importorskip("pyarrow")
    done = mqx("unload", Q, *words)
    assert (done.status, said in done.err) == (2, True), done.err


def test_without_pyarrow_a_parquet_file_names_what_to_install(inline, qm, monkeypatch):
    monkeypatch.setattr("mqtools.operations.archive_files.find_spec", lambda name: None)
    for words in (("unload", Q, "--parquet", "p"), ("sql", "select 1", "-o", "parquet")):
        inline(*words).ended(2, "requires pyarrow", "mqtools[arrow]")

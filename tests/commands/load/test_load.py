"""``mqx load`` from outside: whole files or nothing, pipes unit by unit, and what is read of them."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import pytest

from .dumps import BAD, HEADER, dump

Q, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"


def comparable(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**message, "queue": ""} for message in messages]


@pytest.mark.parametrize("form", [[], ["-d", "p"], ["-d", "Aci"], ["-d", "aw60"], ["--jsonl"]])
def test_what_unload_wrote_comes_back_the_same(mqx, qm, browse, form):
    mqx("put", Q, "one", "--property", "colour=red", "--priority", "7", "--reply-to", "R", "--expiry", "1d", check=True)
    mqx("put", Q, "--dead-letter", "--format", "", stdin=bytes(range(256)), check=True)
    mqx("put", Q, "--group-id", "47" * 24, "--seq", "2", "--persistent", "in a group", check=True)
    mqx("put", "NO.SUCH.Q", "dead", "--dead-letter")
    for queue in (Q, "DEV.DEAD.LETTER.QUEUE"):
        mqx("load", OTHER, stdin=mqx("unload", queue, *form, check=True).out, check=True)
        before, after = browse(queue), browse(OTHER)
        for message in (*before, *after):
            message["md"]["expiry"] = min(message["md"]["expiry"], 0)
        assert comparable(after) == comparable(before)
        mqx("mqsc", f"CLEAR QLOCAL({OTHER})", check=True)


def test_a_dump_that_is_loaded_and_unloaded_is_the_same_to_the_byte(mqx, qm, tmp_path):
    mqx("put", Q, "a", "b", "--property", "colour=red", check=True)
    first, second = tmp_path / "1", tmp_path / "2"
    mqx("unload", Q, str(first), check=True)
    mqx("load", OTHER, str(first), check=True)
    mqx("unload", OTHER, str(second), check=True)
    assert first.read_bytes().split(b"\n")[3:] == second.read_bytes().split(b"\n")[3:]


def test_the_listing_of_browse_is_read(mqx, qm, file, browse):
    mqx("put", Q, "one", "two", check=True)
    path = file(mqx("browse", Q, "-o", "listing", check=True).out)
    mqx("load", OTHER, path, check=True)
    assert comparable(browse(OTHER)) == comparable(browse(Q))


@pytest.mark.conformance("BEY-67")
def test_a_dead_letter_whose_header_is_damaged_loads_to_the_byte(mqx, qm, file, bodies, browse):
    text = HEADER + b"A FMT MQDEAD  \nA PAN somebody\nX 444C4820FFFF\n"
    mqx("load", "DEV.DEAD.LETTER.QUEUE", file(text), check=True)
    assert bodies("DEV.DEAD.LETTER.QUEUE") == [b"DLH \xff\xff"]
    md = browse("DEV.DEAD.LETTER.QUEUE")[0]["md"]
    assert (md["format"], md["put_appl_name"]) == ("MQDEAD", "somebody")


def test_counts_are_said_and_can_be_json(mqx, qm, file):
    path = file(dump(b"a", b"b"))
    done = mqx("load", Q, path, check=True)
    assert (done.out, "loaded 2 messages on" in done.err) == (b"", True)
    done = mqx("load", Q, path, "-q", "-o", "json", check=True)
    assert (done.out, done.err) == (b"", '{"messages":2,"loaded":2}\n')


@pytest.mark.parametrize("content", [b"", HEADER, b"\n\n"])
def test_nothing_in_it_is_status_3(mqx, qm, file, content):
    assert mqx("load", Q, file(content)).status == 3
    assert mqx("load", Q, stdin=content).status == 3


# -- what is read -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--pos", "2.."], [b"beta", b"gamma"]),
        (["--msg-id", "62"], [b"beta"]),
        (["--correl-id", "43" * 24], [b"gamma"]),
        (["--grep", "LPH", "-i"], [b"alpha"]),
        (["--where", "Root.MQMD.Priority > 5"], [b"gamma"]),
        (["--where", "Root.MQMD.Expiry = 600000 AND colour = 'red'"], [b"beta"]),
        (["--older", "1000d"], [b"alpha"]),
        (["--newer", "1000d"], [b"beta", b"gamma"]),
        (["--pos", "9"], []),
    ],
)
def test_a_selection_is_of_the_messages_of_the_file(mqx, qm, file, bodies, options, found):
    text = HEADER + b"A MSI 6161\nA PTD 20010203\nA PTT 04050607\nX 616C706861\n"
    text += b'* mqx {"properties":{"colour":{"type":"string","value":"red"}}}\nA MSI 6262\nA EXP 600000\nX 62657461\n'
    text += b"A MSI 6361\nA COI %b\nA PRI 7\nX 67616D6D61\n" % (b"43" * 24)
    mqx("load", Q, file(text), *options).ended(0 if found else 3)
    assert bodies(Q) == found


def test_the_beginning_of_several_identifiers_is_ambiguous(mqx, qm, file, bodies):
    text = HEADER + b"A MSI 6161\nX 41\nA MSI 6162\nX 42\n"
    done = mqx("load", Q, file(text), "--msg-id", "61")
    assert (done.status, bodies(Q)) == (2, [])
    assert mqx("load", Q, "--msg-id", "6161", stdin=text).status == 2
    mqx("load", Q, "--msg-id", "6161" + "00" * 22, stdin=text, check=True)
    assert bodies(Q) == [b"A"]


def test_a_mistake_behind_what_is_selected_is_a_mistake_all_the_same(mqx, qm, file, bodies):
    done = mqx("load", Q, file(BAD), "--pos", "1")
    assert (done.status, bodies(Q)) == (2, [])


def test_files_in_a_row_are_read_until_one_is_missing(mqx, qm, file, tmp_path, bodies):
    for name in ("m1", "m2", "m4"):
        file(dump(name.encode()), name)
    mqx("load", Q, str(tmp_path / "m%n"), check=True)
    assert bodies(Q) == [b"m1", b"m2"]
    file(BAD, "m2")
    done = mqx("load", OTHER, str(tmp_path / "m%n"))
    assert (done.status, bodies(OTHER)) == (2, [])
    assert f"{tmp_path}/m2:9:3: " in done.err
    assert mqx("load", OTHER, str(tmp_path / "x%n")).status == 2


def test_a_long_unit_is_all_or_nothing_and_a_long_file_takes_several(mqx, qm, bodies):
    many = [b"%d" % n for n in range(2500)]
    done = mqx("load", Q, "--batch", "2000", stdin=dump(*many) + b"A XYZ\nX 41\n")
    assert (done.status, bodies(Q)) == (9, many[:2000])
    done = mqx("load", OTHER, "--batch", "all", stdin=dump(*many), check=True)
    assert bodies(OTHER) == many


def test_memory_does_not_grow_with_the_file(mqx_path, environment, qm, define, tmp_path):
    """Twice as much is loaded with hardly more: what is measured is the most that the process ever had."""
    define(Q, max_q_depth=10_000)
    peaks = []
    for number in (2000, 4000):  # more than the file cache has room for
        path = tmp_path / str(number)
        path.write_bytes(HEADER + (b"A VER 2\nX " + b"41" * 20_000 + b"\n") * number)
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        command = [sys.executable, "-c", code, mqx_path, "load", Q, str(path), "-q"]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 10_000, peaks


def test_dead_letters_are_loaded_without_their_headers(mqx, qm, browse, bodies):
    mqx("put", "NO.SUCH.Q", "dead", "--dead-letter")
    mqx("put", "DEV.DEAD.LETTER.QUEUE", "alive", check=True)
    dump = mqx("unload", "DEV.DEAD.LETTER.QUEUE", check=True).out
    done = mqx("load", Q, "--strip-headers", "--reason", "2085", stdin=dump, check=True)
    assert "loaded 1 message" in done.err
    assert (bodies(Q), browse(Q)[0]["md"]["format"]) == ([b"dead"], "MQSTR")


# -- whose context, and how fast ----------------------------------------------------------------------------

#: Two messages, put an hour apart.
RECORDED = HEADER + b"".join(
    b"A VER 2\nA USR ana\nA AIX 41\nA PAN theirs\nA PTD 20250102\nA PTT %b304050\nX 4%b\n\n" % (hour, digit)
    for hour, digit in ((b"10", b"1"), (b"11", b"2"))
)


@pytest.mark.parametrize(
    ("context", "user", "appl_identity_data", "put_appl_name"),
    [("all", "ana", "A", "theirs"), ("identity", "ana", "A", "mqx"), ("none", "", "", "")],
)
def test_what_is_kept_of_the_context_can_be_said(mqx, qm, browse, context, user, appl_identity_data, put_appl_name):
    mqx("load", Q, "--context", context, stdin=RECORDED, check=True)
    md = browse(Q)[0]["md"]
    assert (md["user_identifier"], md["appl_identity_data"]) == (user, appl_identity_data)
    assert md["put_appl_name"] == put_appl_name


def test_messages_can_be_loaded_as_if_they_were_put_anew(mqx, qm, browse):
    mqx("load", Q, "--context", "default", "--batch", "all", stdin=RECORDED, check=True)
    mqx("put", Q, "new", check=True)
    loaded, _, put = (message["md"] for message in browse(Q))
    for field in ("user_identifier", "appl_identity_data", "put_appl_name", "put_appl_type", "accounting_token"):
        assert loaded[field] == put[field]
    assert loaded["put_date"] != "20250102"
    assert mqx("browse", Q, "--older", "1h").status == 3


@pytest.mark.parametrize("delay", ["1h", "original", "original:50%", f"original:{9 * 10**30}%"])
def test_with_a_delay_messages_come_one_by_one_and_it_can_be_interrupted(qm, file, start, bodies, delay, eventually):
    process = start("load", Q, file(RECORDED), "--delay", delay)
    assert eventually(lambda: bodies(Q)) == [b"A"]
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, bodies(Q)) == (130, [b"A"])
    assert "loaded so far: 1 message" in said.decode()


@pytest.mark.parametrize(
    "words",
    [["0"], ["..0ms"], ["original:0%"], ["1h", "--batch", "2"], ["1h", "--dry-run"], ["original", "--pos", "2"]],
)
def test_there_is_no_delay_where_there_is_nothing_to_wait_for(mqx, qm, file, words):
    mqx("load", Q, file(RECORDED), "--delay", *words, check=True)


@pytest.mark.parametrize(
    "words",
    [
        "--delay soon",
        "--delay -1",
        "--delay original:",
        "--delay original:x%",
        "--delay 5..9",
        "--delay 1s --batch all",
        "--context passed",
    ],
)
def test_a_pace_or_context_that_is_none_is_2(mqx, qm, file, bodies, words):
    done = mqx("load", Q, file(RECORDED), *words.split())
    assert (done.status, bodies(Q)) == (2, [])
    assert done.err.startswith("mqx: load: ")

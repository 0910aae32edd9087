"""``mqx load`` from outside: whole files or nothing, pipes unit by unit, and every mistake with its place."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Q, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"
HEADER = b"* QLOAD Version:8.0 Created:Tue Nov 10 14:02:11 2026\n\n"


def dump(*bodies: bytes) -> bytes:
    return HEADER + b"".join(b"A VER 2\nX %b\n\n" % body.hex().encode() for body in bodies)


@pytest.fixture
def file(tmp_path) -> Callable[[bytes], str]:
    """Write a file and give its path."""

    def write(content: bytes, name: str = "f") -> str:
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return write


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
    path = file(mqx("browse", Q, "-o", "dump", check=True).out)
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
    assert (json.loads(done.out), done.err) == ({"loaded": 2}, "")


@pytest.mark.parametrize("content", [b"", HEADER, b"\n\n"])
def test_nothing_in_it_is_status_3(mqx, qm, file, content):
    assert mqx("load", Q, file(content)).status == 3
    assert mqx("load", Q, stdin=content).status == 3


# -- mistakes -----------------------------------------------------------------------------------------------

BAD = dump(b"a", b"b") + b"A XYZ 1\nA PRI 1\nX 4\n\nA EXP 0\nX 41\n"


def test_a_file_with_mistakes_loads_nothing_and_says_them_all(mqx, qm, file, bodies):
    path = file(BAD)
    done = mqx("load", Q, path)
    assert (done.status, done.out, bodies(Q)) == (2, b"", [])
    lines = done.err.splitlines()
    assert [line.split(": ")[0] for line in lines[:3]] == [f"{path}:9:3", f"{path}:11:3", f"{path}:13:1"]
    assert "MQRC_EXPIRY_ERROR" in lines[2]
    assert lines[3:] == ["3 mistakes; nothing was loaded"]


def test_mistakes_can_be_json(mqx, qm, file):
    path = file(BAD)
    done = mqx("load", Q, path, "-o", "json")
    assert done.status == 2
    errors = json.loads(done.err)["errors"]
    assert [(each["file"], each["line"], each["column"]) for each in errors] == [
        (path, 9, 3),
        (path, 11, 3),
        (path, 13, 1),
    ]


def test_standard_input_that_is_a_file_is_read_whole_first(mqx, qm, file, bodies, start):
    with open(file(BAD), "rb") as stream:
        process = start("load", Q, "--batch", "1", stdin=stream)
        assert process.wait(60) == 2
    assert b"<stdin>:9:3:" in process.stderr.read()
    assert bodies(Q) == []


def test_a_pipe_is_loaded_unit_by_unit_up_to_a_mistake(mqx, qm, bodies):
    done = mqx("load", Q, "--batch", "2", stdin=dump(b"a", b"b", b"c") + b"A XYZ\nX 41\n" + b"A VER 2\nX 42\n")
    assert (done.status, bodies(Q)) == (9, [b"a", b"b"])
    assert "<stdin>:12:3: there is no attribute 'XYZ'" in done.err
    assert "loaded so far: 2 messages, up to <stdin>:7" in done.err


@pytest.mark.parametrize("batch", ["200", "2000", "all"])
def test_a_pipe_with_a_mistake_in_its_first_unit_loads_nothing(mqx, qm, bodies, batch):
    done = mqx("load", Q, "--batch", batch, stdin=BAD)
    assert (done.status, bodies(Q)) == (2, [])


def test_a_doubtful_value_is_said_and_loaded(mqx, qm, file, browse):
    path = file(HEADER + b"A PRI 3x\nX 41\n")
    done = mqx("load", Q, path, check=True)
    assert f"{path}:3:8: warning: " in done.err
    assert browse(Q)[0]["md"]["priority"] == 3


def test_what_is_no_dump_is_said_once(mqx, qm, file):
    path = file(b"hello\nworld\n")
    done = mqx("load", Q, path)
    assert done.status == 2
    assert done.err.startswith(f"{path}:1:1: this is no dump")


def test_a_file_that_is_not_there_and_a_queue_that_is_not(mqx, qm, file):
    assert mqx("load", Q, "no-such-file").status == 2
    assert mqx("load", "NO.SUCH.Q", file(dump(b"a"))).status == 5


def test_nothing_in_a_file_steers_the_terminal_through_its_mistakes(mqx, qm, file):
    done = mqx("load", Q, file(HEADER + b"A \x1b]5 2\nX 41\n"))
    assert "\x1b" not in done.err


# -- refused puts -------------------------------------------------------------------------------------------


def test_a_full_queue_ends_the_load_behind_the_last_whole_unit(mqx, qm, define, file, bodies):
    define(Q, max_q_depth=3)
    path = file(dump(b"a", b"b", b"c", b"d", b"e"))
    done = mqx("load", Q, path, "--batch", "2")
    assert (done.status, bodies(Q)) == (9, [b"a", b"b"])
    assert f"{path}:12: queue {Q} is full" in done.err
    assert f"loaded so far: 2 messages, up to {path}:7" in done.err
    for batch in ("5", "5000", "all"):
        define(OTHER, max_q_depth=3)
        assert mqx("load", OTHER, path, "--batch", batch).status == 7
        assert bodies(OTHER) == []


@pytest.mark.parametrize("batch", ["all", "1500"])
def test_a_unit_of_more_than_one_transaction_is_loaded_whole_or_not_at_all(mqx, qm, define, file, bodies, batch):
    """What came before the refusal was said to be not loaded, and was there all the same."""
    define(Q, max_q_depth=1200)
    many = dump(*(b"%d" % number for number in range(1400)))
    done = mqx("load", Q, file(many), "--batch", batch)
    assert (done.status, bodies(Q)) == (7, [])
    assert "nothing was loaded" in done.err
    done = mqx("load", OTHER, "--batch", batch, stdin=many + b"A XYZ\nX 41\n")
    assert (done.status, bodies(OTHER)) == (2, [])


def test_a_unit_of_more_than_one_transaction_ends_at_its_number(mqx, qm, bodies):
    many = dump(*(b"%d" % number for number in range(2500)))
    done = mqx("load", Q, "--batch", "1100", stdin=many + b"A XYZ\nX 41\n")
    assert (done.status, len(bodies(Q))) == (9, 2200)
    assert "loaded so far: 2200 messages" in done.err


def test_a_queue_that_takes_no_puts(mqx, qm, define, file, bodies):
    define(Q, inhibit_put=1)
    assert mqx("load", Q, file(dump(b"a"))).status == 8


def test_warnings_beyond_the_first_hundred_are_counted(mqx, qm, file):
    done = mqx("load", Q, file(HEADER + b"A PRI x\nX 41\n" * 150))
    assert done.status == 0
    assert done.err.count(": warning: ") == 100
    assert "50 more warnings\n" in done.err


def test_an_option_that_only_others_know_is_loaded_with_a_warning(mqx, qm, file):
    done = mqx("load", Q, file(HEADER + b"A RPT 16\nX 41\n"))
    assert done.status == 4
    assert "MQRC_UNKNOWN_REPORT_OPTION" in done.err


def test_a_dry_run_says_what_would_be_and_loads_nothing(mqx, qm, file, define, bodies):
    path = file(dump(b"a", b"b"))
    done = mqx("load", Q, path, "--dry-run", "-o", "json", check=True)
    assert (json.loads(done.out), bodies(Q)) == ({"would_load": 2}, [])
    define(Q, inhibit_put=1)
    assert mqx("load", Q, path, "--dry-run").status == 8
    assert mqx("load", OTHER, file(BAD), "--dry-run").status == 2


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
    done = mqx("load", Q, file(text), *options)
    assert done.status == (0 if found else 3), done
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


def test_what_one_file_a_message_wrote_is_read_again(mqx, qm, tmp_path, bodies):
    mqx("put", Q, "a", "b", "c", check=True)
    mqx("unload", Q, str(tmp_path / "m%N"), check=True)
    mqx("load", OTHER, str(tmp_path / "m%N"), check=True)
    assert bodies(OTHER) == [b"a", b"b", b"c"]


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


def test_unknown_keys_of_json_are_refused_all_of_them_with_their_places(mqx, qm, file, browse):
    path = file(b'{"data":"a"}\n{"dta":"b","md":{"prio":1}}\n{"properties":{"p":{"valu":1}}}\n')
    done = mqx("load", Q, path, "--jsonl")
    assert done.status == 2
    assert done.err.splitlines() == [
        f"{path}:2:2: dta: a message has no such key; did you mean data?",
        f"{path}:2:18: md.prio: the message descriptor has no such field; did you mean priority?",
        f"{path}:3:21: properties.p.valu: a property has no such key; did you mean value?",
        "3 mistakes; nothing was loaded",
    ]
    assert browse(Q) == []


@pytest.mark.parametrize(("batch", "status", "said"), [("200", 7, "nothing was loaded"), ("1", 9, "2 messages")])
def test_a_load_onto_a_queue_that_fills_says_how_many_were_loaded(mqx, define, batch, status, said):
    define("SMALL", max_q_depth=2)
    done = mqx("load", "SMALL", "--batch", batch, stdin=dump(b"1", b"2", b"3"))
    assert done.status == status
    assert "<stdin>:9: queue SMALL is full" in done.err
    assert said in done.err.splitlines()[-1]
    assert "nothing would be loaded" in mqx("load", "SMALL", "--dry-run", stdin=dump(b"1", b"2", b"3")).err


def test_all_mistakes_of_a_pipe_are_named(mqx, qm, bodies):
    lines = b'{"data":"a"}\n{"dta":1}\n{"data":"b"}\n{"data":"c","md":{"prio":1}}\n'
    done = mqx("load", Q, "--jsonl", "--batch", "1", stdin=lines)
    assert (done.status, bodies(Q)) == (9, [b"a"])
    assert [line.partition(": ")[0] for line in done.err.splitlines()[:2]] == ["<stdin>:2:2", "<stdin>:4:19"]

"""Commands show for a queue manager elsewhere what they show for the same one here."""

from __future__ import annotations

import json

import pytest

from mqtools.admin.pcf import command_server
from mqtools.constants.cmqcfc import MQRCCF_CFH_COMMAND_ERROR, MQRCCF_COMMAND_FAILED
from mqtools.headers.pcf import PCFError

Q, DLQ = "DEV.QUEUE.1", "DEV.DEAD.LETTER.QUEUE"


@pytest.fixture
def queues(mqx, port, define):
    """Messages with different descriptors, and dead letters."""
    define("TINY", max_q_depth=1)
    mqx("put", "-m", "QM1", Q, "eins", "zwei", "--priority", "3", "--persistent", "--correl-id", "text:c1", check=True)
    mqx("put", "-m", "QM1", Q, "drei", "--priority", "7", "--property", "colour=red", check=True)
    mqx("put", "-m", "QM1", "TINY", "x", "--dead-letter", check=True)
    mqx("put", "-m", "QM1", "TINY", "y", "--dead-letter")
    mqx("put", "-m", "QM1", DLQ, "without a header", check=True)


@pytest.mark.parametrize(
    "words",
    [
        *(("browse", Q, "-o", output) for output in ("plain", "jsonl", "json", "csv", "hex", "raw", "listing")),
        ("browse", DLQ, "-o", "jsonl"),
        ("browse", Q, "--where", "colour = 'red'"),
        ("browse", Q, "--where", "Root.MQMD.Priority < 5", "--grep", "ZWEI", "-i"),
        ("browse", Q, "--pos", "2..3"),
        ("browse", Q, "-n", "1", "--template", "%i %p %b\\n"),
        ("browse", Q, "--columns", "msg_id,properties.colour", "--sort", "priority"),
        ("browse", Q, "--correl-id", "6331"),
        ("browse", DLQ, "--reason", "MQRC_Q_FULL"),
        ("browse", Q, "--grep", "vier"),
        ("browse", "NOPE"),
        ("browse", Q, "--where", "colour ="),
        ("qdepth", Q, "--count"),
        ("qdepth", "DEV.QUEUE.*", "--columns", "name,depth,max_depth,percent_full,open_input,open_output"),
        ("qdepth", "NOPE"),
        ("qdepth", Q, "--max-depth", "2", "-o", "nagios"),
        ("mqsc", "DISPLAY QLOCAL(DEV.*) CURDEPTH MAXDEPTH"),
        ("mqsc", "DISPLAY QMGR ALL", "-o", "json"),
        ("mqsc", "DISPLAY CHANNEL(DEV.APP.SVRCONN) ALL", "-o", "json"),
        ("mqsc", "DISPLAY QLOCAL(NOPE)"),
        ("mqsc", "DISPLAY NONSENSE(X)", "DISPLAY QMGR DEADQ"),
        ("dlq-handle", DLQ, "--summary", "--by", "reason,destq", "-o", "jsonl"),
        ("dlq-handle", "--summary", "--by", "format", "--pos", "1..1"),
        ("dlq-handle", "NOPE", "--summary"),
        ("dlq-handle", DLQ, "--suggest"),
        ("dlq-handle", DLQ, "--suggest", "--reason", "MQRC_PUT_INHIBITED"),
        ("dlq-handle", DLQ, "--dry-run", "--redrive", "--to", "DEV.QUEUE.2", "-o", "jsonl"),
        ("unload", Q, "--pos", "2..3", "-d", "printable,index,no-header"),
        ("unload", Q, "--jsonl"),
        ("unload", Q, "-d", "no-header", "--strip-headers"),
    ],
    ids=" ".join,
)
def test_as_here(mqx, queues, words):
    here, there = (mqx(*words, "-m", name) for name in ("QM1", "ELSEWHERE.RO"))
    assert there == here._replace(err=here.err.replace("QM1", "ELSEWHERE.RO"))


@pytest.fixture
def without_escape(request, monkeypatch):
    """The command server does not know the command Escape."""

    def refuse(*_):
        raise PCFError("there is no such command", getattr(request, "param", MQRCCF_CFH_COMMAND_ERROR))

    monkeypatch.setattr(command_server, "execute_escape", refuse)


@pytest.mark.parametrize(
    "words",
    [
        ("DISPLAY QLOCAL(DEV.*) CURDEPTH MAXDEPTH",),
        ("DISPLAY QUEUE(*) WHERE(MAXDEPTH EQ 1)",),
        ("DIS Q(DEV.*) TYPE(QLOCAL) SHARE DEFPSIST",),
        ("DISPLAY QALIAS(DEV.QUEUE.1)", "DISPLAY QMGR DEADQ MAXMSGL"),
        ("DISPLAY CHANNEL(DEV.*) CHLTYPE(SVRCONN) TRPTYPE MAXMSGL", "DISPLAY QLOCAL(NOPE*)"),
        ("DISPLAY CHANNEL(*) WHERE(CHLTYPE EQ SVRCONN)",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("without_escape", "output"),
    [(MQRCCF_CFH_COMMAND_ERROR, "plain"), (MQRCCF_COMMAND_FAILED, "json")],
    indirect=["without_escape"],
)
def test_mqsc_shows_by_pcf_where_there_is_no_escape(mqx, queues, without_escape, words, output):
    here, there = (mqx("mqsc", *words, "-o", output, "-m", name) for name in ("QM1", "ELSEWHERE.RO"))
    assert there == here._replace(err=here.err.replace("QM1", "ELSEWHERE.RO"))


@pytest.mark.parametrize("text", ["DEFINE QLOCAL(X)", "DISPLAY CONN(*)"])
def test_what_has_no_pcf_is_one_line_where_there_is_no_escape(mqx, there, without_escape, text):
    done = there("mqsc", text)
    assert (done.status != 0, "does not run MQSC commands" in done.err, len(done.err.splitlines())) == (True, True, 1)
    assert mqx("mqsc", "DISPLAY QLOCAL(X)", "-m", "QM1").status == 5


def test_a_summary_counts_letters_that_came_back(mqx, queues):
    mqx("get", "TINY", "-m", "QM1", check=True)
    mqx("dlq-handle", DLQ, "-m", "QM1", "--redrive", "--reason", "MQRC_Q_FULL", check=True)
    mqx("move", "TINY", DLQ, "-m", "QM1", check=True)
    mqx("put", "TINY", "z", "-m", "QM1", check=True)
    mqx("put", "TINY", "zz", "-m", "QM1", "--dead-letter")
    done = mqx("dlq-handle", DLQ, "-m", "ELSEWHERE.RO", "--summary", "-o", "json", check=True)
    assert done.out == mqx("dlq-handle", DLQ, "-m", "QM1", "--summary", "-o", "json", check=True).out
    groups = [(group["reason"], group["count"], group["came_back"]) for group in json.loads(done.out)]
    assert groups == [(None, 2, 1), ("MQRC_Q_FULL", 1, 0)]


def test_a_follow_shows_each_arrival_once_also_in_front(mqx, queues, start):
    followed = start("browse", Q, "-m", "ELSEWHERE.RO", "--follow", "-n", "2", "-o", "jsonl")
    assert [json.loads(followed.stdout.readline())["data"] for _ in range(2)] == ["eins", "zwei"]
    mqx("put", "-m", "QM1", Q, "in front", "--priority", "9", check=True)
    first = json.loads(followed.stdout.readline())
    mqx("put", "-m", "QM1", Q, "behind", "--priority", "0", check=True)
    second = json.loads(followed.stdout.readline())
    assert [first["data"], second["data"]] == ["in front", "behind"]


def test_openmetrics_and_thresholds_of_all_queues(mqx, queues):
    done = mqx("qdepth", "-m", "ELSEWHERE.RO", "-o", "openmetrics", check=True)
    assert b'mqx_queue_depth{qmgr="QM1",queue="DEV.QUEUE.1"} 3' in done.out
    assert mqx("qdepth", "-m", "ELSEWHERE.RO", "--crit", "50%").status == 2
    assert b"SYSTEM.ADMIN.COMMAND.QUEUE" in mqx("qdepth", "-m", "ELSEWHERE.RO", "--all", check=True).out


@pytest.mark.parametrize("how", ["--dry-run", "--explain", "--redrive"])
def test_a_dry_run_elsewhere_finds_the_queues_that_are_there(mqx, queues, port, tmp_path, how):
    mqx("mqsc", "-m", "QM1", "DEFINE QALIAS(OTHER) TARGQ(DEV.QUEUE.2)", "DEFINE QLOCAL(ONE) MAXDEPTH(2)", check=True)
    mqx("put", "-m", "QM1", "ONE", "in the way", check=True)
    mqx("put", "-m", "QM1", "TINY", "z", "--dead-letter")
    table = "REASON(MQRC_Q_FULL) ACTION(RETRY) RETRY(2)\nACTION(FWD) FWDQ(ONE) HEADER(NO)\nACTION(FWD) FWDQ(OTHER)\n"
    (tmp_path / "rules").write_text(table)
    rules = ("--dry-run",) if how == "--redrive" else ("--rules", str(tmp_path / "rules"))
    words = ("dlq-handle", DLQ, how, *rules, "-o", "jsonl")
    here, there = mqx(*words, "-m", "QM1"), mqx(*words, "-m", "ELSEWHERE.RO")
    assert (there.status, there.out, there.err) == (here.status, here.out, here.err)
    targets = ["TINY", "TINY"] if how == "--redrive" else ["ONE", "OTHER"]
    assert [json.loads(line)["target"] for line in there.out.splitlines() if json.loads(line)["target"]] == targets


def test_events_and_records_are_shown_and_removed(mqx, port):
    mqx("mqsc", "-m", "QM1", "ALTER QMGR LOCALEV(ENABLED) STATMQI(ON)", check=True)
    mqx("put", "-m", "QM1", "NOPE", "x")
    mqx("mqsc", "-m", "QM1", "RESET QMGR TYPE(STATISTICS)", check=True)
    removal = ("events", "SYSTEM.ADMIN.QMGR.EVENT", "--get")
    for words in (removal[:2], ("events", "-n", "1", "-o", "jsonl"), ("stats", "--statistics", "-o", "jsonl")):
        here, there = (mqx(*words, "-m", name, check=True) for name in ("QM1", "ELSEWHERE.RO"))
        assert (there.out, bool(there.out)) == (here.out, True)
    refused = [mqx(*removal, "-m", name).status for name in ("ELSEWHERE.RO", "ELSEWHERE")]
    assert (refused, mqx("stats", "-m", "ELSEWHERE").status) == ([8, 2], 2)
    assert b"Unknown Object Name: NOPE" in mqx(*removal, "-m", "ELSEWHERE", "--yes", check=True).out
    assert mqx(*removal[:2]).status == 3

"""``mqx pull``: messages of another queue manager come here as they are."""

from __future__ import annotations

import json

import pytest

from ..rows import queue_names
from .burial import bury

DLQ = "DEV.DEAD.LETTER.QUEUE"


@pytest.fixture
def two(inline, environment):
    """The queue managers PROD, with messages, and LAPTOP, the default."""
    inline("qmgr", "create", "PROD", "--dev", check=True)
    inline("qmgr", "create", "LAPTOP", "--default", check=True)
    for body in ("one", "two", "three"):
        inline("put", "DEV.QUEUE.1", body, "-m", "PROD", "--property", f"n={body}", "--expiry", "1h", check=True)
    return environment["MQX_HOME"]


def browse(inline, q_name, q_mgr_name="LAPTOP"):
    rows = inline("browse", q_name, "-m", q_mgr_name, "-o", "jsonl").rows
    return [{**row, "qmgr": "", "queue": "", "md": {**row["md"], "expiry": 0}} for row in rows]


def define(inline, *names):
    inline("mqsc", *(f"DEFINE QLOCAL({name})" for name in names), check=True)


def test_a_second_pull_adds_what_is_new(inline, two):
    define(inline, "DEV.QUEUE.1")
    done = inline("pull", "PROD:DEV.QUEUE.1", "-o", "json", check=True)
    assert done.totals == {"messages": 3, "pulled": 3, "here": 0}
    assert browse(inline, "DEV.QUEUE.1") == browse(inline, "DEV.QUEUE.1", "PROD")
    assert inline("pull", "PROD:DEV.QUEUE.1", check=True).err == "pulled 0 messages; 3 here already\n"
    inline("put", "DEV.QUEUE.1", "four", "-m", "PROD", check=True)
    assert inline("pull", "PROD:DEV.QUEUE.1", check=True).err == "pulled 1 message; 3 here already\n"
    assert browse(inline, "DEV.QUEUE.1") == browse(inline, "DEV.QUEUE.1", "PROD")


@pytest.mark.parametrize("second", ["LAPTOP:DEV.QUEUE.1", "QUEUE?", "NOWHERE:Q"])
def test_all_words_are_checked_before_the_first_pull(inline, two, second):
    define(inline, "DEV.QUEUE.1")
    assert inline("pull", "PROD:DEV.QUEUE.1", second).status == (5 if second.startswith("NOWHERE") else 2)
    assert browse(inline, "DEV.QUEUE.1") == []


@pytest.mark.parametrize(
    ("selection", "bodies"),
    [
        (("--where", "n = 'two'"), ["two"]),
        (("--grep", "TH", "-i"), ["three"]),
        (("--pos", "2.."), ["two", "three"]),
        (("-n", "1"), ["one"]),
        (("--older", "1h"), []),
    ],
)
def test_a_selection_says_what_comes(inline, two, selection, bodies):
    define(inline, "DEV.QUEUE.1")
    inline("pull", "PROD:DEV.QUEUE.1", *selection).ended(0 if bodies else 3)
    assert [row["data"] for row in browse(inline, "DEV.QUEUE.1")] == bodies


def test_a_missing_queue_is_named_with_the_command_that_helps(inline, two):
    done = inline("pull", "PROD:DEV.QUEUE.1")
    assert (done.status, done.out) == (5, b"")
    assert done.err == (
        "mqx: pull: queue DEV.QUEUE.1 does not exist on LAPTOP (MQRC_UNKNOWN_OBJECT_NAME 2085)\n"
        "hint: --definitions defines it as on PROD, or: mqx mqsc 'DEFINE QLOCAL(DEV.QUEUE.1)'\n"
    )
    inline("pull", "PROD:NOPE").ended(5, "queue NOPE does not exist on PROD (MQRC")
    assert inline("pull", "NOPE:DEV.QUEUE.1").status == 5


def test_definitions_are_those_of_the_queues_that_messages_name(inline, two):
    commands = (
        "ALTER QLOCAL(DEV.QUEUE.2) DESCR('it''s') MAXDEPTH(7) TRIGGER PROCESS(EVIL) INITQ(DEV.QUEUE.3) PUT(DISABLED)",
        "DEFINE QALIAS(ALIAS) TARGET(DEV.QUEUE.2)",
        "DEFINE QREMOTE(FAR) RNAME(Q) RQMNAME(QM9) XMITQ(QM9.XMIT)",
        "DEFINE QLOCAL(QM9.XMIT) USAGE(XMITQ)",
    )
    inline("mqsc", *commands, "-m", "PROD", check=True)
    bury(b"x", to="ALIAS", q_mgr="PROD")
    bury(b"x", to="FAR", q_mgr="PROD")
    inline("put", DLQ, "x", "--reply-to", "SYSTEM.ADMIN.COMMAND.QUEUE", "-m", "PROD", check=True)
    done = inline("pull", f"PROD:{DLQ}", "--definitions", "-o", "json", check=True)
    assert done.err.count("defined Q") == 6
    names = [DLQ, "ALIAS", "DEV.QUEUE.2", "FAR", "PROD", "QM9.XMIT"]
    assert [name for name in queue_names(f"{two}/LAPTOP.db") if not name.startswith("SYSTEM.")] == sorted(names)
    exported = inline("qmgr", "export", "LAPTOP", check=True).out.decode().replace(" +\n  ", "")
    for words in (
        "DEFINE QLOCAL(DEV.QUEUE.2) REPLACE DEFPSIST(YES) DESCR('it''s') MAXDEPTH(7) PUT(DISABLED)\n",
        "DEFINE QALIAS(ALIAS) REPLACE TARGET('DEV.QUEUE.2')\n",
        "DEFINE QREMOTE(FAR) REPLACE RNAME('Q') RQMNAME('QM9') XMITQ('QM9.XMIT')\n",
        "DEFINE QLOCAL(QM9.XMIT) REPLACE USAGE(XMITQ)\n",
        "DEFINE QREMOTE(PROD) REPLACE DESCR('Alias of this queue manager, made by mqx pull') RQMNAME('LAPTOP')\n",
    ):
        assert words in exported
    assert "pulled 0 messages; 3 here already" in inline("pull", f"PROD:{DLQ}", "--definitions", check=True).err


def test_a_dry_run_and_read_only_bring_nothing(inline, two):
    define(inline, "DEV.QUEUE.1")
    done = inline("pull", "PROD:DEV.QUEUE.1", "--dry-run", check=True)
    assert done.err == "would have pulled 3 messages\n"
    assert inline("pull", "PROD:DEV.QUEUE.1", "--read-only").status == 8
    assert inline("qdepth", "DEV.QUEUE.1", "--count", check=True).out == b"0\n"


def test_a_full_queue_takes_what_it_can(inline, two):
    inline("mqsc", "DEFINE QLOCAL(DEV.QUEUE.1) MAXDEPTH(2)", check=True)
    inline("pull", "PROD:DEV.QUEUE.1").ended(9, "pulled 2 messages", "MQRC_Q_FULL 2053")
    assert inline("pull", "PROD:DEV.QUEUE.1").status == 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("DEV.QUEUE.1",), "QMGR:DEV.QUEUE.1; there are: LAPTOP, PROD"),
        (("PROD",), "hint: PROD:QUEUE"),
        (("PROD:",), "an empty word is not the name of a queue"),
        (("PROD:A B",), "A B is not the name of a queue"),
        (("LAPTOP:DEV.QUEUE.1",), "LAPTOP is the queue manager to pull to"),
        ((), "missing argument"),
    ],
)
def test_a_place_is_a_queue_manager_and_a_queue(inline, two, words, said):
    define(inline, "DEV.QUEUE.1")
    done = inline("pull", *words)
    assert (done.status, said in done.err) == (2, True), done.err


def test_several_queues_come_in_one_command(inline, two):
    define(inline, "DEV.QUEUE.1", "DEV.QUEUE.2")
    inline("put", "DEV.QUEUE.2", "other", "-m", "PROD", check=True)
    assert inline("pull", "PROD:DEV.QUEUE.1", "DEV.QUEUE.2", check=True).err == "pulled 4 messages\n"
    depths = inline("qdepth", "-o", "json", check=True)
    assert [row["depth"] for row in json.loads(depths.out)] == [3, 1]

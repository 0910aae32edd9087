"""``mqx pub``, ``mqx sub`` and ``mqx qmgr export``: topics and definitions from the command line."""

from __future__ import annotations

import json


def test_a_subscription_of_mqsc_gets_what_is_published(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('prices/#') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "prices/eur", "1.08", "1.09", "--property", "region=EU", check=True)
    assert done.err == "published 2 messages on prices/eur\n"
    shown = inline("browse", "DEV.QUEUE.1", "--columns", "data,properties.region,properties.mqps.Top").out
    assert shown == b"1.08\tEU\tprices/eur\n1.09\tEU\tprices/eur\n"


def test_a_publication_that_nobody_wants_is_said(inline, qm):
    done = inline("pub", "prices/eur", "1.08", "-o", "json", check=True)
    assert json.loads(done.out) == {"topic": "prices/eur", "published": 1, "unmatched": 1}
    assert "no subscription matched it" in inline("pub", "prices/eur", "1.08").err


def test_a_new_subscriber_gets_what_is_retained(inline, qm):
    inline("pub", "prices/eur", "--retain", stdin=b"1.08", check=True)
    inline("pub", "prices/usd", "--lines", "--retain", stdin=b"1\n2\n", check=True)
    assert sorted(inline("sub", "prices/+", "--wait", "0s", check=True).out.splitlines()) == [b"1.08", b"2"]
    assert inline("sub", "prices/+", "--wait", "0s", "--new").status == 3
    assert inline("qdepth", "SYSTEM.MANAGED.*", "--count").out in (b"", b"0\n")


def test_a_subscriber_gets_publications_as_they_come(start, qm, mqx):
    waiting = start("sub", "prices/#", "-n", "2", "--wait", "60s", "-o", "jsonl")
    assert waiting.stderr.readline() == b"subscribed to prices/#\n"
    mqx("pub", "prices/eur", "1.08", "1.09", check=True)
    out, _ = waiting.communicate(timeout=60)
    assert [json.loads(line)["data"] for line in out.splitlines()] == ["1.08", "1.09"]
    assert waiting.returncode == 0


def test_no_publication_in_time_is_3_and_an_unknown_topic_object_5(inline, qm):
    assert inline("sub", "prices", "--wait", "0s").status == 3
    assert inline("pub", "x", "1", "--topic-object", "NOPE").status == 5
    assert inline("sub", "x", "--where", "a = ").status == 2


def test_an_export_recreates_a_queue_manager(inline, qm):
    inline("mqsc", "DEFINE QLOCAL(ORDERS) BOTHRESH(3)", "DEFINE TOPIC(T) TOPICSTR('a/b')", check=True)
    text = inline("qmgr", "export", "QM1", check=True).out
    inline("qmgr", "create", "QM2", check=True)
    inline("mqsc", "-m", "QM2", stdin=text, check=True)
    assert inline("--read-only", "qmgr", "export", "QM2", check=True).out == text


def test_output_of_dmpmqcfg_is_taken(inline, qm):
    text = b"DEFINE QLOCAL('A') +\n   FOO(1) +\n   MAXDEPTH(7)\nSET LOG TYPE(X)\n"
    done = inline("mqsc", "--skip-unsupported", stdin=text, check=True)
    assert done.err == "skipped: line 1: FOO\nskipped: line 4: SET LOG TYPE(X)\n"
    assert b"MAXDEPTH(7)" in inline("mqsc", "DISPLAY QLOCAL(A) MAXDEPTH").out
    assert inline("mqsc", stdin=text).status == 1


def test_one_error_line_for_each_command_that_failed(inline, qm):
    done = inline("mqsc", "DELETE QLOCAL(A)", "DEFINE QLOCAL(B)", "PING CHANNEL(C)")
    assert done.status == 9
    assert done.err.splitlines() == [
        "mqx: mqsc: line 1: DELETE QLOCAL(A): queue A does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "mqx: mqsc: line 3: PING CHANNEL(C): channel C does not exist (MQRC_UNKNOWN_CHANNEL_NAME 2540)",
    ]


def test_channels_are_pinged_and_started_by_mqsc(inline, qm, eventually):
    inline("qmgr", "create", "QM2", check=True)
    inline("mqsc", "-m", "QM2", "DEFINE CHANNEL(A) CHLTYPE(RCVR)", "DEFINE QLOCAL(FAR)", check=True)
    sender = "DEFINE CHANNEL(A) CHLTYPE(SDR) XMITQ(QM2) CONNAME('qmgr:QM2')"
    inline("mqsc", "-m", "QM1", "DEFINE QLOCAL(QM2) USAGE(XMITQ)", sender, check=True)
    assert b"AMQ8020I" in inline("mqsc", "-m", "QM1", "PING CHANNEL(A)", check=True).out
    inline("put", "-m", "QM1", "FAR@QM2", "hello", check=True)
    assert b"AMQ8018I" in inline("mqsc", "-m", "QM1", "START CHANNEL(A)", check=True).out
    try:
        eventually(lambda: inline("-m", "QM2", "qdepth", "FAR", "--count").out == b"1\n")
    finally:
        inline("mqsc", "-m", "QM1", "STOP CHANNEL(A)", check=True)

"""``mqx pub``: publish from the command line."""

from __future__ import annotations

import json

import pytest


def test_a_subscription_of_mqsc_gets_what_is_published(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('prices/#') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "prices/eur", "1.08", "1.09", "--property", "region=EU", check=True)
    assert done.err == "published 2 messages on prices/eur\nS: 2 to DEV.QUEUE.1\n"
    shown = inline("browse", "DEV.QUEUE.1", "--columns", "data,properties.region,properties.mqps.Top").out
    assert shown == b"1.08\tEU\tprices/eur\n1.09\tEU\tprices/eur\n"


def test_a_put_through_an_alias_of_a_topic_publishes(inline, qm):
    alias, bad = "DEFINE QALIAS({}) TARGET({}) TARGTYPE(TOPIC)".format, "DEFINE QLOCAL(T)"
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('a/#') DEST(DEV.QUEUE.1)", "DEFINE TOPIC(T) TOPICSTR('a/b')", check=True)
    inline("mqsc", alias("A", "T"), alias("B", "NOPE"), bad, check=True)
    inline("put", "A", "1", "2", check=True)
    inline("put", "A", "--batch", "all", stdin=b"3", check=True)
    assert inline("put", "A", "4", "--dry-run", check=True).err == "would put 1 message on A\n"
    assert inline("browse", "DEV.QUEUE.1", "--columns", "data,properties.mqps.Top").out == b"1\ta/b\n2\ta/b\n3\ta/b\n"
    for words in (("put", "B", "x"), ("put", "B", "--jsonl"), ("get", "A")):
        # not even the mistake of the input is read
        inline(*words, stdin=b"{").ended(5, "MQRC_UNKNOWN_ALIAS_BASE_Q 2082")
    assert "maximum, 9" in inline("put", "A", "x", "--priority", "12").err
    inline("mqsc", "ALTER QALIAS(A) PUT(DISABLED)", check=True)
    assert inline("put", "A", "x").status == 8
    assert [inline("put", name, "x", "--dead-letter").status for name in "AB"] == [4, 4]
    assert inline("qdepth", "DEV.DEAD.LETTER.QUEUE").out.split(b"\t")[1] == b"2"


def test_a_subscription_to_an_alias_of_a_topic_keeps_no_other_from_its_copy(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1)", "DEFINE QALIAS(A) TARGET(DEV.QUEUE.2)", check=True)
    inline("mqsc", "DEFINE SUB(R) TOPICSTR('a') DEST(A)", "DEFINE TOPIC(T) TOPICSTR('b')", check=True)
    inline("mqsc", "ALTER QALIAS(A) TARGET(T) TARGTYPE(TOPIC)", check=True)
    assert inline("pub", "a", "1").status == 4
    assert inline("browse", "DEV.QUEUE.1", "--columns", "data").out == b"1\n"
    assert inline("qdepth", "DEV.DEAD.LETTER.QUEUE").out.split(b"\t")[1] == b"1"


def test_a_publication_that_nobody_wants_is_said(inline, qm):
    done = inline("pub", "prices/eur", "1.08", "-o", "json", check=True)
    assert done.totals == {"messages": 1, "topic": "prices/eur", "published": 1, "unmatched": 1, "deliveries": []}
    assert "no subscription matched it" in inline("pub", "prices/eur", "1.08").err


def test_a_dry_run_says_where_publications_would_go_and_publishes_none(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "a", "1", "2", "--retain", "--dry-run", "--read-only", check=True)
    assert done.err == "would have published 2 messages on a\nS: 2 to DEV.QUEUE.1\n"
    totals = inline("pub", "a", "1", "--dry-run", "-o", "json", check=True).totals
    assert (totals["published"], totals["would_publish"]) == (0, 1)
    assert inline("qdepth", "DEV.QUEUE.1", "--count").out == b"0\n"
    assert inline("sub", "a", "--wait", "0s").status == 3  # nothing was retained


def test_a_publication_has_the_descriptor_of_the_options(inline, qm):
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1)", check=True)
    inline("pub", "a", "x", "--persistent", "--priority", "7", "--expiry", "1h", "--property", "n:i4=5", check=True)
    (found,) = json.loads(inline("browse", "DEV.QUEUE.1", "-o", "json").out)
    assert (found["md"]["persistence"], found["md"]["priority"]) == ("MQPER_PERSISTENT", 7)
    assert found["properties"]["n"]["value"] == 5
    assert 35_000 < found["md"]["expiry"] <= 36_000


def test_where_each_publication_went_is_said(inline, qm):
    inline("mqsc", "ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(1)", "DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "a", "1", "2", "-o", "json").ended(4)
    assert done.err.splitlines()[1:3] == [
        "S: 1 to DEV.QUEUE.1",
        "S: 1 to DEV.DEAD.LETTER.QUEUE: 2053 MQRC_Q_FULL",
    ]
    dead = {"subscription": "S", "queue": "DEV.DEAD.LETTER.QUEUE", "messages": 1, "reason": "MQRC_Q_FULL"}
    assert done.totals["deliveries"][1] == dead


@pytest.mark.parametrize("command", ["ALTER TOPIC(SYSTEM.BASE.TOPIC) USEDLQ(NO)", "ALTER QMGR DEADQ(' ')"])
def test_without_the_dead_letter_queue_the_topic_decides_on_what_is_refused(inline, qm, command):
    inline("mqsc", command, "ALTER QLOCAL(DEV.QUEUE.1) MAXDEPTH(1)", check=True)
    inline("mqsc", "DEFINE SUB(S) TOPICSTR('a') DEST(DEV.QUEUE.1)", check=True)
    done = inline("pub", "a", "1", "2")
    assert (done.status, done.err.splitlines()[-1]) == (9, "S: 1 not delivered: 2053 MQRC_Q_FULL")
    assert "MQRC_PUBLICATION_FAILURE 2502" in inline("pub", "a", "3", "--persistent").err
    inline("get", "DEV.QUEUE.1", check=True)
    done = inline("pub", "a", "4", "5", "--persistent").ended(9)
    assert done.err.startswith("published 1 message on a\nS: 1 to DEV.QUEUE.1\nmqx: pub: ")


def test_an_inhibited_topic_is_8(inline, qm):
    inline("mqsc", "DEFINE TOPIC(T) TOPICSTR('a') PUB(DISABLED) SUB(DISABLED)", check=True)
    inline("pub", "a/b", "1").ended(8, "publications are inhibited on topic a/b")
    assert inline("sub", "a/b", "--wait", "0s").status == 8

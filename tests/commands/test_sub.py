"""``mqx sub``: subscribe to a topic from the command line."""

from __future__ import annotations

import json


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

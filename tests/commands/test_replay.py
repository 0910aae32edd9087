"""``mqx replay``: the puts of a time again, once for each job id."""

from __future__ import annotations

import pytest

Q, R = "DEV.QUEUE.1", "DEV.QUEUE.2"
SINCE = ("--since", "-1h")


@pytest.fixture
def browse(here):
    """The messages of a queue as JSON objects."""
    return lambda queue: here("browse", queue, "-o", "jsonl").rows


@pytest.fixture
def journaled(qm, define):
    define(Q, journal=2)


def data(browse, queue=R):
    return [message["data"] for message in browse(queue)]


def test_what_was_put_is_put_again_and_what_was_undone_is_not(journaled, here, browse):
    here("put", Q, "a", "b", "--property", "x:int32=1", "--correl-id", "AA", check=True)
    here("put", Q, "undone", "--confirm-id", "1", check=True)
    here("put", Q, "confirmed", "--confirm-id", "2", check=True)
    here("undo", Q, "--confirm-id", "1", check=True)
    here("put", Q, "c", check=True)
    here("confirm", "put", Q, "--confirm-id", "2", check=True)
    originals = {message["data"]: message for message in browse(Q)}
    here("get", Q, "--all", check=True)
    done = here("replay", Q, *SINCE, "--to", R, "-o", "json", check=True)
    assert done.totals["replayed"] == 4
    assert "the journal of DEV.QUEUE.1 has messages only from" in done.err
    again = browse(R)
    assert [message["data"] for message in again] == ["a", "b", "c", "confirmed"]
    for message in again:
        original = originals[message["data"]]
        assert message["md"] == original["md"]
        added = {
            name: message["properties"].pop(f"mqx.replay.{name}")["value"] for name in ("queue", "msg_id", "put_at")
        }
        assert message["properties"] == original["properties"]
        assert (added["queue"], added["msg_id"]) == (Q, original["md"]["msg_id"])
        assert added["put_at"].replace("-", "").startswith(original["md"]["put_date"])


def test_a_job_puts_everything_once_and_goes_on_after_a_full_queue(journaled, here, define, browse):
    here("put", Q, *"abcde", check=True)
    define("SMALL", max_q_depth=2)
    words = ("replay", Q, *SINCE, "--to", "SMALL", "--job-id", "j")
    here(*words, "--dry-run").ended(7, "would replay 2 messages")
    here(*words).ended(7, "MQRC_Q_FULL")
    assert here("get", "SMALL", "--all", "-o", "raw").out == b"a\nb\n"
    define("SMALL", max_q_depth=100)
    here("put", Q, "after the first run", check=True)
    here(*words, check=True)
    assert data(browse, "SMALL") == ["c", "d", "e"]
    again = here(*words, check=True)
    assert "replayed 0 messages" in again.err
    assert data(browse, "SMALL") == ["c", "d", "e"]
    here("replay", Q, *SINCE, "--to", R, "--job-id", "j").ended(2, "job j is a replay of DEV.QUEUE.1 to SMALL")


def test_one_by_one_each_run_of_a_job_puts_the_next(journaled, here, browse):
    here("put", Q, "a", "b", "c", check=True)
    words = ("replay", Q, *SINCE, "--to", R, "--job-id", "steps", "-n")
    dry = here(*words, "2", "--dry-run", "-o", "json", check=True)
    assert dry.totals["would_replay"] == 2
    for number in (1, 2):
        done = here(*words, "1", "-o", "json", check=True)
        assert done.totals == {"messages": 1, "replayed": 1, "job_id": "steps", "total": number}
        assert data(browse, R) == ["a", "b", "c"][:number]
    assert "replayed 1 message" in here(*words, "5", check=True).err
    assert "replayed 0 messages" in here(*words, "1", check=True).err
    assert data(browse, R) == ["a", "b", "c"]
    assert here(*words, "0").status == 2


def test_new_ids_and_pace(journaled, here, browse):
    here("put", Q, "a", "b", check=True)
    here("replay", Q, *SINCE, "--to", R, "--new-ids", "--pace", "1000x", check=True)
    old, new = ([message["md"]["msg_id"] for message in browse(queue)] for queue in (Q, R))
    assert data(browse) == ["a", "b"]
    assert not set(old) & set(new)
    assert [message["properties"]["mqx.replay.msg_id"]["value"] for message in browse(R)] == old


def test_the_lifetime_begins_anew(journaled, here, browse):
    here("put", Q, "a", "--expiry", "100s", check=True)
    here("replay", Q, *SINCE, "--to", R, check=True)
    (message,) = browse(R)
    assert 950 < message["md"]["expiry"] <= 1000


def test_the_statuses(journaled, here, define):
    words = ("replay", Q, *SINCE, "--to")
    assert here(*words, R).status == 3
    here("put", Q, "a", check=True)
    assert here(*words, "NOPE").status == 5
    assert here("replay", "NOPE", *SINCE, "--to", R).status == 5
    define("CLOSED", inhibit_put=1)
    assert here(*words, "CLOSED").status == 8
    here("replay", R, *SINCE, "--to", Q).ended(2, "JOURNAL(BODY)")
    assert here("replay", Q, "--since", "-1m", "--until", "-2m", "--to", R).status == 2
    assert here("replay", Q, *SINCE, "--until", "-50m", "--to", R).status == 3
    assert here(*words, R, "--pace", "0x").status == 2
    dry = here(*words, R, "--dry-run", "-o", "json", "--job-id", "k", check=True)
    assert dry.totals == {"messages": 1, "would_replay": 1, "job_id": "k", "total": 1}
    here(*words, R, "--job-id", "k", check=True)
    assert here("get", R, "-o", "raw").out == b"a"


def test_a_queue_with_a_journal_of_no_data_is_refused_whole(qm, define, here, browse):
    define(Q, journal=1)
    here("put", Q, "a", check=True)
    define(Q, journal=2)
    here("put", Q, "b", check=True)
    assert here("replay", Q, *SINCE, "--to", R).status == 2
    assert data(browse) == []

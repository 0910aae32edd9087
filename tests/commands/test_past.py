"""Options ``--at`` of browse, qdepth, unload and dlq-handle: queues as they were."""

from __future__ import annotations

import json

import pytest

from mqtools.formats.units import rfc3339
from mqtools.mqi import identity
from mqtools.mqi.connection import connect

Q = "DEV.QUEUE.1"
DLQ = "DEV.DEAD.LETTER.QUEUE"
BODY = 2


@pytest.fixture
def run(here, monkeypatch):
    """Run a command in this process, whose clock runs again afterwards."""

    def run_now(*words, **given):
        done = here(*words, **given)
        identity.set_clock(None)
        return done

    yield run_now
    identity.set_clock(None)


@pytest.fixture
def journaled(qm, define):
    define(Q, journal=BODY)


def instant() -> str:
    """A time after all that was done, before all that is to come."""
    at = identity.now_ms()
    while identity.now_ms() <= at:
        pass
    return rfc3339(at)


def without_locks(lines: bytes) -> list[dict]:
    return [{**json.loads(line), "lock_id": None} for line in lines.splitlines()]


def test_what_a_browse_of_all_states_showed_is_shown_again(journaled, run):
    run("put", Q, "one", "two", "three", check=True)
    run("put", Q, "held", "--confirm-id", "1", "--priority", "9", check=True)
    run("lock", Q, "-n", "1", check=True)
    run("get", Q, "--confirm-id", "2", check=True)
    then = run("browse", Q, "--all-states", "-o", "jsonl", check=True)
    at = instant()
    run("confirm", "put", Q, "--confirm-id", "1", check=True)
    run("undo", Q, "--confirm-id", "2", check=True)
    run("get", Q, "--all", check=True)
    found = run("browse", Q, "--all-states", "-o", "jsonl", "--at", at, check=True)
    assert without_locks(found.out) == without_locks(then.out)
    assert len(without_locks(found.out)) == 4
    assert run("browse", Q, "-o", "raw", "--at", at).out == b"three\n"
    assert run("browse", Q, "-o", "raw", "--at", at, "--all-states", "--grep", "two").out == b"two\n"
    assert run("qdepth", Q, "--count", "--at", at).out == b"3\n"


@pytest.mark.parametrize("words", [("browse", Q), ("qdepth", Q), ("unload", Q), ("replay", Q, "--to", Q)])
def test_what_is_no_time_is_named(qm, run, words):
    run(*words, "--since" if words[0] == "replay" else "--at", "lunch").ended(2, "'lunch' is not a time")


def test_the_statuses_are_those_of_the_present(journaled, run):
    at = instant()
    run("put", Q, "later", check=True)
    assert run("browse", Q, "--at", at).status == 3
    assert run("browse", "NOPE", "--at", at).status == 5
    assert run("browse", Q, "--at", "2999-01-01").status == 2


def test_ages_and_expiry_are_those_of_the_time(journaled, run):
    run("put", Q, "x", "--expiry", "100s", check=True)
    run("put", Q, "y", check=True)
    at = instant()
    (first, _) = without_locks(run("browse", Q, "-o", "jsonl", "--at", at, check=True).out)
    assert 900 < first["md"]["expiry"] <= 1000
    assert run("browse", Q, "--older", "1h", "--at", at).status == 3
    (row,) = json.loads(run("qdepth", Q, "-o", "json", "--at", at, check=True).out)
    assert (row["depth"], row["open_input"], row["open_output"]) == (2, None, None)
    assert (row["last_put"] <= at, row["last_get"]) == (True, None)
    assert row["oldest_age_s"] < 60


def test_depths_of_a_pattern_leave_out_what_has_no_journal(journaled, run):
    run("put", Q, "x", check=True)
    found = run("qdepth", "DEV.*", "--count", "--at", instant(), check=True)
    assert found.out == b"DEV.QUEUE.1\t1\n"
    assert "left out, without JOURNAL(BODY) at that time: DEV.DEAD.LETTER.QUEUE" in found.err
    assert run("qdepth", "DEV.QUEUE.[23]", "--at", instant()).status == 5
    assert run("qdepth", Q, "--watch", "1s", "--at", instant()).status == 2


def test_an_unload_of_the_past_is_loaded_as_any(journaled, run, tmp_path):
    run("put", Q, "one", "two", "--property", "a=1", check=True)
    at = instant()
    run("get", Q, "--all", check=True)
    run("unload", Q, f"{tmp_path}/past.dump", "--at", at, check=True)
    run("load", "DEV.QUEUE.2", f"{tmp_path}/past.dump", check=True)
    assert run("diff", f"{Q}@{at}", "DEV.QUEUE.2").status == 0
    lines = without_locks(run("unload", Q, "--jsonl", "--at", at, check=True).out)
    assert [line["data"] for line in lines] == ["one", "two"]
    assert run("unload", Q, "--move", "--at", at).status == 2


def test_a_rehearsal_of_the_past(qm, define, run, tmp_path):
    define(DLQ, journal=BODY)
    define("SMALL", max_q_depth=0)
    run("put", "SMALL", "x")
    run("report-gen", Q, "--help")
    run("mqsc", "ALTER QMGR DEADQ(DEV.DEAD.LETTER.QUEUE)", check=True)
    run("put", DLQ, "no letter", check=True)
    at = instant()
    run("get", DLQ, "--all", check=True)
    (tmp_path / "rules").write_text("ACTION(DISCARD)\n")
    words = ("dlq-handle", DLQ, "--rules", f"{tmp_path}/rules")
    found = run(*words, "--dry-run", "-o", "jsonl", "--at", at)
    assert (found.status, len(found.out.splitlines())) == (9, 1)
    assert run(*words, "--dry-run").status == 3
    assert run(*words, "--once", "--at", at).status == 2


def test_a_process_shows_the_past_of_an_ended_queue_manager(journaled, mqx):
    mqx("put", Q, "x", "--persistent", check=True)
    at = instant()
    mqx("get", Q, check=True)
    mqx("qmgr", "end", "QM1", check=True)
    assert mqx("browse", Q, "-o", "raw", "--at", at, check=True).out == b"x\n"


@pytest.mark.parametrize("where", ["journal", "messages"])
@pytest.mark.parametrize("data", [b"PAY 100", b"y" * 600_000], ids=["short", "long"])
def test_a_body_that_has_changed_is_not_shown_as_good(journaled, qm, run, where, data):
    run("put", Q, "-", stdin=data, check=True)
    run("put", Q, "", "ok", check=True)
    at = instant()
    if where == "journal":  # the message goes, and the event has its body
        run("get", Q, "--all", check=True)
    is_long = len(data) > 1 << 16
    table = f"{where.removesuffix('s')}_chunks" if is_long else where
    with connect(qm) as connection:
        connection.db.run(f"update {table} set data = zeroblob(length(data)) where length(data) > 5")
    run("browse", Q, "--at", at, "-o", "raw", "--force").ended(10, "is damaged: its bytes are not those that were put")
    unloaded = run("unload", Q, "--jsonl", "--at", at)
    assert (unloaded.status, [row["data"] for row in unloaded.rows]) == (9, ["", "ok"])


def test_a_message_without_data_is_whole(journaled, run):
    run("put", Q, "", "next", check=True)
    at = instant()
    run("get", Q, "--all", check=True)
    assert run("browse", Q, "--at", at, "-o", "raw", check=True).out == b"\nnext\n"

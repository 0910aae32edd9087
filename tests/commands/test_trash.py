"""``mqx trash`` from outside: what is listed, what comes back, what goes for good."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from .burial import DLQ, bury

QUEUE, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.fixture
def filled(mqx, qm):
    """A trash of two removals: a and b deleted from one queue, c cleared from another. Gives the ids."""
    ids = mqx("put", QUEUE, "a", "b", "--print-id", check=True).out.decode().split()
    ids += mqx("put", OTHER, "c", "--print-id", check=True).out.decode().split()
    mqx("delete", QUEUE, "--pos", "1..", "--yes", check=True)
    mqx("mqsc", f"CLEAR QLOCAL({OTHER})", check=True)
    return ids


def test_nothing_in_it_is_3(mqx, qm):
    for words in (("list",), ("list", "--messages"), ("restore", "--all"), ("empty", "--yes")):
        assert mqx("trash", *words).status == 3


def test_the_list_has_a_line_for_each_removal(mqx, filled):
    rows = json.loads(mqx("trash", "list", "-o", "json", check=True).out)
    assert [(row["removal"], row["queue"], row["cause"], row["messages"]) for row in rows] == [
        (1, QUEUE, "delete", 2),
        (2, OTHER, "clear", 1),
    ]
    assert mqx("trash", "list", OTHER, check=True).out.startswith(b"2\t")
    assert b"REMOVAL" in mqx("trash", "list", "-o", "table", check=True).out


def test_messages_are_shown_as_browse_shows_them(mqx, filled):
    assert mqx("trash", "list", "--messages", "-o", "raw", check=True).out == b"a\nb\nc\n"
    assert mqx("trash", "list", OTHER, "--messages", "-o", "raw", check=True).out == b"c\n"
    assert mqx("trash", "list", "--removal", "1", "-o", "raw", check=True).out == b"a\nb\n"
    assert mqx("trash", "list", "--grep", "b", "-o", "raw", check=True).out == b"b\n"
    (one,) = json.loads(mqx("trash", "list", "--msg-id", filled[2], "-o", "json", check=True).out)
    assert (one["queue"], one["data"], one["cause"], one["removal"]) == (OTHER, "c", "clear", 2)


def test_what_is_in_it_cannot_steer_the_terminal(mqx, qm):
    mqx("put", QUEUE, "red\x1b[31m", check=True)
    mqx("delete", QUEUE, "--pos", "1", "--yes", check=True)
    assert "red␛[31m" in mqx("trash", "list", "--messages").out.decode()


def test_a_removal_comes_back(mqx, filled, bodies):
    done = mqx("trash", "restore", "--removal", "1", check=True)
    assert "restored 2 messages" in done.err
    assert (bodies(QUEUE), bodies(OTHER)) == ([b"a", b"b"], [])
    assert mqx("trash", "restore", "--removal", "1").status == 3


def test_messages_come_back_by_queue_id_and_all(mqx, filled, bodies):
    mqx("trash", "restore", "--msg-id", filled[1], check=True)
    assert bodies(QUEUE) == [b"b"]
    mqx("trash", "restore", OTHER, check=True)
    assert bodies(OTHER) == [b"c"]
    counts = mqx("trash", "restore", "--all", "-o", "json", check=True).totals
    assert counts == {"messages": 1, "restored": 1, "anew": 0, "exchanged": 0, "expired": 0, "held": 0}
    assert bodies(QUEUE) == [b"a", b"b"]


def test_of_a_message_that_was_edited_and_deleted_the_last_version_comes_back(mqx, qm, bodies):
    msg_id = mqx("put", "DEV.QUEUE.1", "one", "--print-id", check=True).out.decode().strip()
    for body in (b"two", b"three"):
        mqx("edit", "DEV.QUEUE.1", "--msg-id", msg_id, "--body-from", "-", stdin=body, check=True)
    mqx("delete", "DEV.QUEUE.1", "--msg-id", msg_id, check=True)
    mqx("trash", "restore", "--msg-id", msg_id, check=True)
    assert bodies("DEV.QUEUE.1") == [b"three"]


def test_an_edit_is_taken_back_and_can_be_made_again(mqx, qm, bodies):
    mqx("put", "DEV.QUEUE.1", "one", "other", check=True)
    mqx("edit", "DEV.QUEUE.1", "--pos", "1", "--body-from", "-", stdin=b"two", check=True)
    done = mqx("trash", "restore", "--removal", "1", "--dry-run", check=True)
    assert "would restore 1 message, 1 of them in place of their edited versions" in done.err
    assert bodies("DEV.QUEUE.1") == [b"two", b"other"]
    done = mqx("trash", "restore", "--removal", "1", check=True)
    assert done.err.endswith("; to restore: mqx trash restore --removal 2\n")
    assert bodies("DEV.QUEUE.1") == [b"one", b"other"]
    mqx("trash", "restore", "--removal", "2", check=True)
    assert bodies("DEV.QUEUE.1") == [b"two", b"other"]
    assert mqx("qdepth", "DEV.QUEUE.1", "--count").out == b"2\n"
    mqx("trash", "restore", "DEV.QUEUE.1", "--to", "DEV.QUEUE.1", check=True)
    assert bodies("DEV.QUEUE.1") == [b"two", b"other", b"one"]


def test_an_edit_is_taken_back_on_a_queue_that_is_full_and_inhibited(mqx, define, bodies):
    define("SMALL", max_q_depth=1)
    mqx("put", "SMALL", "one", check=True)
    mqx("edit", "SMALL", "--pos", "1", "--body-from", "-", stdin=b"two", check=True)
    define("SMALL", inhibit_put=1)
    mqx("trash", "restore", "SMALL", check=True)
    assert bodies("SMALL") == [b"one"]


def test_what_somebody_holds_as_edited_stays_as_it_is(mqx, qm, bodies):
    mqx("put", "DEV.QUEUE.1", "one", check=True)
    mqx("edit", "DEV.QUEUE.1", "--pos", "1", "--body-from", "-", stdin=b"two", check=True)
    lock = mqx("lock", "DEV.QUEUE.1", "--print-id", check=True).out.decode().strip()
    done = mqx("trash", "restore", "--removal", "1")
    done.ended(3, "1 left in the trash, 1 because the edited version is locked or uncommitted")
    mqx("unlock", "DEV.QUEUE.1", "--lock-id", lock, check=True)
    assert bodies("DEV.QUEUE.1") == [b"two"]
    done = mqx("trash", "restore", "--removal", "1", MQX_TRASH_MAX_SIZE="0")
    assert (done.status, bodies("DEV.QUEUE.1")) == (3, [b"two"])


def test_restore_needs_to_know_which(mqx, filled, bodies):
    mqx("trash", "restore").ended(2, "--all")
    assert bodies(QUEUE) == []


def test_a_dry_run_with_nothing_in_the_trash_is_3_and_says_would(mqx, qm):
    for words, text in ((("restore", "--all"), "would restore "), (("empty",), "would permanently delete ")):
        done = mqx("trash", *words, "--dry-run")
        assert (done.status, done.out, done.err.startswith(text)) == (3, b"", True)
        done = mqx("trash", *words, "--dry-run", "-o", "json")
        assert (done.status, done.totals[f"would_{words[0]}"]) == (3, 0)


def test_a_dry_run_changes_nothing(mqx, filled, bodies):
    done = mqx("trash", "restore", "--all", "--dry-run", check=True)
    assert (len(done.out.splitlines()), "would restore 3 messages" in done.err) == (3, True)
    done = mqx("trash", "empty", "--dry-run", "-o", "json", check=True)
    assert done.totals == {"messages": 3, "emptied": 0, "would_empty": 3}
    assert bodies(QUEUE) == []
    assert len(json.loads(mqx("trash", "list", "-o", "json").out)) == 2


def test_a_queue_without_room_takes_some_back(mqx, filled, bodies, define):
    define(QUEUE, max_q_depth=1)
    mqx("trash", "restore", QUEUE).ended(9, "MQRC_Q_FULL", "restored 1 message; 1 left in the trash")
    assert bodies(QUEUE) == [b"a"]
    assert mqx("trash", "restore", QUEUE).status == 7


def test_what_has_expired_stays(mqx, qm, bodies):
    mqx("put", QUEUE, "a", "--expiry", "1h", check=True)
    mqx("delete", QUEUE, "--pos", "1", "--yes", check=True)
    with sqlite3.connect(qm) as database:
        database.execute("update trash set expires_at = 1")
    database.close()
    done = mqx("trash", "restore", "--all")
    assert (done.status, "because they have expired" in done.err, bodies(QUEUE)) == (3, True, [])


def test_a_deleted_queue_has_to_be_made_again(mqx, qm, bodies, define):
    define("GONE")
    mqx("put", "GONE", "a", check=True)
    mqx("mqsc", "DELETE QLOCAL(GONE) PURGE", check=True)
    assert mqx("trash", "restore", "GONE").status == 5
    define("GONE")
    done = mqx("trash", "restore", "GONE", check=True)
    assert ("1 of them at the end of the queue" in done.err, bodies("GONE")) == (True, [b"a"])


def test_mqsc_without_a_trash_keeps_nothing(mqx, qm):
    mqx("put", QUEUE, "a", check=True)
    mqx("mqsc", "--no-trash", f"CLEAR QLOCAL({QUEUE})", check=True)
    assert mqx("trash", "list").status == 3


def test_emptying_needs_a_yes(mqx, filled):
    mqx("trash", "empty").ended(2, "3 messages", "--yes")
    mqx("trash", "empty", QUEUE, "--yes", check=True)
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"c\n"


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1)])
def test_a_terminal_is_asked_with_the_count(mqx, answered, filled, answer, status):
    asks = r"permanently delete 3 messages \(.*\) from the trash"
    assert answered("trash", "empty", asks=asks, answer=f"{answer}\n") == status
    assert (mqx("trash", "list").status == 3) == (answer == "y")


def test_the_limits_are_those_of_the_file(mqx, qm, environment):
    config = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('trash = {max_size = "1100"}\n', encoding="utf-8")
    mqx("put", QUEUE, "a", "b", "c", check=True)
    mqx("delete", QUEUE, "--pos", "1..", "--yes", check=True)
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"b\nc\n"
    config.write_text('trash = {max_age = "0s"}\n', encoding="utf-8")
    mqx("put", QUEUE, "d", check=True)
    mqx("delete", QUEUE, "--pos", "1", "--yes", check=True)
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"b\nc\n"


def test_a_discarded_dead_letter_is_in_the_trash(mqx, qm, lying_on):
    bury()
    before = lying_on(DLQ)
    mqx("dlq-handle", DLQ, stdin=b"WAIT(NO)\nREASON(*) ACTION(DISCARD)\n", check=True)
    assert lying_on(DLQ) == []
    (row,) = json.loads(mqx("trash", "list", "-o", "json", check=True).out)
    assert (row["queue"], row["cause"], row["messages"]) == (DLQ, "discard", 1)
    mqx("trash", "restore", "--all", check=True)
    assert lying_on(DLQ) == before


def test_a_discard_without_a_trash_is_for_good(mqx, qm, lying_on):
    bury()
    mqx("dlq-handle", DLQ, "--no-trash", stdin=b"WAIT(NO)\nREASON(*) ACTION(DISCARD)\n", check=True)
    assert (lying_on(DLQ), mqx("trash", "list").status) == ([], 3)

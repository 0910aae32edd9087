"""``mqx dlq-handle --plan`` here, and ``mqx apply`` there."""

from __future__ import annotations

import json
import os

import pytest

from mqtools.dlq.apply import APPLIED, Apply
from mqtools.errors import LockTimeout

from .burial import bury
from .test_pull import DLQ, browse
from .test_pull import two as two

RULES = b"REASON(MQRC_Q_FULL) ACTION(RETRY)\nREASON(MQRC_PUT_INHIBITED) ACTION(DISCARD)\n"


@pytest.fixture
def plan(inline, two, tmp_path):
    """The plan for two dead letters of PROD, made on LAPTOP; a third has no rule."""
    for body, reason in ((b"retry", 2053), (b"discard", 2051), (b"left", 2085)):
        bury(body, to="DEV.QUEUE.2", q_mgr="PROD", reason=reason)
    inline("pull", f"PROD:{DLQ}", "--definitions", check=True)
    path = str(tmp_path / "friday.plan")
    done = inline("dlq-handle", DLQ, "--plan", path, stdin=RULES)
    assert (done.status, done.out) == (9, b"")
    assert "planned 2 actions for PROD_" in done.err
    assert done.err.endswith("; 1 left\n")
    return path


def depths(inline, q_mgr_name="PROD"):
    done = inline("qdepth", DLQ, "DEV.QUEUE.2", "-m", q_mgr_name, "-o", "json", check=True)
    return [row["depth"] for row in json.loads(done.out)]


def test_a_plan_is_carried_out_where_its_messages_lie(inline, plan):
    assert os.stat(plan).st_mode & 0o777 == 0o600
    done = inline("apply", plan, "-m", "PROD", "--dry-run", "-o", "jsonl", check=True)
    rows = [(row["action"], row["target"], row["target_q_mgr"], row["line"], row["result"]) for row in done.rows]
    assert rows == [("RETRY", "DEV.QUEUE.2", "PROD", 1, "applied"), ("DISCARD", "", "", 2, "applied")]
    assert (depths(inline), os.path.exists(f"{plan}.removed.jsonl")) == ([3, 0], False)
    assert inline("apply", plan, "-m", "PROD", check=True).err == "applied 2 actions\n"
    assert depths(inline) == [1, 1]
    assert [row["data"] for row in browse(inline, "DEV.QUEUE.2", "PROD")] == ["retry"]
    assert inline("apply", plan, "-m", "PROD", check=True).err == "applied 0 actions; 2 applied before\n"
    inline("load", DLQ, f"{plan}.removed.jsonl", "-m", "PROD", check=True)
    assert depths(inline) == [3, 1]


def test_a_message_that_has_gone_is_skipped_and_named(inline, plan):
    inline("get", DLQ, "-m", "PROD", check=True)
    done = inline("apply", plan, "-m", "PROD").ended(9, ": the message has gone\n")
    assert done.err.endswith("applied 1 action; 1 the message has gone\n")


def test_a_plan_for_another_queue_manager_or_with_a_mistake_changes_nothing(inline, plan):
    inline("apply", plan).ended(2, "the plan is for queue manager PROD_")
    with open(plan, "a", encoding="utf-8") as file:
        file.write('{"action":"RUN"}\n')
    inline("apply", plan, "-m", "PROD").ended(2, f"{plan}:3: not an object")
    assert (depths(inline), os.path.exists(f"{plan}.removed.jsonl")) == ([3, 0], False)


def test_an_existing_plan_is_not_overwritten_without_force(inline, plan):
    with open(plan, "rb") as file:
        before = file.read()
    done = inline("dlq-handle", DLQ, "--plan", plan, stdin=b"ACTION(DISCARD)\n")
    assert (done.status, done.err.splitlines()[1]) == (2, "hint: --force replaces it")
    with open(plan, "rb") as file:
        assert file.read() == before
    assert inline("dlq-handle", DLQ, "--force", stdin=RULES).status == 2


def test_an_edited_copy_is_not_planned_until_it_is_pushed(inline, plan):
    inline("edit", DLQ, "--pos", "1", "--set", "priority=7", check=True)
    again = ("dlq-handle", DLQ, "--plan", plan, "--force")
    inline(*again, stdin=RULES).ended(9, "planned 1 action", "1 edited")
    inline("push", DLQ, "--to", f"PROD:{DLQ}", check=True)
    assert "planned 2 actions" in inline(*again, stdin=RULES).err
    assert inline("apply", plan, "-m", "PROD", check=True).err == "applied 2 actions\n"


def test_a_plan_of_a_queue_manager_s_own_messages_is_for_itself(inline, two, tmp_path):
    bury(b"x", to="DEV.QUEUE.2", q_mgr="PROD", reason=2053)
    done = inline("dlq-handle", DLQ, "--plan", "-", "-m", "PROD", stdin=RULES, check=True)
    (tmp_path / "p").write_bytes(done.out)
    assert [row["action"] for row in done.rows] == ["RETRY"]
    assert inline("apply", str(tmp_path / "p"), "-m", "PROD", check=True).err == "applied 1 action\n"


def test_an_empty_plan_and_wrong_options(inline, plan, tmp_path):
    (tmp_path / "empty").touch()
    assert inline("apply", str(tmp_path / "empty"), "-m", "PROD").status == 3
    assert inline("apply", str(tmp_path / "nope"), "-m", "PROD").status == 2
    for option in ("--dry-run", "--explain", "--check", "--summary", "--redrive"):
        done = inline("dlq-handle", DLQ, "--plan", plan, option, stdin=RULES)
        assert (done.status, "--plan cannot be combined with" in done.err) == (2, True), option


def test_an_error_after_some_actions_leaves_the_message_in_hand(inline, plan, monkeypatch):
    """The put of the second finds no turn to write: its get is backed out."""
    assert "planned 3 actions" in inline("dlq-handle", DLQ, "--plan", plan, "--force", stdin=b"ACTION(RETRY)\n").err
    put = Apply._put

    def fail_second(self, planned, *rest):
        if self.results[APPLIED]:
            raise LockTimeout("another program holds the turn to write")
        put(self, planned, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(Apply, "_put", fail_second)
        done = inline("apply", plan, "-m", "PROD")
    assert (done.status, "applied 1 action" in done.err, "another program holds" in done.err) == (9, True, True)
    assert depths(inline) == [2, 1]
    assert inline("apply", plan, "-m", "PROD", check=True).err == "applied 2 actions; 1 applied before\n"
    assert depths(inline) == [0, 3]

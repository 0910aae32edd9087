"""``mqx push``: repaired messages take the place of their originals on another queue manager."""

from __future__ import annotations

import pytest

from .test_pull import browse, define
from .test_pull import two as two

Q = "DEV.QUEUE.1"


@pytest.fixture
def pulled(inline, two):
    """The messages of PROD are on LAPTOP, and the second one is edited."""
    define(inline, Q, "OWN")
    inline("pull", f"PROD:{Q}", check=True)
    inline("edit", Q, "--pos", "2", "--body-from", "-", stdin=b"repaired", check=True)


def bodies(inline, q_name=Q):
    return [row["data"] for row in browse(inline, q_name, "PROD")]


def test_a_repaired_message_replaces_its_original(inline, pulled):
    before = browse(inline, Q, "PROD")
    done = inline("push", Q, "--to", f"PROD:{Q}", "--dry-run", check=True)
    assert [line.split(b"\t")[1] for line in done.out.splitlines()] == [b"equal", b"replaced", b"equal"]
    assert bodies(inline) == ["one", "two", "three"]
    done = inline("push", Q, "--to", f"PROD:{Q}", check=True)
    assert done.err == "pushed 1 message; 2 there already\n"
    after = browse(inline, Q, "PROD")
    assert [row["data"] for row in after] == ["one", "three", "repaired"]
    assert (after[2]["md"], after[2]["properties"]) == (before[1]["md"], before[1]["properties"])
    done = inline("push", Q, "--to", f"PROD:{Q}", "-o", "json", check=True)
    assert done.totals == {"messages": 0, "equal": 3}
    assert inline("pull", f"PROD:{Q}", check=True).err == "pulled 0 messages; 3 here already\n"


def test_an_original_that_has_gone_is_skipped_and_named(inline, pulled):
    inline("get", Q, "--all", "-m", "PROD", check=True)
    done = inline("push", Q, "--to", f"PROD:{Q}").ended(9, "skipped 414D5120", ": the original has gone\n")
    assert done.err.splitlines()[1:] == ["pushed 0 messages; 2 there already; 1 the original has gone"]
    assert bodies(inline) == []


def test_what_was_never_pulled_is_added_once_and_the_rest_on_request(inline, pulled):
    inline("put", "OWN", "own", check=True)
    inline("move", Q, "OWN", "--pos", "1", check=True)
    inline("push", "OWN", "--to", "PROD:DEV.QUEUE.2").ended(9, "pulled from another queue")
    assert bodies(inline, "DEV.QUEUE.2") == ["own"]
    for number in (1, 0):
        done = inline("push", "OWN", "--to", "PROD:DEV.QUEUE.2", "--add", "-o", "json", check=True)
        assert done.totals["messages"] == number
    assert bodies(inline, "DEV.QUEUE.2") == ["own", "one"]


def test_context_is_kept_as_far_as_the_user_may_set_it(inline, pulled, monkeypatch):
    from mqtools.mqi import authority

    inline("mqsc", "ALTER QMGR AUTHCHK(ALL)", "-m", "PROD", check=True)
    for words, said in (("BROWSE,GET,PUT,PASSALL", "changes of context fields"), ("BROWSE,GET,PUT", "put time, user")):
        inline("mqsc", f"SET AUTHREC PROFILE({Q}) OBJTYPE(QUEUE) PRINCIPAL('ana') AUTHRMV(ALL)", "-m", "PROD")
        record = f"SET AUTHREC PROFILE({Q}) OBJTYPE(QUEUE) PRINCIPAL('ana') AUTHADD({words})"
        inline("mqsc", record, "-m", "PROD", check=True)
        inline("edit", Q, "--pos", "2", "--body-from", "-", stdin=words.encode(), check=True)
        with monkeypatch.context() as patch:
            patch.setattr(authority, "is_run_by_owner", lambda db: "PROD" not in db.path)
            patch.setattr(authority, "local_user", lambda: "ana")
            done = inline("push", Q, "--to", f"PROD:{Q}", check=True)
        assert done.err.startswith("pushed 1 message; 2 there already\n")
        assert said in done.err
        assert inline("push", Q, "--to", f"PROD:{Q}", check=True).err == "pushed 0 messages; 3 there already\n"
    assert bodies(inline)[-1] == "BROWSE,GET,PUT"


def test_a_wrong_place_changes_nothing(inline, pulled):
    for target, status in ((Q, 2), ("PROD:", 2), (f"LAPTOP:{Q}", 2), ("PROD:NOPE", 5), (f"NOPE:{Q}", 5)):
        assert inline("push", Q, "--to", target).status == status, target
    assert inline("push", "NOPE", "--to", f"PROD:{Q}").status == 5
    assert inline("push", Q, "--to", f"PROD:{Q}", "--older", "1h").status == 3
    assert inline("push", Q, "--to", f"PROD:{Q}", "--read-only").status == 8
    assert bodies(inline) == ["one", "two", "three"]


def test_an_error_after_some_messages_were_pushed_is_partly_done(inline, pulled):
    inline("mqsc", "DEFINE QLOCAL(SMALL) MAXDEPTH(1)", "-m", "PROD", check=True)
    for status, number in ((9, 1), (7, 0)):
        done = inline("push", Q, "--to", "PROD:SMALL", "--add")
        done.ended(status, f"pushed {number} message", "queue SMALL is full (MQRC_Q_FULL 2053)")

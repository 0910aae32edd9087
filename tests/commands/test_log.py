"""``mqx log``: its forms, what it selects, and entries that come while it follows."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.admin import error_log, queue_managers
from mqtools.admin.error_log import Inserts
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError
from mqtools.mqi import identity

from .conftest import PATIENCE_S, Done, script

HOSTILE = "\x1b]0;x\x07\u202e\nACTION: rm"


@pytest.fixture
def logged(qm: str) -> str:
    error = MQError("connection refused", MQRC_HOST_NOT_AVAILABLE)
    error_log.note(qm, "AMQ9202E", error, Inserts(channel="TO.QM2", connection_name="host(1414)", q_mgr_name="QM2"))
    return qm


def test_an_entry_has_the_form_of_amqerr01(mqx: Callable[..., Done], logged: str) -> None:
    done = mqx("log", "-n", "1", check=True)
    head, time, about, _, message, _, *rest = done.out.decode().splitlines()
    assert " - Process(" in head
    assert time.startswith(" " * 20 + "Time(2")
    assert about.split() == ["Channel(TO.QM2)", "ConnName(host(1414))", "QMgr(QM2)"]
    assert message == "AMQ9202E: Host 'host(1414)' is not available."
    assert rest[:3] == ["EXPLANATION:", "connection refused (MQRC_HOST_NOT_AVAILABLE 2538)", "ACTION:"]
    assert rest[-1] == "-" * 79


def test_a_row_has_all_that_is_known(mqx: Callable[..., Done], logged: str) -> None:
    row = mqx("log", "-n", "1", "-o", "jsonl", check=True).rows[0]
    expected = {"amq": "AMQ9202E", "severity": "E", "channel": "TO.QM2", "reason": "MQRC_HOST_NOT_AVAILABLE"}
    assert {name: row[name] for name in expected} == expected
    assert (row["occurrences"], row["user"], row["at"]) == (1, None, row["first_at"])


def test_hostile_texts_cannot_steer_a_terminal(mqx: Callable[..., Done], qm: str) -> None:
    error_log.note(qm, "AMQ9519E", HOSTILE, Inserts(channel=HOSTILE, user=HOSTILE))
    for words in ((), ("-o", "table"), ("-o", "plain")):
        shown = mqx("log", "-n", "1", *words, check=True).out.decode()
        assert not set("\x1b\x07\u202e") & set(shown)
        assert "\nACTION: rm" not in shown
    assert mqx("log", "-n", "1", "-o", "jsonl", check=True).rows[0]["channel"] == HOSTILE


def test_since_and_the_number_select_the_latest(
    mqx: Callable[..., Done], qm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hours in (3, 2, 1):
        with monkeypatch.context() as patch:
            then = identity.now_ms() - hours * 3_600_000
            patch.setattr(identity, "now_ms", lambda then=then: then)
            error_log.note(qm, "AMQ9999E", f"{hours} h ago")

    def details(*words: str) -> list[Any]:
        return [row["detail"] for row in mqx("log", *words, "-o", "jsonl", check=True).rows if row["detail"]]

    assert details() == ["3 h ago", "2 h ago", "1 h ago"]
    assert details("--since", "-150m") == ["2 h ago", "1 h ago"]
    assert details("-n", "2") == ["1 h ago"]  # and that the queue manager was started
    assert mqx("log", "-n", "0").status == 3


def test_followers_show_entries_as_they_come_until_the_queue_manager_ends(qm: str, environment: dict[str, str]) -> None:
    line = [script(), "log", "--follow", "-n", "1", "-o", "csv"]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment}
    with subprocess.Popen(line, **streams) as one, subprocess.Popen(line, **streams) as other:
        for process in (one, other):
            assert b"occurrences" in process.stdout.readline()  # type: ignore[union-attr]
            assert b"AMQ8003I" in process.stdout.readline()  # type: ignore[union-attr]
        for number in range(3):
            error_log.note(qm, "AMQ9999E", f"number {number}")
            for process in (one, other):
                assert b"number %d" % number in process.stdout.readline()  # type: ignore[union-attr]
        queue_managers.end(qm)
        for process in (one, other):
            assert process.wait(PATIENCE_S) == 5
            assert b"is quiescing" in process.stderr.read()  # type: ignore[union-attr]
    assert queue_managers.state_of(qm) == "ended"

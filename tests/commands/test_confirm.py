"""``mqx confirm`` from outside: puts become available, gets final; wrong ids change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

QUEUE = "DEV.QUEUE.1"

pytestmark = pytest.mark.usefixtures("qm")


@pytest.mark.conformance("LIFE-07")
def test_confirmed_put_can_be_got(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "b", "--confirm-id", "7", check=True)
    assert mqx("get", QUEUE).status == 3
    done = mqx("confirm", "put", QUEUE, "--confirm-id", "7", check=True)
    assert "confirmed the put of 2 messages" in done.err
    assert mqx("get", QUEUE, "--all", check=True).out == b"a\nb\n"


def test_confirm_of_one_message_leaves_the_others_unconfirmed(mqx: Callable[..., Any]) -> None:
    ids = mqx("put", QUEUE, "a", "b", "--confirm-id", "7", "--print-id", check=True).out.decode().split()
    mqx("confirm", "put", QUEUE, "--confirm-id", "7", "--msg-id", ids[1], check=True)
    assert mqx("get", QUEUE, "--all", check=True).out == b"b\n"


def test_a_put_to_another_queue_manager_is_confirmed_by_the_id_that_it_printed(
    mqx: Callable[..., Any], define: Callable[..., None]
) -> None:
    define("QM2", usage=1)
    define("FAR", "QREMOTE", remote_q_name="FAR", remote_q_mgr_name="QM2", xmit_q_name="QM2")
    words = ("put", "FAR", "a", "b", "c", "--confirm-id", "7", "--print-id")
    ids = mqx(*words, check=True).out.decode().split()
    mqx("confirm", "put", "FAR", "--confirm-id", "7", "--msg-id", ids[1], check=True)
    assert mqx("qdepth", "QM2", "-o", "json", check=True).out.count(b'"uncommitted":2') == 1
    mqx("put", "FAR", "d", "--confirm-id", "7", "--msg-id", "AB" * 24, check=True)
    mqx("confirm", "put", "FAR", "--confirm-id", "7", "--msg-id", "AB", check=True)
    sent = mqx("browse", "QM2", "-o", "jsonl", check=True).rows
    assert [message["body"] for message in sent] == ["b", "d"]
    assert mqx("confirm", "put", "FAR", "--confirm-id", "7", "--msg-id", sent[0]["md"]["msg_id"]).status == 6
    assert mqx("confirm", "put", "FAR", "--confirm-id", "7", "--msg-id", ids[0][:24]).status == 2
    mqx("confirm", "put", "FAR", "--confirm-id", "7", check=True)
    assert mqx("qdepth", "QM2", "--count").out == b"4\n"


@pytest.mark.conformance("LIFE-08")
@pytest.mark.parametrize("extra", [("--confirm-id", "8"), ("--confirm-id", "7", "--msg-id", "AB" * 24)])
def test_wrong_id_is_6_and_the_put_stays_unconfirmed(mqx: Callable[..., Any], extra: tuple[str, ...]) -> None:
    mqx("put", QUEUE, "a", "--confirm-id", "7", check=True)
    mqx("confirm", "put", QUEUE, *extra).ended(6, "MQRC_NO_MSG_LOCKED", f"with confirm id {extra[1]} on queue {QUEUE}")
    assert mqx("get", QUEUE).status == 3
    mqx("confirm", "put", QUEUE, "--confirm-id", "7", check=True)


def test_dry_run_counts_and_confirms_nothing(mqx: Callable[..., Any]) -> None:
    mqx("put", QUEUE, "a", "--confirm-id", "7", check=True)
    done = mqx("confirm", "put", QUEUE, "--confirm-id", "7", "--dry-run", "-o", "json", check=True)
    assert done.totals == {"messages": 1, "confirmed": 1}
    assert mqx("get", QUEUE).status == 3


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("both", QUEUE, "--confirm-id", "7"), id="neither put nor get"),
        pytest.param(("put", QUEUE), id="no confirm id"),
        pytest.param(("put", QUEUE, "--confirm-id", "0"), id="zero"),
        pytest.param(("put", QUEUE, "--confirm-id", str(2**63)), id="too big"),
        pytest.param(("put", QUEUE, "--confirm-id", "7", "-o", "csv"), id="no such output"),
    ],
)
def test_senseless_line_is_a_usage_error(mqx: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    assert mqx("confirm", *arguments).status == 2

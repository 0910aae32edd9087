"""Plans from elsewhere: a line that is not exactly an action refuses the whole plan."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.dlq.plan import PlannedAction, as_line, read_plan
from mqtools.errors import UsageError

RETRY = PlannedAction(
    "PROD_2026-11-28_10.00.00", "DLQ", b"A" * 24, bytes(24), "20261128", "10000000", b"d" * 32,
    "RETRY", "ORDERS", "", header=False, line=12,
)  # fmt: skip


def lines(*objects: object) -> io.BytesIO:
    return io.BytesIO(b"".join(json.dumps(each).encode() + b"\n" for each in objects))


def with_(**values: object) -> dict[str, object]:
    return {**json.loads(as_line(RETRY)), **values}


def test_a_plan_reads_back_as_it_was_written():
    assert read_plan(io.BytesIO(as_line(RETRY).encode() * 2), "p") == [RETRY, RETRY]
    assert read_plan(io.BytesIO(), "p") == []


#: What stands in a line, and what is said about it.
WRONG = [
    (with_(queue="A QUEUE"), "queue is not the name"),
    (with_(queue=""), "queue is not the name"),
    (with_(queue="Q" * 49), "queue is not the name"),
    (with_(queue=["DLQ"]), "queue is not the name"),
    (with_(target="A;rm -rf"), "target is not the name"),
    (with_(target=""), "do not fit"),
    (with_(action="DISCARD"), "do not fit"),
    (with_(header=True), "do not fit"),
    (with_(action="DELETE"), "action is not"),
    (with_(action=["RETRY"]), "action is not"),
    (with_(msg_id="41"), "msg_id is not 24 bytes"),
    (with_(msg_id="4 " * 24), "msg_id is not 24 bytes"),
    (with_(correl_id=None), "correl_id is not 24 bytes"),
    (with_(digest=7), "digest is not 32 bytes"),
    (with_(put_date="2026112800"), "put_date is not at most"),
    (with_(line=True), "line is not"),
    (with_(line=1 << 80), "line is not"),
    (with_(line=-1), "line is not"),
    (with_(header=1), "header is not"),
    (with_(qmgr_id="x" * 5000), "longer than"),
    (with_(more=1), "not an object with the keys"),
    ({}, "not an object with the keys"),
    ([], "not an object with the keys"),
]


@pytest.mark.parametrize(("obj", "words"), WRONG)
def test_a_wrong_line_refuses_the_plan_and_is_named(obj, words):
    with pytest.raises(UsageError, match="p:2: ") as error:
        read_plan(lines(with_(), obj), "p")
    assert words in str(error.value)


@pytest.mark.parametrize("raw", [b"{", b"[" * 4000, b"\xff\xfe", b'{"a":1e999}', b"nan", b"\n", b"x" * 10_000])
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(UsageError, match="p:1: "):
        read_plan(io.BytesIO(raw), "p")


def test_mistakes_are_reported_together_up_to_some():
    with pytest.raises(UsageError) as error:
        read_plan(lines(*[{}] * 100), "p")
    assert str(error.value).count("\n") == 4


@given(st.binary(max_size=300), st.integers(0, 500))
def test_a_damaged_plan_is_read_as_it_is_or_refused(noise, at):
    line = as_line(RETRY).encode()
    damaged = line[:at] + noise + line[at:]
    try:
        found = read_plan(io.BytesIO(damaged), "p")
    except UsageError:
        return
    assert all(isinstance(each, PlannedAction) for each in found)

"""Message exits: found, started once, called for each message, ended once, whatever they do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mqtools.channel.exits import ExitChain, ExitContext, ExitMessage, load_chain
from mqtools.constants import reasons as rc
from mqtools.message import MQMD, Property

from .conftest import fails

EXITS = """
calls = []

def loud(context, message):
    message.data = message.data.upper()
    return message

def enlarging(context, message):
    return message.replace(data=message.data.ljust(context.max_message_length, b"."))

def suppressing(context, message):
    return None

def splitting(context, message):
    context.put_next(message.replace(data=message.data[3:]))
    return message.replace(data=message.data[:3])

def renaming(context, message):
    message.md.format = "NEW"
    message.properties["colour"].value = "blue"
    message.remote_q = "OTHER"
    return message

def two_at_once(context, message):
    return [message, message]

def of_text(context, message):
    return message.replace(data="text")

def failing(context, message):
    raise ValueError("no good")

class Living:
    def __init__(self):
        self.seen = 0
    def start(self, context):
        calls.append(("start", context.data))
    def __call__(self, context, message):
        self.seen += 1
        calls.append(("call", context.data, self.seen))
        if message.data == b"poison":
            raise RuntimeError("poisoned")
        return message
    def end(self, context):
        calls.append(("end", context.data))

class FailsToStart(Living):
    def start(self, context):
        raise OSError("no database")

class FailsToEnd(Living):
    def end(self, context):
        super().end(context)
        raise OSError("cannot close")

class FailsToBeMade:
    def __init__(self):
        raise ValueError("no settings")

class CannotBeCalled:
    pass

number = 5
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[object, ...]]]:
    """A module of exits on the path; what its living exits were asked."""
    (tmp_path / "site_exits.py").write_text(EXITS)
    (tmp_path / "broken_exits.py").write_text("import not_installed_anywhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    import site_exits  # type: ignore[import-not-found]

    yield site_exits.calls
    sys.modules.pop("site_exits", None)


def context(**values: object) -> ExitContext:
    return ExitContext("QM1.TO.QM2", "SDR", "QM1", peer="QM2", **{"max_message_length": 10, **values})  # type: ignore[arg-type]


def started(names: str, data: str = "", **values: object) -> ExitChain:
    chain = load_chain(names, data)
    chain.start(context(**values))
    return chain


def test_a_chain_of_no_exits_gives_the_message_as_it_is() -> None:
    chain = started("")
    message = ExitMessage(b"x", MQMD(format="MQSTR"), remote_q="Q", remote_q_mgr="QM2")
    assert chain(message) == message


@pytest.mark.parametrize(
    ("names", "data"),
    [
        ("site_exits:loud", b"HELLO"),
        ("site_exits:enlarging", b"hello....."),
        ("site_exits:loud,site_exits:enlarging", b"HELLO....."),
        (" site_exits:enlarging , site_exits:loud ", b"HELLO....."),
    ],
)
def test_an_exit_may_change_and_enlarge_the_message_up_to_the_negotiated_maximum(
    calls: object, names: str, data: bytes
) -> None:
    given = started(names)(ExitMessage(b"hello"))
    assert given is not None
    assert given.data == data


@pytest.mark.conformance("REF-10")
def test_an_exit_sees_the_negotiated_maximum(calls: object) -> None:
    given = started("site_exits:enlarging", max_message_length=7)(ExitMessage(b"x"))
    assert given is not None
    assert len(given.data) == 7


def test_an_exit_may_change_descriptor_properties_and_destination_and_the_message_given_stays(calls: object) -> None:
    message = ExitMessage(b"x", MQMD(format="MQSTR"), {"colour": Property(1, "red")}, remote_q="Q", remote_q_mgr="QM2")
    given = started("site_exits:renaming")(message)
    assert given is not None
    assert (given.md.format, given.properties["colour"].value, given.remote_q) == ("NEW", "blue", "OTHER")
    assert (message.md.format, message.properties["colour"].value, message.remote_q) == ("MQSTR", "red", "Q")


def test_an_exit_may_split_a_message_at_a_sender(calls: object) -> None:
    next_ones: list[ExitMessage] = []
    given = started("site_exits:splitting", put_next=next_ones.append)(ExitMessage(b"abcdef", remote_q="Q"))
    assert given is not None
    assert given.data == b"abc"
    assert [(message.data, message.remote_q) for message in next_ones] == [(b"def", "Q")]


def test_a_receiver_puts_no_next_message(calls: object) -> None:
    chain = load_chain("site_exits:splitting", "")
    chain.start(ExitContext("QM1.TO.QM2", "RCVR", "QM2"))
    with fails(rc.MQRC_API_EXIT_ERROR, "only an exit at a sender"):
        chain(ExitMessage(b"abcdef"))


def test_a_suppressed_message_is_not_shown_to_later_exits(calls: list[tuple[object, ...]]) -> None:
    chain = started("site_exits:suppressing,site_exits:Living")
    assert chain(ExitMessage(b"x")) is None
    assert [call[0] for call in calls] == ["start"]


@pytest.mark.conformance("REF-11")
def test_an_exit_cannot_give_two_messages_for_one(calls: object) -> None:
    with fails(rc.MQRC_API_EXIT_ERROR, "returned list, not one message"):
        started("site_exits:two_at_once")(ExitMessage(b"x"))


def test_an_exit_cannot_give_text_for_bytes(calls: object) -> None:
    with fails(rc.MQRC_API_EXIT_ERROR, "data of type str"):
        started("site_exits:of_text")(ExitMessage(b"x"))


def test_the_life_of_exits_start_once_call_for_each_message_end_once_the_last_first(
    calls: list[tuple[object, ...]],
) -> None:
    chain = started("site_exits:Living,site_exits:Living", "one,two")
    for data in (b"a", b"b"):
        chain(ExitMessage(data))
    chain.end()
    chain.end()
    assert calls == [
        *(("start", "one"), ("start", "two")),
        *(("call", "one", 1), ("call", "two", 1), ("call", "one", 2), ("call", "two", 2)),
        *(("end", "two"), ("end", "one")),
    ]


def test_an_exception_names_the_exit_and_all_are_ended_after_it(calls: list[tuple[object, ...]]) -> None:
    chain = started("site_exits:Living", "one")
    with fails(rc.MQRC_API_EXIT_ERROR, "exit site_exits:Living: RuntimeError: poisoned"):
        chain(ExitMessage(b"poison"))
    chain.end()
    assert calls == [("start", "one"), ("call", "one", 1), ("end", "one")]


def test_exits_started_before_one_that_fails_to_start_are_ended_and_the_others_are_not(
    calls: list[tuple[object, ...]],
) -> None:
    chain = load_chain("site_exits:Living,site_exits:FailsToStart,site_exits:Living", "one,two,three")
    with fails(rc.MQRC_API_EXIT_INIT_ERROR, "no database"):
        chain.start(context())
    with fails(rc.MQRC_API_EXIT_ERROR, "is not started"):
        chain(ExitMessage(b"x"))
    chain.end()
    assert calls == [("start", "one"), ("call", "one", 1), ("end", "one")]


def test_an_exit_that_fails_to_end_does_not_keep_the_others_from_it(calls: list[tuple[object, ...]]) -> None:
    chain = started("site_exits:Living,site_exits:FailsToEnd", "one,two")
    with fails(rc.MQRC_API_EXIT_TERM_ERROR, "cannot close"):
        chain.end()
    assert calls[2:] == [("end", "two"), ("end", "one")]
    chain.end()
    assert len(calls) == 4


def test_exits_are_started_once(calls: object) -> None:
    chain = started("site_exits:Living")
    with fails(rc.MQRC_API_EXIT_INIT_ERROR):
        chain.start(context())


@pytest.mark.parametrize(
    ("names", "data", "reason"),
    [
        ("OTHER", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("reference", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("site_exits:", "", rc.MQRC_API_EXIT_NOT_FOUND),
        (":loud", "", rc.MQRC_API_EXIT_NOT_FOUND),
        (".site_exits:loud", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("site_exits:loud,", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("no_such_module:loud", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("site_exits.inner:loud", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("site_exits:quiet", "", rc.MQRC_API_EXIT_NOT_FOUND),
        ("broken_exits:loud", "", rc.MQRC_API_EXIT_LOAD_ERROR),
        ("site_exits:FailsToBeMade", "", rc.MQRC_API_EXIT_LOAD_ERROR),
        ("site_exits:CannotBeCalled", "", rc.MQRC_API_EXIT_LOAD_ERROR),
        ("site_exits:number", "", rc.MQRC_API_EXIT_LOAD_ERROR),
        ("site_exits:loud", "one,two", rc.MQRC_API_EXIT_LOAD_ERROR),
        ("", "one", rc.MQRC_API_EXIT_LOAD_ERROR),
    ],
)
def test_what_cannot_be_loaded_is_refused(calls: object, names: str, data: str, reason: int) -> None:
    with fails(reason):
        load_chain(names, data)


@pytest.mark.parametrize(
    ("remote_q_mgr", "is_final"),
    [("QM2", True), ("", True), ("QM3", False)],
)
def test_a_message_for_another_queue_manager_goes_further(remote_q_mgr: str, is_final: bool) -> None:
    at_receiver = ExitContext("QM1.TO.QM2", "RCVR", "QM2")
    assert at_receiver.is_final(ExitMessage(remote_q_mgr=remote_q_mgr)) is is_final


def test_who_runs_the_channel_can_say_better_what_is_final() -> None:
    everything: Callable[[ExitMessage], bool] = lambda message: True  # noqa: E731
    at_receiver = ExitContext("QM1.TO.QM2", "RCVR", "QM2", resolves_here=everything)
    assert replace(at_receiver, data="x").is_final(ExitMessage(remote_q_mgr="AN.ALIAS"))

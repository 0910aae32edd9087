"""Authorities on topics, where the queue manager has AUTHCHK(ALL), and for the user of a channel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.options import MQOO_BROWSE
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import Message
from mqtools.mqi import authority
from mqtools.mqi.distributed_queuing import remote_commands
from mqtools.mqi.publish_subscribe.publications import RETAINED_QUEUE
from mqtools.operations.subscribe import open_subscription, publish

from .conftest import QM, fails


@pytest.fixture
def stranger(qm: QM, monkeypatch: pytest.MonkeyPatch) -> QM:
    """This process is run by somebody else than the owner of the file, and everybody is checked."""
    run_mqsc(qm.main, "DEFINE TOPIC(PRICES) TOPICSTR('prices')\nDEFINE TOPIC(EURO) TOPICSTR('prices/eur')")
    run_mqsc(qm.main, "ALTER QMGR AUTHCHK(ALL)")
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
    monkeypatch.setattr(authority, "local_user", lambda: "stranger")
    return qm


def as_owner(qm: QM, command: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(authority, "is_run_by_owner", lambda _db: True)
        assert not run_mqsc(qm.main, command).failed


def allow(qm: QM, words: str, profile: str) -> None:
    as_owner(qm, f"SET AUTHREC PROFILE('{profile}') OBJTYPE(TOPIC) PRINCIPAL('stranger') AUTHADD({words})")


def publishes(qm: QM, topic: str) -> bool:
    """Whether the stranger may publish on a topic."""
    return _is_authorized(lambda: publish(qm.main, topic, Message(b"x")))


def subscribes(qm: QM, topic: str) -> bool:
    """Whether the stranger may subscribe to a topic."""

    def subscribe() -> None:
        with open_subscription(qm.main, topic):
            pass

    return _is_authorized(subscribe)


def _is_authorized(call: Callable[[], object]) -> bool:
    try:
        call()
    except MQError as error:
        if error.reason != MQRC_NOT_AUTHORIZED:
            raise
        return False
    return True


def test_the_owner_publishes_and_subscribes_without_a_record(qm: QM) -> None:
    run_mqsc(qm.main, "ALTER QMGR AUTHCHK(ALL)")
    assert publishes(qm, "prices")
    assert subscribes(qm, "#")


@pytest.mark.parametrize(
    ("profile", "allowed", "refused"),
    [
        ("SYSTEM.BASE.TOPIC", ["prices", "prices/eur/bid", "other"], []),
        ("PRICES", ["prices", "prices/usd", "prices/eur/bid"], ["other", "price", "/prices", "pricesx"]),
        ("EURO", ["prices/eur", "prices/eur/bid"], ["prices", "prices/usd"]),
        ("P*", ["prices/usd"], ["other"]),
        ("ELSE", [], ["prices", "prices/eur", "other"]),
    ],
)
def test_an_authority_on_a_topic_object_is_one_on_all_topics_below(
    stranger: QM, profile: str, allowed: list[str], refused: list[str]
) -> None:
    allow(stranger, "PUB,SUB", profile)
    for topic in allowed:
        assert publishes(stranger, topic), topic
        assert subscribes(stranger, topic), topic
    for topic in refused:
        assert not publishes(stranger, topic), topic
        assert not subscribes(stranger, topic), topic


@pytest.mark.parametrize(
    ("topic", "may"), [("prices/#", True), ("prices/+", True), ("prices/+/bid", True), ("#", False), ("+/eur", False)]
)
def test_the_levels_before_the_wildcards_decide(stranger: QM, topic: str, may: bool) -> None:
    allow(stranger, "SUB", "PRICES")
    assert subscribes(stranger, topic) is may


def test_to_publish_is_not_to_subscribe(stranger: QM) -> None:
    allow(stranger, "PUB", "PRICES")
    assert publishes(stranger, "prices")
    assert not subscribes(stranger, "prices")
    as_owner(stranger, "SET AUTHREC PROFILE(PRICES) OBJTYPE(TOPIC) PRINCIPAL('stranger') AUTHADD(SUB) AUTHRMV(PUB)")
    assert not publishes(stranger, "prices")
    assert subscribes(stranger, "prices")


def test_the_refusal_names_the_nearest_object_and_the_command_that_grants(stranger: QM) -> None:
    with fails(MQRC_NOT_AUTHORIZED) as caught:
        publish(stranger.main, "prices/eur/bid", Message(b"x"))
    assert caught.value.text == "user stranger is not authorized to topic prices/eur/bid: PUB missing"
    assert caught.value.hint == (
        "mqx mqsc \"SET AUTHREC PROFILE('EURO') OBJTYPE(TOPIC) PRINCIPAL('stranger') AUTHADD(PUB)\""
    )


def test_nothing_of_a_refused_publication_is_retained_or_delivered(stranger: QM) -> None:
    allow(stranger, "SUB", "PRICES")
    with open_subscription(stranger.main, "prices") as handle:
        with fails(MQRC_NOT_AUTHORIZED):
            publish(stranger.main, "prices", Message(b"x"), retain=True)
        with pytest.raises(NoMessageAvailable):
            handle.get()
    with fails(MQRC_UNKNOWN_OBJECT_NAME):
        stranger.main.open(RETAINED_QUEUE, MQOO_BROWSE)


def test_publisher_and_subscriber_need_no_authority_on_the_queues_between_them(stranger: QM) -> None:
    allow(stranger, "PUB,SUB", "PRICES")
    publish(stranger.main, "prices", Message(b"retained"), retain=True)
    with open_subscription(stranger.main, "prices/#") as handle:
        publish(stranger.main, "prices/eur", Message(b"new"))
        assert [handle.get().message.data for _ in range(2)] == [b"retained", b"new"]
    for q_name in (RETAINED_QUEUE, "SYSTEM.NDURABLE.MODEL.QUEUE"):
        with fails(MQRC_NOT_AUTHORIZED):
            stranger.main.open(q_name, MQOO_BROWSE)


def test_a_command_that_is_published_is_one_of_its_publisher(stranger: QM, monkeypatch: pytest.MonkeyPatch) -> None:
    users = []
    monkeypatch.setattr(
        remote_commands, "mark_command", lambda work, _: users.append(authority.checked_user(work.connection))
    )
    allow(stranger, "PUB", "PRICES")
    as_owner(stranger, "DEFINE SUB(COMMANDS) TOPICSTR('prices') DEST(SYSTEM.ADMIN.COMMAND.QUEUE)")
    publish(stranger.main, "prices", Message(b"not a command"))
    assert users == ["stranger"]


def test_the_user_of_a_channel_is_always_checked(qm: QM) -> None:
    run_mqsc(qm.main, "SET AUTHREC PROFILE(SELF) OBJTYPE(QMGR) PRINCIPAL('branch') AUTHADD(CONNECT)")
    authority.assume_user(qm.main, "branch")
    assert not publishes(qm, "prices")


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("ALTER TOPIC(PRICES) DESCR('x')", "CHG"),
        ("DISPLAY TOPIC(PRICES)", "DSP"),
        ("DELETE TOPIC(PRICES)", "DLT"),
        ("DEFINE TOPIC(PRICES) REPLACE", "CRT"),
    ],
)
def test_a_command_on_a_topic_object_needs_authority(stranger: QM, command: str, word: str) -> None:
    (refused,) = run_mqsc(stranger.main, command).commands
    assert refused.reason == MQRC_NOT_AUTHORIZED
    allow(stranger, word, "PRICES")
    assert not run_mqsc(stranger.main, command).failed


def test_a_command_that_subscribes_needs_what_a_program_needs_too(stranger: QM) -> None:
    def refusal() -> str:
        (answer,) = run_mqsc(stranger.main, "DEFINE SUB(S) TOPICSTR('prices/#') DEST(Q)").commands
        return " ".join(answer.messages) if answer.reason else ""

    as_owner(stranger, "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('stranger') AUTHADD(CHG)")
    assert "topic prices: SUB missing" in refusal()
    allow(stranger, "SUB", "PRICES")
    assert "queue Q: PUT missing" in refusal()
    as_owner(stranger, "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD(PUT)")
    assert not refusal()

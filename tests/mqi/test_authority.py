"""Authorities of everybody, where the queue manager has AUTHCHK(ALL)."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import options as o
from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.lifecycle import locks, verbs
from mqtools.message import Message
from mqtools.mqi import authority
from mqtools.mqi.distributed_queuing.remote_commands import user_of_command
from mqtools.operations import move

from ..rows import keys
from .conftest import QM, fails


@pytest.fixture
def stranger(qm: QM, monkeypatch: pytest.MonkeyPatch) -> QM:
    """This process is run by somebody else than the owner of the file, and everybody is checked."""
    qm.define("OTHER")
    qm.put("there")
    run_mqsc(qm.main, "ALTER QMGR AUTHCHK(ALL)")
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
    monkeypatch.setattr(authority, "local_user", lambda: "stranger")
    return qm


def allow(qm: QM, words: str, profile: str = "Q") -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(authority, "is_run_by_owner", lambda _db: True)
        text = f"SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD({words})"
        assert not run_mqsc(qm.main, text).failed


def test_the_owner_is_not_checked(qm: QM) -> None:
    run_mqsc(qm.main, "ALTER QMGR AUTHCHK(ALL)")
    qm.put("free")
    assert len(qm.got()) == 1


def test_nobody_is_checked_by_default(qm: QM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
    qm.put("free")
    assert len(qm.got()) == 1


@pytest.mark.parametrize(
    ("option", "word"),
    [
        (o.MQOO_INPUT_SHARED, "GET"),
        (o.MQOO_BROWSE, "BROWSE"),
        (o.MQOO_OUTPUT, "PUT"),
        (o.MQOO_INQUIRE, "INQ"),
        (o.MQOO_SET, "SET"),
    ],
)
def test_an_open_needs_authority(stranger: QM, option: int, word: str) -> None:
    with pytest.raises(Exception, match=f"user stranger is not authorized to queue Q: {word} missing") as caught:
        stranger.open(options=option)
    assert caught.value.reason == MQRC_NOT_AUTHORIZED  # type: ignore[attr-defined]
    assert caught.value.hint.endswith(f'AUTHADD({word})"')  # type: ignore[attr-defined]
    allow(stranger, word)
    stranger.open(options=option).close()


def test_an_authority_that_another_connection_revokes_counts_no_longer(stranger: QM) -> None:
    allow(stranger, "BROWSE")
    other = stranger.connect()
    assert authority.authorities_of(other.db, "stranger", authority.QUEUE, "Q")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(authority, "is_run_by_owner", lambda _db: True)
        revoked = run_mqsc(stranger.main, "DELETE AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('stranger')")
    assert not revoked.failed
    assert not authority.authorities_of(other.db, "stranger", authority.QUEUE, "Q")


def test_a_put_without_an_open_needs_authority(stranger: QM) -> None:
    with fails(MQRC_NOT_AUTHORIZED):
        stranger.main.put1("Q", Message(b"x"))
    _, error = stranger.main.put_each("Q", [Message(b"x")])
    assert error is not None
    assert error.reason == MQRC_NOT_AUTHORIZED
    allow(stranger, "PUT")
    stranger.main.put1("Q", Message(b"x"))
    assert stranger.main.put_each("Q", [Message(b"x")])[1] is None


def test_a_command_that_is_put_with_others_is_one_of_its_user(stranger: QM, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(stranger, "PUT", COMMAND_QUEUE)
    monkeypatch.setattr("mqtools.mqi.hooks.serve_commands", lambda _: None)
    results, _ = stranger.main.put_each(COMMAND_QUEUE, [Message(b"first"), Message(b"second")])
    assert [user_of_command(stranger.main.db, result.seq) for result in results] == ["stranger"] * 2


def test_the_verbs_with_confirm_ids_need_authority(stranger: QM) -> None:
    with fails(MQRC_NOT_AUTHORIZED):
        verbs.put_message(stranger.main, "Q", Message(b"x"), confirm_id=7)
    with fails(MQRC_NOT_AUTHORIZED):
        verbs.get_message(stranger.main, "Q", confirm_id=7)
    allow(stranger, "PUT,GET")
    verbs.put_message(stranger.main, "Q", Message(b"x"), confirm_id=7)


def test_a_lock_and_a_browse_need_authority(stranger: QM) -> None:
    with fails(MQRC_NOT_AUTHORIZED):
        locks.browse_messages_and_lock(stranger.main, "Q")
    with fails(MQRC_NOT_AUTHORIZED):
        locks.browse_messages(stranger.main, "Q")
    allow(stranger, "BROWSE")
    assert len(list(locks.browse_messages(stranger.main, "Q"))) == 1
    locks.browse_messages_and_lock(stranger.main, "Q")


def test_a_move_needs_authority_at_both_ends(stranger: QM) -> None:

    wanted = keys(stranger.main, "Q")
    route = move.Route("Q", "OTHER")
    with fails(MQRC_NOT_AUTHORIZED):
        move.carry_batch(stranger.main, route, wanted)
    allow(stranger, "GET")
    done = move.carry_batch(stranger.main, route, wanted)
    assert done.error is not None
    assert done.error.reason == MQRC_NOT_AUTHORIZED
    allow(stranger, "PUT,SETALL", "OTHER")
    assert move.carry_batch(stranger.main, route, wanted).number == 1


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("CLEAR QLOCAL(Q)", "CLR"),
        ("ALTER QLOCAL(Q) DESCR('x')", "CHG"),
        ("DISPLAY QLOCAL(Q)", "DSP"),
        ("DELETE QLOCAL(Q) PURGE", "DLT"),
        ("DEFINE QLOCAL(Q) REPLACE", "CRT"),
    ],
)
def test_a_command_needs_authority(stranger: QM, command: str, word: str) -> None:
    (refused,) = run_mqsc(stranger.main, command).commands
    assert refused.reason == MQRC_NOT_AUTHORIZED
    allow(stranger, word)
    assert not run_mqsc(stranger.main, command).failed


@pytest.mark.parametrize(
    "command",
    [
        "SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD(ALL)",
        "ALTER QMGR AUTHCHK(CHANNELS)",
        "DEFINE CHANNEL(A.B) CHLTYPE(RCVR)",
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('x')",
    ],
)
def test_nobody_but_the_owner_changes_who_may_do_what(stranger: QM, command: str) -> None:
    allow(stranger, "ALL", "**")
    (refused,) = run_mqsc(stranger.main, command).commands
    assert refused.reason == MQRC_NOT_AUTHORIZED

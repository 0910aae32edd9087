"""Presence and bell: the kernel says who lives, and a ring wakes whoever listens."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED, MQRC_RESOURCE_PROBLEM, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import StorageError
from mqtools.store import descriptors, life_lock, liveness
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.liveness import Presence, is_alive, ring, sweep

from ..errors import fails

PATIENCE_S = 60.0

OTHER = """
import sys
from mqtools.store import life_lock
from mqtools.store.open_database import open_database
from mqtools.store.liveness import Presence
if sys.argv[2] == "no lock":
    life_lock.take = lambda _database: None
presence = Presence(open_database(sys.argv[1]))
print(presence.token.hex(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["lock", "no lock"])
def proof(request: pytest.FixtureRequest) -> str:
    """Whether the system has locks of open descriptors; without them a pipe is the proof."""
    proof: str = request.param
    return proof


@pytest.fixture
def database(tmp_path: Path, proof: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A queue manager's file with an empty run folder."""
    if proof == "no lock":
        monkeypatch.setattr(life_lock, "take", lambda _database: None)
    database = create_database(str(tmp_path / "QM.db"))
    os.mkdir(database.run_folder, 0o700)
    yield database
    database.close()


@pytest.fixture
def folder(database: Database) -> str:
    return database.run_folder


@pytest.fixture
def other(database: Database, proof: str) -> Iterator[subprocess.Popen[str]]:
    """Another process with a presence; it ends when its input does."""
    child = subprocess.Popen(
        [sys.executable, "-c", OTHER, database.path, proof], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        yield child
        child.kill()


@pytest.fixture
def listening(database: Database) -> Iterator[Presence]:
    presence = Presence(database)
    presence.listen()
    yield presence
    presence.close()


def token_of(other: subprocess.Popen[str]) -> bytes:
    assert other.stdout is not None
    return bytes.fromhex(other.stdout.readline())


# Presence


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_a_process_that_was_killed_or_has_ended_without_a_word_is_dead(database, other, how):
    token = token_of(other)
    other.stdin.close() if how is None else other.send_signal(how)
    other.wait(PATIENCE_S)
    assert not is_alive(database, token)
    assert not is_alive(database, b"\x00" * 8)  # who never was


def test_a_process_is_alive_also_when_it_is_stopped(database, other):
    token = token_of(other)
    for _ in range(2):  # asking changes nothing
        assert is_alive(database, token)
    other.send_signal(signal.SIGSTOP)
    assert is_alive(database, token)


def test_a_presence_is_not_handed_on_to_programs_that_its_process_starts(database, proof):
    start = (
        "import subprocess\nprogram = subprocess.Popen(['sleep', '600'], close_fds=False)\nprint(program.pid)\nprint("
    )
    words = [sys.executable, "-c", OTHER.replace("print(", start), database.path, proof]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        program = int(parent.stdout.readline())
        token = token_of(parent)
        parent.kill()
        parent.wait(PATIENCE_S)
        assert not is_alive(database, token)
        os.kill(program, signal.SIGKILL)  # it lived until now


def test_a_closed_presence_is_dead_though_a_program_was_given_it(database):
    presence = Presence(database)
    with subprocess.Popen(["sleep", "600"], pass_fds=presence.share()) as program:
        presence.close()
        assert not is_alive(database, presence.token)
        program.kill()


def test_a_closed_presence_is_dead_and_leaves_nothing(database, folder, listening):
    assert is_alive(database, listening.token)
    listening.close()
    assert not is_alive(database, listening.token)
    assert os.listdir(folder) == []


def test_two_presences_of_one_process_live_and_die_apart(database):
    first, second = Presence(database), Presence(database)
    assert first.token != second.token
    first.close()
    assert not is_alive(database, first.token)
    assert is_alive(database, second.token)
    second.close()


def test_what_the_dead_leave_is_swept(folder, other):
    token = token_of(other)
    other.kill()
    other.wait(PATIENCE_S)
    assert os.listdir(folder) == [f"life-{token.hex()}"]
    sweep(folder, token)
    sweep(folder, token)
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param(errno.EACCES, MQRC_NOT_AUTHORIZED, id="forbidden"),
        pytest.param(errno.EROFS, MQRC_NOT_AUTHORIZED, id="read-only"),
        pytest.param(errno.ENOSPC, MQRC_STORAGE_MEDIUM_FULL, id="full"),
        pytest.param(errno.ENOMEM, MQRC_RESOURCE_PROBLEM, id="no memory"),
    ],
)
def test_a_pipe_that_cannot_be_made_says_why(database, monkeypatch, number, reason):
    def fail(path: str, mode: int) -> None:
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(liveness.os, "mkfifo", fail)
    with pytest.raises(StorageError) as caught:
        Presence(database)
    assert caught.value.reason == reason
    assert os.strerror(number) in caught.value.text


def test_a_lack_of_descriptors_is_no_proof_of_death(database, other, monkeypatch):
    token = token_of(other)

    def fail(*_: object) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(liveness.os, "open", fail)
    monkeypatch.setattr(life_lock.fcntl, "fcntl", fail)
    with fails(MQRC_RESOURCE_PROBLEM):
        is_alive(database, token)


def open_below(folder: str) -> list[str]:
    """What this process has open in a folder; other threads may open and close other things meanwhile."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return sorted(path for path in found if path.startswith(folder))


def test_asking_and_waiting_leave_no_descriptor_open(database, folder, other, listening):
    token = token_of(other)
    before = open_below(folder)
    for _ in range(5):
        is_alive(database, token)
        is_alive(database, b"\x00" * 8)
        listening.wait(0, [token])
        listening.wait(0, [token, b"\x00" * 8])
        ring(folder, listening.token)
    assert open_below(folder) == before


# Bell


def test_a_ring_wakes_a_wait(folder, listening):
    threading.Timer(0.02, ring, (folder, listening.token)).start()
    assert listening.wait(PATIENCE_S)


def test_a_wait_may_be_longer_than_a_poll(folder, listening, monkeypatch):
    ring(folder, listening.token)
    assert listening.wait(60 * 86400)
    monkeypatch.setattr(liveness, "_TURN_S", 0.001)
    assert not listening.wait(0.01)


def test_many_rings_wake_once(folder, listening):
    for _ in range(10):
        ring(folder, listening.token)
    assert listening.wait(PATIENCE_S)
    assert not listening.wait(0)


@pytest.mark.slow
def test_ringing_never_blocks(folder, listening):
    for _ in range(70_000):  # more than a pipe holds
        ring(folder, listening.token)
    assert listening.wait(0)
    while listening.wait(0):
        pass


def test_ringing_nobody_is_harmless(database, folder, other):
    ring(folder, b"\x00" * 8)
    token = token_of(other)
    ring(folder, token)  # it lives, and has no bell
    other.kill()
    other.wait(PATIENCE_S)
    ring(folder, token)
    presence = Presence(database)
    presence.listen()
    assert presence._bell is not None
    for descriptor in (presence.life, presence._bell):
        descriptors.close(descriptor)
    ring(folder, presence.token)  # its pipe is there, and nobody reads it


def test_ringing_one_who_dies_meanwhile_is_harmless(folder, listening, monkeypatch):
    def write(*_: object) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(liveness.os, "write", write)
    ring(folder, listening.token)


def test_a_wait_ends_with_its_time_and_not_before(listening):
    began = time.monotonic()
    assert not listening.wait(0.05)
    assert time.monotonic() - began >= 0.05
    assert not listening.wait(0)
    assert not listening.wait(-1)


def test_the_death_of_another_ends_a_wait(other, listening):
    token = token_of(other)
    threading.Timer(0.02, other.kill).start()
    assert listening.wait(PATIENCE_S, [token])


def test_a_wait_for_one_who_is_dead_already_ends_at_once(folder, other, listening):
    token = token_of(other)
    other.kill()
    other.wait(PATIENCE_S)
    assert listening.wait(PATIENCE_S, [token])
    sweep(folder, token)
    assert listening.wait(PATIENCE_S, [token])


def test_the_living_do_not_end_a_wait(other, listening):
    assert not listening.wait(0.02, [token_of(other)])

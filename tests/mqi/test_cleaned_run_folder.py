"""A cleaner of temporary folders removes what is in the run folder: no living process is taken for dead by that."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest

from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_NOT_AUTHORIZED
from mqtools.mqi.recovery import living_tokens
from tests.mqi.children import getter, kill, put, start_ready, start_waiting
from tests.mqi.conftest import QM

from ..errors import fails
from ..rows import connected

HOLDER = """
connection = connect(path)
connection.open("Q", MQOO_INPUT_SHARED).get(MQGMO_SYNCPOINT)
print("held", flush=True)
sys.stdin.readline()
connection.commit() if arguments == ["commit"] else connection.backout()
connection.disconnect()
"""


def empty(folder: str) -> None:
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))


def make_anew(folder: str) -> None:
    """Make another folder with pipes of the same names, which nobody has open."""
    names = os.listdir(folder)
    shutil.rmtree(folder)
    os.mkdir(folder, 0o700)
    for name in names:
        os.mkfifo(os.path.join(folder, name), 0o600) if "-" in name else None


CLEANERS = [
    pytest.param(empty, id="emptied"),
    pytest.param(shutil.rmtree, id="removed"),
    pytest.param(make_anew, id="made anew"),
]


@pytest.fixture
def holder(qm: QM) -> Iterator[subprocess.Popen[str]]:
    """A process that has the only message under syncpoint, until it may go on."""
    qm.put(b"once")
    child = start_ready(HOLDER, qm.path, says="held")
    yield child
    kill(child)


def get(qm: QM) -> tuple[bytes, int]:
    """Get with a new connection; return the data and the backout count."""
    with qm.connect() as connection, connection.open("Q", 2) as handle:
        message = handle.get().message
        return message.data, message.md.backout_count


@pytest.mark.parametrize("clean", CLEANERS)
def test_a_message_under_syncpoint_is_handed_out_once_whatever_happens_to_the_run_folder(
    qm: QM, holder: subprocess.Popen[str], clean: Callable[[str], None]
) -> None:
    clean(qm.main.db.run_folder)
    for _ in range(2):
        with fails(MQRC_NO_MSG_AVAILABLE):
            get(qm)
    assert len(living_tokens(qm.main.db)) >= 1
    kill(holder)
    assert get(qm) == (b"once", 1)


@pytest.mark.parametrize("clean", CLEANERS)
def test_a_holder_whose_run_folder_was_cleaned_goes_on(
    qm: QM, holder: subprocess.Popen[str], clean: Callable[[str], None]
) -> None:
    clean(qm.main.db.run_folder)
    holder.communicate("\n", timeout=60)
    assert holder.returncode == 0
    assert get(qm) == (b"once", 1)
    assert connected(qm.main) == []


def test_a_pipe_that_somebody_keeps_open_keeps_no_dead_process_alive(qm: QM, holder: subprocess.Popen[str]) -> None:
    (token,) = living_tokens(qm.main.db)
    path = f"{qm.main.db.run_folder}/life-{token.hex()}"
    os.unlink(path)
    os.mkfifo(path)
    forged = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        kill(holder)
        assert get(qm) == (b"once", 1)
    finally:
        os.close(forged)


@pytest.mark.slow
@pytest.mark.parametrize("clean", CLEANERS)
def test_a_waiting_get_learns_of_the_end_of_a_holder_whose_pipe_is_gone(
    qm: QM, holder: subprocess.Popen[str], clean: Callable[[str], None]
) -> None:
    clean(qm.main.db.run_folder)
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    waiting.is_still_waiting()
    kill(holder)
    assert waiting.finish() == b"once"


@pytest.mark.parametrize("clean", CLEANERS)
def test_a_waiting_get_whose_bell_was_removed_makes_another_one(
    qm: QM, clean: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mqtools.store.liveness._TURN_S", 0.01)
    (waiting,) = start_waiting(qm.path, qm.main, getter())
    clean(qm.main.db.run_folder)
    put(qm.main, b"late")
    assert waiting.finish() == b"late"


def test_writers_that_are_open_meet_new_ones_in_the_folder_that_was_made_anew(qm: QM) -> None:
    qm.put(b"before")
    shutil.rmtree(qm.main.db.run_folder)
    qm.put(b"after")  # makes the folder anew
    lock = qm.main.db.writer_lock
    assert lock is not None
    assert os.fstat(lock.writer).st_ino == os.stat(f"{qm.main.db.run_folder}/writer").st_ino
    assert qm.data() == [b"before", b"after"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_run_folder_that_a_stranger_has_made_meanwhile_is_refused(qm: QM) -> None:
    qm.put(b"before")
    shutil.rmtree(qm.main.db.run_folder)
    os.mkdir(qm.main.db.run_folder, 0o700)
    os.chown(qm.main.db.run_folder, 12345, -1)
    with fails(MQRC_NOT_AUTHORIZED):
        qm.put(b"after")
    os.rmdir(qm.main.db.run_folder)


def test_connections_leave_no_descriptor_behind_and_close_none_of_the_file_before_its_end(qm: QM) -> None:
    def number() -> int:
        return len(os.listdir("/proc/self/fd"))

    for _ in range(2):
        with qm.connect() as connection, connection.open("Q", 2):
            pass
    before = number()
    for _ in range(5):
        with qm.connect() as connection, connection.open("Q", 2):
            pass
    assert number() == before

"""A full disk: puts are refused, and messages are got, deleted and cleared until there is room again.

The preloaded library gives the folder of the file a number of bytes, as a disk, or as a quota of which the free space
of the disk says nothing. Where this user may mount a file system, one of memory is filled to the last byte too.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_NO_MSG_AVAILABLE, MQRC_STORAGE_MEDIUM_FULL
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import define_queue

from ..commands.fork_server import ForkServer
from ..errors import fails
from .accounting import take_stock

_BUDGET = 4 << 20
_STORAGE = 10

Run = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def path(made: str, tmp_path: Path) -> str:
    (tmp_path / "disk").mkdir()
    path = shutil.copyfile(made, str(tmp_path / "disk" / "QM1.db"))
    os.chmod(path, 0o600)
    return path


@pytest.fixture(params=["disk", "quota"])
def run(request: pytest.FixtureRequest, fault_server: ForkServer, environment: dict[str, str], path: str) -> Run:
    """Run a command on a small disk."""
    extra = {"FAULT_BUDGET": str(_BUDGET), "FAULT_PATH": os.path.basename(path), "MQX_DISK_FREE_LIMIT": "1k"}
    if request.param == "quota":
        extra["FAULT_QUOTA"] = "1"

    def run(*words: str, data: bytes = b"") -> tuple[int, bytes, str]:
        env = {**environment, "MQX_QMGR": path, **extra}
        status, out, err = fault_server.run(words, stdin=data, env=env, timeout=60)
        return status, out, err.decode()

    return run


def fill(run: Run, path: str) -> list[bytes]:
    """Put messages until that is refused, and take what is left of the disk; return the messages."""
    bodies = []
    for number in range(200):
        body = str(number).encode() * 20_000
        status, _, err = run("put", "Q", "--persistent", data=body)
        if status:
            assert (status, "MQRC_STORAGE_MEDIUM_FULL" in err) == (_STORAGE, True), err
            break
        bodies.append(body)
    assert 3 < len(bodies) < 199
    folder = Path(path).parent
    (folder / "other").write_bytes(
        bytes(max(0, _BUDGET - sum(file.stat().st_size for file in folder.iterdir() if file.is_file())))
    )
    return bodies


def test_a_full_disk_is_drained_by_gets_and_takes_puts_again(run: Run, path: str) -> None:
    bodies = fill(run, path)
    assert run("put", "Q", "x")[0] == _STORAGE
    assert run("qdepth", "--count", "Q")[1].split() == [str(len(bodies)).encode()]
    got = []
    for number in range(len(bodies) + 1):
        status, out, err = run("get", "Q")
        if status == _STORAGE and not number:
            continue  # a quota is met without a warning: the command that meets it first fails, and can be repeated
        assert status == 0, err
        got.append(out)
        if len(got) == len(bodies):
            break
    assert got == bodies
    status, _, err = run("qmgr", "compact")
    assert status == 0, err
    os.unlink(Path(path).with_name("other"))
    status, _, err = run("put", "Q", "again")
    assert status == 0, err
    assert take_stock(path)["Q"] == ["again"]


@pytest.mark.parametrize(
    "words",
    [
        ("delete", "Q", "--pos", "1..500", "--yes", "--no-trash"),
        ("mqsc", "CLEAR QLOCAL(Q)"),
        ("get", "Q", "--all"),
        ("move", "Q", "R", "--pos", "1", "--yes"),
        ("qmgr", "end"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_each_way_to_empty_a_queue_works_on_a_full_disk(run: Run, path: str, words: tuple[str, ...]) -> None:
    fill(run, path)
    status, _, err = run(*words)
    if status == _STORAGE:  # a quota, see above
        status, _, err = run(*words)
    assert status == 0, err


@pytest.mark.parametrize("run", ["disk"], indirect=True)
def test_monitors_and_the_doctor_say_that_puts_are_refused(run: Run, path: str) -> None:
    assert b'mqx_disk_full{qmgr="QM1"} 0' in run("qdepth", "-o", "openmetrics")[1]
    fill(run, path)
    assert b'mqx_disk_full{qmgr="QM1"} 1' in run("qdepth", "-o", "openmetrics")[1]
    status, out, _ = run("doctor")
    assert (status, b"puts are refused, gets and deletes work" in out) == (4, True)


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of 12 MB in memory."""
    folder = tmp_path_factory.mktemp("small")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this user cannot mount a file system in memory here: root can")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def connection(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A connection to a new queue manager on the small disk."""
    monkeypatch.setenv("MQX_DISK_FREE_LIMIT", "0")
    for old in small_disk.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    path = queue_managers.create(str(small_disk / "QM1.db"))
    with connect(path) as connection:
        with connection.work() as work:
            define_queue(work, "QLOCAL", "Q", {"max_q_depth": 100_000})
        yield connection


def put_until_full(connection: Connection, length: int) -> int:
    """Put messages until that is refused, and fill the disk; return their number."""
    number = count_until(
        MQRC_STORAGE_MEDIUM_FULL, lambda n: connection.put1("Q", Message(os.urandom(length), MQMD(persistence=n % 2)))
    )
    fill_disk(Path(connection.db.path).with_name("other"))
    return number


def fill_disk(path: Path) -> None:
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass


def get_all(connection: Connection, options: int = 0) -> int:
    with connection.open("Q", MQOO_INPUT_SHARED) as handle:
        return count_until(MQRC_NO_MSG_AVAILABLE, lambda _: handle.get(options))


def count_until(reason: int, call: Callable[[int], object]) -> int:
    """Count the calls that succeed before one ends with a reason."""
    for number in itertools.count():
        try:
            call(number)
        except MQError as error:
            if error.reason != reason:
                raise
            return number
    raise AssertionError


@pytest.mark.parametrize("length", [3000, 100_000, 1_000_000])
def test_all_can_be_got_from_a_disk_that_is_filled_to_the_last_byte(connection: Connection, length: int) -> None:
    Path(connection.db.path).with_name("stays").write_bytes(bytes(256 << 10))
    number = put_until_full(connection, length)
    assert number
    assert get_all(connection) == number
    os.unlink(Path(connection.db.path).with_name("other"))
    assert put_until_full(connection, length), "what was emptied has room again"


def test_a_unit_of_work_is_committed_and_backed_out_on_a_full_disk(connection: Connection) -> None:
    connection.put1("Q", Message(b"uncommitted"), MQPMO_SYNCPOINT)
    number = put_until_full(connection, 3000)
    connection.backout()
    assert get_all(connection, MQGMO_SYNCPOINT) == number
    connection.backout()
    assert get_all(connection, MQGMO_SYNCPOINT) == number
    connection.commit()
    assert get_all(connection) == 0


def test_a_refused_put_leaves_the_unit_of_work_usable(connection: Connection) -> None:
    connection.put1("Q", Message(b"first"), MQPMO_SYNCPOINT)
    put_until_full(connection, 3000)
    with fails(MQRC_STORAGE_MEDIUM_FULL):
        connection.put1("Q", Message(b"second"), MQPMO_SYNCPOINT)
    connection.commit()


def test_a_log_that_a_reader_keeps_long_is_cut_when_the_reader_leaves(connection: Connection) -> None:
    reader = connection.db.open_reader()
    with reader.reading():
        reader.all("select count(*) from messages")
        number = put_until_full(connection, 3000)
    reader.close()
    assert os.path.getsize(f"{connection.db.path}-wal") > 6 << 20
    assert get_all(connection) == number
    assert os.path.getsize(f"{connection.db.path}-wal") < 6 << 20


def test_the_reserve_grows_with_the_file_up_to_a_limit(connection: Connection) -> None:
    reserve = Path(f"{connection.db.path}-reserve")
    assert 512 << 10 <= reserve.stat().st_size < 1 << 20
    connection.put1("Q", Message(bytes(1_000_000)))
    connection.db.next_look = 0.0
    connection.put1("Q", Message(b"x"))
    assert 2_000_000 < reserve.stat().st_size <= 8 << 20

"""Processes killed at any moment: what was committed is there, what was not never was."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.options import MQGMO_SYNCPOINT, MQOO_BROWSE, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.objects.definitions import define_queue
from mqtools.operations.stored_messages import load_data

from ...rows import assert_counters
from ..children import PATIENCE_S, start_child, start_ready, until

ROUNDS = 25
SEED = 20240229


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = queue_managers.create(str(tmp_path / "QM1.db"))
    with connect(path) as connection, connection.work() as work:
        for name in ("Q", "OTHER"):
            define_queue(work, "QLOCAL", name, {"max_q_depth": 100_000})
    return path


#: Does units of work at random for ever, each with a mark of its own on OTHER. Before each commit it writes to
#: its diary what is in it, after it that it is done: a line ``MARK put NUMBER get NUMBER ... .``, a line ``done``.
WORKER = """
import random
seed, diary = arguments
chance = random.Random(int(seed))
file = os.open(diary, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def note(text):
    os.write(file, text.encode())
    os.fsync(file)
with connect(path) as connection:
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT)
    number = 0
    print("ready", flush=True)
    while True:
        done = [f"{seed}:{number}"]
        connection.put1("OTHER", Message(done[0].encode(), MQMD(persistence=1)), MQPMO_SYNCPOINT)
        number += 1
        for _ in range(chance.randint(1, 5)):
            if chance.random() < 0.6:
                name = f"{seed}.{number}"
                size = chance.choice([0, 0, 300_000])
                handle.put(Message(name.encode().ljust(size), MQMD(persistence=1)), MQPMO_SYNCPOINT)
                done.append("put " + name)
                number += 1
            else:
                try:
                    data = handle.get(MQGMO_SYNCPOINT).message.data
                    done.append("get " + data.decode().strip())
                except NoMessageAvailable:
                    continue
        if chance.random() < 0.2:
            connection.backout()
            continue
        note(" ".join(done) + " .\\n")
        connection.commit()
        note("done\\n")
"""


def read_diary(diary: Path) -> tuple[Counter[str], list[str]]:
    """Return what is known to have been put and not got (got ones negative), and the last unit of work if unsure."""
    known: Counter[str] = Counter()
    unsure: list[str] = []
    for line in diary.read_text().splitlines() if diary.exists() else []:
        words = line.split()
        if line == "done":
            settle(known, unsure)
            unsure = []
        elif words[-1:] == ["."]:  # else the diary itself was cut short, before the commit
            unsure = words[:-1]
    return known, unsure


def settle(known: Counter[str], unit: list[str]) -> None:
    for verb, name in zip(unit[1::2], unit[2::2], strict=True):
        known[name] += 1 if verb == "put" else -1


def on_queue(connection: Connection, q_name: str) -> Counter[str]:
    """What there is to be got on a queue, without getting it."""
    rows = connection.db.all(
        "select seq from messages where state = 1 and queue_id = (select id from queues where name = ?)", (q_name,)
    )
    return Counter(load_data(connection, row[0]).decode().strip() for row in rows)


def recover(connection: Connection) -> None:
    """What a display of the queue manager does."""
    with connection.work() as work:
        recovery.recover(work)


def look_for_something(path: str) -> None:
    """A get that finds nothing asks who holds what."""
    with connect(path) as connection:
        handle = connection.open("Q", MQOO_INPUT_SHARED)
        with pytest.raises(NoMessageAvailable):
            handle.get(md=MQMD(msg_id=b"none such".ljust(24)))


def held_on_q(connection: Connection) -> int:
    held = "select count(*) from messages where state <> 1 and queue_id = (select id from queues where name = 'Q')"
    return int(connection.db.all(held)[0][0])


def check_counters(connection: Connection) -> None:
    assert_counters(connection)
    assert connection.db.all("pragma integrity_check") == [("ok",)]


def nothing_is_held(connection: Connection) -> None:
    assert connection.db.all("select count(*) from messages where state <> 1") == [(0,)]
    assert connection.db.all("select count(*) from holders") == [(0,)]
    assert connection.db.all("select count(*) from waiters") == [(0,)]
    orphans = "select count(*) from message_chunks where seq not in (select seq from messages)"
    assert connection.db.all(orphans) == [(0,)]


@pytest.mark.conformance("SYNC-01", "SYNC-02", "SYNC-29", "BEY-39")
@pytest.mark.timeout(600)
def test_units_of_work_survive_kills_whole_or_not_at_all(path, tmp_path):
    chance = random.Random(SEED)
    seeds = iter(range(1, 10_000))
    for _ in range(ROUNDS):
        workers = {}
        for _ in range(chance.choice([1, 2])):
            seed = next(seeds)
            workers[seed] = start_child(WORKER, path, seed, tmp_path / f"diary-{seed}")
        for worker in workers.values():
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n", worker.communicate(timeout=PATIENCE_S)[1]
        first = tmp_path / f"diary-{min(workers)}"
        until(lambda first=first: first.exists() and b"done" in first.read_bytes())
        for worker in workers.values():
            time.sleep(chance.uniform(0, 0.12))
            worker.kill()
        for worker in workers.values():
            worker.communicate(timeout=PATIENCE_S)
    look_for_something(path)
    with connect(path) as connection:
        assert held_on_q(connection) == 0
        recover(connection)
        nothing_is_held(connection)
        check_counters(connection)
        found, marks = on_queue(connection, "Q"), on_queue(connection, "OTHER")
    assert sorted(os.listdir(f"{path}-run")) == ["turn", "writer"]
    diaries = [read_diary(diary) for diary in sorted(tmp_path.glob("diary-*"))]
    assert sum(bool(known) for known, _ in diaries) > ROUNDS / 2
    expected: Counter[str] = Counter()
    for known, _ in diaries:
        expected.update(known)
    for _, unsure in diaries:
        if unsure and marks[unsure[0]]:
            settle(expected, unsure)
    assert found == +expected
    assert not -expected


# At every statement


def scenario(path: str) -> None:
    """A life with everything in it: puts and gets, under syncpoint and not, a lock, a commit, a backout, a close."""
    connection = connect(path)
    handle = connection.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT)
    handle.put(message("plain"))
    handle.put(message("unit 1"), MQPMO_SYNCPOINT)
    connection.put1("OTHER", message("unit 2"), MQPMO_SYNCPOINT)
    handle.get(MQGMO_SYNCPOINT)
    connection.commit()
    handle.put(message("never"), MQPMO_SYNCPOINT)
    handle.get(MQGMO_SYNCPOINT)
    connection.backout()
    handle.get(0x10 | 0x200)  # browse first, with lock
    handle.get(0x100 | MQGMO_SYNCPOINT)  # the message under the cursor
    handle.get()
    connection.disconnect()


def message(text: str) -> Message:
    """Long enough to be stored in pieces."""
    return Message(text.encode().ljust(300_000), MQMD(persistence=1))


def dies_at(path: str, number: int) -> bool:
    """Play the scenario in a child that kills itself before a statement; False if it has not so many."""
    child = os.fork()
    if child == 0:
        play_and_die(path, number)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def play_and_die(path: str, number: int) -> None:
    """Never comes back: not even an error may go on with the parent's tests."""
    try:
        from mqtools.store.database import Database

        left = [number]
        connect_for_real = Database._connect

        def dying(database: Database) -> object:
            sql = connect_for_real(database)
            sql.set_trace_callback(lambda _: count_down(left))
            return sql

        Database._connect = dying  # type: ignore[assignment, method-assign]
        scenario(path)
        os._exit(0)
    finally:
        os._exit(1)


def count_down(left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)


#: What can be on Q and on OTHER after the scenario was cut short, in the order of time.
STAGES = [
    (["first"], []),
    (["first", "plain"], []),
    (["plain", "unit 1"], ["unit 2"]),
    (["plain"], ["unit 2"]),
    ([], ["unit 2"]),
]


@pytest.fixture
def numbers() -> Iterator[int]:
    """Every third statement, and each in ``make soak``."""
    return iter(range(0, 400, 1 if "MQX_SOAK_SEED" in os.environ else 3))


@pytest.mark.conformance("LOCK-26", "SYNC-29", "BEY-55")
@pytest.mark.timeout(600)  # it takes long: so many lives and deaths
def test_a_process_can_die_at_any_statement(path, tmp_path, numbers):
    with connect(path) as connection:
        connection.put1("Q", message("first"))
    made, reached = path, 0
    for number in numbers:
        path = shutil.copyfile(made, str(tmp_path / f"dies at {number}.db"))
        died = dies_at(path, number)
        stage = STAGES.index(what_is_left(path))
        assert stage >= reached
        reached = stage
        if not died:
            break
    assert reached == len(STAGES) - 1


def what_is_left(path: str) -> tuple[list[str], list[str]]:
    with connect(path) as connection:
        recover(connection)
        check_counters(connection)
        nothing_is_held(connection)
        left = (texts(connection, "Q"), texts(connection, "OTHER"))
    for file in Path(path).parent.glob(Path(path).name + "*"):
        if file.is_file():
            file.unlink()
    return left


def texts(connection: Connection, q_name: str) -> list[str]:
    with connection.open(q_name, MQOO_INPUT_SHARED) as handle:
        found = []
        while True:
            try:
                found.append(handle.get().message.data.decode().strip())
            except MQError:
                return found


def test_the_next_process_needs_nothing_of_the_one_that_died_while_it_wrote(path):
    """The write turn ends with its process, also in the middle of a transaction."""
    child = start_ready(
        """
connection = connect(path)
with connection.work() as work:
    work.db.run("update queue_status set depth = 77")
    print("writing", flush=True)
    sys.stdin.read()
""",
        path,
        says="writing",
    )
    child.kill()
    child.communicate(timeout=PATIENCE_S)
    with connect(path) as connection:
        connection.put1("Q", Message(b"next"))
        assert connection.db.all("select depth from queue_status order by queue_id") == [(1,), (0,)]

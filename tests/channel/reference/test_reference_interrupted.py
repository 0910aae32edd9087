"""The receiving exit killed at any step: every portion is sent again, and the object is exact, once."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.channel.reference.audit import unfinished_objects
from mqtools.channel.reference.object import ArrivedPortion, ReceivingFolder
from mqtools.rules.reference import Portion

from .ends import INSTANCE

OBJECT = random.Random(11).randbytes(600)
NAME = ("in", "film.bin")
#: What the receiving exit does to files. Anything else it does is lost with its process.
STEPS = ("open", "write", "pwrite", "ftruncate", "fsync", "mkdir", "link", "rename", "unlink")


class Killed(BaseException):
    """Raised where a process would be killed."""


@contextmanager
def killed_at(step: int, part_done: float = 0) -> Iterator[list[str]]:
    """Kill whoever makes the step of that number, before it is done; gives the names of the steps that were made.

    part_done: of a write, how much of it is done all the same.
    """
    real = {name: getattr(os, name) for name in STEPS}
    made: list[str] = []

    def replaced(name: str) -> Callable[..., Any]:
        def act(*arguments: Any, **named: Any) -> Any:
            if len(made) == step:
                if name in ("write", "pwrite") and part_done:
                    data = bytes(arguments[1])
                    real[name](arguments[0], data[: int(len(data) * part_done)], *arguments[2:])
                raise Killed(name)
            made.append(name)
            return real[name](*arguments, **named)

        return act

    for name in STEPS:
        setattr(os, name, replaced(name))
    try:
        yield made
    finally:
        for name, function in real.items():
            setattr(os, name, function)


class Receiver:
    """A receiving folder whose process can be killed: what it had in memory is gone then."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.root = os.open(folder, os.O_RDONLY)
        self.folder = ReceivingFolder(self.root)

    def receive(self, begin: int, end: int, q_name: str = "Q") -> None:
        portion = Portion(begin, end - begin, end == len(OBJECT))
        self.folder.receive(ArrivedPortion(NAME, INSTANCE, portion, OBJECT[begin:end], q_name))

    def die(self) -> None:
        os.close(self.root)
        self.root = os.open(self.path, os.O_RDONLY)
        self.folder = ReceivingFolder(self.root)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.path)): path.read_bytes()
            for path in self.path.rglob("*")
            if path.is_file() and path.suffix != ".log"
        }


cuts = st.lists(st.integers(1, len(OBJECT) - 1), unique=True, max_size=4).map(sorted)


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[int, int, int | None, float]]:
    """Portions in any order, some of them more than once, some interrupted: begin, end, step, part of a write."""
    inner = draw(cuts)
    portions = list(zip([0, *inner], [*inner, len(OBJECT)], strict=True))
    again = draw(st.lists(st.sampled_from(portions), max_size=4))
    overlapping = draw(st.lists(st.tuples(*[st.integers(0, len(OBJECT))] * 2).map(sorted).map(tuple), max_size=2))
    wanted = draw(st.permutations([*portions, *again, *overlapping]))
    steps = st.none() | st.integers(0, 14)
    return [(*portion, draw(steps), draw(st.sampled_from([0, 0.4, 1.0]))) for portion in wanted]


@pytest.mark.slow
@pytest.mark.conformance("REF-13", "REF-19", "REF-20")
@settings(max_examples=300, deadline=None)
@given(story=stories())
def test_any_order_repetition_and_interruption_gives_the_object_exactly_once(
    story: list[tuple[int, int, int | None, float]],
) -> None:
    with TemporaryDirectory() as folder, mock.patch("os.fsync", return_value=None):  # nobody pulls a plug here
        receiver = Receiver(Path(folder))
        for begin, end, step, part_done in story:
            if begin == end < len(OBJECT):
                continue  # no sender makes one
            if step is not None:
                try:
                    with killed_at(step, part_done):
                        receiver.receive(begin, end)
                except Killed:
                    receiver.die()
                assert receiver.files().get("in/film.bin") in (None, OBJECT)
            receiver.receive(begin, end)
            assert receiver.files().get("in/film.bin") in (None, OBJECT)
        assert receiver.files() == {"in/film.bin": OBJECT}
        assert unfinished_objects(folder) == []
        os.close(receiver.root)


def test_each_step_of_each_portion_interrupted_once(tmp_path: Path) -> None:
    """The same without chance: two portions, the last first."""
    for part_done in (0, 0.5, 1):
        for n in range(40):
            folder = tmp_path / f"{n}-{part_done}"
            folder.mkdir()
            receiver = Receiver(folder)
            was_killed = 0
            for begin, end in ((300, 600), (0, 300)):
                try:
                    with killed_at(n, part_done):
                        receiver.receive(begin, end)
                except Killed:
                    was_killed += 1
                    receiver.die()
                receiver.receive(begin, end)
            assert receiver.files() == {"in/film.bin": OBJECT}
            os.close(receiver.root)
            if not was_killed:
                break
        assert 12 < n < 39, "not every step was reached"


def test_data_is_on_the_disk_before_the_log_says_so_and_the_name_before_the_temporary_one_goes(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path)
    with killed_at(-1) as steps:
        receiver.receive(0, len(OBJECT))
    os.close(receiver.root)
    after_write = steps[steps.index("pwrite") :]
    assert [name for name in after_write if name != "open"] == [
        *("pwrite", "fsync"),  # the data
        *("write", "fsync"),  # the log
        *("write", "fsync"),  # which file is about to get the name
        *("mkdir", "fsync"),
        *("link", "fsync"),
        *("unlink", "fsync"),
    ]
    before_write = steps[: steps.index("pwrite")]
    assert before_write[-1] == "fsync"  # of the folder with both names


def test_what_an_unlogged_portion_left_behind_the_end_is_cut_off(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path)
    receiver.receive(0, 300)
    (part,) = tmp_path.glob(".mqx-*.part")
    with open(part, "ab") as file:
        file.write(b"x" * 1000)
    receiver.receive(300, 600)
    assert receiver.files() == {"in/film.bin": OBJECT}
    os.close(receiver.root)


def test_another_process_at_the_same_object_is_waited_for(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path)
    receiver.receive(0, 300)
    (log,) = tmp_path.glob(".mqx-*.log")
    with open(log, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = threading.Thread(target=receiver.receive, args=(300, 600))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert "in/film.bin" not in receiver.files()
    waiting.join(60)
    assert receiver.files() == {"in/film.bin": OBJECT}
    os.close(receiver.root)


def test_portions_of_one_object_come_through_two_channels_at_once(tmp_path: Path) -> None:
    """Real processes, of which some are killed; whoever is left does all again."""
    code = (
        "import sys, os, random; from pathlib import Path\n"
        "from mqtools.channel.reference.object import ArrivedPortion, ReceivingFolder\n"
        "from mqtools.rules.reference import Portion\n"
        "data = random.Random(11).randbytes(60000); n = int(sys.argv[2]); order = list(range(60))\n"
        "random.Random(n).shuffle(order)\n"
        "folder = ReceivingFolder(os.open(sys.argv[1], os.O_RDONLY))\n"
        "for at in order:\n"
        "    piece = data[at * 1000 : at * 1000 + 1000]\n"
        "    portion = Portion(at * 1000, 1000, at == 59)\n"
        "    folder.receive(ArrivedPortion(('film.bin',), b'I' * 24, portion, piece, f'Q{n}'))\n"
        "    print(at, '.' * 10_000 * (n == 0), flush=True)\n"  # who is not read stands still, and can be killed
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)], stdout=subprocess.PIPE) for n in range(3)
    ]
    victim = running[0]
    assert victim.stdout is not None
    for _ in range(10):
        victim.stdout.readline()
    victim.send_signal(signal.SIGKILL)
    for process in running:
        process.communicate(timeout=100)
    assert [process.returncode for process in running] == [-signal.SIGKILL, 0, 0]
    assert (tmp_path / "film.bin").read_bytes() == random.Random(11).randbytes(60000)
    assert [path.suffix for path in tmp_path.iterdir() if path.name != "film.bin"] == [".log"]

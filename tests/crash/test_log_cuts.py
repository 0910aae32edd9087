"""A log that was cut off or damaged: what was committed before the damage is there, in order, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

from .accounting import take_stock

_HEADER, _FRAME = 32, 24 + 4096
_MESSAGES = [f"m{number}" for number in range(12)]


@pytest.fixture(scope="module")
def cut(made: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A file and its log, as they are while a program uses them."""
    path = shutil.copyfile(made, str(tmp_path_factory.mktemp("log") / "QM1.db"))
    os.chmod(path, 0o600)
    with connect(path) as connection:
        for text in _MESSAGES:
            connection.put1("Q", Message(text.encode(), MQMD(persistence=1)))
        return Path(path).read_bytes(), Path(f"{path}-wal").read_bytes()


def found_with(log: bytes, file: bytes, folder: Path) -> list[str]:
    """Return what is on Q with this file and log."""
    folder.mkdir()
    for name, data in (("QM1.db", file), ("QM1.db-wal", log)):
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600)
    try:
        return take_stock(str(folder / "QM1.db"))["Q"]
    finally:
        shutil.rmtree(folder)


def frames_of(log: bytes) -> int:
    """Return the number of frames that have the salt of the header: the log may be longer than what is in it."""
    salt = log[16:24]
    number = 0
    while log[_HEADER + number * _FRAME + 8 : _HEADER + number * _FRAME + 16] == salt:
        number += 1
    return number


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("beyond", [0, 1, 30, 2000])
def test_a_log_that_is_cut_leaves_what_was_committed_before_the_cut(
    cut: tuple[bytes, bytes], tmp_path: Path, every_case: bool, beyond: int
) -> None:
    file, log = cut
    step = 1 if every_case else 5
    before = 0
    for number in range(0, frames_of(log), step):
        found = found_with(log[: _HEADER + number * _FRAME + beyond], file, tmp_path / "cut")
        assert found == _MESSAGES[: len(found)]
        assert len(found) >= before
        before = len(found)
    assert found_with(log, file, tmp_path / "whole") == _MESSAGES


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("place", [0, 9, 20, 23, 24, 500, 4119])
def test_a_frame_that_is_damaged_ends_the_log(
    cut: tuple[bytes, bytes], tmp_path: Path, every_case: bool, place: int
) -> None:
    """place: of the byte in the frame that has another bit."""
    file, log = cut
    step = 1 if every_case else 9
    for number in range(1, frames_of(log), step):
        damaged = bytearray(log)
        damaged[_HEADER + number * _FRAME + place] ^= 0x10
        found = found_with(bytes(damaged), file, tmp_path / "damaged")
        assert found == _MESSAGES[: len(found)]
        assert len(found) < len(_MESSAGES)

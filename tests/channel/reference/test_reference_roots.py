"""Reference messages stay below their root folders, and what a file system refuses is told of."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants import reasons as rc

from ..conftest import fails
from .ends import Ends, reference_message

# -- confined to the roots ----------------------------------------------------------------------------------

HOSTILE = ["..", "../film.bin", "a/../../film.bin", "/etc/passwd", "", ".", "film.bin/", "a\ufffd", ".mqx-1.log"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_lead_out_of_the_root_are_refused_at_the_sender(ends: Ends, name: str) -> None:
    ends.run(reference_message(name, dest_name="copy"))
    assert (ends.sent, len(ends.dead), len(ends.notes)) == ([], 1, 1)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_lead_out_of_the_root_are_refused_at_the_receiver(ends: Ends, tmp_path: Path, name: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    message = reference_message(dest_name=name, bulk=b"abc", flags=1)
    ends.receive(message)
    assert ends.dead == [message]
    assert sorted(tmp_path.rglob("*")) == before


def test_links_are_not_followed_at_the_sender(ends: Ends, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("secret")
    (ends.source / "link").symlink_to(tmp_path / "secret")
    (ends.source / "inner").symlink_to("film.bin")
    (ends.source / "folder").symlink_to(tmp_path / "outside")
    ends.run(*(reference_message(name) for name in ("link", "inner", "folder/file")))
    assert (ends.sent, len(ends.dead)) == ([], 3)


def test_links_are_not_followed_at_the_receiver(ends: Ends, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (ends.target / "folder").symlink_to(outside)
    (ends.target / "link").symlink_to(outside / "made")
    for name in ("folder/file", "link"):
        ends.receive(reference_message(dest_name=name, bulk=b"abc", flags=1))
    assert len(ends.dead) == 2
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_a_temporary_file_is_not_followed(ends: Ends, tmp_path: Path) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    part = ends.target / next(name for name in ends.hidden() if name.endswith(".part"))
    (tmp_path / "victim").write_bytes(b"precious")
    part.unlink()
    part.symlink_to(tmp_path / "victim")
    ends.receive(reference_message(bulk=b"def", offset=3, flags=1))
    assert (len(ends.dead), (tmp_path / "victim").read_bytes()) == (1, b"precious")


def test_what_is_no_ordinary_file_is_not_sent(ends: Ends) -> None:
    (ends.source / "folder").mkdir()
    os.mkfifo(ends.source / "pipe")  # opening it must not wait
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(ends.source / "socket"))
        ends.run(*(reference_message(name) for name in ("folder", "pipe", "socket", "nothing", "film.bin/x")))
    assert (ends.sent, len(ends.dead)) == ([], 5)


@pytest.mark.conformance("REF-16")
def test_an_object_that_may_not_be_read_is_refused(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    deny(monkeypatch, "film.bin", errno.EACCES)
    put = reference_message()
    ends.run(put)
    assert (ends.sent, ends.dead) == ([], [put])
    assert ends.notes == ["reference message refused: film.bin: Permission denied"]


@pytest.mark.conformance("REF-16")
def test_a_folder_that_may_not_be_written_refuses_the_message_with_its_data(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    deny(monkeypatch, ".log", errno.EACCES)
    message = reference_message(bulk=b"abc", flags=1)
    ends.receive(message)
    assert (ends.queue, ends.dead) == ([], [message])
    assert (ends.objects(), ends.hidden()) == ({}, [])


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, rc.MQRC_STORAGE_MEDIUM_FULL),
        (errno.EIO, rc.MQRC_RESOURCE_PROBLEM),
        (errno.EMFILE, rc.MQRC_RESOURCE_PROBLEM),
    ],
)
@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_machine_that_cannot_go_on_stops_the_channel(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, number: int, reason: int, end: str
) -> None:
    deny(monkeypatch, "film.bin" if end == "sender" else ".part", number)
    with fails(reason, "film.bin"):
        ends.run(reference_message())
    assert (ends.queue, ends.dead) == ([], [])


def deny(monkeypatch: pytest.MonkeyPatch, ending: str, number: int) -> None:
    """Let the opening of files fail, for the superuser too."""
    real = os.open

    def opening(path: Any, *arguments: Any, **named: Any) -> int:
        if str(path).endswith(ending):
            raise OSError(number, os.strerror(number))
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, "open", opening)

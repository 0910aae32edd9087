"""Files that are replaced whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mqtools.formats.files import replace_text


def test_a_file_is_replaced_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")
    path.chmod(0o644)
    replace_text(str(path), "é\r\n")
    assert path.read_bytes() == "é\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_full_disk_costs_nothing_and_is_said_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as failed:
        replace_text(str(path), "after")
    assert failed.value.filename == str(path)
    assert (path.read_text(), os.listdir(tmp_path)) == ("before", ["page.html"])


def test_a_link_stays_one_and_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "link"
    link.symlink_to(path)
    replace_text(str(link), "text")
    assert (link.is_symlink(), path.read_text()) == (True, "text")
    replace_text("/dev/null", "text")
    assert not Path("/dev/null").is_file()

"""Local files and folders with permissions, complete and on disk or not there."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from mqtools.arrow import whole_files
from mqtools.formats.files import flush_path


def folder_mode(mode: int) -> int:
    """Return the permissions of folders for those of files: who may read may search too."""
    return mode | (mode & 0o444) >> 2


def set_mode(path: str, mode: int) -> None:
    """Set the permissions of a file or folder, unless a worker of another user has written it."""
    if os.stat(path).st_uid == os.geteuid():
        os.chmod(path, mode)


def make_folders(path: str, mode: int) -> None:
    """Create a folder and those above it that are missing."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for each in reversed(missing):
        make_folder(each, mode)


def make_folder(path: str, mode: int) -> None:
    """Create a folder, unless another process has just done so."""
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
        os.chmod(path, folder_mode(mode))


def write_json(path: str, content: dict[str, Any], mode: int) -> None:
    """Replace a file, or a link, complete and on disk, or not at all."""
    whole_files.write_json(path, content, mode)
    flush_path(os.path.dirname(path))


def read_json(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    return found

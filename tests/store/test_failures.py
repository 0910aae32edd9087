"""Errors of SQLite in words: a file that cannot be written says so."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.store.failures import storage_error


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        (os.R_OK, "the file or its folder is read-only"),
        (0, "the file cannot be opened"),
        (None, "the file cannot be opened"),
    ],
    ids=["read-only folder", "unreadable", "writable"],
)
def test_a_file_that_cannot_be_opened_is_read_only_where_its_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int | None, words: str
) -> None:
    def has_access(path: Any, mode: int) -> bool:
        return allowed is None or mode == allowed

    monkeypatch.setattr(os, "access", has_access)
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect(tmp_path / "none" / "file.db")
    path = str(tmp_path / "QM1.db")
    error = storage_error(raised.value, path)
    assert (error.text, error.reason) == (f"{path}: {words}", MQRC_NOT_AUTHORIZED)

"""The version that a file of a queue manager has, and how it is refused."""

from __future__ import annotations

import sqlite3

import pytest

from mqtools.errors import StorageError
from mqtools.store.open_database import open_database


def refusal(path: str, *, read_only: bool = False) -> StorageError:
    with pytest.raises(StorageError) as caught:
        open_database(path, read_only=read_only)
    assert path in caught.value.text
    return caught.value


def set_version(path: str, version: int) -> None:
    sql = sqlite3.connect(path)
    sql.execute(f"pragma user_version = {version}")
    sql.close()

"""The address by which SQLite opens a file only to read it names that file, whatever its path looks like."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mqtools.store.addresses import address


@pytest.mark.parametrize("name", ["QM1.db", "100%3f.db", "a?mode=rwc.db", "a#b.db", "a b&immutable=1.db"])
@pytest.mark.parametrize("way", ["name", "/", "//"])
def test_a_file_is_read_by_its_address_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect(tmp_path / name)) as made:
        made.execute("create table t (x)")
    path = name if way == "name" else f"{way}{str(tmp_path / name).lstrip('/')}"
    with closing(sqlite3.connect(address(path), uri=True)) as database:
        assert database.execute("select count(*) from t").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            database.execute("insert into t values (1)")
    assert os.listdir(tmp_path) == [name]

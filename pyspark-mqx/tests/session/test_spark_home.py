"""Spark's home: what its processes import is what is installed, not an archive of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyspark as pyspark
import pytest
from pyspark_mqx.session import spark_home


@pytest.mark.skipif("SPARK_HOME" in os.environ, reason="no home is made: $SPARK_HOME names one")
def test_spark_and_its_workers_import_what_is_installed(spark: Any) -> None:
    (found,) = spark.sparkContext.parallelize(["__import__('pyspark').__file__"], 1).map(eval).collect()
    assert Path(found).is_file()
    assert Path(found).samefile(pyspark.__file__)
    assert "SPARK_HOME" not in os.environ


def test_a_home_that_the_environment_names_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/opt/spark")
    with spark_home.use_home(spark_home.choose()):
        assert os.environ["SPARK_HOME"] == "/opt/spark"
    assert os.environ["SPARK_HOME"] == "/opt/spark"


def test_a_spark_that_is_laid_out_otherwise_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(spark_home, "_folder_of", lambda _: str(tmp_path))
    with spark_home.use_home(spark_home.choose()):
        assert "SPARK_HOME" not in os.environ
    assert os.listdir(tmp_path / "cache" / "mqx") == []


def test_a_home_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert spark_home.find() == spark_home.find()
    (made,) = (tmp_path / "mqx").iterdir()
    assert (made / "bin" / "spark-submit").is_file()
    with spark_home.use_home(spark_home.choose()):
        assert os.environ["SPARK_HOME"] == str(made)


def test_where_no_home_can_be_made_spark_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    with spark_home.use_home(spark_home.choose()):
        assert "SPARK_HOME" not in os.environ


def test_homes_of_what_is_not_installed_any_more_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    gone = tmp_path / "mqx" / "spark-0123456789abcdef"
    gone.mkdir(parents=True)
    (gone / "jars").symlink_to(tmp_path / "removed" / "jars")
    other = tmp_path / "mqx" / "spark-new-being-made"
    other.mkdir()
    made = spark_home.find()
    assert sorted(map(str, (tmp_path / "mqx").iterdir())) == sorted([str(other), made])

"""Spark's classes are kept, and are what Java uses when Spark starts."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.session import class_cache, session

from mqtools.errors import MQError

#: Keeps the classes of every job.
KEEP = "from pyspark_mqx.session import class_cache; print(*class_cache.record_classes())"


def fake_java(folder: Path, version: str) -> str:
    """Create the home of a Java that only prints its version."""
    java = folder / version / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho Picked up $JAVA_TOOL_OPTIONS >&2\necho 'openjdk version \"{version}\"' >&2\n")
    java.chmod(0o700)
    return str(folder / version)


def test_kept_classes_are_of_one_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a cache"
    place.mkdir()
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path, "17.0.1"))
    kept = session.classes_file(str(place))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1g")
    session._version_output.cache_clear()
    assert session.classes_file(str(place)) == kept
    assert "SharedArchiveFile" not in session.java_options({}, str(place))
    Path(kept).touch()
    assert f"-XX:SharedArchiveFile={kept}" in shlex.split(session.java_options({}, str(place)))
    assert "SharedArchiveFile" not in session.java_options({})
    monkeypatch.setenv("JAVA_HOME", fake_java(tmp_path, "17.0.2"))
    assert "SharedArchiveFile" not in session.java_options({}, str(place))


@pytest.mark.timeout(200)
@pytest.mark.skipif("MQX_TABLES" not in os.environ, reason="make test-tables keeps the classes of every job")
@pytest.mark.skipif("SPARK_HOME" in os.environ, reason="no home is made: $SPARK_HOME names one")
def test_java_starts_with_the_classes_that_are_kept(tmp_path: Path) -> None:
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KEEP], env=environ, capture_output=True, text=True, check=True)
    path, size = done.stdout.split()
    assert int(size) == os.path.getsize(path) > 2**20
    assert "[warning]" not in done.stdout
    place = os.path.dirname(path)
    assert [name for name in os.listdir(place) if "classes" in name] == [os.path.basename(path)]
    options = [option for option in shlex.split(session.java_options({}, place)) if not option.startswith("-Xlog")]
    line = [f"{place}/bin/spark-submit", "--driver-java-options", shlex.join([*options, "-Xlog:class+load"])]
    environ = {**os.environ, "SPARK_HOME": place, "SPARK_PRINT_LAUNCH_COMMAND": "1"}
    shown = subprocess.run([*line, "--version"], env=environ, capture_output=True, text=True, check=True, timeout=60)
    assert "org.apache.spark.deploy.SparkSubmit source: shared objects file (top)" in shown.stdout


def test_a_little_of_all_jobs_is_what_the_classes_are_for(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    class_cache.train(spark)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SPARK_HOME", "/opt/spark", "SPARK_HOME names another"),
        ("XDG_CACHE_HOME", "/dev/null", "no cache folder"),
    ],
)
def test_where_classes_cannot_be_kept_that_is_said(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(MQError, match=said):
        class_cache.record_classes()

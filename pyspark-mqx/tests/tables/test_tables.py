"""Spark's own writers of Delta and Iceberg, on the pairs of PySpark and jar that exist: ``make test-tables``."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif("MQX_TABLES" not in os.environ, reason="make test-tables fetches Sparks and jars, and runs it"),
]

DELTA, ICEBERG = "io.delta:delta-spark_{}_2.13:4.4.0", "org.apache.iceberg:iceberg-spark-runtime-{}_2.13:1.12.0"


def run(version: str, form: str, package: str, folder: Path) -> dict[str, Any]:
    """Run the program on a PySpark; return what it says. Skip where Maven Central is not reached."""
    python = ROOT / f"build/spark-{version}/bin/python"
    if not python.exists():
        pytest.skip(f"PySpark {version} is not in build/: PyPI was not reached")
    words = [python, Path(__file__).with_name("program.py"), form, package, folder]
    own = {**os.environ, "PYSPARK_PYTHON": str(python), "PYTHONPATH": ""}
    done = subprocess.run(words, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    if "unresolved dependenc" in done.stderr + done.stdout:
        pytest.skip(f"{package}: Maven Central is not reached")
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {name: value for line in lines for name, value in line.items()}


@pytest.mark.parametrize(
    ("version", "form", "package"),
    [
        ("4.2.0", "delta", DELTA.format("4.2")),
        ("4.1.1", "delta", DELTA.format("4.1")),
        ("4.1.1", "iceberg", ICEBERG.format("4.1")),
    ],
)
def test_a_queue_is_written_saved_and_merged_by_spark(version: str, form: str, package: str, tmp_path: Path) -> None:
    found = run(version, form, package, tmp_path)
    assert (found["version"], found["rows"]) == (version, [["0", 0, None], ["1", 9, None], ["2", 9, None]])
    if form == "delta":
        assert (found["archived"], found["by_spark"], found["read"], found["read_archive"]) == (3, 3, [3, 3], [3, 3])
        assert found["appended"] == 9, "a transaction is appended once"
    if version == "4.2.0":
        assert found["streamed"] == [4, 4]


@pytest.mark.parametrize("version", ["4.1.1", "4.2.0", "4.3.0"])
def test_what_no_document_of_spark_promises_is_as_the_jobs_need_it(version: str, tmp_path: Path) -> None:
    """The text about a damaged file, our errors in those of tasks, pushdown, tables, the home of PySpark."""
    found = run(version, "doors", "", tmp_path)
    assert (found["unread"], found["pushed_false"], found["pushed_true"], found["home"]) == (True, 3, 3, True)
    assert found["table"].startswith("a table of format mqx is not supported")
    assert "of queue DEV.QUEUE.1 is damaged: 1 bytes of data are stored, not 9" in found["ours"]


@pytest.mark.parametrize(
    ("form", "package", "said"),
    [("delta", DELTA.format("4.2"), "Delta"), ("iceberg", ICEBERG.format("4.1"), "Iceberg")],
)
def test_a_jar_of_another_spark_is_one_clear_line(form: str, package: str, said: str, tmp_path: Path) -> None:
    found = run("4.3.0", form, package, tmp_path)
    assert found["refused"].startswith(f"the jar of {said} does not work with Spark 4.3.0"), found

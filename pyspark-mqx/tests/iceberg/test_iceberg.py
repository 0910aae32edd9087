"""Archives in a table of Iceberg, for real: ``make iceberg`` brings a Spark and a jar that fit together.

Without them ``pyspark-mqx/tests/jobs/test_tables.py`` has what needs no Iceberg.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

#: Python of an environment with PySpark that the jars are made for, and the jars.
PYTHON, JARS = os.environ.get("MQX_ICEBERG_PYTHON"), os.environ.get("MQX_ICEBERG_JARS", "")
TREE = Path(__file__).parents[3]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PYTHON is None, reason="no Iceberg for Spark here: make iceberg gets it and runs this"),
]

#: Step at which the process dies, in order; those behind ``_SEALED`` have their files complete.
KILLS = ["begin", "sealed", "created", "staged", "published", "in the table", "noted", "end"]
_SEALED, _PUBLISHED = KILLS.index("sealed"), KILLS.index("published")


def run(folder: Path, step: str, word: str = "") -> tuple[int, Any]:
    command = [str(PYTHON), str(Path(__file__).with_name("run.py")), str(folder), JARS, step, word]
    environ = {**os.environ, "PYTHONPATH": str(TREE), "PYSPARK_PYTHON": str(PYTHON)}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=False, timeout=300)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, json.loads(last[0]) if last and not done.returncode else None


@pytest.mark.parametrize("step", KILLS)
def test_a_run_killed_anywhere_is_in_the_table_once_or_undone(tmp_path: Path, step: str) -> None:
    assert run(tmp_path, step, "killed") == (-signal.SIGKILL, None)
    status, found = run(tmp_path, "no step", "next")
    at = KILLS.index(step)
    assert status == 0
    assert found["before"] == (["killed"] if at >= _PUBLISHED else [])
    assert found["words"] == (["killed", "next"] if at >= _SEALED else ["next"])
    assert found["finished"] == (1 if _SEALED <= at < KILLS.index("end") else 0)
    assert found["left"] == []


def test_what_two_processes_publish_at_the_same_time_is_there_once(tmp_path: Path) -> None:
    status, found = run(tmp_path, "race")
    assert status == 0
    assert found["was staged"]
    assert found["rows"] == [
        ["one", None, "007", "2026-11-22"],
        ["one", None, "007", "2026-11-22"],
        ["two", "red", "007", "2026-11-22"],
    ]
    assert found["partitions"] == [["put_day", "qmgr", "queue"]]
    assert "its snapshots since a run was killed have expired" in found["refused"]
    assert "nothing.lake.messages: Spark does not have the format iceberg" in found["unknown"]
    assert "spark.jars.packages=org.apache.iceberg:iceberg-spark-runtime" in found["unknown"]

"""What a session on this machine starts Java with."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

pytest.importorskip("pyspark")

from mqtools.pipeline import session


@pytest.mark.parametrize(
    "chosen", [{}, {"JAVA_TOOL_OPTIONS": "-XX:+UseSerialGC"}, {"JDK_JAVA_OPTIONS": "-Xmx64m -XX:+UseG1GC"}]
)
def test_java_knows_the_options_it_is_started_with(chosen: dict[str, str]) -> None:
    """It would pass over one that is misspelt, and does not start with two collectors."""
    java = shutil.which("java") or pytest.skip("there is no Java")
    options = [option for option in session.java_options(chosen).split() if option != session.LENIENT]
    environ = {**os.environ, **chosen}
    line = [java, *options, "-version"]
    done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("-XX:+UseParallelGC" in options) == (not chosen)


@pytest.mark.parametrize("name", ["SPARK_HOME", "SPARK_CONF_DIR"])
def test_the_collector_of_a_spark_with_settings_of_its_own_is_left_to_them(name: str) -> None:
    assert "GC" not in session.java_options({name: "/opt/spark"})

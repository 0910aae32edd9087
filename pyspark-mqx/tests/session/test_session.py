"""Options that a session on this machine starts Java with."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pyspark_mqx.session import session


@pytest.mark.parametrize(
    "chosen", [{}, {"JAVA_TOOL_OPTIONS": "-XX:+UseSerialGC"}, {"JDK_JAVA_OPTIONS": "-Xmx64m -XX:+UseG1GC"}]
)
def test_java_knows_the_options_it_is_started_with(chosen: dict[str, str]) -> None:
    """It would pass over one that is misspelt, and does not start with two collectors."""
    java = shutil.which("java") or pytest.skip("Java is not installed here")
    options = [option for option in shlex.split(session.java_options(chosen)) if option != session.LENIENT]
    environ = {**os.environ, **chosen}
    line = [java, *options, "-version"]
    done = subprocess.run(line, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("-XX:+UseParallelGC" in options) == (not chosen)


@pytest.mark.parametrize("name", ["SPARK_HOME", "SPARK_CONF_DIR"])
def test_the_collector_of_a_spark_with_settings_of_its_own_is_left_to_them(name: str) -> None:
    assert "GC" not in session.java_options({name: "/opt/spark"})


def test_a_folder_with_a_space_is_one_word_to_java(tmp_path: Path) -> None:
    place = tmp_path / "my programs" / "session.py"
    place.parent.mkdir()
    shutil.copy(session.__file__, place)
    spec = spec_from_file_location("elsewhere", place)
    assert spec is not None
    assert spec.loader is not None
    elsewhere = module_from_spec(spec)
    spec.loader.exec_module(elsewhere)
    settings = f"-Dlog4j2.configurationFile={place.parent / 'log4j2.properties'}"
    assert settings in shlex.split(elsewhere.java_options({}))


@pytest.mark.skipif("SPARK_HOME" in os.environ, reason="no home is made: $SPARK_HOME names one")
def test_spark_lives_in_our_home_with_our_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    started: dict[str, str] = {}

    class Builder:
        def appName(self, _: str) -> Builder:
            return self

        def master(self, _: str) -> Builder:
            return self

        def config(self, key: str, value: str) -> Builder:
            started[key] = value
            return self

        def getOrCreate(self) -> None:
            started["home"] = os.environ["SPARK_HOME"]

    monkeypatch.setattr(SparkSession, "builder", Builder())
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("PYSPARK_PYTHON", "python")
    session.start()
    assert "-XX:+UseParallelGC" in started["spark.driver.extraJavaOptions"]
    assert os.path.dirname(started["home"]) == str(tmp_path / "mqx")
    assert "SPARK_HOME" not in os.environ


@pytest.mark.parametrize(
    ("chosen", "of_java"), [("C", "C.UTF-8"), ("POSIX", "C.UTF-8"), ("de_DE.UTF-8", "de_DE.UTF-8")]
)
def test_java_takes_names_of_files_for_utf_8_as_python_does(
    monkeypatch: pytest.MonkeyPatch, chosen: str, of_java: str
) -> None:
    class Started(Exception):
        pass

    def get_or_create(_: object) -> None:
        raise Started(os.environ["LC_ALL"])

    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", get_or_create)
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr("pyspark_mqx.session.spark_home.choose", str)
    monkeypatch.setenv("PYSPARK_PYTHON", "python")
    monkeypatch.setenv("LC_ALL", chosen)
    with pytest.raises(Started, match=f"^{of_java}$"):
        session.start()

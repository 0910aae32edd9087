"""Java programs with IBM's client, run by Maven against ``mqx serve``.

They are skipped where Maven or what it fetches is missing; ``make test-java`` has Maven fetch it. With
``MQX_JAVA_SERVER=HOST:PORT`` they connect to a server that runs already.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .serving import FOLDER, Served, define, serve

#: What Maven says of a file that it does not have and cannot fetch.
_UNREACHABLE = re.compile(r"offline mode|Could not (?:resolve|transfer)|could not be resolved|Unknown host")
#: Module to its folder, Maven's options for it, and the name of its folder below build/java.
MODULES: dict[str, tuple[Path, list[str], str]] = {
    "javax": (FOLDER, [], "com.ibm.mq.allclient"),
    "jakarta": (FOLDER, ["-Pjakarta"], "com.ibm.mq.jakarta.client"),
    "applications": (FOLDER / "applications", [], "applications"),
}
#: Class and method of a Java test to None if it passed, else to what failed.
Results = dict[tuple[str, str], str | None]


def run_tests(module: str, port: int, *words: str) -> Results:
    """Run the Java tests of a module against a server's port; return their results."""
    folder, profile, artifact = MODULES[module]
    reports = FOLDER.parent.parent / "build" / "java" / artifact / "surefire-reports"
    shutil.rmtree(reports, ignore_errors=True)
    settings = [f"-Dmqx.port={port}", f"-Dmqx.cases={FOLDER / 'cases.json'}", *words]
    output = maven(*profile, *settings, "test", folder=folder)
    results = read_reports(reports)
    assert results, output
    return results


def maven(*words: str, folder: Path = FOLDER) -> str:
    """Run Maven in a folder, offline if it has fetched all; return its output, or skip the test.

    A test that fails is no failure of Maven's here: its report says so.
    """
    command = shutil.which("mvn")
    if command is None:
        pytest.skip("there is no Maven (mvn) here")
    for mode in (["-o"], []):
        line = [command, "-B", "-q", *mode, "-Dmaven.test.failure.ignore=true", *words]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode == 0:
            return done.stdout
        if "MQX_FETCH" not in os.environ:
            break
    if _UNREACHABLE.search(done.stdout):
        pytest.skip("Maven has not fetched IBM's client and JUnit: make test-java does, with a network")
    raise AssertionError(done.stdout[-5000:])


def read_reports(folder: Path) -> Results:
    """Return the results that surefire wrote."""
    found: Results = {}
    for path in folder.glob("TEST-*.xml"):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            mistakes = [child for child in case if child.tag in ("failure", "error")]
            text = "\n".join(child.text or child.get("message", "") for child in mistakes)
            found[case.attrib["classname"].rpartition(".")[2], case.attrib["name"]] = text if mistakes else None
    return found


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for all Java tests, with their queues."""
    home = tmp_path_factory.mktemp("java")
    if "MQX_JAVA_SERVER" in os.environ:
        yield Served(home, int(os.environ["MQX_JAVA_SERVER"].rpartition(":")[2]), None)
        return
    with serve(home, "--port", "0") as running:
        define(running.qmgr)
        yield running


@pytest.fixture(scope="session")
def run_java(served: Served) -> Callable[..., Results]:
    """Run the Java tests of a module, all or those that a word of surefire's chooses, once; return their results."""
    return cache(lambda module, chosen="*Test": run_tests(module, served.port, f"-Dtest={chosen}"))

"""``mqx pipeline``: what is refused before Spark starts, and one run of the real thing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

ARCHIVE = ("pipeline", "archive", "--to", "archive")


@pytest.fixture
def java(tmp_path: Path) -> Callable[[str], str]:
    """Make a folder that has a Java of some version; gives what JAVA_HOME would be."""

    def make(version: str) -> str:
        program = tmp_path / "java" / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        program.chmod(0o755)
        return str(tmp_path / "java")

    return make


def test_without_java_nothing_begins(qm: str, mqx: Callable[..., Any], tmp_path: Path) -> None:
    done = mqx(*ARCHIVE, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.status, done.out) == (2, b"")
    assert "there is no Java" in done.err
    assert "hint: install Java 17" in done.err


def test_an_old_java_is_named(qm: str, mqx: Callable[..., Any], java: Callable[[str], str]) -> None:
    done = mqx(*ARCHIVE, JAVA_HOME=java("1.8.0_392"))
    assert (done.status, "Java 8 is too old" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("archive",), 2, "--to"),
        (("archive", "--to", "a", "--queue", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "-m", "NOPE"), 5, "NOPE"),
        (("archive", "--to", "a", "--consume", "--journal"), 2, "a journal is only read"),
        (("archive", "--to", "a", "--consume", "--no-body"), 2, "lose"),
        (("archive", "--to", "a", "--conf", "nonsense"), 2, "KEY=VALUE"),
        (("archive", "--to", "a", "-o", "hex"), 2, "hex"),
        (("reconcile", "--sent", "./nowhere", "--reports", "DEV.QUEUE.1", "--to", "a"), 2, "nowhere"),
        (("reconcile", "--sent", "DEV.QUEUE.1", "--reports", "NOPE", "--to", "a"), 5, "NOPE"),
        (("triage", "--by", "moon", "--queue", "DEV.QUEUE.1"), 2, "moon"),
        (("triage",), 2, "--queue or --from"),
        (("triage", "--queue", "DEV.QUEUE.1", "--rules", "missing"), 2, "missing"),
        (("reassemble", "--from", "NOPE", "--to", "a"), 5, "NOPE"),
        (("stats", "--from", "nowhere"), 2, "nowhere"),
        (("load", "NOPE", ".", "--job-id", "j"), 5, "NOPE"),
        (("load", "DEV.QUEUE.1", "missing.csv", "--job-id", "j"), 2, "missing.csv"),
        (("load", "DEV.QUEUE.1", "/dev/null", "--job-id", "j"), 2, "--input"),
        (("stream", "--checkpoint", "c"), 2, "--to or --to-queue"),
        (("stream", "--checkpoint", "c", "--to-queue", "NOPE"), 5, "NOPE"),
    ],
)
def test_what_is_wrong_is_said_before_spark_starts(
    qm: str, mqx: Callable[..., Any], java: Callable[[str], str], words: tuple[str, ...], status: int, said: str
) -> None:
    """The Java of this test can do nothing but say its version: to start it would fail otherwise."""
    done = mqx("pipeline", *words, JAVA_HOME=java("17.0.9"))
    assert done.status == status, done
    assert said in done.err


def test_a_table_with_mistakes_is_shown(qm: str, mqx: Callable[..., Any]) -> None:
    done = mqx("pipeline", "triage", "--queue", "DEV.QUEUE.1", "--rules", "-", stdin=b"ACTION(NOPE)\n")
    assert (done.status, "<stdin>:1:" in done.err) == (2, True)


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_run_is_quiet_and_says_its_totals(qm: str, mqx: Callable[..., Any], tmp_path: Path) -> None:
    for data in ("one", "two"):
        mqx("put", "DEV.QUEUE.1", data, check=True)
    folder = str(tmp_path / "archive")
    done = mqx("pipeline", "archive", "--to", folder, "--master", "local[1]", "-o", "json", timeout=300)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {"read": 2, "written": 2}
    assert sorted(os.listdir(folder)) == ["_mqx", "queue=DEV.QUEUE.1"]


def test_a_stream_onto_a_queue_needs_the_data(
    mqx: Callable[..., Any], define: Callable[..., None], java: Callable[[str], str]
) -> None:
    define("DEV.QUEUE.1", journal=1)
    done = mqx("pipeline", "stream", "--checkpoint", "c", "--to-queue", "DEV.QUEUE.2", JAVA_HOME=java("17.0.9"))
    assert (done.status, "JOURNAL(BODY)" in done.err) == (2, True)

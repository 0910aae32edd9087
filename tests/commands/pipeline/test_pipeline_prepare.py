"""``mqx pipeline prepare``: what it refuses; what it keeps is a test of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pyspark_mqx.session import class_cache


def test_where_the_classes_cannot_be_kept_nothing_begins(here: Callable[..., Any]) -> None:
    done = here("pipeline", "prepare", SPARK_HOME="/opt/spark")
    assert (done.status, done.out) == (1, b"")
    assert "SPARK_HOME names another Spark" in done.err
    done = here("pipeline", "prepare", "-o", "hex")
    assert (done.status, done.out) == (2, b"")


def test_it_says_where_the_classes_are_and_how_large(
    here: Callable[..., Any], java: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_cache, "record_classes", lambda: ("/cache/classes.jsa", 7))
    done = here("pipeline", "prepare", "-o", "json", JAVA_HOME=java("17.0.9"))
    assert (done.status, json.loads(done.out)) == (0, {"kept": "/cache/classes.jsa", "bytes": 7})

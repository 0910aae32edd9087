"""``mqx pipeline prepare``: what it refuses; what it keeps is a test of the library."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyspark_mqx.session import class_cache


def test_where_the_classes_cannot_be_kept_nothing_begins(here: Callable[..., Any]) -> None:
    done = here("pipeline", "prepare", SPARK_HOME="/opt/spark")
    assert (done.status, done.out) == (1, b"")
    assert "SPARK_HOME names another Spark" in done.err
    done = here("pipeline", "prepare", "-o", "hex")
    assert (done.status, done.out) == (2, b"")


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif("SPARK_HOME" in os.environ, reason="no home is made: $SPARK_HOME names one")
def test_it_says_where_the_classes_are_and_how_large(
    spark: Any,
    here: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """On the Spark of all tests, which is not ended; what its loggers say, as after Ctrl-C, is not shown."""
    trained: list[Any] = []

    class Kept:
        path, settings = str(tmp_path / "classes.jsa"), {"spark.app.note": "a=b"}

        def keep(self, used: Any) -> int:
            assert trained == [used]
            return 7

    @contextmanager
    def recording() -> Any:
        yield Kept()

    monkeypatch.setattr(class_cache, "record_classes", recording)

    def train(used: Any) -> None:
        trained.append(used)
        logging.getLogger("py4j").error("KeyboardInterrupt while sending command.")

    monkeypatch.setattr(class_cache, "train", train)
    done = here("pipeline", "prepare", "-o", "json")
    assert (done.status, json.loads(done.out)) == (0, {"kept": Kept.path, "bytes": 7})
    assert caplog.records == []
    logging.getLogger("py4j").error("and then they are heard again")
    assert len(caplog.records) == 1

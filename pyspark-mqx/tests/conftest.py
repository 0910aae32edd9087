"""Queue managers with messages, and functions of the pipeline's tests that read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtools.message import BYTE_FIELDS, MQMD
from mqtools.mqi import journal
from tests.copied import three_queues
from tests.mqi.conftest import QM as Queues
from tests.rows import queue_names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class PipelineModule(pytest.Module):
    """A file of tests that is skipped where what it imports of Spark or Arrow is not installed."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        try:
            return super().collect()
        except self.CollectError as error:
            if missing := re.search("No module named '(pyspark|pyarrow)", str(error)):
                pytest.skip(f"{missing[1]} is not installed here", allow_module_level=True)
            raise


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    return PipelineModule.from_parent(parent, path=module_path)


class QM(Queues):
    """Queue manager QM1 with the queues Q, R and DLQ, and shortcuts for tests."""

    @contextmanager
    def left_alone(self) -> Iterator[None]:
        """Close the file in this process for the duration of the block."""
        self.main.disconnect()
        try:
            yield
        finally:
            self.main = self.connect()

    def define(self, name: str, object_type: str = "QLOCAL", **values: object) -> None:
        if name in queue_names(self.path):
            self.alter(name, **values)
        else:
            super().define(name, object_type, **values)

    def forget_events(self) -> None:
        """Have retention remove all events but the last."""
        for size in (0, -1):
            self.alter_qmgr(journal_size_bytes=size)
            self.main.events_noted = 100
            journal.evict(self.main)


@pytest.fixture
def make_qm(tmp_path: Path) -> Iterator[Callable[[str], QM]]:
    """Return a function that creates queue managers by name."""
    with _making(tmp_path) as make:
        yield make


@pytest.fixture(scope="module")
def make_shared_qm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], QM]]:
    """Return a function that creates queue managers by name, shared by tests."""
    with _making(tmp_path_factory.mktemp("shared")) as make:
        yield make


@contextmanager
def _making(folder: Path) -> Iterator[Callable[[str], QM]]:
    made: list[QM] = []

    def make(name: str) -> QM:
        one = QM(three_queues(str(folder / f"{name}.db")))
        made.append(one)
        return one

    yield make
    for one in made:
        one.main.disconnect()


@pytest.fixture
def qm(make_qm: Callable[[str], QM]) -> QM:
    """Return the queue manager QM1."""
    return make_qm("QM1")


@pytest.fixture
def read(spark: SparkSession, qm: QM) -> Callable[..., Any]:
    """Read from QM1: ``read(queue="Q", columns="seq bigint")``; other words are options."""

    def load(columns: str | None = None, **options: object) -> Any:
        reader = spark.read.format("mqx").options(**{"qmgr": qm.path, **options})
        return (reader.schema(columns) if columns else reader).load()

    return load


@pytest.fixture(scope="session")
def frame(spark: SparkSession) -> Callable[..., Any]:
    """Return a function that makes a frame of messages: ``frame(names, (b"data", {"msg_id": …}), …)``.

    They come in this order, a second apart.
    """
    import pyarrow as pa
    from pyspark.sql.types import StructType
    from pyspark_mqx.source.read_schema import arrow_schema

    from mqtools.arrow.columns import ddl

    @cache
    def schema_of(names: Sequence[str]) -> Any:
        return arrow_schema(StructType.fromDDL(ddl(names)))

    def make(names: Sequence[str], *several: tuple[bytes, dict[str, Any]], queue: str = "Q") -> Any:
        rows = []
        for n, (data, fields) in enumerate(several, 1):
            md = MQMD(**fields)
            row = {name: getattr(md, name) for name in MQMD.__slots__}
            row |= {name: row[name].hex().upper() for name in BYTE_FIELDS}
            row |= {
                "qmgr": "QM1",
                "queue": queue,
                "seq": n,
                "state": "unlocked",
                "data": data,
                "data_length": len(data),
            }
            row["put_at"] = row["arrived_at"] = datetime(2026, 11, 22, 8, 0, n, tzinfo=UTC)
            rows.append({name: row[name] for name in names})
        return spark.createDataFrame(pa.Table.from_pylist(rows, schema_of(names)))

    return make

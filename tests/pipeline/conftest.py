"""Queue managers with something on them, and one Spark for all tests of the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqtools.message import MQMD, Message
from mqtools.qmgr import admin
from mqtools.qmgr.connection import Connection, connect
from mqtools.qmgr.definitions import alter_queue, define_queue
from mqtools.store import queues

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class QM:
    """A queue manager QM1 with the queues Q, R and DLQ, and short words for what tests do with it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.main: Connection = connect(path, appl_name="test", user_identifier="ana")

    def define(self, name: str, object_type: str = "QLOCAL", **values: object) -> None:
        with self.main.work() as work:
            known = queues.by_name(work.db, name)
            (define_queue if known is None else alter_queue)(work, object_type, name, values)

    def put(self, data: bytes = b"x", q_name: str = "Q", options: int = 0, **fields: Any) -> MQMD:
        properties = fields.pop("properties", None)
        message = Message(data, MQMD(**fields), properties)
        self.main.put1(q_name, message, options)
        return message.md

    def depth(self, q_name: str = "Q") -> int:
        from mqtools.qmgr.depths import depth

        return depth(self.main.db, q_name)

    def data(self, q_name: str = "Q") -> list[bytes]:
        from mqtools.qmgr.resolution import find_queue
        from mqtools.qmgr.selecting import select
        from mqtools.store.messages import load_data

        db = self.main.db
        return [load_data(db, stored.seq) for stored in select(db, find_queue(db, q_name).id)]


@pytest.fixture
def make_qm(tmp_path: Path) -> Iterator[Callable[[str], QM]]:
    """Make queue managers by name."""
    made: list[QM] = []

    def make(name: str) -> QM:
        one = QM(admin.create(str(tmp_path / f"{name}.db")))
        for queue in ("Q", "R", "DLQ"):
            one.define(queue)
        made.append(one)
        return one

    yield make
    for one in made:
        one.main.disconnect()


@pytest.fixture
def qm(make_qm: Callable[[str], QM]) -> QM:
    """The queue manager QM1."""
    return make_qm("QM1")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one Spark: small, on one core, with our settings."""
    from mqtools.pipeline import session

    try:
        session.check()
    except session.NoSpark as missing:
        pytest.skip(str(missing))
    folder = str(tmp_path_factory.mktemp("spark"))
    started = session.start(
        "local[1]",
        {
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.codegen.wholeStage": "false",  # a few rows are done before their code is compiled
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.warehouse.dir": folder,
            "spark.local.dir": folder,
            "spark.driver.extraJavaOptions": f"{session.SETTINGS['spark.driver.extraJavaOptions']}"
            " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        },
    )
    yield started
    started.stop()


@pytest.fixture
def read(spark: SparkSession, qm: QM) -> Callable[..., Any]:
    """Read from QM1: ``read(queue="Q", columns="seq bigint")``; other words are options."""

    def load(columns: str | None = None, **options: object) -> Any:
        reader = spark.read.format("mqx").options(**{"qmgr": qm.path, **options})
        return (reader.schema(columns) if columns else reader).load()

    return load

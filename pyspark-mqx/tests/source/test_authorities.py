"""Authorities of the data source where the queue manager has AUTHCHK(ALL), without Spark running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark_mqx.source import writer

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.arrow.ranges import plan
from mqtools.arrow.read_options import Options
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.mqi import authority
from mqtools.mqi.connection import connect
from tests.errors import fails


@pytest.fixture
def stranger(qm: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    qm.put(b"there")
    administer(qm, "ALTER QMGR AUTHCHK(ALL)")
    monkeypatch.setattr(authority, "is_run_by_owner", lambda _db: False)
    monkeypatch.setattr(authority, "local_user", lambda: "stranger")
    return qm


def administer(qm: Any, line: str) -> None:
    with pytest.MonkeyPatch.context() as patch, connect(qm.path) as connection:
        patch.setattr(authority, "is_run_by_owner", lambda _db: True)
        assert not run_mqsc(connection, line).failed


def allow(qm: Any, profile: str, words: str) -> None:
    administer(qm, f"SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('stranger') AUTHADD({words})")


@pytest.mark.parametrize(
    ("options", "profile"), [({"queue": "Q"}, "Q"), ({"journal": "true"}, "**")], ids=["queue", "journal"]
)
def test_reading_needs_authority(stranger: Any, options: dict[str, str], profile: str) -> None:
    given = Options.parse({"qmgr": stranger.path, **options})
    with fails(MQRC_NOT_AUTHORIZED):
        plan(given)
    allow(stranger, profile, "INQ,BROWSE")
    plan(given)


def test_a_pattern_reads_the_queues_that_may_be_inquired(stranger: Any) -> None:
    given = Options.parse({"qmgr": stranger.path, "queue": "*"})
    assert plan(given) == []
    allow(stranger, "Q", "INQ,BROWSE")
    assert [span.queue for span in plan(given)] == ["Q"]


def test_writing_needs_authority(stranger: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"data": b"new"}])
    path = str(tmp_path / "rows.arrow")
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    job = writer.LoadJob(stranger.path, "Q", "one", "")
    with fails(MQRC_NOT_AUTHORIZED):
        writer.load_staged(job, [path])
    allow(stranger, "Q", "PUT,SETALL")
    writer.load_staged(job, [path])
    assert stranger.data() == [b"there", b"new"]

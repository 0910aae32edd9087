"""``mqx pipeline``: files that cannot be read or written are named, set aside and counted; none is lost."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


@pytest.mark.parametrize(
    "words",
    [
        ("archive", "--to", "a"),
        ("archive", "--to", "/a", "--quarantine", "a"),
        ("load", "DEV.QUEUE.1", "a.csv", "--job-id", "j"),
        ("stream", "--checkpoint", "c", "--to-queue", "DEV.QUEUE.2"),
        ("stats", "--from", "archive"),
        ("reconcile", "--sent", "archive/", "--reports", "DEV.QUEUE.1", "--to", "/a"),
    ],
)
def test_a_folder_in_one_whose_name_is_no_text_is_refused(
    qm: str, here: Callable[..., Any], no_spark: None, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    os.makedirs("x\udcff/archive")
    monkeypatch.chdir("x\udcff")
    done = here("pipeline", *words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "x\\udcff/" in done.err
    assert "is not UTF-8 text" in done.err


def test_a_file_of_an_archive_that_cannot_be_read_is_set_aside(
    lay: Callable[..., None], on_spark: Callable[..., Any], tmp_path: Path
) -> None:
    lay(Q, (b"one", {}))
    lay(REPORTS, (b"two", {}))
    assert on_spark("archive", "--to", "a[r]", "--format", "parquet").status == 0
    good, *_ = sorted(Path("a[r]").rglob("*.parquet"))
    cut, damaged = good.with_name("cut.parquet"), good.with_name("damaged.parquet")
    cut.write_bytes(good.read_bytes()[:-9])
    whole = bytearray(good.read_bytes())
    whole[4:200] = bytes(196)  # the pages; the footer is as it was
    damaged.write_bytes(whole)
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole")
    said = f"{cut.name}: the Parquet file is incomplete or damaged"
    assert (done.status, said in done.err, "--quarantine" in done.err) == (10, True, True)
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole", "--quarantine", "aside", "-o", "json").ended(9)
    assert json.loads(done.out) == {
        "written": 2,
        "quarantined": 2,
        "outcomes": {"complete": 2, "incomplete": 0},
    }
    (file,) = Path("aside").iterdir()
    assert sorted(map(json.loads, file.read_text().splitlines()), key=str) == [
        {"file": str(path.absolute()), "reason": "the Parquet file is incomplete or damaged"} for path in (cut, damaged)
    ]
    cut.unlink()
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "other")
    done.ended(10, f"{damaged.absolute()}: the file is damaged (MQRC_OBJECT_DAMAGED 2101)")
    cut.write_bytes(b"")
    done = on_spark("stats", "--from", "a[r]", "--quarantine", "aside", "-o", "json")
    assert (done.status, json.loads(done.out)["read"], json.loads(done.out)["quarantined"]) == (9, 2, 2)
    assert "a[r] has no events: its messages are counted as puts" in done.err
    for path in Path("a[r]").rglob("*.parquet"):
        if path not in (cut, damaged):
            path.unlink()
    done = on_spark("reassemble", "--from", "a[r]/", "--to", "whole", "--quarantine", "aside", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (9, 0)


def test_csv_files_with_other_headers_are_named(qm: str, here: Callable[..., Any]) -> None:
    Path("a.csv").write_text("data,priority\nx,1\n")
    Path("b.csv").write_text("priority,data\n1,x\n")
    Path("c.csv").write_text("data\nx\n")
    for name in ("b.csv", "c.csv"):
        done = here("pipeline", "load", Q, "a.csv", name, "--job-id", name)
        assert (done.status, f"{name}: its header differs from that of the first file" in done.err) == (2, True), done


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    lists = Path(f"/proc/{process}/task").glob("*/children")
    own = [int(word) for each in lists for word in each.read_text().split()]
    return own + [other for one in own for other in descendants(one)]


@pytest.fixture
def limit_files(spark: Any) -> Iterator[Callable[[int], None]]:
    """Have Spark, its Java and its workers, write files of so many bytes at most; as it was at the end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(size: int) -> None:
        for process in descendants(os.getpid()):
            with suppress(ProcessLookupError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    limit(before[0])


def test_where_no_more_can_be_written_it_says_so_and_nothing_is_taken(
    lay: Callable[..., None],
    here: Callable[..., Any],
    on_spark: Callable[..., Any],
    limit_files: Callable[[int], None],
) -> None:
    lay(Q, *[(os.urandom(3_000_000), {})] * 2)
    limit_files(2_000_000)
    done = on_spark("archive", "--queue", Q, "--to", "archive", "--consume", "--yes")
    assert (done.status, done.out) == (10, b"")
    assert "Spark: File too large (MQRC_STORAGE_MEDIUM_FULL 2192)" in done.err
    assert [len(here("get", Q).out) for _ in range(2)] == [3_000_000] * 2


@pytest.mark.parametrize(
    "words",
    [
        ("archive", "--to", "a"),
        ("reconcile", "--sent", "Q", "--reports", "R", "--to", "a"),
        ("triage", "--queue", "DLQ"),
        ("reassemble", "--from", "Q", "--to", "a"),
    ],
)
def test_a_file_that_cannot_be_opened_is_named_with_the_way_round_it(
    mqx: Callable[..., Any], java: Callable[[str], str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """With the quarantine the next thing that fails is the Java of this test."""
    path = tmp_path / "BAD.db"
    path.write_bytes(b"no database" * 100)
    done = mqx("pipeline", *words, "-m", str(path), JAVA_HOME=java("17.0.9"))
    assert done.status not in (0, 1, 3)
    assert f"{path}: the file is not a queue manager of mqx" in done.err
    assert "--quarantine" in done.err
    done = mqx(
        "pipeline", *words, "-m", str(path), "--quarantine", str(tmp_path / "q"), JAVA_HOME=str(tmp_path / "java")
    )
    assert f"{path}" not in done.err
    (file,) = (tmp_path / "q").iterdir()
    assert json.loads(file.read_text())["file"] == str(path)


def test_what_cannot_be_read_is_set_aside_and_counted(
    qm: str, lay: Callable[..., None], on_spark: Callable[..., Any], tmp_path: Path
) -> None:
    lay(Q, (b"bad", {}), (b"one", {}))
    with sqlite3.connect(qm) as sql:
        sql.execute("update messages set data_length = 9 where data = x'626164'")
    sql.close()
    on_spark("archive", "--to", str(tmp_path / "a"), "--queue", Q).ended(10, "message 1", "MQRC_OBJECT_DAMAGED 2101")
    (tmp_path / "BAD.db").write_bytes(b"no database" * 100)
    given = ("--to", str(tmp_path / "a"), "--quarantine", str(tmp_path / "q"), "-m", qm, "-m", str(tmp_path / "BAD.db"))
    done = on_spark("archive", "--dry-run", *given, "-o", "json")
    assert json.loads(done.out) == {"dry_run": True, "read": 1, "written": 1, "quarantined": 2}
    done = on_spark("archive", "--consume", "--yes", "--all-queues", *given, "-o", "json")
    done.ended(9, "quarantined 2: unreadable records are in ")
    assert json.loads(done.out) == {"read": 1, "written": 1, "removed": 1, "quarantined": 2}
    with sqlite3.connect(qm) as sql:
        assert sql.execute("select data, state, lock_id from messages").fetchall() == [(b"bad", 1, None)]
    sql.close()

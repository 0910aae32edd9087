"""Loading once by job id: nothing lost, nothing doubled, and what is refused is set aside or named."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark_mqx.source import writer
from pyspark_mqx.source.load_job import new_id

from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.reasons import MQRC_OBJECT_CHANGED, MQRC_OBJECT_IN_USE
from mqtools.errors import MQError
from mqtools.mqi import xa
from tests.errors import fails

from .kills import die_after

pytestmark = pytest.mark.usefixtures("spark")


def staged(folder: Path, *rows: dict[str, Any]) -> str:
    table = pa.Table.from_pylist(list(rows))
    path = folder / f"{os.urandom(4).hex()}.arrow"
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    return str(path)


def job(qm: Any, tmp_path: Path, job_id: str = "one", *, folder: str = "refused") -> writer.LoadJob:
    return writer.LoadJob(qm.path, "Q", job_id, folder and str(tmp_path / folder))


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load two messages in each piece."""
    monkeypatch.setattr(writer, "_PIECE", 2)
    monkeypatch.setattr(writer, "_CHUNK", 2)


def five(folder: Path) -> str:
    """Stage five messages."""
    return staged(folder, *({"data": b"%d" % n} for n in range(5)))


FIVE = [b"%d" % n for n in range(5)]


def die_in_second_piece(qm: Any, killed: writer.LoadJob, path: str, step: str) -> None:
    with qm.left_alone():
        second = lambda _, xid: step == "commit" or xid.bqual == b"00000001"  # noqa: E731
        die_after(writer.xa, step, lambda: writer.load_staged(killed, [path]), when=second)


def test_a_job_is_done_once(qm: Any, tmp_path: Path) -> None:
    path = staged(tmp_path, {"data": b"a"}, {"data": b"b"})
    for _ in range(2):
        writer.load_staged(job(qm, tmp_path), [path])
    assert qm.data() == [b"a", b"b"]
    assert writer.find_result(job(qm, tmp_path)) == (2, 0)
    writer.load_staged(job(qm, tmp_path, "two"), [path])
    assert qm.depth() == 4


def test_other_programs_put_during_a_load_and_see_none_of_it_before_its_end(qm: Any, tmp_path: Path) -> None:
    qm.define("Q", "QUEUE", max_q_depth=999_999)
    path = staged(tmp_path, *({"data": b"%d" % n} for n in range(8 * writer._CHUNK)))
    loading = threading.Thread(target=writer.load_staged, args=(job(qm, tmp_path), [path]))
    loading.start()
    between = 0
    while loading.is_alive():
        qm.put(b"between", "R")
        between += qm.depth("Q") > 0 and writer.find_result(job(qm, tmp_path)) is None and not qm.data()
    assert between > 2
    assert (len(qm.data()), writer.find_result(job(qm, tmp_path))) == (8 * writer._CHUNK, (8 * writer._CHUNK, 0))


@pytest.mark.parametrize("step", ["prepare_unit", "commit"])
def test_a_load_in_pieces_that_is_killed_is_undone_or_finished_by_the_next_run(
    qm: Any, tmp_path: Path, pieces: None, step: str
) -> None:
    """In their order: who gets meanwhile gets the first piece first."""
    path = five(tmp_path)
    die_in_second_piece(qm, job(qm, tmp_path), path, step)
    assert qm.data() == ([] if step == "prepare_unit" else FIVE[:2])
    assert writer.finish_load(job(qm, tmp_path)) == (None if step == "prepare_unit" else (5, 0))
    for _ in range(2):
        writer.load_staged(job(qm, tmp_path), [path])
        assert qm.data() == FIVE
    assert xa.recover(qm.main) == []


@pytest.mark.parametrize(("step", "there"), [("prepare_unit", 0), ("commit", 5)])
def test_a_killed_write_without_a_job_id_is_undone_or_finished_by_the_next_write(
    qm: Any, tmp_path: Path, pieces: None, step: str, there: int
) -> None:
    path, one = five(tmp_path), staged(tmp_path, {"data": b"x"})
    killed = job(qm, tmp_path, new_id())
    die_in_second_piece(qm, killed, path, step)
    with killed.lock():  # as if it were running
        writer.load_staged(job(qm, tmp_path), [one])
    assert {xid.gtrid for xid in xa.recover(qm.main)} == {killed.job_id.encode()}
    writer.load_staged(job(qm, tmp_path, "two"), [one])
    assert (xa.recover(qm.main), len(qm.data())) == ([], there + 2)


def end_first(qm: Any, *, is_commit: bool) -> xa.Xid:
    """End the first prepared piece, as an operator does."""
    first, *_ = sorted(xa.recover(qm.main), key=lambda xid: xid.bqual)
    with qm.main.work() as work:
        branch = writer.holders.of_transaction(work.db, first.token)
    assert branch is not None
    assert xa.decide(qm.main, branch.id, is_commit=is_commit)
    return first


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize(("step", "there"), [("prepare_unit", 0), ("commit", 3)])
def test_what_an_operator_ended_of_a_killed_write_stays_so_and_hinders_no_other(
    qm: Any, tmp_path: Path, pieces: None, step: str, there: int, is_commit: bool
) -> None:
    """It is forgotten where the write itself would have ended it in this way. Staged files are deleted in any case."""
    path, one = five(tmp_path), staged(tmp_path, {"data": b"x"})
    killed = job(qm, tmp_path, new_id())
    die_in_second_piece(qm, killed, path, step)
    Path(killed.staging).mkdir()
    first = end_first(qm, is_commit=is_commit)
    writer.load_staged(job(qm, tmp_path), [one])
    assert not Path(killed.staging).exists()
    left = [] if is_commit == (step == "commit") else [first]
    assert (xa.recover(qm.main), len(qm.data())) == (left, there + 2 * is_commit + 1)


@pytest.mark.parametrize(
    ("step", "is_commit", "there", "said"),
    [
        ("prepare_unit", False, 5, ""),
        ("commit", True, 5, ""),
        ("prepare_unit", True, 7, "an operator has committed it: its messages would be put twice"),
        ("commit", False, 3, "an operator has backed it out: its messages are missing"),
    ],
)
def test_a_killed_job_goes_on_after_an_operator_ended_a_piece_unless_messages_are_doubled_or_missing(
    qm: Any, tmp_path: Path, pieces: None, step: str, is_commit: bool, there: int, said: str
) -> None:
    path = five(tmp_path)
    die_in_second_piece(qm, job(qm, tmp_path), path, step)
    first = end_first(qm, is_commit=is_commit)
    if said:
        with fails(MQRC_OBJECT_CHANGED, f"job one, transaction {first}: {said}"):
            writer.load_staged(job(qm, tmp_path), [path])
        assert xa.recover(qm.main) == [first]
        assert xa.forget(qm.main, first) == xa.XA_OK
    writer.load_staged(job(qm, tmp_path), [path])
    assert (xa.recover(qm.main), len(qm.data())) == ([], there)


def test_a_killed_write_whose_lock_fails_is_left_to_a_later_write(qm: Any, tmp_path: Path, pieces: None) -> None:
    """As where another process has removed its folder, or another user owns it."""
    killed = job(qm, tmp_path, new_id())
    die_in_second_piece(qm, killed, five(tmp_path), "prepare_unit")
    Path(killed.staging).parent.mkdir(exist_ok=True)
    Path(killed.staging).touch()
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, {"data": b"x"})])
    assert (len(xa.recover(qm.main)), qm.data()) == (1, [b"x"])
    Path(killed.staging).unlink()
    writer.load_staged(job(qm, tmp_path, "two"), [staged(tmp_path, {"data": b"y"})])
    assert (xa.recover(qm.main), qm.data()) == ([], [b"x", b"y"])


def test_a_quarantine_that_is_a_link_is_not_followed(qm: Any, tmp_path: Path) -> None:
    own = job(qm, tmp_path, folder=".")
    Path(own.quarantine_file).symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic links"):
        writer.load_staged(own, [staged(tmp_path, {"data": b"x", "priority": 77})])
    assert not (tmp_path / "other").exists()


def test_a_large_load_has_few_connections(qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connections = []
    connect = writer.connect
    monkeypatch.setattr(writer, "connect", lambda *given, **named: connections.append(1) or connect(*given, **named))
    for name in ("_PIECE", "_CHUNK", "_GROWTH"):
        monkeypatch.setattr(writer, name, 1)
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, *({"data": b"%d" % n} for n in range(40)))])
    assert (qm.data(), len(connections) < 12) == ([b"%d" % n for n in range(40)], True)


def test_a_piece_of_refused_rows_alone_does_not_stop_a_load(qm: Any, tmp_path: Path, pieces: None) -> None:
    rows = [{"data": b"0", "priority": 0}, {"data": b"1", "priority": 0}, {"data": b"2", "priority": 77}]
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, *rows)])
    assert (qm.data(), writer.find_result(job(qm, tmp_path))) == ([b"0", b"1"], (2, 1))


@pytest.mark.parametrize("piece", [2, 9])
def test_a_load_that_another_process_does_meanwhile_is_not_doubled(
    qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(writer, "_PIECE", piece)
    monkeypatch.setattr(writer, "_CHUNK", 2)
    path = five(tmp_path)
    commit = writer._LoadProgress.commit

    def commit_second(self: Any) -> None:
        monkeypatch.setattr(writer._LoadProgress, "commit", commit)
        writer.load_staged(job(qm, tmp_path), [path])
        commit(self)

    monkeypatch.setattr(writer._LoadProgress, "commit", commit_second)
    writer.load_staged(job(qm, tmp_path), [path])
    assert (qm.data(), xa.recover(qm.main)) == (FIVE, [])


@pytest.mark.parametrize(
    ("row", "name", "user"),
    [({}, "mqx", True), ({"user_identifier": "ana"}, "mqx", "ana"), ({"put_appl_name": "x", "put_date": ""}, "x", "")],
)
def test_rows_have_the_context_that_they_lack(qm: Any, tmp_path: Path, row: Any, name: str, user: Any) -> None:
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, {"data": b"x", **row})])
    with qm.main.open("Q", MQOO_INPUT_SHARED) as handle:
        md = handle.get().message.md
    assert (md.put_appl_name, bool(md.put_date)) == (name, name == "mqx")
    assert md.user_identifier == (md.user_identifier or "none" if user is True else user)


@pytest.mark.conformance("BEY-42")
def test_rows_that_are_no_message_or_that_the_queue_does_not_take_are_set_aside(qm: Any, tmp_path: Path) -> None:
    qm.define("Q", "QUEUE", max_msg_length=4)
    rows: list[tuple[dict[str, Any], str]] = [
        ({"data": b"good", "priority": 7, "msg_id": "4D" * 24}, ""),
        ({"priority": 77}, "MQRC_PRIORITY_EXCEEDS_MAXIMUM"),
        ({"msg_id": "no hex"}, "msg_id"),
        ({"data": b"22222"}, "5 bytes, queue Q takes 4 (MQRC_MSG_TOO_BIG_FOR_Q 2030)"),
        (
            {"_unreadable": "not all of the row is UTF-8"},
            "unreadable: not all of the row is UTF-8 (MQRC_MD_ERROR 2026)",
        ),
    ]
    names = {"data": b"x", "priority": 0, "msg_id": None, "_unreadable": None, "file": "file:///a%20b/c.parquet"}
    given = [{**names, **row, "row": n} for n, (row, _) in enumerate(rows)]
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, *given)])
    assert (qm.data(), writer.find_result(job(qm, tmp_path))) == ([b"good"], (1, 4))
    refused = [json.loads(line) for line in Path(job(qm, tmp_path).quarantine_file).read_text().splitlines()]
    assert [(row["file"], row["row"]) for row in refused] == [("/a b/c.parquet", n) for n in range(1, 5)]
    assert [words in row["reason"] for row, (_, words) in zip(refused, rows[1:], strict=True)] == [True] * 4


@pytest.mark.parametrize("row", [{"data": b"22222"}, {"data": b"2", "priority": 77}])
def test_without_a_quarantine_a_row_that_is_refused_is_named_with_the_option(
    qm: Any, tmp_path: Path, row: dict[str, Any]
) -> None:
    qm.define("Q", "QUEUE", max_msg_length=4)
    rows = [{"data": b"1", "priority": 1}, {"priority": 1, **row}]
    with pytest.raises(MQError, match=r"^c\.parquet, row 9: .* the option quarantine"):
        writer.load_staged(
            job(qm, tmp_path, folder=""),
            [staged(tmp_path, *({**each, "file": "c.parquet", "row": 9} for each in rows))],
        )
    with pytest.raises(MQError, match=r"^row 2: "):
        writer.load_staged(job(qm, tmp_path, folder=""), [staged(tmp_path, *rows)])
    assert (qm.depth(), writer.find_result(job(qm, tmp_path))) == (0, None)


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"max_q_depth": 2}, "row 4: queue Q is full"), ({"inhibit_put": 1}, "row 2: puts are inhibited")],
)
def test_what_would_hit_every_message_undoes_all_and_the_job_can_be_run_again(
    qm: Any, tmp_path: Path, fields: dict[str, int], words: str
) -> None:
    qm.define("Q", "QUEUE", **fields)
    path = staged(tmp_path, {"data": b"x", "priority": 77}, *({"data": b"x", "priority": 1} for _ in range(3)))
    with pytest.raises(MQError, match=f"{words}.*; nothing was written"):
        writer.load_staged(job(qm, tmp_path), [path])
    assert (qm.depth(), writer.find_result(job(qm, tmp_path))) == (0, None)
    assert not Path(job(qm, tmp_path).quarantine_file).exists()
    qm.define("Q", "QUEUE", max_q_depth=3, inhibit_put=0)
    writer.load_staged(job(qm, tmp_path), [path])
    assert writer.find_result(job(qm, tmp_path)) == (3, 1)


def test_a_task_stages_what_says_anything_of_a_message_and_where_it_comes_from(qm: Any) -> None:
    task = writer.MqxWriter({"qmgr": qm.path, "queue": "Q"}, ["data", "dlh", "arrived_at", "row"])
    batch = pa.record_batch({"data": [b"x"], "dlh": [None], "arrived_at": [1], "row": [7]})
    with pa.ipc.open_file(task.write(iter([batch])).path) as file:
        assert file.schema.names == ["data", "row"]
    assert task.write(iter([])).partition == 0


def test_a_write_names_a_column_that_no_message_has_and_passes_over_those_of_an_archive(qm: Any) -> None:
    where = {"qmgr": qm.path, "queue": "Q"}
    with pytest.raises(ValueError, match=r"unknown column: prioriy, id; the columns are .*priority"):
        writer.MqxWriter(where, ["data", "prioriy", "id"])
    with pytest.raises(ValueError, match="no column belongs to a message: dlh, put_at"):
        writer.MqxWriter(where, ["dlh", "put_at"])
    writer.MqxWriter(where, ["data", "event", "event_at", "queue", "dlh"])


def test_a_job_without_a_row_is_not_done_and_has_what_comes_later(qm: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.arrow"
    empty.touch()
    writer.load_staged(job(qm, tmp_path), [str(empty)])
    assert writer.find_result(job(qm, tmp_path)) is None
    writer.load_staged(job(qm, tmp_path), [staged(tmp_path, {"data": b"a"})])
    assert (qm.data(), writer.find_result(job(qm, tmp_path))) == ([b"a"], (1, 0))


def test_a_job_is_done_by_one_process_at_a_time(qm: Any, tmp_path: Path) -> None:
    own = job(qm, tmp_path)
    with own.lock(), fails(MQRC_OBJECT_IN_USE, "job one is running in another process"), own.lock():
        pytest.fail("both do it")
    with own.lock(), job(qm, tmp_path, "two").lock():
        assert Path(own.staging).is_dir()
    assert not Path(own.staging).exists()


def test_what_killed_jobs_staged_long_ago_goes(qm: Any, tmp_path: Path) -> None:
    own, old, new = (Path(job(qm, tmp_path, name).staging) for name in ("own", "old", "new"))
    for folder in (own, old, new):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    job(qm, tmp_path, "own").delete_staged()
    assert [folder.exists() for folder in (own, old, new)] == [False, False, True]
    assert qm.depth() == 0


def test_no_two_jobs_have_one_file_of_rows_that_were_refused(tmp_path: Path) -> None:
    ids = ("a/b", "a_b", "a:b", "é" * 300, "é" * 301, "../../x")
    files = [Path(writer.LoadJob("/QM1.db", "Q", job_id, str(tmp_path)).quarantine_file) for job_id in ids]
    assert len(set(files)) == len(ids)
    for file in files:
        file.write_text("")
        assert file.parent == tmp_path
    assert files[1].name == "a_b.jsonl"


@pytest.mark.parametrize("at", ["put", "add", "write_quarantine", "connect"])
def test_a_load_that_is_killed_and_run_again_is_there_once(qm: Any, tmp_path: Path, at: str) -> None:
    path = five(tmp_path)
    where = {"add": writer.applied_jobs, "write_quarantine": writer._LoadProgress, "put": writer.ColumnarBatch}.get(
        at, writer
    )
    die_after(where, at, lambda: writer.load_staged(job(qm, tmp_path), [path]))
    writer.load_staged(job(qm, tmp_path), [path])
    assert qm.data() == FIVE

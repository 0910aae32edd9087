"""Audit of a receiving folder: incomplete objects, logs that can be deleted, and use counts of objects."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mqtools.channel.reference.audit import delete_old_logs, unfinished_objects
from mqtools.channel.reference.files import ObjectRefused
from mqtools.channel.reference.use import acknowledge
from mqtools.constants import reasons as rc
from mqtools.errors import MQError

from ..conftest import fails
from .ends import INSTANCE, Ends, apart, reference_message


@pytest.fixture
def ends(tmp_path: Path) -> Ends:
    return Ends(tmp_path)


def hidden(ends: Ends, suffix: str) -> Path:
    (name,) = (name for name in ends.hidden() if name.endswith(suffix))
    return ends.target / name


# -- unfinished ---------------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-18")
def test_an_object_is_unfinished_until_its_last_missing_portion_has_come(ends: Ends) -> None:
    assert unfinished_objects(str(ends.target)) == []
    ends.receive(reference_message("a/film.bin", bulk=b"abc"))
    (found,) = unfinished_objects(str(ends.target))
    assert (found.name, found.received, found.length) == ("a/film.bin", 3, None)
    assert found.why == "the end is missing"
    ends.receive(reference_message("a/film.bin", bulk=b"ghi", offset=6, flags=1))
    (found,) = unfinished_objects(str(ends.target))
    assert (found.received, found.length, found.missing) == (6, 9, [(3, 6)])
    assert (found.why, found.path) == ("portions are missing", str(hidden(ends, ".part")))
    assert abs(found.changed_at - time.time()) < 60
    ends.receive(reference_message("a/film.bin", bulk=b"def", offset=3))
    assert unfinished_objects(str(ends.target)) == []


def test_an_object_whose_name_was_taken_is_unfinished(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    (ends.target / "film.bin").touch()
    ends.receive(reference_message(bulk=b"def", offset=3, flags=1))
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["the end is missing"]


def test_what_a_crash_between_log_and_name_leaves_is_unfinished(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    part = hidden(ends, ".part")
    kept = part.with_name("kept")
    os.link(part, kept)
    ends.receive(reference_message(bulk=b"def", offset=3, flags=1))
    os.link(kept, part)
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["complete, with both its names"]
    (ends.target / "film.bin").unlink()
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["complete, but not named yet"]
    (ends.target / "film.bin").touch()
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["complete, but another file has its name"]


def test_hidden_files_that_miss_each_other_or_are_damaged_are_listed(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    log, part = hidden(ends, ".log"), hidden(ends, ".part")
    whole = log.read_bytes()
    log.write_bytes(whole + b"{}x\n")
    (found,) = unfinished_objects(str(ends.target))
    assert (found.name, found.path) == ("", str(part))
    assert "damaged" in found.why
    log.write_bytes(b"")
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["it has no log"]
    log.write_bytes(whole + b'{"offset":3,')
    assert [one.why for one in unfinished_objects(str(ends.target))] == ["the end is missing"]
    assert log.read_bytes() == whole + b'{"offset":3,', "an audit changes nothing"
    part.unlink()
    (found,) = unfinished_objects(str(ends.target))
    assert (found.why, found.path) == ("its temporary file is gone", str(log))
    log.write_bytes(b"")
    assert unfinished_objects(str(ends.target)) == []


@pytest.mark.parametrize("line", [b"{}x\n", b"5\n", b'{"offset":-1}\n', b'{"object":1,"instance":"zz"}\n', b"\xff\n"])
def test_a_damaged_log_refuses_messages_with_their_data_and_the_channel_goes_on(ends: Ends, line: bytes) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    with open(hidden(ends, ".log"), "ab") as file:
        file.write(line)
    message = reference_message(bulk=b"def", offset=3, flags=1)
    ends.receive(message)
    assert ends.dead == [message]
    assert "damaged" in ends.notes[0]


def test_a_temporary_file_that_is_gone_refuses_what_would_complete_it(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    hidden(ends, ".part").unlink()
    message = reference_message(bulk=b"def", offset=3, flags=1)
    ends.receive(message)
    assert ends.dead == [message]
    assert "is gone" in ends.notes[0]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with fails(rc.MQRC_API_EXIT_INIT_ERROR):
        unfinished_objects(str(tmp_path / "nothing"))


def test_unfinished_objects_come_the_oldest_first(ends: Ends) -> None:
    for n, name in enumerate(("new", "old", "older")):
        ends.receive(reference_message(name, bulk=b"abc"))
        newest = max(ends.target.iterdir(), key=lambda path: path.stat().st_mtime_ns * (path.suffix == ".part"))
        os.utime(newest, (1000 - n, 1000 - n))
    assert [one.name for one in unfinished_objects(str(ends.target))] == ["older", "old", "new"]


# -- forgotten ----------------------------------------------------------------------------------------------


def test_logs_of_finished_objects_that_are_gone_are_forgotten_after_their_time(ends: Ends) -> None:
    root = os.open(ends.target, os.O_RDONLY)
    for name in ("there", "gone", "fresh"):
        ends.receive(reference_message(name, bulk=b"abc", flags=1))
    logs = {path.read_text().split('"')[3]: path for path in ends.target.glob(".mqx-*.log")}
    ends.receive(reference_message("coming", bulk=b"abc"))
    for name in ("gone", "fresh"):
        (ends.target / name).unlink()
    for path in ends.target.glob(".mqx-*"):
        if path != logs["fresh"]:
            os.utime(path, (1000, 1000))
    assert delete_old_logs(root) == 1
    left = {path.read_text().split('"')[3] for path in ends.target.glob(".mqx-*.log")}
    assert left == {"there", "fresh", "coming"}
    os.close(root)


def test_the_receiving_exit_forgets_as_it_starts(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc", flags=1))
    (ends.target / "film.bin").unlink()
    os.utime(hidden(ends, ".log"), (1000, 1000))
    ends.chain("RCVR", "QM2", ends.target).end()
    assert ends.hidden() == []


# -- use counts ---------------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-21")
def test_an_object_is_deleted_when_the_last_queue_it_came_for_needs_it_no_more(ends: Ends) -> None:
    for q_name in ("Q1", "Q2"):
        ends.receive(reference_message("a/b", bulk=b"abc", q_name=q_name))
        ends.receive(reference_message("a/b", bulk=b"def", offset=3, flags=1, q_name=q_name))
    rmh = apart(ends.queue[0]).rmh
    assert acknowledge(str(ends.target), rmh, "Q1") == 1
    assert acknowledge(str(ends.target), rmh, "Q1") == 1
    assert ends.objects() == {"a/b": b"abcdef"}
    assert acknowledge(str(ends.target), rmh, "Q2") == 0
    assert ends.objects() == {}
    assert acknowledge(str(ends.target), rmh, "Q2") == 0


def test_an_object_that_is_gone_or_replaced_is_acknowledged_and_its_successor_stays(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc", flags=1))
    other = ends.target / "other"
    other.write_bytes(b"mine")
    os.replace(other, ends.target / "film.bin")
    assert acknowledge(str(ends.target), apart(ends.queue[0]).rmh, "Q") == 0
    assert ends.objects() == {"film.bin": b"mine"}


@pytest.mark.parametrize(
    ("q_name", "instance_id", "is_complete"),
    [("OTHER", INSTANCE, True), ("Q", b"O" * 24, True), ("Q", INSTANCE, False)],
)
def test_what_has_not_come_for_a_queue_cannot_be_acknowledged(
    ends: Ends, q_name: str, instance_id: bytes, is_complete: bool
) -> None:
    ends.receive(reference_message(bulk=b"abc", flags=int(is_complete)))
    before = sorted(ends.target.iterdir())
    rmh = apart(ends.queue[0]).rmh.replace(object_instance_id=instance_id)
    with fails(rc.MQRC_UNKNOWN_OBJECT_NAME):
        acknowledge(str(ends.target), rmh, q_name)
    assert sorted(ends.target.iterdir()) == before


def test_a_name_that_leads_elsewhere_cannot_be_acknowledged(ends: Ends) -> None:
    rmh = apart(reference_message(dest_name="../x")).rmh
    with pytest.raises(MQError):
        acknowledge(str(ends.target), rmh, "Q")


def test_a_damaged_log_cannot_be_acknowledged(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc", flags=1))
    hidden(ends, ".log").write_bytes(b"damaged\n")
    with pytest.raises(ObjectRefused):
        acknowledge(str(ends.target), apart(ends.queue[0]).rmh, "Q")
    assert ends.objects() == {"film.bin": b"abc"}

"""Messages and files that cannot be read: an error that says where, or a line in the quarantine and the rest."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from mqtools.arrow.damage import Damaged, Quarantine
from mqtools.arrow.key_range import Range
from mqtools.arrow.read_options import Options
from mqtools.constants.properties import MQTYPE_STRING
from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.message import Property
from tests.rows import CHUNK

from .filling import read_rows

#: What is done to the message to the words about it.
DAMAGES = {
    "format = cast(x'ff41' as text)": "Could not decode to UTF-8 column 'format'",
    "properties = '{no json'": "the properties are not JSON",
    "data_length = 7": "3 bytes of data are stored, not 7",
    "data = null": "0 bytes of data are stored, not 3",
    "state = 99": "unknown state 99",
}


def change(path: str, *statements: str) -> None:
    sql = sqlite3.connect(path)
    with sql:
        for statement in statements:
            sql.execute(statement)
    sql.close()


def read(path: str, folder: Path | None, *names: str, **given: Any) -> list[dict[str, Any]]:
    return read_rows(path, *names, **given, **({"quarantine": str(folder)} if folder else {}))


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "read.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("number", [0, 100, 199])
@pytest.mark.parametrize(("damage", "reason"), DAMAGES.items())
def test_a_damaged_message_is_set_aside_and_all_others_are_read(
    qm: Any, tmp_path: Path, damage: str, reason: str, number: int
) -> None:
    sent = [b"%03d" % each for each in range(200)]
    for data in sent:
        qm.put(data, format="MQSTR")
    change(qm.path, f"update messages set {damage} where cast(seq & 0xffff as int) = {number + 1}")
    found = read(qm.path, tmp_path, "format", "properties", "state", "data", "seq")
    assert [row["data"] for row in found] == sent[:number] + sent[number + 1 :]
    assert {row["format"] for row in found} == {"MQSTR"}
    (line,) = lines(tmp_path)
    assert (line["file"], line["queue"]) == (qm.path, "Q")
    assert line["seq"] & 0xFFFF == number + 1
    assert line["reason"].startswith(reason)


@pytest.mark.parametrize("is_alone", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize(("damage", "reason"), DAMAGES.items())
def test_without_a_quarantine_it_is_an_error_that_says_where(qm: Any, damage: str, reason: str, is_alone: bool) -> None:
    for data in (b"one", b"two", b"end"):
        qm.put(data)
    change(qm.path, f"update messages set {damage} where data = x'74776f'")
    words = rf"QM1.db: message \d+ of queue Q is damaged: {reason}.*; use the option quarantine"
    with qm.left_alone(), pytest.raises(Damaged, match=words):
        read(qm.path, None, "format", "properties", "state", "data", is_alone=is_alone)


@pytest.mark.parametrize("damage", ["data = x'747778'", "priority = 9", "user_identifier = 'eve'"])
def test_what_is_not_as_it_was_put_is_damaged_to_who_verifies(qm: Any, tmp_path: Path, damage: str) -> None:
    for data in (b"one", b"two", b"l" * 300_000, b"v" * (CHUNK + 1)):
        qm.put(data, priority=3)
    change(qm.path, f"update messages set {damage} where data = x'74776f'")
    assert len(read(qm.path, None, "data")) == 4
    found = read(qm.path, tmp_path, "data", "format", verify="true")
    assert [len(row["data"]) for row in found] == [3, 300_000, CHUNK + 1]
    assert "its bytes are not those that were put" in lines(tmp_path)[0]["reason"]
    assert len(read(qm.path, None, "format", verify="true")) == 4  # the data is not read
    with qm.left_alone(), pytest.raises(Damaged, match=r"message \d+ of queue Q is damaged.*not those") as raised:
        read(qm.path, None, "data", is_alone=True, verify="true")
    assert raised.value.reason == MQRC_OBJECT_DAMAGED


def test_a_long_message_of_which_one_byte_has_changed_is_damaged_to_who_verifies(qm: Any, tmp_path: Path) -> None:
    qm.put(b"x" * (CHUNK + 1))
    change(qm.path, "update message_chunks set data = x'79' where number = 1")
    assert read(qm.path, tmp_path, "data", verify="true") == []
    assert len(lines(tmp_path)) == 1


def test_messages_of_a_lock_are_verified_and_events_never() -> None:
    assert [Options.parse(given).verify for given in ({}, {"lock": "01"}, {"lock": "01", "verify": "no"})] == [
        False,
        True,
        False,
    ]
    with pytest.raises(ValueError, match="option verify is for messages"):
        Options.parse({"journal": "true", "verify": "true"})


@pytest.mark.parametrize("gone", ["number = 1", "number = 2", "1"])
def test_a_long_message_of_which_a_piece_is_missing_is_damaged(qm: Any, tmp_path: Path, gone: str) -> None:
    qm.put(b"before")
    qm.put(b"x" * (2 * CHUNK + 5))
    qm.put(b"behind")
    change(qm.path, f"delete from message_chunks where {gone}")
    assert [row["data"] for row in read(qm.path, tmp_path, "data")] == [b"before", b"behind"]
    assert lines(tmp_path)[0]["reason"].endswith(f"bytes of data are stored, not {2 * CHUNK + 5}")


def test_two_bodies_whose_lengths_are_wrong_by_as_much_are_both_damaged(qm: Any, tmp_path: Path) -> None:
    for data in (b"one", b"two", b"three"):
        qm.put(data)
    change(
        qm.path,
        "update messages set data_length = 4 where data = x'6f6e65'",
        "update messages set data_length = 2 where data = x'74776f'",
    )
    assert [row["data"] for row in read(qm.path, tmp_path, "data")] == [b"three"]
    assert len(lines(tmp_path)) == 2


def test_a_selector_does_not_hide_what_is_damaged(qm: Any, tmp_path: Path) -> None:
    for colour in ("red", "red", "blue"):
        qm.put(colour.encode(), properties={"colour": Property(MQTYPE_STRING, colour)})
    cut_off = "substr(properties, 1, length(properties) - 1)"
    change(qm.path, f"update messages set properties = {cut_off} where seq = (select min(seq) from messages)")
    found = read(qm.path, tmp_path, "data", selector="colour = 'red'")
    assert ([row["data"] for row in found], len(lines(tmp_path))) == ([b"red"], 1)


def test_an_event_that_is_damaged_is_set_aside_by_its_number(qm: Any, tmp_path: Path) -> None:
    qm.define("Q", "QUEUE", journal=2)
    for data in (b"one", b"two"):
        qm.put(data)
    change(qm.path, "update journal set data = x'00' where event_seq = 1")
    assert [row["data"] for row in read(qm.path, tmp_path, "data", journal="true")] == [b"two"]
    assert (lines(tmp_path)[0]["event_seq"], lines(tmp_path)[0]["queue"]) == (1, "")
    for is_alone in (False, True):
        with qm.left_alone(), pytest.raises(Damaged, match=r"QM1.db: event 1 is damaged"):
            read(qm.path, None, "data", journal="true", is_alone=is_alone)


def test_pages_that_are_damaged_are_skipped_and_the_rest_is_read(qm: Any, tmp_path: Path) -> None:
    sent = [b"%04d" % number + bytes(700) for number in range(300)]
    for data in sent:
        qm.put(data)
    qm.main.db.run("pragma wal_checkpoint(truncate)")
    lost = zero_a_leaf(qm.path, holding=sent[150])
    found = [row["data"] for row in read(qm.path, tmp_path, "data")]
    assert sent[150] in lost
    assert found == [data for data in sent if data not in lost]
    (line,) = lines(tmp_path)
    numbers = range(line["seq"] & 0xFFFF, (line["last_seq"] & 0xFFFF) + 1)
    assert [sent[number - 1] for number in numbers] == lost
    words = r"messages \d+ to \d+ of queue Q are damaged: database disk image is malformed"
    for is_alone in (False, True):
        with qm.left_alone(), pytest.raises(Damaged, match=words):
            read(qm.path, None, "data", is_alone=is_alone)


def zero_a_leaf(path: str, holding: bytes) -> list[bytes]:
    """Overwrite the page that a message is on; return the data of all messages on it, in order."""
    content = bytearray(Path(path).read_bytes())
    at = content.index(holding) // 4096 * 4096
    page = bytes(content[at : at + 4096])
    content[at : at + 4096] = bytes(4096)
    Path(path).write_bytes(content)
    starts = [n for n in range(len(page) - 703) if page[n : n + 4].isdigit() and page[n + 4 : n + 704] == bytes(700)]
    return sorted(page[n : n + 704] for n in starts)


def no_database(path: str) -> None:
    Path(path).write_bytes(b"no database at all" * 500)


def of_a_newer_version(path: str) -> None:
    change(path, "pragma user_version = 99")


def cut_off(path: str) -> None:
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[: len(content) // 3])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (no_database, "not a queue manager of mqx"),
        (of_a_newer_version, "made by a newer mqx"),
        (cut_off, "the file is damaged"),
    ],
)
def test_a_file_that_cannot_be_opened_is_set_aside_and_the_others_are_read(
    qm: Any, make_qm: Callable[[str], Any], tmp_path: Path, spoil: Callable[[str], None], reason: str
) -> None:
    other = make_qm("QM2")
    other.put(b"lost")
    other.main.disconnect()
    qm.put(b"there")
    spoil(other.path)
    both = f"{other.path},{qm.path}"
    assert [row["data"] for row in read(both, tmp_path / "aside", "data")] == [b"there"]
    (line,) = lines(tmp_path / "aside")
    assert line["file"] == other.path
    assert reason in line["reason"]
    with pytest.raises(StorageError, match=rf"QM2.db: .*{reason}"):
        read(both, None, "data")


def test_what_is_read_again_is_written_down_once(qm: Any, tmp_path: Path) -> None:
    for data in (b"one", b"two"):
        qm.put(data)
    change(qm.path, "update messages set data_length = 9")
    for _ in range(2):
        assert read(qm.path, tmp_path, "data") == []
    assert len(lines(tmp_path)) == 2


def test_tasks_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    span = Range("/qm/QM1.db", "QM1", "Q", 3, 0, 99)

    def task(first: int) -> None:
        own = Quarantine(str(tmp_path), "read")
        for seq in range(first, first + 40):
            own.rows(span, seq, seq, ValueError("bad"))

    tasks = [Thread(target=task, args=(first,)) for first in (0, 20, 40)]
    for one in tasks:
        one.start()
    for one in tasks:
        one.join()
    assert sorted(line["seq"] for line in lines(tmp_path)) == list(range(80))


def test_half_a_line_of_a_killed_task_is_written_over(tmp_path: Path) -> None:
    span = Range("/qm/QM1.db", "QM1", "Q", 3, 0, 99)
    Quarantine(str(tmp_path), "read").rows(span, 1, 1, ValueError("bad"))
    with open(tmp_path / "read.jsonl", "ab") as file:
        file.write(b'{"file": "/qm/QM1.db", "queue": "Q", "se')
    again = Quarantine(str(tmp_path), "read")
    assert [again.quarantine_filter("/qm/QM1.db", "Q")(seq) for seq in (1, 2)] == [True, False]
    again.rows(span, 2, 2, ValueError("bad"))
    assert [line["seq"] for line in lines(tmp_path)] == [1, 2]

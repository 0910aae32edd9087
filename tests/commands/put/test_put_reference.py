"""``mqx put --reference``: what lies on the queue, and what is refused before anything does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.headers.mqrmh import MQRMH, unpack_mqrmh

from ..conftest import Done

Q = "DEV.QUEUE.1"

Mqx = Callable[..., Done]
LyingOn = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def put(qm: str, mqx: Mqx, lying_on: LyingOn) -> Callable[..., tuple[dict[str, Any], MQRMH]]:
    """Put one, which must succeed; give the row of the message and its header."""

    def run(*words: str) -> tuple[dict[str, Any], MQRMH]:
        mqx("put", Q, *words, check=True)
        row = lying_on(Q)[-1]
        return row, unpack_mqrmh(row["data"], row["encoding"], row["coded_char_set_id"])

    return run


@pytest.mark.conformance("REF-05")
def test_a_reference_message_is_a_header_and_nothing_behind_it(
    put: Callable[..., tuple[dict[str, Any], MQRMH]],
) -> None:
    row, rmh = put("--reference", "in/film.bin")
    assert row["format"].rstrip() == "MQHREF"
    assert len(row["data"]) == int.from_bytes(row["data"][8:12], "little") == 108 + 2 * len("in/film.bin")
    assert (rmh.src_name, rmh.dest_name, rmh.object_type) == ("in/film.bin", "in/film.bin", "FLATFILE")
    assert (rmh.src_env, rmh.dest_env) == ("", "")
    assert (rmh.logical_offset, rmh.data_logical_length, rmh.flags) == (0, 0, 0)


@pytest.mark.conformance("REF-22")
def test_a_whole_object_gets_a_new_instance_each_time_and_a_portion_none(
    put: Callable[..., tuple[dict[str, Any], MQRMH]],
) -> None:
    instances = [put("--reference", "a")[1].object_instance_id for _ in range(2)]
    assert len({*instances, bytes(24)}) == 3
    for portion in (("--offset", "0"), ("--length", "5")):
        assert put("--reference", "a", *portion)[1].object_instance_id == bytes(24)
    for portion in ((), ("--offset", "7")):
        given = put("--reference", "a", "--instance-id", "4B01", *portion)[1].object_instance_id
        assert given == b"\x4b\x01".ljust(24, b"\0")


@pytest.mark.conformance("REF-12", "REF-32")
def test_a_portion_is_what_offset_and_length_say(put: Callable[..., tuple[dict[str, Any], MQRMH]]) -> None:
    _, rmh = put("--reference", "a", "--offset", "3000000123", "--length", "1k", "--last")
    assert (rmh.data_logical_offset2, rmh.data_logical_offset, rmh.data_logical_length) == (3, 123, 1024)
    assert rmh.flags == 1


def test_last_speaks_of_the_object_and_not_of_a_group(put: Callable[..., tuple[dict[str, Any], MQRMH]]) -> None:
    row, rmh = put("--reference", "a", "--last")
    assert (row["msg_flags"], rmh.flags) == (0, 1)
    row, rmh = put("--reference", "a", "--group-id", "4B", "--seq", "2")
    assert (row["msg_flags"], row["msg_seq_number"], rmh.flags) == (8, 2, 0)


@pytest.mark.conformance("REF-31")
def test_format_character_set_and_encoding_are_those_of_the_file(
    put: Callable[..., tuple[dict[str, Any], MQRMH]],
) -> None:
    row, rmh = put("--reference", "a", "--format", "MQSTR", "--ccsid", "819", "--encoding", "273")
    assert (rmh.format, rmh.coded_char_set_id, rmh.encoding) == ("MQSTR", 819, 273)
    assert (row["coded_char_set_id"], row["encoding"]) == (1208, 546)


def test_names_may_be_any_text_and_lose_what_means_nothing(put: Callable[..., tuple[dict[str, Any], MQRMH]]) -> None:
    _, rmh = put("--reference", "./été//film 1.bin", "--dest-name", "x\ny", "--object-type", "PICTURE")
    assert (rmh.src_name, rmh.dest_name, rmh.object_type) == ("été/film 1.bin", "x\ny", "PICTURE")


def test_other_options_are_as_ever(put: Callable[..., tuple[dict[str, Any], MQRMH]]) -> None:
    row, _ = put("--reference", "a", "--priority", "7", "--msg-id", "4D", "--property", "colour=red", "--print-id")
    assert (row["priority"], row["msg_id"][:1]) == (7, b"M")
    assert "red" in row["properties"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--reference", "../x"], "leads out of the root folder"),
        (["--reference", "a/../../x"], "leads out of the root folder"),
        (["--reference", "a/.."], "leads out of the root folder"),
        (["--reference", "/etc/passwd"], "not relative"),
        (["--reference", ""], "names no file"),
        (["--reference", "a/"], "names no file"),
        (["--reference", ".mqx-1.log"], "is kept for"),
        (["--reference", b"\xff"], "not UTF-8"),
        (["--reference", "a", "--dest-name", "../x"], "--dest-name: object name '../x' leads"),
        (["--reference", "a", "--dest-name", ""], "--dest-name: object name '' names no file"),
        (["--reference", "a", "--object-type", "TOOLONGER"], "object_type is 9 bytes"),
        (["--reference", "a", "--length", "2147483648"], "data_logical_length"),
        (["--reference", "a", "--offset", "3000000000000000000"], "--offset"),
        (["--reference", "a", "--offset", "-1"], "size"),
        (["--reference", "a", "--segment", "5"], "--segment cannot be combined with --reference"),
        (["--reference", "a", "--last", "--group-id", "4B"], "--last with --reference"),
        (["--reference", "a", "data"], "one source of messages"),
        (["--reference", "a", "--lines"], "one source of messages"),
        (["--offset", "5", "data"], "--offset requires --reference"),
        (["--dest-name", "x", "data"], "--dest-name requires --reference"),
        (["--instance-id", "4B", "data"], "--instance-id requires --reference"),
    ],
)
def test_what_makes_no_reference_is_a_usage_error_and_puts_nothing(
    qm: str, mqx: Mqx, lying_on: LyingOn, words: list[Any], complaint: str
) -> None:
    done = mqx("put", Q, *words)
    assert (done.status, done.out) == (2, b"")
    assert complaint in done.err
    assert lying_on(Q) == []


def test_a_dry_run_puts_no_reference(qm: str, mqx: Mqx, lying_on: LyingOn) -> None:
    done = mqx("put", Q, "--reference", "a", "--dry-run", check=True)
    assert "would put 1 message" in done.err
    assert lying_on(Q) == []


def test_a_reference_with_its_instance_put_twice_under_a_confirm_id_is_one(
    qm: str, mqx: Mqx, lying_on: LyingOn
) -> None:
    for _ in range(2):
        mqx("put", Q, "--reference", "a", "--instance-id", "4B", "--confirm-id", "7", check=True)
    assert len(lying_on(Q)) == 1

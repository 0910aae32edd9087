"""The exit REFERENCE at both ends: objects cross, and what must not be sent or written is refused."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from mqtools.channel.exits import ExitContext, ExitMessage, load_chain
from mqtools.constants import reasons as rc
from mqtools.constants.structures import MQDLH_LENGTH_1
from mqtools.headers.conversion import convert
from mqtools.message import MQMD
from mqtools.rules.reference import Portion

from ..conftest import fails
from .ends import OBJECT, Ends, apart, portions, reference_message


def header_length(message: ExitMessage) -> int:
    return len(apart(message).header)


# -- an object crosses --------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-02", "REF-06", "REF-07", "REF-08")
def test_the_data_is_appended_at_the_sender_and_written_at_the_receiver_and_is_on_no_queue(ends: Ends) -> None:
    put = reference_message(dest_name="in/copy.bin")
    ends.run(put)
    (sent,), (received,) = ends.sent, ends.queue
    assert len(sent.data) == header_length(put) + len(OBJECT)
    assert len(received.data) == header_length(put)
    assert apart(received).rmh.dest_name == "in/copy.bin"
    assert apart(received).portion == Portion(0, 2500, is_last=True)
    assert ends.objects() == {"in/copy.bin": OBJECT}
    assert (received.md, received.remote_q) == (put.md, "Q")


def test_what_was_made_is_for_the_owner_alone_and_nothing_temporary_with_data_is_left(ends: Ends) -> None:
    os.umask(os.umask(0))  # whatever it is
    ends.run(reference_message(dest_name="in/copy.bin"))
    assert stat.S_IMODE((ends.target / "in/copy.bin").stat().st_mode) == 0o600
    assert stat.S_IMODE((ends.target / "in").stat().st_mode) == 0o700
    assert [name.rpartition(".")[2] for name in ends.hidden()] == ["log"]
    assert stat.S_IMODE((ends.target / ends.hidden()[0]).stat().st_mode) == 0o600


def test_an_empty_object_crosses(ends: Ends) -> None:
    (ends.source / "empty").touch()
    ends.run(reference_message("empty"))
    assert ends.objects() == {"empty": b""}
    assert portions(ends.queue) == [Portion(0, 0, is_last=True)]


@pytest.mark.conformance("REF-04")
@pytest.mark.parametrize("format", ["", "MQSTR", "MQHREF2"])
def test_a_message_of_another_format_is_left_alone(ends: Ends, format: str) -> None:
    message = reference_message()
    message.md.format = format
    ends.run(message)
    assert ends.sent == ends.queue == [message]
    assert ends.objects() == {}


@pytest.mark.conformance("REF-03")
def test_without_a_receiving_exit_header_and_data_arrive(ends: Ends) -> None:
    ends.transmission_queue.append(reference_message())
    sent = ends.send_one()
    assert sent is not None
    assert load_chain("", "")(sent) == sent
    assert apart(sent).bulk == OBJECT


def test_without_a_sending_exit_the_message_passes_the_receiving_one(ends: Ends) -> None:
    for message in (reference_message(), reference_message(length=5, offset=3)):
        ends.receive(message)
        assert ends.queue.pop() == message
    assert (ends.objects(), ends.hidden()) == ({}, [])


@pytest.mark.conformance("REF-25")
def test_the_data_of_an_object_is_never_converted(ends: Ends) -> None:
    (ends.source / "text").write_bytes("äöü€".encode("cp1252"))
    ends.run(reference_message("text", format="MQSTR"))
    assert ends.objects() == {"text": "äöü€".encode("cp1252")}


# -- portions -----------------------------------------------------------------------------------------------


@pytest.mark.conformance("REF-09", "REF-14", "REF-15")
def test_the_exit_sends_the_rest_in_follow_on_messages_within_the_negotiated_maximum(ends: Ends) -> None:
    put = reference_message()
    ends.max_message_length = header_length(put) + 1000 + MQDLH_LENGTH_1
    ends.run(put)
    assert portions(ends.sent) == [Portion(0, 1000), Portion(1000, 1000), Portion(2000, 500, is_last=True)]
    assert portions(ends.queue) == portions(ends.sent)
    assert max(len(message.data) for message in ends.sent) == ends.max_message_length - MQDLH_LENGTH_1
    assert ends.objects() == {"film.bin": OBJECT}


def test_a_follow_on_message_is_a_new_one_in_no_group_otherwise_like_the_first(ends: Ends) -> None:
    put = reference_message()
    put.md = put.md.replace(group_id=b"G" * 24, msg_seq_number=3, msg_flags=24, correl_id=b"C" * 24, report=256)
    ends.max_message_length = header_length(put) + 2000 + MQDLH_LENGTH_1
    ends.transmission_queue.append(put)
    sent = ends.send_one()
    assert sent is not None
    assert sent.md == put.md
    follow_on = ends.transmission_queue[1]
    assert follow_on.md == MQMD(
        format="MQHREF", coded_char_set_id=1208, persistence=1, priority=4, correl_id=b"C" * 24, report=256
    )
    assert (follow_on.remote_q, follow_on.remote_q_mgr) == ("Q", "QM2")
    assert (apart(follow_on).bulk, apart(follow_on).portion) == (b"", Portion(2000, 0))


@pytest.mark.conformance("REF-12", "REF-13")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0)])
def test_several_messages_each_with_its_portion_make_the_object_in_any_order(
    ends: Ends, order: tuple[int, ...]
) -> None:
    three = [reference_message(offset=at, length=min(1000, 2500 - at)) for at in (0, 1000, 2000)]
    ends.run(*(three[n] for n in order[:2]))
    assert ends.objects() == {}
    ends.run(three[order[2]])
    assert ends.objects() == {"film.bin": OBJECT}
    assert len(ends.queue) == 3


@pytest.mark.conformance("REF-33")
def test_a_length_of_0_sends_the_rest(ends: Ends) -> None:
    ends.run(reference_message(offset=2000))
    assert apart(ends.sent[0]).bulk == OBJECT[2000:]


def test_what_was_chosen_for_a_portion_is_settled_so_that_a_resend_is_the_same(ends: Ends) -> None:
    put = reference_message()
    ends.max_message_length = header_length(put) + 1000 + MQDLH_LENGTH_1
    ends.transmission_queue.append(put)
    first = ends.send_one()
    assert first is not None
    ends.max_message_length = 10_000  # negotiated anew
    with open(ends.source / "film.bin", "ab") as file:
        file.write(b"more")
    again = ends.send_one()
    assert again == first
    assert portions(ends.transmission_queue) == [Portion(0, 1000), Portion(1000, 0)]


def test_the_last_portion_stays_the_last_when_it_is_sent_again(ends: Ends) -> None:
    ends.transmission_queue.append(reference_message(offset=2000))
    first = ends.send_one()
    with open(ends.source / "film.bin", "ab") as file:
        file.write(b"more")
    assert ends.send_one() == first
    assert first is not None
    assert apart(first).portion == Portion(2000, 500, is_last=True)


def test_a_portion_that_is_as_the_message_says_is_not_settled(ends: Ends) -> None:
    settled: list[ExitMessage] = []
    chain = ends.chain("SDR", "QM1", ends.source, settle=settled.append)
    chain(reference_message(offset=0, length=1000))
    assert settled == []
    chain(reference_message(offset=1500, length=1000))
    assert portions(settled) == [Portion(1500, 1000, is_last=True)]
    chain.end()


@pytest.mark.parametrize("asked", [{"offset": 2501}, {"offset": 2000, "length": 501}, {"offset": 0, "length": 9999}])
def test_a_portion_that_the_object_does_not_have_is_refused(ends: Ends, asked: dict[str, int]) -> None:
    ends.run(reference_message(**asked))  # type: ignore[arg-type]
    assert (ends.sent, len(ends.dead)) == ([], 1)
    assert "2500 bytes" in ends.notes[0]


def test_a_maximum_without_room_for_data_refuses_the_message(ends: Ends) -> None:
    put = reference_message()
    ends.max_message_length = header_length(put) + MQDLH_LENGTH_1
    ends.run(put)
    assert (ends.sent, ends.dead) == ([], [put])


def test_the_last_portion_may_end_before_the_object_does(ends: Ends) -> None:
    ends.run(reference_message(length=1000, flags=1))
    assert ends.objects() == {"film.bin": OBJECT[:1000]}


# -- nodes and destinations ---------------------------------------------------------------------------------


@pytest.mark.conformance("REF-17")
def test_a_queue_manager_between_passes_the_data_on_with_or_without_exits(ends: Ends) -> None:
    ends.run(reference_message(q_mgr_name="QM3"))
    (between,) = ends.queue
    assert (ends.objects(), ends.hidden()) == ({}, [])
    assert apart(between).bulk == OBJECT
    (ends.source / "film.bin").unlink()
    ends.transmission_queue.append(between)
    assert ends.send_one() == between  # its data is not read from this root folder
    at_its_end = ends.chain("RCVR", "QM3", ends.target)
    assert at_its_end(between) is not None
    at_its_end.end()
    assert ends.objects() == {"film.bin": OBJECT}


@pytest.mark.conformance("REF-27")
def test_data_converted_on_the_way_is_written_as_it_comes(ends: Ends) -> None:
    between = reference_message("text", bulk="grün".encode(), length=5, flags=1, format="MQSTR")
    converted = convert(between.md, between.data, to_ccsid=37, to_encoding=273)
    assert converted.reason == 0
    ends.receive(between.replace(md=converted.md, data=converted.data))
    assert ends.objects() == {"text": "grün".encode("cp037")}
    assert portions(ends.queue) == [Portion(0, 4, is_last=True)]


@pytest.mark.conformance("REF-23")
def test_an_object_is_read_as_often_as_it_has_destinations(ends: Ends) -> None:
    messages = [reference_message(q_name=name) for name in ("Q1", "Q2")]
    messages.append(reference_message(q_name="Q3", q_mgr_name="QM3"))
    ends.run(*messages)
    assert [apart(message).bulk for message in ends.sent] == [OBJECT] * 3
    assert [(message.remote_q, len(apart(message).bulk)) for message in ends.queue] == [
        *(("Q1", 0), ("Q2", 0)),
        ("Q3", 2500),
    ]
    assert ends.objects() == {"film.bin": OBJECT}


@pytest.mark.conformance("REF-24")
def test_a_node_takes_what_is_for_it_and_passes_on_what_is_not(ends: Ends) -> None:
    ends.run(reference_message(q_name="Q1"), reference_message(q_name="Q2", q_mgr_name="QM3"))
    assert ends.objects() == {"film.bin": OBJECT}
    assert [apart(message).bulk for message in ends.queue] == [b"", OBJECT]


@pytest.mark.conformance("REF-22")
def test_instances_of_an_object_are_kept_apart(ends: Ends) -> None:
    other = b"O" * 24
    ends.receive(reference_message(bulk=b"abc"))
    ends.receive(reference_message(bulk=b"xyz", instance_id=other))
    ends.receive(reference_message(bulk=b"def", offset=3, flags=1))
    assert ends.objects() == {"film.bin": b"abcdef"}
    late = reference_message(bulk=b"uvw", offset=3, flags=1, instance_id=other)
    ends.receive(late)
    assert ends.dead == [late]
    assert "exists as another object" in ends.notes[0]
    assert ends.objects() == {"film.bin": b"abcdef"}


# -- whether it starts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["", "/no/such/folder", "\0"])
@pytest.mark.parametrize("chltype", ["SDR", "RCVR"])
def test_without_a_root_folder_the_exit_does_not_start(data: str, chltype: str) -> None:
    chain = load_chain("REFERENCE", data)
    with fails(rc.MQRC_API_EXIT_INIT_ERROR, "exit REFERENCE: "):
        chain.start(ExitContext("C", chltype, "QM1"))
    chain.end()


@pytest.mark.conformance("REF-01")
@pytest.mark.parametrize("chltype", ["SDR", "RCVR"])
def test_a_queue_manager_of_profile_zos_has_no_reference_messages(tmp_path: Path, chltype: str) -> None:
    chain = load_chain("REFERENCE", str(tmp_path))
    with fails(rc.MQRC_FUNCTION_NOT_SUPPORTED):
        chain.start(ExitContext("C", chltype, "QM1", profile="zos"))


@pytest.mark.conformance("REF-26")
def test_a_sender_that_converts_is_refused_and_a_receiver_knows_no_conversion(tmp_path: Path) -> None:
    for chltype in ("SDR", "SVR"):
        chain = load_chain("REFERENCE", str(tmp_path))
        with fails(rc.MQRC_CHANNEL_CONFIG_ERROR, "CONVERT"):
            chain.start(ExitContext("C", chltype, "QM1", converts=True))
    load_chain("REFERENCE", str(tmp_path)).start(ExitContext("C", "RCVR", "QM2", converts=True))


def test_the_root_may_be_reached_by_a_link(ends: Ends, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ends.source)
    chain = ends.chain("SDR", "QM1", tmp_path / "link")
    sent = chain(reference_message())
    chain.end()
    assert sent is not None
    assert apart(sent).bulk == OBJECT


def open_below(folder: Path) -> list[str]:
    """What this process has open in a folder; other threads may open and close other things meanwhile."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return [path for path in found if path.startswith(str(folder))]


def test_no_file_stays_open(ends: Ends, tmp_path: Path) -> None:
    ends.run(reference_message(), reference_message("nothing"), reference_message(instance_id=bytes(24)))
    assert ends.objects() != {}
    assert open_below(tmp_path) == []


@pytest.mark.parametrize("data", [b"", b"RMH ", b"x" * 200])
def test_a_damaged_reference_message_is_refused_at_either_end(ends: Ends, data: bytes) -> None:
    message = ExitMessage(data, MQMD(format="MQHREF"), remote_q="Q", remote_q_mgr="QM2")
    ends.run(message)
    ends.receive(message)
    assert ends.dead == [message, message]

"""Objects and portions that come again, and names that are taken: nothing is written over."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

from .ends import INSTANCE, OBJECT, Ends, reference_message

# -- again, and never over another --------------------------------------------------------------------------


@pytest.mark.conformance("REF-19", "REF-20")
def test_a_portion_that_comes_again_is_passed_on_and_applied_once(ends: Ends) -> None:
    portion = reference_message(bulk=b"abc", offset=3)
    ends.receive(portion)
    log = (ends.target / ends.hidden()[0]).read_bytes()
    ends.receive(portion)
    assert (ends.target / ends.hidden()[0]).read_bytes() == log
    assert log.count(b'"offset":3,') == 1
    assert INSTANCE.hex().upper().encode() in log
    assert len(ends.queue) == 2
    ends.receive(reference_message(bulk=b"end", offset=6, flags=1))
    ends.receive(reference_message(bulk=b"beg"))
    assert ends.objects() == {"film.bin": b"begabcend"}


def test_a_program_may_change_or_take_an_object_and_what_comes_again_does_not_bring_it_back(ends: Ends) -> None:
    ends.run(reference_message())
    (ends.target / "film.bin").write_bytes(b"changed")
    ends.run(reference_message())
    assert ends.objects() == {"film.bin": b"changed"}
    (ends.target / "film.bin").unlink()
    ends.run(reference_message())
    assert ends.objects() == {}
    assert (len(ends.queue), ends.dead) == (3, [])


@pytest.mark.parametrize(
    "again", [{"bulk": b"abX"}, {"bulk": b"bX", "offset": 1}, {"bulk": b"abcdefg"}, {"bulk": b"abcde", "flags": 1}]
)
@pytest.mark.parametrize("is_complete", [True, False])
def test_other_data_for_bytes_that_have_come_is_refused_with_its_data(
    ends: Ends, again: dict[str, Any], is_complete: bool
) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    ends.receive(reference_message(bulk=b"f", offset=5, flags=1))
    if is_complete:
        ends.receive(reference_message(bulk=b"de", offset=3))
    message = reference_message(**again)
    ends.receive(message)
    assert ends.dead == [message]
    ends.receive(reference_message(bulk=b"de", offset=3))
    assert ends.objects() == {"film.bin": b"abcdef"}


def test_other_boundaries_are_no_matter_when_the_bytes_are_the_same(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abcd"))
    ends.receive(reference_message(bulk=b"cdef", offset=2, flags=1))
    ends.receive(reference_message(bulk=b"bcde", offset=1))
    assert ends.objects() == {"film.bin": b"abcdef"}
    assert len(ends.queue) == 3


@pytest.mark.conformance("REF-22")
def test_another_object_under_an_existing_name_is_refused_before_anything_is_written(ends: Ends) -> None:
    (ends.target / "film.bin").write_bytes(b"mine")
    message = reference_message(bulk=b"abc", flags=1)
    ends.receive(message)
    assert ends.dead == [message]
    assert (ends.objects(), ends.hidden()) == ({"film.bin": b"mine"}, [])


def test_a_name_taken_while_portions_were_coming_is_not_overwritten(ends: Ends) -> None:
    ends.receive(reference_message(bulk=b"abc"))
    (ends.target / "film.bin").write_bytes(b"mine")
    last = reference_message(bulk=b"def", offset=3, flags=1)
    ends.receive(last)
    assert ends.dead == [last]
    assert ends.objects() == {"film.bin": b"mine"}
    (ends.target / "film.bin").unlink()
    ends.receive(last)
    assert ends.objects() == {"film.bin": b"abcdef"}


def test_a_name_taken_in_the_last_moment_is_not_overwritten(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.link

    def late(*arguments: Any, **named: Any) -> None:
        (ends.target / "film.bin").write_bytes(b"mine")
        real(*arguments, **named)

    monkeypatch.setattr(os, "link", late)
    ends.receive(reference_message(bulk=b"abc", flags=1))
    assert (len(ends.dead), ends.objects()) == (1, {"film.bin": b"mine"})


def test_a_file_system_without_second_names_gets_a_rename(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuses)
    ends.run(reference_message())
    assert ends.objects() == {"film.bin": OBJECT}
    assert [name.rpartition(".")[2] for name in ends.hidden()] == ["log"]


def test_without_an_instance_an_object_that_was_taken_away_can_come_anew(ends: Ends) -> None:
    none = bytes(24)
    ends.receive(reference_message(bulk=b"abc", flags=1, instance_id=none))
    ends.receive(reference_message(bulk=b"xyz", flags=1, instance_id=none))
    assert (len(ends.dead), ends.objects()) == (1, {"film.bin": b"abc"})
    (ends.target / "film.bin").unlink()
    ends.receive(reference_message(bulk=b"vw", instance_id=none))
    assert ends.objects() == {}
    ends.receive(reference_message(bulk=b"xyz", offset=2, flags=1, instance_id=none))
    assert ends.objects() == {"film.bin": b"vwxyz"}

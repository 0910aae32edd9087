"""What displays of a message read: its text where it was cut, and the lock id that locks it."""

from __future__ import annotations

import pytest

from mqtools.constants.options import MQGMO_BROWSE_FIRST, MQGMO_LOCK
from mqtools.lifecycle.locks import browse_messages_and_lock
from mqtools.operations.views.message_view import decode_for_display, read_lock_holder

from ..mqi.conftest import QM

UTF_8 = 1208
#: Of five characters, the last of which has four bytes.
TEXT = "a é€😀"


@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_text_that_is_cut_in_a_character_is_shown_up_to_that_character(missing: int) -> None:
    assert decode_for_display(TEXT.encode()[:-missing], UTF_8, 546, is_cut=True) == TEXT[:-1]


def test_text_that_ends_in_a_character_and_is_not_cut_is_shown_by_its_bytes() -> None:
    assert decode_for_display(b"a\xe2\x82", UTF_8, 546) == "a\\xe2\\x82"


def test_whole_text_is_shown_whole_whether_it_may_be_cut_or_not() -> None:
    for is_cut in (False, True):
        assert decode_for_display(TEXT.encode(), UTF_8, 546, is_cut=is_cut) == TEXT


def test_a_lock_id_is_shown_with_how_much_it_locks_and_the_lock_of_a_program_is_not(qm: QM) -> None:
    for data in ("one", "two", "three"):
        qm.put(data)
    first, second, third = qm.seqs()
    browse_messages_and_lock(qm.main, "Q", [first, second])
    handle = qm.open()
    handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)  # of the third, the only one that is free
    for seq in (first, second):
        found = read_lock_holder(qm.main.db, seq, 10)
        assert found is not None
        assert (found[0].kind, found[1]) == ("lock", 2)
    assert read_lock_holder(qm.main.db, third, 10) is None


def test_a_message_that_has_gone_meanwhile_is_locked_by_nobody(qm: QM) -> None:
    qm.put("one")
    (seq,) = qm.seqs()
    qm.got()
    assert read_lock_holder(qm.main.db, seq, 10) is None

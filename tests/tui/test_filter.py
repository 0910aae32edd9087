"""What a filter of the live browser finds, and how it goes through a queue."""

from __future__ import annotations

import pytest

from mqtools.constants.properties import MQTYPE_INT64
from mqtools.message import Property
from mqtools.operations.queue_pages import HitPages
from mqtools.operations.queue_search import Search
from mqtools.store.messages.messages import CHUNK
from mqtools.tui.filter import parse_filter

ACROSS = b"x" * (CHUNK - 2) + b"Across"


def search(qm, line):
    source = HitPages(qm.connection.db, "Q")
    return Search(qm.connection.db, source, parse_filter(line)), source


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("acme", {0, 1, 2, 3}),
        ("ACRoss", {4}),
        ("hex 4163726f", {4}),
        ("größe", {5}),
        ("STRASSE", {6}),
        ("where n > 4 AND Root.MQMD.CodedCharSetId = 819", {1}),
        ("where n > 4 AND Root.MQMD.CodedCharSetId * 1 = 819", {1}),
        ("where n IS NULL AND n > 1", set()),
    ],
)
def test_a_filter_finds_text_in_any_character_set_and_across_chunks(qm, line, found):
    five = {"n": Property(MQTYPE_INT64, 5)}
    ids = [
        qm.put("for Acme"),
        qm.put("ACME", coded_char_set_id=819, properties=five),
        qm.put("acme".encode("cp500"), coded_char_set_id=500),
        qm.put(b"MDE \0\0\0\2\0\0\0\x48" + b"\0\0\2\x22\0\0\3\x33MQSTR   " + bytes(44) + b"aCme", format="MQHMDE"),
        qm.put(ACROSS),
        qm.put("GRÖSSE größe"),
        qm.put("straße".encode("latin-1"), coded_char_set_id=819),
    ]
    one, source = search(qm, line)

    assert list(one.run(qm.connection.db, lambda: False))[-1] == len(ids)

    hits = {stored.md.msg_id for stored in source.behind(qm.connection.db, -1, 99)}
    assert hits == {ids[number] for number in found}


def test_long_data_is_looked_at_message_by_message(qm):
    import tracemalloc

    for _ in range(100):
        qm.put(b"x" * 200_000 + b"needle", coded_char_set_id=7)
    one, source = search(qm, "needle")
    tracemalloc.start()
    list(one.run(qm.connection.db, lambda: False))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert source.total(qm.connection.db) == 100
    assert peak < 5_000_000  # of twenty million bytes that lie there


def test_hits_can_be_read_while_more_are_being_found(qm):
    source = HitPages(qm.connection.db, "Q")

    def found():
        assert not source._lock.locked()
        yield 1, 1

    source.add(found())
    assert source.count_before(qm.connection.db, 2) == 1


def test_a_search_holds_no_transaction_and_ends_when_it_is_cancelled(qm):
    for number in range(70):
        qm.put(str(number))
    one, _ = search(qm, "where n = 5")
    pieces = one.run(qm.connection.db, lambda: True)

    assert next(pieces) == 64
    assert not qm.connection.db.in_transaction
    assert list(pieces) == []

"""Comparison of two sets of messages."""

from __future__ import annotations

from collections.abc import Sequence

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import MQMD, Message, Property
from mqtools.rules.comparison import MSG_ID, Totals, compare, entry_of

NOW = 1_000_000


def message(number: int, data: bytes = b"x", **fields: object) -> Message:
    properties = {"order": Property(MQTYPE_STRING, str(number))}
    return Message(data, MQMD(msg_id=bytes([number]) * 24, **fields), properties)  # type: ignore[arg-type]


def rows(
    a: Sequence[Message], b: Sequence[Message], key: tuple[str, ...] = MSG_ID
) -> tuple[list[tuple[object, ...]], Totals]:
    totals = Totals()
    found = compare([entry_of(each, key) for each in a], [entry_of(each, key) for each in b], key, totals)
    return [(row["side"], *(row[name] for name in key), row["fields"]) for row in found], totals


def ident(number: int) -> str:
    return f"{number:02X}" * 24


def test_same_sets_in_another_order_have_no_rows() -> None:
    found, totals = rows([message(1), message(2)], [message(2), message(1)])
    assert (found, totals.same, totals.are_same) == ([], 2, True)


def test_what_is_on_one_side_only() -> None:
    found, totals = rows([message(1), message(2)], [message(2), message(3)])
    assert found == [("a", ident(1), []), ("b", ident(3), [])]
    assert (totals.only_a, totals.only_b, totals.same, totals.are_same) == (1, 1, 1, False)


def test_the_fields_that_differ_are_named() -> None:
    other = message(1, b"y", priority=5, format="MQSTR")
    other.properties = {}
    found, totals = rows([message(1, priority=4)], [other])
    assert found == [("both", ident(1), ["format", "priority", "properties", "data"])]
    assert totals.different == 1


def test_one_id_twice_against_once_is_a_difference() -> None:
    found, totals = rows([message(1), message(1)], [message(1)])
    assert found == [("a", ident(1), [])]
    assert totals.same == 1


def test_of_several_with_one_id_the_same_ones_are_paired_first() -> None:
    a = [message(1, b"1"), message(1, b"2"), message(1, b"3")]
    assert rows(a, [message(1, b"2"), message(1, b"9"), message(1, b"1")])[0] == [("both", ident(1), ["data"])]


def test_by_a_key_the_msg_id_is_no_difference() -> None:
    a, b = message(1, correl_id=b"c" * 24), message(2, correl_id=b"c" * 24)
    b.properties = a.properties
    assert rows([a], [b], ("correl_id",))[0] == []
    b.md.priority = 9
    assert rows([a], [b], ("correl_id", "order"))[0] == [("both", "63" * 24, "1", ["priority"])]


def test_by_a_property_that_some_have_not() -> None:
    plain = Message(b"x", MQMD(msg_id=b"9" * 24))
    assert rows([plain], [message(1)], ("order",))[0] == [("a", None, []), ("b", "1", [])]


def test_expiry_counts_down_and_is_no_difference_by_that() -> None:
    assert rows([message(1, expiry=600)], [message(1, expiry=400)])[0] == []
    assert rows([message(1, expiry=6000)], [message(1, expiry=400)])[0] == [("both", ident(1), ["expiry"])]
    assert rows([message(1, expiry=600)], [message(1)])[0] == [("both", ident(1), ["expiry"])]


def test_expiry_as_an_instant() -> None:
    def found(expires_at: int | None) -> list[dict[str, object]]:
        a, b = entry_of(message(1, expiry=9000), MSG_ID, NOW), entry_of(message(1, expiry=1), MSG_ID, expires_at)
        return list(compare([a], [b], MSG_ID, Totals()))

    assert found(NOW + 50) == []
    assert found(None) == []
    assert [row["fields"] for row in found(NOW + 600_000)] == [["expiry"]]

"""Which authority records count for a user, and what they grant."""

from __future__ import annotations

import pytest

from mqtools.constants import options as o
from mqtools.rules.security import authorities as rules
from mqtools.rules.security.authorities import GROUP, PRINCIPAL, QMGR, QUEUE, AuthorityRecord
from mqtools.rules.security.profiles import matches_profile, specificity


def numbers(*words: str) -> tuple[int, ...]:
    return tuple(rules.AUTHORITIES[word] for word in words)


def granted(records: list[AuthorityRecord], name: str, *, user: str = "ana", groups: tuple[str, ...] = ()) -> list[str]:
    return rules.words_of(rules.authorities_of(records, user, groups, QUEUE, name))


@pytest.mark.parametrize(
    ("profile", "name", "matches"),
    [
        ("ORDERS", "ORDERS", True),
        ("ORDERS", "ORDERS.NEW", False),
        ("ORDERS.*", "ORDERS.NEW", True),
        ("ORDERS.*", "ORDERS.NEW.EU", False),
        ("ORDERS.**", "ORDERS.NEW.EU", True),
        ("ORDERS.**", "ORDERS", True),
        ("ORDERS.**", "ORDERSX", False),
        ("ORD*", "ORDERS", True),
        ("ORD*", "ORDERS.NEW", False),
        ("ORDERS.?EW", "ORDERS.NEW", True),
        ("ORDERS.?EW", "ORDERS.EW", False),
        ("**.EU", "ORDERS.NEW.EU", True),
        ("ORDERS.**.EU", "ORDERS.EU", True),
        ("**", "ANY.THING", True),
        ("*", "ANY.THING", False),
        ("?", ".", False),
        ("*A*A*A*A*A*A*A*A*A*A*A*A", "A" * 47 + "B", False),
    ],
)
def test_a_profile_matches_names(profile: str, name: str, matches: bool) -> None:
    assert matches_profile(profile, name) is matches


def test_profiles_compare_from_left_to_right() -> None:
    less_to_more = [
        "**",
        "*.NEW",
        "?RDERS.NEW",
        "O*.NEW",
        "ORDERS.**",
        "ORDERS.*",
        "ORDERS.N*",
        "ORDERS.N?W",
        "ORDERS.NEW",
    ]
    assert sorted(reversed(less_to_more), key=specificity) == less_to_more


def test_without_a_record_a_user_may_do_nothing() -> None:
    assert granted([AuthorityRecord("**", QUEUE, PRINCIPAL, "bob", numbers("PUT"))], "Q") == []


def test_only_the_most_specific_profile_counts() -> None:
    records = [
        AuthorityRecord("**", QUEUE, PRINCIPAL, "ana", numbers("PUT", "GET")),
        AuthorityRecord("ORDERS.*", QUEUE, PRINCIPAL, "ana", numbers("BROWSE")),
        AuthorityRecord("ORDERS.SECRET", QUEUE, PRINCIPAL, "ana", ()),
    ]
    assert granted(records, "BILLS") == ["GET", "PUT"]
    assert granted(records, "ORDERS.NEW") == ["BROWSE"]
    assert granted(records, "ORDERS.SECRET") == []


def test_a_user_has_what_it_and_its_groups_have_together() -> None:
    records = [
        AuthorityRecord("Q", QUEUE, PRINCIPAL, "ana", numbers("PUT")),
        AuthorityRecord("**", QUEUE, GROUP, "clerks", numbers("GET")),
        AuthorityRecord("**", QUEUE, GROUP, "ana", numbers("CLR")),
    ]
    assert granted(records, "Q", groups=("clerks", "users")) == ["GET", "PUT"]


def test_words_for_several_authorities_are_written_out() -> None:
    everything = rules.expand([rules.COLLECTIONS["ALL"]], QUEUE)
    mqi = rules.expand([rules.COLLECTIONS["ALLMQI"]], QUEUE)
    admin = rules.expand([rules.COLLECTIONS["ALLADM"]], QUEUE)
    assert rules.words_of(admin) == ["CHG", "CLR", "CRT", "DLT", "DSP"]
    assert mqi | admin == everything
    assert not mqi & admin
    assert rules.expand([rules.COLLECTIONS["NONE"]], QUEUE) == set()
    assert "CONNECT" in rules.words_of(rules.expand([rules.COLLECTIONS["ALLMQI"]], QMGR))


@pytest.mark.parametrize(
    ("option", "needed"),
    [
        (o.MQOO_INPUT_SHARED, ["GET"]),
        (o.MQOO_INPUT_AS_Q_DEF | o.MQOO_BROWSE, ["BROWSE", "GET"]),
        (o.MQOO_OUTPUT | o.MQOO_SET_ALL_CONTEXT, ["PUT", "SETALL"]),
        (o.MQOO_OUTPUT | o.MQOO_PASS_IDENTITY_CONTEXT, ["PASSID", "PUT"]),
        (o.MQOO_INQUIRE | o.MQOO_SET, ["INQ", "SET"]),
    ],
)
def test_an_open_needs_authorities_by_its_options(option: int, needed: list[str]) -> None:
    assert rules.words_of(rules.needed_to_open(option)) == needed


def test_a_put_without_an_open_needs_authorities_by_its_options() -> None:
    assert rules.words_of(rules.needed_to_put(0)) == ["PUT"]
    assert rules.words_of(rules.needed_to_put(o.MQPMO_SET_ALL_CONTEXT)) == ["PUT", "SETALL"]

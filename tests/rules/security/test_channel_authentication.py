"""Which channel authentication record applies to a caller."""

from __future__ import annotations

import pytest

from mqtools.rules.security import address_patterns, distinguished_names
from mqtools.rules.security.channel_authentication import (
    ADDRESSMAP,
    BLOCKADDR,
    BLOCKUSER,
    CHANNEL,
    INITIAL_RECORDS,
    NOACCESS,
    QMGRMAP,
    SSLPEERMAP,
    USERMAP,
    AuthenticationRecord,
    Caller,
    decide,
    find_map,
)

SUBJECT = {"commonName": ["QM1"], "organizationName": ["Acme, Inc"], "organizationalUnitName": ["IT", "Ops"]}
CALLER = Caller(channel="QM1.TO.QM2", address="10.1.2.3", subject=SUBJECT, q_mgr_name="QM1", user="ana")


def record(kind: str, profile: str = "*", **fields: object) -> AuthenticationRecord:
    return AuthenticationRecord(profile=profile, kind=kind, **fields)  # type: ignore[arg-type]


ANY_ADDRESS = record(ADDRESSMAP, address="*", user_source=NOACCESS)
NETWORK = record(ADDRESSMAP, address="10.1.*", mca_user="net")
HOST = record(ADDRESSMAP, address="10.1.2.3", mca_user="host")
ANY_QMGR = record(QMGRMAP, q_mgr_name="*", mca_user="anyqm")
QMGR = record(QMGRMAP, q_mgr_name="QM1", mca_user="qm")
QMGR_AT_HOST = record(QMGRMAP, q_mgr_name="QM1", address="10.1.2.3", mca_user="qmhost")
QMGR_ELSEWHERE = record(QMGRMAP, q_mgr_name="QM1", address="10.9.9.9", mca_user="no")
COMPANY = record(SSLPEERMAP, ssl_peer_name='O="Acme, Inc"', mca_user="acme")
UNIT = record(SSLPEERMAP, ssl_peer_name="OU=Ops", mca_user="ops")
NAME = record(SSLPEERMAP, ssl_peer_name="CN=QM1,O=Acme*", mca_user="cert")
GENERIC_CHANNEL = record(ADDRESSMAP, "QM1.*", address="*", mca_user="generic")
CHANNEL_ITSELF = record(ADDRESSMAP, "QM1.TO.QM2", address="*", mca_user="exact")


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (ANY_ADDRESS, NETWORK),
        (NETWORK, HOST),
        (HOST, ANY_QMGR),
        (ANY_QMGR, QMGR),
        (QMGR, QMGR_AT_HOST),
        (QMGR_AT_HOST, COMPANY),
        (COMPANY, UNIT),
        (UNIT, NAME),
        (NAME, GENERIC_CHANNEL),
        (GENERIC_CHANNEL, CHANNEL_ITSELF),
    ],
)
def test_the_most_specific_record_applies(less: AuthenticationRecord, more: AuthenticationRecord) -> None:
    assert find_map([less, more], CALLER) is more
    assert find_map([more, less], CALLER) is more


@pytest.mark.parametrize(
    "other",
    [
        QMGR_ELSEWHERE,
        record(ADDRESSMAP, "OTHER*", address="*"),
        record(SSLPEERMAP, ssl_peer_name="CN=QM9"),
        record(USERMAP, client_user="bob"),
        record(BLOCKUSER, users=("ana",)),
    ],
)
def test_a_record_that_does_not_match_does_not_apply(other: AuthenticationRecord) -> None:
    assert find_map([other], CALLER) is None


def test_a_certificate_that_is_not_there_matches_no_pattern() -> None:
    caller = Caller(channel="A", address="10.1.2.3", q_mgr_name="QM1")
    anything = record(SSLPEERMAP, ssl_peer_name="CN=*")
    assert find_map([anything, record(USERMAP, client_user="*")], caller) is None


def test_without_records_the_caller_is_let_in_as_the_user_of_the_channel() -> None:
    decision = decide([], CALLER, "app", "owner")
    assert (decision.is_refused, decision.user, decision.record) == (False, "app", None)


def test_a_map_sets_the_user_or_leaves_that_of_the_channel() -> None:
    assert decide([HOST], CALLER, "app", "owner").user == "host"
    assert decide([record(ADDRESSMAP, address="*", user_source=CHANNEL)], CALLER, "app", "owner").user == "app"


def test_noaccess_refuses_and_a_more_specific_map_lets_in() -> None:
    assert decide([ANY_ADDRESS], CALLER, "", "owner").is_refused
    assert not decide([ANY_ADDRESS, QMGR], CALLER, "", "owner").is_refused


def test_a_blocked_address_is_refused_whatever_map_there_is() -> None:
    blocked = record(BLOCKADDR, addresses=("192.0.2.1", "10.1.2.*"))
    decision = decide([NAME, blocked], CALLER, "", "owner")
    assert decision.is_refused
    assert decision.record is blocked
    assert not decide([blocked], Caller(channel="A"), "", "owner").is_refused


@pytest.mark.parametrize(
    ("users", "channel_user", "refuses"),
    [
        (("*MQADMIN",), "", True),
        (("*MQADMIN",), "owner", True),
        (("*MQADMIN",), "app", False),
        (("app",), "app", True),
        (("other", "a*"), "app", True),
        (("app",), "", False),
        (("owner",), "", True),
    ],
)
def test_blockuser_refuses_the_user_that_the_channel_would_run_under(
    users: tuple[str, ...], channel_user: str, refuses: bool
) -> None:
    assert decide([record(BLOCKUSER, users=users)], CALLER, channel_user, "owner").is_refused is refuses


def test_blockuser_knows_the_owner_by_the_name_in_a_descriptor() -> None:
    records = [record(BLOCKUSER, users=("*MQADMIN",))]
    assert decide(records, CALLER, "administrato", "administrator").is_refused


def test_the_first_blockuser_of_a_queue_manager_is_for_clients_only() -> None:
    assert not decide(INITIAL_RECORDS, CALLER, "", "owner").is_refused
    assert decide(INITIAL_RECORDS, CALLER, "owner", "owner", is_client=True).is_refused
    assert not decide(INITIAL_RECORDS, CALLER, "", "owner", is_client=True).is_refused


def test_blockuser_looks_at_the_mapped_user() -> None:
    records = [record(BLOCKUSER, users=("*MQADMIN",)), HOST]
    assert not decide(records, CALLER, "", "owner").is_refused


def test_only_the_most_specific_blockuser_counts() -> None:
    records = [record(BLOCKUSER, users=("*MQADMIN",)), record(BLOCKUSER, "QM1.*", users=("nobody",))]
    assert not decide(records, CALLER, "", "owner").is_refused


def test_warn_lets_in_and_names_the_record() -> None:
    warns = record(ADDRESSMAP, address="*", user_source=NOACCESS, warns=True)
    decision = decide([warns], CALLER, "app", "owner")
    assert not decision.is_refused
    assert decision.warnings == (warns,)
    assert decision.user == "app"


# -- Addresses


@pytest.mark.parametrize(
    ("pattern", "address", "matches"),
    [
        ("*", "", True),
        ("*", "10.0.0.1", True),
        ("10.*", "10.255.0.1", True),
        ("10.*", "11.0.0.1", False),
        ("10.0.0.5-9", "10.0.0.7", True),
        ("10.0.0.5-9", "10.0.0.10", False),
        ("10.*.0.1", "10.7.0.1", True),
        ("10.0.0.1", "::ffff:10.0.0.1", True),
        ("10.0.0.1", "", False),
        ("10.0.0.1", "no address", False),
        ("2001:DB8::1", "2001:db8:0:0:0:0:0:1", True),
        ("2001:DB8:*", "2001:db8::7", True),
        ("2001:DB8:*", "10.0.0.1", False),
        ("FE80:0:0:0:0:0:0:1-FF", "fe80::10%eth0", True),
        ("FE80:0:0:0:0:0:0:1-FF", "fe80::100", False),
    ],
)
def test_an_address_fits_a_pattern(pattern: str, address: str, matches: bool) -> None:
    assert address_patterns.matches_address(pattern, address) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "10.0.0",
        "10.0.0.256",
        "10.0.0.9-5",
        "10.0.0.x",
        "host.example",
        "10.0.0.1.*",
        "1:2:3",
        "10..*",
        "-.*",
        "*.*.x",
    ],
)
def test_a_pattern_that_is_none_is_refused_in_words(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        address_patterns.parse_pattern(pattern)


# -- Distinguished names


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("CN=QM1", True),
        ("cn=QM*", True),
        ('O="Acme, Inc",OU=Ops', True),
        ("OU=Ops,OU=IT", True),
        ("OU=Sales", False),
        ("L=*", False),
    ],
)
def test_a_distinguished_name_fits_a_pattern(pattern: str, matches: bool) -> None:
    assert distinguished_names.matches(pattern, SUBJECT) is matches


def test_a_distinguished_name_is_read_by_its_attributes() -> None:
    assert distinguished_names.parse_subject("CN=QM1,O=Acme") == {"commonName": ["QM1"], "organizationName": ["Acme"]}


@pytest.mark.parametrize("pattern", ["", "CN", "XX=1", "CN=a,,O=b"])
def test_a_pattern_of_a_distinguished_name_that_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        distinguished_names.parse_pattern(pattern)

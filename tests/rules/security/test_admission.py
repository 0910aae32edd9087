"""Admission of clients: who gets in, and as whom. One row a case."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants.channels import MQCHT_RECEIVER, MQCHT_SVRCONN
from mqtools.constants.cmqcfc import MQCHK_NONE, MQCHK_OPTIONAL, MQCHK_REQUIRED, MQCHK_REQUIRED_ADMIN
from mqtools.rules.security.admission import (
    CERTIFICATE,
    GIVEN,
    OWNER,
    PASSWORD,
    RIGHT,
    WRONG,
    AdmissionPolicy,
    Admitted,
    Applicant,
    ConnectionAuthentication,
    Peer,
    Refused,
    decide,
    needs_verification,
)
from mqtools.rules.security.channel_authentication import (
    ADDRESSMAP,
    BLOCKADDR,
    BLOCKUSER,
    CHANNEL,
    NOACCESS,
    SSLPEERMAP,
    USERMAP,
    AuthenticationRecord,
)

SUBJECT = {"commonName": ["app1"]}
LOOPBACK, LOOPBACK_6, MAPPED, UNIX = (Peer(address=each) for each in ("127.0.0.1", "::1", "::ffff:127.9.9.9", ""))
REMOTE, UNREADABLE = Peer(address="192.0.2.7"), Peer(address="localhost")
TLS = Peer(address="192.0.2.7", is_tls=True, cipher="TLS_AES_256_GCM_SHA384")
CERTIFIED = Peer(address="192.0.2.7", is_tls=True, cipher="TLS_AES_256_GCM_SHA384", subject=SUBJECT)


def channel(user: str = "", **fields: Any) -> dict[str, Any]:
    own = {"ssl_cipher_spec": "", "ssl_client_auth": 1, "ssl_peer_name": "", "mca_user_identifier": user}
    return {"channel_type": MQCHT_SVRCONN, **own, **fields}


def record(kind: str, profile: str = "*", **fields: Any) -> AuthenticationRecord:
    return AuthenticationRecord(profile=profile, kind=kind, **fields)


def checks(check_client: int, *, adopts: bool = True) -> ConnectionAuthentication:
    return ConnectionAuthentication(check_client=check_client, adopts_context=adopts, fail_delay_s=3)


APP, BLANK = channel("app"), channel()
TLS_APP = channel("app", ssl_cipher_spec="ANY_TLS12_OR_HIGHER")
TLS_BLANK = channel(ssl_cipher_spec="ANY_TLS12_OR_HIGHER")
TLS_STRICT = channel("app", ssl_cipher_spec="ANY_TLS12_OR_HIGHER", ssl_client_auth=0)
NOBODY = record(ADDRESSMAP, address="*", user_source=NOACCESS)
NO_ADMINISTRATORS = record(BLOCKUSER, users=("*MQADMIN",))
ADMINISTRATORS = record(BLOCKUSER, "DEV.*", users=("nobody",))
ANA = record(USERMAP, "DEV.*", client_user="ana", user_source=CHANNEL)
ANA_AS_OPS = record(USERMAP, client_user="ana", mca_user="ops")
ANA_AS_OWNER = record(USERMAP, client_user="ana", mca_user="owner")
CERTIFICATE_AS_OPS = record(SSLPEERMAP, ssl_peer_name="CN=app*", mca_user="ops")
CERTIFICATE_AS_OWNER = record(SSLPEERMAP, ssl_peer_name="CN=app*", mca_user="owner")
PASSWORDS_ONLY = record(ADDRESSMAP, address="*", user_source=CHANNEL, check_client=MQCHK_REQUIRED)
PASSWORDS_OF_OWNERS = record(ADDRESSMAP, address="*", user_source=CHANNEL, check_client=MQCHK_REQUIRED_ADMIN)
HERE = {"password": RIGHT, "has_password": True, "user": "ana"}
MISTAKEN = {"password": WRONG, "has_password": True, "user": "ana"}
PLAIN = AdmissionPolicy(allow_plain_passwords=True)
NO_OWNER = AdmissionPolicy(owner_allowed=False)

ADMITTED: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    # A password.
    "a right password on loopback": ({"channel": BLANK, **HERE}, ("ana", PASSWORD)),
    "ADOPTCTX(YES) comes before MCAUSER": ({"channel": APP, **HERE}, ("ana", PASSWORD)),
    "ADOPTCTX(NO) uses MCAUSER": (
        {"channel": APP, **HERE, "authentication": checks(MQCHK_OPTIONAL, adopts=False)}, ("app", PASSWORD)),
    "a map comes before the user": ({"channel": APP, **HERE, "records": [ANA_AS_OPS]}, ("ops", PASSWORD)),
    "a right password with CHCKCLNT(REQUIRED)": (
        {"channel": BLANK, **HERE, "authentication": checks(MQCHK_REQUIRED)}, ("ana", PASSWORD)),
    "a right password over TLS": (
        {"channel": TLS_BLANK, "peer": TLS, **HERE}, ("ana", PASSWORD)),
    "a right password in the clear, where allowed": (
        {"channel": BLANK, "peer": REMOTE, **HERE, "policy": PLAIN}, ("ana", PASSWORD)),
    "a back-stop record and one that admits the user": (
        {"channel": BLANK, **HERE, "records": [NOBODY, ANA]}, ("ana", PASSWORD)),
    "a right password with a map that requires it": (
        {"channel": BLANK, **HERE, "records": [PASSWORDS_ONLY]}, ("ana", PASSWORD)),
    # A certificate.
    "a certificate with a map that requires passwords of administrators": (
        {"channel": TLS_APP, "peer": CERTIFIED, "records": [PASSWORDS_OF_OWNERS]}, ("app", CERTIFICATE)),
    "a certificate": ({"channel": TLS_APP, "peer": CERTIFIED}, ("app", CERTIFICATE)),
    "a certificate that SSLPEER accepts": (
        {"channel": {**TLS_APP, "ssl_peer_name": "CN=app*"}, "peer": CERTIFIED}, ("app", CERTIFICATE)),
    "a certificate and a map": (
        {"channel": TLS_BLANK, "peer": CERTIFIED, "records": [CERTIFICATE_AS_OPS]}, ("ops", CERTIFICATE)),
    "a certificate, and a user without a password": (
        {"channel": TLS_APP, "peer": CERTIFIED, "user": "ana", "has_password": True}, ("app", CERTIFICATE)),
    "a certificate as the owner without REQDADM": (
        {"channel": TLS_BLANK, "peer": CERTIFIED, "records": [CERTIFICATE_AS_OWNER],
         "authentication": checks(MQCHK_OPTIONAL)}, ("owner", CERTIFICATE)),
    # The owner's socket.
    **{
        f"the owner by {peer.address or 'a UNIX socket'}": (
            {"channel": BLANK, "peer": peer, "is_owner": True}, ("owner", OWNER))
        for peer in (LOOPBACK, LOOPBACK_6, MAPPED, UNIX)
    },
    "the owner on a channel with MCAUSER": ({"channel": APP, "is_owner": True}, ("app", OWNER)),
    "the owner with a password of nobody here": (
        {"channel": APP, "is_owner": True, "user": "bob", "password": GIVEN}, ("app", OWNER)),
    "the owner by a map for the user he names": (
        {"channel": BLANK, "is_owner": True, "user": "ana", "records": [NOBODY, ANA]}, ("owner", OWNER)),
    "the owner by a BLOCKUSER that is more specific": (
        {"channel": BLANK, "is_owner": True, "records": [NO_ADMINISTRATORS, ADMINISTRATORS]}, ("owner", OWNER)),
    "the owner with CHCKCLNT(NONE) and a password": (
        {"channel": APP, "is_owner": True, "user": "ana", "has_password": True, "password": GIVEN,
         "authentication": checks(MQCHK_NONE)}, ("app", OWNER)),
}  # fmt: skip

REFUSED: dict[str, tuple[dict[str, Any], tuple[int, str, int]]] = {
    # The channel.
    "an unknown channel": ({"channel": None, "is_owner": True}, (2540, "AMQ9519E", 0)),
    "a channel of another type": (
        {"channel": channel(channel_type=MQCHT_RECEIVER), "is_owner": True}, (2539, "AMQ9502E", 0)),
    "TLS where the channel uses none": ({"channel": APP, "peer": CERTIFIED}, (2393, "AMQ9635E", 0)),
    "no TLS where the channel needs it": ({"channel": TLS_APP, "is_owner": True}, (2393, "AMQ9639E", 0)),
    "no certificate where SSLCAUTH requires one": (
        {"channel": TLS_STRICT, "peer": TLS, **HERE}, (2393, "AMQ9637E", 0)),
    "a certificate that SSLPEER does not accept": (
        {"channel": {**TLS_APP, "ssl_peer_name": "CN=other"}, "peer": CERTIFIED, **HERE}, (2398, "AMQ9636E", 0)),
    "an unreadable SSLPEER": (
        {"channel": {**TLS_APP, "ssl_peer_name": "what"}, "peer": CERTIFIED}, (2398, "AMQ9636E", 0)),
    # Channel authentication records.
    "a blocked address": (
        {"channel": APP, **HERE, "records": [record(BLOCKADDR, addresses=("127.0.0.*",))]}, (2035, "AMQ9777E", 0)),
    "a back-stop record": ({"channel": APP, "is_owner": True, "records": [NOBODY]}, (2035, "AMQ9777E", 0)),
    "the owner, an administrator": (
        {"channel": BLANK, "is_owner": True, "records": [NO_ADMINISTRATORS]}, (2035, "AMQ9776E", 0)),
    "a user mapped to the owner": (
        {"channel": BLANK, **HERE, "records": [ANA_AS_OWNER, NO_ADMINISTRATORS]}, (2035, "AMQ9776E", 0)),
    "a user on a list": (
        {"channel": BLANK, **HERE, "records": [record(BLOCKUSER, users=("ana",))]}, (2035, "AMQ9776E", 0)),
    "a map for a user that a stranger only names": (
        {"channel": TLS_APP, "peer": CERTIFIED, "user": "ana", "records": [NOBODY, ANA]}, (2035, "AMQ9777E", 0)),
    # No way in.
    "a stranger on loopback": ({"channel": APP, "user": "owner"}, (2035, "AMQ5540E", 1)),
    "a wrong password": ({"channel": APP, **MISTAKEN}, (2035, "AMQ5534E", 1)),
    "the owner with a wrong password of a user here": (
        {"channel": APP, "is_owner": True, **MISTAKEN}, (2035, "AMQ5534E", 1)),
    "the owner who names a user with a password, without it": (
        {"channel": APP, "is_owner": True, "user": "ana", "has_password": True}, (2035, "AMQ5540E", 1)),
    "a wrong password with a certificate": (
        {"channel": TLS_APP, "peer": CERTIFIED, **MISTAKEN}, (2035, "AMQ5534E", 1)),
    "the owner with --no-owner": (
        {"channel": APP, "is_owner": True, "policy": NO_OWNER}, (2035, "AMQ5540E", 1)),
    "the owner with CHCKCLNT(REQUIRED)": (
        {"channel": APP, "is_owner": True, "authentication": checks(MQCHK_REQUIRED)}, (2035, "AMQ5542E", 3)),
    "a certificate with CHCKCLNT(REQUIRED)": (
        {"channel": TLS_APP, "peer": CERTIFIED, "authentication": checks(MQCHK_REQUIRED)}, (2035, "AMQ5542E", 3)),
    "the owner's socket from elsewhere": ({"channel": APP, "peer": REMOTE, "is_owner": True}, (2035, "AMQ5540E", 1)),
    "an address that is none": ({"channel": APP, "peer": UNREADABLE, "is_owner": True}, (2035, "AMQ5540E", 1)),
    "a password in the clear": (
        {"channel": APP, "peer": REMOTE, "user": "ana", "password": GIVEN}, (2035, "AMQ5534E", 1)),
    "a password with CHCKCLNT(NONE)": (
        {"channel": APP, "user": "ana", "password": GIVEN, "has_password": True,
         "authentication": checks(MQCHK_NONE)}, (2035, "AMQ5540E", 3)),
    # CHCKCLNT of a map.
    "the owner with a map that requires passwords": (
        {"channel": APP, "is_owner": True, "records": [PASSWORDS_ONLY]}, (2035, "AMQ5542E", 1)),
    "a certificate with a map that requires passwords": (
        {"channel": TLS_APP, "peer": CERTIFIED, "records": [PASSWORDS_ONLY]}, (2035, "AMQ5542E", 1)),
    "the owner as himself with a map that requires passwords of administrators": (
        {"channel": BLANK, "is_owner": True, "records": [PASSWORDS_OF_OWNERS]}, (2035, "AMQ5542E", 1)),
    "a map that requires less than CONNAUTH": (
        {"channel": TLS_APP, "peer": CERTIFIED, "records": [PASSWORDS_OF_OWNERS],
         "authentication": checks(MQCHK_REQUIRED)}, (2035, "AMQ5542E", 3)),
    "a map that requires a password that CHCKCLNT(NONE) does not verify": (
        {"channel": APP, "is_owner": True, "user": "ana", "password": GIVEN, "records": [PASSWORDS_ONLY],
         "authentication": checks(MQCHK_NONE)}, (2035, "AMQ5542E", 3)),
    # No user.
    "a certificate without a user": ({"channel": TLS_BLANK, "peer": CERTIFIED}, (2035, "AMQ9557E", 0)),
    "a password without ADOPTCTX or MCAUSER": (
        {"channel": BLANK, **HERE, "authentication": checks(MQCHK_OPTIONAL, adopts=False)}, (2035, "AMQ9557E", 0)),
    "a certificate as the owner with REQDADM": (
        {"channel": TLS_BLANK, "peer": CERTIFIED, "records": [CERTIFICATE_AS_OWNER],
         "authentication": checks(MQCHK_REQUIRED_ADMIN)}, (2035, "AMQ5541E", 3)),
}  # fmt: skip


def applicant(given: dict[str, Any]) -> Applicant:
    return Applicant(**{"channel_name": "DEV.APP", "owner": "owner", "peer": LOOPBACK, **given})


@pytest.mark.parametrize("case", ADMITTED)
def test_a_client_gets_in_as_a_user(case: str) -> None:
    given, (user, way) = ADMITTED[case]
    assert decide(applicant(given)) == Admitted(user, way)


@pytest.mark.parametrize("case", REFUSED)
def test_a_client_is_refused_with_a_reason(case: str) -> None:
    given, wanted = REFUSED[case]
    verdict = decide(applicant(given))
    assert isinstance(verdict, Refused)
    assert (verdict.reason, verdict.number, verdict.delay_s) == wanted


def test_warn_admits_and_names_the_record() -> None:
    warns = record(ADDRESSMAP, address="*", user_source=NOACCESS, warns=True)
    verdict = decide(applicant({"channel": APP, "is_owner": True, "records": [warns]}))
    assert isinstance(verdict, Admitted)
    assert verdict.warnings == (warns,)


@pytest.mark.parametrize(
    ("given", "verifies"),
    [
        ({}, True),
        ({"peer": REMOTE, "policy": PLAIN}, True),
        ({"is_owner": True, "has_password": True}, True),
        ({"is_owner": True}, False),
        ({"is_owner": True, "records": [PASSWORDS_ONLY]}, True),
        ({"is_owner": True, "policy": NO_OWNER}, True),
        ({"peer": REMOTE}, False),
        ({"channel": None}, False),
        ({"authentication": checks(MQCHK_NONE)}, False),
        ({"records": [record(BLOCKADDR, addresses=("127.*",))]}, False),
    ],
)
def test_a_password_is_verified_only_where_it_counts(given: dict[str, Any], verifies: bool) -> None:
    facts = {"channel": APP, "user": "ana", "password": GIVEN, **given}
    assert needs_verification(applicant(facts)) is verifies

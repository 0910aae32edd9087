"""Admission of MQI clients: whether a client gets in by a server-connection channel, and which user it acts as.

The channel must be a SVRCONN that is defined, and used with or without TLS as it says. Channel authentication records
may refuse the client. Then one of three ways must be open: a user proves a password; a certificate is accepted; the
kernel says that the socket belongs to the owner of the queue manager's file. Absence of a way: the client is refused.

The client acts as the user of the map that applies, else as the user who proved a password (ADOPTCTX(YES)), else as
MCAUSER, else, where the owner's socket let it in, as the owner. Absence of a user: the client is refused. CHCKCLNT of
the map can require a password that CONNAUTH does not require; it never admits a client that CONNAUTH refuses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, TypeAlias

from mqtools.constants.channels import MQCHT_SVRCONN
from mqtools.constants.cmqcfc import MQCHK_AS_Q_MGR, MQCHK_NONE, MQCHK_REQUIRED, MQCHK_REQUIRED_ADMIN
from mqtools.constants.cmqxc import MQSCA_REQUIRED
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from mqtools.errors import MQError
from mqtools.rules.security import channel_authentication, distinguished_names
from mqtools.rules.security.channel_authentication import AuthenticationRecord, Caller, Decision
from mqtools.rules.security.cipher_specs import check_suite

#: Password of a client: none given, given and not verified, right, wrong. An unknown user's is wrong.
NOT_GIVEN, GIVEN, RIGHT, WRONG = "NOT_GIVEN", "GIVEN", "RIGHT", "WRONG"
#: Ways in.
PASSWORD, CERTIFICATE, OWNER = "PASSWORD", "CERTIFICATE", "OWNER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Other end of a socket, before it says who it is.

    address: IP address, empty for a UNIX socket.  cipher: suite by OpenSSL's name, empty without TLS.  subject, issuer:
    of its verified certificate, as ``Caller.subject``; empty without one.
    """

    address: str
    port: int = 0
    is_tls: bool = False
    cipher: str = ""
    subject: Mapping[str, Sequence[str]] = field(default_factory=dict)
    issuer: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Return whether the other end is on this machine: a UNIX socket, or a loopback address."""
        if not self.address:
            return True
        try:
            address = ip_address(self.address.partition("%")[0])
        except ValueError:
            return False
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionPolicy:
    """Policy of a listener. allow_plain_passwords: from other machines too.  owner_allowed: without a password."""

    allow_plain_passwords: bool = False
    owner_allowed: bool = True


#: Policy of a listener without options.
DEFAULT_POLICY = AdmissionPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionAuthentication:
    """Settings of the AUTHINFO that is in force. check_client: MQCHK_*."""

    check_client: int = MQCHK_REQUIRED_ADMIN
    fail_delay_s: int = 1
    adopts_context: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """All facts about a client that asks to connect.

    channel: attributes of the channel, None for one that is not defined.  user: that the client names.
    password: NOT_GIVEN, GIVEN, RIGHT or WRONG.  has_password: whether the user has a password here.
    is_owner: whether the kernel says that the socket belongs to the owner of the file.  owner: name of that user.
    records: channel authentication records in force.
    """

    channel_name: str
    channel: Mapping[str, Any] | None
    peer: Peer
    user: str = ""
    password: str = NOT_GIVEN
    has_password: bool = False
    is_owner: bool = False
    owner: str
    records: Sequence[AuthenticationRecord] = ()
    authentication: ConnectionAuthentication = ConnectionAuthentication()
    policy: AdmissionPolicy = DEFAULT_POLICY


@dataclass(frozen=True, slots=True)
class Admitted:
    """The client gets in. user: that it acts as.  way: of the ways in.  warnings: as of ``Decision``."""

    user: str
    way: str
    warnings: tuple[AuthenticationRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The client does not get in. reason: MQRC_*.  number: of the AMQ message.  delay_s: before its answer."""

    reason: int
    number: str
    words: str
    delay_s: int = 0


Verdict: TypeAlias = Admitted | Refused


def decide(applicant: Applicant) -> Verdict:
    """Decide whether a client gets in, and as whom."""
    refused = _refuse_early(applicant)
    if refused is not None:
        return refused
    way = _find_way(applicant)
    decision = _authenticate_channel(applicant, way)
    if decision.is_refused:
        return _refuse_blocked(applicant, decision)
    if way is None:
        return _refuse_unproved(applicant)
    is_owner = channel_authentication.is_owner(decision.user, applicant.owner)
    checks = decision.record.check_client if decision.record else MQCHK_AS_Q_MGR
    if way != PASSWORD and (checks == MQCHK_REQUIRED or (checks == MQCHK_REQUIRED_ADMIN and is_owner)):
        return _refuse(applicant, "AMQ5542E", f"CHCKCLNT of {decision.record} requires a user and a password")
    if way == CERTIFICATE and is_owner and _checks(applicant) == MQCHK_REQUIRED_ADMIN:
        return _refuse(applicant, "AMQ5541E", "CHCKCLNT(REQDADM) requires a password for the owner of the file")
    if not decision.user:
        words = f"channel {applicant.channel_name} has no user for it: no map applies, and MCAUSER is blank"
        return Refused(MQRC_NOT_AUTHORIZED, "AMQ9557E", words)
    return Admitted(decision.user, way, decision.warnings)


def needs_verification(applicant: Applicant) -> bool:
    """Return whether a given password counts, so that it must be verified first."""
    return (
        applicant.password == GIVEN
        and _refuse_early(applicant) is None
        and _checks(applicant) != MQCHK_NONE
        and _may_give_password(applicant)
        and not (_comes_as_owner(applicant) and _checks_of_map(applicant) == MQCHK_AS_Q_MGR)
    )


def _refuse_early(applicant: Applicant) -> Refused | None:
    refused = refuse_channel(applicant.channel_name, applicant.channel, applicant.peer)
    address = applicant.peer.address
    blocked = channel_authentication.find_blocked_address(applicant.records, address)
    if refused is None and blocked is not None and not blocked.warns:
        return Refused(MQRC_NOT_AUTHORIZED, "AMQ9777E", f"address {address} is blocked by {blocked}")
    return refused


def refuse_channel(name: str, channel: Mapping[str, Any] | None, peer: Peer) -> Refused | None:
    """Refuse a client by what the channel is and how it uses TLS; channel: its attributes, None for an unknown one."""
    if channel is None:
        return Refused(MQRC_UNKNOWN_CHANNEL_NAME, "AMQ9519E", f"channel {name} does not exist")
    if channel["channel_type"] != MQCHT_SVRCONN:
        return Refused(MQRC_CHANNEL_CONFIG_ERROR, "AMQ9502E", f"channel {name} is not a SVRCONN")
    if bool(channel["ssl_cipher_spec"]) != peer.is_tls:
        number, uses = ("AMQ9635E", "does not use") if peer.is_tls else ("AMQ9639E", "needs")
        return Refused(MQRC_SSL_INITIALIZATION_ERROR, number, f"channel {name} {uses} TLS")
    if peer.is_tls:
        try:
            check_suite(channel["ssl_cipher_spec"], peer.cipher)
        except MQError as error:
            return Refused(MQRC_SSL_INITIALIZATION_ERROR, "AMQ9631E", f"channel {name}: {error.text}")
    if peer.is_tls and not peer.subject and channel["ssl_client_auth"] == MQSCA_REQUIRED:
        words = f"channel {name} needs a certificate of the client: SSLCAUTH(REQUIRED)"
        return Refused(MQRC_SSL_INITIALIZATION_ERROR, "AMQ9637E", words)
    if peer.subject and channel["ssl_peer_name"] and not _matches_peer(channel["ssl_peer_name"], peer):
        words = f"the certificate of the client does not match SSLPEER of channel {name}"
        return Refused(MQRC_SSL_PEER_NAME_MISMATCH, "AMQ9636E", words)
    return None


def _matches_peer(ssl_peer_name: str, peer: Peer) -> bool:
    try:
        return distinguished_names.matches(ssl_peer_name, peer.subject)
    except ValueError:  # what cannot be read matches nothing
        return False


def _find_way(applicant: Applicant) -> str | None:
    if applicant.password == RIGHT:
        return PASSWORD
    if _checks(applicant) == MQCHK_REQUIRED:
        return None
    if applicant.peer.subject and applicant.password != WRONG:
        return CERTIFICATE
    return OWNER if _comes_as_owner(applicant) else None


def _comes_as_owner(applicant: Applicant) -> bool:
    """Return whether the owner's socket lets the client in, whatever password it gives."""
    checks = _checks(applicant)
    return (
        applicant.is_owner
        and applicant.peer.is_local
        and applicant.policy.owner_allowed
        and checks != MQCHK_REQUIRED
        and (checks == MQCHK_NONE or not applicant.has_password)
    )


def _may_give_password(applicant: Applicant) -> bool:
    peer = applicant.peer
    return peer.is_local or peer.is_tls or applicant.policy.allow_plain_passwords


def _checks_of_map(applicant: Applicant) -> int:
    """Return CHCKCLNT of the map that applies to a client from the owner's socket."""
    record = _authenticate_channel(applicant, OWNER).record
    return record.check_client if record else MQCHK_AS_Q_MGR


def _checks(applicant: Applicant) -> int:
    return applicant.authentication.check_client


def _authenticate_channel(applicant: Applicant, way: str | None) -> Decision:
    """Return what channel authentication records decide. A user that the client only claims to be is not seen."""
    assert applicant.channel is not None
    proved = applicant.user if way == PASSWORD else ""
    caller = Caller(
        channel=applicant.channel_name,
        address=applicant.peer.address,
        subject=applicant.peer.subject,
        user=applicant.user if way == OWNER else proved,
    )
    adopted = proved if applicant.authentication.adopts_context else ""
    fallback = adopted or applicant.channel["mca_user_identifier"] or (applicant.owner if way == OWNER else "")
    return channel_authentication.decide(applicant.records, caller, fallback, applicant.owner, is_client=True)


def _refuse_blocked(applicant: Applicant, decision: Decision) -> Refused:
    blocks_user = decision.record is not None and decision.record.kind == channel_authentication.BLOCKUSER
    who = f"user {decision.user}" if blocks_user else "the client"
    words = f"channel {applicant.channel_name}: {who} is blocked by {decision.record}"
    return Refused(MQRC_NOT_AUTHORIZED, "AMQ9776E" if blocks_user else "AMQ9777E", words)


def _refuse_unproved(applicant: Applicant) -> Refused:
    """Refuse a client that no way lets in, in words for the error log."""
    if applicant.password == WRONG:
        return _refuse(applicant, "AMQ5534E", f"wrong user or password: {applicant.user}")
    if _checks(applicant) == MQCHK_REQUIRED:
        return _refuse(applicant, "AMQ5542E", "CHCKCLNT(REQUIRED) requires a user and a password")
    if applicant.password == GIVEN and not _may_give_password(applicant):
        words = f"the password of user {applicant.user} is not verified: it came without TLS from another machine"
        return _refuse(applicant, "AMQ5534E", words)
    words = f"user {applicant.user or 'without a name'} gave neither a password nor a certificate"
    return _refuse(applicant, "AMQ5540E", words)


def _refuse(applicant: Applicant, number: str, words: str) -> Refused:
    said = f"channel {applicant.channel_name}: {words}"
    return Refused(MQRC_NOT_AUTHORIZED, number, said, applicant.authentication.fail_delay_s)

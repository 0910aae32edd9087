"""Admission of MQI clients: collects the facts about a client, and decides with the rules of admission."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field, replace

from mqtools.admin import (
    channel_authentication,
    channels,
    connection_authentication,
    error_log,
    socket_owner,
    users,
)
from mqtools.admin.users import PasswordProofs
from mqtools.errors import MQError
from mqtools.mqi.file_owner import is_run_by_owner, owner_name
from mqtools.mqi.transaction import ConnectionState
from mqtools.rules.security import admission as rules
from mqtools.rules.security.admission import AdmissionPolicy as AdmissionPolicy
from mqtools.rules.security.admission import Admitted, Applicant, Refused, Verdict
from mqtools.rules.security.admission import Peer as Peer
from mqtools.rules.security.channel_authentication import BLOCKUSER
from mqtools.store.database import Database


class AdmissionError(MQError):
    """Raised when a client is refused. number: of the AMQ message.  delay_s: to wait before the answer."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.words, refused.reason)
        self.number = refused.number
        self.delay_s = refused.delay_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """User and password that a client gives. password: None: no password.  proofs: of its socket."""

    user: str = ""
    password: bytes | None = None
    proofs: PasswordProofs = field(default_factory=PasswordProofs)


def admit(
    connection: ConnectionState,
    channel_name: str,
    peer: Peer,
    login: Login | None = None,
    *,
    connected: socket.socket | None = None,
    policy: AdmissionPolicy = rules.DEFAULT_POLICY,
) -> str:
    """Return the user that a client acts as.

    Call it when MQCONN is answered.  connected: its socket; without one it is not looked at whose it is.
    Raises AdmissionError: MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_CHANNEL_NAME, MQRC_CHANNEL_CONFIG_ERROR, and MQRC_SSL_*
    for a channel with the wrong use of TLS. The words are for the error log, not for the client.
    """
    user_id = None if connected is None or not peer.is_local else socket_owner.find_user_id(connected)
    is_owner = user_id is not None and user_id == os.stat(connection.db.path).st_uid
    login = login or Login()
    applicant = _applicant(connection.db, channel_name, peer, login.user, is_owner, policy)
    return _admitted_user(connection, applicant, _decide(connection.db, applicant, login))


def check_channel(connection: ConnectionState, channel_name: str, peer: Peer) -> None:
    """Check what is known before a client says who it is: the channel, and its use of TLS. Raises AdmissionError."""
    refused = rules.refuse_channel(channel_name, channels.definition(connection.db, channel_name), peer)
    if refused is not None:
        raise AdmissionError(refused)


def admit_this_process(db: Database, channel_name: str, address: str, user: str, password: bytes | None) -> str:
    """Return the user that a client in this process acts as, as for a client at an address. As ``admit``."""
    applicant = _applicant(db, channel_name, Peer(address=address), user, is_run_by_owner(db), rules.DEFAULT_POLICY)
    return _admitted_user(db, applicant, _decide(db, applicant, Login(user=user, password=password)))


def _applicant(
    db: Database, channel_name: str, peer: Peer, user: str, is_owner: bool, policy: AdmissionPolicy
) -> Applicant:
    return Applicant(
        channel_name=channel_name,
        channel=channels.definition(db, channel_name),
        peer=peer,
        user=user,
        has_password=users.has_password(db, user),
        is_owner=is_owner,
        owner=owner_name(db),
        records=channel_authentication.records_in_force(db),
        authentication=connection_authentication.in_force(db),
        policy=policy,
    )


def _decide(db: Database, applicant: Applicant, login: Login) -> Verdict:
    if login.password is not None:
        applicant = replace(applicant, password=rules.GIVEN)
    if login.password is not None and rules.needs_verification(applicant):
        is_right = login.proofs.verify(db, applicant.user, login.password)
        applicant = replace(applicant, password=rules.RIGHT if is_right else rules.WRONG)
    return rules.decide(applicant)


def _admitted_user(source: ConnectionState | Database, applicant: Applicant, verdict: Verdict) -> str:
    """Return the user; note in the error log which records have admitted the client by WARN(YES) only."""
    if isinstance(verdict, Refused):
        raise AdmissionError(verdict)
    assert isinstance(verdict, Admitted)
    for record in verdict.warnings:
        number = "AMQ9776W" if record.kind == BLOCKUSER else "AMQ9777W"
        inserts = error_log.Inserts(
            channel=applicant.channel_name, connection_name=applicant.peer.address, user=verdict.user
        )
        error_log.note(source, number, f"admitted by WARN(YES) of {record}", inserts)
    return verdict.user

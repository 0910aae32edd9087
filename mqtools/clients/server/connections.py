"""MQCONN and MQDISC of a client: admission, and the user that the client acts as."""

from __future__ import annotations

import time

from mqtools.admin.admission import AdmissionError, Login, admit
from mqtools.calls.connections import Application, open_session
from mqtools.clients.server.conversation import Conversation
from mqtools.clients.wire.calls import ApiHeader
from mqtools.clients.wire.handshake import CONNECT
from mqtools.clients.wire.pieces import Cursor, Values
from mqtools.constants.reasons import (
    MQCC_FAILED,
    MQCC_OK,
    MQRC_ALREADY_CONNECTED,
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_MGR_NAME_ERROR,
)
from mqtools.errors import MQError
from mqtools.headers.fields import read_characters
from mqtools.mqi import client_connections
from mqtools.mqi.transaction import Work

#: Bytes of a connection id that name a queue manager.
_NAME_LENGTH = 12
_CONNECTION_ID = b"AMQC"
#: Connection options as a signed number has them.
_OPTIONS = (1 << 31) - 1
#: Newest version of the connection options that is answered.
_OPTIONS_VERSION = 3


def connect(conversation: Conversation, _: ApiHeader, body: Cursor) -> bytes:
    """Answer MQCONN: the same body in reply, with a connection id."""
    values = CONNECT.read(body)
    comp_code, reason = MQCC_OK, MQRC_NONE
    try:
        _connect(conversation, values["connect"])
    except MQError as error:
        comp_code, reason = MQCC_FAILED, error.reason
        if isinstance(error, AdmissionError):
            conversation.instance.report(error.number, error, conversation.user or conversation.instance.user)
            time.sleep(error.delay_s)
        elif reason == MQRC_NOT_AUTHORIZED:
            conversation.instance.report("AMQ9557E", error)
    options = values["fcno"]
    conversation.instance.refusals += comp_code == MQCC_FAILED
    if options is not None:
        options["Version"] = min(options["Version"], _OPTIONS_VERSION)
        options["CapFlag"] += 1
        options["ConnectionArea"] = conversation.connection_id
    return ApiHeader(comp_code, reason).pack(CONNECT.write(values, body.order), body.order)


def _connect(conversation: Conversation, asked: Values) -> None:
    """Raises MQError: MQRC_Q_MGR_NAME_ERROR, MQRC_ALREADY_CONNECTED, as ``admit`` and MQCONN."""
    instance = conversation.instance
    if conversation.session is not None:
        raise MQError("the conversation is connected", MQRC_ALREADY_CONNECTED)
    name = read_characters(asked["QMgrName"]).removeprefix("*")
    if name not in ("", instance.q_mgr_name):
        raise MQError(f"queue manager {name} is not this one", MQRC_Q_MGR_NAME_ERROR)
    user, password = instance.user, instance.password
    if conversation.password is not None:
        user, password = conversation.user, conversation.password
    with instance.host.logins, instance.host.connect() as connection:
        user = admit(
            connection,
            instance.name,
            instance.peer,
            Login(user=user, password=password, proofs=instance.proofs),
            connected=instance.connected,
            policy=instance.host.policy,
        )
    application = Application(
        user=user,
        name=read_characters(asked["ApplName"]),
        type=asked["ApplType"],
        channel=instance.name,
        connection_name=instance.peer.address,
        instance=f"{instance.peer.address}({instance.peer.port})",
        options=asked["Options"] & _OPTIONS,
        is_checked=True,
    )

    def check_instances(work: Work) -> None:
        """Count again: listeners in two processes may each have admitted the last instance at the same moment."""
        others = client_connections.addresses_elsewhere(work.db, instance.name)
        if not instance.host.instances.has_room(instance.name, instance.peer.address, instance.limits, others):
            words = f"channel {instance.name} has as many instances as MAXINST or MAXINSTC allow"
            raise MQError(words, MQRC_CHANNEL_NOT_AVAILABLE)

    check = check_instances if instance.limits.is_limited else None
    conversation.session = open_session(instance.host.path, application=application, check=check)
    presence, unique = conversation.session.connection.presence, b""
    if presence is not None:
        presence.listen()  # it rings when the connection is ended from outside
        unique = presence.token
    start = _CONNECTION_ID + instance.q_mgr_name.encode("ascii", "replace")[:_NAME_LENGTH].ljust(_NAME_LENGTH)
    conversation.connection_id = start + unique[:8].ljust(8, b"\0")


def disconnect(conversation: Conversation, _: ApiHeader, body: Cursor) -> bytes:
    """Answer MQDISC, which commits the unit of work."""
    comp_code, reason = MQCC_OK, MQRC_NONE
    try:
        conversation.end(backs_out=False)
    except MQError as error:
        comp_code, reason = MQCC_FAILED, error.reason
    return ApiHeader(comp_code, reason).pack(b"", body.order)

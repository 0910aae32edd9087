"""Objects, users and authorities that ``--dev`` defines: those of IBM's developer images, queues with DEFPSIST(YES)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from mqtools.admin import authorities, channel_authentication, users
from mqtools.admin.channels import alter_channel, define_channel, definition
from mqtools.admin.kept_definitions import define
from mqtools.constants.administration import MQAUTH_ALL
from mqtools.constants.cmqxc import MQSCA_OPTIONAL, MQSCA_REQUIRED
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.mqi.connection import Connection
from mqtools.mqi.identity import user_identifier
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue
from mqtools.mqi.transaction import Work
from mqtools.rules.security.authorities import AUTHORITIES, PRINCIPAL, QMGR, QUEUE, TOPIC
from mqtools.rules.security.channel_authentication import (
    ADDRESSMAP,
    BLOCKUSER,
    CHANNEL,
    NOACCESS,
    USERMAP,
    AuthenticationRecord,
)

APP, ADMIN = "app", "admin"
APP_CHANNEL, ADMIN_CHANNEL = "DEV.APP.SVRCONN", "DEV.ADMIN.SVRCONN"
#: Channel to the user that it runs under; an empty one is for the owner of the file, or the user who proves a password.
CHANNELS = {APP_CHANNEL: APP, ADMIN_CHANNEL: ""}
#: User to the variable of the environment with its password.
PASSWORDS = {APP: "MQ_APP_PASSWORD", ADMIN: "MQ_ADMIN_PASSWORD"}
_QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE")
#: User, object type, profile, MQSC words of the authorities; no words: all.
_AUTHORITIES = (
    (APP, QMGR, "", "CONNECT INQ"),
    (APP, QUEUE, "DEV.**", "BROWSE GET INQ PUT"),
    (APP, TOPIC, "DEV.**", "PUB SUB"),
    (ADMIN, QMGR, "", ""),
    (ADMIN, QUEUE, "**", ""),
    (ADMIN, TOPIC, "**", ""),
)
#: IBM's image refuses all other channels too; here they carry messages between queue managers of a developer.
_RECORDS = (
    AuthenticationRecord(
        profile="DEV.*", kind=ADDRESSMAP, address="*", user_source=NOACCESS, description="Blocks all other DEV channels"
    ),
    AuthenticationRecord(
        profile=APP_CHANNEL, kind=ADDRESSMAP, address="*", user_source=CHANNEL, description="Admits applications"
    ),
    AuthenticationRecord(
        profile=ADMIN_CHANNEL, kind=BLOCKUSER, users=("nobody",), description="Does not block *MQADMIN"
    ),
    AuthenticationRecord(
        profile=ADMIN_CHANNEL, kind=USERMAP, client_user=ADMIN, user_source=CHANNEL, description="Admits administrators"
    ),
)


def define_all(work: Work) -> None:
    """Define the objects, users and authorities in a new queue manager."""
    for name in _QUEUES:
        define_queue(work, "QLOCAL", name, {"def_persistence": MQPER_PERSISTENT})
    define_queue(work, "QMODEL", "DEV.APP.MODEL.QUEUE", {})
    alter_qmgr(work, {"dead_letter_q_name": "DEV.DEAD.LETTER.QUEUE"})
    define(work, "TOPIC", "DEV.BASE.TOPIC", {"topic_string": "dev/"}, like=None, replace=False)
    for name, user in CHANNELS.items():
        define_channel(work, "SVRCONN", name, {"mca_user_identifier": user})
    admitted = AuthenticationRecord(
        profile=ADMIN_CHANNEL,
        kind=USERMAP,
        client_user=user_identifier(),
        user_source=CHANNEL,
        description="Admits the owner",
    )
    for record in (*_RECORDS, admitted):
        channel_authentication.set_record(work, channel_authentication.ADD, record)
    for user in PASSWORDS:
        users.add_user(work, user)
    for user, object_type, profile, words in _AUTHORITIES:
        granted = [AUTHORITIES[word] for word in words.split()] or [MQAUTH_ALL]
        authorities.set_record(work, profile, object_type, PRINCIPAL, user, add=granted)


#: SSLCIPH of the developer's channels with the development certificate.
CIPHER = "ANY_TLS12_OR_HIGHER"


def use_tls(work: Work, *, uses_tls: bool) -> None:
    """Set SSLCIPH of the developer's channels that exist where it is blank, or take back what was set so.

    Clients need no certificate.
    """
    before, after = ("", CIPHER) if uses_tls else (CIPHER, "")
    for name in CHANNELS:
        values = definition(work.db, name)
        if values is not None and values["ssl_cipher_spec"] == before:
            client_auth = MQSCA_OPTIONAL if uses_tls else MQSCA_REQUIRED
            alter_channel(work, "SVRCONN", name, {"ssl_cipher_spec": after, "ssl_client_auth": client_auth})


def set_dev_passwords(connection: Connection, environ: Mapping[str, str]) -> list[str]:
    """Set the passwords of ``app`` and ``admin`` that an environment has; return the users whose password was set.

    A user that was deleted is added again.  Raises errors as ``users.hash_password`` and ``users.set_password``.
    """
    given = {
        user: users.hash_password(os.fsencode(environ[variable]))
        for user, variable in PASSWORDS.items()
        if environ.get(variable)
    }
    with connection.work() as work:
        known = {user.name for user in users.list_users(connection)}
        for user, password in given.items():
            if user not in known:
                users.add_user(work, user)
            users.set_password(work, user, password)
    return list(given)

"""Authority that a command in PCF needs when its user is not the owner of the queue manager's file."""

from __future__ import annotations

from mqtools.admin.pcf.request import PcfParameters
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import MQCA_Q_NAME
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.authority import check_user
from mqtools.rules.security.authorities import AUTHORITIES, QMGR, QUEUE, TOPIC
from mqtools.store.database import Database
from mqtools.store.queues import qmgr

#: Command on one queue or topic to the object type, the parameter with its name, and the authority that it
#: needs on it. A generic name needs the authority on the queue manager.
_ON_OBJECTS = {
    c.MQCMD_CREATE_Q: (QUEUE, MQCA_Q_NAME, "CRT"),
    c.MQCMD_COPY_Q: (QUEUE, c.MQCACF_TO_Q_NAME, "CRT"),
    c.MQCMD_CHANGE_Q: (QUEUE, MQCA_Q_NAME, "CHG"),
    c.MQCMD_DELETE_Q: (QUEUE, MQCA_Q_NAME, "DLT"),
    c.MQCMD_CLEAR_Q: (QUEUE, MQCA_Q_NAME, "CLR"),
    c.MQCMD_INQUIRE_Q: (QUEUE, MQCA_Q_NAME, "DSP"),
    c.MQCMD_INQUIRE_Q_NAMES: (QUEUE, MQCA_Q_NAME, "DSP"),
    c.MQCMD_INQUIRE_Q_STATUS: (QUEUE, MQCA_Q_NAME, "DSP"),
    c.MQCMD_RESET_Q_STATS: (QUEUE, MQCA_Q_NAME, "CHG"),
    c.MQCMD_CREATE_TOPIC: (TOPIC, cmqc.MQCA_TOPIC_NAME, "CRT"),
    c.MQCMD_COPY_TOPIC: (TOPIC, c.MQCACF_TO_TOPIC_NAME, "CRT"),
    c.MQCMD_CHANGE_TOPIC: (TOPIC, cmqc.MQCA_TOPIC_NAME, "CHG"),
    c.MQCMD_DELETE_TOPIC: (TOPIC, cmqc.MQCA_TOPIC_NAME, "DLT"),
    c.MQCMD_INQUIRE_TOPIC: (TOPIC, cmqc.MQCA_TOPIC_NAME, "DSP"),
    c.MQCMD_INQUIRE_TOPIC_NAMES: (TOPIC, cmqc.MQCA_TOPIC_NAME, "DSP"),
}
#: Commands that show something: they need DSP on the queue manager. Any other command needs CHG on it.
_SHOWS = frozenset((
    c.MQCMD_PING_Q_MGR,
    c.MQCMD_INQUIRE_CONNECTION,
    c.MQCMD_INQUIRE_Q_MGR,
    c.MQCMD_INQUIRE_Q_MGR_STATUS,
    c.MQCMD_INQUIRE_CHANNEL,
    c.MQCMD_INQUIRE_CHANNEL_NAMES,
    c.MQCMD_INQUIRE_CHANNEL_STATUS,
    c.MQCMD_INQUIRE_AUTH_RECS,
    c.MQCMD_INQUIRE_NAMELIST,
    c.MQCMD_INQUIRE_NAMELIST_NAMES,
    c.MQCMD_INQUIRE_AUTH_INFO,
    c.MQCMD_INQUIRE_AUTH_INFO_NAMES,
    c.MQCMD_INQUIRE_SUBSCRIPTION,
    c.MQCMD_INQUIRE_PROCESS,
    c.MQCMD_INQUIRE_PROCESS_NAMES,
))  # fmt: skip
#: Commands that give authority, or say which user a channel runs under: only the owner of the file may.
_OF_OWNER = frozenset((
    c.MQCMD_SET_AUTH_REC,
    c.MQCMD_DELETE_AUTH_REC,
    c.MQCMD_CREATE_CHANNEL,
    c.MQCMD_CHANGE_CHANNEL,
    c.MQCMD_COPY_CHANNEL,
))  # fmt: skip


def check_authority(db: Database, user: str, command: int, parameters: PcfParameters) -> None:
    """Check that a user may execute a command. parameters: of the command, consumed here.

    Raises MQError: MQRC_NOT_AUTHORIZED, PCFError for a queue name that is missing or not valid.
    """
    if command in _OF_OWNER:
        raise MQError(
            f"user {user} cannot change authorities or channels: only the owner of the queue manager's file can",
            MQRC_NOT_AUTHORIZED,
        )
    if command in _ON_OBJECTS:
        object_type, number, word = _ON_OBJECTS[command]
        name = parameters.name(number)
        if "*" not in name:
            check_user(db, user, object_type, name, [AUTHORITIES[word]])
            return
    else:
        word = "DSP" if command in _SHOWS else "CHG"
    check_user(db, user, QMGR, qmgr(db).name, [AUTHORITIES[word]])

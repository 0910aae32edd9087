"""Meaning of the MQSC attributes that IBM MQ does not have, and of those that control access."""

from __future__ import annotations

#: Keyword to (default, meaning, what to do).
OWN_ATTRIBUTES = {
    "CHLAUTH": (
        "ENABLED",
        "Whether the channel authentication records of a queue manager are in force: they refuse callers of its "
        "channels by address, certificate, queue manager or user, or say which user a channel runs under. Without "
        "records every caller is let in that the channel itself accepts.",
        "mqx mqsc \"SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)\" refuses everyone; more specific "
        "records let in. DISPLAY CHLAUTH(CHANNEL) MATCH(RUNCHECK) ADDRESS(...) QMNAME(...) shows which record decides "
        "on a caller. ALTER QMGR CHLAUTH(DISABLED) ignores them all.",
    ),
    "JOURNAL": (
        "NO",
        "Whether a local queue keeps a journal: YES records each put, get, lock, expiry, dead letter, report and "
        "channel move with time, identifiers, user, program and reason, in the same transaction; BODY keeps the data "
        "too. NO has no cost.",
        "mqx mqsc 'ALTER QLOCAL(ORDERS) JOURNAL(YES)' starts one. mqx sql reads the view journal; mqx pipeline archive "
        "--journal, stream and stats read it too. ALTER QMGR JRNLAGE and JRNLSIZE limit how much is kept.",
    ),
    "JRNLAGE": (
        "604800",
        "How long a queue manager keeps the events of its journals, in seconds; NOLIMIT for ever. Older ones are "
        "removed when others are written.",
        "mqx mqsc 'ALTER QMGR JRNLAGE(86400)' keeps a day.",
    ),
    "JRNLSIZE": (
        "268435456",
        "How much a queue manager keeps of its journals, in bytes, all queues together; NOLIMIT for all. The oldest "
        "events are removed first.",
        "mqx mqsc 'ALTER QMGR JRNLSIZE(1073741824)' keeps a GiB; JOURNAL(BODY) needs it.",
    ),
    "PROFILE": (
        "DISTRIBUTED",
        "Which IBM MQ a queue manager behaves as where they differ: DISTRIBUTED or ZOS.",
        "mqx qmgr create QM1 --profile zos chooses.",
    ),
    "RCMDS": (
        "NO",
        "Whether a queue manager carries out commands in PCF that no local program has put: brought to "
        "SYSTEM.ADMIN.COMMAND.QUEUE by a channel, or from another queue by move, copy, trash restore or dlq-handle. NO "
        "refuses them with MQRC_NOT_AUTHORIZED (2035): a channel dead-letters the message. It cannot be set by PCF.",
        "mqx mqsc 'ALTER QMGR RCMDS(YES)' allows everyone who may use a receiving channel to change every definition "
        "of the queue manager: use it only with SSLCIPH and SSLPEER on those channels.",
    ),
    "QMNAME": (
        "",
        "The queue manager that a channel has at its other end; any other is refused. Blank for any.",
        "mqx mqsc 'ALTER CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) QMNAME(QM1)' ties a channel to one.",
    ),
}

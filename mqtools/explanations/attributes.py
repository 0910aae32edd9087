"""Meaning of the MQSC attributes that IBM MQ does not have, and of those that control access."""

from __future__ import annotations

#: Keyword to (default, meaning, what to do).
OWN_ATTRIBUTES = {
    "AUTHCHK": (
        "CHANNELS",
        "Whose authorities a queue manager checks. CHANNELS: users of receiving channels and of PCF commands from "
        "channels. ALL: also every user who opens queues or runs a command of mqx, except the owner of the file and "
        "root. INQ shows depths, BROWSE or GET the "
        "messages of a queue and their past; on the queue manager DSP shows definitions, channels and check-ups, CHG "
        "starts, ends and controls it and its channels; mqx sql and trace need BROWSE on every queue; PUB and SUB on a "
        "topic object let publish and subscribe at and below its string. What SET AUTHREC does not grant is refused "
        "with MQRC_NOT_AUTHORIZED (2035).",
        "mqx mqsc \"SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('clerks') AUTHADD(PUT,GET)\" grants, DISPLAY "
        "AUTHREC and DISPLAY ENTAUTH show; then ALTER QMGR AUTHCHK(ALL). Who can write the file can also change it "
        "with other programs: against those only the mode of the file helps.",
    ),
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
        "--journal, stream and stats read it too. With BODY, browse --at, qdepth --at, unload --at and diff show the "
        "queue as it was, and mqx replay puts its messages again. ALTER QMGR JRNLAGE and JRNLSIZE limit how much is "
        "kept.",
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
    "MCAUSER": (
        "",
        "The user that a receiving channel runs under: it needs CONNECT on the queue manager, and PUT and SETALL on "
        "each queue that a message goes to. Blank for the owner of the queue manager's file, who may do everything. A "
        "channel authentication record can set another user for a caller. The user need not exist on the machine.",
        "mqx mqsc \"ALTER CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) MCAUSER('orders')\", and SET AUTHREC for that user. A "
        "message for any other queue goes to the dead-letter queue with MQRC_NOT_AUTHORIZED (2035).",
    ),
    "PROFILE": (
        "DISTRIBUTED",
        "Which IBM MQ a queue manager behaves as where they differ: DISTRIBUTED or ZOS.",
        "mqx qmgr create QM1 --profile zos chooses.",
    ),
    "PUTAUT": (
        "DEF",
        "Whose authority a receiving channel needs for a put: DEF that of the user it runs under; CTX that of the user "
        "in each message (UserIdentifier, PUT), if it names one, and ALTUSR on the queue manager for its own user.",
        "mqx mqsc 'ALTER CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) PUTAUT(CTX)' believes the partner who put a message: use it "
        "with SSLCIPH or ssh only. A message that names the owner of the file counts as one of the channel's user.",
    ),
    "RCMDS": (
        "NO",
        "Whether a queue manager carries out commands in PCF that no local program has put: brought to "
        "SYSTEM.ADMIN.COMMAND.QUEUE by a channel, or from another queue by move, copy, trash restore or dlq-handle. NO "
        "refuses them with MQRC_NOT_AUTHORIZED (2035): a channel dead-letters the message. It cannot be set by PCF.",
        "mqx mqsc 'ALTER QMGR RCMDS(YES)' allows everyone who may use a receiving channel without MCAUSER to change "
        "every definition of the queue manager: give the channel a user with the authorities it needs (mqx explain "
        "MCAUSER).",
    ),
    "QMNAME": (
        "",
        "The queue manager that a channel has at its other end; any other is refused. Blank for any.",
        "mqx mqsc 'ALTER CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) QMNAME(QM1)' ties a channel to one.",
    ),
}

"""Mapping of completion and reason codes to the exit status of a command."""

from __future__ import annotations

from mqtools.constants import reasons as rc

DONE, FAILED, USAGE, NOTHING_THERE, WARNING, UNKNOWN, IN_USE, LIMIT, FORBIDDEN, PARTLY, STORAGE = range(11)

#: Exit status to its meaning.
MEANINGS = {
    DONE: "done",
    FAILED: "failed for a reason not listed below, or declined at a question",
    USAGE: "a mistake in the command line, its input or the configuration; an ambiguous id prefix",
    NOTHING_THERE: "nothing found: an empty queue, no match, or a wait that timed out",
    WARNING: "done, with a warning",
    UNKNOWN: "the queue or queue manager does not exist or is not running",
    IN_USE: "locked or in use, or an unknown lock id or confirm id",
    LIMIT: "a limit: a full queue, a message that is too long",
    FORBIDDEN: "forbidden: inhibited, not authorised, read-only",
    PARTLY: "some done, some failed; the totals are on standard error",
    STORAGE: "storage: busy, damaged, or disk full",
    130: "interrupted (SIGINT)",
    141: "the reader of the output has closed the pipe",
    143: "terminated (SIGTERM)",
}

#: Command to the statuses that mean something else there.
OTHER_MEANINGS = {
    "mqx qdepth with --warn, --crit, --max-age or --max-depth": "0 OK; 1 warning; 2 critical; 3 unknown, as in Nagios",
    "mqx diff": "0 the same; 1 different",
    "mqx run": "the status of the program",
    "mqx shell": "the status of its last command",
    "services, such as mqx dlq-handle and mqx channel listen": "0 after SIGTERM",
}

#: Exit status of a call that failed, by reason. A reason that is not here gives FAILED (1).
STATUS_OF_FAILURE = {
    rc.MQRC_SELECTOR_SYNTAX_ERROR: USAGE,
    rc.MQRC_SELECTION_STRING_ERROR: USAGE,
    rc.MQRC_ENVIRONMENT_ERROR: USAGE,  # the configuration file is not right
    rc.MQRC_MSG_ID_ERROR: USAGE,  # the beginning of an identifier that several messages have
    rc.MQRC_NO_MSG_AVAILABLE: NOTHING_THERE,
    rc.MQRC_NO_MSG_UNDER_CURSOR: NOTHING_THERE,
    rc.MQRC_UNKNOWN_OBJECT_NAME: UNKNOWN,
    rc.MQRC_UNKNOWN_OBJECT_Q_MGR: UNKNOWN,
    rc.MQRC_UNKNOWN_REMOTE_Q_MGR: UNKNOWN,
    rc.MQRC_UNKNOWN_ALIAS_BASE_Q: UNKNOWN,
    rc.MQRC_UNKNOWN_XMIT_Q: UNKNOWN,
    rc.MQRC_UNKNOWN_DEF_XMIT_Q: UNKNOWN,
    rc.MQRC_UNKNOWN_CHANNEL_NAME: UNKNOWN,
    rc.MQRC_Q_DELETED: UNKNOWN,
    rc.MQRC_Q_MGR_NAME_ERROR: UNKNOWN,
    rc.MQRC_Q_MGR_NOT_AVAILABLE: UNKNOWN,
    rc.MQRC_Q_MGR_QUIESCING: UNKNOWN,
    rc.MQRC_Q_MGR_STOPPING: UNKNOWN,
    rc.MQRC_CONNECTION_BROKEN: UNKNOWN,  # the queue manager has ended meanwhile: there is none any more
    rc.MQRC_OBJECT_IN_USE: IN_USE,
    rc.MQRC_NO_MSG_LOCKED: IN_USE,
    rc.MQRC_MSG_MARKED_BROWSE_CO_OP: IN_USE,
    rc.MQRC_Q_FULL: LIMIT,
    rc.MQRC_MSG_TOO_BIG_FOR_Q: LIMIT,
    rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR: LIMIT,
    rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL: LIMIT,
    rc.MQRC_TRUNCATED_MSG_FAILED: LIMIT,
    rc.MQRC_PROPERTIES_TOO_BIG: LIMIT,
    rc.MQRC_SYNCPOINT_LIMIT_REACHED: LIMIT,
    rc.MQRC_HANDLE_NOT_AVAILABLE: LIMIT,
    rc.MQRC_MAX_CONNS_LIMIT_REACHED: LIMIT,
    rc.MQRC_GET_INHIBITED: FORBIDDEN,
    rc.MQRC_PUT_INHIBITED: FORBIDDEN,
    rc.MQRC_CLUSTER_PUT_INHIBITED: FORBIDDEN,
    rc.MQRC_SUB_INHIBITED: FORBIDDEN,
    rc.MQRC_DURABILITY_NOT_ALLOWED: FORBIDDEN,
    rc.MQRC_NOT_AUTHORIZED: FORBIDDEN,
    rc.MQRC_CONNECTION_NOT_AUTHORIZED: FORBIDDEN,
    rc.MQRC_NOT_PRIVILEGED: FORBIDDEN,
    rc.MQRC_SECURITY_ERROR: FORBIDDEN,
    rc.MQRC_CHANNEL_STOPPED_BY_USER: FORBIDDEN,
    rc.MQRC_OBJECT_DAMAGED: STORAGE,
    rc.MQRC_RESOURCE_PROBLEM: STORAGE,
    rc.MQRC_STORAGE_MEDIUM_FULL: STORAGE,
    rc.MQRC_PAGESET_ERROR: STORAGE,
    rc.MQRC_FILE_SYSTEM_ERROR: STORAGE,
    rc.MQRC_Q_SPACE_NOT_AVAILABLE: STORAGE,
    rc.MQRC_STORAGE_NOT_AVAILABLE: STORAGE,
}

#: Warnings of commands that did not do their work. Any other warning gives WARNING (4).
STATUS_OF_WARNING = {
    rc.MQRC_TRUNCATED_MSG_FAILED: LIMIT,
    rc.MQRC_NO_MSG_LOCKED: IN_USE,
    rc.MQRC_BACKED_OUT: FAILED,
}


def exit_status(reason: int, comp_code: int) -> int:
    """Return the exit status of a command by its last call. An unknown completion code is a failure."""
    if comp_code == rc.MQCC_OK:
        return DONE
    if comp_code == rc.MQCC_WARNING:
        return STATUS_OF_WARNING.get(reason, WARNING)
    return STATUS_OF_FAILURE.get(reason, FAILED)

"""Notes on put options, the actions of a put, and the copies of properties."""

from __future__ import annotations

#: Name to (meaning, what to do). An empty "what to do": no action is needed. A name without an entry
#: has no note.
PUT_OPTION_NOTES: dict[str, tuple[str, str]] = {
    # MQPMO: put options
    "MQPMO_SYNCPOINT": (
        "Puts inside the unit of work: others see the message after the commit.",
        "",
    ),
    "MQPMO_NO_SYNCPOINT": (
        "Puts outside the unit of work: others see the message at once.",
        "",
    ),
    "MQPMO_DEFAULT_CONTEXT": (
        "The queue manager fills in who put the message and when.",
        "",
    ),
    "MQPMO_NEW_MSG_ID": (
        "The queue manager makes a new MsgId.",
        "",
    ),
    "MQPMO_NEW_CORREL_ID": (
        "The queue manager makes a new CorrelId.",
        "",
    ),
    "MQPMO_PASS_IDENTITY_CONTEXT": (
        "Passes on the identity context of the message that the handle got.",
        "",
    ),
    "MQPMO_PASS_ALL_CONTEXT": (
        "Passes on the identity and origin context of the message that the handle got.",
        "",
    ),
    "MQPMO_SET_IDENTITY_CONTEXT": (
        "The program sets the identity itself.",
        "",
    ),
    "MQPMO_SET_ALL_CONTEXT": (
        "The program sets identity and origin itself.",
        "mqx put --keep-context.",
    ),
    "MQPMO_ALTERNATE_USER_AUTHORITY": (
        "The rights of another user are checked.",
        "",
    ),
    "MQPMO_FAIL_IF_QUIESCING": (
        "Fails when the queue manager is ending.",
        "",
    ),
    "MQPMO_NO_CONTEXT": (
        "The message is put without a record of who put it.",
        "",
    ),
    "MQPMO_LOGICAL_ORDER": (
        "The queue manager counts group, sequence number and offset.",
        "",
    ),
    "MQPMO_ASYNC_RESPONSE": (
        "The program does not wait for the outcome of the put.",
        "",
    ),
    "MQPMO_SYNC_RESPONSE": (
        "The program waits for the outcome of the put.",
        "",
    ),
    "MQPMO_RESOLVE_LOCAL_Q": (
        "Returns the name of the local queue that the message went to.",
        "",
    ),
    "MQPMO_WARN_IF_NO_SUBS_MATCHED": (
        "Warns if there is no subscription to the publication.",
        "",
    ),
    "MQPMO_RETAIN": (
        "The publication is kept for later subscribers.",
        "",
    ),
    "MQPMO_MD_FOR_OUTPUT_ONLY": (
        "The descriptor is only filled in; the message handle's fields are used.",
        "",
    ),
    "MQPMO_SCOPE_QMGR": (
        "The publication stays at this queue manager.",
        "",
    ),
    "MQPMO_SUPPRESS_REPLYTO": (
        "Subscribers do not see the reply-to queue.",
        "",
    ),
    "MQPMO_NOT_OWN_SUBS": (
        "The publisher's own subscriptions do not get the publication.",
        "",
    ),
    "MQPMO_RESPONSE_AS_Q_DEF": (
        "Whether to wait for the outcome is as the queue defines. This is the default.",
        "",
    ),
    "MQPMO_RESPONSE_AS_TOPIC_DEF": (
        "Whether to wait for the outcome is as the topic defines.",
        "",
    ),
    "MQPMO_NONE": (
        "All defaults.",
        "",
    ),
    "MQPMO_PUB_OPTIONS_MASK": (
        "The bits that only matter when publishing.",
        "",
    ),
    # MQACTP: actions of a put
    "MQACTP_NEW": (
        "A datagram: no reply is expected.",
        "",
    ),
    "MQACTP_FORWARD": (
        "The message is the original, sent on.",
        "mqx report-gen --action forward --to QUEUE.",
    ),
    "MQACTP_REPLY": (
        "The message answers the original.",
        "mqx report-gen --action reply.",
    ),
    "MQACTP_REPORT": (
        "The message reports on the original.",
        "mqx report-gen --feedback NAME.",
    ),
    # MQCOPY: where a property is copied
    "MQCOPY_NONE": (
        "The property goes into no forwarded message, reply, report or publication.",
        "",
    ),
    "MQCOPY_ALL": (
        "The property goes into every message made from this one.",
        "",
    ),
    "MQCOPY_FORWARD": (
        "The property goes into a forwarded message.",
        "",
    ),
    "MQCOPY_PUBLISH": (
        "The property goes into a publication.",
        "",
    ),
    "MQCOPY_REPLY": (
        "The property goes into a reply.",
        "",
    ),
    "MQCOPY_REPORT": (
        "The property goes into a report.",
        "",
    ),
    "MQCOPY_DEFAULT": (
        "The property goes into forwarded messages, publications and reports, not into replies.",
        "",
    ),
}

"""Notes on put options, the actions of a put, and the copies of properties."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

PUT_OPTION_NOTES: dict[str, Note] = {
    # MQPMO: put options
    "MQPMO_SYNCPOINT": Note("Puts inside the unit of work: others see the message after the commit."),
    "MQPMO_NO_SYNCPOINT": Note("Puts outside the unit of work: others see the message at once."),
    "MQPMO_DEFAULT_CONTEXT": Note("The queue manager fills in who put the message and when."),
    "MQPMO_NEW_MSG_ID": Note("The queue manager makes a new MsgId."),
    "MQPMO_NEW_CORREL_ID": Note("The queue manager makes a new CorrelId."),
    "MQPMO_PASS_IDENTITY_CONTEXT": Note("Passes on the identity context of the message that the handle got."),
    "MQPMO_PASS_ALL_CONTEXT": Note("Passes on the identity and origin context of the message that the handle got."),
    "MQPMO_SET_IDENTITY_CONTEXT": Note("The program sets the identity itself."),
    "MQPMO_SET_ALL_CONTEXT": Note(
        "The program sets identity and origin itself.",
        "mqx put --keep-context.",
    ),
    "MQPMO_ALTERNATE_USER_AUTHORITY": Note("The rights of another user are checked."),
    "MQPMO_FAIL_IF_QUIESCING": Note("Fails when the queue manager is ending."),
    "MQPMO_NO_CONTEXT": Note("The message is put without a record of who put it."),
    "MQPMO_LOGICAL_ORDER": Note("The queue manager counts group, sequence number and offset."),
    "MQPMO_ASYNC_RESPONSE": Note("The program does not wait for the outcome of the put."),
    "MQPMO_SYNC_RESPONSE": Note("The program waits for the outcome of the put."),
    "MQPMO_RESOLVE_LOCAL_Q": Note("Returns the name of the local queue that the message went to."),
    "MQPMO_WARN_IF_NO_SUBS_MATCHED": Note("Warns if there is no subscription to the publication."),
    "MQPMO_RETAIN": Note("The publication is kept for later subscribers."),
    "MQPMO_MD_FOR_OUTPUT_ONLY": Note("The descriptor is only filled in; the message handle's fields are used."),
    "MQPMO_SCOPE_QMGR": Note("The publication stays at this queue manager."),
    "MQPMO_SUPPRESS_REPLYTO": Note("Subscribers do not see the reply-to queue."),
    "MQPMO_NOT_OWN_SUBS": Note("The publisher's own subscriptions do not get the publication."),
    "MQPMO_RESPONSE_AS_Q_DEF": Note("Whether to wait for the outcome is as the queue defines. This is the default."),
    "MQPMO_RESPONSE_AS_TOPIC_DEF": Note("Whether to wait for the outcome is as the topic defines."),
    "MQPMO_NONE": Note("All defaults."),
    "MQPMO_PUB_OPTIONS_MASK": Note("The bits that only matter when publishing."),
    # MQACTP: actions of a put
    "MQACTP_NEW": Note("A datagram: no reply is expected."),
    "MQACTP_FORWARD": Note(
        "The message is the original, sent on.",
        "mqx report-gen --action forward --to QUEUE.",
    ),
    "MQACTP_REPLY": Note(
        "The message answers the original.",
        "mqx report-gen --action reply.",
    ),
    "MQACTP_REPORT": Note(
        "The message reports on the original.",
        "mqx report-gen --feedback NAME.",
    ),
    # MQCOPY: where a property is copied
    "MQCOPY_NONE": Note("The property goes into no forwarded message, reply, report or publication."),
    "MQCOPY_ALL": Note("The property goes into every message made from this one."),
    "MQCOPY_FORWARD": Note("The property goes into a forwarded message."),
    "MQCOPY_PUBLISH": Note("The property goes into a publication."),
    "MQCOPY_REPLY": Note("The property goes into a reply."),
    "MQCOPY_REPORT": Note("The property goes into a report."),
    "MQCOPY_DEFAULT": Note("The property goes into forwarded messages, publications and reports, not into replies."),
}

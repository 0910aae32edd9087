"""Notes on the options of the calls."""

from __future__ import annotations

#: Name to (meaning, what to do). What to do is empty where there is nothing to be done; a name that is not here
#: has no note.
OPTION_NOTES: dict[str, tuple[str, str]] = {
    # MQGMO: get options
    "MQGMO_WAIT": (
        "Waits up to the wait interval for a message that fits.",
        "mqx get --wait 5s.",
    ),
    "MQGMO_NO_WAIT": (
        "Returns at once if no message fits. This is the default.",
        "",
    ),
    "MQGMO_SET_SIGNAL": (
        "Has a signal sent when a message comes, instead of waiting. Profile zos only.",
        "",
    ),
    "MQGMO_FAIL_IF_QUIESCING": (
        "Fails, also out of a wait, when the queue manager is ending.",
        "",
    ),
    "MQGMO_SYNCPOINT": (
        "Gets inside the unit of work: the message is removed at commit, and returned to the queue at back-out.",
        "",
    ),
    "MQGMO_SYNCPOINT_IF_PERSISTENT": (
        "Gets inside the unit of work if the message is persistent, else outside.",
        "",
    ),
    "MQGMO_NO_SYNCPOINT": (
        "Gets outside the unit of work: the message is removed at once.",
        "",
    ),
    "MQGMO_MARK_SKIP_BACKOUT": (
        "Spares the message from the first back-out, so that it can be dealt with afterwards. Profile zos only.",
        "",
    ),
    "MQGMO_BROWSE_FIRST": (
        "Browses the first message that matches and leaves it on the queue; the browse cursor is on it.",
        "mqx browse.",
    ),
    "MQGMO_BROWSE_NEXT": (
        "Looks at the next message after the browse cursor.",
        "mqx browse.",
    ),
    "MQGMO_BROWSE_MSG_UNDER_CURSOR": (
        "Looks at the message under the browse cursor again.",
        "",
    ),
    "MQGMO_MSG_UNDER_CURSOR": (
        "Gets the message under the browse cursor, whatever its identifiers.",
        "",
    ),
    "MQGMO_LOCK": (
        "Locks the browsed message so that it is invisible to others.",
        "mqx lock prints a lock id that outlives the program.",
    ),
    "MQGMO_UNLOCK": (
        "Gives the locked message free again.",
        "mqx unlock --lock-id HEX.",
    ),
    "MQGMO_ACCEPT_TRUNCATED_MSG": (
        "Takes a message that is longer than the buffer; the rest is lost.",
        "mqx get --max-length N --accept-truncated.",
    ),
    "MQGMO_CONVERT": (
        "Converts the data to the character set and encoding asked for.",
        "mqx get --convert 1208.",
    ),
    "MQGMO_LOGICAL_ORDER": (
        "Returns groups and segments in their order, one after the other.",
        "mqx get --logical-order.",
    ),
    "MQGMO_COMPLETE_MSG": (
        "Returns a segmented message as a whole, and only when all segments are there.",
        "mqx get --complete.",
    ),
    "MQGMO_ALL_MSGS_AVAILABLE": (
        "Begins a group only when all its messages are there.",
        "mqx get --all-available.",
    ),
    "MQGMO_ALL_SEGMENTS_AVAILABLE": (
        "Begins a segmented message only when all its segments are there.",
        "mqx get --all-available.",
    ),
    "MQGMO_MARK_BROWSE_HANDLE": (
        "Marks the browsed message for this handle alone.",
        "",
    ),
    "MQGMO_MARK_BROWSE_CO_OP": (
        "Marks the browsed message for all co-operating browsers, so that each is taken by one.",
        "mqx browse --mark.",
    ),
    "MQGMO_UNMARK_BROWSE_CO_OP": (
        "Takes the co-operative mark off the message.",
        "",
    ),
    "MQGMO_UNMARK_BROWSE_HANDLE": (
        "Takes this handle's mark off the message.",
        "",
    ),
    "MQGMO_UNMARKED_BROWSE_MSG": (
        "Skips messages that are marked.",
        "mqx browse --unmarked.",
    ),
    "MQGMO_PROPERTIES_FORCE_MQRFH2": (
        "Returns properties in an MQRFH2 header in front of the data, always.",
        "",
    ),
    "MQGMO_NO_PROPERTIES": (
        "Returns the message without its properties, except those in the descriptor.",
        "",
    ),
    "MQGMO_PROPERTIES_IN_HANDLE": (
        "Returns properties through the message handle.",
        "",
    ),
    "MQGMO_PROPERTIES_COMPATIBILITY": (
        "Returns properties as old programs expect: an MQRFH2 if the message had one with JMS folders, else none.",
        "",
    ),
    "MQGMO_PROPERTIES_AS_Q_DEF": (
        "Returns properties as the queue's PROPCTL defines. This is the default.",
        "",
    ),
    "MQGMO_NONE": (
        "All defaults.",
        "",
    ),
    "MQGMO_BROWSE_HANDLE": (
        "Browses the first message that this handle has not marked, and marks it.",
        "",
    ),
    "MQGMO_BROWSE_CO_OP": (
        "Browses the first message that no co-operating browser has marked, and marks it.",
        "mqx browse --mark --unmarked.",
    ),
    # MQMO: match options
    "MQMO_MATCH_MSG_ID": (
        "Only a message with this MsgId fits.",
        "--msg-id HEX.",
    ),
    "MQMO_MATCH_CORREL_ID": (
        "Only a message with this CorrelId fits.",
        "--correl-id HEX.",
    ),
    "MQMO_MATCH_GROUP_ID": (
        "Only a message of this group fits.",
        "--group-id HEX.",
    ),
    "MQMO_MATCH_MSG_SEQ_NUMBER": (
        "Only a message with this number in its group fits.",
        "",
    ),
    "MQMO_MATCH_OFFSET": (
        "Only a segment with this offset fits.",
        "",
    ),
    "MQMO_MATCH_MSG_TOKEN": (
        "Only the message with this token fits.",
        "",
    ),
    "MQMO_NONE": (
        "Any message fits.",
        "",
    ),
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
        "The identity of the message that was got is passed on.",
        "",
    ),
    "MQPMO_PASS_ALL_CONTEXT": (
        "Identity and origin of the message that was got are passed on.",
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
        "The message is put without any word of who put it.",
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
    # MQOO: open options
    "MQOO_BIND_AS_Q_DEF": (
        "Binding to a cluster queue's instance is as the queue defines. This is the default.",
        "",
    ),
    "MQOO_READ_AHEAD_AS_Q_DEF": (
        "Reading ahead is as the queue defines. This is the default.",
        "",
    ),
    "MQOO_INPUT_AS_Q_DEF": (
        "Opens to get, shared or exclusive as the queue's DEFSOPT defines.",
        "",
    ),
    "MQOO_INPUT_SHARED": (
        "Opens to get, together with others.",
        "",
    ),
    "MQOO_INPUT_EXCLUSIVE": (
        "Opens to get, alone: another open for input fails with MQRC_OBJECT_IN_USE.",
        "",
    ),
    "MQOO_BROWSE": (
        "Opens to browse messages without removing them.",
        "",
    ),
    "MQOO_OUTPUT": (
        "Opens to put.",
        "",
    ),
    "MQOO_INQUIRE": (
        "Opens to ask for attributes.",
        "",
    ),
    "MQOO_SET": (
        "Opens to set attributes.",
        "",
    ),
    "MQOO_SAVE_ALL_CONTEXT": (
        "Keeps the context of messages that are got, so that it can be passed on.",
        "",
    ),
    "MQOO_PASS_IDENTITY_CONTEXT": (
        "Allows puts that pass identity on.",
        "",
    ),
    "MQOO_PASS_ALL_CONTEXT": (
        "Allows puts that pass identity and origin on.",
        "",
    ),
    "MQOO_SET_IDENTITY_CONTEXT": (
        "Allows puts that set the identity.",
        "",
    ),
    "MQOO_SET_ALL_CONTEXT": (
        "Allows puts that set identity and origin.",
        "",
    ),
    "MQOO_ALTERNATE_USER_AUTHORITY": (
        "The rights of another user are checked.",
        "",
    ),
    "MQOO_FAIL_IF_QUIESCING": (
        "Fails when the queue manager is ending.",
        "",
    ),
    "MQOO_BIND_ON_OPEN": (
        "All messages of this open go to one instance of a cluster queue.",
        "",
    ),
    "MQOO_BIND_ON_GROUP": (
        "All messages of a group go to one instance of a cluster queue.",
        "",
    ),
    "MQOO_BIND_NOT_FIXED": (
        "Each message may go to another instance of a cluster queue.",
        "",
    ),
    "MQOO_CO_OP": (
        "Joins the co-operating browsers of the queue, who see each other's marks.",
        "mqx browse --mark.",
    ),
    "MQOO_NO_READ_AHEAD": (
        "Messages are fetched one by one.",
        "",
    ),
    "MQOO_READ_AHEAD": (
        "Messages that are not persistent may be fetched before they are asked for.",
        "",
    ),
    "MQOO_NO_MULTICAST": (
        "Multicast is not used.",
        "",
    ),
    "MQOO_RESOLVE_LOCAL_Q": (
        "Returns the name of the local queue behind the name.",
        "",
    ),
    "MQOO_RESOLVE_LOCAL_TOPIC": (
        "Returns the name of the topic behind the name.",
        "",
    ),
    "MQOO_RESOLVE_NAMES": (
        "Returns where a name leads, without opening it for use.",
        "",
    ),
    # MQCO: close options
    "MQCO_IMMEDIATE": (
        "Closes at once. This is the default.",
        "",
    ),
    "MQCO_NONE": (
        "Closes and keeps the object.",
        "",
    ),
    "MQCO_DELETE": (
        "Deletes a permanent dynamic queue if it is empty.",
        "",
    ),
    "MQCO_DELETE_PURGE": (
        "Deletes a permanent dynamic queue with the messages on it.",
        "",
    ),
    "MQCO_KEEP_SUB": (
        "Keeps a durable subscription.",
        "",
    ),
    "MQCO_REMOVE_SUB": (
        "Removes a durable subscription.",
        "",
    ),
    "MQCO_QUIESCE": (
        "Closes once what was read ahead has been taken.",
        "",
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

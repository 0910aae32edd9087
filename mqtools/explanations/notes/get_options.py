"""Notes on get options and match options."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

GET_OPTION_NOTES: dict[str, Note] = {
    # MQGMO: get options
    "MQGMO_WAIT": Note(
        "Waits up to the wait interval for a message that fits.",
        "mqx get --wait 5s.",
    ),
    "MQGMO_NO_WAIT": Note("Returns at once if no message fits. This is the default."),
    "MQGMO_SET_SIGNAL": Note("Has a signal sent when a message comes, instead of waiting. Profile zos only."),
    "MQGMO_FAIL_IF_QUIESCING": Note("Fails, also out of a wait, when the queue manager is ending."),
    "MQGMO_SYNCPOINT": Note(
        "Gets inside the unit of work: the message is removed at commit, and returned to the queue at back-out."
    ),
    "MQGMO_SYNCPOINT_IF_PERSISTENT": Note("Gets inside the unit of work if the message is persistent, else outside."),
    "MQGMO_NO_SYNCPOINT": Note("Gets outside the unit of work: the message is removed at once."),
    "MQGMO_MARK_SKIP_BACKOUT": Note(
        "Spares the message from the first back-out, so that it can be dealt with afterwards. Profile zos only."
    ),
    "MQGMO_BROWSE_FIRST": Note(
        "Browses the first message that matches and leaves it on the queue; the browse cursor is on it.",
        "mqx browse.",
    ),
    "MQGMO_BROWSE_NEXT": Note(
        "Browses the next message after the browse cursor.",
        "mqx browse.",
    ),
    "MQGMO_BROWSE_MSG_UNDER_CURSOR": Note("Browses the message under the browse cursor again."),
    "MQGMO_MSG_UNDER_CURSOR": Note("Gets the message under the browse cursor, whatever its identifiers."),
    "MQGMO_LOCK": Note(
        "Locks the browsed message so that it is invisible to others.",
        "mqx lock prints a lock id that outlives the program.",
    ),
    "MQGMO_UNLOCK": Note(
        "Unlocks the locked message.",
        "mqx unlock --lock-id HEX.",
    ),
    "MQGMO_ACCEPT_TRUNCATED_MSG": Note(
        "Takes a message that is longer than the buffer; the rest is lost.",
        "mqx get --max-length N --accept-truncated.",
    ),
    "MQGMO_CONVERT": Note(
        "Converts the data to the character set and encoding asked for.",
        "mqx get --convert 1208.",
    ),
    "MQGMO_LOGICAL_ORDER": Note(
        "Returns groups and segments in their order, one after the other.",
        "mqx get --logical-order.",
    ),
    "MQGMO_COMPLETE_MSG": Note(
        "Returns a segmented message as a whole, and only when all segments are there.",
        "mqx get --complete.",
    ),
    "MQGMO_ALL_MSGS_AVAILABLE": Note(
        "Begins a group only when all its messages are there.",
        "mqx get --all-available.",
    ),
    "MQGMO_ALL_SEGMENTS_AVAILABLE": Note(
        "Begins a segmented message only when all its segments are there.",
        "mqx get --all-available.",
    ),
    "MQGMO_MARK_BROWSE_HANDLE": Note("Marks the browsed message for this handle alone."),
    "MQGMO_MARK_BROWSE_CO_OP": Note(
        "Marks the browsed message for all co-operating browsers, so that each is taken by one.",
        "mqx browse --mark.",
    ),
    "MQGMO_UNMARK_BROWSE_CO_OP": Note("Takes the co-operative mark off the message."),
    "MQGMO_UNMARK_BROWSE_HANDLE": Note("Takes this handle's mark off the message."),
    "MQGMO_UNMARKED_BROWSE_MSG": Note(
        "Skips messages that are marked.",
        "mqx browse --unmarked.",
    ),
    "MQGMO_PROPERTIES_FORCE_MQRFH2": Note("Returns properties in an MQRFH2 header in front of the data, always."),
    "MQGMO_NO_PROPERTIES": Note("Returns the message without its properties, except those in the descriptor."),
    "MQGMO_PROPERTIES_IN_HANDLE": Note("Returns properties through the message handle."),
    "MQGMO_PROPERTIES_COMPATIBILITY": Note(
        "Returns properties as old programs expect: an MQRFH2 if the message had one with JMS folders, else none."
    ),
    "MQGMO_PROPERTIES_AS_Q_DEF": Note("Returns properties as the queue's PROPCTL defines. This is the default."),
    "MQGMO_NONE": Note("All defaults."),
    "MQGMO_BROWSE_HANDLE": Note("Browses the first message that this handle has not marked, and marks it."),
    "MQGMO_BROWSE_CO_OP": Note(
        "Browses the first message that no co-operating browser has marked, and marks it.",
        "mqx browse --mark --unmarked.",
    ),
    # MQMO: match options
    "MQMO_MATCH_MSG_ID": Note(
        "Only a message with this MsgId fits.",
        "--msg-id HEX.",
    ),
    "MQMO_MATCH_CORREL_ID": Note(
        "Only a message with this CorrelId fits.",
        "--correl-id HEX.",
    ),
    "MQMO_MATCH_GROUP_ID": Note(
        "Only a message of this group fits.",
        "--group-id HEX.",
    ),
    "MQMO_MATCH_MSG_SEQ_NUMBER": Note("Only a message with this number in its group fits."),
    "MQMO_MATCH_OFFSET": Note("Only a segment with this offset fits."),
    "MQMO_MATCH_MSG_TOKEN": Note("Only the message with this token fits."),
    "MQMO_NONE": Note("Any message fits."),
}

"""Notes on open options and close options."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

OPEN_OPTION_NOTES: dict[str, Note] = {
    # MQOO: open options
    "MQOO_BIND_AS_Q_DEF": Note("Binding to a cluster queue's instance is as the queue defines. This is the default."),
    "MQOO_READ_AHEAD_AS_Q_DEF": Note("Reading ahead is as the queue defines. This is the default."),
    "MQOO_INPUT_AS_Q_DEF": Note("Opens to get, shared or exclusive as the queue's DEFSOPT defines."),
    "MQOO_INPUT_SHARED": Note("Opens to get, together with others."),
    "MQOO_INPUT_EXCLUSIVE": Note("Opens to get, alone: another open for input fails with MQRC_OBJECT_IN_USE."),
    "MQOO_BROWSE": Note("Opens to browse messages without removing them."),
    "MQOO_OUTPUT": Note("Opens to put."),
    "MQOO_INQUIRE": Note("Opens to ask for attributes."),
    "MQOO_SET": Note("Opens to set attributes."),
    "MQOO_SAVE_ALL_CONTEXT": Note(
        "Keeps the context of each message that the handle gets, so that a put can pass it on."
    ),
    "MQOO_PASS_IDENTITY_CONTEXT": Note("Allows puts that pass identity on."),
    "MQOO_PASS_ALL_CONTEXT": Note("Allows puts that pass identity and origin on."),
    "MQOO_SET_IDENTITY_CONTEXT": Note("Allows puts that set the identity."),
    "MQOO_SET_ALL_CONTEXT": Note("Allows puts that set identity and origin."),
    "MQOO_ALTERNATE_USER_AUTHORITY": Note("The rights of another user are checked."),
    "MQOO_FAIL_IF_QUIESCING": Note("Fails when the queue manager is ending."),
    "MQOO_BIND_ON_OPEN": Note("All messages of this open go to one instance of a cluster queue."),
    "MQOO_BIND_ON_GROUP": Note("All messages of a group go to one instance of a cluster queue."),
    "MQOO_BIND_NOT_FIXED": Note("Each message may go to another instance of a cluster queue."),
    "MQOO_CO_OP": Note(
        "Joins the co-operating browsers of the queue, who see each other's marks.",
        "mqx browse --mark.",
    ),
    "MQOO_NO_READ_AHEAD": Note("Messages are fetched one by one."),
    "MQOO_READ_AHEAD": Note("Messages that are not persistent may be fetched before they are requested."),
    "MQOO_NO_MULTICAST": Note("Multicast is not used."),
    "MQOO_RESOLVE_LOCAL_Q": Note("Returns the name of the local queue behind the name."),
    "MQOO_RESOLVE_LOCAL_TOPIC": Note("Returns the name of the topic behind the name."),
    "MQOO_RESOLVE_NAMES": Note("Returns where a name leads, without opening it for use."),
    # MQCO: close options
    "MQCO_IMMEDIATE": Note("Closes at once. This is the default."),
    "MQCO_NONE": Note("Closes and keeps the object."),
    "MQCO_DELETE": Note("Deletes a permanent dynamic queue if it is empty."),
    "MQCO_DELETE_PURGE": Note("Deletes a permanent dynamic queue with the messages on it."),
    "MQCO_KEEP_SUB": Note("Keeps a durable subscription."),
    "MQCO_REMOVE_SUB": Note("Removes a durable subscription."),
    "MQCO_QUIESCE": Note("Closes once what was read ahead has been taken."),
}

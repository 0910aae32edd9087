"""Events of the journal: when each is written, and the states of the message before and after it."""

from __future__ import annotations

#: Event to when it is written, and to the state of the message before and after it.
EVENTS = {
    "put": (
        "A program has put the message; under syncpoint or a confirm id, when it is committed",
        "none, or `put_unconfirmed`",
        "`unlocked`",
    ),
    "get": (
        "A program has got it; when that is committed",
        "`unlocked`, `locked_for_browse`, or unconfirmed",
        "none",
    ),
    "browse_lock": (
        "It was locked by a browse",
        "`unlocked`",
        "`locked_for_browse`",
    ),
    "unlock": (
        "It was unlocked, its lease or its program ended",
        "`locked_for_browse`",
        "`unlocked`",
    ),
    "expire": (
        "It was found expired",
        "`unlocked`",
        "none",
    ),
    "dead_letter": (
        "It came to the dead-letter queue",
        "as `put`",
        "`unlocked`",
    ),
    "report": (
        "A report came: COA, COD, expiration, exception",
        "as `put`",
        "`unlocked`",
    ),
    "channel_send": (
        "A channel has sent it",
        "as `get`",
        "none",
    ),
    "channel_receive": (
        "A channel has put it",
        "as `put`",
        "`unlocked`",
    ),
    "delete": (
        "It was deleted: also `CLEAR QLOCAL`, `DELETE ... PURGE`, `ACTION(DISCARD)`, nonpersistent at a restart",
        "any",
        "none",
    ),
    "move": (
        "It was moved: one event on each of the two queues",
        "none, or `unlocked`",
        "`unlocked`, or none",
    ),
    "copy": (
        "A copy of a message came",
        "none",
        "`unlocked`",
    ),
    "edit": (
        "It was edited: an event of the version that goes, and one of the version that comes",
        "as it was",
        "as it was",
    ),
    "restore": (
        "It came back from the trash",
        "none",
        "`unlocked`",
    ),
    "replay": (
        "A replay has put it again, on a queue without a journal too",
        "none",
        "`unlocked`",
    ),
    "backout": (
        "What was uncommitted was undone. `mqx trace` shows the event that was undone, as backed out",
        "unconfirmed",
        "as before",
    ),
    "recorded": (
        "The message was there when the journal ceased to keep the data",
        "as it was",
        "as it was",
    ),
}

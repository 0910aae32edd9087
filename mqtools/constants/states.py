"""The five states of a stored message, as MQ Everyplace names them (LIFE-02), and those of a queue manager.

The numbers are what the store keeps and what its partial indexes are written with; the transitions
between the states are in ``mqtools.rules.states``.
"""

#: States of a queue manager.
RUNNING, QUIESCING, ENDED = "running", "quiescing", "ended"

PUT_UNCONFIRMED = 0
UNLOCKED = 1
LOCKED_FOR_BROWSE = 2
GET_UNCONFIRMED = 3
BROWSE_GET_UNCONFIRMED = 4

#: State number to the name used in JSON, SQL and Spark.
STATE_NAMES = (
    "put_unconfirmed",
    "unlocked",
    "locked_for_browse",
    "get_unconfirmed",
    "browse_get_unconfirmed",
)

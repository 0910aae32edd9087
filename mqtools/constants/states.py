"""The states of a stored message (LIFE-02), of its group, and of a queue manager.

Five states of a message are those of MQ Everyplace, the sixth is of messages with a delivery delay. The store keeps their numbers, and its partial indexes are
written with them. The transitions between the states are in ``mqtools.rules.states``.
"""

#: States of a queue manager.
RUNNING, QUIESCING, ENDED = "running", "quiescing", "ended"

PUT_UNCONFIRMED = 0
UNLOCKED = 1
LOCKED_FOR_BROWSE = 2
GET_UNCONFIRMED = 3
BROWSE_GET_UNCONFIRMED = 4
DELAYED = 5

#: State number to the name used in JSON, SQL and Spark.
STATE_NAMES = (
    "put_unconfirmed",
    "unlocked",
    "locked_for_browse",
    "get_unconfirmed",
    "browse_get_unconfirmed",
    "delayed",
)

# Group completeness as one number, so that an index finds complete groups at once.
# Zero is a message by itself: neither in a group nor a segment. Any other value combines the position of the message
# in its group with the level, how much of the group is available:
# completeness = 1 + 3 * position + level.
# The triggers of the schema keep it in the column ``completeness`` (AVAIL-01, AVAIL-16).
ALONE = 0

#: Positions: behind offset 0, at offset 0 of a later message, at the very beginning of the group.
INSIDE, FIRST_SEGMENT, LEADING = 0, 1, 2

#: How much is available: not even the logical message, the logical message, every message of the group.
INCOMPLETE, MESSAGE_COMPLETE, GROUP_COMPLETE = 0, 1, 2

ALL = tuple(range(10))


def completeness(position: int, level: int) -> int:
    """Return the completeness of a position and a level."""
    return 1 + 3 * position + level


def at_arrival(group_id: bytes | None, msg_seq_number: int, offset: int) -> int:
    """Return the completeness of a message that arrives, before anything is known of the others."""
    if group_id is None:
        return ALONE
    if offset:
        return completeness(INSIDE, INCOMPLETE)
    return completeness(LEADING if msg_seq_number == 1 else FIRST_SEGMENT, INCOMPLETE)


def completeness_values(
    positions: tuple[int, ...] = (INSIDE, FIRST_SEGMENT, LEADING), least: int = INCOMPLETE
) -> tuple[int, ...]:
    """Return the values at some positions that are at least so complete, a message by itself included."""
    return (ALONE, *(completeness(position, level) for position in positions for level in range(least, 3)))


def has_position_of(value: int, others: tuple[int, ...]) -> bool:
    """Return whether a completeness has the position of one of others, at any completeness; ALONE fits all."""
    return value == ALONE or any(other and (value - 1) // 3 == (other - 1) // 3 for other in others)


def at_any_completeness(some: tuple[int, ...]) -> tuple[int, ...]:
    """Return the values at the positions of some, at any completeness."""
    return tuple(each for each in ALL if has_position_of(each, some))

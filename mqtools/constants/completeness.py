"""Group completeness as one number (the column ``standing``), so that an index finds whole groups at once.

Zero is a message by itself: neither in a group nor a segment. Any other value combines the position of the message
in its group with how much of the group is available; the triggers of the schema keep it (AVAIL-01, AVAIL-16).
standing = 1 + 3 * position + completeness.
"""

ALONE = 0

#: Positions: behind offset 0, at offset 0 of a later message, at the very beginning of the group.
INSIDE, FIRST_SEGMENT, LEADING = 0, 1, 2

#: How much is available: not even the logical message, the logical message, every message of the group.
INCOMPLETE, MESSAGE_COMPLETE, GROUP_COMPLETE = 0, 1, 2

ALL = tuple(range(10))


def standing(position: int, completeness: int) -> int:
    """Return the standing of a position and a completeness."""
    return 1 + 3 * position + completeness


def at_arrival(group_id: bytes | None, msg_seq_number: int, offset: int) -> int:
    """Return the standing of a message that arrives, before anything is known of the others."""
    if group_id is None:
        return ALONE
    if offset:
        return standing(INSIDE, INCOMPLETE)
    return standing(LEADING if msg_seq_number == 1 else FIRST_SEGMENT, INCOMPLETE)


def standings(
    positions: tuple[int, ...] = (INSIDE, FIRST_SEGMENT, LEADING), least: int = INCOMPLETE
) -> tuple[int, ...]:
    """List the standings at some positions that are at least so complete, a message by itself included."""
    return (ALONE, *(standing(position, complete) for position in positions for complete in range(least, 3)))


def has_place_of(standing: int, others: tuple[int, ...]) -> bool:
    """Return whether a standing has the position of one of others, at any completeness; ALONE fits all."""
    return standing == ALONE or any(other and (standing - 1) // 3 == (other - 1) // 3 for other in others)


def at_any_completeness(some: tuple[int, ...]) -> tuple[int, ...]:
    """Return the standings at the positions of some, at any completeness."""
    return tuple(each for each in ALL if has_place_of(each, some))

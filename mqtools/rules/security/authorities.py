"""Authorities of users and groups on queues, topics and the queue manager, as SET AUTHREC grants them.

For each entity, a user or one of its groups, the record with the most specific profile counts, and only that; a user
has what its entities have together. Absence: a user without a record may do nothing. The owner of the queue manager's
file needs no records; that is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mqtools.constants import administration as a
from mqtools.constants import cmqzc, objects, options
from mqtools.records import OptionRecord
from mqtools.rules.security.profiles import matches_profile, specificity

QUEUE, QMGR, TOPIC = objects.MQOT_Q, objects.MQOT_Q_MGR, objects.MQOT_TOPIC
#: MQSC word of an object type to its number. Other types have no authorities that are checked.
OBJECT_TYPES = {"QUEUE": QUEUE, "QMGR": QMGR, "TOPIC": TOPIC}
PRINCIPAL, GROUP = cmqzc.MQZAET_PRINCIPAL, cmqzc.MQZAET_GROUP

#: MQSC word of an authority to its number.
AUTHORITIES = {
    "ALTUSR": a.MQAUTH_ALT_USER_AUTHORITY,
    "BROWSE": a.MQAUTH_BROWSE,
    "CHG": a.MQAUTH_CHANGE,
    "CLR": a.MQAUTH_CLEAR,
    "CONNECT": a.MQAUTH_CONNECT,
    "CRT": a.MQAUTH_CREATE,
    "DLT": a.MQAUTH_DELETE,
    "DSP": a.MQAUTH_DISPLAY,
    "GET": a.MQAUTH_INPUT,
    "INQ": a.MQAUTH_INQUIRE,
    "PASSALL": a.MQAUTH_PASS_ALL_CONTEXT,
    "PASSID": a.MQAUTH_PASS_IDENTITY_CONTEXT,
    "PUB": a.MQAUTH_PUBLISH,
    "PUT": a.MQAUTH_OUTPUT,
    "RESUME": a.MQAUTH_RESUME,
    "SET": a.MQAUTH_SET,
    "SETALL": a.MQAUTH_SET_ALL_CONTEXT,
    "SETID": a.MQAUTH_SET_IDENTITY_CONTEXT,
    "SUB": a.MQAUTH_SUBSCRIBE,
}
_WORDS = {number: word for word, number in AUTHORITIES.items()}
_ADMINISTRATION = frozenset(("CHG", "CLR", "CRT", "DLT", "DSP"))
#: Object type to the words of its authorities.
OF_TYPE = {
    QUEUE: frozenset(AUTHORITIES) - {"ALTUSR", "CONNECT", "PUB", "RESUME", "SUB"},
    QMGR: frozenset(("ALTUSR", "CHG", "CONNECT", "CRT", "DLT", "DSP", "INQ", "SET", "SETALL", "SETID")),
    TOPIC: frozenset(("CHG", "CRT", "DLT", "DSP", "PUB", "RESUME", "SUB")),
}
#: Words, and their numbers, for several authorities.
ALL, ALL_ADMINISTRATION, ALL_MQI, NONE = "ALL", "ALLADM", "ALLMQI", "NONE"
COLLECTIONS = {
    ALL: a.MQAUTH_ALL,
    ALL_ADMINISTRATION: a.MQAUTH_ALL_ADMIN,
    ALL_MQI: a.MQAUTH_ALL_MQI,
    NONE: a.MQAUTH_NONE,
}

#: Open option to the authority that it needs. An option that is not here needs none.
_OF_OPEN = (
    (options.MQOO_INPUT_AS_Q_DEF | options.MQOO_INPUT_SHARED | options.MQOO_INPUT_EXCLUSIVE, a.MQAUTH_INPUT),
    (options.MQOO_BROWSE, a.MQAUTH_BROWSE),
    (options.MQOO_OUTPUT, a.MQAUTH_OUTPUT),
    (options.MQOO_INQUIRE, a.MQAUTH_INQUIRE),
    (options.MQOO_SET, a.MQAUTH_SET),
    (options.MQOO_PASS_ALL_CONTEXT, a.MQAUTH_PASS_ALL_CONTEXT),
    (options.MQOO_PASS_IDENTITY_CONTEXT, a.MQAUTH_PASS_IDENTITY_CONTEXT),
    (options.MQOO_SET_ALL_CONTEXT, a.MQAUTH_SET_ALL_CONTEXT),
    (options.MQOO_SET_IDENTITY_CONTEXT, a.MQAUTH_SET_IDENTITY_CONTEXT),
)
#: Put option to the authority that a put without an open needs, in addition to PUT.
_OF_PUT = (
    (options.MQPMO_PASS_ALL_CONTEXT, a.MQAUTH_PASS_ALL_CONTEXT),
    (options.MQPMO_PASS_IDENTITY_CONTEXT, a.MQAUTH_PASS_IDENTITY_CONTEXT),
    (options.MQPMO_SET_ALL_CONTEXT, a.MQAUTH_SET_ALL_CONTEXT),
    (options.MQPMO_SET_IDENTITY_CONTEXT, a.MQAUTH_SET_IDENTITY_CONTEXT),
)


class AuthorityRecord(OptionRecord):
    """Authorities of one entity on the objects that a profile names.

    object_type: MQOT_*.  entity_type: PRINCIPAL or GROUP.  authorities: MQAUTH_*.
    """

    profile: str
    object_type: int
    entity_type: int
    entity: str
    authorities: Sequence[int] = ()


def needed_to_open(open_options: int) -> list[int]:
    """Return the authorities that an open with MQOO_* needs."""
    return [number for option, number in _OF_OPEN if open_options & option]


def needed_to_put(put_options: int) -> list[int]:
    """Return the authorities that a put without an open needs, by its MQPMO_*."""
    return [a.MQAUTH_OUTPUT, *(number for option, number in _OF_PUT if put_options & option)]


def authorities_of(
    records: Iterable[AuthorityRecord], user: str, groups: Iterable[str], object_type: int, name: str
) -> frozenset[int]:
    """Return the authorities of a user on an object. groups: of the user.  name: of the object."""
    entities = {(PRINCIPAL, user), *((GROUP, group) for group in groups)}
    best: dict[tuple[int, str], AuthorityRecord] = {}
    for record in records:
        entity = (record.entity_type, record.entity)
        if record.object_type != object_type or entity not in entities:
            continue
        if object_type != QMGR and not matches_profile(record.profile, name):
            continue
        known = best.get(entity)
        if known is None or specificity(record.profile) > specificity(known.profile):
            best[entity] = record
    return frozenset(number for record in best.values() for number in expand(record.authorities, object_type))


def expand(numbers: Iterable[int], object_type: int) -> set[int]:
    """Return the single authorities of numbers, with those for several expanded for the type."""
    own = OF_TYPE.get(object_type, frozenset(AUTHORITIES))
    several = {
        a.MQAUTH_ALL: own,
        a.MQAUTH_ALL_ADMIN: own & _ADMINISTRATION,
        a.MQAUTH_ALL_MQI: own - _ADMINISTRATION,
        a.MQAUTH_NONE: frozenset(),
    }
    found: set[int] = set()
    for number in numbers:
        found |= {AUTHORITIES[word] for word in several[number]} if number in several else {number}
    return found


def words_of(numbers: Iterable[int]) -> list[str]:
    """Return the MQSC words of authorities in alphabetical order; the number of one that has no word here."""
    return sorted(_WORDS.get(number, str(number)) for number in numbers)

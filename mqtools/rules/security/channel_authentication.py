"""Rules of channel authentication: which record applies to the caller of a channel, and what it does.

BLOCKADDR refuses addresses on every channel. Of the maps whose profile, key and address all match, the most specific
one applies: by channel profile, then by type (a certificate before a user or queue manager, these before an address),
then by key, then by address. It refuses the caller or says which user the channel runs under. At the end the most
specific BLOCKUSER record refuses users. Absence: no matching record lets the caller in, as the user of the channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mqtools.constants.cmqcfc import MQCHK_AS_Q_MGR
from mqtools.rules.object_names import matches_name
from mqtools.rules.security import address_patterns, distinguished_names, profiles

BLOCKADDR, BLOCKUSER = "BLOCKADDR", "BLOCKUSER"
ADDRESSMAP, SSLPEERMAP, QMGRMAP, USERMAP = "ADDRESSMAP", "SSLPEERMAP", "QMGRMAP", "USERMAP"

#: Source of the user that a channel runs under: the record, the channel, or none: the caller is refused.
MAP, CHANNEL, NOACCESS = "MAP", "CHANNEL", "NOACCESS"

#: In a user list: the owner of the queue manager's file, who may do everything.
ADMINISTRATORS = "*MQADMIN"

#: Type of a map to its rank, higher before lower, and the field of a record that is its key. Other types are lists.
MAPS = {
    SSLPEERMAP: (3, "ssl_peer_name"),
    QMGRMAP: (2, "q_mgr_name"),
    USERMAP: (2, "client_user"),
    ADDRESSMAP: (1, "address"),
}
#: Type of a list to the field that has its entries.
LISTS = {BLOCKADDR: "addresses", BLOCKUSER: "users"}
_KEYWORDS = {SSLPEERMAP: "SSLPEER", QMGRMAP: "QMNAME", USERMAP: "CLNTUSER", ADDRESSMAP: "ADDRESS"}
KINDS = (ADDRESSMAP, BLOCKADDR, BLOCKUSER, QMGRMAP, SSLPEERMAP, USERMAP)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationRecord:
    """One channel authentication record.

    profile: of channel names, with ``*``.  kind: of KINDS.  address: pattern, empty for any.  ssl_peer_name,
    q_mgr_name, client_user: patterns, each the key of its kind.  addresses, users: of the lists.  user_source: MAP,
    CHANNEL or NOACCESS.  mca_user: for MAP.  warns: whether what would be refused is only noted.
    check_client: MQCHK_* of a map: what a client must prove beyond what CONNAUTH says.
    clients_only: whether a list is for server-connection channels only, as in IBM MQ; no command sets it.
    """

    profile: str
    kind: str
    address: str = ""
    ssl_peer_name: str = ""
    q_mgr_name: str = ""
    client_user: str = ""
    addresses: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    user_source: str = MAP
    mca_user: str = ""
    check_client: int = MQCHK_AS_Q_MGR
    warns: bool = False
    clients_only: bool = False
    description: str = ""
    alteration_date: str = ""
    alteration_time: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Identity of a record: type, profile, the key of its type, and the address."""
        key = "" if self.kind in LISTS else getattr(self, MAPS[self.kind][1])
        return self.kind, self.profile, key, self.address

    def __str__(self) -> str:
        """Return what identifies the record, in the words of MQSC."""
        kind, profile, key, address = self.key
        words = [f"CHLAUTH({profile})", f"TYPE({kind})", *([f"{_KEYWORDS[kind]}({key})"] if key else [])]
        return " ".join([*words, *([f"ADDRESS({address})"] if address and kind != ADDRESSMAP else [])])


#: Records of a new queue manager: those of IBM MQ.
INITIAL_RECORDS = (
    AuthenticationRecord(
        profile="*", kind=BLOCKUSER, users=(ADMINISTRATORS,), clients_only=True,
        description="Default rule to disallow privileged users",
    ),
    AuthenticationRecord(
        profile="SYSTEM.ADMIN.SVRCONN", kind=ADDRESSMAP, address="*", user_source=CHANNEL,
        description="Default rule to allow MQ Explorer access",
    ),
    AuthenticationRecord(
        profile="SYSTEM.*", kind=ADDRESSMAP, address="*", user_source=NOACCESS,
        description="Default rule to disable all SYSTEM channels",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Known facts about the caller of a channel.

    address: IP address, empty for a caller on this machine.  subject: of its verified certificate, empty without one.
    q_mgr_name: of the queue manager that it says it is.  user: that the kernel names, empty over TCP.
    """

    channel: str
    address: str = ""
    subject: Mapping[str, Sequence[str]] = field(default_factory=dict)
    q_mgr_name: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Result for a caller. user: that the channel runs under, empty for the owner of the file.

    record: that decided, None where none matched.  is_refused: whether the caller is not let in.
    warnings: records that would have refused it but for WARN(YES).
    """

    user: str
    record: AuthenticationRecord | None = None
    is_refused: bool = False
    warnings: tuple[AuthenticationRecord, ...] = ()


def decide(
    records: Iterable[AuthenticationRecord], caller: Caller, channel_user: str, owner: str, *, is_client: bool = False
) -> Decision:
    """Decide on a caller.

    channel_user: that the channel runs under without a map; empty for the owner, or for no user of a client.
    owner: of the queue manager's file.
    """
    records = list(records)
    warnings: list[AuthenticationRecord] = []
    mapped = find_map(records, caller)
    user = mapped.mca_user if mapped is not None and mapped.user_source == MAP else channel_user
    refusing = (
        find_blocked_address(records, caller.address),
        mapped if mapped is not None and mapped.user_source == NOACCESS else None,
        _find_blocked_user(
            [record for record in records if is_client or not record.clients_only],
            caller,
            user if is_client else user or owner,
            owner,
        ),
    )
    for record in refusing:
        if record is not None and not record.warns:
            return Decision(user=user, record=record, is_refused=True, warnings=tuple(warnings))
        if record is not None:
            warnings.append(record)
    return Decision(user=user, record=mapped, warnings=tuple(warnings))


def find_map(records: Iterable[AuthenticationRecord], caller: Caller) -> AuthenticationRecord | None:
    """Return the map that applies to a caller: the most specific of those that match."""
    matching = [record for record in records if record.kind in MAPS and _matches(record, caller)]
    return max(matching, key=_specificity, default=None)


def _matches(record: AuthenticationRecord, caller: Caller) -> bool:
    return (
        matches_name(record.profile, caller.channel)
        and _matches_key(record, caller)
        and (not record.address or address_patterns.matches_address(record.address, caller.address))
    )


def _matches_key(record: AuthenticationRecord, caller: Caller) -> bool:
    if record.kind == SSLPEERMAP:
        return bool(caller.subject) and distinguished_names.matches(record.ssl_peer_name, caller.subject)
    if record.kind == QMGRMAP:
        return bool(caller.q_mgr_name) and matches_name(record.q_mgr_name, caller.q_mgr_name)
    if record.kind == USERMAP:
        return bool(caller.user) and matches_name(record.client_user, caller.user)
    return True


def _specificity(record: AuthenticationRecord) -> tuple[object, ...]:
    rank, key = MAPS[record.kind]
    value = getattr(record, key)
    by_key: tuple[object, ...] = ()
    if record.kind == SSLPEERMAP:
        by_key = distinguished_names.specificity(value)
    elif record.kind != ADDRESSMAP:
        # A queue manager and a user are equal in rank; the queue manager is known for every caller, the user is not.
        by_key = (record.kind == USERMAP, profiles.specificity(value))
    return profiles.specificity(record.profile), rank, by_key, address_patterns.specificity(record.address)


def find_blocked_address(records: Iterable[AuthenticationRecord], address: str) -> AuthenticationRecord | None:
    """Return the record that blocks an address on every channel."""
    lists = [record for record in records if record.kind == BLOCKADDR] if address else []
    matches = address_patterns.matches_address
    return next((each for each in lists if any(matches(pattern, address) for pattern in each.addresses)), None)


def _find_blocked_user(
    records: Iterable[AuthenticationRecord], caller: Caller, user: str, owner: str
) -> AuthenticationRecord | None:
    """Return the record that blocks a user: only the most specific one for the channel counts."""
    lists = [record for record in records if record.kind == BLOCKUSER and matches_name(record.profile, caller.channel)]
    record = max(lists, key=lambda each: profiles.specificity(each.profile), default=None)
    if record is None:
        return None
    is_listed = any(matches_name(pattern, user) for pattern in record.users if pattern != ADMINISTRATORS)
    return record if is_listed or (is_owner(user, owner) and ADMINISTRATORS in record.users) else None


def is_owner(user: str, owner: str) -> bool:
    """Return whether a user is the owner of the file, by its name or by the 12 characters of it in a descriptor."""
    return user in (owner, owner[:12])

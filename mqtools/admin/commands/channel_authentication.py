"""Commands on channel authentication records: set and display."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mqtools.admin import channel_authentication as administration
from mqtools.admin import channels
from mqtools.admin.commands.queues import Row
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.channels import MQCHT_SVRCONN
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.status import CHLAUTH_CHECKS, CHLAUTH_TYPES, USER_SOURCES
from mqtools.rules.attributes.table import TEXT, WORD
from mqtools.rules.commands.command import (
    PROFILE,
    TEXTS,
    AdminCommand,
    CommandParameter,
    NothingFound,
    ParameterError,
    name,
)
from mqtools.rules.object_names import matches_name
from mqtools.rules.security import address_patterns, distinguished_names
from mqtools.rules.security import channel_authentication as rules
from mqtools.rules.security.channel_authentication import AuthenticationRecord, Caller
from mqtools.store.database import Database

_ACTIONS: dict[str, int] = {
    administration.ADD: c.MQACT_ADD,
    administration.REPLACE: c.MQACT_REPLACE,
    administration.REMOVE: c.MQACT_REMOVE,
    administration.REMOVE_ALL: c.MQACT_REMOVEALL,
}
_GENERIC, _ALL, _EXACT, _RUNCHECK = "GENERIC", "ALL", "EXACT", "RUNCHECK"
_MATCHES: dict[str, int] = {
    _GENERIC: c.MQMATCH_GENERIC,
    _ALL: c.MQMATCH_ALL,
    _EXACT: c.MQMATCH_EXACT,
    _RUNCHECK: c.MQMATCH_RUNCHECK,
}
#: Type to the fields of its records, in addition to those of every type; the first identifies a record, or has the
#: entries of a list.
_FIELDS = {
    rules.BLOCKADDR: ("addresses",),
    rules.BLOCKUSER: ("users",),
    rules.ADDRESSMAP: ("address", "user_source", "mca_user", "check_client"),
    rules.SSLPEERMAP: ("ssl_peer_name", "address", "user_source", "mca_user", "check_client"),
    rules.QMGRMAP: ("q_mgr_name", "address", "user_source", "mca_user"),
    rules.USERMAP: ("client_user", "address", "user_source", "mca_user", "check_client"),
}
#: Field to what parses a pattern of it. Raises ValueError.
_PATTERNS: dict[str, Callable[[str], object]] = {
    "addresses": address_patterns.parse_pattern,
    "address": address_patterns.parse_pattern,
    "ssl_peer_name": distinguished_names.parse_pattern,
}
#: Attributes that every record has; another one is shown where it has a value.
_COMMON = frozenset(("profile", "kind", "description", "warns", "alteration_date", "alteration_time"))


def set_record(work: Work, name: str, kind: str, action: str, **fields: Any) -> None:
    """Add, replace or remove a record, or entries of a list. Raises MQError as ``administration.set_record``."""
    given = {"name": name, "kind": kind, "action": action, **fields}
    for text in _mistakes(given):
        raise ParameterError(text, c.MQRCCF_PARM_SYNTAX_ERROR, "kind")
    own = {field: _clean(fields[field]) for field in (*_FIELDS[kind], "description") if fields[field] is not None}
    record = AuthenticationRecord(profile=name, kind=kind, warns=bool(fields["warns"]), **own)
    administration.set_record(work, action, record)


def _clean(value: Any) -> Any:
    if isinstance(value, int):
        return value
    return value.strip(" ") if isinstance(value, str) else _entries(value)


def _entries(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the entries of a list: several values, each one entry or several with commas."""
    return tuple(entry.strip() for value in values or () for entry in value.split(",") if entry.strip())


def _mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a record: what its type does not have, or needs."""
    kind, action = arguments["kind"], arguments["action"]
    own, keyword = _FIELDS[kind], _KEYWORDS[_FIELDS[kind][0]]
    fields = {field: _clean(value) for field, value in arguments.items() if field in _KEYWORDS and value}
    yield from (f"{_KEYWORDS[field]} is not a parameter of SET" for field in fields if field not in own)
    if not fields.get(own[0]) and action != administration.REMOVE_ALL:
        yield f"TYPE({kind}) needs {keyword}"
    if kind not in rules.LISTS and action in (administration.ADD, administration.REPLACE):
        source = fields.get("user_source", rules.MAP)
        if source == rules.MAP and not fields.get("mca_user"):
            yield "USERSRC(MAP), the default, needs MCAUSER"
        if source != rules.MAP and fields.get("mca_user"):
            yield f"MCAUSER cannot be combined with USERSRC({source})"
        if source == rules.NOACCESS and fields.get("check_client", c.MQCHK_AS_Q_MGR) != c.MQCHK_AS_Q_MGR:
            yield "CHCKCLNT cannot be combined with USERSRC(NOACCESS)"
    if kind == rules.BLOCKADDR and arguments["name"] != "*":
        yield "a record of TYPE(BLOCKADDR) is for all channels: SET CHLAUTH('*')"
    yield from _wrong_texts({field: value for field, value in fields.items() if field in own})


def _wrong_texts(fields: Mapping[str, Any]) -> Iterator[str]:
    for field, parse in _PATTERNS.items():
        given = fields.get(field) or ()
        for value in (given,) if isinstance(given, str) else given:
            try:
                parse(value)
            except ValueError as error:
                yield f"{_KEYWORDS[field]}: {error}"


def show(db: Database, name: str, kind: str | None, match: str | None, **caller: str | None) -> Iterator[Row]:
    """Yield the records of a type by their profile, or the one that decides on a caller."""
    if match == _RUNCHECK:
        yield "CHLAUTH", _values(_deciding(db, _caller(name, caller)))
        return
    for record in administration.records(db):
        if kind in (None, "", record.kind) and _is_wanted(name, match, record.profile):
            yield "CHLAUTH", _values(record)


def _is_wanted(wanted: str, match: str | None, profile: str) -> bool:
    """Return whether to show a record: its profile is the wanted one, fits it, or is for what it names."""
    if match == _EXACT:
        return wanted == profile
    return matches_name(wanted, profile) or (match == _ALL and matches_name(profile, wanted))


def _caller(channel: str, given: Mapping[str, str | None]) -> Caller:
    texts = {field: (text or "").strip(" ") for field, text in given.items()}
    peer = texts["ssl_peer_name"]
    return Caller(
        channel=channel,
        address=texts["address"],
        subject=distinguished_names.parse_subject(peer) if peer else {},
        q_mgr_name=texts["q_mgr_name"],
        user=texts["client_user"],
    )


def _caller_mistakes(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the caller that MATCH(RUNCHECK) is about; nothing of it may be a pattern."""
    if arguments["match"] != _RUNCHECK:
        given = [row.keyword for row in _TEXTS[:4] if arguments[row.name] is not None]
        yield from (f"{keyword} takes no value here; filter by it with WHERE" for keyword in given)
        return
    texts = {field: (arguments[field] or "").strip(" ") for field in _CALLER}
    if "*" in arguments["name"] + texts["q_mgr_name"] + texts["client_user"] + texts["ssl_peer_name"]:
        yield "MATCH(RUNCHECK) is about one caller: names cannot be generic"
    if not address_patterns.is_address(texts["address"]):
        yield "MATCH(RUNCHECK) needs ADDRESS, an IP address"
    if not texts["q_mgr_name"] and not texts["client_user"]:
        yield "MATCH(RUNCHECK) needs QMNAME or CLNTUSER"
    yield from _wrong_texts({"ssl_peer_name": texts["ssl_peer_name"]})


def _deciding(db: Database, caller: Caller) -> AuthenticationRecord:
    """Return the record that decides on a caller. Raises NothingFound with what happens to the caller then."""
    channel = channels.definition(db, caller.channel) or {}
    is_client = channel.get("channel_type") == MQCHT_SVRCONN
    channel_user = channel.get("mca_user_identifier", "") or (caller.user if is_client else "")
    decision = administration.decide_on(db, caller, channel_user, is_client=is_client)
    if decision.record is None:
        runs_under = f"MCAUSER({decision.user})" if decision.user else "the owner of the queue manager's file"
        raise NothingFound(f"no record applies: the caller is let in, the channel runs under {runs_under}")
    return decision.record


def _values(record: AuthenticationRecord) -> dict[str, Any]:
    """Return the attributes that a record has."""
    values = {**asdict(record), "warns": int(record.warns)}
    shown = {field: value for field, value in values.items() if field in _COMMON or value}
    for field in ("user_source", "check_client"):
        if field not in _FIELDS[record.kind]:
            del shown[field]
    return shown


_TEXTS = (
    CommandParameter("ADDRESS", "address", c.MQCACH_CONNECTION_NAME, TEXT, maximum=264),
    CommandParameter("SSLPEER", "ssl_peer_name", c.MQCACH_SSL_PEER_NAME, TEXT, maximum=1024),
    CommandParameter("QMNAME", "q_mgr_name", o.MQCA_REMOTE_Q_MGR_NAME, TEXT, maximum=48),
    CommandParameter("CLNTUSER", "client_user", c.MQCACH_CLIENT_USER_ID, TEXT, maximum=64),
    CommandParameter("MCAUSER", "mca_user", c.MQCACH_MCA_USER_ID, TEXT, maximum=64),
    CommandParameter("DESCR", "description", cmqc.MQCA_CHLAUTH_DESC, TEXT, maximum=64),
)
_CALLER = tuple(row.name for row in _TEXTS[:4])
_LISTS = (
    CommandParameter("ADDRLIST", "addresses", c.MQCACH_CONNECTION_NAME_LIST, TEXTS, maximum=264),
    CommandParameter("USERLIST", "users", c.MQCACH_MCA_USER_ID_LIST, TEXTS, maximum=1024),
)
_USER_SOURCE = CommandParameter(
    "USERSRC", "user_source", c.MQIACH_USER_SOURCE, WORD, words=tuple((word, word) for word in USER_SOURCES),
    numbers=USER_SOURCES, reason=c.MQRCCF_CHLAUTH_USERSRC_ERROR,
)  # fmt: skip
_CHECK = CommandParameter("CHCKCLNT", "check_client", cmqc.MQIA_CHECK_CLIENT_BINDING, WORD, words=CHLAUTH_CHECKS,
                          reason=c.MQRCCF_CHLAUTH_CHKCLI_ERROR)  # fmt: skip
#: Field of a record to its keyword.
_KEYWORDS = {row.name: row.keyword for row in (*_TEXTS[:5], *_LISTS, _USER_SOURCE, _CHECK)}
_NAME = name(c.MQCACH_CHANNEL_NAME, PROFILE, 20)


def _kind(*, required: bool, words: tuple[tuple[str, str], ...] = ()) -> CommandParameter:
    return CommandParameter(
        "TYPE", "kind", c.MQIACF_CHLAUTH_TYPE, WORD, words=(*((kind, kind) for kind in rules.KINDS), *words),
        required=required, numbers={**CHLAUTH_TYPES, **({} if required else {"": c.MQCAUT_ALL})},
        reason=c.MQRCCF_CHLAUTH_TYPE_ERROR, missing=c.MQRCCF_CHLAUTH_TYPE_ERROR if required else 0,
    )  # fmt: skip


COMMANDS = (
    AdminCommand(
        verb="SET", object_types=("CHLAUTH",), number=c.MQCMD_SET_CHLAUTH_REC, do=set_record,
        parameters=(
            _NAME, _kind(required=True),
            CommandParameter("ACTION", "action", c.MQIACF_ACTION, WORD, words=tuple((word, word) for word in _ACTIONS),
                      numbers=_ACTIONS, reason=c.MQRCCF_CHLAUTH_ACTION_ERROR, default=administration.ADD),
            *_TEXTS, *_LISTS, _USER_SOURCE, _CHECK,
            CommandParameter("WARN", "warns", c.MQIACH_WARNING, WORD, words=(("NO", 0), ("YES", 1)),
                             reason=c.MQRCCF_CHLAUTH_WARN_ERROR),
        ),
        check=_mistakes, done="AMQ8877I", owner_in=("mqsc", "pcf"),
        reasons={MQRC_OBJECT_ALREADY_EXISTS: c.MQRCCF_CHLAUTH_ALREADY_EXISTS,
                 MQRC_UNKNOWN_OBJECT_NAME: c.MQRCCF_CHLAUTH_NOT_FOUND},
    ),
    AdminCommand(
        verb="DISPLAY", object_types=("CHLAUTH",), number=c.MQCMD_INQUIRE_CHLAUTH_RECS, do=show, shows=True,
        parameters=(
            _NAME, _kind(required=False, words=(("ALL", ""),)),
            CommandParameter("MATCH", "match", c.MQIACH_MATCH, WORD, words=tuple((word, word) for word in _MATCHES),
                      numbers=_MATCHES, reason=c.MQRCCF_WRONG_CHLAUTH_MATCH),
            *_TEXTS[:4],
        ),
        asked=c.MQIACF_CHLAUTH_ATTRS, check=_caller_mistakes, done="AMQ8878I", missing="AMQ8884E",
        missing_pcf=c.MQRCCF_CHLAUTH_NOT_FOUND,
        always=("profile", "kind", "address", "ssl_peer_name", "q_mgr_name", "client_user", "user_source"),
    ),
)  # fmt: skip

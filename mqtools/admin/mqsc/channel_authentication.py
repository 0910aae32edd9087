"""MQSC commands on channel authentication records: SET CHLAUTH and DISPLAY CHLAUTH."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from mqtools.admin import channel_authentication as administration
from mqtools.admin import channels
from mqtools.admin.mqsc.parameters import MqscParameters, WhereFilter
from mqtools.admin.mqsc.report import Response, display_object
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.formats.mqsc.output import message
from mqtools.formats.mqsc.script import matches_name
from mqtools.mqi.connection import Connection
from mqtools.rules.attributes.table import TEXT, WORD, Attribute
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.security import address_patterns, distinguished_names
from mqtools.rules.security import channel_authentication as rules
from mqtools.rules.security.channel_authentication import AuthenticationRecord, Caller

if TYPE_CHECKING:
    from mqtools.admin.mqsc.objects import Action

_C = ("CHLAUTH",)
_KINDS = {kind: kind for kind in rules.KINDS}
_SOURCES = {source: source for source in (rules.CHANNEL, rules.MAP, rules.NOACCESS)}
_ACTIONS = {
    action: action
    for action in (administration.ADD, administration.REPLACE, administration.REMOVE, administration.REMOVE_ALL)
}
_GENERIC, _ALL, _EXACT, _RUNCHECK = "GENERIC", "ALL", "EXACT", "RUNCHECK"
_MATCHES = {match: match for match in (_GENERIC, _ALL, _EXACT, _RUNCHECK)}
#: Type to the parameters that it takes beside those of every type.
_PARAMETERS = {
    rules.BLOCKADDR: ("ADDRLIST",),
    rules.BLOCKUSER: ("USERLIST",),
    rules.ADDRESSMAP: ("ADDRESS", "USERSRC", "MCAUSER"),
    rules.SSLPEERMAP: ("SSLPEER", "ADDRESS", "USERSRC", "MCAUSER"),
    rules.QMGRMAP: ("QMNAME", "ADDRESS", "USERSRC", "MCAUSER"),
    rules.USERMAP: ("CLNTUSER", "ADDRESS", "USERSRC", "MCAUSER"),
}
#: Type to the parameter that identifies a record, or has the entries of a list.
_KEYS = {kind: names[0] for kind, names in _PARAMETERS.items()}
#: Parameter with text to the field of a record.
_TEXTS = {
    "ADDRESS": "address",
    "SSLPEER": "ssl_peer_name",
    "QMNAME": "q_mgr_name",
    "CLNTUSER": "client_user",
    "MCAUSER": "mca_user",
}
_LONGEST = {"ADDRESS": 264, "SSLPEER": 1024, "QMNAME": 48, "CLNTUSER": 64, "MCAUSER": 64, "DESCR": 64}
_CHANNEL_LENGTH = 20

#: One row an attribute, as in the attribute tables.
RECORD: tuple[Attribute, ...] = (
    Attribute("CHLAUTH", "profile", None, TEXT, _C),
    Attribute("TYPE", "kind", None, TEXT, _C),
    Attribute("DESCR", "description", None, TEXT, _C),
    Attribute("ADDRLIST", "addresses", None, TEXT, _C),
    Attribute("ADDRESS", "address", None, TEXT, _C),
    Attribute("SSLPEER", "ssl_peer_name", None, TEXT, _C),
    Attribute("QMNAME", "q_mgr_name", None, TEXT, _C),
    Attribute("CLNTUSER", "client_user", None, TEXT, _C),
    Attribute("USERLIST", "users", None, TEXT, _C),
    Attribute("USERSRC", "user_source", None, TEXT, _C),
    Attribute("MCAUSER", "mca_user", None, TEXT, _C),
    Attribute("WARN", "warns", None, WORD, _C, words=(("NO", 0), ("YES", 1))),
    Attribute("ALTDATE", "alteration_date", None, TEXT, _C),
    Attribute("ALTTIME", "alteration_time", None, TEXT, _C),
)
_ALWAYS = frozenset(("profile", "kind", "address", "ssl_peer_name", "q_mgr_name", "client_user", "user_source"))
#: Attributes that every record has; another one is shown where it has a value.
_COMMON = frozenset(("profile", "kind", "description", "warns", "alteration_date", "alteration_time"))


def set_chlauth(parameters: MqscParameters) -> Action:
    """Parse SET CHLAUTH: TYPE, ACTION, and the parameters of the type."""
    profile = _profile(parameters)
    kind = parameters.word(_KINDS, "TYPE")
    if kind is None and not parameters.mistakes:
        parameters.mistake(f"SET CHLAUTH needs TYPE: {' '.join(_KINDS)}")
    action = parameters.word(_ACTIONS, "ACTION") or administration.ADD
    fields: dict[str, object] = {"description": _text(parameters, "DESCR") or ""}
    fields["warns"] = parameters.word({"NO": "NO", "YES": "YES"}, "WARN") == "YES"
    if kind is not None:
        _take_own(parameters, kind, action, fields)
        if kind == rules.BLOCKADDR and profile != "*":
            parameters.mistake("a record of TYPE(BLOCKADDR) is for all channels: SET CHLAUTH('*')")
    parameters.finish()
    if parameters.mistakes or kind is None:
        return lambda _connection: Response([])  # a command with mistakes is not run
    return partial(_set, action, AuthenticationRecord(profile=profile, kind=kind, **fields))  # type: ignore[arg-type]


def _profile(parameters: MqscParameters) -> str:
    name = (parameters.command.name or "").rstrip(" ")
    if not is_valid_name(name.replace("*", "") or "A") or not 0 < len(name) <= _CHANNEL_LENGTH:
        verb = parameters.command.verb
        parameters.mistake(f"{verb} CHLAUTH needs a channel name of at most {_CHANNEL_LENGTH} characters, or a pattern")
    return name


def _text(parameters: MqscParameters, keyword: str) -> str | None:
    value = parameters.value(keyword)
    if value is not None and len(value) > _LONGEST[keyword]:
        parameters.mistake(f"{keyword} must be at most {_LONGEST[keyword]} characters long")
    return None if value is None else value.strip(" ")


def _take_own(parameters: MqscParameters, kind: str, action: str, fields: dict[str, object]) -> None:
    """Consume the parameters of a type, and check that they are complete."""
    own = _PARAMETERS[kind]
    if kind in rules.LISTS:
        entries = _take_list(parameters, own[0])
        fields[rules.LISTS[kind]] = entries
        if not entries and action != administration.REMOVE_ALL:
            parameters.mistake(f"TYPE({kind}) needs {own[0]}")
        return
    fields.update({_TEXTS[keyword]: _text(parameters, keyword) or "" for keyword in own if keyword in _TEXTS})
    fields["user_source"] = parameters.word(_SOURCES, "USERSRC") or rules.MAP
    if not fields[_TEXTS[_KEYS[kind]]] and action != administration.REMOVE_ALL:
        parameters.mistake(f"TYPE({kind}) needs {_KEYS[kind]}")
    if action in (administration.ADD, administration.REPLACE):
        _check_user(parameters, fields)
    _check_patterns(parameters, fields)


def _take_list(parameters: MqscParameters, keyword: str) -> tuple[str, ...]:
    """Consume a list: several values, each one entry or several with commas."""
    param = parameters.take(keyword)
    values = () if param is None else param.values or ()
    entries = tuple(entry.strip() for value in values for entry in value.split(",") if entry.strip())
    if keyword == "ADDRLIST":
        for entry in entries:
            _checked(parameters, keyword, address_patterns.parse_pattern, entry)
    return entries


def _check_user(parameters: MqscParameters, fields: dict[str, object]) -> None:
    is_mapped = fields["user_source"] == rules.MAP
    if is_mapped and not fields["mca_user"]:
        parameters.mistake("USERSRC(MAP), the default, needs MCAUSER")
    if not is_mapped and fields["mca_user"]:
        parameters.mistake(f"MCAUSER cannot be combined with USERSRC({fields['user_source']})")


def _check_patterns(parameters: MqscParameters, fields: dict[str, object]) -> None:
    if fields.get("address"):
        _checked(parameters, "ADDRESS", address_patterns.parse_pattern, str(fields["address"]))
    if fields.get("ssl_peer_name"):
        _checked(parameters, "SSLPEER", distinguished_names.parse_pattern, str(fields["ssl_peer_name"]))


def _checked(parameters: MqscParameters, keyword: str, parse: Callable[[str], object], value: str) -> None:
    try:
        parse(value)
    except ValueError as error:
        parameters.mistake(f"{keyword}: {error}")


def _set(action: str, record: AuthenticationRecord, connection: Connection) -> Response:
    with connection.work() as work:
        administration.set_record(work, action, record)
    return Response([message("AMQ8877I")])


def display_chlauth(parameters: MqscParameters) -> Action:
    """Parse DISPLAY CHLAUTH: TYPE, MATCH, WHERE, and the caller of MATCH(RUNCHECK)."""
    profile = _profile(parameters)
    kind = parameters.word({**_KINDS, "ALL": "ALL"}, "TYPE")
    match = parameters.word(_MATCHES, "MATCH") or _GENERIC
    caller = _caller(parameters, profile) if match == _RUNCHECK else None
    where = parameters.filter(RECORD, "CHLAUTH")
    names = parameters.requested_attributes(RECORD, "CHLAUTH")
    names = (names | _ALWAYS | ({where.attribute.name} if where else set())) if names else None
    if caller is not None:
        return partial(_check_caller, caller, names)
    return partial(_display, profile, None if kind == "ALL" else kind, match, where, names)


def _caller(parameters: MqscParameters, channel: str) -> Caller:
    """Consume the caller that MATCH(RUNCHECK) is about; nothing of it may be a pattern."""
    address, q_mgr_name, user = (_text(parameters, keyword) or "" for keyword in ("ADDRESS", "QMNAME", "CLNTUSER"))
    name = _text(parameters, "SSLPEER")
    if "*" in channel + q_mgr_name + user + (name or ""):
        parameters.mistake("MATCH(RUNCHECK) is about one caller: names cannot be generic")
    if not address_patterns.is_address(address):
        parameters.mistake("MATCH(RUNCHECK) needs ADDRESS, an IP address")
    if not q_mgr_name and not user:
        parameters.mistake("MATCH(RUNCHECK) needs QMNAME or CLNTUSER")
    if name is not None:
        _checked(parameters, "SSLPEER", distinguished_names.parse_pattern, name)
    subject = distinguished_names.parse_subject(name) if name and not parameters.mistakes else {}
    return Caller(channel=channel, address=address, subject=subject, q_mgr_name=q_mgr_name, user=user)


def _check_caller(caller: Caller, names: frozenset[str] | None, connection: Connection) -> Response:
    """Show the record that decides on a caller."""
    with connection.db.reading():
        try:
            channel_user = channels.find_channel(connection.db, caller.channel).get("mca_user_identifier", "")
        except MQError:
            channel_user = ""
        decision = administration.decide_on(connection.db, caller, channel_user)
    if decision.record is None:
        runs_under = f"MCAUSER({decision.user})" if decision.user else "the owner of the queue manager's file"
        words = f"mqx: no record applies: the caller is let in, the channel runs under {runs_under}"
        return Response([message("AMQ8884E"), words], reason=MQRC_UNKNOWN_OBJECT_NAME)
    return Response([], [display_object("AMQ8878I", *_rows(decision.record, names), _values(decision.record))])


def _display(
    profile: str,
    kind: str | None,
    match: str,
    where: WhereFilter | None,
    names: frozenset[str] | None,
    connection: Connection,
) -> Response:
    with connection.db.reading():
        found = [
            display_object("AMQ8878I", *_rows(record, names), _values(record))
            for record in administration.records(connection.db)
            if kind in (None, record.kind)
            and _is_wanted(profile, match, record.profile)
            and (where is None or where.passes(_values(record)))
        ]
    if not found:
        return Response([message("AMQ8884E")], reason=MQRC_UNKNOWN_OBJECT_NAME)
    return Response([], found)


def _is_wanted(wanted: str, match: str, profile: str) -> bool:
    """Return whether a record is to be shown: its profile is the wanted one, fits it, or is for what it names."""
    if match == _EXACT:
        return wanted == profile
    return matches_name(wanted, profile) or (match == _ALL and matches_name(profile, wanted))


def _rows(record: AuthenticationRecord, names: frozenset[str] | None) -> tuple[tuple[Attribute, ...], frozenset[str]]:
    """Return the attributes to show of a record: those of its type, and of them the named ones."""
    own = _COMMON | {name for name, value in _values(record).items() if value}
    if record.kind in rules.LISTS:
        own -= {"user_source"}
    return RECORD, own if names is None else own & names


def _values(record: AuthenticationRecord) -> dict[str, object]:
    values = asdict(record)
    values.update({name: ",".join(values[name]) for name in rules.LISTS.values()}, warns=int(record.warns))
    return values

"""MQSC commands that recreate the channel authentication records and authority records of a queue manager."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mqtools.admin import channel_authentication
from mqtools.constants.cmqcfc import MQCHK_AS_Q_MGR
from mqtools.mqi import authority
from mqtools.rules.attributes.status import CHLAUTH_CHECKS
from mqtools.rules.security import authorities as authority_rules
from mqtools.rules.security import channel_authentication as rules
from mqtools.rules.security.authorities import GROUP, PRINCIPAL, QMGR, AuthorityRecord
from mqtools.rules.security.channel_authentication import AuthenticationRecord
from mqtools.store.database import Database

_TYPES = {number: word for word, number in authority_rules.OBJECT_TYPES.items()}
_CHECKS = {number: word for word, number in CHLAUTH_CHECKS}
_ENTITIES = {PRINCIPAL: "PRINCIPAL", GROUP: "GROUP"}


def access_commands(db: Database) -> Iterator[tuple[str, list[str]]]:
    """Yield the beginning of each command with its parameters. Run twice they change nothing.

    What every new queue manager has is left out.
    """
    for record in channel_authentication.records(db):
        if replace(record, alteration_date="", alteration_time="") in rules.INITIAL_RECORDS:
            continue
        yield f"SET CHLAUTH({_quote(record.profile)}) TYPE({record.kind})", _authentication(record)
    for authorities in authority.records(db):
        if authorities.object_type in _TYPES and authorities.entity_type in _ENTITIES:
            yield "SET AUTHREC", _authority(authorities)


def _authentication(record: AuthenticationRecord) -> list[str]:
    words = ["ACTION(REPLACE)"]
    if record.kind == rules.BLOCKADDR:
        words.append(f"ADDRLIST({_quote_all(record.addresses)})")
    elif record.kind == rules.BLOCKUSER:
        words.append(f"USERLIST({_quote_all(record.users)})")
    else:
        words.append(f"USERSRC({record.user_source})")
    if record.check_client != MQCHK_AS_Q_MGR:
        words.append(f"CHCKCLNT({_CHECKS[record.check_client]})")
    texts = {
        "ADDRESS": record.address,
        "SSLPEER": record.ssl_peer_name,
        "QMNAME": record.q_mgr_name,
        "CLNTUSER": record.client_user,
        "MCAUSER": record.mca_user,
        "DESCR": record.description,
    }
    words += [f"{keyword}({_quote(text)})" for keyword, text in texts.items() if text]
    return [*words, "WARN(YES)"] if record.warns else words


def _authority(record: AuthorityRecord) -> list[str]:
    words = authority_rules.words_of(record.authorities) or [authority_rules.NONE]
    profile = [] if record.object_type == QMGR else [f"PROFILE({_quote(record.profile)})"]
    return [
        *profile,
        f"OBJTYPE({_TYPES[record.object_type]})",
        f"{_ENTITIES[record.entity_type]}({_quote(record.entity)})",
        f"AUTHADD({','.join(words)})",
    ]


def _quote_all(values: tuple[str, ...]) -> str:
    return ",".join(map(_quote, values))


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"

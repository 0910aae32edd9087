"""Authentication of connections: the settings of the AUTHINFO that CONNAUTH names, which count from a refresh on."""

from __future__ import annotations

from dataclasses import asdict

from mqtools.admin import kept_definitions
from mqtools.constants import cmqc
from mqtools.constants.cmqcfc import MQCHK_NONE
from mqtools.constants.objects import DEFAULT_AUTH_INFO
from mqtools.constants.reasons import MQRC_SECURITY_ERROR
from mqtools.errors import MQError
from mqtools.mqi.transaction import Work
from mqtools.rules.security.admission import ConnectionAuthentication
from mqtools.store import objects, queues
from mqtools.store.database import Database

_KIND = "connection_authentication"
#: Field of the settings to the attribute of an AUTHINFO.
_FIELDS = {
    "check_client": "check_client_binding",
    "fail_delay_s": "failure_delay",
    "adopts_context": "adopt_context",
}


def in_force(db: Database) -> ConnectionAuthentication:
    """Return the settings in force: those of the last refresh, or of a new queue manager."""
    return ConnectionAuthentication(**objects.definition(db, _KIND, "") or {})


def refresh(work: Work) -> None:
    """Put the settings of CONNAUTH in force; a blank CONNAUTH turns checks of passwords off.

    Raises MQError: MQRC_SECURITY_ERROR for an AUTHINFO that is unknown or of another type.
    """
    name = str(queues.read_qmgr(work.db).get("conn_auth", DEFAULT_AUTH_INFO))
    settings = _settings(work.db, name) if name else ConnectionAuthentication(check_client=MQCHK_NONE)
    objects.define(work.db, _KIND, "", asdict(settings))
    work.durable = True


def _settings(db: Database, name: str) -> ConnectionAuthentication:
    try:
        found = kept_definitions.find(db, "AUTHINFO", name)
    except MQError as error:
        raise MQError(f"CONNAUTH({name}): {error.text}", MQRC_SECURITY_ERROR) from error
    if found.get("auth_info_type") != cmqc.MQAIT_IDPW_OS:
        raise MQError(f"CONNAUTH({name}): the AUTHINFO is not of type IDPWOS", MQRC_SECURITY_ERROR)
    return ConnectionAuthentication(**{field: found[name] for field, name in _FIELDS.items()})

"""Content of a new queue manager: its attributes, CHLAUTH records and first entry of the error log."""

from __future__ import annotations

from mqtools.admin import channel_authentication, error_log
from mqtools.constants.states import RUNNING
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.mqi import identity
from mqtools.mqi.connection import Connection
from mqtools.rules.attributes.table import defaults
from mqtools.rules.local_time import date_and_time
from mqtools.store import queues
from mqtools.store.creation import create_database
from mqtools.store.database import Database


def create_private(path: str, own_name: str, q_mgr_identifier: str = "") -> Connection:
    """Create a queue manager that this process alone uses and then deletes; return the connection to it.

    It is created also where this process must change nothing. q_mgr_identifier: empty for a new one.  Raises MQError.
    """
    database = create_database(path)
    define_queue_manager(database, own_name, "distributed", DEFAULT_CCSID, q_mgr_identifier)
    return Connection(database, appl_name=identity.appl_name(), user_identifier=identity.user_identifier())


def define_queue_manager(
    database: Database, own_name: str, profile: str, ccsid: int, q_mgr_identifier: str = ""
) -> None:
    """Define a queue manager in an empty database. Arguments as for ``queue_managers.create``."""
    now_ms = identity.now_ms()
    date, clock = date_and_time(now_ms)
    values: dict[str, object] = {
        **defaults("QMGR"),
        "state": RUNNING,
        "starts": 1,
        "profile": profile,
        "q_mgr_name": own_name,
        "q_mgr_identifier": q_mgr_identifier or f"{own_name}_{date}_{clock}",
        "coded_char_set_id": ccsid,
        "creation_date": date,
        "creation_time": clock,
        "alteration_date": date,
        "alteration_time": clock,
    }
    with database.writing():
        queues.define_qmgr(database, values)
        channel_authentication.define_initial(database, now_ms)
        error_log.note(database, "AMQ8003I", "", error_log.Inserts(q_mgr_name=own_name))

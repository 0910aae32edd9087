"""Health of the queue manager: its state, and whether its file is still the one that was opened."""

from __future__ import annotations

from mqtools.constants.states import ENDED
from mqtools.mqi.recovery import current_state
from mqtools.operations.views.message_view import Database, is_running
from mqtools.tui.background.file_identity import FileIdentity
from mqtools.tui.session import BrowserSession

FILE_GONE = "FILE GONE"
#: Health of a queue manager elsewhere that was not reached at the last attempt.
LOST = "CONNECTION LOST"
_ENDED = ENDED.upper()


def read_health(db: Database, file: FileIdentity) -> str:
    """Return an empty text while the queue manager can be used, else FILE_GONE or its state in upper case."""
    if not file.is_current():
        return FILE_GONE
    if is_running(db):
        return ""
    return current_state(db).upper()


def explain_gone(session: BrowserSession) -> str:
    """Return what has happened to the file, and what to do."""
    return f"{session.path} {session.file.problem()}; quit, then open it again"


def explain_refusal(session: BrowserSession, health: str) -> str:
    """Return why the session cannot change anything; an empty text when it can."""
    if session.read_only:
        return "this session is read-only"
    if health == FILE_GONE:
        return explain_gone(session)
    if health == LOST:
        return f"the connection to {session.place} is lost"
    name = session.q_mgr_name
    if health == _ENDED:
        return f"queue manager {name} has ended; start it with: mqx qmgr start {name}"
    return f"queue manager {name} is quiescing" if health else ""

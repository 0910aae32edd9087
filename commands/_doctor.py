"""What ``mqx doctor`` does once its line is understood: look, show, and sum up in a status."""

from __future__ import annotations

from mqtools.admin.checkup import DAMAGED, NOTICE, look
from mqtools.configuration import locate
from mqtools.store.database import open_database

from .shared.click_options import chosen_output
from .shared.command_session import DONE, STORAGE, WARNING, Session
from .shared.output_rows import print_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.admin.checkup import Finding
    from mqtools.store.database import Database

_OUTPUTS = ("table", "plain", "csv", "json", "jsonl")
_COLUMNS = ("check", "state", "subject", "what", "hint")


def examine(session: Session, *, thorough: bool) -> int:
    """Show what was found; give the status of the worst."""
    from mqtools.formats.rows import Column

    output = chosen_output(session, _OUTPUTS, "table", "plain")
    database = open_database(locate.find(session.qmgr), read_only=True)
    database.finishes_log = not database.log_found  # what was found stays as it is
    try:
        findings = _findings(database, thorough)
    finally:
        database.close()
    rows = ({name: getattr(finding, name) for name in _COLUMNS} for finding in findings)
    print_rows(session, rows, [Column(name) for name in _COLUMNS], output)
    states = {finding.state for finding in findings}
    return STORAGE if DAMAGED in states else WARNING if NOTICE in states else DONE


def _findings(database: Database, thorough: bool) -> list[Finding]:
    """Look at everything; of a damaged file not at what is written in it."""
    findings = list(look(database, thorough=thorough))
    if not any(finding.state == DAMAGED for finding in findings):
        from mqtools.channel import checkup

        findings += checkup.check_channels(database)
    return findings

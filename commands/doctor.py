"""``mqx doctor``: check a queue manager for problems."""

from __future__ import annotations

from collections.abc import Iterable

import click

from mqtools.admin.checkup import check_up
from mqtools.admin.findings import DAMAGED, NOTICE, SOUND, Finding
from mqtools.admin.open_for_checkup import open_for_checkup
from mqtools.admin.settings_checks import check_settings
from mqtools.channel import checkup
from mqtools.formats.rows import Column
from mqtools.formats.terminal import visible

from .shared import click_options
from .shared.command_session import DONE, STORAGE, WARNING, Session, write_line
from .shared.output_rows import print_rows, wrap

_COLUMNS = ("check", "state", "subject", "what", "hint")
#: Columns of the table; what to do follows below it, since it would be cut.
_TABLE = (Column("check", rank=0), Column("state", rank=1), Column("subject", rank=3), Column("what", rank=2))


@click.command("doctor")
@click.option("--thorough", is_flag=True, help="Also compare each index with its table; reads the whole file")
@click.option("--accept-missing-log", is_flag=True, help="Use a file without its log from now on, as it is")
@click_options.general
def command(session: Session, thorough: bool, accept_missing_log: bool) -> int:
    """Check a queue manager for problems, without changing anything.

    \b
    mqx doctor
    mqx doctor -m QM2 --thorough
    mqx doctor -o json
    mqx doctor -m copy.db --accept-missing-log

    Checks: file (damage), log (committed data that is not in the file yet), permissions (who else can read the
    messages), disk (free space), reserve (kept to get and delete messages when the disk is full), locks (and confirm
    ids, without a lease for more than a day), space (unused: mqx qmgr compact frees it), readers (of an old state of
    the file, which keep the log long; Linux only), pipes (left by dead processes), writer (the process that has the
    write turn, since when, and whether it is stopped), programs (that hold something), channels (in doubt, or failed),
    references (incomplete objects of reference messages), settings (unknown names, values that cannot be read).

    An incomplete object is a hidden file .mqx-*.part in the root folder; its log file lists the received
    portions. The log is kept when the object is complete, and removed 30 days after the object is. To give up an
    incomplete object, delete both files.

    A file that was copied while in use lacks what its log has, and no command reads it. Put the log (NAME.db-wal) next
    to the file. Without that log, --accept-missing-log marks the file as complete. A log that turns up later is then
    ignored.

    Exit status: 0 no problems; 4 problems; 10 the file is damaged.
    """
    output = session.list_output
    with open_for_checkup(session.qmgr, accepts_missing_log=accept_missing_log) as database:
        findings = list(check_up(database, thorough=thorough))
        if not any(finding.state == DAMAGED for finding in findings):  # those below read its content
            findings += checkup.check_channels(database)
        findings += check_settings()
    rows = ({name: getattr(finding, name) for name in _COLUMNS} for finding in findings)
    print_rows(session, rows, _TABLE if output == "table" else [Column(name) for name in _COLUMNS], output)
    if output == "table":
        _print_hints(findings)
    states = {finding.state for finding in findings}
    return STORAGE if DAMAGED in states else WARNING if NOTICE in states else DONE


def _print_hints(findings: Iterable[Finding]) -> None:
    """Print what is wrong in full, and what to do about it."""
    for finding in findings:
        if finding.state != SOUND or finding.hint:
            write_line("")
            for line in wrap(f"{finding.check}: {visible(finding.subject)}: {visible(finding.what)}"):
                write_line(line)
            for line in wrap(f"hint: {visible(finding.hint)}" if finding.hint else "", "    "):
                write_line(line)

"""``mqx doctor``: whether a queue manager is sound, and what to do where it is not."""

from __future__ import annotations

import click

from . import _doctor
from .shared import click_options
from .shared.command_session import Session


@click.command("doctor")
@click.option("--thorough", is_flag=True, help="Compare each index with its table too; reads all of the file.")
@click_options.general
def command(session: Session, thorough: bool) -> int:
    """Look at a queue manager, and say what is wrong with it; nothing is changed.

    \b
    mqx doctor
    mqx doctor -m QM2 --thorough
    mqx doctor -o json

    Checks: file (damage), log (what is committed and not in the file yet, and how to copy it), permissions (who else
    may read the messages), disk (room), space (of the file that nothing needs: mqx qmgr compact gives it back), pipes
    (left in the run folder by dead processes), programs (who holds something), channels (a batch in doubt), references
    (objects of reference messages that never completed, in the root folders of the receiving channels with the exit
    REFERENCE).

    An object on its way is a hidden file .mqx-*.part in the root folder; a log beside it says which portions have come.
    The log stays when the object is complete, and goes 30 days after the object has gone. An object of which no more
    will come may be given up: delete both.

    Exit status: 0 sound; 4 something to look at; 10 the file is damaged.
    """
    return _doctor.examine(session, thorough=thorough)

"""``mqx pipeline migrate``, ``compact``, ``expire`` and ``prepare``: upkeep of archives and of Spark, without Spark."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import click

from ..shared import click_options
from ..shared.command_session import Session
from .spark_options import check_installed, dry_run, mode

_keep = click.option(
    "--keep",
    type=click_options.DURATION,
    default="7d",
    show_default=True,
    metavar="DURATION",
    help="Delete files that have been unused for this time",
)


def _maintenance() -> ModuleType:
    """Return the module with the implementations, which imports PySpark."""
    check_installed()
    from . import maintenance

    return maintenance


@click.command("migrate", short_help="Convert an archive of files to a Delta table")
@click.argument("folder", metavar="DIR")
@mode
@click_options.general
def migrate(session: Session, folder: str, mode: int) -> None:
    """Convert an archive of Parquet files, as earlier versions wrote it, to a Delta table in the same place.

    \b
    mqx pipeline migrate archive/
    mqx pipeline migrate s3://BUCKET/archive

    Files stay where they are. A second run, and a run on a Delta table, changes nothing. Records of events and streams
    are kept.
    """
    _maintenance().migrate(session, folder, mode)


@click.command("compact", short_help="Join the small files of an archive")
@click.argument("folder", metavar="DIR")
@_keep
@mode
@click_options.general
def compact(session: Session, folder: str, **given: Any) -> None:
    """Join the small files of an archive that is a Delta table; readers and writers continue meanwhile.

    \b
    mqx pipeline compact events/
    mqx pipeline compact s3://BUCKET/events --keep 1d

    The joined files stay on disk for --keep, for readers that have already begun. A later run deletes them.
    """
    _maintenance().compact(session, folder, **given)


@click.command("expire", short_help="Remove old days from an archive")
@click.argument("folder", metavar="DIR")
@click.option(
    "--older", required=True, type=click_options.DURATION, metavar="DURATION", help="Minimum age of removed days"
)
@_keep
@dry_run
@click_options.general_of_destroyer
def expire(session: Session, folder: str, **given: Any) -> None:
    """Remove whole days, by put_day, from an archive that is a Delta table.

    \b
    mqx pipeline expire archive/ --older 90d --dry-run
    mqx pipeline expire archive/ --older 90d --yes
    mqx pipeline expire archive/ --older 90d --keep 0s --yes

    The files stay on disk for --keep, for readers of earlier versions of the table. A later run deletes them. A removed
    message is archived again if it is still on its queue.
    """
    _maintenance().expire(session, folder, **given)


@click.command("prepare", short_help="Prepare this machine for a faster start of Spark")
@click_options.general
def prepare(session: Session) -> None:
    """Write a class archive of Spark for Java, which reduces the start of a job to two thirds of its time.

    \b
    mqx pipeline prepare

    This takes a minute, once, and 200 MB in the user's cache folder (XDG_CACHE_HOME, or ~/.cache); the path of the file
    is printed. Spark does not use it with SPARK_HOME, with a --master that is not local, and with more than 32 GB of
    memory. After another Java or Spark is installed, run the command again.
    """
    _maintenance().prepare(session)

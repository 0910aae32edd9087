"""What ``mqx pipeline archive`` does once its line is understood."""

from __future__ import annotations

from mqtools.pipeline.source.ranges import plan
from mqtools.pipeline.source.read_options import Options
from mqtools.records import Record

from ..shared.command_session import NOTHING_THERE, Session, UsageMistake
from .frames import check_room
from .job import SparkOptions, check_totals, print_totals, spark_of
from .journal import note_what_is_missing
from .quarantine import QuarantineSummary


class ArchiveRequest(Record):
    """One archive command. queues: names and patterns, none for all.  consume, journal: not both.

    quarantine: folder for lines about what cannot be read; None where that is an error.
    """

    __slots__ = ("queues", "folder", "consume", "journal", "body", "quarantine")

    def __init__(
        self, queues: tuple[str, ...], folder: str, consume: bool, journal: bool, body: bool, quarantine: str | None
    ) -> None:
        self.queues = queues
        self.folder = folder
        self.consume = consume
        self.journal = journal
        self.body = body
        self.quarantine = quarantine


def archive(session: Session, options: SparkOptions, request: ArchiveRequest) -> int:
    """Write the archive and say how much; 3 when there is nothing to write, 9 when something could not be read."""
    if request.consume and request.journal:
        raise UsageMistake("--consume removes messages; a journal is only read")
    if request.consume and not request.body:
        raise UsageMistake("--consume without the data would lose it")
    check_totals(session)
    qmgr, queue = session.qmgr or "", ",".join(request.queues)
    aside = QuarantineSummary(request.quarantine, "archive")
    if len(request.queues) == 1:
        session.about(queue)
    # An unknown queue or queue manager is said at once.
    plan(Options.parse({"qmgr": qmgr, "queue": queue, **aside.options}))
    check_room(request.folder)
    if request.journal:
        note_what_is_missing(session, qmgr, queue)
    with spark_of(session, options, "archive") as spark:
        from mqtools.pipeline.jobs import archive as jobs

        where = (spark, request.folder, qmgr, queue)
        if request.consume:
            number = jobs.archive_and_remove(*where, aside=aside.options)
        elif request.journal:
            try:
                number = jobs.archive_journal(*where, aside=aside.options)
            except jobs.OtherQueues as other:
                raise UsageMistake(str(other), "give the events of other queues a folder of their own") from other
        else:
            number = jobs.archive(*where, body=request.body, aside=aside.options)
    what = "removed" if request.consume else "read"
    totals: dict[str, object] = {"read": number, "written": number, **({what: number} if request.consume else {})}
    print_totals(session, totals | aside.totals())
    return aside.settle(session, 0 if number else NOTHING_THERE)

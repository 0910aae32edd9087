"""What ``mqx pipeline archive`` does once its line is understood."""

from __future__ import annotations

from mqtools.pipeline.ranges import Options, plan
from mqtools.records import Record

from ._pipeline import SparkOptions, check_totals, print_totals, spark_of
from ._session import NOTHING_THERE, Session, UsageMistake


class ArchiveRequest(Record):
    """One archive command. queues: names and patterns, none for all.  consume, journal: not both."""

    __slots__ = ("queues", "folder", "consume", "journal", "body")

    def __init__(self, queues: tuple[str, ...], folder: str, consume: bool, journal: bool, body: bool) -> None:
        self.queues = queues
        self.folder = folder
        self.consume = consume
        self.journal = journal
        self.body = body


def archive(session: Session, options: SparkOptions, request: ArchiveRequest) -> int:
    """Write the archive and say how much; 3 when there is nothing to write."""
    if request.consume and request.journal:
        raise UsageMistake("--consume removes messages; a journal is only read")
    if request.consume and not request.body:
        raise UsageMistake("--consume without the data would lose it")
    check_totals(session)
    qmgr, queue = session.qmgr or "", ",".join(request.queues)
    plan(Options({"qmgr": qmgr, "queue": queue}))  # an unknown queue or queue manager is said at once
    with spark_of(session, options, "archive") as spark:
        from mqtools.pipeline import archive as jobs

        if request.consume:
            number = jobs.archive_and_remove(spark, request.folder, qmgr, queue)
        elif request.journal:
            number = jobs.archive_journal(spark, request.folder, qmgr, queue)
        else:
            number = jobs.archive(spark, request.folder, qmgr, queue, body=request.body)
    what = "removed" if request.consume else "read"
    print_totals(session, {"read": number, "written": number, **({what: number} if request.consume else {})})
    return 0 if number else NOTHING_THERE

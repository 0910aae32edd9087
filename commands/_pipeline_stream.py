"""What ``mqx pipeline stream`` does once its line is understood."""

from __future__ import annotations

import os

from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.pipeline.ranges import paths_of, queue_names, words
from mqtools.records import Record
from mqtools.store import queues
from mqtools.store.database import open_database

from ._pipeline import SparkOptions, check_totals, print_totals, spark_of
from ._session import Session, UsageMistake

#: Value of the attribute JOURNAL that keeps the data.
_BODY = 2


class StreamRequest(Record):
    """One stream command. folder, to_queue: one of them.  queues: names or a pattern, none for all."""

    __slots__ = ("queues", "folder", "to_queue", "checkpoint", "available_now")

    def __init__(
        self,
        queues: tuple[str, ...],
        folder: str | None,
        to_queue: str | None,
        checkpoint: str,
        available_now: bool,
    ) -> None:
        self.queues = queues
        self.folder = folder
        self.to_queue = to_queue
        self.checkpoint = checkpoint
        self.available_now = available_now


def stream(session: Session, options: SparkOptions, request: StreamRequest) -> int:
    """Follow the journal until it is interrupted, or to its present end; nothing new is no error."""
    if (request.folder is None) == (request.to_queue is None):
        raise UsageMistake("--to or --to-queue says where to, just one of them")
    check_totals(session)
    paths = paths_of(session.qmgr or "")
    if request.to_queue is not None:
        _check_bodies(paths, request)
    pattern, checkpoint = ",".join(request.queues), os.path.abspath(request.checkpoint)
    with spark_of(session, options, "stream") as spark:
        from mqtools.pipeline import streaming as jobs

        frame = jobs.events(spark, ",".join(paths), pattern)
        identifier = jobs.stream_id(checkpoint)
        if request.folder is not None:
            write = jobs.to_folder(request.folder, identifier)
        else:
            assert request.to_queue is not None
            write = jobs.to_queue(paths[0], request.to_queue, identifier)
        query = jobs.start(frame, write, checkpoint, available_now=request.available_now)
        try:
            query.awaitTermination()
        finally:
            query.stop()
        number = sum(progress["numInputRows"] for progress in query.recentProgress)
    print_totals(session, {"read": number, "written": number})
    return 0


def _check_bodies(paths: list[str], request: StreamRequest) -> None:
    """Refuse to put on a queue what the journals do not keep. Raises UsageMistake, MQError."""
    if len(paths) != 1:
        raise UsageMistake("--to-queue needs one queue manager")
    db = open_database(paths[0], read_only=True)
    try:
        with db.reading():
            names = queue_names(db, words(",".join(request.queues)))
            found = [queue for name in names if (queue := queues.by_name(db, name)) is not None]
            assert request.to_queue is not None
            if queues.by_name(db, request.to_queue) is None:
                raise MQError(f"queue {request.to_queue} does not exist", MQRC_UNKNOWN_OBJECT_NAME)
            without = [queue.name for queue in found if queue.journal not in (0, _BODY)]
    finally:
        db.close()
    if without:
        raise UsageMistake(
            f"the journal of {', '.join(without)} has no data: --to-queue needs JOURNAL(BODY)",
            f"mqx mqsc 'ALTER QLOCAL({without[0]}) JOURNAL(BODY)'",
        )

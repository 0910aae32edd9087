"""``mqx pipeline``: process queues, journals and archives on Spark."""

from __future__ import annotations

import functools
import os
from typing import Any

import click

from ..shared import click_options
from ..shared.command_session import Session
from .spark_options import Pipeline, check_installed, dry_run, mode, spark_options, to_table
from .upkeep import compact, expire, migrate, prepare


def _print_submit_file(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value:
        click.echo(os.path.join(check_installed(), "submit.py"))
        ctx.exit()


@click.group("pipeline", cls=Pipeline)
@click.option(
    "--submit-file",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_submit_file,
    help="Print the path of the file for spark-submit, and exit",
)
@click_options.general
def command(session: Session) -> None:
    """Archive, load, reconcile and analyse messages with Spark; requires Java 17 and pip install 'mqtools[spark]'.

    \b
    mqx pipeline archive --queue 'ORDERS*' --to archive/
    mqx pipeline archive --queue DLQ --to archive/ --consume --yes
    mqx pipeline reconcile --sent archive/ --reports REPLIES --to outcome/
    mqx pipeline triage --queue DLQ --rules my.rules --html triage.html

    archive --journal, stream and stats read journals. ALTER QLOCAL(ORDERS) JOURNAL(YES) starts the journal of a queue;
    JOURNAL(BODY) also records the data. See mqx mqsc.

    Spark takes some seconds to start: for a few thousand messages the other commands are faster. A cluster cannot read
    the file of a queue manager, which is on one machine: archive there, and read the archive from the cluster. Archives
    and results are folders mounted on all machines, or URIs such as s3://BUCKET/DIR. spark-submit
    needs the file that --submit-file prints, followed by the command line without mqx:

    \b
    spark-submit --master spark://head:7077 "$(mqx pipeline --submit-file)" pipeline triage --from /mnt/archive/
    """


_mask = click.option("--mask", default="", metavar="FIELD,...", help="Write digests of these fields, property:NAME too")
_result = click.option(
    "--to", "folder", required=True, metavar="DIR", help="Folder of the result; replaces the previous result"
)
_page = click.option("--html", metavar="FILE", help="Write a page with an overview and charts")
_quarantine = click.option("--quarantine", metavar="DIR", help="Folder for records that cannot be read")


@command.command("archive", short_help="Write queues or journals to a Delta table")
@click.option("--queue", "queues", multiple=True, metavar="PATTERN", help="Queue, or pattern with *; repeatable")
@click.option("--all-queues", is_flag=True, help="All queues except SYSTEM.*; the default without --consume")
@click.option(
    "--to", "folder", required=True, metavar="DIR", help="Folder of the archive; a second run adds new messages"
)
@to_table
@click.option("--consume", is_flag=True, help="Remove each message once its file is complete; asks first")
@click.option("--journal", is_flag=True, help="Write new events of the journals instead of messages")
@click.option("--body/--no-body", default=True, help="Include the data")
@dry_run
@_mask
@_quarantine
@mode
@functools.partial(spark_options, asks=True)
def archive(session: Session, options: Any, **given: Any) -> int:
    """Write messages to a Delta table in DIR, with the partitions qmgr, queue and put_day.

    \b
    mqx pipeline archive --queue 'ORDERS*' --to archive/
    mqx pipeline archive -m QM1 -m QM2 --to archive/ -o json
    mqx pipeline archive --queue DLQ --to archive/ --consume --yes
    mqx pipeline archive --journal --to events/

    The command copies the messages that any program could get, or gets them with --consume. Locked and uncommitted
    messages stay. A second run adds new messages. --consume requires --queue or --all-queues, and --yes without a
    terminal. It leaves transmission queues and SYSTEM.* alone unless --queue names them. The next run into the same
    folder finishes or undoes a run that was killed: no message is lost or duplicated. Runs on any number of machines
    can write into one folder at the same time. With --journal, each run into a folder must name the same queues; the
    file of a queue manager may move. A folder with events of a stream is rejected.

    Polars, DuckDB, pandas and Spark read the table. DIR may be a URI of an object store, such as s3://BUCKET/DIR, with
    its credentials in the environment. Only Hadoop reaches hdfs://: --writer spark writes there, with Delta's jar. The
    files of a run are in the folder --staging until the table has them; use the same one in each run. --format parquet
    writes bare files in folders qmgr=NAME/queue=NAME/put_day=YYYY-MM-DD.

    \b
    mqx pipeline archive --queue DLQ --to s3://BUCKET/dlq
    mqx pipeline archive --to hdfs://HEAD/dlq --writer spark --conf spark.jars.packages=...

    Files are private to their user. --mode 640 or 660 lets the group of the folder read them or add files.

    --mask data,property:NAME replaces values with digests; equal values have equal digests. Their key is MQX_MASK_KEY,
    or the file mask.key in the folder of the queue managers.

    Each queue manager is read at one point in time. A damaged message, or a file that cannot be opened, ends the
    command (10). With --quarantine, a record with file, queue, number and reason is written to that folder, and the
    rest is archived; a damaged message stays on its queue.

    Exit status: 0 also where nothing is new; 3 no messages; 9 something could not be read (--quarantine).
    """
    from .archive import ArchiveRequest, archive

    return archive(session, options, ArchiveRequest(**given))


@command.command("reconcile", short_help="Match originals with the reports about them")
@click.option("--sent", required=True, multiple=True, metavar="DIR|QUEUE", help="Originals; repeatable, patterns")
@click.option("--reports", required=True, multiple=True, metavar="DIR|QUEUE", help="Reports; repeatable, patterns")
@_result
@click.option("--by-group", is_flag=True, help="Write a row per group, not per original")
@click.option("--sla", type=click_options.DURATION, metavar="DURATION", help="Longest time from a request to its reply")
@click.option("--html", metavar="FILE", help="Write a page with an overview")
@_quarantine
@mode
@spark_options
def reconcile(session: Session, options: Any, **given: Any) -> int:
    """Write one row per original: outcome, times and reason; and one per report without an original.

    \b
    mqx pipeline reconcile --sent archive/ --reports replies/ --to outcome/
    mqx pipeline reconcile --sent ORDERS --reports 'REPLIES*' --to outcome/ -o json
    mqx pipeline reconcile --sent archive/ --reports REPLIES --to groups/ --by-group
    mqx pipeline reconcile --sent 'hosts/*/orders' --sent old/ --reports hosts/ --to outcome/

    A value with a slash is an archive, a folder or URI with archives below it, or a pattern of these. Any other value
    is a queue, or a pattern of queues. All of them are read together.

    The outcome is the first of acted, refused, failed, expired, delivered, arrived that the reports prove. Without a
    report it is silent if one was requested, else unasked. If originals pass on a CorrelId that they share, as many
    reports as originals prove the outcome of all of them. Fewer reports could be about any of them, and have rows of
    their own. A row has the queue manager of the original, or of the report if it has no original. The totals by
    outcome count only originals.

    --sla adds replied_at, latency_s and breach to the rows of requests, and counts breaches: requests whose reply came
    later than this time, or is still missing after it. --reports must name the replies, too.

    Exit status: 3 no originals and no reports; 9 something could not be read (--quarantine).
    """
    from .reconcile import reconcile

    return reconcile(session, options, **given)


@command.command("triage", short_help="Group dead letters, and run a rules table dry")
@click.option("--queue", "queues", multiple=True, metavar="DLQ", help="Dead-letter queue, or pattern; repeatable")
@click.option("--from", "origins", multiple=True, metavar="DIR", help="Archive, or pattern of archives; repeatable")
@click.option("--rules", metavar="FILE", help="Rules table, as dlq-handle takes it; - is stdin")
@click.option(
    "--by", metavar="FIELDS", default="reason", show_default=True, help="reason, destq, destqm, applname, format, hour"
)
@click.option("--to", "folder", metavar="DIR", help="Folder for a row per dead letter; replaces the previous result")
@_page
@_quarantine
@mode
@spark_options
def triage(session: Session, options: Any, **given: Any) -> int:
    """Count dead letters by queue manager and group, and show the rule and action for each.

    \b
    mqx pipeline triage --queue DLQ --by reason,destq
    mqx pipeline triage --queue DLQ --rules my.rules --to triage/ --html triage.html
    mqx pipeline triage --from archive/ --rules my.rules -o json

    Nothing is changed. The rules are matched as by mqx dlq-handle --dry-run.

    Exit status: 2 mistakes in the table; 3 no dead letters; 9 something could not be read (--quarantine).
    """
    from .triage import triage

    return triage(session, options, **given)


@command.command("reassemble", short_help="Reassemble segments to logical messages")
@click.option(
    "--from", "origins", required=True, multiple=True, metavar="DIR|QUEUE", help="Segments; repeatable, patterns"
)
@_result
@_quarantine
@mode
@spark_options
def reassemble(session: Session, options: Any, **given: Any) -> int:
    """Write one row per logical message, with its complete data or the offsets of missing data.

    \b
    mqx pipeline reassemble --from archive/ --to whole/
    mqx pipeline reassemble --from ORDERS --to whole/ -o json

    Unsegmented messages pass through. A message with gaps has their offsets in missing, and the offsets where they end
    in missing_to, null if the last segment is missing. Missing messages of a group are a row too, from msg_seq_number
    to to_seq_number, which is null if the last message of the group is missing. Groups of different queue managers are
    separate.

    Exit status: 3 no messages; 9 messages or groups have gaps, or could not be read (--quarantine).
    """
    from .reconcile import reassemble

    return reassemble(session, options, **given)


@command.command("stats", short_help="Show throughput, waiting times and depth over time")
@click.option(
    "--from", "origins", required=True, multiple=True, metavar="DIR", help="Archive of a journal; repeatable, patterns"
)
@click.option("--to", "folder", metavar="DIR", help="Folder for the rows; replaces the previous result")
@_page
@_quarantine
@mode
@spark_options
def stats(session: Session, options: Any, **given: Any) -> int:
    """Show puts, gets, waiting times and the final depth per queue manager, queue and hour.

    \b
    mqx pipeline archive --journal --to events/ && mqx pipeline stats --from events/
    mqx pipeline stats --from events/ --html stats.html -o json

    Depth is counted from the first event of the archive. Queues of two queue managers are never added up.

    Exit status: 3 no events; 9 a file of the archive could not be read (--quarantine).
    """
    from .triage import stats

    return stats(session, options, **given)


@command.command("load", short_help="Load messages from files, once by job id")
@click.argument("queue")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--input",
    "form",
    type=click.Choice(["parquet", "jsonl", "csv"]),
    help="Input format; default: inferred from the names",
)
@click.option("--job-id", required=True, metavar="ID", help="Identifier of the job; a job is done only once")
@click.option(
    "--quarantine", metavar="DIR", help="Folder for rows that cannot be loaded; default: the folder of the input"
)
@click.option("--filter", "condition", metavar="SQL", help="Condition on the columns of an archive")
@click.option("--keep-reports", is_flag=True, help="Send the reports that archived messages request again")
@dry_run
@spark_options
def load(session: Session, options: Any, **given: Any) -> int:
    """Load messages onto QUEUE from an archive, JSON lines as browse -o jsonl writes them, or CSV with a header.

    \b
    mqx pipeline load ORDERS archive/ --job-id 2026-11-22
    mqx pipeline load ORDERS orders.csv --job-id orders-17 --quarantine refused/
    mqx pipeline load ORDERS a.jsonl b.jsonl --job-id ab -o json
    mqx pipeline load REDO archive/ --filter "queue = 'DLQ'" --job-id redo --dry-run

    All messages are put in one unit of work. Messages of an archive request no reports again, unless --keep-reports is
    given. From an archive of events, the messages that arrived are loaded. --dry-run puts and rolls back, and prints
    the rows that would be quarantined.

    A row that is not a valid message is quarantined with file, row and reason, and the rest is loaded. Examples are a
    priority of 77, an id that is not hex, text that is not UTF-8, and more values than columns. The same holds for a
    message that the queue does not accept: too long, or persistent on a temporary queue. A condition that affects every
    message, such as a full or inhibited queue, fails the job. So does a message without data in the archive. Then
    nothing is written, and the job can be run again.

    An unknown column of CSV is an error (2). A row of JSON lines with an unknown key is quarantined. An unknown column
    of Parquet is ignored with a warning. CSV files must have the same header. Names of JSON lines and CSV may end in
    .gz.

    Exit status: 0 loaded, or already done; 3 the files are empty (the job id stays unused); 6 another process is
    running the job; 7 queue full; 8 puts inhibited; 9 rows were quarantined.
    """
    from .load import PipelineLoadRequest, load

    return load(session, options, PipelineLoadRequest(**given))


@command.command("stream", short_help="Stream the journal to a table or a queue")
@click.option("--queue", "queues", multiple=True, metavar="PATTERN", help="Journaled queue, or pattern with *")
@click.option("--to", "folder", metavar="DIR", help="Folder for the events, in the form of archive --journal")
@to_table
@click.option("--to-queue", metavar="QUEUE", help="Queue for copies of the messages; requires JOURNAL(BODY)")
@click.option("--to-qmgr", metavar="QMGR", help="Queue manager of QUEUE; default: the source")
@click.option("--checkpoint", required=True, metavar="DIR", help="Checkpoint folder")
@click.option("--available-now", is_flag=True, help="End when all present events are written")
@click.option(
    "--trigger",
    type=click_options.DURATION,
    default="10s",
    show_default=True,
    metavar="DURATION",
    help="Begin a batch this often",
)
@click.option("--compact", is_flag=True, help="Join small files after 100 batches, and at the end")
@click.option("--skip-lost", is_flag=True, help="Continue after lost events, and report them")
@_mask
@_quarantine
@mode
@spark_options
def stream(session: Session, options: Any, **given: Any) -> int:
    """Write each event of the journal once, from the checkpoint on, until interrupted.

    \b
    mqx pipeline stream --to events/ --checkpoint events.checkpoint/ --available-now
    mqx pipeline stream --queue ORDERS --to-queue COPY --checkpoint copy.checkpoint/
    mqx pipeline stream -m 'QM*' --to-queue ALL --to-qmgr HUB --checkpoint hub.checkpoint/

    --format, --writer and --staging are those of archive.

    Each batch writes files and commits one transaction, so a short --trigger writes many small files. --compact joins
    them, as mqx pipeline compact does. A stream can be killed and started again: no event is lost or duplicated. Ctrl-C
    and SIGTERM end it after the current batch. A queue manager that a pattern finds later is read from its oldest
    event. A folder with events of another stream or archive is rejected. For a QUEUE this cannot be detected: with a
    new checkpoint all messages are put on it again.

    The stream fails if events are lost before it has read them: JRNLAGE or JRNLSIZE removed them, or the queue manager
    was deleted, created again or restored from a copy. With --skip-lost it reports and counts lost events, and
    continues. It also fails at an event that it cannot read, and at a message that QUEUE does not accept, such as one
    that is too long. With --quarantine it writes a record to that folder and continues.

    Exit status: 0 at the end of --available-now, also without new events; 1 events lost; 2 checkpoint of another
    target; 6 checkpoint in use; 9 something could not be read or put (--quarantine); 130 after Ctrl-C; 0 after SIGTERM,
    which is how a service is stopped.
    """
    from .stream import StreamRequest, stream

    return stream(session, options, StreamRequest(**given))


for each in (migrate, compact, expire, prepare):
    command.add_command(each)

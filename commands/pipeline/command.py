"""``mqx pipeline``: process queues, journals and archives on Spark."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..shared import click_options
from ..shared.command_session import Session, UsageMistake, as_text
from ..shared.group import Group

F = TypeVar("F", bound=Callable[..., Any])

#: Words of the option that names Spark's master.
_MASTER_HELP = (
    "Spark master: local[N], spark://HOST:PORT, or empty for that of spark-submit  "
    "[default: local[*]; empty under spark-submit]"
)
#: What spark-submit sets for a program that it starts.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"

#: Options whose files Spark never sees: their names may be any bytes.
_NOT_FOR_SPARK = ("rules", "html")
#: Options with folders and files of Spark, which it sees with the current folder before them.
_PLACES = ("folder", "paths", "quarantine", "checkpoint")
#: Options with folders, or with queues.
_SOURCES = ("origin", "sent", "reports")
#: How a place begins that is not in the file system.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


def _print_submit_file(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:  # noqa: ARG001
    if value:
        from importlib.util import find_spec

        found = find_spec("pyspark_mqx")
        assert found is not None
        click.echo(os.path.join(os.path.dirname(found.origin or ""), "submit.py"))
        ctx.exit()


@click.group("pipeline", cls=Group)
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
    """Archive, load, reconcile and report on many messages with Spark; it needs Java 17 and pip install 'mqx[spark]'.

    \b
    mqx pipeline archive --queue 'ORDERS*' --to archive/
    mqx pipeline archive --queue DLQ --to archive/ --consume
    mqx pipeline reconcile --sent archive/ --reports REPLIES --to outcome/
    mqx pipeline triage --queue DLQ --rules my.rules --html triage.html

    A journal, for archive --journal, stream and stats, is what a queue keeps with ALTER QLOCAL(ORDERS) JOURNAL(YES), or
    JOURNAL(BODY) with the data; see mqx mqsc.

    Starting Spark takes some seconds: for a few thousand messages the other commands are faster. A cluster cannot read
    a queue manager's file, which is on one machine: archive there, and read the archive from the cluster. Archives and
    results are folders that all machines have mounted; URLs are refused. spark-submit is given the file that
    --submit-file prints, and then the words of the line without mqx:

    \b
    spark-submit --master spark://head:7077 "$(mqx pipeline --submit-file)" pipeline triage --from /mnt/archive/
    """


def _several(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str | None:  # noqa: ARG001
    return "" if "" in value else ",".join(value) or None


def _default_master() -> str:
    return "" if _SUBMITTED in os.environ else "local[*]"


def spark_job(function: F) -> F:
    """Add the general options, with -m repeatable, and the Spark options as ``options``."""
    import functools

    from .job import SparkOptions

    @click.option("--master", default=_default_master, metavar="URL", help=_MASTER_HELP)
    @click.option("--conf", multiple=True, metavar="K=V", help="Spark setting; repeatable")
    @functools.wraps(function)
    def with_options(session: Session, master: str, conf: tuple[str, ...], **given: Any) -> Any:
        _check_text(session.qmgr, *(value for name, value in given.items() if name not in _NOT_FOR_SPARK))
        sources = [word for name in _SOURCES for word in _words(given.get(name))]
        folders = [word for word in sources if "/" in word or os.path.isdir(word)]
        places = [*folders, *(word for name in _PLACES for word in _words(given.get(name)))]
        _check_text(*map(os.path.abspath, places))
        _check_local(places)
        return function(session=session, options=SparkOptions(master, conf, given.get("folder")), **given)

    whole: Any = click_options.general(with_options)
    whole.__click_params__ = [_more_often(one) for one in whole.__click_params__]
    return whole  # type: ignore[no-any-return]


def _check_text(*values: Any) -> None:
    """Raise UsageMistake for text that Java cannot represent, folder names included."""
    for value in values:
        for word in _words(value):
            as_text(word)


def _check_local(places: list[str]) -> None:
    """Raise UsageMistake for URLs: files are renamed into place, which only a file system can do."""
    for place in places:
        if _URL.match(place):
            raise UsageMistake(f"{place}: URLs are not supported: use a local or mounted path")


def _words(value: Any) -> list[str]:
    """Return the values of an option."""
    return [word for word in (value if isinstance(value, tuple) else (value,)) if isinstance(word, str)]


def _more_often(option: click.Option) -> click.Option:
    """Make -m repeatable."""
    if option.name != "qmgr":
        return option
    return click.Option(option.opts, metavar=option.metavar, help=option.help, multiple=True, callback=_several)


_quarantine = click.option("--quarantine", metavar="DIR", help="Folder for records that cannot be read")


@command.command("archive", short_help="Write queues or journals to Parquet files")
@click.option("--queue", "queues", multiple=True, metavar="PATTERN", help="Queue, or pattern with *; repeatable")
@click.option("--to", "folder", required=True, metavar="DIR", help="Folder of the archive; a second run appends")
@click.option("--consume", is_flag=True, help="Remove each message once its file is complete")
@click.option("--journal", is_flag=True, help="Write new events of the journals instead of messages")
@click.option("--body/--no-body", default=True, help="Include the data")
@_quarantine
@spark_job
def archive(session: Session, options: Any, **given: Any) -> int:
    """Write messages into DIR as Parquet, in folders queue=NAME/put_day=YYYY-MM-DD.

    \b
    mqx pipeline archive --queue 'ORDERS*' --to archive/
    mqx pipeline archive -m QM1 -m QM2 --to archive/ -o json
    mqx pipeline archive --queue DLQ --to archive/ --consume
    mqx pipeline archive --journal --to events/

    What any program could get is copied; with --consume it is got, and what is locked or in flight stays. A run that
    was killed is finished or undone by the next one into the same folder: nothing is lost and nothing is there twice.
    Events are known by their queue manager, wherever its file is, and are of the same queues each time; those that a
    stream has written there are refused.

    Each queue manager is read as it is at one instant. A damaged message, or a file that cannot be opened, ends the
    command (10); with --quarantine a line with file, queue, number and reason is written there, such a message stays on
    its queue, and the rest is archived.

    Exit status: 3 when there is nothing to write, 9 when something could not be read.
    """
    from .archive import ArchiveRequest, archive

    return archive(session, options, ArchiveRequest(**given))


@command.command("reconcile", short_help="Match originals with the reports about them")
@click.option("--sent", required=True, metavar="DIR|QUEUE", help="Archive or queue of the originals")
@click.option("--reports", required=True, metavar="DIR|QUEUE", help="Archive or queue of the reports")
@click.option("--to", "folder", required=True, metavar="DIR", help="Folder of the result; replaces the previous result")
@click.option("--by-group", is_flag=True, help="Write a row per group, not per original")
@_quarantine
@spark_job
def reconcile(session: Session, options: Any, **given: Any) -> int:
    """Write one row for each original: its outcome, the times, the reason, and the orphans among the reports.

    \b
    mqx pipeline reconcile --sent archive/ --reports replies/ --to outcome/
    mqx pipeline reconcile --sent ORDERS --reports 'REPLIES*' --to outcome/ -o json
    mqx pipeline reconcile --sent archive/ --reports REPLIES --to groups/ --by-group

    What has a slash is an archive, anything else a queue or a pattern. The outcome is the first that is proved of
    acted, refused, failed, expired, delivered, arrived; else silent (asked, and nothing came) or unasked. Of originals
    that pass on a CorrelId which they share, as many reports as there are originals prove it of all; fewer could be
    about any of them, and are a row of their own.

    Exit status: 3 when there is neither an original nor a report, 9 when something could not be read (--quarantine).
    """
    from .reconcile import reconcile

    return reconcile(session, options, **given)


@command.command("triage", short_help="Group dead letters, and run a rules table dry")
@click.option("--queue", metavar="DLQ", help="Dead-letter queue")
@click.option("--from", "origin", metavar="DIR", help="Archive of a dead-letter queue")
@click.option("--rules", metavar="FILE", help="Rules table, as dlq-handle takes it; - is stdin")
@click.option("--by", default="reason", show_default=True, help="reason, destq, destqm, applname, format, hour")
@click.option("--to", "folder", metavar="DIR", help="Folder for a row per dead letter; replaces the previous result")
@click.option("--html", metavar="FILE", help="Write a page with charts")
@_quarantine
@spark_job
def triage(session: Session, options: Any, **given: Any) -> int:
    """Count dead letters by group, and say which rule would take each, what it would do, and what stays.

    \b
    mqx pipeline triage --queue DLQ --by reason,destq
    mqx pipeline triage --queue DLQ --rules my.rules --to triage/ --html triage.html
    mqx pipeline triage --from archive/ --rules my.rules -o json

    Nothing is changed. The rules are matched as mqx dlq-handle --dry-run matches them.

    Exit status: 2 for a table with mistakes, 3 when there are no dead letters, 9 when something could not be read
    (--quarantine).
    """
    from .triage import TriageRequest, triage

    return triage(session, options, TriageRequest(**given))


@command.command("reassemble", short_help="Reassemble segments to logical messages")
@click.option("--from", "origin", required=True, metavar="DIR|QUEUE", help="Archive or queue of the segments")
@click.option("--to", "folder", required=True, metavar="DIR", help="Folder of the result; replaces the previous result")
@_quarantine
@spark_job
def reassemble(session: Session, options: Any, **given: Any) -> int:
    """Write one row for each logical message, its data whole, or the offsets where data is missing.

    \b
    mqx pipeline reassemble --from archive/ --to whole/
    mqx pipeline reassemble --from ORDERS --to whole/ -o json

    What is no segment passes through. What is missing of a group is a row too, from msg_seq_number to to_seq_number;
    that is null where the last message of the group is not there.

    Exit status: 9 where messages or groups have gaps, or could not be read (--quarantine), 3 when there is nothing.
    """
    from .reconcile import reassemble

    return reassemble(session, options, **given)


@command.command("stats", short_help="Show throughput, waiting times and depth over time")
@click.option("--from", "origin", required=True, metavar="DIR", help="Archive of a journal")
@click.option("--to", "folder", metavar="DIR", help="Folder for the rows; replaces the previous result")
@click.option("--html", metavar="FILE", help="Write a page with charts")
@_quarantine
@spark_job
def stats(session: Session, options: Any, **given: Any) -> int:
    """Show for each queue and hour the puts, the gets, how long messages waited, and the depth at its end.

    \b
    mqx pipeline archive --journal --to events/ && mqx pipeline stats --from events/
    mqx pipeline stats --from events/ --html stats.html -o json

    Depth counts from the first event of the archive. Queues of one name are added up, of whatever queue managers.

    Exit status: 3 when there are no events, 9 when a file of the archive could not be read (--quarantine).
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
@click.option("--quarantine", metavar="DIR", help="Folder for rows that cannot be loaded; default: beside the input")
@spark_job
def load(session: Session, options: Any, **given: Any) -> int:
    """Put messages on QUEUE from an archive, JSON lines as browse -o jsonl writes them, or CSV with a header.

    \b
    mqx pipeline load ORDERS archive/ --job-id 2026-11-22
    mqx pipeline load ORDERS orders.csv --job-id orders-17 --quarantine refused/
    mqx pipeline load ORDERS a.jsonl b.jsonl --job-id ab -o json

    All messages are put in one transaction. A row that can be none (a priority of 77, an id that is not hex, text that
    is not UTF-8, more values than CSV has columns), and a message that the queue does not take (too long for it,
    persistent on a temporary queue), is written down with file, row and reason, and the rest is loaded. What would hit
    every message, a queue that is full or inhibited, fails the job: nothing is written then, and it can be run again.
    So does a message whose data is not in the archive. Of an archive of events, the messages that came are loaded.
    A column of CSV that no message has is refused (2), and a row of JSON lines with such a key is set aside. Such a
    column of Parquet is ignored with a warning. CSV files have the same header. The names of JSON lines and CSV may end
    in .gz.

    Exit status: 0 also for a job that is done already, 3 when there is nothing in the files (the job is not done then),
    6 where another process is doing it, 7 queue full, 8 puts inhibited, 9 where rows were set aside.
    """
    from .load import LoadRequest, load

    return load(session, options, LoadRequest(**given))


@command.command("stream", short_help="Stream the journal to files or to a queue")
@click.option("--queue", "queues", multiple=True, metavar="PATTERN", help="Journaled queue, or pattern with *")
@click.option("--to", "folder", metavar="DIR", help="Folder for the events, in the form of archive --journal")
@click.option("--to-queue", metavar="QUEUE", help="Queue for copies of the messages; requires JOURNAL(BODY)")
@click.option("--to-qmgr", metavar="QMGR", help="Queue manager of QUEUE; default: the source")
@click.option("--checkpoint", required=True, metavar="DIR", help="Checkpoint folder")
@click.option("--available-now", is_flag=True, help="End when all present events are written")
@click.option("--skip-lost", is_flag=True, help="Continue after lost events, and report them")
@_quarantine
@spark_job
def stream(session: Session, options: Any, **given: Any) -> int:
    """Write each event of the journal once, from where the checkpoint says, until it is interrupted.

    \b
    mqx pipeline stream --to events/ --checkpoint events.checkpoint/ --available-now
    mqx pipeline stream --queue ORDERS --to-queue COPY --checkpoint copy.checkpoint/
    mqx pipeline stream -m 'QM*' --to-queue ALL --to-qmgr HUB --checkpoint hub.checkpoint/

    It may be killed and begun again: nothing is lost and nothing is there twice. Ctrl-C and SIGTERM end it when the
    batch in hand is written. A queue manager that a pattern finds later is followed from its oldest event. Events that
    another stream or archive has written into DIR are refused. A QUEUE cannot tell: with a new checkpoint all is put on
    it again.

    It fails where events are gone that it has not read: removed by JRNLAGE or JRNLSIZE, or with a queue manager that
    was deleted, made anew or put back from a copy. With --skip-lost it says which, counts them and goes on. It fails at
    an event that cannot be read and a message that QUEUE cannot take, one that is too long for example; with
    --quarantine a line about each is written there, and it goes on.

    Exit status: 0 at the end of --available-now, with nothing new too; 1 where events are gone; 2 for a checkpoint of
    another target; 6 for one in use; 9 when something could not be read or put (--quarantine); 130 after Ctrl-C; 0
    after SIGTERM, which is how a service is stopped.
    """
    from .stream import StreamRequest, stream

    return stream(session, options, StreamRequest(**given))


@command.command("prepare", short_help="Prepare this machine for a faster start of Spark")
@click_options.general
def prepare(session: Session) -> int:
    """Keep Spark's classes as Java has them in memory, with which a job starts in two thirds of the time.

    \b
    mqx pipeline prepare

    It takes a minute, once, and 200 MB in the user's folder for caches (XDG_CACHE_HOME, or ~/.cache), in a file that it
    names; without the file Spark starts as before. So it does after another Java or another Spark was installed, until
    this is done again; and always with SPARK_HOME, with a --master that is not local, or with more memory than 32 GB.
    """
    from .prepare import prepare

    return prepare(session)

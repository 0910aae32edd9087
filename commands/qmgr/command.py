"""``mqx qmgr``: create, start, end, list, back up and delete queue managers."""

from __future__ import annotations

import click

from mqtools.admin import compaction, queue_managers
from mqtools.admin.export import export_definitions
from mqtools.configuration import locate
from mqtools.formats.phrases import counted
from mqtools.formats.rows import Column
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.rules.object_names import is_valid_name

from ..shared import click_options
from ..shared.command_session import JSON, Session, UsageError, write_out
from ..shared.counts import print_result
from ..shared.group import CommandGroup
from ..shared.output_rows import print_rows
from ..shared.read_only import connect_read_only
from . import default, qmgr, transactions


def _ccsid(text: str) -> int:
    if text.isascii() and text.isdigit() and queue_managers.is_usable_ccsid(int(text)):
        return int(text)
    raise ValueError(f"{text!r} is not a character set that a queue manager supports")


@click.group("qmgr", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Create, start, end, list, back up, restore, compact and delete queue managers.

    A queue manager is one file in $MQX_HOME, or at the given path. While programs use it, a log file next to it
    (NAME.db-wal) has changes that are not in the file yet; the last program that ends moves them into the file. Copy
    the file when no program uses it, or at any time with mqx qmgr backup. After a kill -9 of the last program the log
    file stays until the next command; mqx doctor reports that. When a new version of mqx migrates the file, it
    keeps the previous one as NAME.db.v1.bak (v1: its version), which mqx qmgr restore accepts like a backup.

    \b
    mqx qmgr create QM1 --dev
    mqx qmgr list
    mqx qmgr backup QM1 qm1-monday.db
    mqx qmgr restore qm1-monday.db QM2
    mqx qmgr end QM1 --wait
    mqx qmgr delete QM1
    """


@command.command("create", short_help="Create a queue manager and start it")
@click.argument("name", required=False)
@click.option("--dev", is_flag=True, help="Also define the DEV.* objects of IBM's developer image")
@click.option("--default", "make_default", is_flag=True, help="Make it the default queue manager")
@click.option(
    "--profile",
    type=click.Choice(queue_managers.PROFILES),
    default=queue_managers.PROFILES[0],
    help="Platform whose behaviour it has",
)
@click.option(
    "--ccsid",
    type=click_options.Converted("N", _ccsid),
    default=str(DEFAULT_CCSID),
    show_default=True,
    help="Coded character set of its character fields",
)
@click_options.general
def create(session: Session, name: str | None, dev: bool, make_default: bool, profile: str, ccsid: int) -> int:
    """Create the queue manager NAME and start it; an existing one is not changed.

    The first one is the default queue manager, which commands without -m use. It remains the default when others are
    created: the configuration file then names it. With $MQX_HOME set, the file is left alone, and with several queue
    managers one has to be named. --default and mqx qmgr use choose another.

    The queues of --dev are DEFPSIST(YES): their messages survive mqx qmgr end and start. Its users app and admin
    have no passwords: mqx user password sets them.

    \b
    mqx qmgr create QM1 --dev
    mqx qmgr create QM2 --default
    mqx qmgr create ./test.db
    mqx qmgr create QMZ --profile zos --ccsid 500
    """
    chosen = qmgr.require_name(session, name)
    if not is_valid_name(locate.name_of_path(locate.path_of(chosen))):
        raise UsageError(
            f"{chosen} is not a valid queue manager name", "valid are up to 48 of: letters, digits, . / _ %"
        )
    if make_default:
        locate.configured_default()  # a broken file is found before anything is made
    only_one = default.find_only_one()
    path = queue_managers.create(chosen, developer=dev, profile=profile, ccsid=ccsid)
    session.note(f"queue manager {locate.name_of_path(path)} created: {path}")
    if make_default:
        default.set_default(session, chosen)
    else:
        default.keep_default(session, only_one)
    return qmgr.show_if_requested(session, path)


@command.command("list", short_help="List queue managers and their states")
@click_options.general
def list_all(session: Session) -> None:
    """List queue managers: name, state, path, whether it is the default, profile, number of queues.

    The default is the one that a command without -m uses. A file that cannot be used is listed as damaged.

    \b
    mqx qmgr list
    mqx qmgr list -o json | jq -r '.[] | select(.state=="running").name'
    """
    output = session.list_output
    default_path = queue_managers.default_path()
    found = queue_managers.describe_all()
    for one in found:
        if one.error is not None:
            session.note(f"mqx: {one.error}")
    if not found:
        session.note("hint: no queue manager exists; create one: mqx qmgr create QM1 --dev")
    print_rows(session, [qmgr.row(one, default_path, output) for one in found], qmgr.COLUMNS, output)


@command.command("display", short_help="Show the attributes of a queue manager")
@click.argument("name", required=False)
@click_options.general
def display(session: Session, name: str | None) -> None:
    """Show the attributes of the queue manager NAME, or of the default one.

    \b
    mqx qmgr display
    mqx qmgr display QM1 -o json
    """
    output = session.list_output
    one = queue_managers.describe(locate.find(qmgr.one_name(session, name)))
    if one.error is not None:
        raise one.error
    own = qmgr.row(one, queue_managers.default_path(), "json")
    values = {**own, **queue_managers.attributes(one.path), **own}
    if output in JSON:
        print_rows(session, [values], (), output)
    else:
        rows: list[dict[str, object]] = [{"attribute": key, "value": value} for key, value in values.items()]
        print_rows(session, rows, (Column("attribute", "ATTRIBUTE"), Column("value", "VALUE")), output)


@command.command("start", short_help="Start a queue manager that has ended")
@click.argument("name", required=False)
@click_options.general
def start(session: Session, name: str | None) -> int:
    """Start a queue manager that has ended; its nonpersistent messages are discarded, as in MQ.

    \b
    mqx qmgr start QM1
    """
    path = locate.find(qmgr.one_name(session, name))
    discarded = queue_managers.start(path)
    own_name = locate.name_of_path(path)
    if discarded is None:
        session.note(f"queue manager {own_name} is already running")
    else:
        session.note(f"queue manager {own_name} started, {counted(discarded, 'nonpersistent message')} discarded")
    return qmgr.show_if_requested(session, path, discarded=discarded or 0)


@command.command("end", short_help="End a queue manager")
@click.argument("name", required=False)
@click.option("--quiesce", is_flag=True, help="Let connected programs finish; return at once (default)")
@click.option("--wait", is_flag=True, help="Like --quiesce, but return when it has ended")
@click.option("--immediate", is_flag=True, help="Back out and break all connections")
@click_options.general
def end(session: Session, name: str | None, quiesce: bool, wait: bool, immediate: bool) -> int:
    """End a queue manager: no program can connect, and it has ended when the last connection is closed.

    \b
    mqx qmgr end QM1
    mqx qmgr end QM1 --wait
    mqx qmgr end QM1 --immediate
    """
    if quiesce + wait + immediate > 1:
        raise UsageError("--quiesce, --wait and --immediate cannot be combined")
    path = locate.find(qmgr.one_name(session, name))
    state = queue_managers.end(path, immediate=immediate, wait=wait)
    words = "has ended" if state == queue_managers.ENDED else "is quiescing: it ends when the last connection leaves"
    session.note(f"queue manager {locate.name_of_path(path)} {words}")
    return qmgr.show_if_requested(session, path)


@command.command("delete", short_help="Delete a queue manager with all its messages")
@click.argument("name", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it")
@click_options.general_of_destroyer
def delete(session: Session, name: str | None, dry_run: bool) -> None:
    """Delete the queue manager NAME with all its messages; one with connections is not deleted.

    \b
    mqx qmgr delete QM1
    mqx qmgr delete QM1 --yes
    mqx qmgr delete ./test.db --dry-run
    """
    path = locate.find(qmgr.require_name(session, name))
    own_name = locate.name_of_path(path)
    number = queue_managers.count_messages(path)
    messages = counted(number)
    about = {"qmgr": own_name, "path": path, "messages": number}
    if dry_run:
        words = f"would delete queue manager {own_name} with {messages}: {path}"
        print_result(session, words, {"deleted": 0, **about})
        return
    session.confirm(f"delete queue manager {own_name} with {messages}")
    was_configured = default.is_configured(path)  # a file that cannot be read is found before anything is deleted
    queue_managers.delete(path)
    print_result(session, f"queue manager {own_name} deleted with {messages}", {"deleted": 1, **about})
    default.forget_default(session, path, was_configured=was_configured)


@command.command("export", short_help="Write MQSC that recreates all definitions")
@click.argument("name", required=False)
@click_options.general
def export(session: Session, name: str | None) -> None:
    """Write MQSC to stdout that recreates every definition of the queue manager NAME, or of the default one.

    Attributes with their default values are left out. Messages, temporary queues and the queues of managed
    subscriptions are not part of it; mqx qmgr backup has everything.

    \b
    mqx qmgr export QM1 > qm1.mqsc
    mqx qmgr export QM1 | mqx mqsc -m QM2
    """
    with connect_read_only(session, qmgr.one_name(session, name)) as connection:
        text = "".join(f"{line}\n" for line in export_definitions(connection))
    write_out(text.encode("utf-8", "surrogatepass"))


@command.command("backup", short_help="Back up a queue manager to a file")
@click.argument("words", nargs=-1, required=True, metavar="[NAME] FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists")
@click_options.general
def backup(session: Session, words: tuple[str, ...], force: bool) -> int:
    """Back up the queue manager NAME, or the default one, to FILE; - is standard output.

    The copy has everything that is committed at one point in time, and is complete by itself. Programs can continue
    meanwhile. FILE is written under a temporary name, checked for damage, flushed to disk and then renamed; only its
    owner can read it. For standard output the copy is first made and checked in the folder for temporary files.

    \b
    mqx qmgr backup QM1 qm1-monday.db
    mqx qmgr backup latest.db --force
    mqx qmgr backup QM1 - | gzip > qm1.db.gz

    Exit status: 0 done; 2 FILE exists; 5 unknown queue manager; 10 the queue manager is damaged, or the disk is full.
    """
    if len(words) > 2:
        raise UsageError(f"expected [NAME] FILE, not {len(words)} words")
    path = locate.find(qmgr.one_name(session, words[0] if len(words) == 2 else None))
    if words[-1] == "-":
        return qmgr.back_up_to_stdout(session, path)
    return qmgr.back_up(session, path, words[-1], force=force)


@command.command("restore", short_help="Restore a queue manager from a backup")
@click.argument("file")
@click.argument("name", required=False)
@click.option("--force", is_flag=True, help="Replace NAME if it exists and has ended")
@click_options.general
def restore(session: Session, file: str, name: str | None, force: bool) -> int:
    """Restore the queue manager NAME from a backup; without NAME, under the name in the backup.

    Messages and queue manager have the state of the backup, running or ended. Messages that were uncommitted or locked
    at that time are backed out and unlocked. FILE is not changed. A file of an older mqx, such as NAME.db.v1.bak, is
    migrated.

    \b
    mqx qmgr restore qm1-monday.db QM2
    mqx qmgr end QM1 --wait && mqx qmgr restore qm1-monday.db QM1 --force

    Exit status: 0 done; 2 NAME exists; 6 NAME still runs; 10 FILE is not a queue manager, is damaged or incomplete.
    """
    only_one = default.find_only_one()
    status = qmgr.restore(session, file, qmgr.one_name(session, name), force=force)
    default.keep_default(session, only_one)
    return status


@command.command("compact", short_help="Reduce the file size of a queue manager")
@click.argument("name", required=False)
@click.option("--dry-run", is_flag=True, help="Show how much would be freed, without freeing it")
@click_options.general
def compact(session: Session, name: str | None, dry_run: bool) -> int:
    """Reduce the file size of a queue manager: return the space of removed messages to the disk.

    Other programs can continue; puts and gets wait for their turn. The file is rewritten in one transaction. The disk
    must have room for the remaining messages. Above 64 MiB, the folder for temporary files ($SQLITE_TMPDIR, /var/tmp)
    needs the same room. An interrupt leaves the file unchanged.

    \b
    mqx qmgr compact QM1
    mqx qmgr compact QM1 --dry-run

    Exit status: 0 done, or no space to free; 4 done, but a program still reads the previous state, which stays on the
    disk until it ends; 10 too little room, or another program than mqx holds the file.
    """
    path = locate.find(qmgr.one_name(session, name))
    if not dry_run:
        return qmgr.compact(session, path)
    found = compaction.measure_space(path)
    session.note(
        f"would reduce the file of queue manager {locate.name_of_path(path)}: {found.free} of {found.file} bytes "
        f"are unused, and {found.log} bytes of its log"
    )
    return qmgr.show_if_requested(session, path, bytes_before=found.file + found.log, bytes_after=found.needed)


command.add_command(transactions.command)


@command.command("use", short_help="Set the default queue manager")
@click.argument("name", required=False)
@click_options.general
def use(session: Session, name: str | None) -> int:
    """Make NAME the default queue manager: default_qmgr in the configuration file.

    With $MQX_HOME the file is config.toml in that folder, so that the default counts only there. $MQX_QMGR and -m
    override it.

    \b
    mqx qmgr use QM1
    mqx qmgr use ./test.db
    """
    chosen = qmgr.require_name(session, name)
    path = locate.find(chosen)
    queue_managers.state_of(path)  # what cannot be used cannot be the default
    default.set_default(session, chosen)
    return qmgr.show_if_requested(session, path)

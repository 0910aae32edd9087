"""``mqx mqsc``: run MQSC commands from arguments, a file, standard input or a terminal."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click

from mqtools.admin.mqsc import report as mqsc_report
from mqtools.admin.mqsc import run as mqsc
from mqtools.admin.mqsc.elsewhere import run_elsewhere
from mqtools.admin.mqsc.report import Response
from mqtools.channel import caller
from mqtools.errors import MQError
from mqtools.formats.mistakes import Mistake as Finding
from mqtools.formats.mqsc.lines import BLANKS
from mqtools.formats.mqsc.output import display_block, message, summary
from mqtools.formats.mqsc.script import SyntaxMistake
from mqtools.formats.phrases import counted
from mqtools.formats.terminal import visible
from mqtools.mqi.connection import Connection
from mqtools.rules.exit_status import exit_status

from .shared import click_options, command_session, output_rows
from .shared.command_session import DONE, FAILED, PARTLY, USAGE, Session, UsageError
from .shared.findings import print_finding, print_findings_as_json
from .shared.program import AGAIN
from .shared.read_only import connect_read_only
from .shared.trash_notice import configure_trash

_PROMPT = "mqx> "
_CONTINUED = "   > "
_END = ("END", "QUIT", "EXIT")
#: Characters of a command that an error line shows.
_LONGEST_SHOWN = 60


@click.command("mqsc")
@click.argument("commands", nargs=-1, metavar="['COMMAND' ...]", type=click.UNPROCESSED)
@click.option("--file", "path", metavar="PATH", help="Read the commands from a file; - is stdin")
@click.option("--skip-unsupported", is_flag=True, help="Leave out and list what mqx lacks; for dmpmqcfg output")
@click.option("--no-trash", is_flag=True, help="Keep nothing in the trash of what CLEAR and DELETE ... PURGE remove")
@click_options.general_elsewhere
def command(
    session: Session, commands: tuple[str, ...], path: str | None, skip_unsupported: bool, no_trash: bool
) -> int:
    """Run MQSC commands as runmqsc does.

    DEFINE, ALTER, DELETE and DISPLAY work for QLOCAL, QMODEL, QALIAS, QREMOTE, CHANNEL, TOPIC, SUB, NAMELIST, PROCESS,
    LISTENER, SERVICE and AUTHINFO. ALTER QMGR, CLEAR QLOCAL, START and STOP of CHANNEL, LISTENER and SERVICE, SET
    AUTHREC, SET CHLAUTH and the DISPLAY commands of their states work too. Commands for clusters and z/OS fail or find
    nothing. NAMELIST and PROCESS are definitions only. START CHANNEL runs mqx channel start in the background until
    STOP CHANNEL. stderr names each attribute that mqx keeps but does not use, once.

    --skip-unsupported takes valid MQSC such as the output of dmpmqcfg -a: it leaves out commands, attributes and values
    that mqx does not have, and lists them with their line. mqx qmgr export writes MQSC that recreates all definitions.

    New objects have the attributes of the SYSTEM.DEFAULT or SYSTEM.DEF object of their type, such as
    SYSTEM.DEFAULT.LOCAL.QUEUE and SYSTEM.DEF.SENDER. mqx adds the attributes JOURNAL of a local queue, QMNAME of a
    channel, and JRNLAGE, JRNLSIZE, RCMDS and AUTHCHK of the queue manager: see mqx explain JOURNAL.

    Access: SET CHLAUTH refuses callers of channels by address, certificate, queue manager or user, or maps them to a
    user; DISPLAY CHLAUTH(NAME) MATCH(RUNCHECK) shows the record that decides on a caller. SET AUTHREC grants
    authorities on queues, topics and the queue manager to a PRINCIPAL (user) or GROUP; of several profiles the most
    specific one counts. MCAUSER of a receiver is the user whose authorities count; without it the channel has all of
    them.

    mqx serve admits clients to SVRCONN channels; CLNTCONN channels are definitions only. Exits, their data and
    CONNAME('exec:...') or a path can be set only here, never by PCF.

    Each COMMAND argument is one line of MQSC; without any, stdin is read, on a terminal command by command until "end".
    mqsc skips a command with a mistake and runs the others. Exit status 2: mistakes, all other commands done; 9: some
    done, some failed; a single command that fails: the status of its reason, such as 5 for an unknown queue. Messages
    removed by CLEAR QLOCAL and DELETE QLOCAL PURGE stay in the trash for a while (see mqx trash). If all commands are
    DISPLAY, mqsc only reads the queue manager: it may have ended, or be a read-only copy.

    \b
    mqx mqsc "DEFINE QLOCAL(ORDERS) MAXDEPTH(10000)"
    mqx mqsc "DISPLAY QLOCAL(DEV.*) CURDEPTH" "DISPLAY QMGR DEADQ"
    mqx mqsc "ALTER QLOCAL(ORDERS) JOURNAL(YES)" "ALTER QMGR JRNLAGE(86400)"
    mqx mqsc --file setup.mqsc
    mqx mqsc "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,SETALL)"
    mqx mqsc "DIS Q(*) ALL" -o json | jq '.[].objects[].max_q_depth'
    """
    if commands and path is not None:
        raise UsageError("commands from arguments cannot be combined with --file")
    if commands:
        return run_text(session, "\n".join(commands), "<arguments>", no_trash=no_trash, skips=skip_unsupported)
    if path is not None and path != "-":
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return run_text(session, file.read(), path, no_trash=no_trash, skips=skip_unsupported)
    if sys.stdin.isatty() and sys.stdout.isatty() and not session.is_elsewhere:
        return _converse(session, no_trash=no_trash)
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return run_text(session, text, "<stdin>", no_trash=no_trash, skips=skip_unsupported)


def run_text(session: Session, text: str, name: str, *, no_trash: bool = False, skips: bool = False) -> int:
    """Run the MQSC commands of a text and print the results; return the exit status. name: of the text in messages.

    no_trash: keep nothing of what is cleared or purged.  skips: leave out what mqx lacks.
    """
    output = session.output or "plain"
    if session.is_elsewhere:
        session.refuse_elsewhere({"skip_unsupported": skips, "no_trash": no_trash}, "skip_unsupported", "no_trash")
        report = _run_elsewhere(session, text, name)
    else:
        only_looks = mqsc.only_displays(text)
        with connect_read_only(session) if only_looks else session.connect() as connection:
            if not only_looks:
                configure_trash(connection, no_trash=no_trash)
            programs = _programs(session, connection)
            report = mqsc.run_mqsc(connection, text, name, skips_unsupported=skips, programs=programs)
    is_shown = output == "plain" and sys.stdout.isatty() and sys.stderr.isatty()  # errors below their commands
    if output == "plain":
        for line in mqsc.lines(report, has_errors=is_shown):
            command_session.write_line(visible(line))
    else:
        output_rows.print_rows(session, mqsc.as_json(report), (), output)
    for line in report.skipped:
        session.note(f"skipped: {line}")
    _note_without_effect(session, report)
    if not is_shown:
        _complain(report.mistakes, text, as_json=output != "plain")
        _report_failures(session, report, in_one=output != "plain")
    if output == "plain" and report.read > 1 and not skips and report.has_unsupported:
        session.note("hint: --skip-unsupported leaves out what mqx lacks, and lists it")
    return _status_of(report)


def _run_elsewhere(session: Session, text: str, name: str) -> mqsc.MqscReport:
    """Send the commands of a text to a queue manager elsewhere, after a question if they change something."""
    changes = mqsc.changes_something(text)
    with session.connect_elsewhere(changes=changes) as connection:
        if changes:
            number = sum(command.outcome != mqsc_report.SYNTAX for command in mqsc.check_mqsc(text).commands)
            session.confirm_elsewhere(f"run {counted(number, 'command')}")
        return run_elsewhere(connection.escape, connection.pcf, text, name)


def _programs(session: Session, connection: Connection) -> mqsc.Programs:
    """Return what does the commands that need a program or a partner: START CHANNEL and PING CHANNEL."""

    def start(name: str) -> Response:
        line = [*AGAIN, "-m", connection.path, "channel", "start", name]
        subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        return Response([message("AMQ8018I")])

    def ping(name: str) -> Response:
        caller.ping(connection, name, to=None, note=session.note)
        return Response([message("AMQ8020I")])

    return {("START", "CHANNEL"): start, ("PING", "CHANNEL"): ping}


def _report_failures(session: Session, report: mqsc.MqscReport, *, in_one: bool) -> None:
    """Print one line on stderr for each command that failed; one for all of them where the output is JSON."""
    failed = [command for command in report.commands if command.outcome == mqsc_report.FAILED]
    if not failed:
        return
    if in_one or report.read == 1:
        first = failed[0]
        words = "the command" if report.read == 1 else f"{len(failed)} of {report.read} commands"
        cause = first.response.error
        text = f"{words} failed" if cause is None or report.read > 1 else f"{_first_line(first)}: {cause.text}"
        session.report_error(MQError(text, first.reason, hint=None if cause is None else cause.hint))
        return
    for command in failed:
        error = command.response.error
        text, hint = ("failed", None) if error is None else (error.text, error.hint)
        session.report_error(MQError(f"line {command.line}: {_first_line(command)}: {text}", command.reason, hint=hint))


def _first_line(command: mqsc.CommandReport) -> str:
    line = " ".join(command.source.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"


def _converse(session: Session, *, no_trash: bool = False) -> int:
    """Run each command when it is complete, until END or end of input."""
    output = session.output or "plain"
    done = mqsc.MqscReport([])
    with session.connect() as connection:
        configure_trash(connection, no_trash=no_trash)
        for text in _commands_typed():
            report = mqsc.run_mqsc(connection, text, "<stdin>", programs=_programs(session, connection))
            for command in report.commands:
                if output != "plain":
                    output_rows.print_rows(session, mqsc.as_json(mqsc.MqscReport([command])), (), "jsonl")
                    continue
                for line in (*command.messages, *_displayed(command)):
                    command_session.write_out(f"{visible(line)}\n".encode())
            done.commands.extend(report.commands)
    for line in summary(done.read, done.syntax_errors, done.failed):
        session.note(line)
    _note_without_effect(session, done)
    return _status_of(done)


def _note_without_effect(session: Session, report: mqsc.MqscReport) -> None:
    if report.without_effect:
        session.note(f"no effect in mqx: {', '.join(report.without_effect)}")


def _displayed(command: mqsc.CommandReport) -> Iterator[str]:
    for item in command.objects:
        yield from display_block(item.title, item.pairs)


def _commands_typed() -> Iterator[str]:
    """Yield commands typed at the terminal, a continued one with its further lines."""
    import readline  # noqa: F401 - input() edits lines with it

    lines: list[str] = []
    while True:
        try:
            line = input(_CONTINUED if lines else _PROMPT)
        except EOFError:
            command_session.print_error_line("")
            return
        if not lines and line.strip(BLANKS + ";").upper() in _END:
            return
        lines.append(line)
        if line.rstrip(BLANKS).endswith(("+", "-")) and not line.lstrip(BLANKS).startswith("*"):
            continue
        yield "\n".join(lines)
        lines = []


def _complain(mistakes: list[SyntaxMistake], text: str, *, as_json: bool) -> None:
    """Print every mistake on stderr with its line and a caret, and then their number."""
    if not mistakes:
        return
    findings = [Finding(each.file, each.line, each.column, each.text) for each in mistakes]
    if as_json:
        print_findings_as_json({"errors": findings})
        return
    lines = text.removeprefix("\ufeff").split("\n")
    for finding in findings:
        print_finding(finding, lines)
    command_session.print_error_line(counted(len(mistakes), "mistake"))


def _status_of(report: mqsc.MqscReport) -> int:
    """Return the exit status of a run: 9 when some commands failed, that of the reason when all failed alike."""
    failures = [exit_status(command.reason, 2) for command in report.commands if command.outcome == mqsc_report.FAILED]
    mistakes = [USAGE] * report.syntax_errors
    if not failures:
        return USAGE if mistakes else DONE
    if report.read > len(failures) + len(mistakes):
        return PARTLY
    statuses = {*failures, *mistakes}
    return statuses.pop() if len(statuses) == 1 else FAILED

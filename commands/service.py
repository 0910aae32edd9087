"""``mqx service``: run a command as a service of systemd."""

from __future__ import annotations

import os

import click

from mqtools.admin import service_runs, services, supervision
from mqtools.configuration.locate import find
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR
from mqtools.errors import MQError
from mqtools.formats.units import parse_duration_s

from .shared import click_options
from .shared.command_session import Session, UsageError, write_out
from .shared.group import CommandGroup
from .shared.program import AGAIN
from .shared.service_signals import ServiceSignals

#: Commands that run until they are stopped, with their subcommands.
_SERVICES = {
    "dlq-handle": (),
    "channel": ("start", "listen"),
    "serve": (),
    "pipeline": ("stream",),
    "get": (),
    "sub": (),
}

_OBJECT_TYPES = (service_runs.LISTENER, service_runs.SERVICE)
#: Seconds that systemd gives a service to end, and those that it gives it after its grace.
_STOP_S, _AFTER_GRACE_S = 90, 10


@click.group("service", cls=CommandGroup)
@click_options.general
def command(session: Session) -> None:
    """Run a handler, server, listener, channel, consumer or stream as a service of systemd.

    \b
    mqx service install dlq -m QM1 dlq-handle --rules /etc/mqx/rules.tab
    mqx service install listener channel listen --port 1414
    """


@command.command("install", short_help="Write a systemd user unit", context_settings={"allow_interspersed_args": False})
@click.argument("name")
@click.argument("words", nargs=-1, required=True, metavar="COMMAND [ARGS]...", type=click.UNPROCESSED)
@click.option("--print", "only_prints", is_flag=True, help="Print the unit instead of writing it")
@click.option("--force", is_flag=True, help="Replace an existing unit")
@click_options.general
def install(session: Session, name: str, words: tuple[str, ...], only_prints: bool, force: bool) -> None:
    """Write the systemd user unit mqx-NAME.service that runs mqx COMMAND, and restarts it when it fails.

    \b
    mqx service install dlq -m QM1 dlq-handle --rules /etc/mqx/rules.tab
    mqx service install listener channel listen --port 1414
    mqx service install --print consumer get ORDERS --follow --exec ./work

    COMMAND runs until it is stopped: dlq-handle, serve, channel start, channel listen, pipeline stream,
    get --follow, sub. Options of this command come before NAME. The unit takes over MQX_HOME and the XDG folders.
    systemctl --user stop sends SIGTERM to mqx alone, and waits 90 s, or 10 s longer than a --grace of 80 s or more: the
    command ends in order and loses nothing. A command with --max-run is also started again when it has ended with 0.

    Exit status: 0 written; 2 not a command for a service, or the unit exists; 5 unknown queue manager; 8 read-only.
    """
    words = words[1:] if words[0] == "--" else words
    _check(words)
    if session.qmgr is not None or "-m" in words:
        find(session.qmgr or words[words.index("-m") + 1 : words.index("-m") + 2][0])
    general = ["-m", session.qmgr] if session.qmgr else []
    line = [*AGAIN, *general, *words]
    kept = {variable: os.environ[variable] for variable in services.VARIABLES if os.environ.get(variable)}
    ends = any(word.partition("=")[0] == "--max-run" for word in words)  # with 0, to be started again
    restart = "always" if ends else "on-failure"
    text = services.unit_text(name, line, kept, stop_s=_stop_s(words), restart=restart)
    try:
        if only_prints:
            services.unit_path(name)
            write_out(text.encode("utf-8", "surrogateescape"))
            return
        path = services.install(name, text, force=force)
    except MQError as error:
        if error.reason not in (MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR):
            raise
        raise UsageError(error.text, error.hint) from error
    session.note(f"written: {path}")
    session.note(f"hint: systemctl --user daemon-reload && systemctl --user enable --now mqx-{name}")


@command.command("supervise", short_help="Run a LISTENER or SERVICE object")
@click.argument("object_type", metavar="LISTENER|SERVICE")
@click.argument("name")
@click.option("--stop", "stops", is_flag=True, help="Run the stop command of a service of type COMMAND")
@click_options.general
def supervise(session: Session, object_type: str, name: str, stops: bool) -> int:
    """Run the LISTENER or SERVICE object NAME, as START LISTENER and START SERVICE have it run in the background.

    \b
    mqx service supervise LISTENER L1
    mqx mqsc 'START LISTENER(L1)'

    The second command does the first in the background. The process is started again after a crash: after 1 s, then
    after pauses of up to 60 s. It ends in order with STOP, with the queue manager, and with SIGTERM and SIGINT. What
    happens is in the error log: mqx log.

    Exit status: 0 ended; 3 no START waits for it; 5 unknown object or queue manager; 130 after SIGINT.
    """
    object_type = object_type.upper()
    if object_type not in _OBJECT_TYPES:
        raise UsageError(f"{object_type} is neither LISTENER nor SERVICE")
    with session.connect() as connection:
        if stops or not service_runs.has_process(connection, object_type, name):
            supervision.run_command(connection, name, stops=stops)
            return 0
        supervisor = supervision.Supervisor(connection, object_type, name)
        with ServiceSignals(supervisor.request_end) as signals:
            supervisor.run()
        return signals.status if signals.came else 0


def _stop_s(words: tuple[str, ...]) -> float:
    """Return the seconds that a service has to end: more than its commands have with --grace."""
    grace_s = 0.0
    for word, after in zip(words, (*words[1:], ""), strict=True):
        option, equals, value = word.partition("=")
        if option == "--grace":
            try:
                grace_s = parse_duration_s(value if equals else after)
            except ValueError as error:
                raise UsageError(f"--grace: {error}") from error
    return max(_STOP_S, grace_s + _AFTER_GRACE_S)


def _check(words: tuple[str, ...]) -> None:
    """Raise UsageError for a command that does not run until it is stopped."""
    if "--print" in words:  # none of the commands has it
        raise UsageError("--print comes before NAME: what follows NAME belongs to the service")
    plain = list(words)
    while plain[:1] in (["-m"], ["--qmgr"]):
        plain = plain[2:]
    subcommands = _SERVICES.get(plain[0]) if plain else None
    if subcommands is None or (subcommands and plain[1:2] and plain[1] not in subcommands):
        known = ", ".join(f"{name} {below}".strip() for name, subs in _SERVICES.items() for below in subs or ("",))
        given = " ".join(word for word in plain[:2] if not word.startswith("-"))
        raise UsageError(f"{given} is not a command that runs until it is stopped", f"one of: {known}")

"""``mqx run``: run an unmodified program written for pymqi or ibmmq."""

from __future__ import annotations

from typing import Any

import click

from mqtools.bindings import programs
from mqtools.clients.client.locations import places_of
from mqtools.configuration import locate
from mqtools.configuration.remotes import find

from .shared import click_options, command_session
from .shared.command_session import Session, UsageError
from .shared.elsewhere import check_change


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.argument("program", required=False)
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--python", metavar="PYTHON", help="Python for PROGRAM: a path, a command, or a venv folder")
@click.option("--check-channel", is_flag=True, help="Refuse clients as a queue manager does: channel, port, CHLAUTH")
@click.option("--print-path", "only_path", is_flag=True, help="Print the folder for PYTHONPATH, and exit")
@click_options.general_elsewhere
def command(session: Session, program: str | None, arguments: tuple[str, ...], only_path: bool, **given: Any) -> None:
    """Run PROGRAM, written for pymqi or ibmmq, against a queue manager of mqx instead of a server.

    \b
    mqx run app.py
    mqx run -m QM1 app.py --orders 5
    mqx run pytest tests
    mqx run --python .venv app.py
    mqx run --check-channel app.py
    PYTHONPATH=$(mqx run --print-path) python app.py

    PROGRAM is a Python file, a folder with a __main__.py, or a command such as pytest or python. It runs unmodified:
    its calls of pymqi or ibmmq use the queue manager that it names, found as for -m. -m is the default for a program
    that names none. An installed pymqi is used without its client library, otherwise a stand-in; ibmmq must be
    installed (pip install ibmmq).

    DISPLAY CONN and DISPLAY CHSTATUS show the channel, host, port and user that a program names. mqx accepts any,
    unless --check-channel is given. Then the channel must be a defined SVRCONN (2540, 2539), and CHLAUTH must not block
    it. A user with a password (mqx user) must give the right one (2035). The port must be that of a LISTENER object, or
    1414 if there is none (2538). Without a password, the owner of the file must run the program. A SVRCONN that was
    stopped is always refused (2537).

    With -m of a remote or an mq: address the calls of the program are made there, without IBM's client library. It must
    be read-write, since the program can change messages. -m mq: is the queue manager that the program itself names by
    channel and address, or that of MQSERVER, MQCCDTURL, or MQCHLLIB and MQCHLTAB. User and password are those that the
    program gives. Asynchronous consumers (MQCB) are not supported there.

    Python programs run with the python of $VIRTUAL_ENV, else with python or python3 on PATH, unless --python is given;
    it must be Python 3.11 or later, and does not need mqx installed. An executable file, such as .venv/bin/app, runs
    with the interpreter in its first line.

    Options of mqx come before PROGRAM; all further words belong to the program. The exit status is that of the program.

    Not supported: TLS to a real server, clusters, security exits, distribution lists.
    """
    if only_path:
        command_session.write_line(programs.FOLDER)
        return
    if program is None:
        raise UsageError("PROGRAM is required", "mqx run app.py")
    remote = _elsewhere(session, program) if session.is_elsewhere else ""
    q_mgr = None if session.qmgr is None or remote else locate.find(session.qmgr)
    try:
        programs.run(program, arguments, q_mgr, given["python"], checks_channel=given["check_channel"], remote=remote)
    except OSError as error:
        words = f"{error.filename or program}: {error.strerror}"
        raise UsageError(words, "mqx run app.py, mqx run pytest tests") from error


def _elsewhere(session: Session, program: str) -> str:
    """Return what has the calls of a program made elsewhere, after a question."""
    name = locate.requested_qmgr(session.qmgr)[0] or ""
    remote = find(name)
    check_change(remote, read_write=session.read_write)
    session.elsewhere = name
    session.confirm_elsewhere(f"run {program}, which can change messages,")
    places_of(remote)  # raises its mistakes here
    return name

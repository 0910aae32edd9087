"""``mqx run``: run an unmodified program written for pymqi or ibmmq."""

from __future__ import annotations

import click

from mqtools.bindings import programs
from mqtools.configuration import locate

from .shared import click_options, command_session
from .shared.command_session import Session, UsageMistake


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.argument("program", required=False)
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
@click.option("--python", metavar="PYTHON", help="Python for PROGRAM: a path, a command, or a venv folder")
@click.option("--print-path", "only_path", is_flag=True, help="Print the folder for PYTHONPATH, and exit")
@click_options.general
def command(
    session: Session, program: str | None, arguments: tuple[str, ...], python: str | None, only_path: bool
) -> int:
    """Run PROGRAM, written for pymqi or ibmmq, against a queue manager of mqx instead of a server.

    \b
    mqx run app.py
    mqx run -m QM1 app.py --orders 5
    mqx run pytest tests
    mqx run --python .venv app.py
    PYTHONPATH=$(mqx run --print-path) python app.py

    PROGRAM is a Python file, a folder with a __main__.py, or a command such as pytest or python. It runs as it is: what
    it imports as pymqi or ibmmq works on the queue manager that it names, which is looked up as -m is; -m is the one it
    gets when it names none. Host, port, channel, user and password are taken and not used. A pymqi that is installed
    is used without its client library, and a stand-in where none is; ibmmq has to be installed (pip install ibmmq).

    Python programs run with the python of $VIRTUAL_ENV, else with python or python3 on PATH, unless --python names
    another; it must be Python 3.11 or later, and needs nothing of mqx installed. A file that is executable, such as
    .venv/bin/app, runs with the interpreter of its first line.

    Options of mqx stand before PROGRAM; all that follows is the program's. The status is the program's.

    Not there: TLS to a real server, clusters, security exits, distribution lists.
    """
    if only_path:
        return _print_path()
    if program is None:
        raise UsageMistake("PROGRAM is required", "mqx run app.py")
    return _run_program(session, program, arguments, python)


def _print_path() -> int:
    """Print the folder with the stand-in modules."""
    command_session.write_line(programs.FOLDER)
    return command_session.DONE


def _run_program(session: Session, program: str, arguments: tuple[str, ...], python: str | None) -> int:
    """Replace this process by the program. Raise MQError for an unknown queue manager, UsageMistake."""
    q_mgr = None if session.qmgr is None else locate.find(session.qmgr)
    try:
        programs.run(program, arguments, q_mgr, python)
    except OSError as error:
        words = f"{error.filename or program}: {error.strerror}"
        raise UsageMistake(words, "mqx run app.py, mqx run pytest tests") from error
    return command_session.DONE

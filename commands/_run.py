"""What ``mqx run`` does once its line is understood: find the program and become it."""

from __future__ import annotations

from mqtools.bindings import programs
from mqtools.configuration import locate

from .shared import command_session
from .shared.command_session import Session, UsageMistake


def print_path() -> int:
    """Write the folder that has the modules by the names that programs import."""
    command_session.write_line(programs.FOLDER)
    return command_session.DONE


def run_program(session: Session, program: str, arguments: tuple[str, ...], python: str | None) -> int:
    """Become the program. Raises MQError for a queue manager that does not exist, UsageMistake for a program."""
    q_mgr = None if session.qmgr is None else locate.find(session.qmgr)
    try:
        programs.run(program, arguments, q_mgr, python)
    except OSError as error:
        words = f"{error.filename or program}: {error.strerror}"
        raise UsageMistake(words, "mqx run app.py, mqx run pytest tests") from error
    return command_session.DONE

"""What ``mqx run`` does once its line is understood: find the program and become it."""

from __future__ import annotations

from mqtools.bindings import running
from mqtools.qmgr import locate

from . import _session
from ._session import Session, UsageMistake


def print_path() -> int:
    """Write the folder that has the modules by the names that programs import."""
    _session.write_line(running.FOLDER)
    return _session.DONE


def run_program(session: Session, program: str, arguments: tuple[str, ...]) -> int:
    """Become the program. Raises MQError for a queue manager that does not exist, UsageMistake for a program."""
    q_mgr = None if session.qmgr is None else locate.find(session.qmgr)
    try:
        running.run(program, arguments, q_mgr)
    except OSError as error:
        raise UsageMistake(f"{program}: {error.strerror}", "mqx run app.py, mqx run pytest tests") from error
    return _session.DONE

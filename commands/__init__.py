"""The ``mqx`` command: entry point and dispatch to the subcommands.

``_subcommands`` has the table of the subcommands and their modules; a module is imported when its command is used. A
plain line of an everyday command (``mqx put ORDERS hello``) does not load the option parser: see ``_plain``.
"""

import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shared.command_session import Session


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run the command line and end the process with its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from .shared import command_session

        session = command_session.Session()
        command_session.prepare(session)
        command_session.end_process(run_line(session, given))
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # before or behind ``run_line``


def run_line(session: "Session", arguments: list[str]) -> int:
    """Run a command line; turn every error into a line on stderr and an exit status."""
    from .shared import command_session

    session.arguments = arguments
    try:
        from . import _plain

        status = _plain.run(session, arguments)
        if status is None:
            from ._cli import run

            status = run(session, arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        return command_session.CLOSED_PIPE
    except KeyboardInterrupt:
        return command_session.INTERRUPTED
    except command_session.Terminated:
        return command_session.TERMINATED
    except Exception as error:
        return command_session.report_failure(session, error)

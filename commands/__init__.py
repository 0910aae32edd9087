"""The ``mqx`` command: entry point and dispatch to the subcommands.

``_subcommands`` has the table of the subcommands and their modules; a module is imported when its command is used. A
plain line of an everyday command (``mqx put ORDERS hello``) does not load the option parser: see ``_plain``.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run the command line and end the process with its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        from .shared import command_session

        session = command_session.Session()
        command_session.prepare(session)
        command_session.end_process(command_session.run_guarded(session, given))
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # before or behind ``run_guarded``

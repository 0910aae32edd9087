"""``python -m mqtools.bindings PROGRAM [ARGS…]``: run a program as ``mqx run`` does, with this Python."""

from __future__ import annotations

import sys

from mqtools.bindings.programs import FOLDER, run


def main(arguments: list[str]) -> int:
    """Execute the program in place of this process; return 2 if there is none."""
    if arguments[:1] == ["--print-path"]:
        sys.stdout.write(FOLDER + "\n")
        return 0
    if not arguments:
        sys.stderr.write("usage: python -m mqtools.bindings PROGRAM [ARGS…] | --print-path\n")
        return 2
    try:
        run(arguments[0], arguments[1:], python=sys.executable)
    except OSError as error:
        sys.stderr.write(f"mqtools.bindings: {arguments[0]}: {error.strerror}\n")
    return 2


sys.exit(main(sys.argv[1:]))

"""Check of the Python version, imported first, in syntax that an older Python can compile too."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - programs run with the Python of their environment
    raise ImportError(
        "mqx needs Python 3.11 or later for pymqi and ibmmq; %s is Python %d.%d: "  # noqa: UP031
        "name another one with mqx run --python" % (sys.executable, sys.version_info[0], sys.version_info[1])
    )

"""Job control of the terminal: whether anybody would resume this process after ctrl+z."""

from __future__ import annotations

import os


def is_resumable() -> bool:
    """Return whether a shell would resume this process once it has stopped.

    The kernel discards SIGTSTP in an orphaned process group: one in which no parent belongs to another group of the
    same session, such as the group of a session leader that a terminal emulator has started.
    """
    try:
        has_shell = os.getsid(os.getppid()) == os.getsid(0)
    except OSError:
        return False
    return has_shell and os.getpgrp() != os.getsid(0)

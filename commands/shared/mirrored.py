"""Mirror of a queue manager elsewhere in a temporary folder, for what only reads a file of ours."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from mqtools.admin.new_queue_manager import create_private
from mqtools.operations.elsewhere.mirror import Mirror
from mqtools.operations.session_upkeep import close_file

from .guarded_connection import GuardedConnection


@contextmanager
def temporary_mirror(there: GuardedConnection) -> Iterator[Mirror]:
    """Yield an empty mirror; its file goes at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="mqx-", ignore_cleanup_errors=True) as folder:
        here = create_private(os.path.join(folder, "mirror.db"), there.name, there.q_mgr_id)
        try:
            yield Mirror(here, there, there.pcf, there.dead_letter_q())
        finally:
            close_file(here)

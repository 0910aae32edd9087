"""Files of queue managers that a process has open: kept open between connections, closed together at its end."""

from __future__ import annotations

from mqtools.store.open_files import begin_process as begin_process
from mqtools.store.open_files import close_all as close_all

"""Files of queue managers that a process has open: kept open between connections, closed together at its end."""

from __future__ import annotations

from mqtools.store.file_warnings import show_by as show_by
from mqtools.store.open_files import close_all as close_all
from mqtools.store.open_files import keep_all as keep_all

"""The MQI verbs: connection and object handles, put, get, units of work, message handles, waiting, signals."""

from mqtools.store.open_files import begin_process as begin_process
from mqtools.store.open_files import close_all as close_all

"""Words of values that several tables of attributes have."""

from __future__ import annotations

from mqtools.constants import administration, objects

NO_YES = (("NO", 0), ("YES", 1))
#: Whether events of a kind are written.
EVENT = (("ENABLED", administration.MQEVR_ENABLED), ("DISABLED", administration.MQEVR_DISABLED))
MONITORING = (
    ("QMGR", objects.MQMON_Q_MGR),
    ("OFF", objects.MQMON_OFF),
    ("LOW", objects.MQMON_LOW),
    ("MEDIUM", objects.MQMON_MEDIUM),
    ("HIGH", objects.MQMON_HIGH),
)

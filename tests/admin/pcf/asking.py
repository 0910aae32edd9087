"""Parameters of PCF commands on queues, and names in their replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqtools.constants import objects as o
from mqtools.headers.pcf import CFIN, CFST


def named(name: str, number: int = o.MQCA_Q_NAME) -> CFST:
    return CFST(number, name.encode())


def names_in(replies: Sequence[dict[int, Any]], number: int = o.MQCA_Q_NAME) -> list[str]:
    return [reply[number].rstrip() for reply in replies]


LOCAL = CFIN(o.MQIA_Q_TYPE, o.MQQT_LOCAL)
ALIAS = CFIN(o.MQIA_Q_TYPE, o.MQQT_ALIAS)

"""Two queue managers with a channel between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

NAME = "QM1.TO.QM2"


@pytest.fixture
def define_pair(mqx: Callable[..., Any], qm: str) -> Callable[[str], None]:
    """Define the remote queue ORDERS and a sender with these attributes on QM1, ORDERS and a receiver on QM2."""

    def define(sender: str) -> None:
        mqx("qmgr", "create", "QM2", check=True)
        mqx(
            "mqsc",
            "-m",
            "QM1",
            "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(QM2) XMITQ(QM2)",
            "DEFINE QLOCAL(QM2) USAGE(XMITQ)",
            f"DEFINE CHANNEL({NAME}) CHLTYPE(SDR) XMITQ(QM2) {sender}",
            check=True,
        )
        mqx("mqsc", "-m", "QM2", "DEFINE QLOCAL(ORDERS)", f"DEFINE CHANNEL({NAME}) CHLTYPE(RCVR)", check=True)

    return define


@pytest.fixture
def pair(define_pair: Callable[[str], None]) -> str:
    """QM1 with a remote queue ORDERS and a sender, QM2 with ORDERS and a receiver; the way to it as --to takes it."""
    define_pair("CONNAME('qmgr:QM2') SHORTTMR(1)")
    return "qmgr:QM2"

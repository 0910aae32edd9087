"""What is put at one end of a channel and got at the other, and what its status says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .conftest import NAME

Run = Callable[..., Any]


def one(mqx: Run, *arguments: str) -> Any:
    """Run a command on the queue manager that sends."""
    return mqx(*arguments, "-m", "QM1")


def put(mqx: Run, *data: str) -> None:
    mqx("put", "ORDERS", *data, "--persistent", "-m", "QM1", check=True)


def got(mqx: Run) -> list[bytes]:
    done = mqx("get", "ORDERS", "--all", "-m", "QM2")
    return done.out.splitlines()


def status_of(mqx: Run, q_mgr_name: str) -> dict[str, Any]:
    (found,) = json.loads(mqx("channel", "status", NAME, "-m", q_mgr_name, "-o", "json", check=True).out)
    assert isinstance(found, dict)
    return found

"""MQSUB and MQSUBRQ: not yet."""

from __future__ import annotations

from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from mqtools.errors import MQError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mqtools.bindings.sessions import Session


def subscribe(session: Session, sd: bytes, ho: int) -> tuple[Any, ...]:  # noqa: ARG001
    """MQSUB."""
    raise MQError("there are no subscriptions", MQRC_FUNCTION_NOT_SUPPORTED)


def request(session: Session, hsub: int, action: int, sro: bytes) -> tuple[Any, ...]:  # noqa: ARG001
    """MQSUBRQ."""
    raise MQError("there are no subscriptions", MQRC_FUNCTION_NOT_SUPPORTED)

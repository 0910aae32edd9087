"""The publications of a subscription."""

from __future__ import annotations

import pytest


def everything(pymqi, sub):
    """Get until there is nothing more; return the data."""
    found = []
    with pytest.raises(pymqi.MQMIError, match="MQRC_NO_MSG_AVAILABLE"):  # noqa: PT012 - any of the gets may be last
        while True:
            found.append(sub.get(None, pymqi.MD(), pymqi.GMO()))
    return found

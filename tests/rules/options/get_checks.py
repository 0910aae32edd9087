"""Checks of the options of a get on z/OS, where all of them can be used."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.constants import options as mq
from mqtools.errors import MQError
from mqtools.rules.options.get import check_get_options

#: Ways to open that allow every get.
FOR_ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_CO_OP
#: MatchOptions as MQGMO_DEFAULT has it.
BOTH = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID


def gmo(*names: str) -> int:
    """Return options of a get by their names without MQGMO_."""
    return sum({getattr(mq, f"MQGMO_{name}") for name in names})


def get(options: int, open_options: int = FOR_ALL, *, match_options: int = BOTH, **fields: Any) -> None:
    """Check the options of a get."""
    check_get_options(options, match_options, open_options, **{"profile": "zos", **fields})


def refusal(options: int, open_options: int = FOR_ALL, **fields: Any) -> MQError:
    """Return the error that the options of a get raise."""
    with pytest.raises(MQError) as caught:
        get(options, open_options, **fields)
    return caught.value

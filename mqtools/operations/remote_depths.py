"""Depths of the queues of a queue manager elsewhere, from two inquiries by PCF for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import (
    MQCA_BASE_Q_NAME,
    MQCA_Q_NAME,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_INHIBIT_GET,
    MQIA_INHIBIT_PUT,
    MQIA_MAX_Q_DEPTH,
    MQIA_MSG_DELIVERY_SEQUENCE,
    MQIA_OPEN_INPUT_COUNT,
    MQIA_OPEN_OUTPUT_COUNT,
    MQIA_Q_TYPE,
    MQIA_USAGE,
    MQMDS_PRIORITY,
    MQQT_ALIAS,
    MQQT_LOCAL,
    MQUS_TRANSMISSION,
)
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.headers.pcf import CFIL, CFIN, CFST, Parameter
from mqtools.rules.object_names import SYSTEM_PREFIX, matches_name

#: Values of a reply by their selectors.
Values: TypeAlias = dict[int, object]
#: Sends a command and returns the values of each reply; none where no object matches.
Inquire: TypeAlias = Callable[[int, Sequence[Parameter]], list[Values]]

_DEFINITION = (MQCA_Q_NAME, MQIA_Q_TYPE, MQIA_MAX_Q_DEPTH, MQIA_CURRENT_Q_DEPTH, MQCA_BASE_Q_NAME)
_DISPLAYED = (MQIA_INHIBIT_PUT, MQIA_INHIBIT_GET, MQIA_USAGE, MQIA_MSG_DELIVERY_SEQUENCE)
_STATUS = (
    MQCA_Q_NAME,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_OPEN_INPUT_COUNT,
    MQIA_OPEN_OUTPUT_COUNT,
    c.MQIACF_OLDEST_MSG_AGE,
    c.MQIACF_UNCOMMITTED_MSGS,
    c.MQCACF_LAST_PUT_DATE,
    c.MQCACF_LAST_PUT_TIME,
    c.MQCACF_LAST_GET_DATE,
    c.MQCACF_LAST_GET_TIME,
)


def depths(inquire: Inquire, patterns: Sequence[str], dead_letter_q: Callable[[], str]) -> list[dict[str, object]]:
    """Return rows as ``admin.depths.depths`` does. A queue manager elsewhere does not tell locks: None.

    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME for a name without a local queue.
    """
    wanted = patterns or ("*",)
    name = wanted[0] if len(wanted) == 1 else "*"
    generic = name.partition("*")[0] + "*" * ("*" in name)  # PCF has an asterisk only at the end
    defined = _definitions(inquire, generic, _DEFINITION)
    chosen = _choose(defined, wanted, patterns, dead_letter_q() if "*" in generic else "")
    if "*" not in generic and chosen:
        generic = next(iter(chosen))
    status = _statuses(inquire, generic)
    # A reply queue of these inquiries is in one answer only.
    return [_row(name, {**defined[name], **status[name]}) for name in sorted(chosen) if name in status]


def overview(inquire: Inquire, dead_letter_q: str) -> list[dict[str, object]]:
    """Return rows of all local queues as ``views.queue_overview.overview`` does.

    by_priority: they deliver by priority.
    """
    status = _statuses(inquire, "*")
    return [
        {
            **_displayed_row(name, {**values, **status[name]}),
            "inhibit_put": bool(_number(values, MQIA_INHIBIT_PUT)),
            "inhibit_get": bool(_number(values, MQIA_INHIBIT_GET)),
            "is_transmission": _number(values, MQIA_USAGE) == MQUS_TRANSMISSION,
            "is_dead_letter": name == dead_letter_q,
            "by_priority": _number(values, MQIA_MSG_DELIVERY_SEQUENCE) == MQMDS_PRIORITY,
        }
        for name, values in sorted(_definitions(inquire, "*", (*_DEFINITION, *_DISPLAYED)).items())
        if values.get(MQIA_Q_TYPE) == MQQT_LOCAL and name in status
    ]


def renew_row(inquire: Inquire, row: dict[str, object]) -> None:
    """Read the status of the queue of a row of ``overview`` again; leave the row as it is when the queue is gone."""
    name = str(row["name"])
    for values in _statuses(inquire, name).values():
        row.update(_displayed_row(name, {MQIA_MAX_Q_DEPTH: row["max_depth"], **values}))


def _displayed_row(name: str, values: Values) -> dict[str, object]:
    return {**_row(name, values), "uncommitted": _number(values, c.MQIACF_UNCOMMITTED_MSGS) or 0, "locked": 0}


def _definitions(inquire: Inquire, generic: str, attributes: Sequence[int]) -> dict[str, Values]:
    return _by_name(
        inquire(c.MQCMD_INQUIRE_Q, [CFST(MQCA_Q_NAME, generic.encode()), CFIL(c.MQIACF_Q_ATTRS, attributes)])
    )


def _statuses(inquire: Inquire, generic: str) -> dict[str, Values]:
    return _by_name(
        inquire(
            c.MQCMD_INQUIRE_Q_STATUS,
            [
                CFST(MQCA_Q_NAME, generic.encode()),
                CFIN(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_STATUS),
                CFIL(c.MQIACF_Q_STATUS_ATTRS, _STATUS),
            ],
        )
    )


def _by_name(replies: list[Values]) -> dict[str, Values]:
    return {str(values[MQCA_Q_NAME]): values for values in replies if MQCA_Q_NAME in values}


def _choose(defined: dict[str, Values], wanted: Sequence[str], patterns: Sequence[str], dead_letter_q: str) -> set[str]:
    """Return the names of the local queues that match, as ``admin.depths`` chooses them."""
    chosen: set[str] = set()
    for pattern in wanted:
        if "*" not in pattern:
            values = defined.get(pattern, {})
            base = str(values[MQCA_BASE_Q_NAME]) if values.get(MQIA_Q_TYPE) == MQQT_ALIAS else pattern
            found = {base} if defined.get(base, {}).get(MQIA_Q_TYPE) == MQQT_LOCAL else set()
        else:
            has_system = pattern.startswith(SYSTEM_PREFIX[:-1])
            found = {
                name
                for name, values in defined.items()
                if values.get(MQIA_Q_TYPE) == MQQT_LOCAL
                and matches_name(pattern, name)
                and (has_system or name == dead_letter_q or not name.startswith(SYSTEM_PREFIX))
            }
        if not found and patterns:
            words = f"no queue matches {pattern}" if "*" in pattern else f"queue {pattern} does not exist"
            raise MQError(words, MQRC_UNKNOWN_OBJECT_NAME, q_name=pattern)
        chosen |= found
    return chosen


def _row(name: str, values: Values) -> dict[str, object]:
    depth, most = _number(values, MQIA_CURRENT_Q_DEPTH) or 0, _number(values, MQIA_MAX_Q_DEPTH) or 0
    age = _number(values, c.MQIACF_OLDEST_MSG_AGE)
    return {
        "name": name,
        "depth": depth,
        "max_depth": most,
        "percent_full": round(100 * depth / most, 1) if most else 100.0,
        "uncommitted": _number(values, c.MQIACF_UNCOMMITTED_MSGS),
        "locked": None,
        "oldest_age_s": None if age is None or age < 0 or not depth else float(age),
        "open_input": _number(values, MQIA_OPEN_INPUT_COUNT),
        "open_output": _number(values, MQIA_OPEN_OUTPUT_COUNT),
        "last_put": _at_ms(values, c.MQCACF_LAST_PUT_DATE, c.MQCACF_LAST_PUT_TIME),
        "last_get": _at_ms(values, c.MQCACF_LAST_GET_DATE, c.MQCACF_LAST_GET_TIME),
        "oldest_lock_s": None,
        "oldest_uow_s": None,
        "without_lease": None,
    }


def _number(values: Values, selector: int) -> int | None:
    value = values.get(selector)
    return value if isinstance(value, int) else None


def _at_ms(values: Values, date: int, clock: int) -> int | None:
    """Return a date and time as milliseconds since 1970; they are taken as local time. None where there is none."""
    with suppress(ValueError, OverflowError):
        parsed = time.strptime(f"{values.get(date)} {values.get(clock)}", "%Y-%m-%d %H.%M.%S")
        return round(time.mktime(parsed) * 1000)
    return None

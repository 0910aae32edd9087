"""The exit status of a command follows from completion code and reason."""

from __future__ import annotations

import pytest

from mqtools.constants import reasons as rc
from mqtools.rules.exit_status import STATUS_OF_FAILURE, STATUS_OF_WARNING, exit_status

#: reason, completion code, exit status: the contract scripts rely on, then what follows from its words.
CONTRACT = [
    (0, 0, 0),
    (2033, 2, 3),
    (2079, 1, 4),
    (2110, 1, 4),
    (2119, 1, 4),
    (2241, 1, 4),
    (2242, 1, 4),
    (2085, 2, 5),
    (2087, 2, 5),
    (2058, 2, 5),
    (2059, 2, 5),
    (2042, 2, 6),
    (2209, 1, 6),
    (2209, 2, 6),
    (2053, 2, 7),
    (2030, 2, 7),
    (2031, 2, 7),
    (2080, 1, 7),
    (2080, 2, 7),
    (2016, 2, 8),
    (2051, 2, 8),
    (2035, 2, 8),
    (2102, 2, 10),
    (2192, 2, 10),
    # judgement
    (2009, 2, 5),
    (2273, 2, 1),
    (2086, 2, 5),
    (2082, 2, 5),
    (2052, 2, 5),
    (2218, 2, 7),
    (2056, 2, 10),
    (2101, 2, 10),
    (2459, 2, 2),
    (2195, 2, 1),
    (2241, 2, 1),
    (2014, 2, 1),
    (2003, 1, 1),
    (2003, 2, 1),
]


@pytest.mark.parametrize(("reason", "comp_code", "status"), CONTRACT)
def test_exit_status_is_as_the_contract_says(reason: int, comp_code: int, status: int) -> None:
    assert exit_status(reason, comp_code) == status


def test_every_failure_has_a_status_that_is_neither_success_nor_warning() -> None:
    for name, value in vars(rc).items():
        if name.startswith("MQRC_"):
            assert exit_status(value, rc.MQCC_FAILED) in {1, 2, 3, 5, 6, 7, 8, 10}


def test_every_warning_not_in_the_table_is_status_4() -> None:
    for name, value in vars(rc).items():
        if name.startswith("MQRC_") and value not in STATUS_OF_WARNING:
            assert exit_status(value, rc.MQCC_WARNING) == 4


def test_reasons_without_a_row_fail_with_status_1() -> None:
    assert rc.MQRC_OPTIONS_ERROR not in STATUS_OF_FAILURE
    assert exit_status(rc.MQRC_OPTIONS_ERROR, rc.MQCC_FAILED) == 1
    assert exit_status(999999, rc.MQCC_FAILED) == 1


def test_an_unknown_completion_code_counts_as_failure() -> None:
    assert exit_status(rc.MQRC_Q_FULL, rc.MQCC_UNKNOWN) == 7
    assert exit_status(0, rc.MQCC_UNKNOWN) == 1

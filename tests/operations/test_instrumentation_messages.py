"""Event messages in words: whatever bytes are on the queue, a row comes of them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import MQCFT_STATISTICS
from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.headers.pcf import CFBS, CFGR, CFH, CFIL, CFIL64, CFIN, CFIN64, CFSL, CFST
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.message import MQMD
from mqtools.operations.instrumentation_messages import as_lines, as_row, select_objects

MD = MQMD(put_date="20261128", put_time="10203040")
#: One of each structure, in a group in a group.
EVENT = pack_pcf(
    CFH(c.MQCMD_Q_MGR_EVENT, type=c.MQCFT_EVENT, reason=MQRC_NOT_AUTHORIZED),
    [
        CFIN(c.MQIACF_REASON_QUALIFIER, c.MQRQ_OPEN_NOT_AUTHORIZED), CFST(o.MQCA_Q_NAME, b"Q       ", 1208),
        CFGR(c.MQGACF_COMMAND_DATA, [CFGR(c.MQGACF_COMMAND_CONTEXT, [CFBS(7001, b"\x01\xff"), CFIL(9, [1, 2])])]),
        CFSL(o.MQCA_NAMES, [b"A", b"B"], 37), CFIN64(3, 1 << 40), CFIN(3, 7), CFIN(999_999, 5),
    ],
    MQENC_NATIVE,
)  # fmt: skip


def test_parameters_have_the_names_and_values_of_mq() -> None:
    row = as_row("Q", MD, EVENT)
    assert (row["event"], row["qualifier"]) == ("Not Authorized (type 2)", "MQRQ_OPEN_NOT_AUTHORIZED")
    assert (row["object"], row["at"]) == ("Q", "2026-11-28T10:20:30.400Z")
    assert row["parameters"] == {
        "MQIACF_REASON_QUALIFIER": "MQRQ_OPEN_NOT_AUTHORIZED", "MQCA_Q_NAME": "Q",
        "MQGACF_COMMAND_DATA": {
            "MQGACF_COMMAND_CONTEXT": {"MQBACF_EVENT_ACCOUNTING_TOKEN": "01FF", "MQIA_INHIBIT_GET": [1, 2]}
        },
        "MQCA_NAMES": [b"A".decode("cp037"), b"B".decode("cp037")], "MQIA_CURRENT_Q_DEPTH": [1 << 40, 7], "999999": 5,
    }  # fmt: skip


def test_a_record_has_our_names_and_its_groups_are_a_list() -> None:
    groups = [
        CFGR(c.MQGACF_Q_STATISTICS_DATA, [CFST(o.MQCA_Q_NAME, b"Q  "), CFIL64(c.MQIAMO64_PUT_BYTES, [1 << 40, 2])])
    ]
    for number in (1, 2):
        packed = pack_pcf(
            CFH(c.MQCMD_STATISTICS_Q, type=MQCFT_STATISTICS), [CFIN(701, 5), *groups * number], MQENC_NATIVE
        )
        row = as_row("Q", MD, packed)
        assert (row["event"], row["reason"]) == ("Queue statistics", None)
        values = {"q_name": "Q", "put_bytes": [1 << 40, 2]}
        assert row["parameters"] == {"701": 5, "objects": [values] * number}
        assert [bool(list(select_objects(row, names))) for names in ([], ["Q*"], ["X"])] == [True, True, False]


@given(st.binary(max_size=200) | st.tuples(st.integers(0, len(EVENT) - 1), st.integers(0, 255)), st.integers())
def test_any_bytes_are_a_row(damage: bytes | tuple[int, int], encoding: int) -> None:
    data = damage
    if isinstance(damage, tuple):
        data, encoding = EVENT[: damage[0]] + bytes([damage[1]]) + EVENT[damage[0] + 1 :], MQENC_NATIVE
    assert isinstance(data, bytes)
    row = as_row("Q", MD.replace(encoding=encoding & 0xFFFF), data)
    assert list(as_lines(row))
    assert json.dumps(row)

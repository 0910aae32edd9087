"""Records of messages that anybody may have put: values, or an error that says why not."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.administration import MQCFT_STATISTICS
from mqtools.constants.cmqcfc import MQCMD_STATISTICS_Q, MQGACF_Q_STATISTICS_DATA, MQIAMO64_PUT_BYTES
from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.objects import MQCA_Q_NAME
from mqtools.errors import MQError
from mqtools.headers.pcf import CFBS, CFGR, CFH, CFIL64, CFIN, CFST
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.message import MQMD, Message
from mqtools.operations.instrumentation_records import read_record

PARAMETERS = [
    CFIN(701, 5),
    CFGR(MQGACF_Q_STATISTICS_DATA, [CFST(MQCA_Q_NAME, b"Q   "), CFIL64(MQIAMO64_PUT_BYTES, [1 << 40, 2])]),
]
PACKED = pack_pcf(CFH(MQCMD_STATISTICS_Q, type=MQCFT_STATISTICS), PARAMETERS, MQENC_NATIVE)


def test_a_record_has_names_and_an_unknown_parameter_its_number() -> None:
    record = read_record(Message(PACKED, MQMD(encoding=MQENC_NATIVE)))
    assert record == {
        "record": "Queue statistics",
        "parameter_701": 5,
        "objects": [{"q_name": "Q", "put_bytes": [1 << 40, 2]}],
    }


@given(st.data())
def test_damaged_bytes_raise_nothing_else(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(PACKED)))
    changed = PACKED[:start] + data.draw(st.binary(max_size=20)) + PACKED[start + data.draw(st.integers(0, 20)) :]
    md = MQMD(encoding=data.draw(st.sampled_from((MQENC_NATIVE, 0, -1))), coded_char_set_id=data.draw(st.integers()))
    with suppress(MQError):
        read_record(Message(changed, md))


def test_a_value_of_another_type_than_the_record_has_is_shown_as_it_is() -> None:
    group = CFGR(MQGACF_Q_STATISTICS_DATA, [CFBS(MQCA_Q_NAME, b"\xff\0")])
    packed = pack_pcf(CFH(MQCMD_STATISTICS_Q, type=MQCFT_STATISTICS), [group], MQENC_NATIVE)
    assert read_record(Message(packed, MQMD(encoding=MQENC_NATIVE)))["objects"] == [{"q_name": "FF00"}]

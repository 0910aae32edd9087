"""Descriptors: one in which every field says something, and any at all."""

from __future__ import annotations

from hypothesis import strategies as st

from mqtools.message import BYTE_FIELDS, CHARACTER_FIELDS, MQMD

FILLED = MQMD(
    report=0x80,
    msg_type=4,
    expiry=36_000,
    feedback=259,
    encoding=273,
    coded_char_set_id=500,
    format="MQSTR",
    priority=7,
    persistence=1,
    msg_id=bytes(range(24)),
    correl_id=b"C" * 24,
    backout_count=3,
    reply_to_q="REPLIES",
    reply_to_q_mgr="QM2",
    user_identifier="ana",
    accounting_token=b"\xab" * 32,
    appl_identity_data="identity",
    put_appl_type=6,
    put_appl_name="prog",
    put_date="20261110",
    put_time="14021100",
    appl_origin_data="or",
    group_id=b"G" * 24,
    msg_seq_number=2,
    offset=10,
    msg_flags=2 | 8,
    original_length=99,
)

mqlongs = st.integers(-(2**31), 2**31 - 1)


def field_values(field: str) -> st.SearchStrategy[object]:
    if field in BYTE_FIELDS:
        return st.binary(min_size=BYTE_FIELDS[field], max_size=BYTE_FIELDS[field])
    if field in CHARACTER_FIELDS:
        return st.text(max_size=CHARACTER_FIELDS[field]).map(lambda text: text.rstrip(" "))
    return mqlongs


any_md = st.fixed_dictionaries({}, optional={f: field_values(f) for f in MQMD.__slots__}).map(
    lambda fields: MQMD(**fields)  # type: ignore[arg-type]
)

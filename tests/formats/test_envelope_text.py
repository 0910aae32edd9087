"""The text of envelopes made from templates: that of the envelope itself, whatever the message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.states import LOCKED_FOR_BROWSE, UNLOCKED
from mqtools.formats.envelope.envelope import dumps, to_envelope
from mqtools.formats.envelope.text import _MOST_TEMPLATES, EnvelopeText
from mqtools.message import MQMD, Message, Property

texts = EnvelopeText("QM1")

descriptors = st.builds(
    MQMD,
    report=st.sampled_from([0, 0x700, -1, 1 << 31]),
    feedback=st.sampled_from([0, 2053, 65536]),
    expiry=st.integers(-1, 99),
    format=st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", '%s"\\', "\x1b[2J"]),
    msg_id=st.binary(min_size=24, max_size=24),
    correl_id=st.binary(min_size=24, max_size=24),
    group_id=st.binary(min_size=24, max_size=24),
    coded_char_set_id=st.sampled_from([0, 1208, 500, 1200, 99999]),
    user_identifier=st.text(max_size=4),
    put_appl_name=st.sampled_from(["100%", "%(a)s", "a\nb"]),
    put_date=st.sampled_from(["", "20261124", "²⁰²⁶", "2026%d24"]),
    put_time=st.sampled_from(["", "10000000", "١٢٣٤٥٦٧٨", '"']),
    msg_seq_number=st.integers(1, 9),
    offset=st.integers(0, 9),
    msg_flags=st.sampled_from([0, 8, 24]),
)
bodies = st.binary(max_size=40) | st.text(max_size=40).map(str.encode)


@given(descriptors, bodies, st.booleans(), st.none() | st.just(b"\x01" * 8))
def test_the_text_is_that_of_the_envelope(md: MQMD, data: bytes, has_property: bool, lock_id: bytes | None) -> None:
    message = Message(data, md, {"usr.color": Property(1024, "red\u202e")} if has_property else {})
    state = UNLOCKED if lock_id is None else LOCKED_FOR_BROWSE
    expected = dumps(to_envelope(message, qmgr="QM1", queue="Q%d", state=state, lock_id=lock_id))
    assert texts.text(message, "Q%d", state, lock_id) == expected


def test_the_beginning_follows_queue_and_state() -> None:
    message = Message(b"a", MQMD(put_date="20261124", put_time="10000000"))
    for queue, state in (("A", UNLOCKED), ("B", UNLOCKED), ("B", LOCKED_FOR_BROWSE), ("A", UNLOCKED)):
        assert texts.text(message, queue, state) == dumps(to_envelope(message, qmgr="QM1", queue=queue, state=state))


def test_no_more_templates_are_kept_than_the_limit() -> None:
    written = EnvelopeText("QM1")
    for number in range(2 * _MOST_TEMPLATES + 1):
        md = MQMD(reply_to_q=f"REPLY.{number}", put_date="20261124", put_time="10000000")
        assert f'"reply_to_q":"REPLY.{number}"' in written.text(Message(b"", md), "A", UNLOCKED)
    assert len(written._templates) <= _MOST_TEMPLATES


@pytest.mark.parametrize("data", [b"\xff", b"\xed\xa0\x80", "Zürich \u202e".encode(), b'"\\\x7f\0'])
def test_data_that_is_no_text_and_text_that_is_harmful(data: bytes) -> None:
    message = Message(data, MQMD(coded_char_set_id=1208))
    assert texts.text(message, "A", UNLOCKED) == dumps(to_envelope(message, qmgr="QM1", queue="A", state=UNLOCKED))

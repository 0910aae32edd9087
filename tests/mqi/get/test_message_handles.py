"""Message handles at gets and puts: what is in one after a get, what goes from one with a put."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.admin import queue_managers
from mqtools.constants import properties as p
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.options import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_SYNCPOINT,
    MQMO_MATCH_MSG_ID,
    MQPMO_SYNCPOINT,
)
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.message_handles.handle import MessageHandle

from ..conftest import QM, fails
from .test_property_options import CONTROLS, JMS, PLAIN, assert_rfh2, get, handle_of, put


class TestAHandle:
    @pytest.mark.parametrize("options", [MQGMO_NO_PROPERTIES, MQGMO_PROPERTIES_FORCE_MQRFH2])
    @pytest.mark.conformance("PROP-10", "PROP-12")
    def test_that_is_ignored_keeps_what_it_has(self, qm: QM, options: int) -> None:
        msg_handle = handle_of(old=1)
        put(qm, PLAIN)
        get(qm, options, msg_handle)
        assert list(msg_handle.properties) == ["old"]

    @pytest.mark.parametrize("control", CONTROLS.values(), ids=list(CONTROLS))
    @pytest.mark.conformance("PROP-19")
    def test_that_is_used_is_cleared_before(self, qm: QM, control: int) -> None:
        qm.alter("Q", property_control=control)
        msg_handle = handle_of(old=1)
        put(qm, PLAIN)
        get(qm, 0, msg_handle)
        with fails(rc.MQRC_PROPERTY_NOT_AVAILABLE):
            msg_handle.inquire("old")

    @pytest.mark.conformance("PROP-05", "PROP-19")
    def test_answers_for_the_message_got_last(self, qm: QM) -> None:
        msg_handle = handle_of(old=1)
        md = put(qm, PLAIN, priority=7)
        put(qm, {"other": Property(p.MQTYPE_BOOLEAN, True)})
        get(qm, MQGMO_PROPERTIES_IN_HANDLE, msg_handle)
        assert (msg_handle.inquire("color").value, msg_handle.inquire("n").value) == ("red", 7)
        assert msg_handle.inquire("Root.MQMD.MsgId").value == md.msg_id
        get(qm, MQGMO_PROPERTIES_IN_HANDLE, msg_handle)
        assert msg_handle.properties == {"other": Property(p.MQTYPE_BOOLEAN, True)}

    def test_has_its_property_cursor_taken_off(self, qm: QM) -> None:
        msg_handle = handle_of(a=1, b=2)
        msg_handle.inquire("%")
        put(qm, PLAIN)
        get(qm, 0, msg_handle)
        assert msg_handle.inquire("%", options=p.MQIMPO_INQ_NEXT).name == "color"

    def test_is_filled_with_the_descriptor_by_a_message_that_does_not_fit(self, qm: QM) -> None:
        put(qm, PLAIN)
        msg_handle = handle_of(old=1)
        result = get(qm, 0, msg_handle, max_length=1)
        assert result.reason == rc.MQRC_TRUNCATED_MSG_FAILED
        assert (msg_handle.properties, msg_handle.md) == (PLAIN, result.message.md)
        assert qm.depth() == 1

    def test_keeps_what_it_has_when_there_is_no_message(self, qm: QM) -> None:
        msg_handle = handle_of(old=1)
        with fails(rc.MQRC_NO_MSG_AVAILABLE):
            get(qm, 0, msg_handle)
        assert list(msg_handle.properties) == ["old"]

    def test_that_is_deleted_fails_and_nothing_happens(self, qm: QM) -> None:
        put(qm, PLAIN)
        msg_handle = MessageHandle()
        msg_handle.delete()
        with qm.open() as handle:
            with fails(rc.MQRC_HMSG_ERROR):
                handle.get(MQGMO_SYNCPOINT, md=MQMD(), msg_handle=msg_handle)
            with fails(rc.MQRC_HMSG_ERROR):
                handle.put(Message(b"more"), msg_handle=msg_handle)
            qm.main.commit()
        assert qm.data() == [b"body"]

    def test_is_in_use_during_a_get(self, qm: QM) -> None:
        put(qm, PLAIN)
        msg_handle = MessageHandle()
        with msg_handle.in_use():
            get(qm, 0, msg_handle)  # the same thread may
        assert msg_handle.properties == PLAIN

    def test_says_what_is_matched_where_there_is_no_descriptor(self, qm: QM) -> None:
        put(qm, PLAIN)
        md = put(qm, JMS)
        msg_handle = MessageHandle()
        msg_handle.set("Root.MQMD.MsgId", md.msg_id)
        result = get(qm, 0, msg_handle, md=None, match_options=MQMO_MATCH_MSG_ID)
        assert (result.message.md.msg_id, msg_handle.md.msg_id, msg_handle.properties) == (md.msg_id, md.msg_id, JMS)

    def test_takes_any_message_where_nothing_is_matched(self, qm: QM) -> None:
        first, second = put(qm, PLAIN), put(qm, PLAIN)
        msg_handle = MessageHandle()
        for md in (first, second):
            assert get(qm, 0, msg_handle, md=None).message.md.msg_id == md.msg_id

    @pytest.mark.conformance("PROP-20")
    def test_alone_cannot_have_an_mqrfh2_described(self, qm: QM) -> None:
        with fails(rc.MQRC_MD_ERROR):
            get(qm, MQGMO_PROPERTIES_FORCE_MQRFH2, MessageHandle(), md=None)
        put(qm, PLAIN)
        qm.alter("Q", property_control=p.MQPROP_FORCE_MQRFH2)
        with fails(rc.MQRC_MD_ERROR):
            get(qm, 0, MessageHandle(), md=None)
        assert qm.depth() == 1
        get(qm, MQGMO_PROPERTIES_IN_HANDLE, MessageHandle(), md=None)


class TestPutsWithAHandle:
    def test_its_properties_go_with_the_message_and_win(self, qm: QM) -> None:
        msg_handle = handle_of(color="blue", n=3)
        message = Message(b"body", MQMD(), {"color": PLAIN["color"], "kept": Property(p.MQTYPE_INT32, 1)})
        with qm.open() as handle:
            handle.put(message, msg_handle=msg_handle)
            got = handle.get().message.properties
        assert {name: value.value for name, value in got.items()} == {"color": "blue", "kept": 1, "n": 3}
        assert {name: value.value for name, value in message.properties.items()} == {"color": "red", "kept": 1}

    def test_put1_takes_one_too(self, qm: QM) -> None:
        qm.main.put1("Q", Message(b"body"), msg_handle=handle_of(n=3))
        assert qm.got()[0].message.properties["n"].value == 3

    def test_the_handle_shows_what_was_put_and_its_property_cursor_is_off(self, qm: QM) -> None:
        msg_handle = handle_of(a=1, b=2)
        msg_handle.set("Root.MQMD.Priority", 9)
        msg_handle.inquire("%")
        before = msg_handle.properties
        message = Message(b"body", MQMD(priority=2))
        qm.main.put1("Q", message, msg_handle=msg_handle)
        assert (msg_handle.properties, msg_handle.md.priority, message.md.priority) == (before, 2, 2)
        assert msg_handle.inquire("%", options=p.MQIMPO_INQ_NEXT).name == "a"

    def test_a_name_that_no_mqrfh2_could_carry_is_refused(self, qm: QM) -> None:
        msg_handle = MessageHandle(p.MQCMHO_NO_VALIDATION)
        msg_handle.set("no name at all", 1)
        with fails(rc.MQRC_PROPERTY_NAME_ERROR):
            qm.main.put1("Q", Message(b"body"), msg_handle=msg_handle)
        assert qm.depth() == 0


class TestSurvival:
    FULL = {
        "color": Property(p.MQTYPE_STRING, "rot und grün"),
        "bytes": Property(p.MQTYPE_BYTE_STRING, b"\x00\xff"),
        "nothing": Property(p.MQTYPE_NULL, None),
        "a.b": Property(p.MQTYPE_FLOAT64, 0.1, copy_options=p.MQCOPY_REPLY | p.MQCOPY_FORWARD),
        "c": Property(p.MQTYPE_INT64, -(2**63), context=p.MQPD_USER_CONTEXT, copy_options=p.MQCOPY_ALL),
    }

    @pytest.mark.conformance("PROP-21")
    def test_browse_backout_and_restart_leave_properties_as_they_are(self, qm: QM) -> None:
        put(qm, self.FULL, persistence=MQPER_PERSISTENT)
        msg_handle = MessageHandle()
        with qm.open() as handle:
            handle.get(MQGMO_SYNCPOINT, msg_handle=msg_handle)
            assert msg_handle.properties == self.FULL
            qm.main.backout()
            handle.get(MQGMO_BROWSE_FIRST, msg_handle=msg_handle)
            assert msg_handle.properties == self.FULL
        qm.main.disconnect()
        queue_managers.end(qm.path)
        queue_managers.start(qm.path)
        qm.main = qm.connect()
        with qm.open() as handle:
            handle.get(MQGMO_BROWSE_NEXT, msg_handle=msg_handle)
        assert msg_handle.properties == self.FULL

    @pytest.mark.conformance("PROP-21")
    def test_a_put_in_a_unit_of_work_has_them_after_the_commit(self, qm: QM) -> None:
        msg_handle = MessageHandle()
        msg_handle.copy_from(self.FULL)
        with qm.open() as handle:
            handle.put(Message(b"body"), MQPMO_SYNCPOINT, msg_handle=msg_handle)
            msg_handle.clear()
            qm.main.commit()
            handle.get(msg_handle=msg_handle)
        assert msg_handle.properties == self.FULL


VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8).map(
        lambda value: Property(p.MQTYPE_STRING, value)
    ),
    st.booleans().map(lambda value: Property(p.MQTYPE_BOOLEAN, value)),
    st.binary(max_size=8).map(lambda value: Property(p.MQTYPE_BYTE_STRING, value)),
    st.integers(-(2**63), 2**63 - 1).map(lambda value: Property(p.MQTYPE_INT64, value)),
    st.sampled_from([p.MQCOPY_NONE, p.MQCOPY_ALL, p.MQCOPY_REPLY]).map(
        lambda copy: Property(p.MQTYPE_INT8, -1, copy_options=copy)
    ),
)


@given(st.dictionaries(st.sampled_from(["usr.a", "usr.b", "jms.c", "own.d", "own.e"]), VALUES, min_size=1))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_in_whatever_form_properties_come_they_are_the_ones_put(qm: QM, properties: dict[str, Property]) -> None:
    put(qm, properties)
    msg_handle = MessageHandle()
    get(qm, MQGMO_BROWSE_FIRST | MQGMO_PROPERTIES_IN_HANDLE, msg_handle)
    assert msg_handle.properties == properties
    assert_rfh2(get(qm, MQGMO_BROWSE_FIRST | MQGMO_PROPERTIES_FORCE_MQRFH2), properties)
    assert get(qm, 0, msg_handle).message.data == b"body"

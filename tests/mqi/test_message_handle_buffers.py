"""Message handles and buffers: properties out of a message into a handle and back, and a model of the cursor."""

from __future__ import annotations

import pytest

from mqtools.constants import properties as p
from mqtools.constants import reasons as r
from mqtools.constants.message import MQFMT_STRING
from mqtools.message import MQMD, Property
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.rules.properties import rfh2_properties

from .handles import handle_of, refusal, walk


class TestBuffers:
    def test_out_and_in_again(self) -> None:
        handle = handle_of(a="1", f__b=2)
        handle.set("jms.Dst", "q", copy_options=p.MQCOPY_ALL)
        md, data = handle.handle_to_buffer(md=MQMD(format=MQFMT_STRING, coded_char_set_id=819))
        assert md.format == "MQHRF2"
        other = handle_of(f__b=1, old=1)
        rest_md, rest = other.buffer_to_handle(md, data + b"body")
        assert (rest_md.format, rest_md.coded_char_set_id, rest) == (MQFMT_STRING, 819, b"body")
        assert other.properties == {
            "f.b": Property(p.MQTYPE_INT64, 2),
            "old": Property(p.MQTYPE_INT64, 1),
            "jms.Dst": Property(p.MQTYPE_STRING, "q", copy_options=p.MQCOPY_ALL),
            "usr.a": Property(p.MQTYPE_STRING, "1"),
        }

    def test_without_deletion_the_buffer_stays(self) -> None:
        md, data = handle_of(a=1).handle_to_buffer()
        other = MessageHandle()
        assert other.buffer_to_handle(md, data, p.MQBMHO_NONE) == (md, data)
        assert other.inquire("a").value == 1

    def test_a_buffer_without_mqrfh2_adds_nothing(self) -> None:
        handle = handle_of(a=1)
        assert handle.buffer_to_handle(MQMD(format=MQFMT_STRING), b"body") == (MQMD(format=MQFMT_STRING), b"body")
        assert walk(handle) == ["a"]

    def test_a_name_chooses(self) -> None:
        handle = handle_of(a=1, f__a=1, f__b=1)
        deleting = p.MQMHBO_PROPERTIES_IN_MQRFH2 | p.MQMHBO_DELETE_PROPERTIES
        md, data = handle.handle_to_buffer("f.%", options=deleting)
        assert set(rfh2_properties(md, data)) == {"f.a", "f.b"}
        assert walk(handle) == ["a"]
        assert refusal(handle.handle_to_buffer, "f.%") == r.MQRC_PROPERTY_NOT_AVAILABLE

    def test_a_buffer_too_small_fails_and_changes_nothing(self) -> None:
        handle = handle_of(a=1)
        length = len(handle.handle_to_buffer()[1])
        handle.handle_to_buffer(max_length=length)
        options = p.MQMHBO_PROPERTIES_IN_MQRFH2 | p.MQMHBO_DELETE_PROPERTIES
        reason = refusal(handle.handle_to_buffer, options=options, max_length=length - 1)
        assert reason == r.MQRC_PROPERTY_VALUE_TOO_BIG
        assert walk(handle) == ["a"]

    def test_a_damaged_buffer_changes_nothing(self) -> None:
        md, data = handle_of(a=1).handle_to_buffer()
        handle = handle_of(b=1)
        assert refusal(handle.buffer_to_handle, md, data.replace(b"</a>", b"</b>")) == r.MQRC_RFH_FORMAT_ERROR
        assert refusal(handle.buffer_to_handle, md, data[:20]) == r.MQRC_RFH_ERROR
        assert walk(handle) == ["b"]

    def test_a_buffer_cannot_mix_value_and_group(self) -> None:
        md, data = handle_of(f__a__b=1).handle_to_buffer()
        assert refusal(handle_of(f__a=1).buffer_to_handle, md, data) == r.MQRC_MIXED_CONTENT_NOT_ALLOWED

    @pytest.mark.parametrize("options", [0, p.MQMHBO_DELETE_PROPERTIES, 4])
    def test_the_form_of_the_buffer_must_be_said(self, options: int) -> None:
        assert refusal(handle_of(a=1).handle_to_buffer, options=options) == r.MQRC_OPTIONS_ERROR

    def test_options_of_the_other_calls(self) -> None:
        assert refusal(MessageHandle, 3) == r.MQRC_OPTIONS_ERROR
        assert refusal(MessageHandle().delete, 1) == r.MQRC_OPTIONS_ERROR
        assert refusal(MessageHandle().buffer_to_handle, MQMD(), b"", 2) == r.MQRC_OPTIONS_ERROR

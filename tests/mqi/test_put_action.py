"""MQPMO.Action: new messages, forwards, replies and reports put with an original and a new message handle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqtools.constants import message as c
from mqtools.constants import options as o
from mqtools.constants import reasons as rc
from mqtools.constants.options import MQACTP_FORWARD, MQACTP_NEW, MQACTP_REPLY, MQACTP_REPORT
from mqtools.constants.properties import (
    MQCOPY_ALL,
    MQCOPY_DEFAULT,
    MQCOPY_FORWARD,
    MQCOPY_NONE,
    MQCOPY_REPLY,
    MQCOPY_REPORT,
)
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.mqi.put import PutResult
from mqtools.python_values import property_of

from .conftest import QM, fails

A, B, C, G = b"A" * 24, b"B" * 24, b"C" * 24, b"G" * 24
ACTIONS = {"NEW": MQACTP_NEW, "FORWARD": MQACTP_FORWARD, "REPLY": MQACTP_REPLY, "REPORT": MQACTP_REPORT}
OPEN = o.MQOO_INPUT_SHARED | o.MQOO_OUTPUT | o.MQOO_SET_ALL_CONTEXT | o.MQOO_SAVE_ALL_CONTEXT
BUFFER = b"b" * 250

Put = Callable[..., PutResult]


@pytest.fixture(params=["MQPUT", "MQPUT1"])
def put(request: pytest.FixtureRequest, qm: QM) -> Put:
    """Put on R by one call and by the other (ACT-53)."""
    connection = qm.connect()

    def by_mqput(message: Message, options: int = 0, **rest: Any) -> PutResult:
        with connection.open("R", OPEN) as queue:
            return queue.put(message, options, **rest)

    def by_mqput1(message: Message, options: int = 0, **rest: Any) -> PutResult:
        return connection.put1("R", message, options, **rest)

    return by_mqput if request.param == "MQPUT" else by_mqput1


def got(qm: QM) -> GetResult:
    (result,) = qm.got("R")
    return result


def original(md: MQMD | None = None, **properties: tuple[object, int]) -> MessageHandle:
    """A handle as a get leaves it: descriptor, and properties with a value and copy options."""
    handle = MessageHandle()
    for name, (value, copy_options) in properties.items():
        handle.set(name, property_of(value).replace(copy_options=copy_options))
    handle.copy_from(handle.properties, md or MQMD(msg_id=A, correl_id=B))
    return handle


def new(fields: dict[str, object] | None = None, **properties: object) -> MessageHandle:
    handle = MessageHandle()
    for field, value in (fields or {}).items():
        handle.set(f"Root.MQMD.{field}", value)
    for name, value in properties.items():
        handle.set(name, value)
    return handle


def composed(data: bytes = b"data") -> Message:
    """A message whose descriptor is junk that MQPMO_MD_FOR_OUTPUT_ONLY makes no use of."""
    return Message(data, MQMD(msg_type=c.MQMT_REQUEST, priority=99, correl_id=b"J" * 24, feedback=12345))


OUTPUT_ONLY = o.MQPMO_MD_FOR_OUTPUT_ONLY


def put_composed(put: Put, action: int, first: MessageHandle, second: MessageHandle | None = None, **rest: Any) -> MQMD:
    message = composed(rest.pop("data", b"data"))
    put(message, OUTPUT_ONLY | rest.pop("options", 0), action=action, original=first, msg_handle=second)
    return message.md


@pytest.mark.conformance("ACT-02", "ACT-53")
@pytest.mark.parametrize("action", [4, -1])
def test_no_other_action(put: Put, qm: QM, action: int) -> None:
    with fails(rc.MQRC_ACTION_ERROR):
        put(Message(b""), action=action, original=original())
    assert qm.depth("R") == 0


@pytest.mark.conformance("ACT-03")
def test_the_initial_action_is_new(put: Put, qm: QM) -> None:
    assert (MQACTP_NEW, MQACTP_FORWARD, MQACTP_REPLY, MQACTP_REPORT) == (0, 1, 2, 3)
    put(Message(b"x"), original=original(p=(1, MQCOPY_NONE)))
    assert got(qm).message.properties["p"].value == 1  # no other action takes a property that copies nowhere


@pytest.mark.conformance("ACT-04", "ACT-07", "ACT-21", "ACT-35", "ACT-53")
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_descriptor_given_is_used_as_it_is(put: Put, qm: QM, action: int) -> None:
    md = MQMD(msg_type=c.MQMT_DATAGRAM, correl_id=C, feedback=275)
    put(Message(b"x", md), action=action, original=original(), msg_handle=new({"Priority": 9}))
    stored = got(qm).message.md
    assert (stored.msg_type, stored.correl_id, stored.feedback, stored.priority) == (c.MQMT_DATAGRAM, C, 275, 0)
    assert stored.msg_id != A


@pytest.mark.conformance("ACT-05", "ACT-53")
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_descriptor_for_output_only_is_made_of_the_handles(put: Put, qm: QM, action: int) -> None:
    md = put_composed(put, action, original(), new({"Feedback": c.MQFB_PAN, "Priority": 4}))
    stored = got(qm).message.md
    assert stored == md
    assert (stored.priority, stored.feedback) == (4, c.MQFB_PAN)
    assert stored.correl_id in (A, B)


@pytest.mark.conformance("ACT-06")
def test_context_is_passed_on_after_the_descriptor_has_been_made(qm: QM) -> None:
    connection = qm.connect()
    with connection.open("Q", OPEN) as queue, connection.open("R", OPEN | o.MQOO_PASS_ALL_CONTEXT) as replies:
        queue.put(Message(b"q", MQMD(user_identifier="asker", put_appl_name="asking")), o.MQPMO_SET_ALL_CONTEXT)
        handle = MessageHandle()
        queue.get(msg_handle=handle)
        options = OUTPUT_ONLY | o.MQPMO_PASS_ALL_CONTEXT
        mine = new({"UserIdentifier": "me"})
        replies.put(composed(), options, action=MQACTP_REPLY, original=handle, msg_handle=mine, context=queue)
    stored = got(qm).message.md
    assert (stored.user_identifier, stored.put_appl_name) == ("asker", "asking")


@pytest.mark.conformance("ACT-08", "ACT-09", "ACT-10")
def test_new_joins_both_handles(put: Put, qm: QM) -> None:
    first = original(MQMD(priority=3, correl_id=A), p=(1, MQCOPY_NONE), q=(2, MQCOPY_DEFAULT))
    put_composed(put, MQACTP_NEW, first, new({"Priority": 7}, q=3), data=b"xyz")
    message = got(qm).message
    assert (message.md.priority, message.md.correl_id, message.data) == (7, A, b"xyz")
    assert {name: value.value for name, value in message.properties.items()} == {"p": 1, "q": 3}


@pytest.mark.conformance("ACT-11", "ACT-12", "ACT-20", "ACT-57")
def test_forward_is_the_original_with_modifications(put: Put, qm: QM) -> None:
    first = original(
        MQMD(msg_id=A, correl_id=B, report=c.MQRO_NAN, reply_to_q="Q", priority=5, persistence=1),
        kept=(1, MQCOPY_DEFAULT),
    )
    put_composed(put, MQACTP_FORWARD, first, new({"CorrelId": C, "Priority": 9}, x=2), data=b"new")
    message = got(qm).message
    md = message.md
    assert (md.msg_id, md.correl_id, md.report, md.priority, md.persistence) == (A, C, c.MQRO_NAN, 9, 1)
    assert {name: value.value for name, value in message.properties.items()} == {"kept": 1, "x": 2}
    assert message.data == b"new"


@pytest.mark.conformance("ACT-13", "ACT-14")
def test_forward_with_new_identifiers(put: Put, qm: QM) -> None:
    first = put_composed(put, MQACTP_FORWARD, original(), options=o.MQPMO_NEW_MSG_ID)
    second = put_composed(put, MQACTP_FORWARD, original(), options=o.MQPMO_NEW_CORREL_ID)
    assert first.correl_id == B
    assert first.msg_id not in (A, bytes(24))
    assert second.msg_id == A
    assert second.correl_id not in (B, bytes(24))


#: Copy option of a property to the actions that take it along; NEW takes every one.
COPIED = {
    "forward": (MQCOPY_FORWARD, {MQACTP_FORWARD}),
    "reply": (MQCOPY_REPLY, {MQACTP_REPLY}),
    "report": (MQCOPY_REPORT, {MQACTP_REPORT}),
    "none": (MQCOPY_NONE, set()),
    "every": (MQCOPY_ALL, {MQACTP_FORWARD, MQACTP_REPLY, MQACTP_REPORT}),
    "default": (MQCOPY_DEFAULT, {MQACTP_FORWARD, MQACTP_REPORT}),
}


@pytest.mark.conformance("ACT-01", "ACT-15", "ACT-33", "ACT-44", "ACT-53", "ACT-55")
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_the_action_chooses_the_properties(put: Put, qm: QM, action: int) -> None:
    first = original(**{name: (1, copy_options) for name, (copy_options, _) in COPIED.items()})
    put_composed(put, action, first, new({"Feedback": c.MQFB_PAN}, added=2))
    wanted = {name for name, (_, actions) in COPIED.items() if action == MQACTP_NEW or action in actions}
    assert set(got(qm).message.properties) == wanted | {"added"}


@pytest.mark.conformance("ACT-16", "ACT-17", "ACT-18", "ACT-19")
@pytest.mark.parametrize("action", [MQACTP_FORWARD, MQACTP_REPLY, MQACTP_REPORT], ids=["FORWARD", "REPLY", "REPORT"])
def test_a_property_of_the_new_handle_wins_and_a_null_one_removes(put: Put, qm: QM, action: int) -> None:
    first = original(changed=(1, MQCOPY_ALL), gone=(1, MQCOPY_ALL), hidden=(1, MQCOPY_NONE))
    added = new({"Feedback": c.MQFB_PAN}, changed=2, gone=None, hidden=5, nothing=None)
    put_composed(put, action, first, added)
    assert {n: v.value for n, v in got(qm).message.properties.items()} == {"changed": 2, "hidden": 5, "nothing": None}


DISCARD = c.MQRO_DISCARD_MSG
BOTH = c.MQRO_PASS_DISCARD_AND_EXPIRY | DISCARD
ANSWERS = pytest.mark.parametrize("action", [MQACTP_REPLY, MQACTP_REPORT], ids=["REPLY", "REPORT"])
PAN = {"Feedback": c.MQFB_PAN}


@pytest.mark.conformance("ACT-22", "ACT-24", "ACT-36", "ACT-38")
@ANSWERS
@pytest.mark.parametrize(
    ("asked", "report", "expiry"),
    [
        (0, 0, c.MQEI_UNLIMITED),
        (DISCARD, 0, c.MQEI_UNLIMITED),
        (c.MQRO_PASS_DISCARD_AND_EXPIRY, 0, 580),
        (BOTH, DISCARD, 580),
    ],
)
def test_discard_and_expiry_are_passed_on_when_both_ask(
    put: Put, action: int, asked: int, report: int, expiry: int
) -> None:
    first = original(MQMD(msg_id=A, report=asked, expiry=580))
    md = put_composed(put, action, first, new(PAN))
    assert (md.report, md.expiry) == (report, expiry)


@pytest.mark.conformance("ACT-23", "ACT-25", "ACT-30", "ACT-31", "ACT-34")
def test_a_reply_is_in_no_group_and_says_nothing(put: Put, qm: QM) -> None:
    request = MQMD(
        msg_type=c.MQMT_REQUEST, msg_id=A, feedback=275, backout_count=3, reply_to_q="R", reply_to_q_mgr="QM1",
        group_id=G, msg_seq_number=2, msg_flags=c.MQMF_MSG_IN_GROUP,
    )  # fmt: skip
    put_composed(put, MQACTP_REPLY, original(request), data=b"a")
    message = got(qm).message
    md = message.md
    assert (md.msg_type, md.feedback, md.backout_count) == (c.MQMT_REPLY, c.MQFB_NONE, 0)
    assert (md.reply_to_q, md.reply_to_q_mgr) == ("", "")
    assert (md.group_id, md.msg_seq_number, md.offset, md.msg_flags) == (bytes(24), 1, 0, c.MQMF_NONE)
    assert (md.original_length, message.data) == (c.MQOL_UNDEFINED, b"a")


#: Report of the original, put options: MsgId and CorrelId of the answer, None for a new one.
IDENTIFIERS = {
    "neither": (0, 0, None, A),
    "msg-id-passed": (c.MQRO_PASS_MSG_ID, 0, A, A),
    "correl-id-passed": (c.MQRO_PASS_CORREL_ID, 0, None, B),
    "new-msg-id": (c.MQRO_PASS_MSG_ID, o.MQPMO_NEW_MSG_ID, None, A),
    "new-correl-id": (c.MQRO_PASS_CORREL_ID, o.MQPMO_NEW_CORREL_ID, None, None),
}


@pytest.mark.conformance("ACT-26", "ACT-27", "ACT-28", "ACT-29", "ACT-39", "AMB-03", "TYPES-10")
@ANSWERS
@pytest.mark.parametrize(("report", "options", "msg_id", "correl_id"), IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_identifiers_of_an_answer(
    put: Put, action: int, report: int, options: int, msg_id: bytes | None, correl_id: bytes | None
) -> None:
    md = put_composed(put, action, original(MQMD(msg_id=A, correl_id=B, report=report)), new(PAN), options=options)
    for found, wanted in ((md.msg_id, msg_id), (md.correl_id, correl_id)):
        if wanted is None:
            assert found not in (A, B, bytes(24))
        else:
            assert found == wanted


@pytest.mark.conformance("ACT-32")
def test_fields_set_in_the_new_handle_override_a_reply(put: Put, qm: QM) -> None:
    mine = new({"Report": c.MQRO_COA, "ReplyToQ": "R2", "Expiry": 36_000, "MsgType": 65536})
    put_composed(put, MQACTP_REPLY, original(), mine)
    md = got(qm).message.md
    assert (md.report, md.reply_to_q, md.msg_type) == (c.MQRO_COA, "R2", 65536)
    assert 0 < md.expiry <= 36_000


@pytest.mark.conformance("ACT-37", "ACT-40", "ACT-43")
def test_a_report_is_a_report_with_the_fields_of_the_new_handle(put: Put, qm: QM) -> None:
    first = original(MQMD(msg_id=A, reply_to_q="R", reply_to_q_mgr="QM1", priority=2))
    put_composed(put, MQACTP_REPORT, first, new({"Feedback": c.MQFB_NAN, "Priority": 9}))
    md = got(qm).message.md
    assert (md.msg_type, md.reply_to_q, md.reply_to_q_mgr) == (c.MQMT_REPORT, "", "")
    assert (md.feedback, md.priority, md.backout_count) == (c.MQFB_NAN, 9, 0)


@pytest.mark.conformance("ACT-41", "ACT-42")
@pytest.mark.parametrize(
    ("flags", "offset", "length"),
    [
        (c.MQMF_SEGMENT, 10, 250),
        (c.MQMF_SEGMENT | c.MQMF_MSG_IN_GROUP, 10, 250),
        (c.MQMF_MSG_IN_GROUP, 0, c.MQOL_UNDEFINED),
    ],
)
def test_a_report_has_the_place_of_its_original(put: Put, qm: QM, flags: int, offset: int, length: int) -> None:
    place = MQMD(msg_id=A, group_id=G, msg_seq_number=1, offset=offset, msg_flags=flags, original_length=400)
    put_composed(put, MQACTP_REPORT, original(place), new(PAN), data=BUFFER)
    md = got(qm).message.md
    assert (md.group_id, md.msg_seq_number, md.offset, md.msg_flags) == (G, 1, offset, flags)
    assert md.original_length == length


@pytest.mark.conformance("ACT-45", "ACT-46")
@pytest.mark.parametrize("options", [0, OUTPUT_ONLY], ids=["descriptor", "handles"])
def test_a_report_says_something(put: Put, qm: QM, options: int) -> None:
    with fails(rc.MQRC_FEEDBACK_ERROR):
        put(Message(b"x", MQMD()), options, action=MQACTP_REPORT, original=original())
    assert qm.depth("R") == 0


FEEDBACKS = {"coa": c.MQFB_COA, "cod": c.MQFB_COD, "expiration": c.MQFB_EXPIRATION}
#: Option in the report's own Report field to the feedback it speaks of and the bytes of a buffer of 250 then sent.
DATA = {
    c.MQRO_EXPIRATION_WITH_FULL_DATA: ("expiration", 250),
    c.MQRO_COD_WITH_FULL_DATA: ("cod", 250),
    c.MQRO_COA_WITH_FULL_DATA: ("coa", 250),
    c.MQRO_EXPIRATION_WITH_DATA: ("expiration", 100),
    c.MQRO_COD_WITH_DATA: ("cod", 100),
    c.MQRO_COA_WITH_DATA: ("coa", 100),
}


@pytest.mark.conformance("ACT-47", "ACT-48", "ACT-49", "ACT-50", "ACT-52", "AMB-04")
@pytest.mark.parametrize("feedback", FEEDBACKS)
@pytest.mark.parametrize("report", DATA)
def test_the_resulting_report_field_rules_the_data(put: Put, qm: QM, report: int, feedback: str) -> None:
    speaks_of, length = DATA[report]
    first = original(MQMD(msg_id=A, report=c.MQRO_COA_WITH_FULL_DATA | c.MQRO_COD_WITH_FULL_DATA))
    mine = new({"Feedback": FEEDBACKS[feedback], "Report": report, "ReplyToQ": "Q"})
    put_composed(put, MQACTP_REPORT, first, mine, data=BUFFER)
    assert len(got(qm).message.data) == (length if feedback == speaks_of else 0)


@pytest.mark.conformance("ACT-49")
def test_a_short_buffer_goes_whole(put: Put, qm: QM) -> None:
    mine = new({"Feedback": c.MQFB_COA, "Report": c.MQRO_COA_WITH_DATA, "ReplyToQ": "Q"})
    put_composed(put, MQACTP_REPORT, original(), mine, data=BUFFER[:60])
    assert got(qm).message.data == BUFFER[:60]


@pytest.mark.conformance("ACT-51")
@pytest.mark.parametrize("feedback", [c.MQFB_PAN, c.MQFB_NAN, 2053, 65600])
def test_other_feedback_sends_the_whole_buffer(put: Put, qm: QM, feedback: int) -> None:
    put_composed(put, MQACTP_REPORT, original(), new({"Feedback": feedback}), data=BUFFER)
    assert got(qm).message.data == BUFFER


@pytest.mark.conformance("ACT-54")
def test_the_new_handle_shows_what_was_put_and_the_original_stays(put: Put, qm: QM) -> None:
    first, mine = original(kept=(1, MQCOPY_ALL), left=(2, MQCOPY_NONE)), new(added=3)
    before = (first.properties, first.md)
    md = put_composed(put, MQACTP_FORWARD, first, mine)
    assert (first.properties, first.md) == before
    assert {name: value.value for name, value in mine.properties.items()} == {"kept": 1, "added": 3}
    assert mine.md == md


@pytest.mark.conformance("ACT-54")
def test_a_put_that_fails_leaves_both_handles(put: Put, qm: QM) -> None:
    first, mine = original(), new({"MsgType": 0}, added=3)
    with fails(rc.MQRC_MSG_TYPE_ERROR):
        put_composed(put, MQACTP_FORWARD, first, mine)
    assert (mine.md.msg_type, list(mine.properties)) == (0, ["added"])
    assert first.md.msg_id == A


@pytest.mark.conformance("ACT-56")
@pytest.mark.parametrize("action", [MQACTP_FORWARD, MQACTP_REPLY, MQACTP_REPORT], ids=["FORWARD", "REPLY", "REPORT"])
def test_an_original_is_needed(put: Put, qm: QM, action: int) -> None:
    deleted = original()
    deleted.delete()
    for handle in (None, deleted):
        with fails(rc.MQRC_HMSG_ERROR):
            put(composed(), OUTPUT_ONLY, action=action, original=handle, msg_handle=new(PAN))
    assert qm.depth("R") == 0


@pytest.mark.conformance("ACT-57")
@ANSWERS
def test_fields_that_the_action_does_not_name_are_the_originals(put: Put, qm: QM, action: int) -> None:
    first = original(MQMD(msg_id=A, priority=7, persistence=1, format="MQSTR", coded_char_set_id=819, encoding=546))
    put_composed(put, action, first, new(PAN))
    md = got(qm).message.md
    assert (md.priority, md.persistence, md.format, md.coded_char_set_id, md.encoding) == (7, 1, "MQSTR", 819, 546)


@pytest.mark.conformance("TYPES-07")
def test_a_server_may_relate_its_reply_to_the_request_by_itself(qm: QM, put: Put) -> None:
    """By a key in the data, and a CorrelId of its own: the options of the request are not applied to it."""
    request = original(MQMD(msg_type=c.MQMT_REQUEST, msg_id=A, correl_id=B, report=c.MQRO_PASS_MSG_ID, reply_to_q="X"))
    own = {"msg_id": C, "correl_id": b"order 77".ljust(24), "msg_type": c.MQMT_REPLY, "report": 0, "priority": 3}
    put(Message(b"<order>77</order>", MQMD(**own)), action=MQACTP_REPLY, original=request)
    result = got(qm)
    assert {name: getattr(result.message.md, name) for name in own} == own
    assert result.message.data == b"<order>77</order>"

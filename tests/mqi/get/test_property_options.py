"""Where a get gives the properties of a message: in a message handle, in an MQRFH2, with the message, nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mqtools.constants import properties as p
from mqtools.constants import reasons as rc
from mqtools.constants.message import MQFMT_RF_HEADER_2, MQFMT_STRING
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_FIRST,
    MQGMO_CONVERT,
    MQGMO_NO_PROPERTIES,
    MQGMO_NO_WAIT,
    MQGMO_NONE,
    MQGMO_PROPERTIES_AS_Q_DEF,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_WAIT,
)
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Message, Property
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.rules.properties import from_rfh2, full_name

from ..conftest import QM, fails

CONTROLS = {
    "ALL": p.MQPROP_ALL,
    "COMPAT": p.MQPROP_COMPATIBILITY,
    "NONE": p.MQPROP_NONE,
    "FORCE": p.MQPROP_FORCE_MQRFH2,
}
OPTIONS = {
    "AS_Q_DEF": MQGMO_PROPERTIES_AS_Q_DEF,
    "IN_HANDLE": MQGMO_PROPERTIES_IN_HANDLE,
    "NO": MQGMO_NO_PROPERTIES,
    "FORCE": MQGMO_PROPERTIES_FORCE_MQRFH2,
    "COMPAT": MQGMO_PROPERTIES_COMPATIBILITY,
}
HANDLE, RFH2, COMPAT, NONE, ERROR = "handle", "rfh2", "compat", "none", "error"

#: Property option, whether there is a message handle, the queue's PROPCTL in the order of CONTROLS: the outcome.
#: COMPAT is an MQRFH2 for some names and nothing for others; ERROR is MQRC_HMSG_ERROR.
TABLE = {
    ("AS_Q_DEF", True): (HANDLE, HANDLE, HANDLE, RFH2),
    ("AS_Q_DEF", False): (RFH2, COMPAT, NONE, RFH2),
    ("IN_HANDLE", True): (HANDLE, HANDLE, HANDLE, HANDLE),
    ("IN_HANDLE", False): (ERROR, ERROR, ERROR, ERROR),
    ("NO", True): (NONE, NONE, NONE, NONE),
    ("NO", False): (NONE, NONE, NONE, NONE),
    ("FORCE", True): (RFH2, RFH2, RFH2, RFH2),
    ("FORCE", False): (RFH2, RFH2, RFH2, RFH2),
    ("COMPAT", True): (COMPAT, COMPAT, COMPAT, COMPAT),
    ("COMPAT", False): (COMPAT, COMPAT, COMPAT, COMPAT),
}
#: The entries of the catalogue that a cell of the table is: option, handle, and PROPCTL or None for every one.
CELLS = {
    ("AS_Q_DEF", False, None): ("PROP-01",),
    ("AS_Q_DEF", True, "ALL"): ("PROP-02",),
    ("AS_Q_DEF", True, "COMPAT"): ("PROP-02",),
    ("AS_Q_DEF", True, "NONE"): ("PROP-02",),
    ("AS_Q_DEF", True, "FORCE"): ("PROP-03",),
    ("IN_HANDLE", True, None): ("PROP-05",),
    ("IN_HANDLE", True, "FORCE"): ("PROP-07",),
    ("IN_HANDLE", False, None): ("PROP-06",),
    ("NO", False, None): ("PROP-09",),
    ("NO", True, None): ("PROP-10",),
    ("FORCE", False, None): ("PROP-11",),
    ("FORCE", True, None): ("PROP-12",),
    ("COMPAT", False, None): ("PROP-13", "PROP-14"),
    ("COMPAT", True, None): ("PROP-13", "PROP-14"),
}
PLAIN = {"color": Property(p.MQTYPE_STRING, "red"), "n": Property(p.MQTYPE_INT32, 7)}
JMS = {"jms.Dst": Property(p.MQTYPE_STRING, "queue:///Q"), "color": Property(p.MQTYPE_STRING, "red")}


def _cells() -> Iterator[Any]:
    for (option, has_handle), outcomes in TABLE.items():
        for control, outcome in zip(CONTROLS, outcomes, strict=True):
            ids = CELLS.get((option, has_handle, control), CELLS.get((option, has_handle, None), ()))
            name = f"{'/'.join(ids)} {option} {'handle' if has_handle else 'bare'} {control}"
            marks = [pytest.mark.conformance(catalogue_id) for catalogue_id in ids]
            yield pytest.param(OPTIONS[option], has_handle, CONTROLS[control], outcome, id=name, marks=marks)


CELLS_OF_TABLE = list(_cells())


def put(qm: QM, properties: dict[str, Property], data: bytes = b"body", q_name: str = "Q", **fields: Any) -> MQMD:
    message = Message(data, MQMD(format=MQFMT_STRING, **fields), dict(properties))
    qm.main.put1(q_name, message)
    return message.md


def get(qm: QM, options: int = 0, msg_handle: MessageHandle | None = None, q_name: str = "Q", **more: Any) -> GetResult:
    """Get as a program of the MQI does: with a descriptor, and with the properties where MQGET has them."""
    more.setdefault("md", MQMD())
    with qm.open(q_name) as handle:
        return handle.get(options, msg_handle=msg_handle, properties_in_message=False, **more)


def named(properties: dict[str, Property]) -> dict[str, Property]:
    """Properties under their names with folder, as they come out of an MQRFH2."""
    return {full_name(name): value for name, value in properties.items()}


def handle_of(**values: object) -> MessageHandle:
    handle = MessageHandle()
    for name, value in values.items():
        handle.set(name, value)
    return handle


def assert_rfh2(result: GetResult, expected: dict[str, Property]) -> None:
    message = result.message
    assert message.md.format == MQFMT_RF_HEADER_2
    md, data, found = from_rfh2(message.md, message.data)
    assert (md.format, data, found) == (MQFMT_STRING, b"body", named(expected))


def assert_bare(result: GetResult) -> None:
    message = result.message
    assert (message.md.format, message.data, message.properties) == (MQFMT_STRING, b"body", {})


class TestTheTable:
    @pytest.mark.parametrize("properties", [PLAIN, JMS], ids=["plain", "jms"])
    @pytest.mark.parametrize(("options", "has_handle", "control", "outcome"), CELLS_OF_TABLE)
    def test_option_handle_and_propctl_say_where_properties_are(
        self, qm: QM, options: int, has_handle: bool, control: int, outcome: str, properties: dict[str, Property]
    ) -> None:
        qm.alter("Q", property_control=control)
        put(qm, properties)
        msg_handle = MessageHandle() if has_handle else None
        if outcome == ERROR:
            with fails(rc.MQRC_HMSG_ERROR):
                get(qm, options, msg_handle)
            assert qm.depth() == 1
            return
        result = get(qm, options, msg_handle)
        if outcome == RFH2 or (outcome == COMPAT and properties is JMS):
            assert_rfh2(result, properties)
        else:
            assert_bare(result)
        if msg_handle is not None:
            assert msg_handle.properties == (properties if outcome == HANDLE else {})

    def test_every_cell_is_an_entry_of_the_catalogue(self) -> None:
        assert all("PROP-" in str(cell.id) for cell in CELLS_OF_TABLE)

    @pytest.mark.parametrize("control", CONTROLS.values(), ids=list(CONTROLS))
    @pytest.mark.conformance("PROP-04")
    def test_as_q_def_is_the_default(self, qm: QM, control: int) -> None:
        qm.alter("Q", property_control=control)
        put(qm, JMS)
        by_default = get(qm, MQGMO_BROWSE_FIRST).message
        assert get(qm, MQGMO_PROPERTIES_AS_Q_DEF).message == by_default
        assert MQGMO_PROPERTIES_AS_Q_DEF == 0

    def test_a_python_program_has_them_in_the_message(self, qm: QM) -> None:
        qm.alter("Q", property_control=p.MQPROP_NONE)
        put(qm, PLAIN)
        with qm.open() as handle:
            assert handle.get(MQGMO_BROWSE_FIRST).message.properties == PLAIN
            assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_PROPERTIES_IN_HANDLE).message.properties == PLAIN
            assert handle.get(MQGMO_BROWSE_FIRST | MQGMO_NO_PROPERTIES).message.properties == {}
            assert_rfh2(handle.get(MQGMO_PROPERTIES_FORCE_MQRFH2), PLAIN)

    def test_the_alias_a_queue_was_opened_by_says_for_its_readers(self, qm: QM) -> None:
        qm.alter("Q", property_control=p.MQPROP_NONE)
        qm.define("OLD.READERS", "QALIAS", base_q_name="Q", property_control=p.MQPROP_FORCE_MQRFH2)
        put(qm, PLAIN)
        assert_bare(get(qm, MQGMO_BROWSE_FIRST))
        assert_rfh2(get(qm, q_name="OLD.READERS"), PLAIN)


class TestWithoutAHandle:
    @pytest.mark.conformance("PROP-06")
    def test_properties_in_handle_fail_before_a_message_is_looked_for(self, qm: QM) -> None:
        with fails(rc.MQRC_HMSG_ERROR):
            get(qm, MQGMO_PROPERTIES_IN_HANDLE)

    @pytest.mark.conformance("PROP-08")
    def test_a_program_of_old_is_surprised_by_an_mqrfh2(self, qm: QM) -> None:
        qm.alter("Q", property_control=p.MQPROP_ALL)
        with qm.open() as handle:
            handle.put(Message(b"body", MQMD(format=MQFMT_STRING)), msg_handle=handle_of(color="red"))
        result = get(qm)
        assert result.message.data.startswith(b"RFH ")
        assert_rfh2(result, {"color": Property(p.MQTYPE_STRING, "red")})
        assert result.data_length == len(result.message.data) > len(b"body")

    @pytest.mark.parametrize(
        ("name", "is_delivered"),
        [("mcd.x", True), ("jms.x", True), ("usr.x", True), ("mqext.x", True), ("jmsx.y", False)],
    )
    @pytest.mark.conformance("PROP-15")
    def test_each_prefix_is_tested_by_itself(self, qm: QM, name: str, is_delivered: bool) -> None:
        properties = {name: Property(p.MQTYPE_STRING, "1")}
        put(qm, properties)
        result = get(qm, MQGMO_PROPERTIES_COMPATIBILITY)
        if is_delivered:
            assert_rfh2(result, properties)
        else:
            assert_bare(result)

    def test_the_mqrfh2_counts_for_the_length_of_the_buffer(self, qm: QM) -> None:
        qm.alter("Q", property_control=p.MQPROP_ALL)
        put(qm, PLAIN)
        failed = get(qm, max_length=4)
        assert failed.reason == rc.MQRC_TRUNCATED_MSG_FAILED
        cut = get(qm, MQGMO_ACCEPT_TRUNCATED_MSG, max_length=8)
        assert (cut.reason, cut.message.data[:4]) == (rc.MQRC_TRUNCATED_MSG_ACCEPTED, b"RFH ")
        assert cut.data_length == failed.data_length

    def test_an_mqrfh2_can_be_written_whatever_the_data_is_said_to_be_in(self, qm: QM) -> None:
        put(qm, PLAIN, coded_char_set_id=64999, encoding=0x111)
        result = get(qm, MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert_rfh2(result, PLAIN)
        bare, _, _ = from_rfh2(result.message.md, result.message.data)
        assert (bare.coded_char_set_id, bare.encoding) == (64999, 0x111)

    def test_a_descriptor_of_version_1_has_the_mqmde_in_front_of_the_mqrfh2(self, qm: QM) -> None:
        put(qm, PLAIN, group_id=b"G" * 24, msg_flags=8)
        result = get(qm, MQGMO_PROPERTIES_FORCE_MQRFH2, md=MQMD(version=MQMD_VERSION_1))
        assert result.message.data[:4] == b"MDE "
        assert result.message.data[72:76] == b"RFH "

    def test_conversion_goes_through_the_mqrfh2(self, qm: QM) -> None:
        put(qm, PLAIN, data="Käse".encode("cp037"), coded_char_set_id=37)
        options = MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_CONVERT
        result = get(qm, options, md=MQMD(coded_char_set_id=1208))
        md, data, properties = from_rfh2(result.message.md, result.message.data)
        assert (md.coded_char_set_id, data.decode(), properties) == (1208, "Käse", named(PLAIN))


class TestOptionBits:
    @pytest.mark.parametrize("other", [MQGMO_PROPERTIES_IN_HANDLE, MQGMO_PROPERTIES_FORCE_MQRFH2])
    @pytest.mark.conformance("PROP-16")
    def test_two_property_options_are_refused(self, qm: QM, other: int) -> None:
        put(qm, PLAIN)
        with fails(rc.MQRC_OPTIONS_ERROR):
            get(qm, MQGMO_NO_PROPERTIES | other, MessageHandle())
        assert qm.depth() == 1

    @pytest.mark.conformance("PROP-17")
    def test_none_is_no_option_and_adds_nothing_to_others(self, qm: QM) -> None:
        with fails(rc.MQRC_NO_MSG_AVAILABLE):
            get(qm, MQGMO_NONE)
        with fails(rc.MQRC_WAIT_INTERVAL_ERROR):
            get(qm, MQGMO_NONE | MQGMO_WAIT, wait_ms=-2)  # it is a wait
        qm.alter("Q", property_control=p.MQPROP_ALL)
        put(qm, PLAIN)
        put(qm, PLAIN)
        assert_rfh2(get(qm, MQGMO_NONE), PLAIN)
        assert_rfh2(get(qm, MQGMO_NONE | MQGMO_WAIT, wait_ms=-1), PLAIN)

    @pytest.mark.conformance("PROP-18")
    def test_what_a_get_does_without_options_is_the_initial_value(self, qm: QM) -> None:
        assert MQGMO_NO_WAIT | MQGMO_PROPERTIES_AS_Q_DEF == 0
        put(qm, JMS)
        with qm.open() as handle:
            browsed = handle.get(MQGMO_BROWSE_FIRST, md=MQMD(), properties_in_message=False).message
            assert handle.get(md=MQMD(), properties_in_message=False).message == browsed


class TestAnMqrfh2InTheData:
    """Properties that a program has put in front of the data by itself."""

    FOLDERS = ("<mcd><Msd>jms_text</Msd></mcd>  ", "<usr><color>red</color></usr>   ")
    PROPERTIES = {"mcd.Msd": Property(p.MQTYPE_STRING, "jms_text"), "usr.color": Property(p.MQTYPE_STRING, "red")}

    def put(self, qm: QM, *folders: str) -> bytes:
        header = MQRFH2(format=MQFMT_STRING, coded_char_set_id=1208, folders=list(folders or self.FOLDERS))
        data = pack_mqrfh2(header, 546, 1208) + b"body"
        md = MQMD(format=MQFMT_RF_HEADER_2, encoding=546, coded_char_set_id=1208)
        qm.main.put1("Q", Message(data, md))
        return data

    @pytest.mark.parametrize("options", [0, MQGMO_PROPERTIES_FORCE_MQRFH2, MQGMO_PROPERTIES_COMPATIBILITY])
    def test_comes_back_byte_for_byte_where_an_mqrfh2_is_wanted(self, qm: QM, options: int) -> None:
        data = self.put(qm)
        result = get(qm, options)
        assert (result.message.data, result.message.md.format) == (data, MQFMT_RF_HEADER_2)

    def test_becomes_properties_of_a_handle_and_leaves_the_data(self, qm: QM) -> None:
        self.put(qm)
        msg_handle = MessageHandle()
        result = get(qm, MQGMO_PROPERTIES_IN_HANDLE, msg_handle)
        assert_bare(result)
        assert msg_handle.properties == self.PROPERTIES

    def test_is_dropped_with_the_properties(self, qm: QM) -> None:
        self.put(qm)
        assert_bare(get(qm, MQGMO_NO_PROPERTIES))

    def test_stays_in_the_data_of_a_python_program_that_has_the_properties_beside_it(self, qm: QM) -> None:
        data = self.put(qm)
        message = qm.got()[0].message
        assert (message.data, message.properties) == (data, self.PROPERTIES)

    def test_round_trip_through_a_handle_gives_an_equal_message(self, qm: QM) -> None:
        self.put(qm)
        msg_handle = MessageHandle()
        got = get(qm, MQGMO_PROPERTIES_IN_HANDLE, msg_handle).message
        qm.main.put1("Q", got, msg_handle=msg_handle)
        assert_rfh2(get(qm), self.PROPERTIES)

    def test_is_joined_with_the_properties_of_a_handle(self, qm: QM) -> None:
        header = MQRFH2(format=MQFMT_STRING, coded_char_set_id=1208, folders=list(self.FOLDERS))
        md = MQMD(format=MQFMT_RF_HEADER_2, encoding=546, coded_char_set_id=1208)
        data = pack_mqrfh2(header, 546, 1208) + b"body"
        qm.main.put1("Q", Message(data, md), msg_handle=handle_of(color="blue", n=3))
        result = get(qm)
        assert_rfh2(
            result,
            {
                **self.PROPERTIES,
                "usr.color": Property(p.MQTYPE_STRING, "blue"),
                "usr.n": handle_of(n=3).properties["n"],
            },
        )

    def test_a_folder_that_is_no_property_stays(self, qm: QM) -> None:
        own = '<own content="other"><x>1</x></own>'
        self.put(qm, own.ljust(36), self.FOLDERS[1])
        result = get(qm, MQGMO_NO_PROPERTIES)
        assert result.message.md.format == MQFMT_RF_HEADER_2
        assert own.encode() in result.message.data
        assert b"<usr>" not in result.message.data

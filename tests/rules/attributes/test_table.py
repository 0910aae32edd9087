"""The attribute tables, and reading and writing values by them."""

from __future__ import annotations

import pytest

from mqtools.constants import cmqc, objects, options
from mqtools.rules.attributes.table import (
    NAME,
    SWITCH,
    TEXT,
    WORD,
    attributes_of,
    by_keyword,
    by_selector,
    defaults,
    format_value,
    parse_value,
)

from .rows import row_of

TYPES = ("QLOCAL", "QMODEL", "QALIAS", "QREMOTE", "QUEUE", "QMGR", "SDR", "SVR", "RCVR", "RQSTR", "CHANNEL")
ROWS = [
    pytest.param(row, id=f"{object_type}-{row.name}") for object_type in TYPES for row in attributes_of(object_type)
]

#: Types whose attributes MQINQ does not have: their names are not those of its selectors.
CHANNELS = ("SDR", "SVR", "RCVR", "RQSTR", "CHANNEL")
#: Names that are not the suffix of their selector, because MQ's field name says it better.
RENAMED = {
    "name": "q_name", "sync_point": "syncpoint", "channel_authentication": "chlauth_records",
    "certificate_label": "cert_label", "monitoring_acls": "monitoring_auto_clussdr", "pub_sub_mode": "pubsub_mode",
}  # fmt: skip
CONSTANTS = {**vars(cmqc), **vars(objects)}

# The tables


def test_status_attributes_are_not_stored():
    status = {row.name for row in attributes_of("QUEUE") if not row.stored}
    assert status == {"current_q_depth", "open_input_count", "open_output_count"}
    assert not any(row.settable for row in attributes_of("QUEUE") if not row.stored)


@pytest.mark.parametrize("object_type", TYPES)
def test_names_keywords_and_selectors_of_a_type_are_unique(object_type):
    rows = attributes_of(object_type)
    keywords = [word for row in rows for word in row.keywords]
    selectors = [row.selector for row in rows if row.selector is not None]
    assert len({row.name for row in rows}) == len(rows)
    assert len(set(keywords)) == len(keywords)
    assert len(set(selectors)) == len(selectors)


@pytest.mark.parametrize("row", [row for row in ROWS if row.id and not row.id.startswith(CHANNELS)])
def test_a_name_is_the_suffix_of_its_selector(row):
    if row.selector is not None:
        suffix = RENAMED.get(row.name, row.name).upper()
        full = [name for name in (f"MQIA_{suffix}", f"MQCA_{suffix}") if name in CONSTANTS]
        assert [CONSTANTS[name] for name in full] == [row.selector]
        assert full[0].startswith("MQCA" if row.kind in (TEXT, NAME) else "MQIA")


@pytest.mark.parametrize("object_type", TYPES)
def test_the_order_of_display_is_name_type_then_keyword(object_type):
    shown = [row.keyword for row in attributes_of(object_type)]
    is_queue = object_type.startswith("Q") and object_type != "QMGR"
    heads = {"QMGR": ["QMNAME"], "queue": ["QUEUE", "TYPE"], "channel": ["CHANNEL", "CHLTYPE"]}
    head = heads.get("queue" if is_queue else object_type, heads["channel"])
    assert shown[: len(head)] == head
    # runmqsc shows TRIGGER in the place of NOTRIGGER.
    rest = ["NOTRIGGER" if word == "TRIGGER" else word for word in shown[len(head) :]]
    assert rest == sorted(rest)


@pytest.mark.parametrize("row", ROWS)
def test_a_default_is_a_value_of_its_attribute(row):
    if row.default is not None:
        written = format_value(row, row.default)
        assert parse_value(row, written) == row.default
        if row.words and row.kind in (WORD, SWITCH):
            assert written in dict(row.words)


@pytest.mark.parametrize("row", ROWS)
def test_what_can_be_set_has_a_default(row):
    assert not row.settable or row.default is not None


@pytest.mark.parametrize(
    ("object_type", "keyword"),
    [
        ("QALIAS", "MAXDEPTH"),
        ("QREMOTE", "GET"),
        ("QLOCAL", "RNAME"),
        ("QMODEL", "CURDEPTH"),
        ("QMODEL", "CLUSTER"),
        ("QLOCAL", "TARGET"),
        ("QMGR", "MAXDEPTH"),
    ],
)
def test_a_type_lacks_what_belongs_to_another(object_type, keyword):
    assert by_keyword(object_type, keyword) is None


def test_an_unknown_object_type_has_no_attributes():
    assert attributes_of("COMMINFO") == ()
    assert by_keyword("COMMINFO", "DESCR") is None


# Defaults


def test_a_local_queue_starts_as_the_default_local_queue_does():
    got = defaults("QLOCAL")
    wanted = {
        "q_type": objects.MQQT_LOCAL,
        "max_q_depth": 5000,
        "max_msg_length": 4194304,
        "backout_threshold": 0,
        "shareability": objects.MQQA_SHAREABLE,
        "def_input_open_option": options.MQOO_INPUT_SHARED,
        "definition_type": objects.MQQDT_PREDEFINED,
        "def_persistence": 0,
        "msg_delivery_sequence": objects.MQMDS_PRIORITY,
        "trigger_control": objects.MQTC_OFF,
        "trigger_type": objects.MQTT_FIRST,
        "q_depth_max_event": 1,
        "cap_expiry": -1,
        "journal": 0,
        "q_desc": "",
    }
    assert {name: got[name] for name in wanted} == wanted


def test_a_model_queue_is_temporary_and_not_shared():
    got = defaults("QMODEL")
    assert got["q_type"] == objects.MQQT_MODEL
    assert got["definition_type"] == objects.MQQDT_TEMPORARY_DYNAMIC
    assert got["shareability"] == objects.MQQA_NOT_SHAREABLE
    assert got["def_input_open_option"] == options.MQOO_INPUT_EXCLUSIVE


def test_defaults_leave_out_names_dates_and_status():
    assert not {"name", "creation_date", "current_q_depth"} & set(defaults("QLOCAL"))


def test_marks_last_5000_ms_by_default_and_minus_one_is_unlimited():
    row = row_of("QMGR", "MARKINT")
    assert defaults("QMGR")["msg_mark_browse_interval"] == 5000
    assert parse_value(row, "NOLIMIT") == -1


@pytest.mark.conformance("BEY-85")
def test_mqset_changes_inhibit_and_trigger_attributes_only():
    assert {row.name for row in attributes_of("QUEUE") if row.mqset} == {
        "inhibit_get",
        "inhibit_put",
        "trigger_control",
        "trigger_type",
        "trigger_depth",
        "trigger_msg_priority",
        "trigger_data",
    }
    assert not any(row.mqset for row in attributes_of("QMGR"))


# Lookup


@pytest.mark.parametrize(
    ("object_type", "keyword", "name"),
    [
        ("QALIAS", "TARGQ", "base_q_name"),
        ("QALIAS", "TARGET", "base_q_name"),
        ("QLOCAL", "noshare", "shareability"),
        ("QLOCAL", "NOTRIGGER", "trigger_control"),
        ("QLOCAL", "NOHARDENBO", "harden_get_backout"),
        ("QUEUE", "XMITQ", "xmit_q_name"),
        ("QMGR", "DESCR", "q_mgr_desc"),
    ],
)
def test_a_keyword_or_its_synonym_finds_the_attribute(object_type, keyword, name):
    assert row_of(object_type, keyword).name == name


def test_an_unknown_selector_finds_nothing():
    row = by_selector("QLOCAL", objects.MQIA_CURRENT_Q_DEPTH)
    assert row is not None
    assert row.name == "current_q_depth"
    assert by_selector("QLOCAL", 99999) is None

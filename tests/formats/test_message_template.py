"""Templates for messages: placeholders, escapes, and what a terminal is protected from."""

from __future__ import annotations

import pytest

from mqtools.constants.reasons import MQRC_Q_FULL
from mqtools.formats.message_template import PLACEHOLDERS, parse_template
from mqtools.formats.message_values import MessageView, check_column, column_names, sort_key, value_of
from mqtools.formats.zones import times_in
from mqtools.headers.chain import prefix_dlh
from mqtools.message import MQMD, Message, Property

MD = MQMD(
    msg_id=bytes(range(24)),
    correl_id=b"\xab" * 24,
    priority=3,
    format="MQSTR",
    coded_char_set_id=1208,
    put_date="20261124",
    put_time="08154233",
)


def view(data=b"hello", **changes):
    more = {"q_name": "ORDERS", "q_mgr_name": "QM1", "now_ms": 1_795_508_202_000, **changes}
    return MessageView(Message(data, MD.replace(), {"colour": Property(0x400, "red")}), **more)


def text(template, shown=None, *, for_terminal=False):
    return parse_template(template).render(shown or view(), for_terminal=for_terminal)


def test_each_placeholder_shows_its_value():
    shown = text(r"%q|%Q|%i|%c|%g|%p|%t|%s|%f|%r|%d|%b|%%\n").decode()
    assert shown == (
        f"ORDERS|QM1|{bytes(range(24)).hex().upper()}|{'AB' * 24}|{'00' * 24}|3|"
        "2026-11-24T08:15:42.330Z|5|MQSTR|||hello|%\n"
    )


def test_the_age_counts_from_the_put():
    assert text("%a", view(now_ms=view().put_at + 125_000)) == b"2m05s"


def test_a_dead_letter_shows_reason_and_destination():
    md, data = prefix_dlh(
        MD.replace(), b"order", reason=MQRC_Q_FULL, dest_q_name="ORDERS", dest_q_mgr_name="QM2",
        put_appl_type=6, put_appl_name="app", put_date="20261124", put_time="08154233",
    )  # fmt: skip
    dead = MessageView(Message(data, md))
    assert text("%r %d", dead) == b"MQRC_Q_FULL ORDERS@QM2"
    assert value_of(dead, "data") == "(MQRC_Q_FULL for ORDERS) order"


def test_the_body_is_exact_in_a_pipe_and_visible_on_a_terminal():
    evil = view(b"\x1b]52;c;x\x07\n")
    assert text("%b", evil) == b"\x1b]52;c;x\x07\n"
    assert text("%b", evil, for_terminal=True) == "␛]52;c;x␇\n".encode()


def test_fields_are_made_visible_everywhere():
    assert text("%q", view(q_name="A\x1b[2J")) == "A␛[2J".encode()


def test_escapes():
    assert text(r"\t\n\r\0\\") == b"\t\n\r\0\\"


@pytest.mark.parametrize("template", ["%x", "%", r"\q", "\\"])
def test_an_unknown_placeholder_or_escape_is_named(template):
    with pytest.raises(ValueError, match="unknown"):
        parse_template(template)


def test_placeholders_are_columns():
    assert set(PLACEHOLDERS.values()) <= set(column_names())


def test_columns_are_fields_and_properties():
    assert value_of(view(), "properties.colour") == "red"
    assert value_of(view(), "properties.size") is None
    assert value_of(view(), "msg_type") == "MQMT_DATAGRAM"
    assert check_column("MSG_ID") == "msg_id"
    with pytest.raises(ValueError, match="did you mean priority"):
        check_column("prioritty")


def test_sorting_is_by_time_and_number_and_knows_missing_values():
    assert sort_key(view(), "priority") < sort_key(MessageView(Message(b"", MD.replace(priority=10))), "priority")
    assert sort_key(view(), "properties.size") is None
    older = MessageView(Message(b"", MD.replace(put_time="07000000")))
    assert sort_key(older, "put_at") < sort_key(view(), "put_at")
    assert sort_key(older, "age") > sort_key(view(), "age")


def test_times_in_zones():
    at = view().put_at
    assert times_in("UTC")(at) == "2026-11-24T08:15:42.330Z"
    assert times_in("Europe/Zurich")(at) == "2026-11-24T09:15:42.330+01:00"
    with pytest.raises(ValueError, match="not a time zone"):
        times_in("Mars/Olympus")

"""Rows of tables as messages: columns, lines of JSON, and values of CSV."""

from __future__ import annotations

import json

import pytest
from pyspark_mqx.source.rows import read_message_row

from mqtools.errors import MQError
from mqtools.headers.characters import decode_field


def test_fields_that_are_no_text_keep_their_bytes_in_columns_and_lines() -> None:
    escaped = decode_field(b"Jos\xe9", "utf_8")
    assert read_message_row({"data": "x", "user_identifier": escaped}).md.user_identifier == escaped
    line = json.dumps({"md": {"user_identifier": {"b64": "Sm9z6Q=="}}})
    assert read_message_row({"line": line}).md.user_identifier == escaped


def test_a_line_of_json_with_unknown_keys_is_no_message_and_names_them_all() -> None:
    with pytest.raises(MQError, match=r"dta: a message has no such key.*; md\.prio: "):
        read_message_row({"line": '{"dta":1,"md":{"prio":1}}'})


def test_text_of_csv_and_lines_of_json_are_messages() -> None:
    row = {"data": "häl,lo", "priority": "7", "format": "MQSTR", "coded_char_set_id": "1208", "msg_id": "41"}
    made = read_message_row(row)
    assert (made.data, made.md.priority, made.md.msg_id[:2]) == ("häl,lo".encode(), 7, b"A\0")
    assert read_message_row({"data": "text"}).md.format == "MQSTR"
    assert read_message_row({"data_b64": "AP8=", "data": ""}).data == b"\x00\xff"
    assert read_message_row({"line": '{"data":"x","md":{"priority":3}}'}).md.priority == 3
    with pytest.raises(MQError, match="unreadable"):
        read_message_row({"line": "{"})

"""``mqx put``: how its options become descriptor, properties and reports."""

from __future__ import annotations

import json

import pytest

Q = "DEV.QUEUE.1"


@pytest.mark.parametrize(
    ("options", "field", "expected"),
    [
        (["--priority", "7"], "priority", 7),
        (["--persistent"], "persistence", "MQPER_PERSISTENT"),
        (["--not-persistent"], "persistence", "MQPER_NOT_PERSISTENT"),
        (["--type", "request", "--reply-to", "R@QM9"], "msg_type", "MQMT_REQUEST"),
        (["--type", "reply"], "msg_type", "MQMT_REPLY"),
        (["--type", "66000"], "msg_type", 66000),
        (["--msg-id", "AB"], "msg_id", "AB" + "00" * 23),
        (["--correl-id", "0xAB01"], "correl_id", "AB01" + "00" * 22),
        (["--group-id", "CD"], "group_id", "CD" + "00" * 23),
        (["--group-id", "CD", "--seq", "4"], "msg_seq_number", 4),
        (["--group-id", "CD"], "msg_flags", ["MQMF_MSG_IN_GROUP"]),
        (["--group-id", "CD", "--last"], "msg_flags", ["MQMF_MSG_IN_GROUP", "MQMF_LAST_MSG_IN_GROUP"]),
        (["--format", "MYFMT"], "format", "MYFMT"),
        (["--ccsid", "819"], "coded_char_set_id", 819),
        (["--encoding", "273"], "encoding", 273),
        (["--reply-to", "R@QM9"], "reply_to_q_mgr", "QM9"),
        (["--reply-to", "R"], "reply_to_q_mgr", "QM1"),
        (["--type", "report", "--feedback", "cod"], "feedback", "MQFB_COD"),
        (["--type", "report", "--feedback", "MQRC_Q_FULL"], "feedback", "MQRC_Q_FULL"),
        (["--type", "report", "--feedback", "70000"], "feedback", 70000),
    ],
)
def test_options_are_fields_of_the_descriptor(qm, mqx, browse, options, field, expected):
    mqx("put", Q, "x", *options, check=True)
    assert browse(Q)[0]["md"][field] == expected


def test_expiry_is_a_time_to_live(qm, mqx, browse):
    mqx("put", Q, "x", "--expiry", "1h", check=True)
    assert 35_000 < browse(Q)[0]["md"]["expiry"] <= 36_000


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("cod", ["MQRO_COD"]),
        ("cod-data", ["MQRO_COD_WITH_DATA"]),
        ("coa-full", ["MQRO_COA_WITH_FULL_DATA"]),
        ("exception,expiration-data", ["MQRO_EXPIRATION_WITH_DATA", "MQRO_EXCEPTION"]),
        ("pan,nan", ["MQRO_PAN", "MQRO_NAN"]),
        ("discard", ["MQRO_DISCARD_MSG"]),
        ("pass-msg-id,pass-correl-id", ["MQRO_PASS_CORREL_ID", "MQRO_PASS_MSG_ID"]),
        ("pass-discard-and-expiry", ["MQRO_PASS_DISCARD_AND_EXPIRY"]),
        ("activity", ["MQRO_ACTIVITY"]),
        ("MQRO_COD_WITH_FULL_DATA", ["MQRO_COD_WITH_FULL_DATA"]),
    ],
)
def test_report_options_have_short_names(qm, mqx, browse, words, names):
    mqx("put", Q, "x", "--report", words, "--reply-to", "DEV.QUEUE.2", check=True)
    shown = browse(Q)[0]["md"]["report"]
    assert sorted(shown) == sorted(names)


@pytest.mark.parametrize("number", ["0", "-1", "1000000000", "first"])
def test_a_sequence_number_that_no_message_can_have_is_a_usage_error(qm, mqx, number):
    assert mqx("put", Q, "x", "--seq", number).status == 2


def test_a_report_option_nobody_knows_is_a_usage_error(qm, mqx):
    assert mqx("put", Q, "x", "--report", "coa,postcard").status == 2


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("colour=red", "string", "red"),
        ("a=b=c", "string", "b=c"),
        ("n:int32=-5", "int32", -5),
        ("n:int64=9007199254740993", "int64", 9007199254740993),
        ("f:float64=0.5", "float64", 0.5),
        ("b:bool=true", "bool", True),
        ("x:bytes=00ff", "bytes", "00FF"),
        ("z:null=", "null", None),
    ],
)
def test_properties_have_types(qm, mqx, browse, text, kind, value):
    mqx("put", Q, "x", "--property", text, check=True)
    assert browse(Q)[0]["properties"] == {text.partition(":")[0].partition("=")[0]: {"type": kind, "value": value}}


def test_all_properties_that_are_none_are_named_together(qm, mqx):
    done = mqx("put", Q, "x", "--property", "n:int8=300", "--property", "good=1", "--property", "NOT=1")
    done.ended(2, "300 does not fit", "'NOT' cannot be")


@pytest.mark.parametrize("text", ["nothing", "n:int8=300", "n:colour=1", "NOT=1", "n:int32=five"])
def test_a_property_that_is_none_puts_nothing(qm, mqx, bodies, text):
    mqx("put", Q, "x", "--property", text).ended(2)
    assert bodies(Q) == []


@pytest.mark.parametrize(
    ("words", "data", "format"),
    [
        (("--ccsid", "500"), "déjà".encode("cp500"), "MQSTR"),
        (("--ccsid", "819"), b"caf\xe9", "MQSTR"),
        (("--ccsid", "1200"), "ab".encode("utf-16-le"), "MQSTR"),
        (("--ccsid", "1200"), b"odd", ""),
        (("--ccsid", "1208"), b"caf\xe9", ""),
        (("--ccsid", "935"), b"\xc1\xc2", "MQSTR"),
        (("--ccsid", "500", "--format", ""), b"x", ""),
        ((), b"caf\xe9", ""),
    ],
)
def test_text_in_the_ccsid_that_is_given_is_mqstr(qm, mqx, lying_on, words, data, format):
    mqx("put", Q, *words, stdin=data, check=True)
    (row,) = lying_on(Q)
    assert (row["format"], row["data"]) == (format, data)


def test_identifiers_may_be_text_and_beginnings_of_any_number_of_digits(qm, mqx, lying_on):
    mqx("put", Q, "x", "--msg-id", "text:order", "--correl-id", "text:ü", "--group-id", "text:all of them", check=True)
    (row,) = lying_on(Q)
    assert row["msg_id"] == b"order".ljust(24, b"\0")
    assert row["correl_id"] == "ü".encode().ljust(24, b"\0")
    assert row["group_id"] == b"all of them".ljust(24, b"\0")
    for words in (("--msg-id", "text:order"), ("--msg-id", "6f726"), ("--correl-id", "c3b"), ("--group-id", "6")):
        assert mqx("browse", Q, *words, check=True).out
    assert mqx("browse", Q, "--ids", "-", stdin=b"text:order\n6f7\n", check=True).out
    assert mqx("browse", Q, "--msg-id", "6f725").status == 3
    mqx("put", Q, "--jsonl", stdin=b'{"data":"y","md":{"msg_id":"text:other"}}', check=True)
    mqx("get", Q, "--msg-id", "6f7").ended(2, "msg_id 6F7 is the prefix of several identifiers")
    mqx("put", Q, "z", "--confirm-id", "1", "--msg-id", "text:zed", check=True)
    mqx("confirm", "put", Q, "--confirm-id", "1", "--msg-id", "text:zed", check=True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--report", "coa,COD-DTA"), "'COD-DTA' is neither a number nor a name of MQRO_; did you mean cod-data?"),
        (("--report", "MQRO_CAO"), "'MQRO_CAO' is neither a number nor a name of MQRO_; did you mean MQRO_COA?"),
        (("--type", "raport"), "'raport' is neither a number nor a name of MQMT_; did you mean report?"),
        (("--feedback", "CAO"), "or a number; did you mean coa?"),
        (("--persistant",), "hint: did you mean --persistent?"),
        (("--jsonlines",), "no such option '--jsonlines'"),
    ],
)
def test_unknown_names_are_echoed_as_typed_with_the_likely_one(qm, mqx, words, said):
    mqx("put", Q, *words, "x").ended(2, said)


@pytest.mark.parametrize("how", [("--delay", "1h"), ("--deliver-at", "2099-01-01T00:00Z")])
def test_a_delayed_message_is_shown_with_its_time_and_put_again_with_it(qm, mqx, how):
    mqx("put", Q, *how, "later", check=True)
    assert mqx("get", Q).status == 3
    line = mqx("browse", Q, "--all-states", "-o", "jsonl", check=True).out
    shown = json.loads(line)
    assert (shown["state"], shown["deliver_at"][-1]) == ("delayed", "Z")
    assert mqx("unload", Q, "--jsonl", check=True).out == line
    mqx("put", "DEV.QUEUE.2", "--jsonl", stdin=line, check=True)
    again = mqx("sql", "select state, deliver_at from messages where queue = 'DEV.QUEUE.2'", "-o", "json", check=True)
    assert json.loads(again.out) == [{"state": "delayed", "deliver_at": shown["deliver_at"]}]


@pytest.mark.parametrize(
    ("options", "stdin", "words"),
    [
        (["--deliver-at", "2020-01-01", "x"], b"", "--deliver-at is in the past"),
        (["--deliver-at", "soon", "x"], b"", "'soon' is not a time"),
        (["--deliver-at", "2099-01-01", "--delay", "1s", "x"], b"", "--delay cannot be combined with --deliver-at"),
        (["--jsonl"], b'{"data":"x","deliver_at":"soon"}', "deliver_at: 'soon' is not a time"),
    ],
)
def test_a_delivery_time_that_cannot_be_is_refused(qm, mqx, options, stdin, words):
    mqx("put", Q, *options, stdin=stdin).ended(2, words)

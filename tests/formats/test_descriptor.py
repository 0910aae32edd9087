"""The message descriptor as JSON shows it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.message import MQRO_COA_WITH_DATA, MQRO_EXCEPTION, MQRO_PAN
from mqtools.constants.reasons import MQRC_MD_ERROR, MQRC_Q_FULL
from mqtools.errors import MQError
from mqtools.formats.descriptor import md_from_dict, md_to_dict
from mqtools.message import MQMD

from ..descriptors import any_md
from ..errors import fails


@given(any_md)
def test_any_descriptor_reads_back_through_json(md: MQMD) -> None:
    assert md_from_dict(json.loads(json.dumps(md_to_dict(md)))) == md


@given(any_md, st.lists(any_md, min_size=1, max_size=3))
def test_descriptors_that_have_most_in_common_are_each_read_as_they_are(md: MQMD, others: list[MQMD]) -> None:
    for other in (md, *others, md):
        alike = md.replace(**{name: getattr(other, name) for name in ("msg_id", "correl_id", "put_date", "put_time")})
        shown = md_to_dict(alike)
        assert md_from_dict(shown) == alike
        assert md_from_dict({**shown, "msg_id": None, "put_time": None}) == alike.replace(msg_id=bytes(24), put_time="")


def test_keys_are_the_fields_in_their_order() -> None:
    assert tuple(md_to_dict(MQMD())) == MQMD.__slots__


def test_enumerations_and_flags_print_as_names() -> None:
    shown = md_to_dict(MQMD(report=MQRO_COA_WITH_DATA | MQRO_EXCEPTION | MQRO_PAN, put_appl_type=6))
    assert shown["report"] == ["MQRO_PAN", "MQRO_COA_WITH_DATA", "MQRO_EXCEPTION"]
    assert [shown[field] for field in ("msg_type", "persistence", "put_appl_type", "feedback", "msg_flags")] == [
        "MQMT_DATAGRAM", "MQPER_PERSISTENCE_AS_Q_DEF", "MQAT_UNIX", "MQFB_NONE", ["MQMF_NONE"],
    ]  # fmt: skip


def test_an_unknown_value_prints_as_its_number() -> None:
    assert md_to_dict(MQMD(msg_type=77, report=0x8000))["msg_type"] == 77
    assert md_to_dict(MQMD(report=0x8000))["report"] == [0x8000]


def test_feedback_also_names_reason_codes() -> None:
    assert md_to_dict(MQMD(feedback=MQRC_Q_FULL))["feedback"] == "MQRC_Q_FULL"
    assert md_from_dict({"feedback": "MQRC_Q_FULL"}).feedback == MQRC_Q_FULL


def test_names_numbers_and_lists_are_read() -> None:
    md = md_from_dict(
        {
            "msg_type": "request", "report": "MQRO_PAN", "msg_flags": 8, "priority": "4", "expiry": "MQEI_UNLIMITED",
            "encoding": "MQENC_NORMAL", "format": "MQFMT_STRING", "put_appl_type": 9.0, "reply_to_q": "R   ",
            "msg_id": "x'41'", "persistence": None,
        }
    )  # fmt: skip
    assert md == MQMD(
        msg_type=1, report=1, msg_flags=8, priority=4, encoding=273, format="MQSTR", put_appl_type=9, reply_to_q="R",
        msg_id=b"A".ljust(24, b"\0"),
    )  # fmt: skip


def test_a_field_that_is_none_is_named() -> None:
    with fails(MQRC_MD_ERROR, r"md\.priorty: "):
        md_from_dict({"priority": 4, "priorty": 5})


def test_bit_31_of_a_flag_word_is_the_sign() -> None:
    assert md_from_dict({"report": ["MQRO_PAN", 0x80000000]}).report == 1 - 2**31
    assert md_from_dict({"report": -1}).report == -1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("priority", "x"), ("priority", True), ("priority", 1.5), ("priority", []), ("priority", 2**31),
        ("expiry", -(2**31) - 1), ("msg_type", "MQMT_NONSENSE"), ("report", ["MQRO_NONSENSE"]), ("report", [None]),
        ("report", 2**32), ("report", {}), ("msg_id", 5), ("msg_id", "4"), ("msg_id", "00" * 25), ("msg_id", "zz"),
        ("accounting_token", "00" * 33), ("reply_to_q", 5), ("reply_to_q", "Q" * 49), ("format", "TOOLONGFORMAT"),
        ("priority", "²"), ("msg_type", "9" * 5000), ("coded_char_set_id", float("inf")),
    ],
)  # fmt: skip
def test_a_bad_value_is_named_by_its_path(field: str, value: object) -> None:
    with pytest.raises(MQError) as caught:
        md_from_dict({field: value})
    assert caught.value.text.startswith(f"md.{field}: ")
    assert caught.value.reason == MQRC_MD_ERROR


def test_the_words_say_what_is_wrong() -> None:
    with pytest.raises(MQError, match=r"^md.priority: 'x' is not a number"):
        md_from_dict({"priority": "x"})


@pytest.mark.parametrize("obj", [[], "x", 5])
def test_what_is_no_object_is_no_descriptor(obj: object) -> None:
    with pytest.raises(MQError, match=r"^md: not an object"):
        md_from_dict(obj)


@pytest.mark.parametrize(("good", "bad"), [(1, True), (1, 1.5), ("1", ["1"]), ([1], [True]), (["MQRO_COA"], ["?"])])
def test_a_value_that_was_read_is_not_taken_for_one_that_equals_it(good: object, bad: object) -> None:
    field = "report" if isinstance(good, list) else "priority"
    for _ in range(2):
        assert md_from_dict({field: good}) == md_from_dict({field: good})
        with pytest.raises(MQError):
            md_from_dict({field: bad})


def test_fields_of_the_same_text_have_values_of_their_own() -> None:
    md = md_from_dict({"put_date": "20261124", "format": "MQFMT_STRING", "reply_to_q": "MQFMT_STRING"})
    assert (md.format, md.reply_to_q) == ("MQSTR", "MQFMT_STRING")

"""``mqx explain``: meanings in every format, and what happens to a word that has none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mqtools.explanations.words import explain_word
from mqtools.rules.attributes.table import attributes_of

Run = Callable[..., Any]


@pytest.mark.parametrize("word", ["2053", "MQRC_Q_FULL", "mqrc_q_full", "q_full", "0x805"])
def test_a_reason_is_found_by_number_and_by_name(mqx: Run, word: str) -> None:
    (found, *_) = json.loads(mqx("explain", word, "-o", "json", check=True).out)
    assert (found["name"], found["value"], found["family"]) == ("MQRC_Q_FULL", 2053, "MQRC")
    assert found["meaning"]
    assert found["what_to_do"]
    assert (found["comp_code"], found["exit_status"]) == ("failed", 7)


@pytest.mark.parametrize(
    ("word", "meaning", "edits"),
    [
        ("ccsid-939", "IBM MQ converts this character set, mqx lacks it", False),
        ("CCSID 1047", "mqx converts messages from and to this character set", False),
        ("ccsid-7", "Neither IBM MQ nor mqx is known", True),
    ],
)
def test_only_a_character_set_that_is_unknown_is_a_reason_to_edit_a_message(
    mqx: Run, word: str, meaning: str, edits: bool
) -> None:
    text = " ".join(mqx("explain", word, check=True).out.decode().split())
    assert meaning in text
    assert ("mqx edit" in text) == edits
    assert "mqx explain ccsid-N" in mqx("explain", "2111", check=True).out.decode().replace("\n    ", " ")


def test_several_words_are_explained_in_their_order(mqx: Run) -> None:
    lines = mqx("explain", "MQRC_Q_FULL", "MQRC_GET_INHIBITED", "-o", "jsonl", check=True).out.splitlines()
    assert [json.loads(line)["value"] for line in lines] == [2053, 2016]


def test_plain_is_a_line_a_meaning_with_the_name_first(mqx: Run) -> None:
    (line,) = mqx("explain", "MQRC_Q_FULL", "-o", "tsv", check=True).out.decode().splitlines()
    assert line.split("\t")[:5] == ["MQRC_Q_FULL", "2053", "MQRC", "failed", "7"]


def test_a_table_is_for_reading(mqx: Run) -> None:
    text = mqx("explain", "MQRC_Q_FULL", "-o", "table", check=True, COLUMNS="72").out.decode()
    assert text.startswith("MQRC_Q_FULL  2053  ")
    assert "What to do: " in text
    assert max(len(line) for line in text.splitlines()) <= 72


def test_an_unknown_word_is_3_with_what_may_have_been_meant(mqx: Run) -> None:
    done = mqx("explain", "MQRC_Q_FUL")
    assert (done.status, done.out) == (3, b"")
    assert "MQRC_Q_FULL" in done.err


def test_an_unknown_word_among_known_ones_is_9(mqx: Run) -> None:
    done = mqx("explain", "2053", "MQRC_NOPE_NOPE", "-o", "json").ended(9)
    assert len(json.loads(done.out)) == 1
    assert "MQRC_NOPE_NOPE" in json.loads(done.err)["error"]["message"]


def test_json_of_nothing_is_an_empty_array(mqx: Run) -> None:
    done = mqx("explain", "MQRC_NOPE_NOPE", "-o", "json")
    assert (done.status, json.loads(done.out)) == (3, [])


def test_a_word_cannot_steer_the_terminal(mqx: Run) -> None:
    assert "\x1b" not in mqx("explain", "\x1b[31mred").err


@pytest.mark.parametrize("arguments", [(), ("2053", "-o", "raw"), ("2053", "-o", "nonsense")])
def test_no_word_and_an_unknown_format_are_2(mqx: Run, arguments: tuple[str, ...]) -> None:
    assert mqx("explain", *arguments).status == 2


def test_it_needs_no_queue_manager(mqx: Run) -> None:
    assert mqx("explain", "2033", MQX_QMGR="NOPE").status == 0


def test_a_rule_is_explained_with_its_source_and_its_places(mqx: Run) -> None:
    text = mqx("explain", "lock-02", "-o", "table", check=True, COLUMNS="80").out.decode()
    assert text.startswith("LOCK-02  (a rule)\n    MQGMO_LOCK requires a browse option.\n")
    assert "    Source: MQGMO, Options; Rules for validating MQI options\n" in text
    assert "    Reason: MQRC_OPTIONS_ERROR (2046)\n" in text
    assert "    Implemented in:\n        mqtools/" in text
    assert "    Tested by:\n        tests/" in text


def test_limits_of_a_rule_are_shown(mqx: Run) -> None:
    text = mqx("explain", "WAIT-43", "AMB-07", "-o", "table", check=True).out.decode()
    assert "    Only on: z/OS shared queue\n    Not applicable: there is no shared queue\n" in text
    assert "\n\nAMB-07  (a reading)\n" in text


def test_a_prefix_lists_the_rules_of_its_area(mqx: Run) -> None:
    text = mqx("explain", "OPTC", "-o", "table", check=True, COLUMNS="72").out.decode()
    assert text.startswith("OPTC  (4 rules)\n")
    assert text.count("\n    OPTC-0") == 4
    assert max(len(line) for line in text.splitlines()) <= 72


def test_a_word_that_is_a_constant_and_an_area_is_explained_as_both(mqx: Run) -> None:
    names = [row["name"] for row in json.loads(mqx("explain", "LOCK", "-o", "json", check=True).out)]
    assert names == ["MQGMO_LOCK", "lock", "mqx lock", *(f"LOCK-{number:02}" for number in range(1, 40))]


def test_a_rule_in_json_has_what_a_constant_has_and_more(mqx: Run) -> None:
    constant, rule = json.loads(mqx("explain", "2053", "LOCK-02", "-o", "json", check=True).out)
    assert set(constant) == set(rule)
    assert (constant["name"], constant["source"]) == ("MQRC_Q_FULL", None)
    assert (rule["name"], rule["family"], rule["value"]) == ("LOCK-02", "RULE", None)
    assert rule["meaning"] == "MQGMO_LOCK requires a browse option."
    assert rule["reasons"] == ["MQRC_OPTIONS_ERROR"]
    assert rule["implemented"]
    assert rule["tested"]


def test_an_unknown_rule_is_3_with_the_nearest(mqx: Run) -> None:
    done = mqx("explain", "BROWSE-99")
    assert (done.status, done.out) == (3, b"")
    assert "did you mean BROWSE-61, " in done.err


@pytest.mark.parametrize(
    ("word", "family", "words"),
    [
        ("BOTHRESH", "MQSC", "QLOCAL, QMODEL"),
        ("maxdepth", "MQSC", "0 to 999999999"),
        ("DEADQ", "MQSC", "QMGR"),
        ("CONNAME", "MQSC", "SDR"),
        ("AMQ8147E", "AMQ", "no object of this name"),
        ("amq8721", "AMQ", "no valid dead-letter header"),
        ("exit-8", "STATUS", "read-only"),
        ("exit 3", "STATUS", "empty queue"),
        ("7", "STATUS", "full queue"),
        ("dlq-handle", "COMMAND", "rules table"),
        ("put", "COMMAND", "Put messages"),
        ("put", "MQSC", "Whether puts are allowed"),
    ],
)
def test_words_that_are_no_constants_are_explained(mqx: Run, word: str, family: str, words: str) -> None:
    found = json.loads(mqx("explain", word, "-o", "json", check=True).out)
    (one,) = [each for each in found if each["family"] == family]
    assert words in one["meaning"]


@pytest.mark.parametrize("words", [["confirm id"], ["Confirm-ID"], ["confirm", "id"]])
def test_a_term_of_the_glossary_is_explained(mqx: Run, words: list[str]) -> None:
    (row,) = json.loads(mqx("explain", *words, "-o", "json", check=True).out)
    assert (row["family"], row["name"]) == ("TERM", "confirm id")
    assert row["meaning"].startswith("Number chosen by the caller")


def test_a_term_of_two_meanings_has_both_and_a_mistyped_one_a_hint(mqx: Run) -> None:
    assert mqx("explain", "batch", check=True).out.count(b"(a term)") == 2
    assert mqx("explain", "dead leter").err.splitlines()[1].startswith("hint: did you mean dead letter")


def test_every_attribute_of_mqsc_is_explained() -> None:
    missing = [row.keyword for row in attributes_of("QUEUE") if not explain_word(row.keyword)]
    assert set(missing) <= {"JOURNAL"}


def test_text_is_for_people_in_a_pipe_too(mqx: Run) -> None:
    assert "What to do:" in mqx("explain", "2053", check=True).out.decode()


def test_the_word_exit_lists_all_exit_statuses(mqx: Run) -> None:
    found = json.loads(mqx("explain", "exit", "-o", "json", check=True).out)
    assert [each["value"] for each in found][:4] == [0, 1, 2, 3]

"""mqx explain knows what constants mean, in words of its own."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.names import family
from mqtools.explanations import lookup
from mqtools.explanations.attributes import OWN_ATTRIBUTES
from mqtools.explanations.lookup import explain, suggest
from mqtools.explanations.notes import NOTES, TABLES
from mqtools.rules.attributes.table import by_keyword, format_value

#: Reasons that calls end with, or that stand in dead-letter headers, reports and events.
KNOWN_REASONS = """
    2001-2005 2008 2009 2013 2014 2016-2022 2024 2026 2027 2029-2031 2033-2053 2055-2059 2061-2063 2065 2067-2069
    2071 2072 2079 2080 2082 2085-2087 2090-2098 2101 2102 2104 2105 2110-2112 2115 2116 2119-2124 2128 2135 2136 2141
    2142 2148 2152 2153 2161 2162 2173 2184-2186 2190 2192 2194-2200 2206 2207 2209 2218-2220 2222-2228 2241-2253
    2255-2260 2272 2279 2282 2283 2295 2296 2331 2334 2362-2365 2417 2421 2442 2443 2459-2467 2469-2473 2478 2481
    2482 2489 2490 2492 2498 2499 2501 2504 2513 2519 2527 2535 2551 2586
"""

SUBCOMMANDS = {
    "browse", "channel", "completion", "config", "confirm", "copy", "delete", "dlq-handle", "doctor", "edit",
    "explain", "get", "load", "lock", "log", "man", "move", "mqsc", "pipeline", "put", "qdepth", "qmgr", "report-gen",
    "run", "tui", "undo", "unload", "unlock",
}  # fmt: skip

#: Families of which every name has words of its own.
NOTED_FAMILIES = ["MQFB", "MQRO", "MQMT", "MQPER", "MQMF", "MQGMO", "MQMO", "MQPMO", "MQOO", "MQACTP", "MQCO", "MQCC"]


def known_reasons() -> list[int]:
    spans = [span.partition("-") for span in KNOWN_REASONS.split()]
    return [code for first, _, last in spans for code in range(int(first), int(last or first) + 1)]


def only(text: str) -> lookup.Explanation:
    (found,) = explain(text)
    return found


@pytest.mark.parametrize("text", ["2053", "MQRC_Q_FULL", "Q_FULL", "q-full", " mqrc_q_full ", "0x805"])
def test_a_reason_is_found_by_number_and_by_every_form_of_its_name(text: str) -> None:
    found = only(text)
    assert (found.family, found.name, found.value) == ("MQRC", "MQRC_Q_FULL", 2053)
    assert (found.comp_code, found.exit_status) == ("failed", 7)
    assert "mqx qdepth" in found.what_to_do
    assert "MAXDEPTH" in found.what_to_do


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("258", "MQFB_EXPIRATION", 258),
        ("MQFB_COD", "MQFB_COD", 260),
        ("MQRO_COA", "MQRO_COA", 256),
        ("MQMT_REQUEST", "MQMT_REQUEST", 1),
        ("MQGMO_WAIT", "MQGMO_WAIT", 1),
        ("coa-data", "MQRO_COA_WITH_DATA", 768),
        ("MQHRF2", "MQFMT_RF_HEADER_2", "MQHRF2"),
        ("pass-msg-id", "MQRO_PASS_MSG_ID", 128),
    ],
)
def test_other_families_are_found(text: str, name: str, value: int | str) -> None:
    assert (only(text).name, only(text).value) == (name, value)


def test_a_number_with_several_meanings_gives_all_of_them_in_order() -> None:
    assert [found.name for found in explain("256")] == ["MQFB_QUIT", "MQRO_COA"]
    assert [found.name for found in explain("0")][:3] == ["MQRC_NONE", "MQFB_NONE", "MQRO_NONE"]


def test_a_name_without_prefix_gives_every_family_that_has_it() -> None:
    assert [found.name for found in explain("COD")] == ["MQFB_COD", "MQRO_COD"]


@pytest.mark.parametrize("text", ["", " ", "nonsense", "273", "-7", "MQRC_", "MQRC", "²", "2.5"])
def test_unknown_gives_nothing(text: str) -> None:
    assert explain(text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("70000", ["MQFB_APPL_FIRST..MQFB_APPL_LAST", "MQMT_APPL_FIRST..MQMT_APPL_LAST"]),
        ("350", ["MQFB_IMS_FIRST..MQFB_IMS_LAST"]),
        ("950", ["MQRC_APPL_FIRST..MQRC_APPL_LAST"]),
    ],
)
def test_a_number_within_a_range_is_explained_by_the_range(text: str, names: list[str]) -> None:
    found = explain(text)
    assert [each.name for each in found][: len(names)] == names
    assert all(each.value == int(text) for each in found)


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        ("MQRC_PAGESET_FULL", ("MQRC_STORAGE_MEDIUM_FULL",)),
        ("MQRC_STORAGE_MEDIUM_FULL", ("MQRC_PAGESET_FULL",)),
        ("MQAT_AIX", ("MQAT_UNIX",)),
        ("MQRO_COD_WITH_FULL_DATA", ("cod-full",)),
        ("MQRO_NONE", ()),
        ("MQMT_REQUEST", ()),
    ],
)
def test_aliases_are_the_other_names_of_the_value(text: str, aliases: tuple[str, ...]) -> None:
    assert only(text).aliases == aliases


def test_names_of_one_value_share_their_note() -> None:
    assert only("MQRC_TRUNCATED").meaning == only("MQRC_CONVERTED_MSG_TOO_BIG").meaning


@pytest.mark.parametrize(
    ("text", "comp_code", "exit_status"),
    [
        ("2033", "failed", 3),
        ("2079", "warning", 4),
        ("2241", "warning or failed", 4),
        ("2085", "failed", 5),
        ("2209", "warning", 6),
        ("2080", "warning", 7),
        ("2051", "failed", 8),
        ("2102", "failed", 10),
        ("2046", "failed", 1),
        ("2362", "", None),
        ("2224", "", None),
        ("MQRC_NONE", "", 0),
    ],
)
def test_a_reason_tells_completion_code_and_exit_status(text: str, comp_code: str, exit_status: int | None) -> None:
    found = explain(text)[0]
    assert (found.comp_code, found.exit_status) == (comp_code, exit_status)


def test_only_reasons_have_an_exit_status() -> None:
    for prefix in lookup.FAMILIES:
        for name in family(prefix):
            if prefix != "MQRC":
                assert (only(name).comp_code, only(name).exit_status) == ("", None)


@pytest.mark.parametrize("code", known_reasons())
def test_every_reason_that_can_be_met_has_a_note(code: int) -> None:
    meaning = explain(str(code))[0].meaning
    assert not meaning.startswith("By its name")


@pytest.mark.parametrize("prefix", NOTED_FAMILIES)
def test_every_name_of_the_everyday_families_has_a_note(prefix: str) -> None:
    layout = ("_STRUC_ID", "_VERSION", "_LENGTH")
    assert [n for n in family(prefix) if n not in NOTES and not any(part in n for part in layout)] == []


def test_no_note_is_about_a_name_that_does_not_exist() -> None:
    assert [name for name in NOTES if name not in family(name.split("_")[0])] == []


def test_no_name_has_two_notes() -> None:
    assert sum(len(table) for table in TABLES) == len(NOTES)


def test_notes_are_whole_sentences() -> None:
    for name, (meaning, what_to_do, _) in NOTES.items():
        assert meaning.endswith("."), name
        assert meaning[0].isupper(), name
        assert what_to_do == "" or what_to_do.endswith((".", '."')), name
        assert "  " not in meaning + what_to_do, name


def test_advice_names_only_subcommands_that_exist() -> None:
    for name, note in NOTES.items():
        words = note.what_to_do.replace(",", " ").replace(".", " ").replace(";", " ").split()
        named = {after for word, after in pairwise(words) if word == "mqx"}
        assert named <= SUBCOMMANDS, name


def test_every_name_is_explained_and_has_a_meaning() -> None:
    for prefix in lookup.FAMILIES:
        for name, value in family(prefix).items():
            found = only(name)
            assert (found.family, found.name, found.value) == (prefix, name, value)
            assert found.meaning.endswith(".")


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("MQRC_NESTED_BAG_NOT_SUPPORTED", "nested bag not supported"),
        ("MQRC_LOCAL_UOW_CONFLICT", "local unit of work conflict"),
        ("MQRC_UNKNOWN_Q_NAME", "unknown queue name"),
        ("MQRC_SRO_ERROR", "MQSRO error"),
        ("MQRC_SSL_KEY_RESET_ERROR", "SSL key reset error"),
    ],
)
def test_a_reason_without_a_note_speaks_through_its_name(name: str, phrase: str) -> None:
    meaning = only(name).meaning
    assert phrase in meaning
    assert "mqx itself does not return" in meaning


def test_other_names_without_a_note_say_what_they_are() -> None:
    assert only("MQIA_CURRENT_Q_DEPTH").meaning == (
        "An integer attribute of an object; by its name: current queue depth."
    )
    assert only("MQGMO_VERSION_2").meaning == "Part of the layout of structure MQGMO: version 2."


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Q_FUL", "MQRC_Q_FULL"),
        ("MQRC_QFULL", "MQRC_Q_FULL"),
        ("mqfb_codd", "MQFB_COD"),
        ("no-message-available", "MQRC_NO_MSG_AVAILABLE"),
        ("2054", "MQRC_Q_FULL"),
    ],
)
def test_a_slip_gets_the_name_that_was_meant(text: str, first: str) -> None:
    assert suggest(text)[0] == first


def test_a_part_of_a_name_gets_names_that_hold_it() -> None:
    assert "MQRC_PAGESET_FULL" in suggest("PAGESET")


@pytest.mark.parametrize("text", ["", "zzzzzz", "99999999999"])
def test_nothing_close_gives_no_suggestion(text: str) -> None:
    assert suggest(text) == []


@given(st.text(max_size=40))
def test_any_text_is_answered_without_an_error(text: str) -> None:
    assert all(name.startswith("MQ") or name in OWN_ATTRIBUTES for name in suggest(text))
    assert all(found.meaning for found in explain(text))


@pytest.mark.parametrize("keyword", OWN_ATTRIBUTES)
def test_an_attribute_of_mqx_is_explained_with_its_default(keyword):
    (found,) = (each for each in explain(keyword.lower()) if each.family == lookup.MQSC)
    assert found.name == keyword
    assert found.meaning.endswith(".")
    assert found.what_to_do.endswith(".")
    attribute = next(each for kind in ("RCVR", "QLOCAL", "QMGR") if (each := by_keyword(kind, keyword)) is not None)
    assert format_value(attribute, attribute.default) == found.value
    assert suggest(f"{keyword}X")[0] == keyword

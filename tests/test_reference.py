"""Reference pages: each table is filled in from the code; and messages in JSON agree with their schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.admin.mqsc.run import check_mqsc
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.envelope.schema import envelope_schema
from mqtools.message import MQMD, Message, Property
from mqtools.mqi import journal
from mqtools.operations.sql import VIEWS
from mqtools.rules.attributes.table import attributes_of, without_effect

ROOT = Path(__file__).resolve().parent.parent
_PYTHON_TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
    "number": (int, float),
}  # fmt: skip


def mistakes(schema: dict[str, Any], value: Any, at: str = "$") -> list[str]:
    """Return where a value does not agree with a schema; the keywords that the envelope's schema uses."""
    found: list[str] = []
    if "anyOf" in schema and all(mistakes(each, value, at) for each in schema["anyOf"]):
        found.append(f"{at}: none of anyOf")
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: not {schema['const']}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} not in enum")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(kind, value) for kind in types):
        return [*found, f"{at}: {value!r} is not {types}"]
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{at}: {value!r} does not match")
    if isinstance(value, list) and "items" in schema:
        found += [each for n, item in enumerate(value) for each in mistakes(schema["items"], item, f"{at}[{n}]")]
    if isinstance(value, dict) and "type" in schema:
        known = schema.get("properties", {})
        found += [f"{at}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            rest = schema.get("additionalProperties", {})
            if name not in known and rest is False:
                found.append(f"{at}: {name} is unknown")
            else:
                found += mistakes(known.get(name, rest), item, f"{at}.{name}")
    return found


def is_of(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _PYTHON_TYPES[kind])


@pytest.fixture(scope="module")
def reference(man_script):
    return man_script("reference")


def test_the_pages_have_each_table_once_and_none_is_empty(reference):
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert sorted(re.findall(r"<!-- table: (\w+) -->", pages)) == sorted(reference.TABLES)
    for name in reference.TABLES:
        assert len(reference.on_page_markdown(f"<!-- table: {name} -->").splitlines()) > 5, name


def test_the_commands_have_their_help(reference):
    text = reference.on_page_markdown("<!-- table: commands -->")
    for page in (ROOT / "man").glob("mqx-*.1"):
        name = page.stem.removeprefix("mqx-")
        assert f"\n## mqx {name}\n\n```text\nUsage: mqx {name} " in text


def test_no_cell_of_a_table_has_markup(reference):
    assert "| LOCK-34 | MQGMO\\_UNLOCK can be combined" in reference.on_page_markdown("<!-- table: rules -->")


def test_every_event_of_the_journal_has_its_row():
    text = (ROOT / "docs/reference/journal.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \| [A-Z]", text.split("## Columns")[0], re.M)
    of_the_view = re.split(r", ", VIEWS["journal"]["event"])
    written = {journal.PUT, journal.GET, journal.BROWSE_LOCK, journal.UNLOCK, journal.EXPIRE, journal.DELETE}
    assert sorted(named) == sorted([*of_the_view, "recorded"])
    assert written <= set(named)


def test_the_attributes_of_mqsc_are_the_keywords_that_define_accepts(reference):
    text = reference.on_page_markdown("<!-- table: mqsc_attributes -->")
    effects: dict[tuple[str, str], str] = {}
    for line in re.findall(r"^\| (.*) \|$", text, re.M):
        first, *columns = line.split(" | ")
        if first.startswith("`"):
            effects |= {(each, first.strip("`")): columns[-1] for each in columns[0].split(", ")}
        elif columns[-1].startswith("`"):
            effects |= {(first, each): columns[0] for each in re.findall(r"`(\w+)`", columns[-1])}
    types = {object_type for object_type, _ in effects}
    assert types >= {"QLOCAL", "QMGR", "SVRCONN", "TOPIC", "SUB", "NAMELIST", "PROCESS", "LISTENER", "SERVICE"}
    for object_type in types:
        accepted = {each for _, each in effects if each != "CHLTYPE" and is_accepted(object_type, each)}
        assert accepted == {each for (of, each), effect in effects.items() if of == object_type and effect in "yes no"}


def is_accepted(object_type: str, keyword: str) -> bool:
    begin = f"DEFINE {object_type}(X)"
    if object_type == "QMGR":
        begin = "ALTER QMGR"
    elif object_type in ("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLNTCONN"):
        begin = f"DEFINE CHANNEL(X) CHLTYPE({object_type})"
    found = [mistake.text for mistake in check_mqsc(f"{begin} {keyword}(1)").mistakes]
    refusals = (f"{keyword} is not a", f"{keyword} can be displayed")
    return not any(text.startswith(refusals) or text == f"mqx does not have {keyword}" for text in found)


def test_a_keyword_without_effect_is_an_attribute():
    for object_types in (
        ("QUEUE",),
        ("QMGR",),
        ("CHANNEL",),
        ("TOPIC",),
        ("NAMELIST", "PROCESS"),
        ("AUTHINFO",),
        ("LISTENER", "SERVICE"),
    ):
        rows = {row.keyword for object_type in object_types for row in attributes_of(object_type)}
        assert without_effect(object_types[0]) < rows


INTEGERS = st.integers(-(2**31), 2**31 - 1)
MESSAGES = st.builds(
    Message,
    st.binary(max_size=40),
    st.builds(
        MQMD,
        priority=st.integers(0, 9),
        msg_id=st.binary(min_size=24, max_size=24),
        format=st.sampled_from(["", "MQSTR", "MQDEAD", "MQHRF2"]),
        msg_type=INTEGERS,
        feedback=INTEGERS,
        report=st.integers(0, 2**31 - 1),
        coded_char_set_id=st.sampled_from([0, 37, 819, 1208]),
        reply_to_q=st.text("ABC.é", max_size=8),
    ),
    st.dictionaries(
        st.sampled_from(["a", "b.c"]), st.builds(Property, st.just(0x400), st.text(max_size=5)), max_size=2
    ),
)


@settings(max_examples=60)
@given(MESSAGES, st.integers(0, 4), st.none() | st.binary(min_size=8, max_size=8))
def test_messages_in_json_agree_with_the_schema(message, state, lock_id):
    envelope = to_envelope(message, qmgr="QM1", queue="Q", state=state, lock_id=lock_id)
    assert mistakes(envelope_schema(), json.loads(json.dumps(envelope))) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one.pop("md"), "md is missing"),
        (lambda one: one.update(colour=1), "colour is unknown"),
        (lambda one: one["md"].update(msg_id="xyz"), "does not match"),
        (lambda one: one["md"].update(priority="9"), "is not"),
        (lambda one: one.update(state="gone"), "not in enum"),
    ],
)
def test_the_schema_finds_mistakes(change, words):
    envelope = json.loads(json.dumps(to_envelope(Message(b"x"), qmgr="QM1", queue="Q", state=1)))
    change(envelope)
    assert any(words in each for each in mistakes(envelope_schema(), envelope))

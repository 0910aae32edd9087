"""JSON text that is exact and safe to look at."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.jsontext import dumps

any_text = st.text(st.characters(exclude_categories=()))


def test_json_is_compact_and_keeps_other_scripts() -> None:
    assert dumps({"a": [1, None, True], "b": "Grüße 世界"}) == '{"a":[1,null,true],"b":"Grüße 世界"}'


def test_hostile_characters_and_lone_surrogates_are_escaped() -> None:
    assert dumps("\x1b\x7f\x9b\u202e\ud800\U000e0041\u2028") == (
        '"\\u001b\\u007f\\u009b\\u202e\\ud800\\udb40\\udc41\\u2028"'
    )


def test_bytes_become_hex() -> None:
    assert dumps({"id": b"\x0a\xff"}) == '{"id":"0AFF"}'


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError):
        dumps(float("nan"))


@given(st.text())
def test_text_reads_back_exactly(text: str) -> None:
    assert json.loads(dumps(text)) == text


@given(any_text)
def test_json_is_one_safe_line_of_utf_8(text: str) -> None:
    written = dumps({text: text})
    written.encode()
    assert not [char for char in written if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co")]

"""``mqtools.arrow.read``: queues as Arrow batches without Spark, their properties, and masks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pytest.importorskip("orjson")

from mqtools.arrow import property_maps, read  # noqa: E402
from mqtools.arrow.masks import Mask  # noqa: E402
from mqtools.constants.properties import MQTYPE_INT32, MQTYPE_STRING  # noqa: E402
from mqtools.errors import MQError  # noqa: E402
from mqtools.headers.chain import prefix_dlh  # noqa: E402
from mqtools.message import MQMD, Message, Property  # noqa: E402
from mqtools.mqi.connection import connect  # noqa: E402

Q = "DEV.QUEUE.1"
MAPS = pa.map_(pa.string(), pa.string())
RED = {"colour": Property(MQTYPE_STRING, "red"), "size": Property(MQTYPE_INT32, 5)}


@pytest.fixture
def filled(qm: str) -> str:
    dead, data = prefix_dlh(MQMD(format="MQSTR", coded_char_set_id=819), b"gr\xfcn", reason=2053)
    with connect(qm) as connection:
        connection.put1(Q, Message(b"one", MQMD(format="MQSTR", correl_id=b"1" * 24), RED))
        connection.put1(Q, Message(b"\xff", MQMD(format="MQSTR", priority=7)))
        connection.put1(Q, Message(data, dead))
        connection.put1(Q, Message(b"long" * 9999, MQMD(format="MQSTR", correl_id=b"1" * 24)))
    return qm


@pytest.mark.parametrize("alone", [False, True])
def test_columns_are_read_in_their_order_with_the_body_as_text(filled: str, alone: bool) -> None:
    rows = read(filled, Q, ["text", "queue", "properties"], alone=alone).read_all().to_pylist()
    assert [row["text"] for row in rows] == ["one", None, "grün", "long" * 9999]
    assert list(rows[0].items())[1:] == [("queue", Q), ("properties", [("colour", "red"), ("size", "5")])]


def test_a_selector_and_what_is_locked_are_left_out(filled: str, mqx: Callable[..., Any]) -> None:
    assert read(filled, Q, ["data"], "colour = 'red'").read_all().to_pylist() == [{"data": b"one"}]
    mqx("lock", Q, "--pos", "1", check=True)
    assert read(filled, "", ["data"]).read_all().num_rows == 3


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (("", "NONE"), MQError, "NONE does not exist"),
        (("NOWHERE", Q), MQError, "NOWHERE"),
        (("", Q, ["colour"]), ValueError, "unknown column: colour; the columns are qmgr, queue,"),
        (("", Q, None, "a ="), MQError, "end of the selector"),
    ],
)
@pytest.mark.usefixtures("qm")
def test_mistakes_are_refused_before_the_first_batch(given: tuple[Any, ...], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        read(*given)


def stored(kind: str, value: object, **more: object) -> dict[str, object]:
    return {"type": kind, "value": value, **more}


@pytest.mark.parametrize(
    ("properties", "texts"),
    [
        ([{"a": stored("string", "x"), "n": stored("int32", n)} for n in (1, 2)], [{"a": "x", "n": n} for n in "12"]),
        ([{"a": stored("bool", True)}, {"a": stored("bool", False)}], [{"a": "true"}, {"a": "false"}]),
        ([{"a": stored("string", "2026-11-28T10:00:00")}], [{"a": "2026-11-28T10:00:00"}]),
        ([{"a": stored("string", "x")}, None, {}, {"b": stored("float64", 1.5)}], [{"a": "x"}, {}, {}, {"b": "1.5"}]),
        ([{"a": stored("bytes", "ab")}, {"a": stored("null", None)}], [{"a": "AB"}, {"a": None}]),
        ([{"a": stored("float32", 5)}, {"a": stored("float64", "NaN")}], [{"a": "5.0"}, {"a": "nan"}]),
        ([{"a": stored("string", "x", support=2)}, {"a": 5, "b": "y"}], [{"a": "x"}, {"a": "5", "b": "y"}]),
    ],
)  # fmt: skip
def test_properties_are_texts_by_name(properties: list[Any], texts: list[dict[str, str]]) -> None:
    given = [None if each is None else json.dumps(each) for each in properties]
    for values in (given, pa.array(given, pa.string())):
        assert [dict(row) for row in property_maps.property_maps(values, MAPS).to_pylist()] == texts


@pytest.mark.parametrize("text", ['{"a":', "[]", "5", '{"a":{"type":"int8","value":500}}', "{},{}", "{}\n{}"])
def test_what_is_not_properties_is_an_error_in_any_place(text: str) -> None:
    for given in ([text], [text] * 2, ['{"a":{"type":"int8","value":5}}', text]):
        with pytest.raises(MQError):
            property_maps.property_maps(given, MAPS)


def test_a_mask_gives_equal_digests_for_equal_values(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["data", "text", "correl_id", "properties", "properties_json", "priority"]
    one, other, _, last = read(filled, Q, names, mask=("data", "correl_id", "property:colour")).read_all().to_pylist()
    assert (len(one["data"]), len(one["correl_id"]), one["priority"], other["priority"]) == (32, 64, 0, 7)
    assert (one["correl_id"] == last["correl_id"], one["correl_id"] == other["correl_id"]) == (True, False)
    assert one["text"] not in (None, "one")
    digest = dict(one["properties"])["colour"]
    assert (dict(one["properties"])["size"], len(digest), digest in one["properties_json"]) == ("5", 64, True)
    again = read(filled, Q, names, mask=["data", "properties"]).read_all().to_pylist()[0]
    assert (again["data"], len(dict(again["properties"])["size"])) == (one["data"], 64)
    monkeypatch.setenv("MQX_MASK_KEY", "another")
    assert read(filled, Q, ["data"], mask=["data"]).read_all()["data"][0].as_py() != one["data"]


@pytest.mark.parametrize("text", ["[]", '{"a":5}', '{"a":{}}'])
def test_damaged_properties_are_an_error_under_a_mask(text: str) -> None:
    with pytest.raises(ValueError, match="the stored properties are damaged"):
        Mask(frozenset(), None, b"key").array("properties", [text], MAPS)


def test_only_texts_and_data_can_be_masked(filled: str) -> None:
    with pytest.raises(ValueError, match="priority, queue cannot be masked"):
        read(filled, Q, mask=["queue", "priority", "data"])


def test_the_key_of_masks_is_private_and_whole(filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read(filled, Q, mask=["data"])
    key = Path(filled).with_name("mask.key")
    assert key.stat().st_mode & 0o777 == 0o600
    with monkeypatch.context() as patched:
        patched.setattr("os.link", lambda *_: pytest.fail("a key is made where there is one"))
        read(filled, Q, mask=["data"])
    assert list(key.parent.glob("mask.key*")) == [key]
    key.write_bytes(b"")
    with pytest.raises(ValueError, match="the key has 0 bytes"):
        read(filled, Q, mask=["data"])

"""``mqx put --csv``: a message for each row."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("qm")

Q = "DEV.QUEUE.1"
COLUMNS = "data=BODY,priority=PRIO,property:colour=COLOUR,property:n:int32=N"


def test_columns_are_data_fields_and_properties(mqx, browse):
    rows = b'BODY,PRIO,COLOUR,N,OTHER\r\n"two\nlines",7,"red, or so",5,x\r\n\r\nplain,,,,\r\n'
    mqx("put", Q, "--csv", "--header", "--column", COLUMNS, "--priority", "3", stdin=rows, check=True)
    first, second = browse(Q)
    assert [(one["data"], one["md"]["priority"], one["md"]["format"]) for one in (first, second)] == [
        ("two\nlines", 7, "MQSTR"),
        ("plain", 3, "MQSTR"),
    ]
    assert first["properties"] == {
        "colour": {"type": "string", "value": "red, or so"},
        "n": {"type": "int32", "value": 5},
    }
    assert second["properties"] == {}


def test_a_header_names_its_targets(mqx, browse):
    rows = b'\xef\xbb\xbfreport,correl_id,data,property:x\n"MQRO_COA,MQRO_COD",AB,a,1\n'
    mqx("put", Q, "--csv", "--header", "--reply-to", Q, stdin=rows, check=True)
    (made,) = browse(Q, "--where", "x = '1'")
    assert (made["md"]["report"], made["md"]["correl_id"][:4]) == (["MQRO_COA", "MQRO_COD"], "AB00")


@pytest.mark.parametrize(("options", "expected"), [((), [b"a"]), (("--column", "data=2,priority=1"), [b"b"])])
def test_without_a_header_columns_are_numbers(mqx, bodies, options, expected):
    mqx("put", Q, "--csv", *options, stdin=b"3,b\n" if options else b"a\n", check=True)
    assert bodies(Q) == expected


def test_the_data_is_text_in_its_ccsid(mqx, bodies):
    mqx("put", Q, "--csv", "--ccsid", "819", stdin="é\n".encode(), check=True)
    assert bodies(Q) == [b"\xe9"]


def test_all_mistakes_are_reported_with_their_lines_and_nothing_is_put(mqx, bodies):
    rows = b'data,priority,property:n:int8\na,3,1\n"b\n",c,1\nd\ne,1,1000\nf,-7,1\n"g"h,1,1\n'
    done = mqx("put", Q, "--csv", "--header", "--batch", "1", stdin=rows)
    assert (done.status, bodies(Q)) == (2, [])
    places = [line.split(":")[1] for line in done.err.splitlines() if line.startswith("<stdin>")]
    assert places == ["4", "5", "6", "7", "8"]
    assert "md.priority: 'c' is not a number" in done.err
    assert "the row has 1 column, not 3" in done.err


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (("--csv",), b"a\n\xff\n"),
        (("--csv",), b"a,b\n"),
        (("--csv", "--column", "data=X"), b"a\n"),
        (("--csv", "--column", "colour=1"), b"a\n"),
        (("--csv", "--column", "data"), b"a\n"),
        (("--csv", "--column", "data=3"), b"a,b\n"),
        (("--csv", "--header"), b"colour\nred\n"),
        (("--csv", "--header", "--column", "data=X"), b"BODY\na\n"),
        (("--header",), b"a\n"),
        (("--column", "data=1"), b"a\n"),
        (("--csv", "--jsonl"), b"a\n"),
    ],
)
def test_invalid_input_and_options_put_nothing(mqx, bodies, options, rows):
    assert (mqx("put", Q, *options, stdin=rows).status, bodies(Q)) == (2, [])

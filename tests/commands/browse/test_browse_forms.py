"""``mqx browse --template --columns --sort --tz --logical-order --complete``: the form and order of the output."""

from __future__ import annotations

import csv
import io
import json

import pytest

from mqtools.message import MQMD, Message, Property
from mqtools.mqi.connection import connect

GROUP = b"G".ljust(24, b"\0")


@pytest.fixture
def orders(qm):
    with connect(qm) as connection:
        for number, colour in ((1, "red"), (3, "blue"), (2, None)):
            properties = {} if colour is None else {"colour": Property(0x400, colour)}
            connection.put1("DEV.QUEUE.1", Message(b"order %d" % number, MQMD(priority=number), properties))
    return qm


def test_a_template_is_the_whole_output(inline, orders):
    done = inline("browse", "DEV.QUEUE.1", "--template", r"%q %p %s %b\n", check=True)
    assert done.out == b"DEV.QUEUE.1 3 7 order 3\nDEV.QUEUE.1 2 7 order 2\nDEV.QUEUE.1 1 7 order 1\n"
    assert done.err == ""


def test_a_template_shows_the_whole_body(inline, orders):
    with connect(orders) as connection:
        connection.put1("DEV.QUEUE.2", Message(b"x" * 100_000))
    assert inline("browse", "DEV.QUEUE.2", "--template", "%b").out == b"x" * 100_000


@pytest.mark.parametrize(
    "words", [("--template", "%x"), ("--columns", "colour"), ("--sort", "nothing"), ("--tz", "Mars/Olympus"),
              ("--template", "%i", "-o", "json"), ("--columns", "msg_id", "-o", "raw")]
)  # fmt: skip
def test_what_is_none_is_2(inline, orders, words):
    done = inline("browse", "DEV.QUEUE.1", *words)
    assert (done.status, done.out) == (2, b"")


def test_columns_of_descriptor_and_properties_as_csv(inline, orders):
    done = inline(
        "browse", "DEV.QUEUE.1", "--columns", "priority,properties.colour,put_appl_name", "-o", "csv", check=True
    )
    rows = list(csv.reader(io.StringIO(done.out.decode())))
    assert rows[0] == ["priority", "properties.colour", "put_appl_name"]
    assert [row[:2] for row in rows[1:]] == [["3", "blue"], ["2", ""], ["1", "red"]]


def test_columns_as_json_are_objects_of_them(inline, orders):
    done = inline("browse", "DEV.QUEUE.1", "--columns", "priority,length", "-o", "json", "-n", "1", check=True)
    assert json.loads(done.out) == [{"priority": 3, "length": 7}]


@pytest.mark.parametrize(("by", "expected"), [("priority", "123"), ("-priority", "321")])
def test_sorting_changes_the_order_of_every_form(inline, orders, by, expected):
    done = inline("browse", "DEV.QUEUE.1", "--sort", by, "--template", "%p", check=True)
    assert done.out.decode() == expected
    done = inline("browse", "DEV.QUEUE.1", "--sort", by, "-o", "jsonl", check=True)
    assert "".join(str(json.loads(line)["md"]["priority"]) for line in done.out.splitlines()) == expected


def test_missing_values_are_last_in_both_directions(inline, orders):
    for by, expected in (("properties.colour", "312"), ("-properties.colour", "132")):
        assert inline("browse", "DEV.QUEUE.1", "--sort", by, "--template", "%p").out.decode() == expected


def test_a_zone_changes_the_times(inline, orders):
    utc = inline("browse", "DEV.QUEUE.1", "-n", "1", "--columns", "put_at").out.decode()
    other = inline("browse", "DEV.QUEUE.1", "-n", "1", "--columns", "put_at", "--tz", "Asia/Kolkata").out.decode()
    assert utc.endswith("Z\n")
    assert other.endswith("+05:30\n")


def test_a_table_has_ages_beside_times_and_plain_is_as_before(inline, orders):
    table = inline("browse", "DEV.QUEUE.1", "-o", "table", check=True).out.decode().splitlines()[0].split()
    assert table == ["MSG_ID", "PUT_AT", "AGE", "PRIORITY", "TYPE", "FORMAT", "LENGTH", "DATA"]
    assert len(inline("browse", "DEV.QUEUE.1", "-n", "1").out.decode().rstrip("\n").split("\t")) == 7


@pytest.fixture
def groups(qm):
    """A group whose second message arrived first, and a message of two segments."""
    with connect(qm) as connection:
        for number, flags in ((2, 24), (1, 8)):
            md = MQMD(version=2, group_id=GROUP, msg_seq_number=number, msg_flags=flags)
            connection.put1("DEV.QUEUE.1", Message(b"part %d" % number, md))
        for data, offset, flags in ((b"left ", 0, 2), (b"right", 5, 6)):
            md = MQMD(version=2, group_id=b"S".ljust(24, b"\0"), offset=offset, msg_flags=flags)
            connection.put1("DEV.QUEUE.2", Message(data, md))
    return qm


@pytest.mark.parametrize("general", [(), ("--read-only",)])
def test_logical_order_and_whole_messages_change_nothing(inline, groups, general):
    assert inline(*general, "browse", "DEV.QUEUE.1", "--template", r"%b\n").out == b"part 2\npart 1\n"
    assert (
        inline(*general, "browse", "DEV.QUEUE.1", "--logical-order", "--template", r"%b\n").out == b"part 1\npart 2\n"
    )
    assert inline(*general, "browse", "DEV.QUEUE.2", "--complete", "-o", "raw").out == b"left right\n"
    assert inline("qdepth", "DEV.QUEUE.1", "--count").out == b"2\n"


@pytest.mark.parametrize(("words", "status"), [(("DEV.QUEUE.3",), 3), (("DEV.QUEUE.1", "--mark"), 2)])
def test_logical_order_of_an_empty_queue_is_3_and_with_marks_2(inline, groups, words, status):
    assert inline("browse", *words, "--logical-order").status == status


def test_a_template_has_its_former_name_too_and_get_knows_it(inline, qm):
    inline("put", "DEV.QUEUE.1", "a", "b", "--priority", "3", check=True)
    assert inline("browse", "DEV.QUEUE.1", "--format", r"%p %b\n").out == b"3 a\n3 b\n"
    assert inline("get", "DEV.QUEUE.1", "--all", "--dry-run", "--template", "%b;").out == b"a;b;"
    assert inline("get", "DEV.QUEUE.1", "--all", "--template", "%b;").out == b"a;b;"
    assert inline("get", "DEV.QUEUE.1").status == 3
    assert inline("get", "DEV.QUEUE.1", "--template", "%b", "-o", "json").status == 2
    assert inline("get", "DEV.QUEUE.1", "--template", "%b", "--exec", "cat").status == 2


@pytest.mark.parametrize("line", [("browse", "DEV.QUEUE.1"), ("trash", "list")])
def test_a_listing_has_its_former_name_too(inline, qm, line):
    inline("put", "DEV.QUEUE.1", "gone", "a", check=True)
    inline("delete", "DEV.QUEUE.1", "--grep", "gone", "--yes", check=True)
    listing = inline(*line, "-o", "listing", check=True).out
    assert b"****Message descriptor****" in listing
    assert inline(*line, "-o", "dump").out == listing

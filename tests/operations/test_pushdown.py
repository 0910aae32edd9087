"""Pushdown of predicates: a selection that the store narrows has the messages of one that examines all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.constants import properties as p
from mqtools.constants.states import ALL, ALONE, UNLOCKED
from mqtools.errors import MQError, SelectorSyntaxError
from mqtools.formats.properties import properties_to_json
from mqtools.headers.mqdlh import MQDLH, pack_mqdlh
from mqtools.lifecycle.message_query import prepare
from mqtools.message import MQMD, Property
from mqtools.mqi.get import search
from mqtools.mqi.identity import put_date_and_time
from mqtools.operations import selection as selecting
from mqtools.operations.selection import Selection, select
from mqtools.rules.selector.selector import compile_selector
from mqtools.store.creation import create_database
from mqtools.store.database import Database
from mqtools.store.messages import insertion, messages
from mqtools.store.messages.stored_message import CHUNK, StoredMessage, seq_of
from mqtools.store.scans import pages

from .selectors import DESCRIPTORS, FLOATS, IDS, NAMES, NUMBERS, PROPERTIES, SELECTORS, TEXTS

Q = 3
NOW, AGE = 1_000_000, 10_000_000


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        database = create_database(f"{folder}/QM1.db")
        database.run("insert into queue_status (queue_id) values (?)", (Q,))
        yield database
        database.close()


def fill(db: Database, given: list[tuple[MQMD, dict[str, Property], bytes]]) -> list[StoredMessage]:
    """Store messages, nothing else; give them as a look at every one finds them."""
    with db.writing():
        db.run("delete from messages")
        db.run("delete from message_chunks")
        for number, (md, properties, data) in enumerate(given, 1):
            text = properties_to_json(properties)
            seq = seq_of(Q, number)
            put_at = NOW + (AGE if number % 2 else -AGE)
            stored = StoredMessage(seq, Q, UNLOCKED, ALONE, number, None, None, None, put_at, text, len(data), md)
            insertion.insert(db, stored, data)
    return pages.arrived_after(db, Q, 0, len(given))


def compiled(text: str):
    try:
        return compile_selector(text)
    except SelectorSyntaxError:  # an odd number of digits beside a field of bytes, an escape at the end
        return None


MESSAGES = st.tuples(DESCRIPTORS.map(lambda fields: MQMD(**fields)), PROPERTIES, st.just(b""))
QUICK = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.conformance("BEY-78", "BEY-79", "INDEX-11")
@QUICK
@given(given_messages=st.lists(MESSAGES, min_size=1, max_size=4), text=SELECTORS)
def test_a_selector_selects_the_same_with_and_without_the_store(db, given_messages, text):
    selector = compiled(text)
    if selector is None:
        return
    every = fill(db, given_messages)

    plainly = [stored.seq for stored in every if search.selects(selector, stored, NOW)]

    assert [stored.seq for stored in select(db, Q, Selection(where=text))] == plainly


ASKED = st.sampled_from([*NUMBERS, *FLOATS, *IDS, *TEXTS, True, False, None, Decimal(7), bytearray(24)])
FILTERS = st.dictionaries(
    st.sampled_from([*NAMES, *MQMD.__slots__, 'n"', "\udc80", "0 x"]), ASKED, min_size=1, max_size=2
)


@pytest.mark.conformance("INDEX-10")
@QUICK
@given(given_messages=st.lists(MESSAGES, min_size=1, max_size=4), asked=FILTERS)
def test_a_filter_finds_the_same_with_and_without_the_store(db, given_messages, asked):
    try:
        wanted = prepare(db, "QM1", asked, None)
    except MQError:  # a value that its field cannot have
        return
    every = fill(db, given_messages)

    plainly = [
        stored.seq
        for stored in every
        if search.fits(stored, wanted.fields, ALL) and (wanted.accept is None or wanted.accept(stored))
    ]

    found = search.walk(db, Q, wanted.fields, wanted.predicate, NOW)
    assert [stored.seq for stored in found if wanted.accept is None or wanted.accept(stored)] == plainly


CHUNKED = b"x" * (CHUNK - 3) + "nödle".encode() + b"y"
BODIES = ["", "needle", "NEEDLE", "nö", "nödle", "a needle\0 in hay", "ß ss", "\u212ab", "ſtop", "x" * 70 + "needle"]
LETTER = pack_mqdlh(MQDLH(reason=2053, format="MQSTR", encoding=273, coded_char_set_id=500), 273, 1208)
DATA = st.one_of(
    st.tuples(
        st.sampled_from(BODIES),
        st.sampled_from([(1208, "utf-8"), (819, "latin-1"), (500, "cp500"), (1200, "utf-16-be")]),
    ).map(lambda each: (each[0].encode(each[1][1], "replace"), each[1][0])),
    st.sampled_from(
        [(b"\xffneedle", 1208), (b"n\xf6dle", 1208), (CHUNKED, 1208), (CHUNKED, 500), (b"needle", 0), (b"", 7)]
        + [(LETTER + "needle".encode("cp500"), 1208)] * 3
    ),
)
FORMATS = st.sampled_from(["MQSTR", "", "MQDEAD", "MQHRF2", "MQHOWN", "OWN"])
DAY, TIME = put_date_and_time(NOW)
DATES = st.tuples(
    st.sampled_from([DAY, "19691231", "19700102", "19709999", "", "x"]),
    st.sampled_from([TIME, "00163999", "00164001", "99"]),
)
BODY_MESSAGES = st.builds(
    lambda data, format, put: (
        MQMD(format=format, coded_char_set_id=data[1], encoding=273, put_date=put[0], put_time=put[1]),
        {},
        data[0],
    ),
    DATA,
    FORMATS,
    DATES,
)
AGES = st.sampled_from([None, 0, 0.001, 0.01, 0.1, 1, 1000, 86_400])
SEARCHES = st.one_of(
    st.builds(
        lambda text, ignoring: Selection(grep=text, ignore_case=ignoring),
        st.sampled_from(["needle", "Needle", "nö", "ö", "\0", "ss", "kb", "STOP", "e\0 I", "\udc80"]),
        st.booleans(),
    ),
    st.sampled_from([b"need", b"\xc3\xb6", b"\0", b"\x95\x85", b"x" * 5]).map(lambda raw: Selection(grep_hex=raw)),
    st.tuples(AGES, AGES).map(lambda ages: Selection(older_s=ages[0], newer_s=ages[1])),
    st.sampled_from([0, 2053]).map(lambda reason: Selection(reason=reason)),
)


@QUICK
@given(given_messages=st.lists(BODY_MESSAGES, min_size=1, max_size=3), selection=SEARCHES)
def test_a_search_of_the_data_finds_the_same_with_and_without_the_store(db, given_messages, selection):
    every = fill(db, given_messages)
    by_a_look = ready(db, selection)

    plainly = [stored.seq for stored in every if by_a_look.holds(stored, NOW)]

    with patch("mqtools.operations.selection.now_ms", lambda: NOW):
        assert [stored.seq for stored in select(db, Q, selection)] == plainly


def ready(db: Database, selection: Selection) -> selecting.Test:
    return selecting.Test(selection, lambda *_: [], lambda stored, limit: messages.load_data(db, stored.seq, limit))


ROME, PARIS = Property(p.MQTYPE_STRING, "Rome"), Property(p.MQTYPE_STRING, "Paris")
FIVE, SIX, YES = Property(p.MQTYPE_INT64, 5), Property(p.MQTYPE_INT64, 6), Property(p.MQTYPE_BOOLEAN, True)
FOUR = [
    (MQMD(user_identifier="alice", priority=4, persistence=0), {}, b""),
    (MQMD(user_identifier="ale", priority=4, persistence=0, backout_count=2), {}, b""),
    (MQMD(priority=7, persistence=0), {"city": ROME, "count": FIVE, "urgent": YES}, b""),
    (MQMD(priority=5, persistence=1, correl_id=b"A" * 24), {"usr.city": PARIS, "usr.count": SIX}, b""),
]

CID = {"jms.Cid": Property(p.MQTYPE_STRING, "ID:" + "41" * 24)}

#: A message, and a selector that hardly any other is for.
RARE = [
    (MQMD(), {}, 'Root.MQMD.CorrelId <> "0x' + "41" * 24 + '"'),
    (MQMD(), {}, 'NOT Root.MQMD.AccountingToken = "0x' + "41" * 32 + '"'),
    (MQMD(), CID, "JMSCorrelationID = 'ID:" + "41" * 24 + "'"),
    (MQMD(correl_id=b"B" * 24), CID, "JMSCorrelationID = 'ID:" + "41" * 24 + "'"),
    (MQMD(), {"n": Property(p.MQTYPE_FLOAT64, (1 << 60) + 1)}, f"n = {1 << 60}"),
    (MQMD(), {"n": Property(p.MQTYPE_FLOAT64, float("-inf"))}, "n < 5"),
    (MQMD(), {"n": Property(p.MQTYPE_FLOAT64, float("inf"))}, "n > 5"),
    (MQMD(), {"n": Property(p.MQTYPE_FLOAT64, 0.1)}, "n = 0.1"),
    (MQMD(), {"usr.n": Property(p.MQTYPE_NULL, None)}, "n IS NULL"),
    (MQMD(user_identifier="a\0bc"), {}, "Root.MQMD.UserIdentifier LIKE '%c'"),
    (MQMD(), {"n": Property(p.MQTYPE_STRING, 'say "\\n"')}, "n LIKE '%\"\\n_'"),
]


@pytest.mark.parametrize(("md", "properties", "text"), RARE)
def test_what_hardly_ever_is_in_a_message_is_found(db, md, properties, text):
    fill(db, [(md, properties, b"")])

    assert len(list(select(db, Q, Selection(where=text)))) == 1


@pytest.mark.parametrize("damaged", ['{"n":{"type":"string","value":"x\\"}', '{"m":{"type":"string"', "n"])
@pytest.mark.parametrize("text", ["n > 5", "n IS NULL", "n = 'x\"}'", "n LIKE 'y%'", "n AND m", "JMSType = 'y'"])
def test_damaged_properties_are_a_mistake_that_says_so(db, text, damaged):
    fill(db, FOUR)
    db.run("update messages set checksum = null, properties = ? where properties is not null", (damaged,))

    with pytest.raises(MQError, match="the properties are not JSON"):
        list(select(db, Q, Selection(where=text)))


def test_damaged_properties_that_nobody_asks_for_are_in_nobodys_way(db):
    fill(db, FOUR)
    db.run("update messages set checksum = null, properties = '{'")

    assert len(list(select(db, Q, Selection(where="Root.MQMD.Priority = 7")))) == 1


def test_text_behind_a_header_is_searched_in_the_character_set_that_the_header_says(db):
    fill(db, [(MQMD(format="MQDEAD", coded_char_set_id=1208, encoding=273), {}, LETTER + "Needle".encode("cp500"))])

    assert [len(list(select(db, Q, Selection(grep=text)))) for text in ("Needle", "needle", "DLH")] == [1, 0, 0]
    assert len(list(select(db, Q, Selection(grep="NEEDLE", ignore_case=True)))) == 1


@pytest.mark.parametrize(("data", "ccsid"), [(b"n\xf6dle", 1208), (b"n\xf6dle", 819), ("nödle".encode(), 1208)])
def test_data_that_is_no_text_is_searched_byte_by_byte(db, data, ccsid):
    fill(db, [(MQMD(format="MQSTR", coded_char_set_id=ccsid), {}, data)])

    assert [len(list(select(db, Q, Selection(grep=text)))) for text in ("nöd", "nod")] == [1, 0]


@pytest.mark.parametrize("text", ["Root.MQMD.Priority = 4", "Root.MQMD.Priority + 0 = 4"])
def test_messages_in_groups_and_held_ones_come_in_the_order_of_delivery(db, text):
    kinds = [{}, {"group_id": b"G" * 24, "msg_flags": 8}, {"priority": 5}]
    alike = [
        (MQMD(**{"priority": 4, "msg_seq_number": n + 1, **kinds[n % 3 if n < 200 else 1]}), {}, b"")
        for n in range(300)
    ]
    fill(db, alike)
    db.run("update messages set state = 2, lock_id = 7 where seq % 7 = 0")

    found = list(select(db, Q, Selection(where=text), all_states=True))

    assert [stored.seq & 1023 for stored in found] == [n for n in range(1, 301) if n > 200 or n % 3]
    assert {stored.state for stored in found} == {1, 2}


@pytest.mark.parametrize("number", [79, 398, 900])
@pytest.mark.parametrize("member", ["'x{}'", "{}"])
def test_selectors_of_any_length_reach_the_store(db, number, member):
    fill(db, FOUR)
    members = ", ".join(member.format(each) for each in range(10, 10 + number))

    for name, more in (("city", "'Rome'"), ("Root.MQMD.UserIdentifier", "'alice'"), ("count", "6")):
        assert len(list(select(db, Q, Selection(where=f"{name} IN ({members}, {more})")))) == 1
        assert len(list(select(db, Q, Selection(where=f"NOT ({name} NOT IN ({members}, {more}))")))) == 1

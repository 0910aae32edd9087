"""Dumps as they are read: everything that dmpmqmsg reads, every mistake with its place, nothing silently lost."""

from __future__ import annotations

import random
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.formats.delimiters import read_lines
from mqtools.formats.dump.display import parse_display
from mqtools.formats.dump.writer import dump_header, dump_message
from mqtools.formats.message_input import read_messages
from mqtools.formats.mistakes import Findings
from mqtools.message import MQMD, Message, Property

from ..descriptors import FILLED, any_md

HEADER = b"* QLOAD Version:8.0 Created:Tue Nov 10 14:02:11 2026\n\n"


def read(text: bytes, *, header: bool = True) -> tuple[list[Message], Findings]:
    """Read a text as a file and line by line: both must find the same, in the same places."""
    text = (HEADER if header else b"") + text
    joined = text.split(b"\n")  # a line ends at LF alone
    lines = [line + b"\n" for line in joined[:-1]] + ([joined[-1]] if joined[-1] else [])
    by_line, by_file = Findings("f"), Findings("f")
    found = list(read_messages(read_lines(BytesIO(text)), by_file))
    assert found == list(read_messages(lines, by_line))
    assert (by_file.mistakes, by_file.warnings) == (by_line.mistakes, by_line.warnings)
    return [each.message for each in found], by_file


def good(text: bytes, *, header: bool = True) -> list[Message]:
    messages, findings = read(text, header=header)
    assert (findings.mistakes, findings.warnings) == ([], [])
    return messages


def bad(text: bytes) -> list[tuple[int, int, str]]:
    """The mistakes of a text behind a header of two lines."""
    return [(each.line, each.column, each.text) for each in read(text)[1].mistakes]


def one(text: bytes) -> Message:
    (message,) = good(text)
    return message


# -- messages alike -----------------------------------------------------------------------------------------

LINES_OF_ONE = {
    "MSI": ("41" * 24, "42" * 24, "41" * 23, "zz" * 24, "41" * 25),
    "COI": ("00" * 24, "43" * 24),
    "PTD": ("20261120", "20261121", "2026 120", ""),
    "PTT": ("12345678", "1234567", "123456789"),
}


@st.composite
def dumps(draw: st.DrawFn) -> bytes:
    """Messages with the same lines but for a few; most are as a queue manager's are."""
    texts = []
    for _ in range(draw(st.integers(2, 6))):
        own = {code: draw(st.sampled_from((values[0],) * 3 + values[1:])) for code, values in LINES_OF_ONE.items()}
        lines = [f"A {code} {value}" for code, value in {"VER": 2, **own}.items()]
        lines.insert(3, draw(st.sampled_from(("A FMT MQSTR", "A FMT MQSTR", "A USR V"))))
        lines += draw(st.sampled_from(([], [], ["A PRI 4"], ["A MSI " + "44" * 24], ["N"], [""])))
        data = draw(
            st.sampled_from((["X 4142", "X 43"], ["X 4142", "X 43"], ["X "], ['S "V"'], ["X 4142", "", "X 43"]))
        )
        texts.append("\n".join([*lines, *data]))
    return ("\n\n".join(texts) + draw(st.sampled_from(("\n\n", "\n", "")))).encode()


@given(dumps())
def test_messages_that_have_most_lines_in_common_are_read_as_line_by_line(text: bytes) -> None:
    read(text)


def test_each_message_has_its_own_identifiers_and_put_time() -> None:
    head = b"A VER 2\nA MSI %b\nA COI %b\nA PRI 3\nA PTD 20261120\nA PTT %b\nX 41\nX 42\n\n"
    given = [(b"41" * 24, b"00" * 24, b"12345678"), (b"42" * 24, b"43" * 24, b"12345679")]
    assert [message.md for message in good(b"".join(head % own for own in given * 2))] == [
        MQMD(msg_id=b"A" * 24, priority=3, put_date="20261120", put_time="12345678"),
        MQMD(msg_id=b"B" * 24, correl_id=b"C" * 24, priority=3, put_date="20261120", put_time="12345679"),
    ] * 2


# -- attributes ---------------------------------------------------------------------------------------------


def test_attributes_are_read_in_any_order_and_the_last_of_two_counts() -> None:
    lines = b"".join(dump_message(FILLED, b"x", parse_display([]))).splitlines(keepends=True)
    attributes, rest = lines[:-2], lines[-2:]
    random.Random(1).shuffle(attributes)
    assert one(b"A PRI 1\n" + b"".join(attributes + rest)).md == FILLED


def test_application_data_is_read_as_characters_and_as_hex() -> None:
    md = one(b"A AID identity\nA AOD or\nX\n").md
    assert (md.appl_identity_data, md.appl_origin_data) == ("identity", "or")
    md = one(b"A AIX 6964\nA AOX 6f72\nX\n").md
    assert (md.appl_identity_data, md.appl_origin_data) == ("id", "or")


def test_fields_that_are_not_given_have_the_initial_values() -> None:
    assert one(b"A VER\nA PRI \nX 41\n").md == MQMD()
    assert one(b"N\nX 41\n") == Message(b"A")


def test_an_identifier_that_is_short_ends_with_zeros_and_small_letters_are_digits() -> None:
    assert one(b"A MSI abCD\nX\n").md.msg_id == b"\xab\xcd" + bytes(22)
    (message,), findings = read(b"A MSI abC\nX\n")
    assert message.md.msg_id == b"\xab" + bytes(23)
    assert [(each.line, each.column) for each in findings.warnings] == [(3, 9)]


def test_characters_keep_leading_blanks_and_lose_trailing_ones() -> None:
    assert one(b"A USR  ana  \nX\n").md.user_identifier == " ana"


def test_numbers_may_have_blanks_and_a_sign() -> None:
    md = one(b"A EXP   -1 \nA PRI +5\nA CCS  1208\nX\n").md
    assert (md.expiry, md.priority, md.coded_char_set_id) == (-1, 5, 1208)


@pytest.mark.parametrize(
    ("line", "field", "value", "place"),
    [
        (b"A PRI five", "priority", 0, (3, 7)),
        (b"A PRI 5x", "priority", 5, (3, 8)),
        (b"A PRI 1_0", "priority", 1, (3, 8)),
        (b"A USR 123456789012X", "user_identifier", "123456789012", (3, 19)),
        (b"A AOX 41424344FF", "appl_origin_data", "ABCD", (3, 15)),
        (b"A MSI ?", "msg_id", bytes(24), (3, 7)),
    ],
)
def test_what_dmpmqmsg_would_guess_at_is_read_as_it_does_with_a_warning(
    line: bytes, field: str, value: object, place: tuple[int, int]
) -> None:
    (message,), findings = read(line + b"\nX\n")
    assert getattr(message.md, field) == value
    assert [(each.line, each.column) for each in findings.warnings] == [place]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        (b"A XYZ 1\nX\n", (3, 3), "no attribute 'XYZ'"),
        (b"A ver 2\nX\n", (3, 3), "no attribute 'ver'"),
        (b"A VE\nX\n", (3, 5), "columns 3 to 5"),
        (b"A PRI 99999999999\nX\n", (3, 7), "MQLONG"),
        (b"A PRI 2147483648\nX\n", (3, 7), "MQLONG"),
        (b"A MSI 4G\nX\n", (3, 8), "hexadecimal"),
        (b"A PRI 1\n\n* end\n", (3, 1), "no data line"),
        (b"A PRI 1\nN\nX\n", (3, 1), "no data line"),
        (b"X 41\nS 42\n\nX 43\n", (3, 1), "A or N comes first"),
        (b"B PRI 1\n", (3, 1), "begins with"),
        (b"N\nX 414\n", (4, 5), "second one"),
        (b"N\nX 41 42 4\nX 4z\n", (5, 4), "hexadecimal"),
        (b"N\nX 41**42\n", (4, 5), "hexadecimal"),
        (b'N\nS "open\n', (4, 3), "closing quote"),
        (b'N\nS "a~b"\n', (4, 5), "after ~"),
        (b'N\nS "a~"\n', (4, 3), "closing quote"),
        (b"* mqx {nonsense\nN\nX\n", (3, 8), "not JSON"),
        (b'* mqx {"rfh2":9}\nN\nX 41\n', (4, 1), "rfh2"),
        (b'* mqx {"md":{"priority":9}}\nN\nX 41\n', (4, 1), "own attribute line"),
        (b'* mqx {"properties":{"a":{"type":"x"}}}\nN\nX 41\n', (4, 1), "properties"),
    ],
)
def test_a_mistake_is_said_with_its_line_and_column(lines: bytes, place: tuple[int, int], words: str) -> None:
    mistakes = bad(lines)
    assert [each[:2] for each in mistakes] == [place]
    assert words in mistakes[0][2]


def test_all_mistakes_are_found_and_no_message_that_has_one_is_given() -> None:
    messages, findings = read(b"A XXX 1\nA YYY 1\nX 4\n\nA PRI 3\nX 41\n\nA PRI\n\nA ZZZ\nX 42\n")
    assert [(each.line, each.column) for each in findings.mistakes] == [(3, 3), (4, 3), (5, 3), (12, 3)]
    assert [message.data for message in messages] == [b"A"]
    assert str(findings.mistakes[0]) == "f:3:3: there is no attribute 'XXX'"


# -- data ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "data"),
    [
        (b"X 4142\nX 43\n", b"ABC"),
        (b"X   4142\n", b"AB"),
        (b"X4142\n", b"AB"),
        (b"X 414a  <AJ>\n", b"AJ"),
        (b"X 41<A>\n", b"A"),
        (b"X \n", b""),
        (b"X\n", b""),
        (b'S "AB ~"~~" rest\n', b'AB "~'),
        (b"S AB  \n", b"AB"),
        (b"S \nX 00\nS\n", b"\0"),
        (b'S ""\n', b""),
        (b"T  two \n", b" two \n"),
        (b"T\n", b"\n"),
        (b'X 41\n\n* between\nS "B"\nT C\n', b"ABC\n"),
        (b'S "\xff\x01"\n', b"\xff\x01"),
        (b"X 41", b"A"),
        (b"T end", b"end\n"),
        (b"X 414", None),
    ],
)
def test_data_lines_of_all_kinds_are_joined(lines: bytes, data: bytes | None) -> None:
    messages, findings = read(b"N\n" + lines)
    assert [message.data for message in messages] == ([] if data is None else [data])
    assert len(findings.mistakes) == (data is None)


# -- messages -----------------------------------------------------------------------------------------------


def test_a_message_ends_where_the_next_begins_whatever_is_blank() -> None:
    text = b"A PRI 1\nX 41\nA PRI 2\n\n\nX 42\n\nX 43\nN\nX 44\nN\nA PRI 5\n   \nX 45\n"
    assert [(each.md.priority, each.data) for each in good(text)] == [
        (1, b"A"),
        (2, b"BC"),
        (-1, b"D"),
        (5, b"E"),
    ]


def test_the_same_attributes_again_are_of_the_next_message() -> None:
    """Lines that were seen before are not read again, but still end and begin messages."""
    text = b"A PRI 1\nA USR ana\nX 41\n" * 3
    assert [(each.md.priority, each.md.user_identifier, each.data) for each in good(text)] == [(1, "ana", b"A")] * 3


def test_cr_lf_is_read_like_lf() -> None:
    text = b"".join(dump_message(FILLED, b"data\r", parse_display([]))) + b'N\nS "x"\nT y\n'
    assert good(text.replace(b"\n", b"\r\n")) == good(text)


def test_a_file_that_may_have_been_cut_off_is_taken_with_a_warning() -> None:
    messages, findings = read(b"A PRI 3\nX 6162\nX 63")
    assert [each.data for each in messages] == [b"abc"]
    ((place, words),) = [((each.line, each.column), each.text) for each in findings.warnings]
    assert (place, "cut off" in words) == ((5, 5), True)


def test_a_second_header_in_the_middle_is_a_comment() -> None:
    assert len(good(b"N\nX 41\n\n" + dump_header("QM1", "Q", "now") + b"N\nX 42\n")) == 2


@pytest.mark.parametrize("first", [b"* QLOAD (tool) Created: 1.1.", b"* DMPMQMSG Version:9.1", b"\n  \n* QLOAD"])
def test_headers_of_other_writers_are_taken(first: bytes) -> None:
    assert good(first + b"\nN\nX 41\n", header=False)[0].data == b"A"


@pytest.mark.parametrize("text", [b"A VER 2\nX 41\n", b"N\nX 41\n", b"* a note\nN\nX 41\n"])
def test_a_dump_without_a_header_is_taken_with_a_warning(text: bytes) -> None:
    messages, findings = read(text, header=False)
    assert [message.data for message in messages] == [b"A"]
    assert ["header" in each.text for each in findings.warnings] == [True]


def test_what_is_nothing_known_is_one_mistake() -> None:
    messages, findings = read(b"\nhello\nworld\n", header=False)
    assert (messages, [(each.line, each.column) for each in findings.mistakes]) == ([], [(2, 1)])


@pytest.mark.parametrize("text", [b"", b"\n \n", HEADER])
def test_a_file_without_messages_has_no_mistake(text: bytes) -> None:
    assert good(text, header=False) == []


def test_the_lines_of_a_message_are_known() -> None:
    lines = (HEADER + b"N\nX 41\n\nA PRI 1\nX 42\nX 43\n").splitlines(keepends=True)
    places = [(each.first_line, each.last_line) for each in read_messages(lines, Findings("f"))]
    assert places == [(3, 4), (6, 8)]


# -- both ways ----------------------------------------------------------------------------------------------

data = st.binary() | st.text().map(str.encode) | st.builds(lambda times: b'~"T x\n\r' * times, st.integers(0, 30))
exact = st.lists(st.sampled_from(["a", "A", "c", "H", "i", "p", "w10", "w33"]), unique=True).filter(
    lambda words: not {"A", "p"} <= set(words)
)


@given(st.lists(st.tuples(any_md.map(lambda md: md.replace(version=2)), data), min_size=1, max_size=4), exact)
def test_what_was_written_in_any_exact_form_is_read_again_to_the_byte(
    messages: list[tuple[MQMD, bytes]], words: list[str]
) -> None:
    display = parse_display(words)
    lines = b"".join(b"".join(dump_message(md, data, display)) for md, data in messages)
    assert [(each.md, each.data) for each in good(lines)] == messages


@given(data)
def test_text_loses_nothing_but_the_kinds_of_ends_of_lines(data: bytes) -> None:
    lines = b"N\n" + b"".join(dump_message(MQMD(), data, parse_display(["tN"])))[2:]
    (message,) = good(lines)
    assert message.data.translate(None, b"\r\n") == data.translate(None, b"\r\n")


def test_properties_beside_a_message_come_back_and_their_mqrfh2_goes() -> None:
    given = {"colour": Property(MQTYPE_STRING, "r\n\0d", copy_options=0)}
    extra = {
        "rfh2": 3,
        "md": {"format": "MQSTR", "encoding": 546, "coded_char_set_id": 1208},
        "properties": {"colour": {"type": "string", "value": "r\n\0d", "copy_options": 0}},
    }
    md = MQMD(format="MQHRF2", encoding=273, coded_char_set_id=500)
    lines = b"".join(dump_message(md, b"RFHbody", parse_display([]), extra=extra))
    assert one(lines) == Message(b"body", MQMD(format="MQSTR", encoding=546, coded_char_set_id=1208), given)
    lines = b"".join(dump_message(md, b"RFHbody", parse_display(["N"]), extra=extra))
    assert one(lines) == Message(b"body", MQMD(), given)


def test_a_message_whose_data_lines_are_gone_is_a_mistake_and_no_empty_message() -> None:
    whole = b"".join(dump_message(MQMD(priority=7), b"x", parse_display([])))
    without = whole.replace(b"X 78\n", b"")
    assert whole != without
    line = 3 + whole.count(b"\n")
    assert bad(whole + without) == [(line, 1, "the message has no data line: an empty one is written as X")]
    message, _ = good(whole.replace(b"X 78\n", b"\nX 78\n") + whole)  # no blank line ends a message
    assert (message.data, message.md.priority) == (b"x", 7)


@pytest.mark.parametrize("seed", range(40))
def test_mangled_dumps_are_read_alike_as_a_file_and_line_by_line(seed: int) -> None:
    choose = random.Random(seed)
    data = [choose.randbytes(choose.choice((0, 1, 20, 60))) for _ in range(6)]
    texts = [b"".join(dump_message(MQMD(msg_id=b"%024d" % n), each, parse_display([]))) for n, each in enumerate(data)]
    for _ in range(4):
        lines = b"".join(texts).splitlines(keepends=True)
        for _ in range(choose.randrange(1, 4)):
            at, other = choose.randrange(len(lines)), choose.choice(lines)
            lines[at : at + choose.randrange(2)] = choose.choice(
                ([], [other], [b"\n"], [b"N\n"], [b"X\n"], [b" " + other])
            )
        read(b"".join(lines))

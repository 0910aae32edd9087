"""Hex beside characters."""

from hypothesis import given
from hypothesis import strategies as st

from mqtools.formats.hexdump import hexdump


def test_a_line_has_offset_hex_and_characters() -> None:
    assert list(hexdump(b"hello, world!\x00\xff\x1b+")) == [
        "00000000:  6865 6C6C 6F2C 2077 6F72 6C64 2100 FF1B  'hello, world!...'",
        "00000010:  2B                                       '+               '",
    ]


def test_the_ebcdic_column_reads_code_page_037() -> None:
    assert list(hexdump("HELLO".encode("cp037"), ebcdic=True, width=8)) == [
        "00000000:  C8C5 D3D3 D6         '.....   ' 'HELLO   '"
    ]


def test_no_data_gives_no_line() -> None:
    assert list(hexdump(b"")) == []


@given(st.binary(max_size=100), st.booleans(), st.integers(1, 40))
def test_every_byte_can_be_read_back_and_all_lines_align(data: bytes, ebcdic: bool, width: int) -> None:
    lines = list(hexdump(data, ebcdic=ebcdic, width=width))
    # The hex ends at the first quote, whatever the characters behind it are.
    assert bytes.fromhex("".join(line.partition(":")[2].partition("'")[0] for line in lines)) == data
    assert len({len(line) for line in lines}) <= 1
    assert all(line.isascii() and line.isprintable() for line in lines)

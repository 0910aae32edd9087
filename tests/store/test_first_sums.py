"""Sums of the first messages of a process, in Python, are those of the modules that make them later."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib

from hypothesis import given
from hypothesis import strategies as st

from mqtools.store.messages import checksums

numbers = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=14, max_size=14)


@given(st.binary(max_size=600), st.integers(0, 2**32 - 1))
def test_a_crc_is_that_of_zlib(data: bytes, value: int) -> None:
    assert checksums.crc32_in_python(data, value) == zlib.crc32(data, value)


@given(numbers)
def test_numbers_are_packed_as_struct_does(values: list[int]) -> None:
    assert checksums.pack_in_python(*values) == struct.pack("<14q", *values)


def test_every_message_of_a_process_is_summed_alike() -> None:
    code = """if True:
        import sys
        from mqtools.store.messages import checksums
        summed = b"summed" * 50
        sums = [checksums.checksum_of(summed, data) for data in [b"data"] * 5 + [b"d" * 1000, b"data"]]
        before = "zlib" in sys.modules
        import zlib
        assert before and sums[0] == zlib.crc32(b"data", zlib.crc32(summed))
        assert sums[5] == zlib.crc32(b"d" * 1000, zlib.crc32(summed))
        print(len({*sums[:5], sums[6]}))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"

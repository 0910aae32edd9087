"""XXH3 in Python gives the sums of the package, however the data comes."""

from __future__ import annotations

import random

import pytest
from xxhash import xxh3_64

from mqtools.store.messages.xxh3 import Xxh3 as Chosen
from mqtools.store.messages.xxh3_in_python import Xxh3

#: Lengths about the ends of stripes (64 bytes) and blocks (1024).
LENGTHS = [241, 256, 1023, 1024, 1025, 1087, 1088, 1089, 2047, 2048, 2049, 10_000]


def test_the_package_is_used_where_it_is():
    assert Chosen is xxh3_64


@pytest.mark.parametrize("length", LENGTHS)
def test_it_sums_as_the_package_does(length):
    numbers = random.Random(length)
    data, seed = numbers.randbytes(length), numbers.getrandbits(32)
    assert Xxh3(data, seed).intdigest() == xxh3_64(data, seed).intdigest()


@pytest.mark.parametrize("piece", [1, 63, 64, 1000, 1024, 1025])
@pytest.mark.parametrize("length", LENGTHS)
def test_pieces_make_no_difference(length, piece):
    data = random.Random(length).randbytes(length)
    total = Xxh3()
    for at in range(0, length, piece):
        total.update(data[at : at + piece])
    assert total.intdigest() == xxh3_64(data).intdigest()

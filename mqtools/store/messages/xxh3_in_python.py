"""XXH3 of 64 bits in Python, of data longer than 240 bytes: for a Python that has no package ``xxhash``.

Programs whose own Python runs the stand-ins (``bindings.path``) may be without it; it is a hundred times slower, and
its sums are the same. Source: the specification of xxHash (doc/xxhash_spec.md).
"""

from __future__ import annotations

from struct import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_PRIME32_1, _PRIME32_2, _PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_PRIME64_1, _PRIME64_2, _PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_PRIME64_4, _PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_WORD, _HALF = (1 << 64) - 1, (1 << 32) - 1
#: Bytes of a block, and of a stripe, 16 of which make a block.
_BLOCK, _STRIPE = 1024, 64


class Xxh3:
    """The sum of data that comes in pieces, as ``xxhash.xxh3_64`` gives it."""

    def __init__(self, data: bytes = b"", seed: int = 0) -> None:
        words = unpack("<24Q", _SECRET)
        lanes = [(word - seed if at % 2 else word + seed) & _WORD for at, word in enumerate(words)]
        self._secret = b"".join(lane.to_bytes(8, "little") for lane in lanes)
        self._keys = [unpack("<8Q", self._secret[at : at + _STRIPE]) for at in range(0, 128, 8)]
        self._accumulators = [
            _PRIME32_3, _PRIME64_1, _PRIME64_2, _PRIME64_3, _PRIME64_4, _PRIME32_2, _PRIME64_5, _PRIME32_1,
        ]  # fmt: skip
        self._length = 0
        self._rest = b""  # of at most a block, and the stripe before it
        self._begin = 0  # of what is not summed yet, in the rest
        self.update(data)

    def update(self, data: bytes) -> None:
        """Add data."""
        self._length += len(data)
        data = self._rest + data
        at = self._begin
        while len(data) - at > _BLOCK:  # the last block is summed in its own way, also where it is whole
            self._accumulators = _scramble(
                _accumulate(self._accumulators, data[at : at + _BLOCK], self._keys), self._secret[128:]
            )
            at += _BLOCK
        keep = max(0, at - _STRIPE)
        self._rest, self._begin = data[keep:], at - keep

    def intdigest(self) -> int:
        """Return the sum of what was added, which is more than 240 bytes."""
        stripes = (len(self._rest) - self._begin - 1) // _STRIPE
        last = self._rest[self._begin : self._begin + stripes * _STRIPE]
        sums = _accumulate(self._accumulators, last, self._keys)
        sums = _accumulate(sums, self._rest[-_STRIPE:], [unpack("<8Q", self._secret[121:185])])
        keys = unpack("<8Q", self._secret[11:75])
        total = self._length * _PRIME64_1
        for at in range(0, 8, 2):
            product = (sums[at] ^ keys[at]) * (sums[at + 1] ^ keys[at + 1])
            total += (product & _WORD) ^ (product >> 64)
        total &= _WORD
        total = (total ^ (total >> 37)) * 0x165667919E3779F9 & _WORD
        return total ^ (total >> 32)


def _accumulate(sums: Sequence[int], stripes: bytes, keys: Sequence[Sequence[int]]) -> list[int]:
    """Return the eight sums after so many stripes, each with its key."""
    sums = list(sums)
    words = unpack(f"<{len(stripes) // 8}Q", stripes)
    for lane in range(8):
        total, neighbour = sums[lane], 0
        for at, key in zip(range(lane, len(words), 8), keys, strict=False):
            word = words[at]
            neighbour += word
            word ^= key[lane]
            total += (word & _HALF) * (word >> 32)
        sums[lane] = total
        sums[lane ^ 1] += neighbour
    return [total & _WORD for total in sums]


def _scramble(sums: Sequence[int], keys: bytes) -> list[int]:
    return [
        (total ^ (total >> 47) ^ key) * _PRIME32_1 & _WORD for total, key in zip(sums, unpack("<8Q", keys), strict=True)
    ]

"""Summary of a dump: ages and lengths of its messages, and the list of ages."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from mqtools.formats.dump.display import Display
from mqtools.formats.phrases import counted
from mqtools.formats.units import human_age

#: Classes of ages and of sizes: below how many seconds or bytes, None for the rest, and how that is called.
_AGES = (
    (2, "less than 2 s"),
    (10, "less than 10 s"),
    (60, "less than 1 min"),
    (3600, "less than 1 h"),
    (86400, "less than 1 day"),
    (None, "more"),
)
_SIZES = (
    (100, "less than 100 B"),
    (1000, "less than 1 KB"),
    (4000, "less than 4 KB"),
    (100_000, "less than 100 KB"),
    (1_000_000, "less than 1 MB"),
    (None, "more"),
)


class Summary:
    """Counts messages by age and size. display: whether the youngest, oldest, … are named by an identifier too."""

    def __init__(self, display: Display) -> None:
        self.count = 0
        self._display = display
        self._classes = [[0] * len(_AGES), [0] * len(_SIZES)]
        #: The least and the greatest of age and of size, each with its identifiers.
        self._ends: list[list[tuple[float, str]]] = [[], []]

    def add(self, msg_id: bytes, correl_id: bytes, age_s: float, size: int) -> None:
        self.count += 1
        ids = self._ids(msg_id, correl_id)
        for at, (value, bounds) in enumerate(((age_s, _AGES), (size, _SIZES))):
            self._classes[at][_class_of(value, bounds)] += 1
            new, value_of = (value, ids), itemgetter(0)
            least, greatest = self._ends[at] or (new, new)
            self._ends[at] = [min(least, new, key=value_of), max(greatest, new, key=value_of)]

    def _ids(self, msg_id: bytes, correl_id: bytes) -> str:
        shown = f"  MsgId {msg_id.hex().upper()}" if self._display.msg_ids else ""
        return shown + (f"  CorrelId {correl_id.hex().upper()}" if self._display.correl_ids else "")

    def lines(self) -> Iterator[str]:
        yield f"messages: {self.count}"
        yield from self._part("age", _AGES, 0, ("youngest", "oldest"))
        yield from self._part("size", _SIZES, 1, ("smallest", "biggest"))

    def _part(
        self, title: str, bounds: tuple[tuple[int | None, str], ...], at: int, ends: tuple[str, str]
    ) -> Iterator[str]:
        for number, (_, name) in zip(self._classes[at], bounds, strict=True):
            if number:
                yield f"{title} {name}: {number}"
        for name, (value, ids) in zip(ends, self._ends[at], strict=False):
            yield f"{name}: {human_age(value) if at == 0 else f'{int(value)} bytes'}{ids}"


def _class_of(value: float, bounds: tuple[tuple[int | None, str], ...]) -> int:
    return next(at for at, (bound, _) in enumerate(bounds) if bound is None or value < bound)


def age_lines(number: int, msg_id: bytes, age_s: float) -> bytes:
    """Return a message of the list of ages: its number and MsgId, its time on the queue in words, a blank line."""
    return f"{number} {msg_id.hex().upper()}\n{_in_words(age_s)}\n\n".encode("ascii")


def _in_words(age_s: float) -> str:
    words = []
    left = int(age_s)
    for seconds, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        number, left = divmod(left, seconds)
        if number:
            words.append(counted(number, unit))
    return ", ".join(words) or "0 seconds"

"""Lines of a long body, kept as pages of text.

A list of a million lines would stop the interpreter at each garbage collection, which looks at each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Lines of a page; only the last page may have fewer.
PAGE = 500


class PagedLines(Sequence[str]):
    """Lines that are added page by page."""

    def __init__(self) -> None:
        self._pages: list[str] = []
        self._length = 0
        self._split: tuple[int, list[str]] = (-1, [])  # the page that was read last

    def add_page(self, text: str) -> None:
        """Add the lines of a text."""
        self._pages.append(text)
        self._length += text.count("\n") + 1

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._length))]
        number, line = divmod(range(self._length)[place], PAGE)
        if number != self._split[0]:
            self._split = number, self._pages[number].split("\n")
        return self._split[1][line]

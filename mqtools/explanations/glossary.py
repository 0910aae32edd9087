"""Terms of the glossary, which is a page of the documentation too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """Term with its definition. elsewhere: IBM MQ's name, "the same", or "none"."""

    name: str
    definition: str
    elsewhere: str

    @property
    def text(self) -> str:
        """Return the definition without markup, with IBM MQ's name where it is another."""
        other = "" if self.elsewhere in ("the same", "none") else f" IBM MQ: {self.elsewhere}."
        return self.definition.replace("`", "") + other


@cache
def read_glossary() -> tuple[GlossaryTerm, ...]:
    text = Path(__file__).with_name("glossary.md").read_text(encoding="utf-8")  # a link to docs/glossary.md
    return tuple(
        GlossaryTerm(*row) for row in re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    )


def find_terms(text: str) -> list[GlossaryTerm]:
    """Return the terms of a name in any case, with blanks or hyphens; several for one that has several meanings."""
    wanted = _folded(text)
    return [term for term in read_glossary() if wanted in (_folded(term.name), _folded(term.name.partition(" (")[0]))]


def _folded(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").split())

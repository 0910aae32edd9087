"""Findings of a check-up: what was checked, its state, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: States of a finding: no action needed, needs attention, not usable.
SOUND, NOTICE, DAMAGED = "ok", "notice", "damaged"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check. check: its name; subject: of the check; what: description; hint: what to do, or None."""

    check: str
    state: str
    subject: str
    what: str
    hint: str | None = None


def or_sound(findings: Iterable[Finding], check: str, subject: str, what: str) -> Iterator[Finding]:
    """Yield the findings of a check; where there are none, that its subject is sound."""
    found = list(findings)
    yield from found or [Finding(check, SOUND, subject, what)]

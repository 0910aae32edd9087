"""Findings of a check-up: what was checked, its state, and what to do."""

from __future__ import annotations

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

"""Hostile streams against ``mqx serve``; ``make fuzz`` runs many more."""

from __future__ import annotations

from ..fuzz.client_streams import fuzz


def test_hostile_streams_end_and_disturb_nobody(tmp_path):
    fuzz(tmp_path, range(400), seed=41)

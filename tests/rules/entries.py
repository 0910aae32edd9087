"""Rows of parametrized tests that are entries of the catalogue."""

from __future__ import annotations

from typing import Any

import pytest


def entry(catalogue_id: str, *values: object) -> Any:
    """Return the parameters of a test of one rule."""
    return pytest.param(*values, id=catalogue_id, marks=pytest.mark.conformance(catalogue_id))

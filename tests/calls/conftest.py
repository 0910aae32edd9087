"""A queue manager, and connections by handle and as sessions."""

from __future__ import annotations

import pytest

from mqtools.calls import connections, sessions

from ..bindings.conftest import home, made

__all__ = ["home", "made"]


@pytest.fixture
def h():
    """A connection, by its handle."""
    handle, comp_code, reason = connections.connect("QM1")
    assert (comp_code, reason) == (0, 0)
    yield handle
    connections.disconnect(handle)


@pytest.fixture
def session(h):
    """The session of a connection."""
    return sessions.find(h)

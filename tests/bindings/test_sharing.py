"""A connection that threads share ends while one of them begins to wait."""

from __future__ import annotations

from mqtools.calls.shared_connections import SharedPresence
from mqtools.mqi.connection import connect


class Overtaken:
    """A lock that somebody else has as soon as it is given up."""

    def __init__(self, then):
        self.then = then

    def release(self):
        self.then()

    def acquire(self):
        return True

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        return None


def test_a_disconnect_ends_a_wait_that_is_about_to_begin() -> None:
    with connect("QM1") as connection:
        presence = SharedPresence(connection.db, Overtaken(lambda: presence.close()))
        presence.listen()
        assert presence.wait(None)

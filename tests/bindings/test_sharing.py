"""One bell for all threads of a connection: whoever takes its rings passes them on."""

from __future__ import annotations

import os
from select import select
from threading import RLock

from mqtools.bindings.sharing import SharedPresence
from mqtools.store.liveness import ring


def test_who_takes_a_ring_passes_it_on_to_the_others_that_wait(tmp_path):
    lock = RLock()
    presence = SharedPresence(str(tmp_path), lock)
    presence.listen()
    reader, writer = os.pipe()
    presence._others.add(writer)  # another thread that waits
    with lock:
        assert not presence.wait(0)
        assert select([reader], [], [], 0)[0] == []
        ring(str(tmp_path), presence.token)
        assert presence.wait(5)
    assert select([reader], [], [], 0)[0] == [reader]
    presence.close()

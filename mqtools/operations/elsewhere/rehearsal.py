"""Rehearsal of what a queue manager elsewhere would do with the messages of a queue: on a mirror of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mqtools.constants.objects import MQQT_LOCAL
from mqtools.mqi.identity import now_ms
from mqtools.operations.elsewhere.definitions import Definitions, inquire_by_pcf
from mqtools.operations.elsewhere.mirror import Mirror
from mqtools.operations.selection import select
from mqtools.operations.stored_messages import as_message, load_data, local_queue
from mqtools.store import queues


def bring_letters(mirror: Mirror, q_name: str, targets: Iterable[tuple[str, str]]) -> None:
    """Bring the dead letters of a queue, and the queues that they lead to, with as many messages as are there.

    targets: queues and queue managers of rules, which may be ``&DESTQ`` and the like.  Nothing changes elsewhere.
    Raises MQError: errors of the calls there; MQRC_STORAGE_NOT_AVAILABLE when the mirror is full.
    """
    here, depths = mirror.here, dict[str, int]()

    def inquire(name: str) -> Mapping[str, object] | None:
        found = inquire_by_pcf(mirror.inquire, name)
        if found is not None and found.get("q_type") == MQQT_LOCAL:
            depths[name] = int(str(found.get("current_q_depth") or 0))
        return found

    definitions = Definitions(here, here.name, inquire)
    definitions.bring(q_name)
    for _ in mirror.refresh(q_name):
        pass
    queue = local_queue(here, q_name)
    letters = (as_message(each, load_data(here, each.seq), now_ms()) for each in select(here.db, queue.id))
    definitions.bring_named_by(letters)
    for name, q_mgr_name in targets:
        is_here = q_mgr_name in ("", here.name) or q_mgr_name.startswith("&")
        definitions.bring_all([name if is_here else q_mgr_name])
    with here.work() as work:
        for name in definitions.made.keys() & depths.keys() - {queue.name}:
            target = queues.by_name(work.db, name)
            assert target is not None
            queues.count(work.db, target.id, depths[name], 0)

"""Use counts of received objects: an object is deleted when the program of its last queue releases it (REF-21)."""

from __future__ import annotations

import os

from mqtools.channel.reference.files import closing, convert_errors, open_folder, open_root, stat_object
from mqtools.channel.reference.log import ReferenceLog, key_of, open_locked, part_name
from mqtools.constants.reasons import MQRC_UNKNOWN_OBJECT_NAME
from mqtools.errors import MQError
from mqtools.headers.mqrmh import MQRMH
from mqtools.rules.reference import destination_path


def acknowledge(root_path: str, rmh: MQRMH, q_name: str) -> int:
    """Release an object for a queue; delete it with the last one. Return the number of queues that still need it.

    rmh: of the reference message, which names the object and its instance.  q_name: queue that the message came to. The
    uses of an object are the queues of its reference messages. A second call changes nothing.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME when no such object has arrived for this queue or it is not complete,
    MQRC_RMH_ERROR, MQRC_API_EXIT_INIT_ERROR. Raises ObjectRefused when the object cannot be deleted.
    """
    steps = destination_path(rmh)
    with closing(open_root(root_path)) as root, convert_errors("/".join(steps)):
        return _acknowledge(root, steps, rmh.object_instance_id, q_name)


def _acknowledge(root: int, steps: tuple[str, ...], instance_id: bytes, q_name: str) -> int:
    key = key_of(steps, instance_id)
    try:
        with open_locked(root, key) as descriptor:
            log = ReferenceLog.read(descriptor)
            if (
                q_name not in log.queues
                or not log.progress.is_complete
                or stat_object(root, (part_name(key),)) is not None
            ):
                raise _unknown(steps, q_name)
            left = log.queues - log.released - {q_name}
            if q_name in log.released:
                return len(left)
            if not left:
                _delete(root, steps, log.inode)
            log.append(descriptor, {"released": q_name})
            return len(left)
    except FileNotFoundError:
        raise _unknown(steps, q_name) from None


def _delete(root: int, steps: tuple[str, ...], inode: int) -> None:
    """Delete an object unless it is gone or replaced. Raises OSError."""
    there = stat_object(root, steps)
    if there is None or there.st_ino != inode:
        return
    with closing(open_folder(root, steps[:-1])) as folder:
        os.unlink(steps[-1], dir_fd=folder)
        os.fsync(folder)


def _unknown(steps: tuple[str, ...], q_name: str) -> MQError:
    return MQError(f"no object {'/'.join(steps)} has arrived for {q_name}", MQRC_UNKNOWN_OBJECT_NAME)

"""Pull: copies of messages of another queue manager, as they are, each once however often they are pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from mqtools.constants.objects import MQUS_TRANSMISSION
from mqtools.errors import MQError, StorageError, UsageError
from mqtools.formats.properties import properties_to_json
from mqtools.message import Message
from mqtools.mqi import delivery
from mqtools.mqi.authority import check_queue
from mqtools.mqi.bulk_put import BulkPut
from mqtools.mqi.connection import Connection
from mqtools.mqi.overrides import Override
from mqtools.mqi.resolution import Target, resolve_for_put
from mqtools.mqi.transaction import Work
from mqtools.operations.batches import in_batches
from mqtools.operations.load import MessageRefused
from mqtools.operations.stored_messages import as_message
from mqtools.rules.message_digest import message_digest
from mqtools.rules.origins import MessageOrigin, identity, origin_of
from mqtools.store.messages import messages, origins

#: Limits of a transaction: messages, and bytes of their data.
BATCH, _BATCH_BYTES = 200, 8 << 20


class _Rehearsed(Exception):
    """Raised to roll back a batch of a dry run."""


@dataclass(slots=True)
class Pull:
    """A pull from one queue. pulled: messages that came.  here: messages that were here already.

    q_mgr_identifier: of the queue manager that is pulled from.  q_name: of the queue, there and here.
    dry_run: store nothing.
    """

    connection: Connection
    q_mgr_identifier: str
    q_name: str
    dry_run: bool = False
    pulled: int = 0
    here: int = 0
    _is_begun: bool = False
    _seen: Counter[bytes] = field(default_factory=Counter)

    def check(self) -> None:
        """Check that the queue here takes messages.

        Raises MQError: MQRC_UNKNOWN_OBJECT_NAME and the like. Raises UsageError for a queue that leads elsewhere.
        """
        with self.connection.work() as work:
            self._target(work)

    def add(self, batch: Sequence[Message]) -> MQError | None:
        """Store those of some messages that are not here, in one transaction, up to the first that is refused.

        Return the error of the one that the queue refuses, None where all came.
        """
        counts = Counter(self._seen), self.pulled, self.here
        try:
            with self.connection.work() as work, Override(self.connection, relays=True):
                if not self._is_begun:  # what is no longer here is pulled again
                    origins.forget_gone(work.db, self.q_mgr_identifier, self.q_name)
                self._add_each(work, batch)
                if self.dry_run:
                    raise _Rehearsed
            self._is_begun = True
        except _Rehearsed:
            return None
        except MessageRefused as refused:
            self._seen, self.pulled, self.here = counts
            self.add(batch[: refused.at])
            return refused.error
        return None

    def _target(self, work: Work) -> Target:
        target = resolve_for_put(work.db, work.qmgr, self.q_name)
        if target.is_remote or target.queue.usage == MQUS_TRANSMISSION:
            raise UsageError(f"cannot pull to queue {self.q_name}: its messages leave this queue manager")
        check_queue(work.connection, target.path[0].name, "PUT", "SETALL")
        return target

    def _add_each(self, work: Work, batch: Sequence[Message]) -> None:
        bulk = BulkPut(work, lambda: self._target(work), None, delivery.deliver)
        for at, message in enumerate(batch):
            origin = origin_of(message, self.q_mgr_identifier, self.q_name)
            self._seen[origin.digest] += 1
            copies = self._count_here(work, bulk, message, origin)
            if self._seen[origin.digest] <= copies:
                self.here += 1
                continue
            md = message.md.replace(version=2)
            # Before it arrives: its expiry stands still.
            origins.write(work.db, md, replace(origin, copies=copies + 1))
            try:
                bulk.put(md, message.data, properties_to_json(message.properties))
            except StorageError:
                raise
            except MQError as error:
                raise MessageRefused(at, error) from error
            self.pulled += 1
        bulk.flush()

    def _count_here(self, work: Work, bulk: BulkPut, message: Message, origin: MessageOrigin) -> int:
        """Return how many messages here are copies of equal originals; adopt those that came another way."""
        copies = origins.count_copies(work.db, origin)
        if not copies:
            found = messages.by_msg_id(work.db, bulk.target.queue.id, bytes(message.md.msg_id))
            copies = sum(
                message_digest(as_message(stored, messages.load_data(work.db, stored.seq), work.now_ms))
                == origin.digest
                for stored in found
                if identity(stored.md) == identity(message.md)
            )
            if copies:
                origins.write(work.db, message.md, replace(origin, copies=copies))
        return copies


def group_messages(found: Iterable[Message]) -> Iterator[list[Message]]:
    """Return messages in batches, one for each transaction."""
    return in_batches(((message, len(message.data)) for message in found), BATCH, _BATCH_BYTES)

"""Outcomes of originals by their reports: the state of each part of a message or a group (RSEG-27, RSEG-28).

Two queues are read: that of the originals and that of their reports. Only the removal of orphans changes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mqtools.constants.message import (
    MQFB_EXPIRATION,
    MQFMT_MD_EXTENSION,
    MQMT_REPORT,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_MSG_ID,
)
from mqtools.constants.reasons import MQRC_MISSING_REPLY_TO_Q, MQRC_OPTION_NOT_VALID_FOR_TYPE
from mqtools.constants.states import PUT_UNCONFIRMED, UNLOCKED
from mqtools.constants.structures import MQCI_NONE, MQGI_NONE, MQMDE_LENGTH_2
from mqtools.errors import MQError
from mqtools.headers.chain import header_length
from mqtools.headers.formats import is_header_format
from mqtools.lifecycle import message_search
from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection
from mqtools.mqi.get import removal
from mqtools.mqi.identity import now_ms
from mqtools.mqi.resolution import resolve_for_get, resolve_for_put
from mqtools.operations.selection import Selection, complete_id, select
from mqtools.predicates import is_whole_id
from mqtools.rules import report_outcomes
from mqtools.rules.report_outcomes import Observation, Part
from mqtools.rules.reports import kind_of_feedback
from mqtools.store import queues
from mqtools.store.database import Database
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage
from mqtools.store.queues import Queue

#: Fields that may contain the searched identifier: of an original, and of a report about it.
_ORIGINALS_FIELDS = ("group_id", "msg_id")
_REPORTS_FIELDS = ("group_id", "correl_id")

#: Kinds of reports that queue managers generate when they remove a message.
_OF_REMOVED = ("cod", "expiration")


@dataclass(frozen=True, slots=True)
class Track:
    """The state of an original.

    identifier: complete.  is_group: whether it is a GroupId, else a MsgId.  group_id: MQGI_NONE for a message outside
    groups.  reports_q_name: the queue searched for reports; empty if the original requests none.
    outcome: DELIVERED, FAILED or PENDING.  parts: empty if neither an original nor a report was found.
    """

    identifier: bytes
    is_group: bool
    group_id: bytes
    reports_q_name: str
    outcome: str
    parts: list[Part]

    @property
    def orphans(self) -> list[Part]:
        """The segments on the queue whose messages can no longer become complete."""
        return [part for part in self.parts if part.is_orphan]


def track_message(connection: Connection, identifier: bytes, q_name: str, reports_q_name: str = "") -> Track:
    """Return the state of a message or a group.

    identifier: GroupId or MsgId, or a prefix of one.  q_name: queue of the originals.  reports_q_name: queue of the
    reports; empty for the reply-to queue of the originals.
    Raises MQError: MQRC_UNKNOWN_OBJECT_NAME, MQRC_MISSING_REPLY_TO_Q if the queue of the reports is unknown because no
    original exists, or is remote; MQRC_MSG_ID_ERROR for a prefix of several identifiers.
    Source: RSEG-26, RSEG-27.
    """
    with connection.db.reading():
        return _Search(connection.db, q_name, reports_q_name).track(identifier)


def remove_orphans(connection: Connection, identifier: bytes, q_name: str, reports_q_name: str = "") -> list[Part]:
    """Delete the orphan segments of a message or a group, and return those that were deleted.

    Locked and uncommitted segments stay. No report is sent for a deleted segment. Arguments and errors are those of
    ``track_message``, and MQRC_GET_INHIBITED, MQRC_OBJECT_IN_USE.
    Source: RSEG-28.
    """
    removed = []
    with connection.work() as work:
        queue = message_search.gettable_queue(work, q_name)
        recovery.recover(work, queue.id)
        track = _Search(work.db, q_name, reports_q_name).track(identifier)
        places = {(part.msg_seq_number, part.offset): part for part in track.orphans if part.state == UNLOCKED}
        for stored in messages.of_group(work.db, queue.id, track.group_id) if places else ():
            part = places.get((stored.md.msg_seq_number, stored.md.offset))
            if part is not None and stored.state == UNLOCKED:
                removal.delete(work, queue, stored)
                removed.append(part)
    return removed


class _Search:
    """Search of the two queues within one transaction."""

    def __init__(self, db: Database, q_name: str, reports_q_name: str) -> None:
        self._db = db
        self._now = now_ms()
        self._queue = _originals_queue(db, q_name)
        self._reports_q_name = reports_q_name
        self._reports_queue: Queue | None = None
        if reports_q_name:
            self._reports_queue, _ = resolve_for_get(db, reports_q_name)

    def track(self, identifier: bytes) -> Track:
        """Return the state of the message or group that an identifier belongs to."""
        whole = self._complete(identifier)
        of_group = self._originals(Selection(group_ids=(whole,)))
        of_message = [] if of_group else self._originals(Selection(msg_ids=(whole,)))
        self._find_reports_queue([*of_group, *of_message])
        reports = self._reports(Selection(group_ids=(whole,)))
        if of_group or reports:
            return self._track(whole, whole, of_group, reports, is_group=True)
        return self._of_message(whole, of_message)

    def _of_message(self, msg_id: bytes, originals: list[StoredMessage]) -> Track:
        """Return the state of a message; for a segment, of the logical message that it belongs to."""
        reports = self._reports_about(msg_id, originals)
        places = [stored.md for stored in originals] + [observation.md for observation in reports.values()]
        place = next((md for md in places if md.group_id != MQGI_NONE), None)
        if place is None:
            return self._track(msg_id, MQGI_NONE, originals, reports, is_group=False)
        number, of_group = place.msg_seq_number, Selection(group_ids=(place.group_id,))
        members = [stored for stored in self._originals(of_group) if stored.md.msg_seq_number == number]
        # A report that has its group fields in an MQMDE is found by the message that it is about.
        found = {**reports, **self._reports(of_group)}
        about = {key: observation for key, observation in found.items() if observation.md.msg_seq_number == number}
        return self._track(msg_id, place.group_id, members, about, is_group=False)

    def _track(
        self,
        identifier: bytes,
        group_id: bytes,
        originals: list[StoredMessage],
        reports: dict[int, Observation],
        *,
        is_group: bool,
    ) -> Track:
        observations = list(reports.values())
        for stored in originals:
            observation = report_outcomes.observe_original(stored.md, _length(self._db, stored), stored.state)
            if stored.has_expired(self._now):
                # The next get that reaches it discards it and sends the report.
                observation = replace(observation, md=stored.md.replace(feedback=MQFB_EXPIRATION), state=None)
            observations.append(observation)
        parts = report_outcomes.parts_of(observations, is_group=is_group)
        return Track(identifier, is_group, group_id, self._reports_q_name, report_outcomes.outcome_of(parts), parts)

    def _originals(self, wanted: Selection) -> list[StoredMessage]:
        return [stored for stored in self._find(self._queue, wanted) if stored.md.msg_type != MQMT_REPORT]

    def _reports(self, wanted: Selection) -> dict[int, Observation]:
        reports = {}
        for stored in self._find(self._reports_queue, wanted):
            if stored.md.msg_type == MQMT_REPORT:
                place = stored.md
                if place.format == MQFMT_MD_EXTENSION:
                    data = messages.load_data(self._db, stored.seq, limit=MQMDE_LENGTH_2)
                    place = report_outcomes.report_place(place, data)
                reports[stored.seq] = report_outcomes.observe_report(place, stored.data_length)
        return reports

    def _reports_about(self, msg_id: bytes, originals: list[StoredMessage]) -> dict[int, Observation]:
        """Return the reports about a message, found by the identifiers that it requests (RPT-24 to RPT-27)."""
        reports = self._reports(Selection(correl_ids=(msg_id,)))
        asked = originals[0].md.report if originals else MQRO_PASS_MSG_ID
        if asked & MQRO_PASS_MSG_ID:
            reports |= self._reports(Selection(msg_ids=(msg_id,)))
        elif asked & MQRO_PASS_CORREL_ID and originals[0].md.correl_id != MQCI_NONE:
            reports |= self._reports_by_correl_id(originals[0].md.correl_id)
        return reports

    def _reports_by_correl_id(self, correl_id: bytes) -> dict[int, Observation]:
        """Return the reports about an original that passes its CorrelId: the kinds that every original has.

        Several originals may share a CorrelId, and some may be gone. Reports of kinds that only a removed message
        causes are about those; if there are fewer reports of a kind than originals, the assignment is unknown.
        """
        sharing = {stored.md.msg_id for stored in self._originals(Selection(correl_ids=(correl_id,)))}
        reports = self._reports(Selection(correl_ids=(correl_id,)))
        kinds = {key: kind_of_feedback(observation.md.feedback) for key, observation in reports.items()}
        number = Counter(kinds.values())
        assignable = {kind for kind in number if number[kind] == len(sharing) and kind not in _OF_REMOVED}
        return {key: observation for key, observation in reports.items() if kinds[key] in assignable}

    def _find(self, queue: Queue | None, wanted: Selection) -> Iterator[StoredMessage]:
        """Yield the selected committed messages, held or expired ones included."""
        if queue is None:
            return
        for stored in select(self._db, queue.id, wanted, all_states=True, with_expired=True):
            if stored.state != PUT_UNCONFIRMED:
                yield stored

    def _find_reports_queue(self, originals: list[StoredMessage]) -> None:
        """Set the queue of the reports from the originals, unless the caller named it."""
        if self._reports_queue is not None or (originals and not any(stored.md.reply_to_q for stored in originals)):
            return
        md = next((stored.md for stored in originals if stored.md.reply_to_q), None)
        if md is None:
            raise _unknown_reports_queue("cannot determine the queue of the reports: there is no original message")
        target = resolve_for_put(self._db, queues.qmgr(self._db), md.reply_to_q, md.reply_to_q_mgr)
        if target.is_remote:
            raise _unknown_reports_queue(f"the reports are sent to queue manager {target.remote_q_mgr_name}")
        self._reports_queue, self._reports_q_name = target.queue, md.reply_to_q

    def _complete(self, beginning: bytes) -> bytes:
        """Complete the prefix of an identifier; an unknown prefix is padded, so that it finds nothing."""
        if is_whole_id(beginning):
            return beginning
        found: dict[bytes, None] = {}
        for queue, fields in ((self._queue, _ORIGINALS_FIELDS), (self._reports_queue, _REPORTS_FIELDS)):
            if queue is not None:
                for field in fields:
                    found |= dict.fromkeys(messages.ids_with_prefix(self._db, queue.id, field, beginning))
        return complete_id("identifier", beginning, list(found))


def _originals_queue(db: Database, q_name: str) -> Queue | None:
    """Return the queue of the originals; None for a remote queue, whose messages are not visible here."""
    try:
        return resolve_for_get(db, q_name)[0]
    except MQError as error:
        if error.reason != MQRC_OPTION_NOT_VALID_FOR_TYPE:
            raise
        return None


def _unknown_reports_queue(text: str) -> MQError:
    return MQError(text, MQRC_MISSING_REPLY_TO_Q, hint="name their queue with --reports QUEUE")


def _length(db: Database, stored: StoredMessage) -> int:
    if not is_header_format(stored.md.format):
        return stored.data_length
    return stored.data_length - header_length(stored.md, messages.load_data(db, stored.seq))

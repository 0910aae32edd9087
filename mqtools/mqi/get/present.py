"""The form in which a get returns a message: assembled of its segments, converted, with its properties as asked.

Nothing here changes the queue.
"""

from __future__ import annotations

from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_COMPLETE_MSG, MQGMO_CONVERT
from mqtools.constants.states import ALONE
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError
from mqtools.headers.chain import header_length
from mqtools.headers.conversion import convert
from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde
from mqtools.message import MQMD, Property
from mqtools.mqi.get import search
from mqtools.mqi.get.request import Attempt, Delivery, lacks_descriptor
from mqtools.mqi.transaction import Work
from mqtools.rules.options.get import PROPERTY_OPTIONS, browses, uses_syncpoint
from mqtools.rules.properties import RFH2, property_form
from mqtools.rules.properties import apply_property_form as into_form
from mqtools.rules.reassembly import Segment, assemble, check_reassembly
from mqtools.store.messages import messages
from mqtools.store.messages.stored_message import StoredMessage


def present(attempt: Attempt, found: list[StoredMessage]) -> Delivery:
    """Make of the physical messages found what is returned, in the form that the call asks for.

    Raises MQError for segments that the options do not allow to be removed together.
    """
    work, first = attempt.work, found[0]
    if first.completeness == ALONE:
        delivery = Delivery(found, first.md, messages.data_of(work.db, first), first.data_length)
    else:
        delivery = _assemble(attempt, found)
    if len(delivery.parts) > 1 and not browses(attempt.options):
        _check_removal(attempt, delivery)
    delivery.expiry = search.remaining_expiry(delivery.parts[0], work.now_ms)
    _represent(attempt, delivery)
    return delivery


def _check_removal(attempt: Attempt, delivery: Delivery) -> None:
    """Check that the segments may be removed as one message."""
    work, parts = attempt.work, delivery.parts
    is_persistent = any(part.md.persistence for part in parts)
    held = uses_syncpoint(attempt.options, parts[0].md.persistence, work.qmgr.profile)
    check_reassembly(len(parts), is_persistent, held, work.connection.in_unit_of_work)


def _assemble(attempt: Attempt, found: list[StoredMessage]) -> Delivery:
    """Read the data of members of groups and segments; the segments of a logical message become one message."""
    db, first = attempt.work.db, found[0]
    data = [messages.data_of(db, part) for part in found]
    headers = [header_length(part.md, body) for part, body in zip(found, data, strict=True)]
    if not attempt.options & MQGMO_COMPLETE_MSG:
        return Delivery(found, first.md, data[0], len(data[0]) - headers[0])
    segments = [Segment(part.md, body, header) for part, body, header in zip(found, data, headers, strict=True)]
    made = assemble(segments)
    parts = [part for part, segment in zip(found, segments, strict=True) if segment in made.segments]
    return Delivery(parts, made.md.replace(), made.data, made.length, made.reason)


def _represent(attempt: Attempt, delivery: Delivery) -> None:
    """Set what is returned of a message, in the form that the options, the queue and the caller's MQMD ask for."""
    first = delivery.parts[0]
    properties = {} if first.properties is None else search.properties_of(first)
    if attempt.request.in_message and not attempt.options & PROPERTY_OPTIONS:
        delivery.properties = properties
    else:
        _apply_property_form(attempt, delivery, properties)
    if attempt.options & MQGMO_CONVERT:
        _convert(attempt, delivery)
    if attempt.request.md is not None and attempt.request.md.version == MQMD_VERSION_1:
        _add_mqmde(delivery)


def _apply_property_form(attempt: Attempt, delivery: Delivery, properties: dict[str, Property]) -> None:
    has_handle = attempt.request.properties is not None or attempt.request.in_message
    opened = attempt.handle.path(attempt.work, attempt.queue)[0]  # readers of an alias get what the alias says
    form = property_form(attempt.options, opened.property_control, has_handle)
    if form == RFH2 and attempt.request.lacks_md:
        raise lacks_descriptor()
    delivery.returned_md, delivery.returned_data, delivery.for_handle = _in_form(
        attempt.work, form, delivery, properties
    )
    if attempt.request.in_message:
        delivery.properties = delivery.for_handle


def _in_form(
    work: Work, form: str, delivery: Delivery, properties: dict[str, Property]
) -> tuple[MQMD, bytes, dict[str, Property]]:
    """Write an MQRFH2 in the message's own CCSID and encoding, so that both are converted or neither.

    Where the properties cannot be written in these, the queue manager's are used.
    """
    md, data = delivery.md, delivery.data
    try:
        return into_form(form, md, data, properties, ccsid=md.coded_char_set_id, encoding=md.encoding)
    except MQError:
        own = work.qmgr.coded_char_set_id
        return into_form(form, md, data, properties, ccsid=own, encoding=MQENC_NATIVE)


def _convert(attempt: Attempt, delivery: Delivery) -> None:
    """Convert to the caller's CCSID and encoding, unless the message has to be refused as too long (TRUNC-21)."""
    md, data = delivery.returned_md, delivery.returned_data
    fits = attempt.request.max_length is None or len(data) <= attempt.request.max_length
    if attempt.request.max_length == 0 or not data or not (fits or attempt.options & MQGMO_ACCEPT_TRUNCATED_MSG):
        return
    own = attempt.work.qmgr.coded_char_set_id
    to_ccsid = own if attempt.request.md is None else attempt.request.md.coded_char_set_id or own
    to_encoding = MQENC_NATIVE if attempt.request.md is None else attempt.request.md.encoding
    done = convert(md, data, to_ccsid=to_ccsid, to_encoding=to_encoding, default_ccsid=own)
    if attempt.request.max_length is not None:
        done = done.within(md, data, attempt.request.max_length)
    delivery.returned_md, delivery.returned_data = done.md, done.data
    delivery.reason = delivery.reason or done.reason


def _add_mqmde(delivery: Delivery) -> None:
    """Put the fields that a version-1 descriptor cannot hold in an MQMDE before the data (BEY-94)."""
    own = delivery.returned_md
    if not needs_mqmde(own):
        return
    md, delivery.returned_data = prefix_mqmde(own, delivery.returned_data)
    fields = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")
    delivery.returned_md = md.replace(**{name: getattr(own, name) for name in fields})

"""In which form a get gives a message: put together of its segments, converted, with its properties where asked.

Nothing here changes the queue.
"""

from __future__ import annotations

from mqtools.constants.completeness import ALONE
from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.options import MQGMO_ACCEPT_TRUNCATED_MSG, MQGMO_COMPLETE_MSG, MQGMO_CONVERT
from mqtools.constants.reasons import MQRC_NONE
from mqtools.constants.structures import MQMD_VERSION_1
from mqtools.errors import MQError
from mqtools.mqi.get import search
from mqtools.records import Record
from mqtools.store.messages import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import MQMD, Property
    from mqtools.mqi.get.get import GetRequest
    from mqtools.mqi.transaction import Work
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue


class Whole(Record):
    """What a call hands over, as it is stored: the physical messages it is made of, first to last.

    length: bytes of application data, headers not counted.  reason: why it is not all of the logical message.
    """

    __slots__ = ("data", "length", "md", "parts", "reason")

    def __init__(self, parts: list[StoredMessage], md: MQMD, data: bytes, length: int, reason: int = MQRC_NONE) -> None:
        self.parts = parts
        self.md = md
        self.data = data
        self.length = length
        self.reason = reason


class Given(Record):
    """What the caller sees. properties: those of the message; for_handle: those that a message handle takes."""

    __slots__ = ("data", "for_handle", "md", "properties", "reason")

    def __init__(
        self,
        md: MQMD,
        data: bytes,
        properties: dict[str, Property],
        for_handle: dict[str, Property],
        reason: int = MQRC_NONE,
    ) -> None:
        self.md = md
        self.data = data
        self.properties = properties
        self.for_handle = for_handle
        self.reason = reason


def whole_of(work: Work, request: GetRequest, found: list[StoredMessage]) -> Whole:
    """Read the data of what was found; segments that belong together become one message."""
    first = found[0]
    if first.standing == ALONE:
        return Whole(found, first.md, messages.data_of(work.db, first), first.data_length)
    from mqtools.headers.chain import header_length

    data = [messages.data_of(work.db, part) for part in found]
    headers = [header_length(part.md, body) for part, body in zip(found, data, strict=True)]
    if not request.options & MQGMO_COMPLETE_MSG:
        return Whole(found, first.md, data[0], len(data[0]) - headers[0])
    from mqtools.rules.reassembly import Segment, assemble

    segments = [Segment(part.md, body, header) for part, body, header in zip(found, data, headers, strict=True)]
    made = assemble(segments)
    parts = [part for part, segment in zip(found, segments, strict=True) if segment in made.segments]
    return Whole(parts, made.md.replace(), made.data, made.length, made.reason)


def represent(work: Work, request: GetRequest, queue: Queue, whole: Whole) -> Given:
    """Give a message in the form that the options, the queue and the caller's descriptor ask for."""
    given = _with_properties(work, request, queue, whole)
    if request.options & MQGMO_CONVERT:
        given = _converted(work, request, given)
    return _for_version_1(request, given)


def _with_properties(work: Work, request: GetRequest, queue: Queue, whole: Whole) -> Given:
    properties = search.properties_of(whole.parts[0])
    if request.in_message and not request.asks_for_property_form:
        return Given(whole.md, whole.data, properties, {})
    from mqtools.mqi.get.message_handles import lacks_descriptor
    from mqtools.rules.properties import RFH2, property_form

    has_handle = request.properties is not None or request.in_message
    opened = request.handle.path(work, queue)[0]  # an alias says for its readers
    form = property_form(request.options, opened.property_control, has_handle)
    if form == RFH2 and request.lacks_md:
        raise lacks_descriptor()
    md, data, for_handle = _in_form(work, form, whole, properties)
    return Given(md, data, for_handle if request.in_message else {}, for_handle)


def _in_form(
    work: Work, form: str, whole: Whole, properties: dict[str, Property]
) -> tuple[MQMD, bytes, dict[str, Property]]:
    """Write an MQRFH2 as the message is written, so that both are converted or neither; in ours where nobody can."""
    from mqtools.rules.properties import apply_property_form as into_form

    md, data = whole.md, whole.data
    try:
        return into_form(form, md, data, properties, ccsid=md.coded_char_set_id, encoding=md.encoding)
    except MQError:
        own = work.qmgr.coded_char_set_id
        return into_form(form, md, data, properties, ccsid=own, encoding=MQENC_NATIVE)


def _converted(work: Work, request: GetRequest, given: Given) -> Given:
    """Convert to the caller's CCSID and encoding, unless the message has to be refused as too long (TRUNC-21)."""
    from mqtools.headers.conversion import convert

    fits = request.max_length is None or len(given.data) <= request.max_length
    if request.max_length == 0 or not given.data or not (fits or request.options & MQGMO_ACCEPT_TRUNCATED_MSG):
        return given
    own = work.qmgr.coded_char_set_id
    to_ccsid = own if request.md is None else request.md.coded_char_set_id or own
    to_encoding = MQENC_NATIVE if request.md is None else request.md.encoding
    done = convert(given.md, given.data, to_ccsid=to_ccsid, to_encoding=to_encoding, default_ccsid=own)
    if request.max_length is not None:
        done = done.within(given.md, given.data, request.max_length)
    return given.replace(md=done.md, data=done.data, reason=done.reason)


def _for_version_1(request: GetRequest, given: Given) -> Given:
    """A caller with a version-1 descriptor gets what it cannot hold as an MQMDE before the data (BEY-94)."""
    if request.md is None or request.md.version != MQMD_VERSION_1:
        return given
    from mqtools.headers.mqmde import needs_mqmde, prefix_mqmde

    if not needs_mqmde(given.md):
        return given
    md, data = prefix_mqmde(given.md, given.data)
    fields = ("group_id", "msg_seq_number", "offset", "msg_flags", "original_length")
    return given.replace(md=md.replace(**{name: getattr(given.md, name) for name in fields}), data=data)

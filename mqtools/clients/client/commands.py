"""Commands of administration for a queue manager elsewhere: PCF messages on its command queue, and their replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mqtools.clients.client.connection import RemoteConnection
from mqtools.clients.client.queue import RemoteQueue
from mqtools.constants import cmqc, cmqcfc
from mqtools.constants.administration import MQCFC_LAST
from mqtools.constants.message import MQFMT_ADMIN
from mqtools.errors import MQError, NoMessageAvailable
from mqtools.headers.charsets import decode_text
from mqtools.headers.fields import field
from mqtools.headers.pcf import CFBS, CFGR, CFH, CFIL, CFIN, CFSL, CFST, Parameter
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.headers.structures_message import OD
from mqtools.message import MQMD, Message

#: Model queue of the replies. They are nonpersistent, and go with the connection.
_REPLY_MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"
_AUTHORITIES = f"commands there need get and dsp on {_REPLY_MODEL}, and put on the command queue"
#: Time that a reply may take, in seconds.
PATIENCE_S = 30
#: Reasons that say that no object has the name or is in the state that was requested.
_NONE_FOUND = (
    cmqc.MQRC_UNKNOWN_OBJECT_NAME,
    cmqcfc.MQRCCF_CHANNEL_NOT_FOUND,
    cmqcfc.MQRCCF_CHL_STATUS_NOT_FOUND,
    cmqcfc.MQRCCF_Q_STATUS_NOT_FOUND,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a command. values: by parameter; integers, texts without trailing blanks, bytes, lists of these."""

    comp_code: int
    reason: int
    values: dict[int, object]


def _values(parameters: Sequence[Parameter], default_ccsid: int) -> dict[int, object]:
    found: dict[int, object] = {}
    for each in parameters:
        match each:
            case CFIN():
                found[each.parameter] = each.value
            case CFIL():
                found[each.parameter] = list(each.values)
            case CFST():
                found[each.parameter] = _text(each.string, each.coded_char_set_id or default_ccsid)
            case CFSL():
                ccsid = each.coded_char_set_id or default_ccsid
                found[each.parameter] = [_text(string, ccsid) for string in each.strings]
            case CFBS():
                found[each.parameter] = each.string
            case CFGR():
                groups = found.setdefault(each.parameter, [])
                assert isinstance(groups, list)
                groups.append(_values(each.parameters, default_ccsid))
    return found


def _text(raw: bytes, ccsid: int) -> str:
    try:
        return decode_text(raw, ccsid).rstrip(" \0")
    except (MQError, UnicodeError):
        return raw.decode("ascii", "replace").rstrip(" \0")


def pcf(connection: RemoteConnection, command: int, parameters: Sequence[Parameter] = ()) -> list[Reply]:
    """Execute a command, and return its replies; none where no object is as the command asks.

    Raises MQError: the reason of a command that failed; MQRC_Q_MGR_NOT_AVAILABLE where no reply comes.
    """
    replies = _execute(connection, command, parameters)
    failed = [reply for reply in replies if reply.comp_code == cmqc.MQCC_FAILED]
    if any(reply.reason in _NONE_FOUND for reply in failed):
        return []
    if failed:
        raise MQError(f"the command server of {connection.name} refuses the command", failed[0].reason)
    return [reply for reply in replies if reply.values]


def escape(connection: RemoteConnection, text: str) -> tuple[list[str], int, int]:
    """Execute an MQSC command; return the texts of its replies, completion code and reason, also of a failure.

    Raises MQError: MQRC_Q_MGR_NOT_AVAILABLE where no reply comes.
    """
    escape_text = cmqcfc.MQCACF_ESCAPE_TEXT
    kind = CFIN(cmqcfc.MQIACF_ESCAPE_TYPE, cmqcfc.MQET_MQSC)
    replies = _execute(connection, cmqcfc.MQCMD_ESCAPE, [kind, CFST(escape_text, text.encode())])
    texts = [str(reply.values[escape_text]) for reply in replies if escape_text in reply.values]
    worst = max(replies, key=lambda reply: reply.comp_code)
    return texts, worst.comp_code, worst.reason


def _execute(connection: RemoteConnection, command: int, parameters: Sequence[Parameter]) -> list[Reply]:
    with _reply_queue(connection) as replies:
        md = MQMD(
            msg_type=cmqc.MQMT_REQUEST,
            format=MQFMT_ADMIN,
            expiry=PATIENCE_S * 10,
            persistence=cmqc.MQPER_NOT_PERSISTENT,
            encoding=cmqc.MQENC_NATIVE,
            coded_char_set_id=1208,
            reply_to_q=replies.q_name,
        )
        request = Message(pack_pcf(CFH(command), parameters, cmqc.MQENC_NATIVE), md)
        q_name = connection.command_q_name
        connection.put_on({**OD.initial(), "ObjectName": field(q_name, 48)}, request, 0, q_name)
        return list(_replies(connection, replies, request.md.msg_id))


@contextmanager
def _reply_queue(connection: RemoteConnection) -> Iterator[RemoteQueue]:
    """Yield a temporary queue, which goes at the end of the block."""
    try:
        queue = connection.open_unlogged(_REPLY_MODEL, cmqc.MQOO_INPUT_SHARED | cmqc.MQOO_FAIL_IF_QUIESCING)
    except MQError as error:
        hint = _AUTHORITIES if error.reason == cmqc.MQRC_NOT_AUTHORIZED else None
        raise MQError(error.text, error.reason, hint=hint, q_name=_REPLY_MODEL) from error
    queue.reads_ahead = True  # the queue goes at the end of the block
    try:
        yield queue
    finally:
        if not connection.has_ended:
            queue.close(cmqc.MQCO_DELETE_PURGE)


def _replies(connection: RemoteConnection, queue: RemoteQueue, correl_id: bytes) -> Iterator[Reply]:
    """Yield the replies of a command, up to the last. Raises MQError: MQRC_Q_MGR_NOT_AVAILABLE."""
    is_last = False
    while not is_last:
        wanted = MQMD(correl_id=correl_id, coded_char_set_id=1208, encoding=cmqc.MQENC_NATIVE)
        try:
            result = queue.get(
                cmqc.MQGMO_WAIT | cmqc.MQGMO_CONVERT,
                md=wanted,
                match_options=cmqc.MQMO_MATCH_CORREL_ID,
                wait_ms=PATIENCE_S * 1000,
            )
        except NoMessageAvailable as error:
            words = f"the command server of {connection.name} does not answer within {PATIENCE_S} s"
            raise MQError(words, cmqc.MQRC_Q_MGR_NOT_AVAILABLE, hint="is it running (STRCMDSVR)?") from error
        md = result.message.md
        header, parameters = unpack_pcf(result.message.data, md.encoding)
        is_last = header.control == MQCFC_LAST
        yield Reply(header.comp_code, header.reason, _values(parameters, md.coded_char_set_id))

"""A message as one JSON object, both directions: the form of ``-o json``, ``-o jsonl`` and ``put --jsonl``."""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64

from mqtools.constants.message import MQCCSI_Q_MGR, MQFMT_NONE, MQFMT_STRING
from mqtools.constants.reasons import MQRC_BUFFER_ERROR
from mqtools.constants.states import STATE_NAMES
from mqtools.errors import MQError
from mqtools.formats.descriptor import characters_to_json, md_from_dict, md_to_dict
from mqtools.formats.envelope.mistakes import EnvelopeError, delivery_time, has_known_keys, mistakes_in
from mqtools.formats.header_view import header_to_dict
from mqtools.formats.properties import properties_from_dict, properties_to_dict
from mqtools.formats.units import rfc3339
from mqtools.headers.chain import walk
from mqtools.headers.charsets import decode_text, encode_text
from mqtools.message import MQMD, Message

#: The version of the envelope, its first key.
VERSION = 1

#: Meaning of CCSID 0, the queue manager's own: UTF-8, the default of our queue managers.
DATA_CCSID = 1208

#: Formats that have no header in front; for these the header chain is not even loaded.
PLAIN_FORMATS = (MQFMT_NONE, MQFMT_STRING)


def to_envelope(
    message: Message,
    *,
    qmgr: str,
    queue: str,
    state: int,
    lock_id: bytes | None = None,
    extra: dict[str, object] | None = None,
    ccsid: int = DATA_CCSID,
) -> dict[str, object]:
    """Return a message as JSON values, the keys in the order of the documented form.

    The data is ``data`` when all of it is text that reads back to the same bytes in its CCSID, otherwise
    ``data_b64`` with ``body``, the text behind the headers or None.
    state: as in ``mqtools.constants.states``.  extra: further keys, put last.  ccsid: the queue manager's, of the
    character fields of the descriptor.
    Raises MQError: MQRC_PROPERTY_TYPE_ERROR for a property of no known type.
    """
    headers, shown = data_to_json(message)
    return {
        "mqx": VERSION,
        "qmgr": qmgr,
        "queue": queue,
        "state": STATE_NAMES[state],
        "lock_id": None if lock_id is None else lock_id.hex().upper(),
        "md": md_to_dict(message.md, ccsid),
        "properties": properties_to_dict(message.properties),
        **({} if message.deliver_at is None else {"deliver_at": rfc3339(message.deliver_at)}),
        "headers": headers,
        "data_length": len(message.data),
        **shown,
        **(extra or {}),
    }


def data_to_json(message: Message) -> tuple[list[object], dict[str, object]]:
    """Return the headers in front, and the keys that hold the data."""
    md, data = message.md, message.data
    headers: list[object] = []
    if md.format not in PLAIN_FORMATS:
        chain = walk(data, md.format, md.encoding, _ccsid(md.coded_char_set_id))
        headers = [_json_value(header_to_dict(header), header.ccsid) for header in chain.headers]
        if chain.error is not None:
            return headers, _base64(data, None)
        if headers:
            return headers, _base64(data, _text(data[chain.body_offset :], chain.body_ccsid, chain.body_encoding))
    text = exact_text(data, md.coded_char_set_id, md.encoding)
    return headers, _base64(data, None) if text is None else {"data": text}


def _json_value(value: object, ccsid: int) -> object:
    """Return a header's value with its escaped characters as they are in the descriptor."""
    if isinstance(value, str):
        return characters_to_json(value, ccsid)
    if isinstance(value, dict):
        return {str(key): _json_value(item, ccsid) for key, item in value.items()}
    return [_json_value(item, ccsid) for item in value] if isinstance(value, list) else value


def _base64(data: bytes, body: str | None) -> dict[str, object]:
    return {"data_b64": b2a_base64(data, newline=False).decode("ascii"), "body": body}


def _ccsid(ccsid: int) -> int:
    return DATA_CCSID if ccsid == MQCCSI_Q_MGR else ccsid


def _text(data: bytes, ccsid: int, encoding: int) -> str | None:
    try:
        return decode_text(data, _ccsid(ccsid), encoding)
    except MQError:
        return None


def exact_text(data: bytes, ccsid: int, encoding: int) -> str | None:
    """Return the data as text, or None where the text would not encode to the same bytes."""
    text = _text(data, ccsid, encoding)
    if text is None:
        return None
    try:
        return text if encode_text(text, _ccsid(ccsid), encoding) == data else None
    except MQError:
        return None


def from_envelope(obj: object, ccsid: int = DATA_CCSID) -> Message:
    """Read a message from JSON values: names or numbers; a key that is missing takes the default of MQMD.

    ``headers``, ``body``, the places and lengths are views, and ignored; ``data`` is written in the CCSID of ``md``.
    ccsid: of the character fields of the descriptor: the queue manager's.
    Raises EnvelopeError with every key that is unknown and every value that cannot be read, their paths in front:
    MQRC_MD_ERROR for the descriptor, MQRC_BUFFER_ERROR for the data and unknown keys, and as ``properties_from_dict``
    for the properties. Raises MQError: MQRC_BUFFER_ERROR for what is no object, or of a form to come.
    """
    if not isinstance(obj, dict):
        raise MQError("the message is not a JSON object", MQRC_BUFFER_ERROR)
    if obj.get("mqx", VERSION) != VERSION:
        raise MQError(f"mqx: {obj['mqx']!r} is a form that this version cannot read", MQRC_BUFFER_ERROR)
    try:
        md = md_from_dict({} if obj.get("md") is None else obj["md"], ccsid=ccsid)
        properties = properties_from_dict({} if obj.get("properties") is None else obj["properties"])
        if has_known_keys(obj):
            return Message(data_from_json(obj, md), md, properties, delivery_time(obj))
    except MQError as error:
        mistakes = list(mistakes_in(obj, ccsid))
        raise EnvelopeError(mistakes or [(("data" if obj.get("data") is not None else "data_b64",), error)]) from error
    raise EnvelopeError(list(mistakes_in(obj, ccsid)))


def data_from_json(obj: dict[str, object], md: MQMD) -> bytes:
    """Read the data of a message: ``data`` in the CCSID of the descriptor, or ``data_b64``. Raises MQError."""
    text, base64 = obj.get("data"), obj.get("data_b64")
    if text is not None and base64 is not None:
        raise MQError("data: there is data_b64 too; give one of them", MQRC_BUFFER_ERROR)
    if base64 is not None:
        return _from_base64(base64)
    return b"" if text is None else _from_text(text, md)


def _from_base64(base64: object) -> bytes:
    if not isinstance(base64, str):
        raise MQError(f"data_b64: {base64!r} is not text", MQRC_BUFFER_ERROR)
    try:
        return a2b_base64(base64.strip(), strict_mode=True)
    except (Error, ValueError) as error:
        raise MQError(f"data_b64: not base64: {error}", MQRC_BUFFER_ERROR) from error


def _from_text(text: object, md: MQMD) -> bytes:
    if not isinstance(text, str):
        raise MQError(f"data: {text!r} is not text", MQRC_BUFFER_ERROR)
    try:
        return encode_text(text, _ccsid(md.coded_char_set_id), md.encoding)
    except MQError as error:
        raise MQError(f"data: {error.text}", MQRC_BUFFER_ERROR) from error

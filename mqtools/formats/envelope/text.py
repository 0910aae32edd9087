"""The JSON text of messages as ``envelope`` has it, for output of many: what seldom changes is encoded once.

Invariant: the text is ``dumps(to_envelope(...))``. Most descriptors of a queue differ in identifiers, times and
positions only. The text of the other fields is kept as a template by their values.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from operator import attrgetter

from mqtools.constants.message import MQCCSI_Q_MGR
from mqtools.constants.states import STATE_NAMES
from mqtools.formats.descriptor import md_to_dict
from mqtools.formats.envelope.envelope import DATA_CCSID, PLAIN_FORMATS, VERSION, data_to_json
from mqtools.formats.jsontext import dumps, escape_harmful
from mqtools.formats.properties import properties_to_dict
from mqtools.message import MQMD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.message import Message

#: Fields that differ from message to message, in the order of MQMD. Any other field is part of a template's key.
_VARYING = ("expiry", "msg_id", "correl_id", "put_date", "put_time", "group_id", "msg_seq_number", "offset")
_IDENTIFIERS = ("msg_id", "correl_id", "group_id")
_TIMES = ("put_date", "put_time")
_key_of = attrgetter(*(field for field in MQMD.__slots__ if field not in _VARYING))

#: Templates kept at most; with more the cache is emptied.
_MOST_TEMPLATES = 256


class EnvelopeText:
    """Writer of messages of one queue manager as JSON text. ccsid: the queue manager's."""

    def __init__(self, q_mgr_name: str, ccsid: int = DATA_CCSID) -> None:
        self._q_mgr_name = q_mgr_name
        self._ccsid = ccsid
        self._templates: dict[tuple[object, ...], str] = {}
        self._place: tuple[object, ...] = ()
        self._beginning = ""

    def text(self, message: Message, q_name: str, state: int, lock_id: bytes | None = None) -> str:
        """Return a message as one line of JSON; arguments and errors as of ``to_envelope``."""
        beginning = self._begin(q_name, state, lock_id)
        properties = dumps(properties_to_dict(message.properties)) if message.properties else "{}"
        return f'{beginning}{self._descriptor(message.md)},"properties":{properties},{_data(message)}}}'

    def _begin(self, q_name: str, state: int, lock_id: bytes | None) -> str:
        place = (q_name, state, lock_id)
        if place != self._place:
            values = {
                "mqx": VERSION,
                "qmgr": self._q_mgr_name,
                "queue": q_name,
                "state": STATE_NAMES[state],
                "lock_id": None if lock_id is None else lock_id.hex().upper(),
            }
            self._place, self._beginning = place, f'{dumps(values)[:-1]},"md":'
        return self._beginning

    def _descriptor(self, md: MQMD) -> str:
        put_date, put_time = md.put_date, md.put_time
        if not ((put_date + put_time).isdigit() and put_date.isascii() and put_time.isascii()):
            return dumps(md_to_dict(md, self._ccsid))
        key = _key_of(md)
        template = self._templates.get(key)
        if template is None:
            template = self._add_template(key, md)
        return template % (
            md.expiry,
            md.msg_id.hex().upper(),
            md.correl_id.hex().upper(),
            put_date,
            put_time,
            md.group_id.hex().upper(),
            md.msg_seq_number,
            md.offset,
        )

    def _add_template(self, key: tuple[object, ...], md: MQMD) -> str:
        if len(self._templates) >= _MOST_TEMPLATES:
            self._templates.clear()
        pieces = []
        for field, value in md_to_dict(md, self._ccsid).items():
            if field not in _VARYING:
                pieces.append(f'"{field}":{dumps(value)}'.replace("%", "%%"))
            else:
                pieces.append(f'"{field}":"%s"' if field in _IDENTIFIERS + _TIMES else f'"{field}":%d')
        self._templates[key] = template = f"{{{','.join(pieces)}}}"
        return template


def _data(message: Message) -> str:
    """Return the keys from ``headers`` on, with their values."""
    md, data = message.md, message.data
    if md.format in PLAIN_FORMATS and md.coded_char_set_id in (DATA_CCSID, MQCCSI_Q_MGR):
        try:
            # Whatever decodes as UTF-8 encodes to the same bytes.
            text = escape_harmful(encode_basestring(data.decode("utf-8")))
        except UnicodeDecodeError:
            pass
        else:
            return f'"headers":[],"data_length":{len(data)},"data":{text}'
    headers, shown = data_to_json(message)
    return dumps({"headers": headers, "data_length": len(data), **shown})[1:-1]

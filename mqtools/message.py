"""A message: its descriptor, its properties and its data.

Character fields are text without trailing blanks, identifiers are bytes of full length, the rest are
integers as on the wire. The names are MQ's own in snake_case, the same in JSON, SQL and Spark. How a
descriptor is laid out in bytes is in ``mqtools.headers.mqmd``.
"""

from __future__ import annotations

from _operator import attrgetter  # what ``operator`` has it from, without its functions in Python

from mqtools.constants.message import (
    MQAT_NO_CONTEXT,
    MQCCSI_Q_MGR,
    MQEI_UNLIMITED,
    MQENC_NATIVE,
    MQFB_NONE,
    MQFMT_NONE,
    MQMF_NONE,
    MQMT_DATAGRAM,
    MQOL_UNDEFINED,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPRI_PRIORITY_AS_Q_DEF,
    MQRO_NONE,
)
from mqtools.constants.structures import (
    MQACT_NONE,
    MQCI_NONE,
    MQGI_NONE,
    MQMD_VERSION_2,
    MQMI_NONE,
)
from mqtools.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

#: Value of a message property; bytes is MQTYPE_BYTE_STRING, None is MQTYPE_NULL.
PropertyValue = bool | int | float | str | bytes | None

#: Kinds of descriptor fields: an MQLONG; one whose values have names, one value or flags; characters; bytes.
NUMBER, ENUMERATION, FLAG_WORD, CHARACTERS, BYTES = "number", "enumeration", "flags", "characters", "bytes"

#: The fields of a message descriptor in their order: name, kind, length in bytes, code in a dump, families of the names
#: of its values. The first family is preferred; the names of a plain number are only read. Feedback also carries
#: reason codes, in exception reports. Types and initial values are those of ``MQMD``; the last five are of version 2.
FIELDS: tuple[tuple[str, str, int, str, tuple[str, ...]], ...] = (
    ("version", NUMBER, 4, "VER", ()),
    ("report", FLAG_WORD, 4, "RPT", ("MQRO",)),
    ("msg_type", ENUMERATION, 4, "MST", ("MQMT",)),
    ("expiry", NUMBER, 4, "EXP", ("MQEI",)),
    ("feedback", ENUMERATION, 4, "FDB", ("MQFB", "MQRC")),
    ("encoding", NUMBER, 4, "ENC", ("MQENC",)),
    ("coded_char_set_id", NUMBER, 4, "CCS", ()),
    ("format", CHARACTERS, 8, "FMT", ()),
    ("priority", NUMBER, 4, "PRI", ()),
    ("persistence", ENUMERATION, 4, "PER", ("MQPER",)),
    ("msg_id", BYTES, 24, "MSI", ()),
    ("correl_id", BYTES, 24, "COI", ()),
    ("backout_count", NUMBER, 4, "BOC", ()),
    ("reply_to_q", CHARACTERS, 48, "RTQ", ()),
    ("reply_to_q_mgr", CHARACTERS, 48, "RTM", ()),
    ("user_identifier", CHARACTERS, 12, "USR", ()),
    ("accounting_token", BYTES, 32, "ACC", ()),
    ("appl_identity_data", CHARACTERS, 32, "AID", ()),
    ("put_appl_type", ENUMERATION, 4, "PAT", ("MQAT",)),
    ("put_appl_name", CHARACTERS, 28, "PAN", ()),
    ("put_date", CHARACTERS, 8, "PTD", ()),
    ("put_time", CHARACTERS, 8, "PTT", ()),
    ("appl_origin_data", CHARACTERS, 4, "AOD", ()),
    ("group_id", BYTES, 24, "GRP", ()),
    ("msg_seq_number", NUMBER, 4, "MSQ", ()),
    ("offset", NUMBER, 4, "OFF", ()),
    ("msg_flags", FLAG_WORD, 4, "MSF", ("MQMF",)),
    ("original_length", NUMBER, 4, "ORL", ()),
)
#: Identifiers and the accounting token to their lengths in bytes.
BYTE_FIELDS = {name: length for name, kind, length, _, _ in FIELDS if kind == BYTES}
#: Character field to its length.
CHARACTER_FIELDS = {name: length for name, kind, length, _, _ in FIELDS if kind == CHARACTERS}


def mq_name(field: str) -> str:
    """Return the name of a field as MQ spells it: ``reply_to_q`` is ``ReplyToQ``."""
    return "".join(word.capitalize() for word in field.split("_"))


class MQMD(Record):
    """Message descriptor with the initial values of MQMD_DEFAULT (version 2).

    expiry: tenths of a second, -1 unlimited; from a get, what remains.
    put_date, put_time: ``YYYYMMDD`` and ``HHMMSSTH``, GMT, as MQ writes them.
    offset, original_length: bytes.
    """

    __slots__ = tuple(row[0] for row in FIELDS)

    def __init__(
        self,
        *,
        version: int = MQMD_VERSION_2,
        report: int = MQRO_NONE,
        msg_type: int = MQMT_DATAGRAM,
        expiry: int = MQEI_UNLIMITED,
        feedback: int = MQFB_NONE,
        encoding: int = MQENC_NATIVE,
        coded_char_set_id: int = MQCCSI_Q_MGR,
        format: str = MQFMT_NONE,
        priority: int = MQPRI_PRIORITY_AS_Q_DEF,
        persistence: int = MQPER_PERSISTENCE_AS_Q_DEF,
        msg_id: bytes = MQMI_NONE,
        correl_id: bytes = MQCI_NONE,
        backout_count: int = 0,
        reply_to_q: str = "",
        reply_to_q_mgr: str = "",
        user_identifier: str = "",
        accounting_token: bytes = MQACT_NONE,
        appl_identity_data: str = "",
        put_appl_type: int = MQAT_NO_CONTEXT,
        put_appl_name: str = "",
        put_date: str = "",
        put_time: str = "",
        appl_origin_data: str = "",
        group_id: bytes = MQGI_NONE,
        msg_seq_number: int = 1,
        offset: int = 0,
        msg_flags: int = MQMF_NONE,
        original_length: int = MQOL_UNDEFINED,
    ) -> None:
        self.version = version
        self.report = report
        self.msg_type = msg_type
        self.expiry = expiry
        self.feedback = feedback
        self.encoding = encoding
        self.coded_char_set_id = coded_char_set_id
        self.format = format
        self.priority = priority
        self.persistence = persistence
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.backout_count = backout_count
        self.reply_to_q = reply_to_q
        self.reply_to_q_mgr = reply_to_q_mgr
        self.user_identifier = user_identifier
        self.accounting_token = accounting_token
        self.appl_identity_data = appl_identity_data
        self.put_appl_type = put_appl_type
        self.put_appl_name = put_appl_name
        self.put_date = put_date
        self.put_time = put_time
        self.appl_origin_data = appl_origin_data
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset
        self.msg_flags = msg_flags
        self.original_length = original_length

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields changed."""
        copy = self.__class__.__new__(self.__class__)
        # Written out because every put makes one, at the floor of a put: a loop takes 0.65 us more.
        (
            copy.version,
            copy.report,
            copy.msg_type,
            copy.expiry,
            copy.feedback,
            copy.encoding,
            copy.coded_char_set_id,
            copy.format,
            copy.priority,
            copy.persistence,
            copy.msg_id,
            copy.correl_id,
            copy.backout_count,
            copy.reply_to_q,
            copy.reply_to_q_mgr,
            copy.user_identifier,
            copy.accounting_token,
            copy.appl_identity_data,
            copy.put_appl_type,
            copy.put_appl_name,
            copy.put_date,
            copy.put_time,
            copy.appl_origin_data,
            copy.group_id,
            copy.msg_seq_number,
            copy.offset,
            copy.msg_flags,
            copy.original_length,
        ) = _values(self)
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy


_values = attrgetter(*MQMD.__slots__)


class Property(Record):
    """One message property: a typed value with its property descriptor (MQPD).

    type: an MQTYPE_* value.  support, context, copy_options: MQPD and MQCOPY values.
    """

    __slots__ = ("type", "value", "support", "context", "copy_options")

    def __init__(
        self,
        type: int,
        value: PropertyValue,
        support: int = 1,
        context: int = 0,
        copy_options: int = 0x16,
    ) -> None:
        self.type = type
        self.value = value
        self.support = support
        self.context = context
        self.copy_options = copy_options


class Message(Record):
    """A message: descriptor, data (bytes, headers included) and properties by name.

    deliver_at: delivery time, JMSDeliveryTime, milliseconds since 1970: no get finds the message before it. None: at
    once. A get returns that of the put.
    """

    __slots__ = ("data", "md", "properties", "deliver_at")

    def __init__(
        self,
        data: bytes = b"",
        md: MQMD | None = None,
        properties: dict[str, Property] | None = None,
        deliver_at: int | None = None,
    ) -> None:
        self.data = data
        self.md = MQMD() if md is None else md
        self.properties = {} if properties is None else properties
        self.deliver_at = deliver_at

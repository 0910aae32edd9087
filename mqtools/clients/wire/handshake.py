"""Messages that begin a connection: INITIAL_DATA, USERID_DATA, CONAUTH_INFO and MQCONN."""

from __future__ import annotations

from mqtools.clients.wire.pieces import REST, Cursor, FixedStructure, Values

#: INITIAL_DATA at FAP level 11 and above. At lower levels the last fields are missing.
INITIAL_DATA = FixedStructure(
    "ID",
    ("StrucId", "4s", b"ID  "),
    ("FapLevel", "B"),
    ("CapFlag1", "B"),
    ("ECapFlag1", "B"),
    ("IniErrFlag1", "B"),
    ("Reserved", "2s"),
    ("MaxMsgsPerBatch", "H"),
    ("MaxTransmissionSize", "i"),
    ("MaxMsgSize", "i"),
    ("SeqWrapValue", "i"),
    ("ChannelName", "20s"),
    ("CapFlag2", "B"),
    ("ECapFlag2", "B"),
    ("CCSID", "H"),
    ("QMgrName", "48s"),
    ("HeartbeatInterval", "i"),
    ("EFLLength", "H"),
    ("IniErrFlag2", "B"),
    ("Reserved1", "B"),
    ("HdrCompressionList", "2s"),
    ("MsgCompressionList", "16s"),
    ("Reserved2", "H"),
    ("SSLKeyReset", "i"),
    ("ConversationsPerSocket", "i"),
    ("CapFlag3", "B"),
    ("ECapFlag3", "B"),
    ("Reserved3", "H"),
    ("ProcessId", "i"),
    ("ThreadId", "i"),
    ("TraceId", "i"),
    ("ProductId", "12s"),
    ("QMgrId", "48s"),
    ("PasswordAlgorithms", "20s"),
    ("Random", "12s"),
    shortest=44,
)

USERID_DATA = FixedStructure(
    "UID",
    ("StrucId", "4s", b"UID "),
    ("UserId", "12s"),
    ("Password", "12s"),
    ("LongUserId", "64s"),
    ("SidLength", "B"),
    ("Sid", "39s"),
    shortest=28,
)

_CONAUTH_INFO = FixedStructure(
    "CAUT",
    ("StrucId", "4s", b"CAUT"),
    ("AuthenticationType", "i", 1),
    ("UserIdMaxLength", "i"),
    ("PasswordMaxLength", "i"),
    ("UserIdLength", "i"),
    ("PasswordLength", "i"),
)

#: MQCONN and its reply, without the connection options; they follow it from FAP level 7 on.
_CONNECT = FixedStructure(
    "CONN",
    ("QMgrName", "48s"),
    ("ApplName", "28s"),
    ("ApplType", "i"),
    ("AccountingToken", "32s"),
    ("Options", "I"),
    ("XOptions", "I"),
    shortest=112,
)
_CONNECT_OPTIONS = FixedStructure(
    "FCNO",
    ("StrucId", "4s", b"FCNO"),
    ("Version", "i"),
    ("CapFlag", "i"),
    ("ConnectionArea", "128s"),
)


#: FAP level to the version of the connection options from it on, and what is behind those of version 1: a second tag
#: area, balancing options (no type, no timeout) and names of the product. The highest is first.
_OPTIONS_VERSIONS: tuple[tuple[int, int, bytes, bytes], ...] = (
    (15, 4, bytes(128), b"\0\0\0\0\xff\xff\xff\xff\0\0\0\0" + bytes(72)),
    (14, 3, bytes(128), bytes(72)),
    (11, 2, b"", bytes(72)),
    (7, 1, b"", b""),
)


def connect_request(fap_level: int, connect: Values) -> Values:
    """Return an MQCONN for ``CONNECT`` at a FAP level. connect: its fields without the connection options."""
    for level, version, tag, rest in _OPTIONS_VERSIONS:
        if fap_level >= level:
            fcno = {**_CONNECT_OPTIONS.initial(), "Version": version}
            return {"length": _CONNECT.length, "connect": connect, "fcno": fcno, "rest": tag + rest}
    return {"length": _CONNECT.length, "connect": connect, "fcno": None, "rest": b""}


def read_login(body: Cursor) -> tuple[bytes, bytes]:
    """Return user and password of CONAUTH_INFO. Raises ProtocolError.

    The client of FAP level 17 puts two more words in front of them, whatever level was agreed.
    """
    length = body.left
    values = _CONAUTH_INFO.read(body)
    user, password = values["UserIdLength"], values["PasswordLength"]
    if length - 32 >= user + password:
        body.take(8)
    return body.take(user), body.take(password)


def write_login(user: bytes, password: bytes, order: str) -> bytes:
    """Return a CONAUTH_INFO for FAP level 12 or lower."""
    fixed: Values = {**_CONAUTH_INFO.initial(), "UserIdMaxLength": len(user), "PasswordMaxLength": len(password)}
    fixed["UserIdLength"], fixed["PasswordLength"] = len(user), len(password)
    both = user + password
    return _CONAUTH_INFO.write(fixed, order) + both + bytes(-len(both) % 4)


class _Connect:
    """MQCONN: its fields; under ``fcno`` the connection options, or None; under ``rest`` what follows them."""

    def read(self, body: Cursor) -> Values:
        values: Values = {"length": body.left, "connect": _CONNECT.read(body), "fcno": None}
        if body.left >= _CONNECT_OPTIONS.length:
            values["fcno"] = _CONNECT_OPTIONS.read(body)
        values["rest"] = REST.read(body)
        return values

    def write(self, value: Values, order: str) -> bytes:
        connect = _CONNECT.write(value["connect"], order)[: value["length"]]
        fcno = b"" if value["fcno"] is None else _CONNECT_OPTIONS.write(value["fcno"], order)
        rest: bytes = value["rest"]
        return connect + fcno + rest


CONNECT = _Connect()

"""Class ``QueueManager``, and ``connect``."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from mqtools.bindings import pymqe
from mqtools.bindings.standin.errors import PYIFError, check, ensure_bytes, is_unicode
from mqtools.bindings.standin.structures import CD, OD, PMO, complete_args, make_q_desc
from mqtools.constants import cmqc, cmqcfc, cmqxc


class QueueManager:
    """Connection. name: of the queue manager, empty for the default, None to connect later."""

    def __init__(
        self,
        name: str | bytes | None = "",
        disconnect_on_exit: bool = True,
        bytes_encoding: str = "utf8",
        default_ccsid: int = 1208,
    ) -> None:
        self.__handle: int | None = None
        self.__name = ensure_bytes(name)
        self.__disconnect_on_exit = disconnect_on_exit
        self.__qmobj: int | None = None
        self.bytes_encoding = bytes_encoding
        self.default_ccsid = default_ccsid
        if name is not None:
            self.connect(self.__name)

    def __del__(self) -> None:
        if self.__handle and self.__disconnect_on_exit:
            with suppress(Exception):
                self.disconnect()

    def connect(self, name: str | bytes) -> None:
        """Connect to a queue manager of this machine."""
        handle, comp, reason = pymqe.MQCONN(ensure_bytes(name))
        check(comp, reason)
        self.__handle, self.__name = handle, name

    def connect_with_options(self, name: str | bytes, *args: Any, **kw: Any) -> None:
        """Connect with ``cd``, ``sco``, ``opts``, ``user``, ``password``; the first two may be positional."""
        if len(args) > 2:
            raise TypeError(f"Invalid options: {args}")
        cd = args[0] if args else kw.get("cd")
        sco = args[1] if len(args) > 1 else kw.get("sco")
        credentials = _credentials(kw.get("user"), kw.get("password"))
        if cd is not None and cd.SSLCipherSpec.strip(b"\0 ") and cd.Version < cmqxc.MQCD_VERSION_7:
            cd.Version = cmqxc.MQCD_VERSION_7
        handle, comp, reason = pymqe.MQCONNX(
            ensure_bytes(name),
            kw.get("opts", cmqc.MQCNO_NONE),
            None if cd is None else cd.pack(),
            credentials,
            None if sco is None else sco.pack(),
        )
        if comp <= cmqc.MQCC_WARNING:
            self.__handle, self.__name = handle, name
        check(comp, reason)

    connectWithOptions = connect_with_options

    def connect_tcp_client(
        self, name: str | bytes, cd: Any, channel: Any, conn_name: Any, user: Any = None, password: Any = None
    ) -> None:
        """Connect as a client, with the channel definition filled in."""
        cd.ChannelName = ensure_bytes(channel)
        cd.ConnectionName = ensure_bytes(conn_name)
        cd.ChannelType = cmqc.MQCHT_CLNTCONN
        cd.TransportType = cmqc.MQXPT_TCP
        self.connect_with_options(name, cd, user=user, password=password)

    connectTCPClient = connect_tcp_client

    def disconnect(self) -> None:
        """Disconnect; the unit of work is committed."""
        if not self.__handle:
            raise PYIFError("not connected")
        if self.__qmobj:
            pymqe.MQCLOSE(self.__handle, self.__qmobj, cmqc.MQCO_NONE)
        pymqe.MQDISC(self.__handle)
        self.__handle = self.__qmobj = None

    def get_handle(self) -> int:
        """Return the handle. Raises PYIFError without a connection."""
        if not self.__handle:
            raise PYIFError("not connected")
        return self.__handle

    getHandle = get_handle

    def get_name(self) -> bytes | str | None:
        """Return the name that was connected to."""
        name: bytes | str | None = self.__name
        return name

    def begin(self) -> None:
        """Begin a unit of work."""
        check(*pymqe.MQBEGIN(self.get_handle()))

    def commit(self) -> None:
        """Commit the unit of work."""
        check(*pymqe.MQCMIT(self.get_handle()))

    def backout(self) -> None:
        """Back out the unit of work."""
        check(*pymqe.MQBACK(self.get_handle()))

    def put1(self, q_desc: Any, msg: str | bytes, *opts: Any) -> None:
        """Open a queue, put a message and close the queue."""
        m_desc, put_opts = complete_args(PMO, *opts)
        body = self.as_bytes(msg, m_desc)
        new_md, new_pmo, comp, reason = pymqe.MQPUT1(
            self.get_handle(), make_q_desc(q_desc).pack(), m_desc.pack(), put_opts.pack(), body
        )
        check(comp, reason)
        m_desc.unpack(new_md)
        put_opts.unpack(new_pmo)

    def as_bytes(self, message: Any, md: Any) -> bytes:
        """Return the bytes of a message; for text, also set its encoding in the descriptor. Raises TypeError."""
        if is_unicode(message):
            md.CodedCharSetId = self.default_ccsid
            md.Format = cmqc.MQFMT_STRING
            encoded: bytes = message.encode(self.bytes_encoding)
            return encoded
        if isinstance(message, bytes):
            return message
        raise TypeError(f"Message type is {type(message)}. Convert to bytes.")

    def inquire(self, selector: int) -> int | bytes:
        """Return an attribute of the queue manager."""
        handle = self.get_handle()
        if self.__qmobj is None:
            od = OD(ObjectType=cmqc.MQOT_Q_MGR)
            ho, _, comp, reason = pymqe.MQOPEN(handle, od.pack(), cmqc.MQOO_INQUIRE)
            check(comp, reason)
            self.__qmobj = ho
        value, comp, reason = pymqe.MQINQ(handle, self.__qmobj, selector)
        check(comp, reason)
        found: int | bytes = value
        return found

    @property
    def is_connected(self) -> bool:
        """Return whether the queue manager answers a PING; never raises."""
        try:
            _, comp, _ = pymqe.mqaiExecute(self.get_handle(), cmqcfc.MQCMD_PING_Q_MGR)
        except Exception:
            return False
        return bool(comp == cmqc.MQCC_OK)


def _credentials(user: Any, password: Any) -> dict[str, bytes]:
    if user is None and password is None:
        return {}
    if user is None or password is None:
        raise ValueError("Both user and password must be provided")
    for value in (user, password):
        if not isinstance(value, (str, bytes)):
            raise ValueError("Both user and password must be instances of str or bytes")
    return {"user": ensure_bytes(user), "password": ensure_bytes(password)}


def connect(
    queue_manager: str | bytes | None,
    channel: str | bytes | None = None,
    conn_info: str | bytes | None = None,
    user: str | bytes | None = None,
    password: str | bytes | None = None,
    disconnect_on_exit: bool = True,
    bytes_encoding: str = "utf8",
    default_ccsid: int = 1208,
) -> QueueManager:
    """Connect, as a client if channel and connection name are given. Raises TypeError without any of these."""
    if queue_manager and not (channel or conn_info):
        return QueueManager(queue_manager, disconnect_on_exit, bytes_encoding, default_ccsid)
    if channel and conn_info:
        qmgr = QueueManager(None, disconnect_on_exit, bytes_encoding, default_ccsid)
        qmgr.connect_tcp_client(queue_manager or "", CD(), channel, conn_info, user, password)
        return qmgr
    given = [queue_manager, channel, conn_info, user, password]
    raise TypeError(f"Invalid arguments: {given}")

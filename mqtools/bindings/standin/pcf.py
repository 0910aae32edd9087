"""Commands in PCF: a method for each, and their answers as dictionaries."""

from __future__ import annotations

from mqtools.bindings.standin.constants import NamesByValue
from mqtools.bindings.standin.errors import MQMIError, ensure_bytes, ensure_not_unicode, padded_count
from mqtools.bindings.standin.pcf_structures import ByteString, _Filter, _ParameterStructure
from mqtools.bindings.standin.queue import Queue
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.bindings.standin.structures import CFH, GMO, MD, OD, PMO
from mqtools.constants import cmqc, cmqcfc
from mqtools.errors import MQError
from mqtools.headers import pcf
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Selectors of lists of attributes: a single integer for one is sent as a list too.
_ATTRIBUTE_LISTS = {
    value
    for name, value in vars(cmqcfc).items()
    if name.startswith(("MQIACF_", "MQIACH_")) and name.endswith("_ATTRS") and isinstance(value, int)
}
_FILTERS = (pcf.CFIF, pcf.CFSF, pcf.CFBF)


class _Method:
    """One command, to be called."""

    def __init__(self, executor: PCFExecute, name: str) -> None:
        self.executor = executor
        self.name = name

    def __getattr__(self, name: str) -> _Method:
        return _Method(self.executor, f"{self.name}.{name}")

    def __call__(self, *args: Any) -> list[dict[int, Any]]:
        command = vars(cmqcfc)[self.name.rpartition(".")[2]]
        arguments = args[0] if args else {}
        filters = args[1] if len(args) > 1 else []
        return self.executor.execute(command, arguments or {}, filters or [])


class PCFExecute(QueueManager):
    """Commands to a queue manager. name: a connection, or the name of a queue manager to connect to."""

    iaStringDict = NamesByValue(cmqc, "MQIA_")
    caStringDict = NamesByValue(cmqc, "MQCA_")
    qm: Any = None

    def __init__(
        self,
        name: Any = None,
        disconnect_on_exit: bool = True,
        model_queue_name: bytes = b"SYSTEM.DEFAULT.MODEL.QUEUE",
        dynamic_queue_name: bytes = b"PYMQPCF.*",
        command_queue_name: bytes = b"SYSTEM.ADMIN.COMMAND.QUEUE",
        response_wait_interval: int = 5000,
        convert: bool = False,
    ) -> None:
        if isinstance(name, QueueManager):
            self.qm = name
            super().__init__(None)
        else:
            super().__init__(name, disconnect_on_exit=disconnect_on_exit)
            self.qm = self
        self.__command_queue_name = ensure_bytes(command_queue_name)
        self.__convert = convert
        self.__response_wait_interval = response_wait_interval
        od = OD(ObjectName=ensure_bytes(model_queue_name), DynamicQName=ensure_bytes(dynamic_queue_name))
        self.__reply_queue: Queue | None = Queue(self.qm, od, cmqc.MQOO_INPUT_EXCLUSIVE)
        self.__reply_queue_name: bytes | None = od.ObjectName.strip()

    @property
    def command_queue_name(self) -> bytes:
        """The queue that commands go to."""
        name: bytes = self.__command_queue_name
        return name

    @property
    def convert(self) -> bool:
        """Whether answers are converted."""
        return self.__convert

    @property
    def reply_queue(self) -> Queue | None:
        """The queue that answers come to; None after a disconnect."""
        return self.__reply_queue

    @property
    def reply_queue_name(self) -> bytes | None:
        """Its name."""
        return self.__reply_queue_name

    @property
    def response_wait_interval(self) -> int:
        """How long an answer is waited for, in milliseconds."""
        return self.__response_wait_interval

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Method(self, name)

    def disconnect(self) -> None:
        """Close the reply queue; the connection stays."""
        if self.__reply_queue is not None and self.__reply_queue.get_handle():
            self.__reply_queue.close()
        self.__reply_queue = self.__reply_queue_name = None

    def execute(self, command: int, arguments: Any, filters: Sequence[Any]) -> list[dict[int, Any]]:
        """Send a command and give its answers. Raises MQMIError for one that failed."""
        encoding = self.qm.bytes_encoding
        if isinstance(arguments, dict):
            parameters = [_parameter(selector, value, encoding) for selector, value in arguments.items()]
        else:
            parameters = [structure.as_record() for structure in arguments]
        parameters += [_filter(one) for one in filters]
        header = pcf.CFH(command, type=cmqcfc.MQCFT_COMMAND_XR, version=cmqcfc.MQCFH_VERSION_3)
        body = pack_pcf(header, parameters, cmqc.MQENC_NATIVE)
        md = MD(
            Format=cmqc.MQFMT_ADMIN,
            MsgType=cmqc.MQMT_REQUEST,
            ReplyToQ=self.__reply_queue_name,
            Report=cmqc.MQRO_PASS_DISCARD_AND_EXPIRY | cmqc.MQRO_DISCARD_MSG,
            Feedback=cmqc.MQFB_NONE,
            Expiry=max(1, self.__response_wait_interval // 100),
        )
        self.qm.put1(self.__command_queue_name, body, md, PMO(Options=cmqc.MQPMO_NO_SYNCPOINT))
        return self._answers(md.MsgId)

    def _answers(self, msg_id: bytes) -> list[dict[int, Any]]:
        options = cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_FAIL_IF_QUIESCING | cmqc.MQGMO_WAIT
        if self.__convert:
            options |= cmqc.MQGMO_CONVERT
        assert self.__reply_queue is not None
        answers = []
        while True:
            gmo = GMO(
                Version=cmqc.MQGMO_VERSION_2,
                Options=options,
                WaitInterval=self.__response_wait_interval,
                MatchOptions=cmqc.MQMO_MATCH_CORREL_ID,
            )
            answer, header = self.unpack(self.__reply_queue.get(None, MD(CorrelId=msg_id), gmo))
            if header.CompCode != cmqc.MQCC_OK:
                raise MQMIError(header.CompCode, header.Reason)
            answers.append(answer)
            if header.Control == cmqcfc.MQCFC_LAST:
                return answers

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], Any]:
        """Read any message in PCF: its values by selector, and its CFH. Raises NotImplementedError."""
        header = CFH()
        header.unpack(message)
        native = 0 <= header.StrucLength < 1 << 16
        try:
            _, parameters = unpack_pcf(message, cmqc.MQENC_NATIVE if native else cmqc.MQENC_NORMAL)
        except MQError as error:
            raise NotImplementedError(error.text) from error
        if not native:
            for name, value in header.get().items():
                header[name] = int.from_bytes(value.to_bytes(4, "little", signed=True), "big", signed=True)
        return _as_dict(parameters), header

    @classmethod
    def stringify_keys(cls, raw_dict: dict[int, Any]) -> dict[Any, Any]:
        """Give a dictionary with names of constants for keys."""
        found: dict[Any, Any] = {}
        for key, value in raw_dict.items():
            ensure_not_unicode(value)
            names = cls.caStringDict if isinstance(value, bytes) else cls.iaStringDict
            found[names.get(key, key)] = value
        return found

    stringifyKeys = stringify_keys


def _parameter(selector: int, value: Any, encoding: str) -> Any:
    """Give a value as it is sent. Raises TypeError."""
    if isinstance(value, (str, bytes)):
        return pcf.CFST(selector, ensure_bytes(value, encoding))
    if isinstance(value, ByteString):
        return pcf.CFBS(selector, value.value)
    if isinstance(value, int):
        return pcf.CFIL(selector, [value]) if selector in _ATTRIBUTE_LISTS else pcf.CFIN(selector, value)
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return pcf.CFIL(selector, value)
    if isinstance(value, list) and all(isinstance(one, (str, bytes)) for one in value):
        return pcf.CFSL(selector, [ensure_bytes(one, encoding) for one in value])
    raise TypeError(f"PCF: {selector}: {type(value)} cannot be sent")


def _filter(one: Any) -> Any:
    if isinstance(one, _ParameterStructure):
        return one.as_record()
    if isinstance(one, _Filter):
        kind = pcf.CFIF if isinstance(one.value, int) else pcf.CFSF
        return kind(one.selector, one.operator, one.value)
    raise TypeError(f"{type(one)} is no filter")


def _as_dict(parameters: Sequence[Any]) -> dict[int, Any]:
    """Give values by selector: strings with their padding, groups as a list of dictionaries."""
    found: dict[int, Any] = {}
    for one in parameters:
        if isinstance(one, pcf.CFGR):
            found.setdefault(one.parameter, []).append(_as_dict(one.parameters))
        else:
            found[one.parameter] = _value(one)
    return found


def _value(one: Any) -> Any:
    if isinstance(one, (pcf.CFIL, pcf.CFSL)):
        return one.values if isinstance(one, pcf.CFIL) else one.strings
    if isinstance(one, (pcf.CFIN, pcf.CFBS)):
        return one.value if isinstance(one, pcf.CFIN) else one.string
    value = one.string if isinstance(one, pcf.CFST) else one.filter_value
    if isinstance(value, bytes) and not isinstance(one, pcf.CFBF):
        value = value.ljust(padded_count(len(value)), b"\0")
    return (one.operator, value) if isinstance(one, _FILTERS) else value

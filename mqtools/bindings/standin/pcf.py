"""Class ``PCFExecute``: a method for each PCF command, and the replies as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqtools.bindings.pcf import REPORT, WAIT_MS, as_dict, filter_of, pack_command, parameters_of
from mqtools.bindings.standin.constants import NamesByValue
from mqtools.bindings.standin.errors import MQMIError, ensure_bytes, ensure_not_unicode
from mqtools.bindings.standin.pcf_structures import _ParameterStructure
from mqtools.bindings.standin.queue import Queue
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.bindings.standin.structures import CFH, GMO, MD, OD, PMO
from mqtools.constants import cmqc, cmqcfc
from mqtools.errors import MQError
from mqtools.headers.pcf_bytes import unpack_pcf


class _Method:
    """One command, called like a method."""

    def __init__(self, executor: PCFExecute, name: str) -> None:
        self.executor = executor
        self.name = name

    def __getattr__(self, name: str) -> _Method:
        return _Method(self.executor, f"{self.name}.{name}")

    def __call__(self, *args: Any) -> list[dict[int, Any]]:
        command = vars(cmqcfc)[self.name.rpartition(".")[2]]
        arguments, filters = (*args, None, None)[:2]
        return self.executor.execute(command, arguments or {}, filters or [])


class PCFExecute(QueueManager):
    """Sender of commands over a connection, with a dynamic queue for the replies.

    name: the connection, or the name of a queue manager to connect to.
    """

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
        response_wait_interval: int = WAIT_MS,
        convert: bool = False,
    ) -> None:
        if isinstance(name, QueueManager):
            self.qm = name
            super().__init__(None)
        else:
            super().__init__(name, disconnect_on_exit=disconnect_on_exit)
            self.qm = self
        self.command_queue_name = ensure_bytes(command_queue_name)
        self.convert = convert
        self.response_wait_interval = response_wait_interval
        od = OD(ObjectName=ensure_bytes(model_queue_name), DynamicQName=ensure_bytes(dynamic_queue_name))
        self.reply_queue: Queue | None = Queue(self.qm, od, cmqc.MQOO_INPUT_EXCLUSIVE)
        self.reply_queue_name: bytes | None = od.ObjectName.strip()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Method(self, name)

    def disconnect(self) -> None:
        """Close the reply queue; the connection stays."""
        if self.reply_queue is not None and self.reply_queue.get_handle():
            self.reply_queue.close()
        self.reply_queue = self.reply_queue_name = None

    close = disconnect

    def execute(self, command: int, arguments: Any, filters: Sequence[Any]) -> list[dict[int, Any]]:
        """Send a command and return its replies. Raises MQMIError for one that failed."""
        if isinstance(arguments, dict):
            parameters = parameters_of(arguments, self.qm.bytes_encoding)
        else:
            parameters = [structure.as_record() for structure in arguments]
        parameters += [one.as_record() if isinstance(one, _ParameterStructure) else filter_of(one) for one in filters]
        body = pack_command(command, parameters)
        md = MD(
            Format=cmqc.MQFMT_ADMIN,
            MsgType=cmqc.MQMT_REQUEST,
            ReplyToQ=self.reply_queue_name,
            Report=REPORT,
            Feedback=cmqc.MQFB_NONE,
            Expiry=max(1, self.response_wait_interval // 100),
        )
        self.qm.put1(self.command_queue_name, body, md, PMO(Options=cmqc.MQPMO_NO_SYNCPOINT))
        return self._answers(md.MsgId)

    def _answers(self, msg_id: bytes) -> list[dict[int, Any]]:
        options = cmqc.MQGMO_NO_SYNCPOINT | cmqc.MQGMO_FAIL_IF_QUIESCING | cmqc.MQGMO_WAIT
        if self.convert:
            options |= cmqc.MQGMO_CONVERT
        assert self.reply_queue is not None
        answers = []
        while True:
            gmo = GMO(
                Version=cmqc.MQGMO_VERSION_2,
                Options=options,
                WaitInterval=self.response_wait_interval,
                MatchOptions=cmqc.MQMO_MATCH_CORREL_ID,
            )
            answer, header = self.unpack(self.reply_queue.get(None, MD(CorrelId=msg_id), gmo))
            if header.CompCode != cmqc.MQCC_OK:
                raise MQMIError(header.CompCode, header.Reason)
            answers.append(answer)
            if header.Control == cmqcfc.MQCFC_LAST:
                return answers

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], Any]:
        """Return the values of a PCF message by selector, and its CFH. Raises NotImplementedError."""
        header = CFH()
        header.unpack(message)
        native = 0 <= header.StrucLength < 1 << 16
        try:
            _, parameters = unpack_pcf(message, cmqc.MQENC_NATIVE if native else cmqc.MQENC_NORMAL)
        except MQError as error:
            raise NotImplementedError(error.text) from error  # as pymqi does, and its programs expect
        if not native:
            for name, value in header.get().items():
                header[name] = int.from_bytes(value.to_bytes(4, "little", signed=True), "big", signed=True)
        return as_dict(parameters), header

    @classmethod
    def stringify_keys(cls, raw_dict: dict[int, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in raw_dict.items():
            ensure_not_unicode(value)
            names = cls.caStringDict if isinstance(value, bytes) else cls.iaStringDict
            found[names.get(key) or key] = value
        return found

    stringifyKeys = stringify_keys

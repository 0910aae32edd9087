"""PCF commands: send one to the command queue and collect its replies as dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mqtools.bindings.pcf import REPORT, WAIT_MS, as_dict, filter_of, pack_command, parameters_of
from mqtools.bindings.standin.errors import MQMIError, ensure_bytes
from mqtools.bindings.standin.opened import Connected
from mqtools.bindings.standin.pcf_structures import _ParameterStructure
from mqtools.bindings.standin.queue import Queue
from mqtools.bindings.standin.structures import CFH, GMO, MD, OD, PMO
from mqtools.constants import cmqc, cmqcfc
from mqtools.errors import MQError
from mqtools.headers.pcf_bytes import unpack_pcf

MODEL_QUEUE, DYNAMIC_QUEUE = b"SYSTEM.DEFAULT.MODEL.QUEUE", b"PYMQPCF.*"
COMMAND_QUEUE = b"SYSTEM.ADMIN.COMMAND.QUEUE"


class PCFCommands:
    """Sender of commands over a connection, with a dynamic queue for the replies."""

    def __init__(
        self,
        qmgr: Connected,
        model_queue_name: bytes = MODEL_QUEUE,
        dynamic_queue_name: bytes = DYNAMIC_QUEUE,
        command_queue_name: bytes = COMMAND_QUEUE,
        response_wait_interval: int = WAIT_MS,
        convert: bool = False,
    ) -> None:
        self.qmgr = qmgr
        self.command_queue_name = ensure_bytes(command_queue_name)
        self.convert = convert
        self.response_wait_interval = response_wait_interval
        od = OD(ObjectName=ensure_bytes(model_queue_name), DynamicQName=ensure_bytes(dynamic_queue_name))
        self.reply_queue: Queue | None = Queue(qmgr, od, cmqc.MQOO_INPUT_EXCLUSIVE)
        self.reply_queue_name: bytes | None = od.ObjectName.strip()

    def close(self) -> None:
        if self.reply_queue is not None and self.reply_queue.get_handle():
            self.reply_queue.close()
        self.reply_queue = self.reply_queue_name = None

    def execute(self, command: int, arguments: Any, filters: Sequence[Any]) -> list[dict[int, Any]]:
        """Send a command and return its replies. Raises MQMIError for one that failed."""
        if isinstance(arguments, dict):
            parameters = parameters_of(arguments, self.qmgr.bytes_encoding)
        else:
            parameters = [structure.as_record() for structure in arguments]
        parameters += [_filter(one) for one in filters]
        body = pack_command(command, parameters)
        md = MD(
            Format=cmqc.MQFMT_ADMIN,
            MsgType=cmqc.MQMT_REQUEST,
            ReplyToQ=self.reply_queue_name,
            Report=REPORT,
            Feedback=cmqc.MQFB_NONE,
            Expiry=max(1, self.response_wait_interval // 100),
        )
        self.qmgr.put1(self.command_queue_name, body, md, PMO(Options=cmqc.MQPMO_NO_SYNCPOINT))
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
            answer, header = unpack_message(self.reply_queue.get(None, MD(CorrelId=msg_id), gmo))
            if header.CompCode != cmqc.MQCC_OK:
                raise MQMIError(header.CompCode, header.Reason)
            answers.append(answer)
            if header.Control == cmqcfc.MQCFC_LAST:
                return answers


def unpack_message(message: bytes) -> tuple[dict[int, Any], Any]:
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


def _filter(one: Any) -> Any:
    return one.as_record() if isinstance(one, _ParameterStructure) else filter_of(one)

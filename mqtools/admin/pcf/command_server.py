"""Command server: executes the PCF commands on its queue and replies to them.

It has no process of its own. The process that puts a command executes it, after the put or at the commit of its unit
of work: the get of the command, its changes and its replies are one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqtools.admin import error_log
from mqtools.admin.commands.authority import check_command as check_authority
from mqtools.admin.commands.catalogue import BY_NUMBER
from mqtools.admin.commands.command_events import CommandSender, note_command
from mqtools.admin.commands.queue_manager import ping_channel
from mqtools.admin.error_log import Inserts
from mqtools.admin.pcf.escape import execute_escape
from mqtools.admin.pcf.execute import as_pcf, execute, read_arguments
from mqtools.admin.pcf.request import IGNORED_BY_INQUIRIES, PcfParameters
from mqtools.constants import administration as a
from mqtools.constants import cmqcfc as c
from mqtools.constants.message import (
    MQAT_QMGR,
    MQEI_UNLIMITED,
    MQENC_NATIVE,
    MQFMT_ADMIN,
    MQFMT_EVENT,
    MQFMT_PCF,
    MQMT_REPLY,
    MQMT_REQUEST,
)
from mqtools.constants.objects import COMMAND_QUEUE, MQQT_LOCAL
from mqtools.constants.reasons import MQCC_FAILED, MQCC_OK, MQRC_MSG_TYPE_ERROR, MQRC_NONE, MQRC_NOT_AUTHORIZED
from mqtools.constants.states import UNLOCKED
from mqtools.errors import MQError, StorageError
from mqtools.headers.pcf import CFH, CFIN, PCFError
from mqtools.headers.pcf_bytes import pack_pcf, unpack_cfh, unpack_pcf
from mqtools.message import MQMD
from mqtools.mqi import events, report_messages
from mqtools.mqi.clear import Clearing, clear_some
from mqtools.mqi.connection import Connection
from mqtools.mqi.distributed_queuing.remote_commands import check_command, forget_command, user_of_command
from mqtools.mqi.get import removal, search
from mqtools.mqi.identity import new_id, now_ms, put_date_and_time
from mqtools.predicates import ANYTHING
from mqtools.rules import reports
from mqtools.rules.pcf.values import ParameterWriter
from mqtools.store import queues
from mqtools.store.messages import messages

if TYPE_CHECKING:
    from mqtools.headers.pcf import Parameter
    from mqtools.mqi.transaction import Work
    from mqtools.rules.pcf.values import Replies
    from mqtools.store.database import Database
    from mqtools.store.messages.stored_message import StoredMessage
    from mqtools.store.queues import Queue

_FORMATS = (MQFMT_ADMIN, MQFMT_EVENT, MQFMT_PCF)


def serve(connection: Connection) -> None:
    """Execute the commands on the command queue and reply to them, each in its own transaction.

    If gets are inhibited on the queue, nothing is done: this stops the command server.
    Raises StorageError.
    """
    queue = queues.by_name(connection.db, COMMAND_QUEUE)
    if queue is None or queue.q_type != MQQT_LOCAL or queue.inhibit_get:
        return
    for key in _waiting_commands(connection.db, queue):
        failure = _work_ahead(connection, key)
        with connection.work() as work:
            stored = messages.by_seq(work.db, key)
            if stored is not None and stored.state == UNLOCKED:
                _serve_one(work, queue, stored, failure)


def _waiting_commands(db: Database, queue: Queue) -> list[int]:
    """Return the keys of the available messages on the command queue, in delivery order."""
    now = now_ms()
    found = search.filter_candidates(db, queue.id, ANYTHING)
    return [stored.seq for stored in found if stored.expires_at is None or stored.expires_at > now]


def _serve_one(work: Work, queue: Queue, stored: StoredMessage, failure: MQError | None) -> None:
    """Process a request; any other message goes to the dead-letter queue, or stays if there is none.

    failure: of what was done ahead of the transaction.
    """
    md, expiry = stored.md, search.remaining_expiry(stored, work.now_ms)
    if md.msg_type == MQMT_REQUEST:
        data = removal.take_off(work, queue, stored, expiry, None)
        user = user_of_command(work.db, stored.seq)
        for reply in answer(work, md, data, stored.seq, failure):
            _send(work, md, expiry, reply, user)
        forget_command(work.db, stored.seq)
        return
    refusal = report_messages.dead_letter(
        work,
        md,
        messages.load_data(work.db, stored.seq),
        MQRC_MSG_TYPE_ERROR,
        (COMMAND_QUEUE, ""),
        None,
        stored.properties,
    )
    if refusal is None:
        removal.move_off(work, queue, stored)


def _send(work: Work, request: MQMD, expiry: int, data: bytes, user: str | None) -> None:
    """Put a reply where the request says. user: needs authority for that; None for the owner of the file.

    An inherited expiry begins with the put. The transaction began before the command was executed.
    """
    msg_id, correl_id = reports.derive_reply_ids(request, new_id(work.qmgr.name))
    inherited = reports.inherited_expiry(request.report, expiry)
    late = 0 if inherited == MQEI_UNLIMITED else max(0, now_ms() - work.now_ms) // 100
    put_date, put_time = put_date_and_time(work.now_ms)
    md = MQMD(
        msg_type=MQMT_REPLY,
        format=MQFMT_ADMIN,
        encoding=MQENC_NATIVE,
        coded_char_set_id=work.qmgr.coded_char_set_id,
        report=reports.inherited_report(request.report),
        expiry=inherited + late,
        priority=request.priority,
        persistence=request.persistence,
        msg_id=msg_id,
        correl_id=correl_id,
        user_identifier=request.user_identifier,
        put_appl_type=MQAT_QMGR,
        put_appl_name=work.qmgr.name[: reports.PUT_APPL_NAME_LENGTH],
        put_date=put_date,
        put_time=put_time,
    )
    report_messages.send(work, *reports.reply_destination(request), md, data, None, user)


def answer(work: Work, md: MQMD, data: bytes, seq: int = 0, failure: MQError | None = None) -> list[bytes]:
    """Execute a command and return its reply messages, the last of them marked as last.

    A command that fails changes nothing, and its only reply has the reason.  seq: key of its message on the queue.
    failure: of what was done ahead of the transaction.
    Raises StorageError.
    """
    command = 0
    try:
        command = _command(md, data)
        user = _check_sender(work.db, md, data, command, seq)
        if command == c.MQCMD_ESCAPE:
            return _escape(work, md, data, CommandSender(user, md))
        if failure is not None:
            raise failure
        return _number_replies(command, _execute(work, md, data, CommandSender(user, md)) or [[]])
    except StorageError:
        raise
    except MQError as error:
        if error.reason == MQRC_NOT_AUTHORIZED:
            error_log.note(
                work.connection, "AMQ8077W", error, Inserts(user=md.user_identifier.rstrip(), object=COMMAND_QUEUE)
            )
            events.command_not_authorized(work.connection, command, md.user_identifier)
        return [_reply(command, 1, _error_parameters(error), a.MQCFC_LAST, MQCC_FAILED, error.reason)]


def _command(md: MQMD, data: bytes) -> int:
    """Return the command of a message. Raises PCFError."""
    if md.format not in _FORMATS:
        raise PCFError(f"format {md.format!r} is not PCF", c.MQRCCF_MD_FORMAT_ERROR)
    return unpack_cfh(data, md.encoding)[0].command


def _check_sender(db: Database, md: MQMD, data: bytes, command: int, seq: int) -> str | None:
    """Check that whoever sent a command may; return the user whose authority counts, None for the owner of the file.

    The authority for the command in an Escape command is checked when it is executed.
    Raises MQError: MQRC_NOT_AUTHORIZED.
    """
    user = check_command(db, seq)
    found = BY_NUMBER.get(command)
    if user is not None and found is not None:
        parameters = PcfParameters(unpack_pcf(data, md.encoding)[1], md.coded_char_set_id, md.encoding)
        row = next((row for row in found.parameters if row.name == "name" and found.protects is not None), None)
        name = "" if row is None else parameters.name(row.number(copies=command == found.copy_number) or 0)
        check_authority(db, user, found, "pcf", name)
    return user


def _work_ahead(connection: Connection, key: int) -> MQError | None:
    """Ping a channel, which may take long, or clear all but the last step of a queue; return what has failed."""
    name = _name_ahead(connection.db, key, c.MQCMD_PING_CHANNEL)
    if name is None:
        _clear_ahead(connection, key)
        return None
    try:
        ping_channel(connection, name)
    except StorageError:
        raise
    except MQError as error:
        return as_pcf(BY_NUMBER[c.MQCMD_PING_CHANNEL], error, copies=False)
    return None


def _clear_ahead(connection: Connection, key: int) -> None:
    """Execute the steps of a command that clears a deep queue, each in its own transaction.

    What is left then is less than a step; its reply is sent in the transaction that removes it, as for any command.
    """
    clearing: Clearing | None = None
    name = _name_ahead(connection.db, key, c.MQCMD_CLEAR_Q)
    while name is not None and (clearing is None or not clearing.is_done):
        with connection.work() as work:
            name = _name_ahead(work.db, key, c.MQCMD_CLEAR_Q)
            if name is not None:
                try:
                    clearing = clear_some(work, name, clearing)
                except StorageError:
                    raise
                except MQError:
                    return  # its reply will say why


def _name_ahead(db: Database, key: int, command: int) -> str | None:
    """Return the object that the command with a key names; None for any other command, and for one that is refused."""
    stored = messages.by_seq(db, key)
    if stored is None or stored.state != UNLOCKED or stored.md.msg_type != MQMT_REQUEST:
        return None
    try:
        data = messages.load_data(db, key)
        if _command(stored.md, data) != command:
            return None
        _check_sender(db, stored.md, data, command, key)
        structures = unpack_pcf(data, stored.md.encoding)[1]
        parameters = PcfParameters(structures, stored.md.coded_char_set_id, stored.md.encoding)
        name: str = read_arguments(BY_NUMBER[command], parameters)["name"]
        parameters.finish()
        return name
    except StorageError:
        raise
    except MQError:
        return None


def _number_replies(command: int, replies: Replies, comp_code: int = MQCC_OK, reason: int = MQRC_NONE) -> list[bytes]:
    last = len(replies)
    return [
        _reply(command, number, reply, a.MQCFC_LAST if number == last else a.MQCFC_NOT_LAST, comp_code, reason)
        for number, reply in enumerate(replies, 1)
    ]


def _escape(work: Work, md: MQMD, data: bytes, sender: CommandSender) -> list[bytes]:
    connection = work.connection
    assert isinstance(connection, Connection)
    _, structures = _structures(md, data)
    parameters = PcfParameters(structures, md.coded_char_set_id, md.encoding)
    done, writer = execute_escape(connection, parameters, sender), ParameterWriter(work.qmgr.coded_char_set_id)
    kind = CFIN(c.MQIACF_ESCAPE_TYPE, c.MQET_MQSC)
    replies: Replies = [[kind, writer.parameter(c.MQCACF_ESCAPE_TEXT, text)] for text in done.texts]
    return _number_replies(done.command, replies or [[]], done.comp_code, done.reason)


def _structures(md: MQMD, data: bytes) -> tuple[CFH, list[Parameter]]:
    """Return the header and the parameters of a command. Raises PCFError."""
    header, structures = unpack_pcf(data, md.encoding)
    if header.type not in (a.MQCFT_COMMAND, a.MQCFT_COMMAND_XR):
        raise PCFError(f"MQCFH: type is {header.type}", c.MQRCCF_CFH_TYPE_ERROR)
    if header.msg_seq_number != 1:
        raise PCFError("a command is one message", c.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR)
    if header.control != a.MQCFC_LAST:
        raise PCFError("a command is one message", c.MQRCCF_CFH_CONTROL_ERROR)
    return header, structures


def _execute(work: Work, md: MQMD, data: bytes, sender: CommandSender) -> Replies:
    header, structures = _structures(md, data)
    command = BY_NUMBER.get(header.command)
    if command is None:
        raise PCFError(f"command {header.command} is not supported", c.MQRCCF_CFH_COMMAND_ERROR)
    ignored = IGNORED_BY_INQUIRIES if command.shows and command.verb == "DISPLAY" else frozenset()
    if command.is_absent:
        ignored = frozenset(each.parameter for each in structures)
    parameters = PcfParameters(structures, md.coded_char_set_id, md.encoding, ignored)
    replies = execute(command, header.command, work, parameters, sender)
    assert isinstance(work.connection, Connection)
    note_command(work.connection, command, sender, structures=structures)
    return replies


def _error_parameters(error: MQError) -> list[Parameter]:
    """Return the parameters of a reply that identify the parameter or offset of an error."""
    if not isinstance(error, PCFError):
        return []
    found: list[Parameter] = []
    if error.parameter is not None:
        found.append(CFIN(c.MQIACF_PARAMETER_ID, error.parameter))
    if error.offset is not None:
        found.append(CFIN(c.MQIACF_ERROR_OFFSET, error.offset))
    return found


def _reply(
    command: int,
    number: int,
    parameters: list[Parameter],
    control: int,
    comp_code: int = MQCC_OK,
    reason: int = MQRC_NONE,
) -> bytes:
    header = CFH(
        command,
        type=a.MQCFT_RESPONSE,
        msg_seq_number=number,
        control=control,
        comp_code=comp_code,
        reason=reason,
    )
    return pack_pcf(header, parameters, MQENC_NATIVE)

"""XA: two-phase commit of units of work, under the names, flags and return codes of the X/Open specification.

A transaction branch is a holder of kind ``transaction``, found by its XID. Puts and gets of a program between
``start`` and ``end`` are the unit of work of its connection, and go to the branch with ``end``. Until ``prepare`` a
branch belongs to the connection that started it, and is backed out with it. A prepared branch has no owner: it
outlives process and machine, and holds its messages until it is committed or backed out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.constants.objects import COMMAND_QUEUE
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN, MQRC_HCONN_ERROR, MQRC_UOW_IN_PROGRESS
from mqtools.errors import MQError
from mqtools.mqi import units_of_work
from mqtools.mqi.transaction import Work
from mqtools.store import holders, queues
from mqtools.store.holders import Holder
from mqtools.store.messages import units_of_work as statements

if TYPE_CHECKING:
    from mqtools.mqi.base_connection import BaseConnection

TMNOFLAGS = 0
TMJOIN, TMSTARTRSCAN, TMENDRSCAN, TMSUSPEND = 0x00200000, 0x01000000, 0x00800000, 0x02000000
TMSUCCESS, TMRESUME, TMFAIL, TMONEPHASE = 0x04000000, 0x08000000, 0x20000000, 0x40000000

XA_OK, XA_RDONLY, XA_HEURRB, XA_HEURCOM, XA_RBROLLBACK = 0, 3, 6, 7, 100
XAER_RMERR, XAER_NOTA, XAER_INVAL, XAER_PROTO, XAER_RMFAIL, XAER_DUPID, XAER_OUTSIDE = -3, -4, -5, -6, -7, -8, -9

#: Most bytes of a global transaction id, and of a branch qualifier.
MAXGTRIDSIZE = MAXBQUALSIZE = 64

#: Most branches of a connection that are not prepared.
_MOST_BRANCHES = 256

#: Values of the column ``options`` of a branch without an owner. With an owner it is the number of connections that
#: work on the branch now, or ROLLBACK_ONLY.
PREPARED, COMMITTED, BACKED_OUT = 0, 1, 2
ROLLBACK_ONLY = -1

_HEURISTIC = {COMMITTED: XA_HEURCOM, BACKED_OUT: XA_HEURRB}


@dataclass(frozen=True, slots=True)
class Xid:
    """Identifier of a transaction branch. gtrid: 1 to 64 bytes; bqual: up to 64 bytes."""

    format_id: int
    gtrid: bytes
    bqual: bytes = b""

    @property
    def is_valid(self) -> bool:
        """Whether it is an XID, and not the null XID (format id -1)."""
        has_lengths = 1 <= len(self.gtrid) <= MAXGTRIDSIZE and len(self.bqual) <= MAXBQUALSIZE
        return 0 <= self.format_id < 1 << 31 and has_lengths

    @property
    def token(self) -> bytes:
        """The XID as the token of a holder."""
        return self.format_id.to_bytes(4, "big") + bytes((len(self.gtrid),)) + self.gtrid + self.bqual

    @classmethod
    def from_token(cls, token: bytes) -> Xid:
        """Return the XID of a token."""
        end = 5 + token[4]
        return cls(int.from_bytes(token[:4], "big"), token[5:end], token[end:])

    def __str__(self) -> str:
        return f"{self.format_id}:{self.gtrid.hex().upper()}:{self.bqual.hex().upper()}"


def start(connection: BaseConnection, xid: Xid, flags: int = TMNOFLAGS) -> int:
    """xa_start: begin a branch, join one (TMJOIN), or resume one that this connection suspended (TMRESUME)."""
    if not xid.is_valid or flags not in (TMNOFLAGS, TMJOIN, TMRESUME):
        return XAER_INVAL
    if connection.has_ended:
        return XAER_RMFAIL
    if connection.branch is not None:
        return XAER_PROTO
    if connection.in_unit_of_work:
        return XAER_OUTSIDE
    token = xid.token

    def begin(work: Work) -> int:
        branch = holders.of_transaction(work.db, token)
        if flags == TMNOFLAGS:
            if branch is not None:
                return XAER_DUPID
            owner_id = connection.register(work)
            if sum(each.connection_id == owner_id for each in holders.transactions(work.db)) >= _MOST_BRANCHES:
                return XAER_RMERR
            work.add_holder("transaction", token=token, connection_id=owner_id, options=1)
            return XA_OK
        if branch is None:
            return XAER_NOTA
        if branch.connection_id is None or (flags == TMRESUME and token not in connection.suspended):
            return XAER_PROTO
        if branch.options == ROLLBACK_ONLY:
            return XA_RBROLLBACK
        connection.register(work)
        holders.set_transaction(work.db, branch.id, branch.connection_id, branch.options + 1, branch.created_at)
        return XA_OK

    code = _call(connection, begin)
    if code == XA_OK:
        connection.branch = token
        connection.suspended -= {token}
    return code


def end(connection: BaseConnection, xid: Xid, flags: int = TMSUCCESS) -> int:
    """xa_end: leave a branch (TMSUCCESS), suspend it (TMSUSPEND), or leave it to be backed out (TMFAIL)."""
    if not xid.is_valid or flags not in (TMSUCCESS, TMSUSPEND, TMFAIL):
        return XAER_INVAL
    token = xid.token
    is_active = connection.branch == token
    if not is_active and (flags == TMSUSPEND or token not in connection.suspended):
        return XAER_PROTO
    fails = flags == TMFAIL or connection.is_broken

    def leave(work: Work) -> int:
        branch = holders.of_transaction(work.db, token)
        is_lost = branch is None or branch.connection_id is None or branch.options == ROLLBACK_ONLY
        if is_active and connection.id is not None:
            if fails or is_lost or branch is None:
                units_of_work.backout(work, connection.id)
            else:
                statements.transfer(work.db, connection.id, branch.id)
        if branch is None:
            return XAER_NOTA
        if is_lost:
            return XA_RBROLLBACK
        number = ROLLBACK_ONLY if fails else branch.options - is_active
        holders.set_transaction(work.db, branch.id, branch.connection_id, number, branch.created_at)
        return XA_RBROLLBACK if connection.is_broken else XA_OK

    code = _call(connection, leave)
    if code == XAER_RMERR:
        return code
    connection.suspended -= {token}
    if flags == TMSUSPEND and code == XA_OK:
        connection.suspended |= {token}
    if is_active:
        connection.branch = None
        connection.unit_ended(backed_out=fails or code != XA_OK)
    return code


def prepare(connection: BaseConnection, xid: Xid) -> int:
    """xa_prepare: have a branch wait for commit or rollback, flushed to disk. A branch without messages ends."""

    def vote(work: Work, branch: Holder) -> int:
        if branch.connection_id is None or branch.options > 0:
            return XAER_PROTO
        if branch.options == ROLLBACK_ONLY:
            return _end(work, branch, is_commit=False) or XA_RBROLLBACK
        if not statements.summary(work.db, branch.id):
            return _end(work, branch, is_commit=True) or XA_RDONLY
        holders.set_transaction(work.db, branch.id, None, PREPARED, work.now_ms)
        work.durable = True
        return XA_OK

    return _call_branch(connection, xid, vote)


def commit(connection: BaseConnection, xid: Xid, flags: int = TMNOFLAGS) -> int:
    """xa_commit: commit a prepared branch, or one that is not prepared in one phase (TMONEPHASE)."""
    if flags not in (TMNOFLAGS, TMONEPHASE):
        return XAER_INVAL

    def finish(work: Work, branch: Holder) -> int:
        is_prepared = branch.connection_id is None
        if is_prepared and branch.options in _HEURISTIC:
            return _HEURISTIC[branch.options]
        if is_prepared == (flags == TMONEPHASE) or branch.options > 0:
            return XAER_PROTO
        if branch.options == ROLLBACK_ONLY:
            return _end(work, branch, is_commit=False) or XA_RBROLLBACK
        return _end(work, branch, is_commit=True)

    return _call_branch(connection, xid, finish)


def rollback(connection: BaseConnection, xid: Xid) -> int:
    """xa_rollback: back out a branch, prepared or not."""

    def undo(work: Work, branch: Holder) -> int:
        if branch.connection_id is None and branch.options in _HEURISTIC:
            return _HEURISTIC[branch.options]
        return _end(work, branch, is_commit=False)

    if not xid.is_valid:
        return XAER_INVAL
    if connection.branch == xid.token:
        return XAER_PROTO
    connection.suspended -= {xid.token}
    return _call_branch(connection, xid, undo)


def forget(connection: BaseConnection, xid: Xid) -> int:
    """xa_forget: forget a branch that an operator has committed or backed out."""

    def drop(work: Work, branch: Holder) -> int:
        if branch.connection_id is not None or branch.options not in _HEURISTIC:
            return XAER_PROTO
        holders.remove(work.db, branch.id)
        work.durable = True
        return XA_OK

    return _call_branch(connection, xid, drop)


def recover(connection: BaseConnection) -> list[Xid]:
    """xa_recover: list the branches that are prepared, or ended by an operator and not forgotten. Raises MQError."""
    with connection.reading():
        found = holders.transactions(connection.db)
    return [Xid.from_token(branch.token or b"") for branch in found if branch.connection_id is None]


def prepare_unit(connection: BaseConnection, xid: Xid) -> bool:
    """Prepare the unit of work of a connection under an XID: it belongs to the XID from now on.

    Returns False where it has put and got nothing; there is nothing to commit then.
    Raises MQError: MQRC_UOW_IN_PROGRESS for an XID in use or an XID that is not valid, and as ``commit``.
    """
    if not xid.is_valid or connection.branch is not None:
        raise MQError(f"{xid} is not a valid XID, or the connection is in a transaction branch", MQRC_UOW_IN_PROGRESS)
    connection.check_unit_of_work()
    has_messages = False
    if connection.in_unit_of_work and connection.id is not None:
        with connection.work() as work:
            if holders.of_transaction(work.db, xid.token) is not None:
                raise MQError(f"transaction {xid} exists", MQRC_UOW_IN_PROGRESS)
            has_messages = bool(statements.summary(work.db, connection.id))
            if has_messages:
                branch_id = work.add_holder("transaction", token=xid.token, options=PREPARED)
                statements.transfer(work.db, connection.id, branch_id)
                work.durable = True
    connection.unit_ended(backed_out=False)
    return has_messages


def decide(connection: BaseConnection, holder_id: int, *, is_commit: bool) -> bool:
    """Commit or back out a prepared branch by decision of an operator; it is kept until it is forgotten.

    Returns False where it is not prepared.
    """
    with connection.work() as work:
        branch = holders.by_id(work.db, holder_id)
        if branch is None or branch.kind != "transaction" or branch.connection_id is not None or branch.options:
            return False
        _settle(work, branch, is_commit=is_commit)
        holders.set_transaction(work.db, branch.id, None, COMMITTED if is_commit else BACKED_OUT, branch.created_at)
    return True


def _settle(work: Work, branch: Holder, *, is_commit: bool) -> None:
    if is_commit:
        commands = queues.by_name(work.db, COMMAND_QUEUE)
        on_queues = {row[0] for row in statements.summary(work.db, branch.id)}
        work.has_commands = commands is not None and commands.id in on_queues
        units_of_work.commit(work, branch.id)
    else:
        units_of_work.backout(work, branch.id)
    work.durable = True


def _end(work: Work, branch: Holder, *, is_commit: bool) -> int:
    """Commit or back out a branch, and delete it; return XA_OK."""
    _settle(work, branch, is_commit=is_commit)
    holders.remove(work.db, branch.id)
    return XA_OK


def _call_branch(connection: BaseConnection, xid: Xid, do: Callable[[Work, Holder], int]) -> int:
    """Do something with a branch in a transaction; return XAER_NOTA where it does not exist."""

    def call(work: Work) -> int:
        branch = holders.of_transaction(work.db, xid.token)
        return XAER_NOTA if branch is None else do(work, branch)

    return _call(connection, call) if xid.is_valid else XAER_INVAL


def _call(connection: BaseConnection, do: Callable[[Work], int]) -> int:
    """Do something in a transaction; return its code, or XAER_RMFAIL or XAER_RMERR where it fails."""
    try:
        with connection.work() as work:
            return do(work)
    except MQError as error:
        return XAER_RMFAIL if error.reason in (MQRC_CONNECTION_BROKEN, MQRC_HCONN_ERROR) else XAER_RMERR

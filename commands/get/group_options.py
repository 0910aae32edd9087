"""Options of ``mqx get`` for groups, segments and conversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_COMPLETE_MSG,
    MQGMO_CONVERT,
    MQGMO_LOGICAL_ORDER,
    MQMO_MATCH_GROUP_ID,
    MQMO_NONE,
)
from mqtools.message import MQMD
from mqtools.operations.selection import Selection

from ..shared.command_session import UsageMistake

if TYPE_CHECKING:
    from typing import Any

_ID_LENGTH = 24


_GROUPS = MQGMO_LOGICAL_ORDER | MQGMO_COMPLETE_MSG | MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE


#: Option of the command line to the options of MQGET that it stands for.
_OPTIONS = {
    "logical_order": MQGMO_LOGICAL_ORDER,
    "complete": MQGMO_COMPLETE_MSG,
    "all_available": MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE,
}


#: What goes with a command for each message, with a confirm id or lock id. A message at a time is backed out by
#: itself, or waits for somebody: there is no next one of its group then.
_WITH_EXEC = ("complete",)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a get asks of groups, segments and conversion.

    options: MQGMO_*.  ccsid: to convert to, or 0.  group_id: of the one group to take, whole or its beginning.
    """

    options: int = 0
    ccsid: int = 0
    group_id: bytes = b""

    @property
    def is_about_groups(self) -> bool:
        """Whether a plain look at the queue shows something else than the get would take."""
        return bool(self.options & _GROUPS)

    @property
    def is_whole(self) -> bool:
        """Whether segments come together as the message they were."""
        return bool(self.options & MQGMO_COMPLETE_MSG)

    @property
    def is_in_order(self) -> bool:
        """Whether messages come in logical order."""
        return bool(self.options & MQGMO_LOGICAL_ORDER)

    def parameters(self) -> dict[str, Any]:
        """Give the descriptor and match options of one call of a handle: a fresh descriptor, it is filled in."""
        match_options = MQMO_MATCH_GROUP_ID if self.group_id else MQMO_NONE
        md = MQMD(coded_char_set_id=self.ccsid, group_id=self.group_id or bytes(_ID_LENGTH))
        return {"md": md, "match_options": match_options}


def asked(given: dict[str, Any], selection: Selection, limit: int | None) -> Asked | None:
    """Read the options of a command line; None when there are none.

    limit: number of messages, None for all. Of several messages only logical order gives the rest of a group that
    was whole when its first one was got: it goes without saying (AVAIL-07).
    Raises UsageMistake for what makes no sense together.
    """
    options = sum(bits for name, bits in _OPTIONS.items() if given[name])
    if given["all_available"] and limit != 1:
        options |= MQGMO_LOGICAL_ORDER
    ccsid = given["convert"] or 0
    if not options and not ccsid:
        return None
    _check(given)
    group_id = _group_of(selection) if options & MQGMO_LOGICAL_ORDER else b""
    return Asked(options | (MQGMO_CONVERT if ccsid else 0), ccsid, group_id)


def _check(given: dict[str, Any]) -> None:
    if given["exec_command"]:
        _refuse(given, "--exec", allowed=_WITH_EXEC)
    for name in ("confirm_id", "lock_id"):
        if given[name]:
            _refuse(given, f"--{name.replace('_', '-')}")


def _refuse(given: dict[str, Any], other: str, allowed: tuple[str, ...] = ()) -> None:
    for name in _OPTIONS:
        if given[name] and name not in allowed:
            text = f"--{name.replace('_', '-')} and {other} make no sense together"
            raise UsageMistake(text, f"{other} is about one message at a time, as it lies on the queue")


def _group_of(selection: Selection) -> bytes:
    """Give the group id that is all a selection says, or nothing for no selection."""
    if selection.is_everything:
        return b""
    if len(selection.group_ids) == 1 and selection == Selection(group_ids=selection.group_ids):
        return selection.group_ids[0]
    raise UsageMistake(
        "logical order goes through whole groups: the only selection it takes is one --group-id",
        "without --logical-order and --all-available any selection works",
    )

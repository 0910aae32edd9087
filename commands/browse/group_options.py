"""Options of ``mqx get`` and ``mqx browse`` for groups, segments and conversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

from ..shared.command_session import UsageError, given_option

_ID_LENGTH = 24


_GROUPS = MQGMO_LOGICAL_ORDER | MQGMO_COMPLETE_MSG | MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE


#: Option of the command line to its options of MQGET.
_OPTIONS = {
    "logical_order": MQGMO_LOGICAL_ORDER,
    "complete": MQGMO_COMPLETE_MSG,
    "all_available": MQGMO_ALL_MSGS_AVAILABLE | MQGMO_ALL_SEGMENTS_AVAILABLE,
}


#: Options that go with a command for each message, with a confirm id or lock id. Each message is backed out separately,
#: or waits for a confirm: there is no next one of its group then.
_WITH_EXEC = ("complete",)


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """Options of a get for groups, segments and conversion.

    options: MQGMO_*.  ccsid: target CCSID, or 0.  group_id: of the only group to get, complete or a prefix.
    """

    options: int = 0
    ccsid: int = 0
    group_id: bytes = b""

    @property
    def is_about_groups(self) -> bool:
        """Whether the get can take other messages than a browse of the queue shows."""
        return bool(self.options & _GROUPS)

    @property
    def is_whole(self) -> bool:
        """Whether segments are reassembled to logical messages."""
        return bool(self.options & MQGMO_COMPLETE_MSG)

    @property
    def is_in_order(self) -> bool:
        return bool(self.options & MQGMO_LOGICAL_ORDER)

    def parameters(self) -> dict[str, Any]:
        """Return a new descriptor and the match options for one call of a handle, which fills the descriptor in."""
        match_options = MQMO_MATCH_GROUP_ID if self.group_id else MQMO_NONE
        md = MQMD(coded_char_set_id=self.ccsid, group_id=self.group_id or bytes(_ID_LENGTH))
        return {"md": md, "match_options": match_options}


def parse_group_options(given: dict[str, Any], selection: Selection, limit: int | None) -> GroupOptions | None:
    """Parse the options of a command line; return None when there are none.

    limit: number of messages, None for all. Getting several messages of complete groups implies logical order: without
    it the get of a group's first message would leave the rest incomplete (AVAIL-07).
    Raise UsageError for options that cannot be combined.
    """
    options = sum(bits for name, bits in _OPTIONS.items() if given[name])
    if given["all_available"] and limit != 1:
        options |= MQGMO_LOGICAL_ORDER
    ccsid = given["convert"] or 0
    if not options and not ccsid:
        return None
    _check(given)
    group_id = _group_of(selection) if options & MQGMO_LOGICAL_ORDER else b""
    return GroupOptions(options | (MQGMO_CONVERT if ccsid else 0), ccsid, group_id)


def _check(given: dict[str, Any]) -> None:
    if given["exec"]:
        _refuse(given, "--exec", allowed=_WITH_EXEC)
    if option := given_option(given, "confirm_id", "lock_id"):
        _refuse(given, option)


def _refuse(given: dict[str, Any], other: str, allowed: tuple[str, ...] = ()) -> None:
    if option := given_option(given, *(name for name in _OPTIONS if name not in allowed)):
        raise UsageError(
            f"{option} cannot be combined with {other}", f"{other} processes one physical message at a time"
        )


def _group_of(selection: Selection) -> bytes:
    """Return the group id that is the whole selection; empty without a selection. Raise UsageError for any other."""
    if selection.is_everything:
        return b""
    if len(selection.group_ids) == 1 and selection == Selection(group_ids=selection.group_ids):
        return selection.group_ids[0]
    raise UsageError(
        "logical order can only be combined with one --group-id as selection: it processes whole groups",
        "any selection works without --logical-order and --all-available",
    )

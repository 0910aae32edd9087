"""Descriptors that a forked child must not keep: those that prove that a process lives or is writing.

A fork copies every open descriptor, and the kernel keeps a pipe or a lock for as long as any copy of it is
open: a parent that was killed would go on living in its child. Programs that are executed are no matter,
since all descriptors close by then.
"""

from __future__ import annotations

import os

#: Descriptors of this process that a child must not keep.
_own: set[int] = set()
_is_registered = False


def keep_from_children(descriptor: int) -> None:
    """Register a descriptor to be closed in every child that is forked from now on."""
    global _is_registered
    if not _is_registered:
        os.register_at_fork(after_in_child=_release)
        _is_registered = True
    _own.add(descriptor)


def close(descriptor: int) -> None:
    """Close a descriptor that was kept from children."""
    _own.discard(descriptor)
    os.close(descriptor)


def _release() -> None:
    """Replace each by /dev/null: the number stays taken, so that a late close hits no other file."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for descriptor in _own:
        os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)
    _own.clear()

"""Gets of ``mqx get`` by group and segment: conversion, dry run."""

from __future__ import annotations

from mqtools.constants.message import MQENC_NATIVE
from mqtools.headers.conversion import convert
from mqtools.message import Message
from mqtools.operations.selection import EVERYTHING

from ..browse.groups import print_browsed
from ..browse.request import BrowseRequest
from ..shared import messages as _messages
from ..shared.command_session import Session
from .request import GetRequest


def convert_message(message: Message, ccsid: int, own_ccsid: int, max_length: int | None) -> int:
    """Convert a message got by lock or confirm id; return the reason of a warning, or 0.

    own_ccsid: of the queue manager.  max_length: bytes of the message that are returned.
    """
    done = convert(message.md, message.data, to_ccsid=ccsid, to_encoding=MQENC_NATIVE, default_ccsid=own_ccsid)
    if max_length is not None:
        done = done.within(message.md, message.data, max_length)
    message.md, message.data = done.md, done.data
    return done.reason


def show(session: Session, request: GetRequest) -> int:
    """Print what a get with these options would take, without taking it; return 3 when there is none."""
    selection, options = request.selection or EVERYTHING, request.group_options
    browsed = BrowseRequest(request.queue, limit=request.limit, selection=selection, group_options=options)
    writer = _messages.writer(session, separator=request.ending, force=request.force, shape=request.shape)
    with session.connect() as connection:
        return print_browsed(connection, writer, browsed)

"""Implementation of ``mqx dlq-handle --plan``: write what a dry run does to a file."""

from __future__ import annotations

import os
from collections import Counter

from mqtools.constants.reasons import MQRC_NONE
from mqtools.dlq.dry_run import forecast
from mqtools.dlq.plan import PlannedAction, as_line, plan_action
from mqtools.formats.files import replace_text
from mqtools.formats.phrases import counted
from mqtools.operations.stored_messages import local_queue

from ..shared.command_session import NOTHING_THERE, PARTLY, Session, UsageError, write_out
from ..shared.counts import print_totals
from .handle import HandleRequest, opened, restriction


def plan(session: Session, request: HandleRequest, path: str, *, force: bool) -> int:
    """Write the plan to a file, - for stdout, and totals to stderr; return the exit status of a run.

    force: replace a file that exists. Raises UsageError for one that exists without it.
    """
    if path != "-" and os.path.isfile(path) and not force:
        raise UsageError(f"{path} exists", "--force replaces it")
    planned: list[PlannedAction] = []
    others: Counter[str] = Counter()
    with opened(session, request.place, only_looks=True) as (connection, q_name, _):
        queue = local_queue(connection, q_name)
        select = restriction(connection, q_name, request.selection)
        for answer in forecast(connection, request.table, q_name, select=select, once=request.once):
            outcome = answer.outcome
            if outcome.rule is not None and outcome.rule.action == "IGNORE":
                others["ignored"] += 1
            elif outcome.rule is None or outcome.reason != MQRC_NONE:
                others["left"] += 1
            elif (action := plan_action(connection, queue, outcome)) is None:
                others["edited"] += 1
            else:
                planned.append(action)
    text = "".join(map(as_line, planned))
    if path == "-":
        write_out(text.encode("utf-8"))
    else:
        replace_text(path, text)
    places = {each.qmgr_id for each in planned}
    words = f"planned {counted(len(planned), 'action')}" + (f" for {', '.join(sorted(places))}" if places else "")
    print_totals(session, "; ".join([words, *(f"{n} {what}" for what, n in others.items())]), len(planned), others)
    if len(places) > 1:
        session.note("mqx apply takes plans for one queue manager: select messages of one")
    if not (planned or others):
        return NOTHING_THERE
    return PARTLY if others["left"] or others["edited"] else 0

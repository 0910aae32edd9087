"""Options of ``mqx get`` about the command of ``--exec``, and the request that they make."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import click

from ..shared import click_options
from ..shared.command_session import UsageError
from ..shared.dependent_options import check_required, dependent_options
from .exec_stage import SPLITS, Stage


@dataclass(frozen=True, slots=True)
class ExecRequest:
    """Command to run. parallel: number of commands at the same time.  timeout_s: None for no limit.

    retry_delay_s: pause before the second try of a message; ``consumer.retry_delay_s`` has the following ones.
    grace_s: time for running commands to end after a signal.  max_run_s: time in which commands are started.
    batch: most messages of one command, 0 for the data of one.  ends_with_nul: give a batch its data, each ended by
    NUL, instead of JSON lines.  stage: destination of the output, None for stdout.
    """

    command: str
    _: KW_ONLY
    parallel: int = 1
    timeout_s: float | None = None
    retry_delay_s: float = 1
    grace_s: float = 30
    max_run_s: float = math.inf
    batch: int = 0
    ends_with_nul: bool = False
    stage: Stage | None = None


_DURATION = {"type": click_options.DURATION}
#: Options that require --exec.
_OF_COMMAND: dict[str, tuple[dict[str, Any], str]] = {
    "to": ({"metavar": "Q[@QM]"}, "With --exec: put the output on this queue"),
    "reply": ({"is_flag": True}, "With --exec: put the output on the reply-to queue, as a reply"),
    "split": ({"type": click.Choice(SPLITS)}, "With --to or --reply: put several messages, not one"),
    "exec_batch": (
        {"type": click_options.Number(min=1), "metavar": "N"},
        "With --exec: give a command up to N messages, as JSON lines",
    ),
    "parallel": (
        {"type": click_options.Number(1, 256), "metavar": "N"},
        "With --exec: number of parallel commands; default: 1",
    ),
    "timeout": (_DURATION, "With --exec: terminate a command that runs longer"),
    "retry_delay": (
        _DURATION,
        "With --exec: pause before the second try, doubled for each further one; default: 1s",
    ),
    "grace": (_DURATION, "With --exec: time for running commands to end after a signal; default: 30s"),
    "max_run": (_DURATION, "With --exec: start no command after this time"),
}
#: Option to the field of the request that has its default.
_FIELDS = {
    "parallel": "parallel",
    "timeout": "timeout_s",
    "retry_delay": "retry_delay_s",
    "grace": "grace_s",
    "max_run": "max_run_s",
    "exec_batch": "batch",
}
options = click_options.together(
    click.option("--exec", metavar="CMD", help="Run a shell command for each message; exit status 0 commits the get"),
    dependent_options(_OF_COMMAND),
)


def check(given: dict[str, Any]) -> None:
    """Raise UsageError for options of the command that cannot be combined or have an invalid value."""
    check_required(given, "exec", *_OF_COMMAND)
    if given["exec"] is None:
        return
    if not given["exec"].strip():
        raise UsageError("--exec is empty")  # An unset variable of a script must not take the message away.
    if given["confirm_id"] or given["lock_id"]:
        raise UsageError("--exec cannot be combined with --confirm-id or --lock-id: it commits or backs out itself")
    if given["template"] is not None:
        raise UsageError("--template cannot be combined with --exec: the command gets the data")
    if given["to"] is not None and given["reply"]:
        raise UsageError("--to cannot be combined with --reply")
    if given["reply"] and given["exec_batch"]:
        raise UsageError("--reply cannot be combined with --exec-batch: its messages have several reply-to queues")
    if given["split"] and given["to"] is None and not given["reply"]:
        raise UsageError("--split requires --to or --reply")
    if given["timeout"] == 0:
        raise UsageError("--timeout must be greater than zero")


def request_of(given: dict[str, Any]) -> ExecRequest:
    """Return the request of options that ``check`` has passed."""
    is_stage = given["to"] is not None or given["reply"]
    stage = Stage(given["to"] or "", given["split"] or "") if is_stage else None
    chosen = {field: given[name] for name, field in _FIELDS.items() if given[name] is not None}
    return ExecRequest(given["exec"], ends_with_nul=given["null"], stage=stage, **chosen)

"""Options of every job of ``mqx pipeline``, and checks of places before Spark starts."""

from __future__ import annotations

import functools
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, TypeVar

import click

from mqtools.operations.archive_files import is_uri, local_place

from ..shared import click_options
from ..shared.command_session import Session, UsageError, as_text
from ..shared.group import CommandGroup

F = TypeVar("F", bound=Callable[..., Any])

#: The package with the jobs, in its own distribution; permissions of files without an option.
_PACKAGE, _PRIVATE = "pyspark_mqx", 0o600
#: Words of the option that names Spark's master.
_MASTER_HELP = (
    "Spark master: local[N], spark://HOST:PORT, or empty for that of spark-submit  "
    "[default: local[*]; empty under spark-submit]"
)
#: Variable that spark-submit sets for a program that it starts.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"

#: Options whose files Spark never sees: their names may be any bytes.
_NOT_FOR_SPARK = ("rules", "html")
#: Options with folders and files of Spark, which it sees with the current folder before them.
_PLACES = ("folder", "paths", "quarantine", "checkpoint", "staging")
#: Those of them that are never on an object store, with the reason.
_LOCAL_ALONE = {
    "quarantine": "lines are added to a file in it, by several processes",
    "checkpoint": "a stream locks it, as the queue manager is local too",
    "staging": "a run locks it, and its files have to be on disk before messages are removed",
}
#: Options of several jobs, which are not among the parameters of each.
_SHARED = ("folder", "html", "quarantine", "mode")
#: Options with folders, or with queues.
_SOURCES = ("origins", "sent", "reports")
#: The option of the jobs that append, and why the others do not have it.
_FORMAT = "--format"
_REPLACES = (
    "the result of this job replaces the one before; a program can write it into any table: the frame is"
    " pyspark_mqx.read_result(spark, DIR)"
)


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Options that jobs share.

    settings: words of the form KEY=VALUE.  metrics: file for metrics, None for none.  job: name of the command.
    folder, html: of the result and its page, if there are any.  quarantine: folder for records that cannot be read,
    None to fail on them.  mode: permissions of files.  begun: when it began, seconds since 1970.
    """

    master: str
    settings: Sequence[str]
    metrics: str | None
    job: str
    folder: str | None = None
    html: str | None = None
    quarantine: str | None = None
    mode: int = _PRIVATE
    begun: float = field(default_factory=time.time)


class _Command(click.Command):
    """Command that refuses a second value of an option that has one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if any(word.partition("=")[0] == _FORMAT for word in args) and _FORMAT not in _names(self.params):
            why = _REPLACES if "--to" in _names(self.params) else "this job does not write files"
            raise click.UsageError(f"{_FORMAT} is an option of archive and stream: {why}", ctx)
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param in dict.fromkeys(order):
                is_one = isinstance(param, click.Option) and not (param.multiple or param.is_flag or param.count)
                if is_one and order.count(param) > 1:
                    raise click.UsageError(f"{param.opts[0]} is given {order.count(param)} times", ctx)
        return super().parse_args(ctx, args)


def _names(params: Sequence[click.Parameter]) -> set[str]:
    return {name for param in params for name in param.opts}


class Pipeline(CommandGroup):
    command_class = _Command


def _read_mode(ctx: click.Context, parameter: click.Parameter, value: str) -> int:  # noqa: ARG001
    """Read the permissions of files. Raise UsageError."""
    if not re.fullmatch("0?[67][0-7][0-7]", value) or int(value, 8) & 0o111:
        raise UsageError(f"--mode {value}: expected the permissions of files in octal, such as 640")
    return int(value, 8)


def _several(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str | None:  # noqa: ARG001
    return "" if "" in value else ",".join(value) or None


def _default_master() -> str:
    return "" if _SUBMITTED in os.environ else "local[*]"


def spark_options(function: F, *, asks: bool = False) -> F:
    """Add the general options, with -m repeatable, and the Spark options as ``options``.

    asks: the command asks for confirmation, and its help lists --yes.
    """

    @click.option("--master", default=_default_master, metavar="URL", help=_MASTER_HELP)
    @click.option("--conf", multiple=True, metavar="K=V", help="Spark setting; repeatable")
    @click.option("--metrics", metavar="FILE", help="Write times, rows per second and totals as JSON")
    @functools.wraps(function)
    def with_options(session: Session, master: str, conf: tuple[str, ...], metrics: str | None, **given: Any) -> Any:
        check_installed()
        _check_text(session.qmgr, *(value for name, value in given.items() if name not in _NOT_FOR_SPARK))
        given |= {name: _local(given[name]) for name in (*_SOURCES, *_PLACES) if name in given}
        sources = [word for name in _SOURCES for word in _words(given.get(name))]
        folders = [word for word in sources if "/" in word or os.path.isdir(word)]
        places = [*folders, *(word for name in _PLACES for word in _words(given.get(name)))]
        _check_text(*map(os.path.abspath, places))
        _check_local(given)
        shared = {name: given.pop(name) for name in _SHARED if name in given}
        job = session.command.removeprefix("pipeline").strip()
        return function(session=session, options=JobOptions(master, conf, metrics, job, **shared), **given)

    whole: Any = (click_options.general_of_destroyer if asks else click_options.general)(with_options)
    whole.__click_params__ = [_make_repeatable(one) for one in whole.__click_params__]
    return whole  # type: ignore[no-any-return]


def check_installed() -> str:
    """Return the folder of the distribution with the jobs. Raise UsageError where it is not installed."""
    if (found := find_spec(_PACKAGE)) is None:
        raise UsageError("Spark is not installed", "pip install 'mqtools[spark]'")
    return os.path.dirname(found.origin or "")


def _check_text(*values: Any) -> None:
    """Raise UsageError for text that Java cannot represent, folder names included."""
    for value in values:
        for word in _words(value):
            as_text(word)


def _local(value: Any) -> Any:
    """Return an option with the path of each file: URI in place of it."""
    if isinstance(value, tuple):
        return tuple(map(_local, value))
    return local_place(value) if isinstance(value, str) else value


def _check_local(given: dict[str, Any]) -> None:
    """Raise UsageError for URIs where only a local folder will do."""
    for name, why in _LOCAL_ALONE.items():
        for place in filter(is_uri, _words(given.get(name))):
            raise UsageError(f"--{name} {place}: this has to be a local folder: {why}")


def _words(value: Any) -> list[str]:
    """Return the values of an option."""
    return [word for word in (value if isinstance(value, tuple) else (value,)) if isinstance(word, str)]


def _make_repeatable(option: click.Option) -> click.Option:
    """Make -m repeatable."""
    if option.name != "qmgr":
        return option
    return click.Option(option.opts, metavar=option.metavar, help=option.help, multiple=True, callback=_several)


#: The options ``form``, ``writer`` and ``staging``.
to_table = click_options.together(
    click.option(
        "--format",
        "form",
        type=click.Choice(["delta", "parquet"]),
        default="delta",
        show_default=True,
        help="Format of --to: a Delta table, or bare files",
    ),
    click.option(
        "--writer",
        type=click.Choice(["deltalake", "spark"]),
        default="deltalake",
        show_default=True,
        help="Writer of the table; spark needs Delta's jar, and reaches what Hadoop does",
    ),
    click.option(
        "--staging", metavar="DIR", help="Local folder for files until the table has them; default: in DIR, if local"
    ),
)
dry_run = click.option("--dry-run", is_flag=True, help="Count only; change nothing")
mode = click.option(
    "--mode",
    default="600",
    show_default=True,
    metavar="OCTAL",
    callback=_read_mode,
    help="Permissions of files; readers may also search folders",
)

"""The size of the project: what the next owner has to read, with a limit each.

A change that adds what its issue allows adds a line to ADDED, in the same commit: what it added, and what that cost.
"""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from .project import ROOT

PRODUCT = ("mqtools", "commands", "pyspark-mqx/src")

LINES, CODE, TESTS = "lines of product", "lines of code outside constants", "lines of tests"

#: What is counted, to its limit without what was added since.
BASE = {
    LINES: 98_000,
    CODE: 53_000,
    TESTS: 78_000,
    "imports inside functions": 200,
    "modules with imports for type checkers only": 40,
    "functions with eight parameters or more": 15,
    "public class names used twice or more": 9,
    "files of tests that import the store": 30,
}
#: What was added since, in words, to the lines of product, of code outside constants, and of tests that it took.
ADDED: dict[str, tuple[int, int, int]] = {
    "delivery delay, prepared units of work, shared subscriptions": (940, 680, 750),
    "mqx serve, and one listener for channels and clients": (940, 590, 600),
    "hostile clients: bounds, callers that make room, a fuzzer of streams": (110, 80, 400),
    "MQI calls for applications elsewhere": (350, 240, 590),
    "the error log, listeners and services: mqx log, START and STOP": (1330, 880, 480),
    "users with passwords, AUTHINFO, and who gets in as a client": (985, 541, 611),
    "server for clients, and the bytes of their protocol": (2980, 1900, 2190),
    "administration: Escape, status, connections, topics, changes from afar": (1200, 700, 830),
    "programs in Java: tests with IBM's client, Spring Boot and Camel": (0, 0, 630),
    "Shell: --follow, --template, stages, batches, --max-run, CSV, totals": (710, 420, 490),
    "XA, shared subscriptions and delivery delay for clients": (316, 204, 552),
    "statistics and accounting: counters, records, mqx stats, metrics": (1300, 840, 635),
    "events of queue managers, channels, objects and commands: mqx events": (1305, 870, 930),
    "administration: QTIME, CONNOPTS, CHCKCLNT of CHLAUTH, WARN(YES) in the log": (130, 85, 80),
    "client of queue managers elsewhere": (3144, 2000, 1960),
    "commands on a queue manager elsewhere, remotes, the log of changes": (2922, 1650, 1060),
    "pull, push, plans and apply: rehearse here, apply there": (1695, 950, 1480),
    "Shell: leases, put --once, dlq-handle --redrive --delay": (310, 190, 280),
    "REST: the administration commands as JSON, messaging, serve --rest": (2285, 1485, 1135),
    "live browser: change queues, undo, diff, saved filters, sort, bell, session log": (1220, 830, 540),
    "reasons of wrong callbacks, status types and context handles": (45, 35, 40),
    "live browser: palette, help and all queues searched, queue managers in tabs": (1098, 670, 390),
    "live browser: only changed lines, layout by content, palettes, long JSON, time line": (1170, 810, 420),
    "queues as Arrow batches without Spark: read, unload --parquet, sql -o parquet, masks": (520, 340, 210),
    "writers that are not mqx: named, and waited for as long as lock_timeout": (44, 38, 20),
    "pipeline: archives once by message, compact, expire, --sla, --filter, --dry-run, --metrics": (235, -114, -240),
    "faults seen from outside: topic aliases, delayed messages by id, character sets behind headers": (150, 102, 163),
    "one function each for batches, sound findings, codecs of conversions and groups of a move": (-42, -55, 15),
}

SUMS = dict(zip((LINES, CODE, TESTS), map(sum, zip((0, 0, 0), *ADDED.values(), strict=True)), strict=True))
LIMITS = {what: limit + SUMS.get(what, 0) for what, limit in BASE.items()}
#: Command to how many functions of ours its whole process may enter.
WALKS = {"put": 120, "get": 140}

NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def files_of(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(text_of(path))))


def count_lines(paths: list[Path]) -> int:
    return sum(text_of(path).count("\n") for path in paths)


def code_lines(path: Path) -> int:
    """Return the number of lines that are neither blank, comment, docstring nor import."""
    tokens = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
    lines = {line for token in tokens if token.type not in NOT_CODE for line in range(token.start[0], token.end[0] + 1)}
    for node in nodes_of(path):
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if is_text or isinstance(node, (ast.Import, ast.ImportFrom)):
            assert node.end_lineno is not None
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def functions_of(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in nodes_of(path) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def imports_inside(path: Path) -> int:
    inside = {id(node) for function in functions_of(path) for node in ast.walk(function) if is_import(node)}
    return len(inside)


def is_import(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def imports_the_store(path: Path) -> bool:
    if "mqtools.store" not in text_of(path):
        return False  # quicker by far than to parse each
    origins = [node.module or "" for node in nodes_of(path) if isinstance(node, ast.ImportFrom)]
    origins += [alias.name for node in nodes_of(path) if isinstance(node, ast.Import) for alias in node.names]
    return any(f"{origin}.".startswith("mqtools.store.") for origin in origins)


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in every)


def measured() -> dict[str, int]:
    product, tests = files_of(*PRODUCT), [*files_of("tests", "pyspark-mqx/tests"), ROOT / "conftest.py"]
    classes = [node.name for path in product for node in nodes_of(path) if isinstance(node, ast.ClassDef)]
    names = Counter(name for name in classes if not name.startswith("_"))
    return {
        LINES: count_lines(product),
        CODE: sum(code_lines(path) for path in product if "constants" not in path.parts),
        TESTS: count_lines(tests),
        "imports inside functions": sum(map(imports_inside, product)),
        "modules with imports for type checkers only": sum(
            "TYPE_CHECKING = False" in text_of(path) for path in product
        ),
        "functions with eight parameters or more": sum(
            parameters_of(function) >= 8 for path in product for function in functions_of(path)
        ),
        "public class names used twice or more": sum(number > 1 for number in names.values()),
        "files of tests that import the store": sum(map(imports_the_store, tests)),
    }


def test_the_project_is_no_larger_than_its_budget() -> None:
    found = measured()
    nodes_of.cache_clear()  # two million objects, which would slow the collection of garbage for all tests after it
    assert found.keys() == LIMITS.keys()
    assert {what: (number, LIMITS[what]) for what, number in found.items() if number > LIMITS[what]} == {}


#: Runs a command line and prints how many functions of ours it entered.
WALK = """
import os, sys, threading
from importlib import import_module
from inspect import CO_OPTIMIZED
entered, end = set(), os._exit
def note(frame, event, argument):
    code = frame.f_code
    is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")  # no class, no expression
    if event == "call" and is_function and code.co_filename.startswith(ROOTS):
        entered.add(code)
def report(status):
    sys.setprofile(None)
    print(len(entered), file=sys.stderr)
    end(status)
os._exit, ROOTS = report, tuple(sys.argv.pop(1).split(":"))
main = import_module("mqtools.commands").main
threading.setprofile(note)
sys.setprofile(note)
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", WALKS)
def test_a_command_enters_few_functions(command: str, tmp_path: Path) -> None:
    own = {**os.environ, "MQX_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    roots = ":".join(str(ROOT / folder) for folder in PRODUCT)

    def run(*line: str) -> int:
        words = [sys.executable, "-c", WALK, roots, *line]
        done = subprocess.run(words, env=own, capture_output=True, text=True, check=True)
        return int(done.stderr.split()[-1])

    run("qmgr", "create", "QM1", "--dev")
    run("put", "DEV.QUEUE.1", "hello")
    lines = {"put": ("put", "DEV.QUEUE.1", "hello"), "get": ("get", "DEV.QUEUE.1")}
    assert run(*lines[command]) <= WALKS[command]


if __name__ == "__main__":
    for what, number in measured().items():
        print(f"{number:8,}  {what}")

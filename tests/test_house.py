"""The house itself: what is packaged and imported, what texts speak of, and how long things may be."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mqtools.constants import names, reasons

from .project import ROOT, SETUPTOOLS


def python_files(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def project_files():
    """The files of the project: what git knows, and what it would take in."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("there is no git work tree here")
    files = [ROOT / os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    return [path for path in files if path.is_file()]


# -- packages and imports -----------------------------------------------------------------------------------


def test_the_packages_of_the_project_file_are_those_of_the_tree():
    below = [path.parent.relative_to(ROOT) for path in (ROOT / "mqtools").rglob("__init__.py")]
    inside = [path.parent.relative_to(ROOT) for path in (ROOT / "commands").rglob("__init__.py")]
    tree = {".".join(path.parts) for path in below}
    tree |= {".".join(("mqtools", *path.parts)) for path in inside}
    assert sorted(SETUPTOOLS["packages"]) == sorted(tree)


def test_both_distributions_have_one_version():
    spark = tomllib.loads((ROOT / "pyspark-mqx/pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    assert (ROOT / "pyspark-mqx/VERSION").samefile(ROOT / "VERSION")
    assert f"mqtools=={version}" in spark["dependencies"]


def test_every_data_file_in_a_package_is_declared():
    declared = {
        path.relative_to(ROOT)
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    found = [path.relative_to(ROOT) for path in (ROOT / "mqtools").rglob("*") if path.is_file()]
    # While another test compiles a module, what is compiled has a name of its own.
    assert declared == {path for path in found if path.suffix != ".py" and path.parent.name != "__pycache__"}


def test_the_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    if not linter.exists():
        pytest.skip("import-linter is not installed here")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nobody_imports_the_commands_by_name():
    named = re.compile(r"^\s*(from|import)\s+(mqtools\.)?commands\b", re.M)
    files = python_files("mqtools", "tests", "man", "benchmarks", "examples", "commands", "pyspark-mqx")
    assert [path for path in files if named.search(path.read_text(encoding="utf-8"))] == []


def test_commands_and_the_browser_leave_the_database_to_the_library():
    """They pass on connections, transactions and views; the library reads what is behind."""
    touching = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files("commands", "mqtools/tui")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "db"
    ]
    assert touching == []


# -- texts --------------------------------------------------------------------------------------------------

#: Places of one machine that the project must not speak of, written so that this file does not.
PLACES = re.compile(rb"(?<![\w.])/wo" + rb"rk\b|\bsha" + rb"red/")


def test_no_file_speaks_of_the_machine_it_was_written_on():
    assert [path for path in project_files() if PLACES.search(path.read_bytes())] == []


#: What looks like a constant and is none, but the beginning of several, and what only the bindings have, for whom byte
#: strings are lists too: name to the files that speak of it.
NOT_CONSTANTS = {
    "MQOO_INPUT": {"connection_reasons.py"},
    "MQGMO_STRUC_ID_ARRAY": {"cmqc.py"},
    "MQPMO_STRUC_ID_ARRAY": {"cmqc.py"},
}
NAME = re.compile(r"\b(MQRC|MQFB|MQRO|MQMT|MQPER|MQMF|MQOO|MQGMO|MQPMO|MQCC)_[A-Z0-9_]*[A-Z0-9]\b(?![*_…])")


def test_every_reason_has_a_name_and_every_name_a_number():
    family = {name: value for name, value in vars(reasons).items() if name.startswith("MQRC_")}
    assert len(family) > 400
    for name, value in family.items():
        assert names.value_of("MQRC", name) == value
        assert names.value_of("MQRC", name.removeprefix("MQRC_").lower()) == value
        chosen = names.name_of("MQRC", value)
        assert chosen is None or family[chosen] == value
    unnamed = {name for name, value in family.items() if names.name_of("MQRC", value) is None}
    assert all(name.endswith(("_FIRST", "_LAST")) for name in unnamed)


def test_every_constant_that_is_spoken_of_exists():
    unknown = {}
    for path in [*python_files("mqtools", "commands", "pyspark-mqx"), ROOT / "README.md"]:
        for found in NAME.finditer(path.read_text(encoding="utf-8")):
            if found[0] not in names.family(found[1]):
                unknown.setdefault(found[0], set()).add(path.name)
    assert unknown == NOT_CONSTANTS


# -- lengths ------------------------------------------------------------------------------------------------

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60


def test_files_are_short_except_tables_of_constants():
    long = {}
    for path in python_files("mqtools", "commands", "pyspark-mqx/src", "man"):
        name = path.relative_to(ROOT).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES and not name.startswith("mqtools/constants/"):
            long[name] = lines
    assert long == {}


def only_sets_fields(function):
    """Return whether a function is the written out ``__init__`` of a record: a table of its fields."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return function.name == "__init__" and all(isinstance(node, ast.Assign | ast.AnnAssign) for node in body)


@pytest.mark.slow
def test_functions_are_short():
    long = {}
    for path in python_files("mqtools", "commands", "pyspark-mqx/src", "man"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not only_sets_fields(node):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}

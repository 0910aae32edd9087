"""A command imports SQLite without the modules that it is never to use, and without harm to those that are."""

from __future__ import annotations

import subprocess
import sys

BEGINNING = "import sys; from mqtools.store.quick_import import import_sqlite; "


def run(code: str) -> str:
    """Run code in a process that has imported nothing but what Python starts with."""
    words = [sys.executable, "-S", "-E", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {BEGINNING}{code}"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def test_sqlite_is_imported_without_functools_and_what_that_imports() -> None:
    shown = run("import_sqlite(); print({'_sqlite3', 'functools', 'collections', 'types'} & set(sys.modules))")
    assert shown == "{'_sqlite3'}"


def test_functools_is_whole_for_whoever_imports_it_then() -> None:
    code = (
        "import_sqlite(); import functools; print(functools.lru_cache(1)(abs).cache_info().maxsize, functools.partial)"
    )
    assert run(code) == "1 <class 'functools.partial'>"


def test_functools_that_is_there_stays_as_it_is() -> None:
    assert run("import functools; import_sqlite(); print(sys.modules['functools'] is functools)") == "True"


def test_a_connection_remembers_its_statements_and_forgets_the_oldest() -> None:
    code = (
        "import_sqlite(); import _sqlite3; sql = _sqlite3.connect(':memory:', cached_statements=2); "
        "print([sql.execute(f'select {n % 4}').fetchone()[0] for n in range(12)])"
    )
    assert run(code) == str([0, 1, 2, 3] * 3)

"""Check the language of the project: docstring openings, words that are not used, commit subjects.

``python tests/language.py`` prints each finding with its place, and ends with 1 if there is any.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: First words of a docstring that say nothing of what is done. Any other word is allowed.
OPENINGS = ("Give", "Gives", "Tell", "Tells", "Say", "Says", "Look", "Looks")
#: First words of a module docstring that do not say what the module is responsible for.
MODULE_OPENINGS = (*OPENINGS, "What")

#: Words that the project does not use, and what it uses instead. See docs/glossary.md.
BANNED = {
    r"\bis no more\b|\bno more of\b": "no longer, stopped",
    r"\bmakes no sense with\b": "cannot be combined with",
    r"\bnot done\b": "aborted",
    r"\bthe dead\b(?!\s*-?\s*letter)": "processes that died, dead holders",
    r"\bstruck out\b|\bstrike out\b": "removed",
    r"\bletters?\b(?= that lie)": "dead letters on the queue",
}

#: The commit since which subjects follow the rules: imperative, at most 72 characters.
SINCE = "aa0bda7"
MOST = 72


def docstrings(folder: str) -> Iterator[tuple[Path, int, str, bool]]:
    """Yield file, line, text, and whether it is a module's, of each docstring below a folder."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield path, getattr(node, "lineno", 1), text, isinstance(node, ast.Module)


def findings_in_docstrings() -> Iterator[str]:
    """Yield what is wrong with docstrings of the library and the commands."""
    for folder in ("mqtools", "commands", "pyspark-mqx/src"):
        for path, line, text, is_module in docstrings(folder):
            place = f"{path.relative_to(ROOT)}:{line}"
            first = text.split(maxsplit=1)[0]
            if first in (MODULE_OPENINGS if is_module else OPENINGS):
                yield f"{place}: docstring begins with {first!r}"
            for pattern, instead in BANNED.items():
                found = re.search(pattern, text)
                if found:
                    yield f"{place}: {found[0]!r}: {instead}"


def findings_in_commits() -> Iterator[str]:
    """Yield commit subjects that are too long or end with a full stop; nothing where there is no history."""
    line = ["git", "log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    for entry in done.stdout.splitlines():
        commit, _, subject = entry.partition(" ")
        if len(subject) > MOST:
            yield f"commit {commit}: subject of {len(subject)} characters, at most {MOST}"
        if subject.endswith("."):
            yield f"commit {commit}: subject ends with a full stop"


def findings() -> list[str]:
    """Return everything that is wrong."""
    return [*findings_in_docstrings(), *findings_in_commits()]


def main() -> int:
    """Print the findings; return the exit status."""
    found = findings()
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

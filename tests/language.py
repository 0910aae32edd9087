"""Check the language of the project: docstring openings, words that are not used, sentences, commit subjects.

``python tests/language.py`` prints each finding with its place, and ends with 1 if there is any. ``python
tests/language.py --sentences [PATH...]`` prints each turn of phrase that makes a reader stop, and their rate by folder.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
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

#: Turns of phrase that make a reader stop (docs/contributing/language.md). They find the habit, not every case of it.
TURNS = [
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"\b(that|which|it) (is|are) (none|no [a-z]+)\b",
        r"\b(is|are|was) to be\b",
        r"\banew\b",
        r"(?:^|[.;:,] )(Who|Whoever|who|whoever) [a-z]+s\b(?! (is|are)\b)",
        r"(?:^|[.;:] )What [a-z]+ (?:[a-z]+ ){0,6}(?:is|are|has|have|was|does|stays|goes)\b",
        r"\b(is|are|was|were|been|be) got\b",
        r"\b(is|are|was|has|have|takes|reads|does) no more\b",
        r"\b(of|from|by|after|before|beside|at) (which|whom)\b",
        r"\b(has|have) (not|none)\b(?! (been|yet|changed|to|had|come|gone))",
        r"\b[Ss]o it is\b",
        r"\b(stands|stand|lies|lie) (in|on|there|beside|behind|before|for|ready|again)\b",
        r"\bbeside\b",
        r"\b(nobody|somebody|Nobody|Somebody)\b",
        r"\b(says? so|said so|told apart)\b",
    )
]
#: How many of them 1,000 lines of prose may have.
TURNS_PER_1000 = 3.0
#: Where prose is, besides docstrings, comments and messages of the product.
PAGES = ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/*.md", "pyspark-mqx/*.md", ".github/**/*.md")
#: Where code is, with what generates man pages and tables.
FOLDERS = ("mqtools", "commands", "pyspark-mqx/src", "man")
#: Strings of at least this length are taken for messages.
LONG = 30

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


def prose() -> Iterator[tuple[Path, int, str]]:
    """Yield file, line and text of each page, and of each comment, docstring and message of the product."""
    for page in sorted(page for pattern in PAGES for page in ROOT.glob(pattern) if not page.is_symlink()):
        text = page.read_text("utf-8")
        yield page, 1, re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        source = path.read_text("utf-8")
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield path, token.start[0], token.string.lstrip("#: ")
        for line, text in strings(ast.parse(source)):
            if len(text) > LONG and " " in text:
                yield path, line, text


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string, joined of its literals; values in it are an X."""
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        yield tree.lineno, tree.value
    elif isinstance(tree, ast.JoinedStr):
        yield tree.lineno, "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in tree.values)
    else:
        for node in ast.iter_child_nodes(tree):
            yield from strings(node)


def count_turns() -> tuple[list[tuple[str, str]], Counter[str], Counter[str]]:
    """Return the turns of phrase with their places, and their number and that of lines of prose by folder."""
    found, turns, lines = [], Counter[str](), Counter[str]()
    for path, line, text in prose():
        place = path.relative_to(ROOT)
        folder = "/".join(place.parts[:-1][:2]) or "."
        lines[folder] += sum(map(bool, map(str.strip, text.splitlines())))
        for pattern in TURNS:
            for match in pattern.finditer(text):
                at = line + text.count("\n", 0, match.start())
                found.append((f"{place}:{at}", match[0].strip("\n .;:,")))
                turns[folder] += 1
    return found, turns, lines


def findings_in_sentences() -> Iterator[str]:
    """Yield what is wrong with the rate of turns of phrase."""
    _, turns, lines = count_turns()
    rate = 1000 * turns.total() / lines.total()
    if rate > TURNS_PER_1000:
        yield f"{rate:.1f} turns of phrase in 1,000 lines of prose, at most {TURNS_PER_1000}: --sentences lists them"


def print_sentences(paths: list[str]) -> None:
    """Print the turns of phrase below the paths, or everywhere, and the rate by folder."""
    found, turns, lines = count_turns()
    for place, turn in found:
        if not paths or place.startswith(tuple(paths)):
            print(f"{place}: {turn}")
    for folder, number in lines.most_common():
        print(f"{turns[folder]:5} in {number:6} lines: {1000 * turns[folder] / number:5.1f}  {folder}", file=sys.stderr)
    print(f"{1000 * turns.total() / lines.total():.1f} in 1,000 lines", file=sys.stderr)


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
    return [*findings_in_docstrings(), *findings_in_sentences(), *findings_in_commits()]


def main() -> int:
    """Print the findings; return the exit status."""
    if sys.argv[1:2] == ["--sentences"]:
        print_sentences(sys.argv[2:])
        return 0
    found = findings()
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""The documentation: sessions run and show what they show, links and names resolve, tables agree with the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mqtools.constants.states import STATE_NAMES
from mqtools.rules import states

from .documents import Block, check_sessions, find_missing_line, read_blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted(DOCS.rglob("*.md"))
#: Pages for readers who type along. Their sessions are run.
GUIDES = [DOCS / "tutorial.md", DOCS / "tutorial-for-ibm-mq.md", *sorted((DOCS / "how-to").glob("*.md"))]

#: Languages of blocks that are shown and not run. A block of another language is a mistake.
SHOWN = {"console", "ini", "java", "json", "python", "sh", "text", "toml", "yaml"}


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_the_sessions_of_a_guide_run_and_show_what_it_shows(page: Path, tmp_path: Path) -> None:
    check_sessions(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_says_what_it_needs(page: Path) -> None:
    assert page.read_text(encoding="utf-8").count("```") == 2 * len(read_blocks(page)), "a fence is not understood"
    assert [block for block in read_blocks(page) if not is_settled(block, page)] == []


def is_settled(block: Block, page: Path) -> bool:
    """Check a block: a session belongs in a guide; commands that are not run begin with what they need."""
    if block.language == "console":
        return page in GUIDES
    if block.language == "sh":
        return block.title is not None or block.text.startswith("# Needs ")
    return block.language in SHOWN


@pytest.mark.parametrize("page", [README, *PAGES], ids=name_of)
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        path, _, anchor = target.partition("#")
        if re.match(r"https?:", path):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in headings(file)):
            wrong.append(target)
    assert wrong == []


def headings(page: Path) -> set[str]:
    """Return the anchors of a page as the site makes them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in found}


def test_files_that_the_documentation_names_are_there() -> None:
    pattern = re.compile(r"`((?:tests|mqtools|commands|examples|benchmarks|man)/[\w./-]+\.\w+)(?:::(\w+))?`")
    wrong = []
    for page in [*PAGES, ROOT / "SECURITY.md"]:
        for name, test in pattern.findall(page.read_text(encoding="utf-8")):
            file = ROOT / name
            if not file.is_file() or (test and f"def {test}(" not in file.read_text(encoding="utf-8")):
                wrong.append(f"{page.name}: {name} {test}")
    assert wrong == []


@pytest.mark.parametrize("page", [README, *PAGES], ids=name_of)
def test_commands_that_the_prose_names_are_there(page: Path) -> None:
    named = set(re.findall(r"`mqx ([a-z-]+)", page.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if not (ROOT / "man" / f"mqx-{name}.1").is_file()] == []


def test_the_java_test_of_the_guide_is_the_one_of_the_example() -> None:
    blocks = read_blocks(DOCS / "how-to" / "test-a-java-application.md")
    shown = {block.title: block.text for block in blocks if block.language == "java"}
    folder = ROOT / "examples" / "java" / "src" / "test" / "java"
    assert shown == {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_the_navigation_has_every_page_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    assert sorted(re.findall(r"[\w/-]+\.md", navigation)) == [name_of(page) for page in PAGES]


def test_the_table_of_states_is_the_one_of_the_code() -> None:
    text = (DOCS / "explanation/states.md").read_text(encoding="utf-8").split("## Transitions")[1]
    rows = re.findall(r"^\| ([\w ]+) \| ([\w ]+) \| ([\w ]+) \|$", text, re.MULTILINE)[1:]
    names = {states.START: "start", states.DELETED: "gone"}
    names |= {number: name.replace("_", " ") for number, name in enumerate(STATE_NAMES)}
    assert rows == [(names[before], event, names[after]) for (before, event), after in states.TRANSITIONS.items()]


def test_every_promise_names_its_test() -> None:
    promised = (DOCS / "promises.md").read_text(encoding="utf-8").split("## Not promised")[0]
    rows = [
        line for line in promised.splitlines() if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
    ]
    assert len(rows) > 20
    assert [row for row in rows if "tests/" not in row.split("|")[-2]] == []


def test_the_glossary_is_in_order_and_defines_a_term_once() -> None:
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    terms = [term.lower() for term in re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)]
    assert terms == sorted(set(terms))
    assert (ROOT / "mqtools/explanations/glossary.md").read_text(encoding="utf-8") == text, "mqx explain reads a link"


def test_the_site_can_be_built_with_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert any(requirement.startswith("mkdocs-material") for requirement in extras["docs"])
    assert "docs: " in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("shown", "output", "missing"),
    [
        (["b"], "a\nb\nc", None),
        (["b", "a"], "a\nb", "a"),
        (["id 41…"], "id 414D51", None),
        (["id 42…"], "id 414D51", "id 42…"),
        (["a  b"], "a b  ", None),
        (["a"], "ab", "a"),
    ],
)
def test_shown_lines_are_found_in_order(shown: list[str], output: str, missing: str | None) -> None:
    assert find_missing_line(shown, output) == missing

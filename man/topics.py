"""Manual pages on topics: files, formats, concepts and exit statuses, from the tables of the code and the glossary."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.configuration.settings import SETTINGS
from mqtools.constants.names import name_or_number
from mqtools.dlq.keywords import CHAR_PATTERNS, INTEGERS, NAMES, NUMBER_PATTERNS, WORDS
from mqtools.explanations.glossary import read_glossary
from mqtools.formats.envelope.schema import envelope_schema
from mqtools.rules.exit_status import MEANINGS, OTHER_MEANINGS, STATUS_OF_FAILURE

#: Name of a page to its section and summary.
PAGES = {
    "mqx-rules": (5, "Rules tables of the dead-letter handler"),
    "mqx-config": (5, "Configuration file"),
    "mqx-json": (5, "Messages in JSON"),
    "mqx-exit": (7, "Exit statuses"),
    "mqx-concepts": (7, "Terms"),
}

#: Heading to paragraphs, and to a list of terms and meanings.
Part = tuple[str, list[str], list[tuple[str, str]]]


def parts_of(name: str) -> Iterator[Part]:
    """Yield the parts of a page."""
    return {
        "mqx-rules": _rules,
        "mqx-config": _settings,
        "mqx-json": _json,
        "mqx-exit": _exit,
        "mqx-concepts": _concepts,
    }[name]()


def _rules() -> Iterator[Part]:
    yield (
        "DESCRIPTION",
        [
            "A rules table says what mqx dlq-handle does with dead letters. It is the language of runmqdlq: one rule "
            "an entry, an entry on one line or continued with + or - at its end, comments from * at the beginning of "
            "a line.",
            "The first entry may be control data: INPUTQ INPUTQM RETRYINT WAIT. Each other entry is a rule: patterns "
            "that must all match, then an action. The first rule that matches counts. mqx dlq-handle --suggest writes "
            "a table for the messages on the queue, --check finds mistakes, --dry-run shows what would happen.",
        ],
        [],
    )
    patterns = [(name, f"{structure}: {field}") for name, (structure, field, _) in CHAR_PATTERNS.items()]
    patterns += [
        (name, f"{field}: a number or a name of {', '.join(families)}")
        for name, (_, field, families) in NUMBER_PATTERNS.items()
    ]
    yield "PATTERNS", ["Text patterns have * for any characters and ? for one."], patterns
    values = {name: list(words) for name, words in WORDS.items()}
    for name, (low, high) in INTEGERS.items():
        values.setdefault(name, []).append(f"{low} to {high}")
    actions = [(name, " or ".join(words)) for name, words in values.items()]
    actions += [(name, f"a name{' or ' + ', '.join(words) if words else ''}") for name, (_, _, words) in NAMES.items()]
    yield "CONTROL DATA AND ACTIONS", [], actions


def _settings() -> Iterator[Part]:
    yield (
        "DESCRIPTION",
        [
            "$XDG_CONFIG_HOME/mqx/config.toml is a TOML file. A command line option overrides the environment, the "
            "environment the file, the file the default. mqx config explain shows each value with its origin, mqx "
            "config set changes the file. An unknown key is ignored with a note."
        ],
        [],
    )
    found = [
        (
            each.key,
            f"{each.what}. Default: {each.default or 'none'}."
            + (f" Environment: {', '.join(each.variables)}." if each.variables else ""),
        )
        for each in SETTINGS
        if each.in_file
    ]
    yield "SETTINGS", ["A key with a point is in a table: trash.max_age is max_age in [trash]."], found
    yield "EXAMPLE", ['default_qmgr = "QM1"', 'protected = ["PROD*"]'], []


def _json() -> Iterator[Part]:
    schema = envelope_schema()["properties"]
    yield (
        "DESCRIPTION",
        [
            "browse, get, lock and trash write messages with -o json as one array, with -o jsonl as one object a line; "
            "put --jsonl and edit read them. headers and body are views, ignored on input. data is there when the data "
            "is text that reads back to the same bytes in its CCSID, otherwise data_b64 has the exact bytes. "
            "deliver_at is there when the "
            "message has or had a delivery delay."
        ],
        [],
    )
    yield "KEYS", [], [(name, _type(kind)) for name, kind in schema.items()]
    yield "DESCRIPTOR", ["The keys of md."], [(name, _type(kind)) for name, kind in schema["md"]["properties"].items()]


def _type(kind: dict[str, object]) -> str:
    if "pattern" in kind:
        return "hexadecimal digits"
    for word in ("const", "enum"):
        if word in kind:
            return str(kind[word]).strip("[]").replace("'", "")
    found = kind.get("type", "text, null, or b64")
    return " or ".join(found) if isinstance(found, list) else str(found)


def _exit() -> Iterator[Part]:
    yield "DESCRIPTION", ["The exit status of a command of mqx. It does not depend on the output format."], []
    yield "STATUSES", [], [(str(number), meaning) for number, meaning in MEANINGS.items()]
    yield "OTHER STATUSES", ["These commands have a status that means something else."], list(OTHER_MEANINGS.items())
    by_status: dict[int, list[str]] = {}
    for reason, status in sorted(STATUS_OF_FAILURE.items()):
        by_status.setdefault(status, []).append(f"{name_or_number('MQRC', reason)} ({reason})")
    reasons = [(str(status), ", ".join(found)) for status, found in sorted(by_status.items())]
    yield "REASON CODES", ["A failure with a reason that is not listed is 1."], reasons


def _concepts() -> Iterator[Part]:
    yield "DESCRIPTION", ["The terms of mqx, and those of IBM MQ where they differ."], []
    yield "TERMS", [], [(term.name, term.text) for term in read_glossary()]

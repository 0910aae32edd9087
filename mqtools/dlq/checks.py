"""Warnings about a valid rules table that probably does not do what was intended.

Warnings about the text itself (separators, comments, width, lower case) come from the parser.
Source: BEY-70, BEY-71, BEY-75.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.dlq.keywords import CHAR_PATTERNS
from mqtools.dlq.lexer import Parameter
from mqtools.dlq.mistakes import quote
from mqtools.dlq.rule import Control, Pattern, Rule, describe_rule, matches_anything
from mqtools.formats.mistakes import Findings, Place
from mqtools.rules.object_names import is_valid_name

#: Keyword -> the actions on which it has no effect. A pair that is not here has one, or is a mistake.
_WITHOUT_EFFECT = {
    "RETRY": ("IGNORE",),
    "PUTAUT": ("IGNORE", "DISCARD"),
}


def check_rules(
    control: Control, rules: Sequence[Rule], places: Sequence[Mapping[str, Parameter]], findings: Findings
) -> None:
    """Warn about rules that are never reached, have no effect, can never match, or feed the queue they empty.

    places: for each rule its parameters by keyword, for their positions.
    """
    for rule, parameters in zip(rules, places, strict=True):
        _check_rule(rule, parameters, control, findings)
    _check_reach(rules, places, findings)
    _check_catch_all(rules, places, findings)


def forwards_to(rule: Rule, q_name: str, q_mgr_name: str = "") -> bool:
    """Return whether a rule names a queue as its target; False for a blank queue, which is not known yet."""
    return bool(q_name) and rule.fwd_q == q_name and (rule.fwd_q_mgr or "") in ("", q_mgr_name)


def _check_rule(rule: Rule, parameters: Mapping[str, Parameter], control: Control, findings: Findings) -> None:
    """Warn about what is wrong with one rule, whatever the others do."""
    for keyword, actions in _WITHOUT_EFFECT.items():
        if keyword in parameters and rule.action in actions:
            findings.warn(parameters[keyword].place, f"{keyword} has no effect on ACTION({rule.action})")
    excludes_blank = any(p.keyword == "REPLYQ" and not _covers_text(p, "") for p in rule.patterns)
    if rule.fwd_q == "&REPLYQ" and not excludes_blank:
        text = "a message without a reply-to queue cannot be forwarded to &REPLYQ"
        findings.warn(parameters["FWDQ"].value_place, text, "add REPLYQ(?*)")
    for keyword, name in (("FWDQ", rule.fwd_q), ("FWDQM", rule.fwd_q_mgr)):
        if name and not name.startswith("&") and not is_valid_name(name):
            findings.warn(parameters[keyword].value_place, f"no queue or queue manager can have the name {quote(name)}")
    for pattern in rule.patterns:
        if pattern.keyword == "PERSIST" and isinstance(pattern.compiled, int) and pattern.compiled > MQPER_PERSISTENT:
            text = f"a message on a queue is persistent or not; PERSIST({pattern.value}) matches none"
            findings.warn(parameters["PERSIST"].value_place, text)
    if forwards_to(rule, control.input_q, control.input_q_mgr):
        text = "the rule forwards to the input queue; its messages are left there"
        findings.warn(parameters["FWDQ"].value_place, text)


class _Takers:
    """Rules that may leave no messages to later ones, indexed by a pattern without wildcards where they have one."""

    def __init__(self) -> None:
        self._rules: dict[tuple[str, object] | None, list[Rule]] = {}

    def add(self, rule: Rule) -> None:
        """Add a rule that is final for the messages it matches, unless its put fails."""
        exact = (_exact_key(pattern) for pattern in _restricting(rule))
        self._rules.setdefault(next((key for key in exact if key), None), []).append(rule)

    def first_covering(self, rule: Rule) -> Rule | None:
        """Return the first added rule that certainly matches whatever this one matches."""
        keys = {None, *(_exact_key(pattern) for pattern in rule.patterns)}
        covering = (taker for key in keys for taker in self._rules.get(key, ()) if _covers(taker, rule))
        return min(covering, key=lambda taker: taker.line, default=None)


def _exact_key(pattern: Pattern) -> tuple[str, object] | None:
    if pattern.keyword in CHAR_PATTERNS and not set(pattern.value).isdisjoint("*?"):
        return None
    return pattern.keyword, pattern.compiled


def _check_reach(rules: Sequence[Rule], places: Sequence[Mapping[str, Parameter]], findings: Findings) -> None:
    """Warn, once for each rule, when an earlier rule takes all messages that it matches."""
    takers = _Takers()
    written: dict[str, int] = {}
    for rule, parameters in zip(rules, places, strict=True):
        same = written.setdefault(describe_rule(rule), rule.line)
        earlier = takers.first_covering(rule)
        if same != rule.line:
            findings.warn(_start(parameters), f"the rule is the same as that in line {same}")
        elif earlier is not None:
            findings.warn(_start(parameters), _hidden_by(earlier))
        if rule.action != "RETRY":
            takers.add(rule)


def _start(parameters: Mapping[str, Parameter]) -> Place:
    return next(iter(parameters.values())).place


def _hidden_by(earlier: Rule) -> str:
    matched = "every message" if earlier.is_unconditional else "the same messages"
    if earlier.action == "IGNORE":
        return f"the rule is never reached: line {earlier.line} ignores {matched}"
    if earlier.action == "DISCARD":
        return f"the rule is never reached: line {earlier.line} discards {matched}, which does not fail"
    times = "once" if earlier.retry == 1 else f"{earlier.retry} times"
    return f"the rule is reached only after line {earlier.line}, which forwards {matched}, has failed {times}"


def _check_catch_all(rules: Sequence[Rule], places: Sequence[Mapping[str, Parameter]], findings: Findings) -> None:
    """Warn when messages may be left without a rule: RETRY alone handles only those that the destination accepts."""
    if rules[-1].is_unconditional or any(rule.is_unconditional and rule.action != "RETRY" for rule in rules):
        return
    findings.warn(
        _start(places[-1]), "no rule without patterns ends the table; messages that no rule matches stay on the queue"
    )


def _covers(earlier: Rule, later: Rule) -> bool:
    """Return whether the earlier rule certainly matches whatever the later one matches.

    A forward that is followed by another of the very same patterns is a deliberate second choice.
    """
    restricting = _restricting(earlier)
    is_second_choice = bool(restricting) and earlier.action == "FWD" and restricting == _restricting(later)
    return not is_second_choice and all(
        any(_covers_pattern(pattern, other) for other in later.patterns) for pattern in restricting
    )


def _restricting(rule: Rule) -> list[Pattern]:
    return [pattern for pattern in rule.patterns if not matches_anything(pattern)]


def _covers_pattern(wide: Pattern, narrow: Pattern) -> bool:
    if wide.keyword != narrow.keyword:
        return False
    if wide.keyword not in CHAR_PATTERNS or wide.value == narrow.value:
        return wide.compiled == narrow.compiled
    has_wildcards = not set(narrow.value).isdisjoint("*?")
    # With wildcards on both sides only the plain case is decided: "*" takes the other's wildcards as characters.
    return not (has_wildcards and not set(wide.value).isdisjoint("? ")) and _covers_text(wide, narrow.value)


def _covers_text(pattern: Pattern, text: str) -> bool:
    compiled = pattern.compiled
    if compiled is None or isinstance(compiled, int):
        return False
    return compiled.fullmatch(text.ljust(CHAR_PATTERNS[pattern.keyword][2])) is not None

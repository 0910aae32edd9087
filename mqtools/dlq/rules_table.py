"""Parser of rules tables in the language of runmqdlq: text to control data and rules.

The language is line based: ``lexer`` makes entries and parameters, ``values`` reads the values, and this module
knows what an entry may contain. All mistakes are collected before any is raised.

Source: BEY-69 to BEY-76.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqtools.dlq.checks import check_rules
from mqtools.dlq.keywords import (
    ALL_KEYWORDS,
    CONTROL_KEYWORDS,
    FORWARD_ONLY,
    PATTERN_KEYWORDS,
    RULE_KEYWORDS,
)
from mqtools.dlq.lexer import Parameter, physical_lines, read_entries, read_parameters
from mqtools.dlq.mistakes import RulesTableError, find_nearest, quote
from mqtools.dlq.rule import Control, Rule, RulesTable
from mqtools.dlq.values import read_value
from mqtools.formats.mistakes import Findings, Place
from mqtools.formats.mqsc.lines import LogicalLine
from mqtools.formats.phrases import did_you_mean


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One parsed entry. named: its keywords in order, corrected where misspelt; parameters: the known ones, once.

    start: place of its first character.
    is_complete: whether all of it was understood, so that missing keywords are known to be absent.
    """

    start: Place
    parameters: dict[str, Parameter]
    named: list[str]
    is_complete: bool

    @property
    def is_control(self) -> bool:
        return bool(self.named) and self.named[0] in CONTROL_KEYWORDS


def parse_rules_table(text: str, name: str = "<stdin>") -> RulesTable:
    """Parse a rules table.

    name: of the table in messages.
    Raises RulesTableError with every mistake: physical line and column, also inside continued entries.
    Source: BEY-69, BEY-76.
    """
    findings = Findings(name)
    lines = physical_lines(text)
    sheets = [_read_sheet(entry, findings) for entry in read_entries(lines, findings)]
    control = _read_control(sheets, findings)
    rules, places = _read_rules(sheets, findings)
    if all(sheet.is_control and not _has_rule_part(sheet) for sheet in sheets):
        findings.mistake((max(len(lines), 1), 1), "the table has no rule")
    if findings.mistakes:
        raise RulesTableError(name, findings.mistakes, findings.warnings, lines)
    check_rules(control, rules, places, findings)
    return RulesTable(name, control, rules, findings.warnings, lines)


def _has_rule_part(sheet: _Sheet) -> bool:
    return not set(sheet.named).isdisjoint(RULE_KEYWORDS)


def _read_sheet(entry: LogicalLine, findings: Findings) -> _Sheet:
    start = entry.position(len(entry.text) - len(entry.text.lstrip()))
    parameters, is_complete = read_parameters(entry, findings)
    if not parameters and is_complete:
        findings.mistake(start, "the entry has no keyword")
    known: dict[str, Parameter] = {}
    named: list[str] = []
    for parameter in parameters:
        keyword = parameter.keyword
        if keyword not in ALL_KEYWORDS:
            meant = find_nearest(keyword, ALL_KEYWORDS)
            findings.mistake(parameter.place, f"{quote(keyword)} is not a keyword", did_you_mean(meant))
            named += [meant] if meant else []
        elif keyword in known:
            first = known[keyword].place[0]
            findings.mistake(parameter.place, f"{keyword} occurs twice in one entry, first in line {first}")
        else:
            known[keyword] = parameter
            named.append(keyword)
    return _Sheet(start, known, named, is_complete)


def _read_control(sheets: list[_Sheet], findings: Findings) -> Control:
    if not sheets or not sheets[0].is_control:
        return Control()
    for keyword, parameter in sheets[0].parameters.items():
        if keyword in RULE_KEYWORDS:
            text = f"{keyword} belongs to a rule, not to the control data"
            findings.mistake(parameter.place, text, "begin the rule on a new line")
    values = _read_values(sheets[0], CONTROL_KEYWORDS, findings)
    return Control(
        # A queue name ends at its first blank.
        values.get("INPUTQ", "").partition(" ")[0],
        values.get("INPUTQM", "").partition(" ")[0],
        values.get("RETRYINT", 60),
        values.get("WAIT", "YES"),
    )


def _read_rules(sheets: list[_Sheet], findings: Findings) -> tuple[list[Rule], list[dict[str, Parameter]]]:
    """Return the rules, and for each its parameters by keyword, for the positions of warnings."""
    rules, places = [], []
    for sheet in sheets[1:] if sheets and sheets[0].is_control else sheets:
        if _refuse_control_keywords(sheet, findings):
            continue
        rule = _read_rule(sheet, findings)
        if rule is not None:
            rules.append(rule)
            places.append(sheet.parameters)
    return rules, places


def _refuse_control_keywords(sheet: _Sheet, findings: Findings) -> bool:
    """Report control keywords among rules. Return whether the entry is only misplaced control data."""
    stray = [parameter for keyword, parameter in sheet.parameters.items() if keyword in CONTROL_KEYWORDS]
    if stray and not _has_rule_part(sheet):
        findings.mistake(stray[0].place, "control data must be the first entry of the table")
        return True
    for parameter in stray:
        findings.mistake(parameter.place, f"{parameter.keyword} belongs to the control data, not to a rule")
    return False


def _read_rule(sheet: _Sheet, findings: Findings) -> Rule | None:
    values = _read_values(sheet, RULE_KEYWORDS, findings)
    _check_combination(sheet, values.get("ACTION"), findings)
    if "ACTION" not in values:
        return None
    return Rule(
        sheet.start[0],
        [value for keyword, value in values.items() if keyword in PATTERN_KEYWORDS],
        values["ACTION"],
        fwd_q=values.get("FWDQ"),
        fwd_q_mgr=values.get("FWDQM"),
        header=values.get("HEADER", "YES") == "YES",
        put_authority=values.get("PUTAUT", "DEF"),
        retry=values.get("RETRY", 1),
    )


def _check_combination(sheet: _Sheet, action: str | None, findings: Findings) -> None:
    """Report keywords that cannot be combined (BEY-71, BEY-72); with a wrong ACTION report nothing more."""
    if "ACTION" not in sheet.named and sheet.is_complete and sheet.named:
        findings.mistake(sheet.start, "the rule has no ACTION")
    if action == "FWD" and "FWDQ" not in sheet.named and sheet.is_complete:
        findings.mistake(sheet.parameters["ACTION"].place, "ACTION(FWD) needs FWDQ")
    if action in (None, "FWD"):
        return
    for keyword in FORWARD_ONLY:
        if keyword in sheet.parameters:
            text = f"{keyword} is valid with ACTION(FWD) only, not with ACTION({action})"
            findings.mistake(sheet.parameters[keyword].place, text)


def _read_values(sheet: _Sheet, keywords: tuple[str, ...], findings: Findings) -> dict[str, Any]:
    """Return the values of the keywords that the entry has, without the wrong ones, which are reported."""
    values = {
        keyword: read_value(parameter, findings)
        for keyword, parameter in sheet.parameters.items()
        if keyword in keywords
    }
    return {keyword: value for keyword, value in values.items() if value is not None}

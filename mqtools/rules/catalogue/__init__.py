"""Catalogue of the rules that sources and tests cite: one TOML file per area, read by ``explanations.rules``.

The first lines of a file are the title of the area and the source of each rule that names no other. Keys of a rule:

sentence: what the rule says.
source: the published document that it comes from.
reasons: reason codes that a call under the rule ends with; absent where none matters.
only_on: platforms that the rule is limited to; absent where it holds on all.
not_applicable: why the rule cannot apply to queues in one file; absent where it applies.

``places.json`` says where each rule is implemented and tested; ``make conformance`` writes it.
"""

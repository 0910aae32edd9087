"""Selectors: conditions on the properties and the descriptor of a message, in MQ's subset of SQL-92."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.errors import SelectorSyntaxError
from mqtools.message import MQMD, Property
from mqtools.predicates import ANYTHING, Condition, Every, Predicate, limit_size, unless_damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.rules.selector.evaluation import Condition as Evaluated

#: Fields of the descriptor with an index in the store. Terms on any other field only narrow what an index found.
_INDEXED = ("msg_id", "correl_id", "group_id", "priority", "msg_seq_number")


class Selector:
    """Compiled selector, made by ``compile_selector``; it holds no message and can be reused.

    predicate: met by every stored message that matches, for the store to narrow by; ``matches`` decides. If it reads
    properties, messages with damaged properties meet it too: their reader raises the error.
    property_names: of the properties that it reads.
    """

    __slots__ = ("_certain", "_condition", "predicate", "property_names", "text")

    def __init__(
        self,
        text: str,
        condition: Evaluated | None = None,
        predicate: Predicate = ANYTHING,
        property_names: frozenset[str] = frozenset(),
    ) -> None:
        self.text = text
        self.predicate = limit_size(unless_damaged(predicate) if property_names else predicate)
        self.property_names = property_names
        self._certain = predicate.parts if isinstance(predicate, Every) else (predicate,)
        self._condition = condition

    def __repr__(self) -> str:
        return f"Selector({self.text!r})"

    def matches(
        self,
        md: MQMD,
        properties: Mapping[str, Property],
        *,
        more: Mapping[str, object] | None = None,
    ) -> bool:
        """Return whether a message is selected: only if the condition is true, not if it is unknown.

        properties: by name, those of folder ``usr`` with or without that prefix.  more: further values by
        name, for names that the message has no property of.
        Source: BEY-78, BEY-79, BEY-81.
        """
        return self._condition is None or self._condition(md, properties, more) is True

    def index_terms(self) -> dict[str, bytes | int]:
        """Return the descriptor fields whose value every match must have; none if nothing is certain.

        Keys: ``msg_id``, ``correl_id``, ``group_id`` (bytes as written, not filled up), ``priority``,
        ``msg_seq_number``. A message with these values need not match: ``matches`` decides.
        Source: INDEX-08, INDEX-11.
        """
        terms: dict[str, bytes | int] = {}
        for part in self._certain:
            if not isinstance(part, Condition) or part.operator != "=" or part.column not in _INDEXED:
                continue
            if isinstance(part.value, (bytes, int)):
                terms.setdefault(part.column, part.value)
        return terms

    @property
    def priority(self) -> int | None:
        """Return the priority that every match must have; None if that is not certain."""
        priority = self.index_terms().get("priority")
        return priority if isinstance(priority, int) else None


def compile_selector(text: str) -> Selector:
    """Compile a selector; a blank one selects every message (INDEX-12).

    Raises SelectorSyntaxError (MQRC_SELECTOR_SYNTAX_ERROR) with the place of the first mistake.
    Source: BEY-78 to BEY-81.
    """
    if not text.strip(" \t\f\r\n"):
        return Selector(text)
    from mqtools.rules.selector.grammar import GrammarError, parse  # for start-up: it imports lark

    try:
        built = parse(text)
    except GrammarError as error:
        raise SelectorSyntaxError(error.text, text, error.position) from error
    return Selector(text, built.condition, built.predicates[0], built.keys)

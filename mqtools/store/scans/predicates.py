"""Predicates as SQL: one table of operators, every value a bound parameter, and only columns that are listed.

The statement names the table of messages, or of events, ``m``.
"""

from __future__ import annotations

from mqtools.predicates import AnyOf, Every, Predicate, PropertyCondition
from mqtools.store.messages.stored_message import COLUMNS

#: Operator of a condition to its SQL; ``{c}`` is the column, ``{p}`` the parameter. Texts are compared byte by byte.
#: ``<>`` holds for null too. The last two are for data, which is null here where it is in chunks.
_OPERATORS = {
    "=": "{c} = {p}",
    "<>": "{c} is not {p}",
    "<": "{c} < {p}",
    "<=": "{c} <= {p}",
    ">": "{c} > {p}",
    ">=": "{c} >= {p}",
    "in": "{c} in ({p})",
    "starts": "substr({c}, 1, length({p})) = {p}",
    "ends": "substr({c}, -length({p})) = {p}",
    "contains": "instr({c}, {p}) > 0",
    "like": "{c} glob {p}",
    "null": "{c} is null",
    "no json": "({c} is not null and not json_valid({c}))",
    "nothing": "{c} <> {c}",
    "has bytes": "({c} is null or instr({c}, {p}) > 0)",
    "has letters": "({c} is null or instr(lower({c}), {p}) > 0)",
}

_VALUE = "json_extract(m.properties, {n})"
#: Integers that a float can hold exactly. Other values are compared in Python: SQLite does not
#: read each decimal fraction to the last bit, and infinities are texts.
_EXACT = 1 << 53
_IS_EXACT = f"typeof({_VALUE}) = 'integer' and {_VALUE} between -{_EXACT} and {_EXACT}"
_NUMBER = f"iif({_IS_EXACT}, {_VALUE} {{sign}} {{p}}, 1)"
#: Operator of a condition on a property to its SQL; ``{n}`` is the path to its value. Numbers may be compared by more.
_OF_PROPERTIES = {sign: _NUMBER.replace("{sign}", sign) for sign in ("=", "<>", "<", "<=", ">", ">=")}
_OF_PROPERTIES["null"] = f"{_VALUE} is null"
#: Properties that are damaged are left to who looks at them too.
_UNLESS_DAMAGED = "iif(json_valid(m.properties), {sql}, 1)"

_MORE = "data event event_at event_seq holder appl_name outcome queue has_body"
_COLUMNS = frozenset((*COLUMNS.split(", "), *_MORE.split()))


class Clause:
    """The where clause of a statement and its parameters; the predicates of one statement share them."""

    def __init__(self) -> None:
        self.parameters: dict[str, object] = {}

    def sql(self, predicate: Predicate) -> str:
        """Return the SQL of a predicate. Raises ValueError for a column that the store does not compare."""
        if isinstance(predicate, (Every, AnyOf)):
            word = " and " if isinstance(predicate, Every) else " or "
            if not predicate.parts:
                # A parameter: with a partial index SQLite has no plan for what it sees to be false.
                return self._parameter(isinstance(predicate, Every))
            return f"({word.join(map(self.sql, predicate.parts))})"
        if isinstance(predicate, PropertyCondition):
            path = self._parameter(f'$."{predicate.name}".value')
            sql = _OF_PROPERTIES[predicate.operator].format(n=path, p=self._parameter(predicate.value))
            return _UNLESS_DAMAGED.format(sql=sql)
        if predicate.column not in _COLUMNS:
            raise ValueError(f"{predicate.column} is not compared in the store")
        values = predicate.value if isinstance(predicate.value, tuple) else (predicate.value,)
        named = ", ".join(map(self._parameter, values))
        sql = _OPERATORS[predicate.operator].format(c=f"m.{predicate.column}", p=named)
        return f"not ({sql})" if predicate.negated else f"({sql})"

    def _parameter(self, value: object) -> str:
        name = f"condition{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

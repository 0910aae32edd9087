"""MQ names of codes, as Spark columns."""

from __future__ import annotations

import json

from pyspark.sql import Column
from pyspark.sql import functions as F

from mqtools.constants.names import family, name_of


def reason_name(code: Column) -> Column:
    """Return the name of a reason code, else of a feedback code, else the number as text."""
    codes = {value for prefix in ("MQRC", "MQFB") for value in family(prefix).values() if isinstance(value, int)}
    names = {str(number): name_of("MQRC", number) or name_of("MQFB", number) for number in sorted(codes)}
    known = F.from_json(F.lit(json.dumps(names)), "map<string, string>")  # a literal map would be a call for each name
    return F.coalesce(F.element_at(known, code.cast("string")), code.cast("string"))

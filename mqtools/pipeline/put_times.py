"""Put date and time of messages, texts of the descriptor, as timestamps: in columns, since every row has its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mqtools.formats.units import put_at_ms
from mqtools.pipeline.pages import values_of

if TYPE_CHECKING:
    import pyarrow as pa

_MIDNIGHT = "0" * 8


def put_times(dates: Any, times: Any, arrivals: Any, kind: pa.DataType) -> pa.Array:
    """Give when messages were put; when they came to their queue where the descriptor says no time.

    dates: MQMD.PutDate of each, or one value for all.  times: MQMD.PutTime of each.  arrivals: of each, milliseconds
    since 1970.  Sequences or arrays. Raises ValueError: for what is no text.
    """
    import pyarrow as pa

    of_all = dates if isinstance(dates, (str, bytes)) else None
    found = _in_columns(dates, times)
    if found is None:
        each = [of_all] * len(times) if of_all is not None else values_of(dates)
        rows = zip(each, values_of(times), values_of(arrivals), strict=True)
        found = pa.array([_put_time(*row) for row in rows], pa.int64())
    return found.cast(pa.timestamp("ms", tz="UTC")).cast(kind)


def _put_time(put_date: Any, put_time: Any, arrived_at: int) -> int:
    if not (isinstance(put_date, str) and isinstance(put_time, str)):
        raise ValueError("the put date or time is no text")
    said = put_at_ms(put_date, put_time)
    return arrived_at if said is None else said


def _in_columns(dates: Any, times: Any) -> pa.Array | None:
    """Give the times in milliseconds since 1970 where all dates and times are some; None else."""
    import pyarrow as pa
    import pyarrow.compute as pc

    days = _days(dates)
    texts = times if isinstance(times, pa.Array) else pa.array(times)
    if days is None or not pa.types.is_string(texts.type) or texts.null_count:
        return None
    lengths = pc.min_max(pc.binary_length(texts)).as_py()
    if lengths != {"min": 8, "max": 8} or not pc.all(pc.ascii_is_decimal(texts)).as_py():
        return None
    digits = texts.cast(pa.int64())
    to_minute = pc.divide(digits, 10_000)
    hours = pc.divide(digits, 1_000_000)
    minutes = pc.subtract(to_minute, pc.multiply(hours, 100))
    hundredths = pc.subtract(digits, pc.multiply(to_minute, 10_000))
    if any(pc.max(values).as_py() > most for values, most in ((hours, 23), (minutes, 59), (hundredths, 59_99))):
        return None
    of_day = pc.add(pc.multiply(pc.add(pc.multiply(hours, 60), minutes), 60_000), pc.multiply(hundredths, 10))
    return pc.add(days, of_day)


def _days(dates: Any) -> Any:
    """Give the midnights in milliseconds since 1970, one for all or one for each; None where one is not told."""
    import pyarrow as pa

    texts = [dates] if isinstance(dates, (str, bytes)) else values_of(dates)
    known = {text: put_at_ms(text, _MIDNIGHT) if isinstance(text, str) else None for text in set(texts)}
    if None in known.values():
        return None
    return known[dates] if isinstance(dates, str) else pa.array([known[text] for text in texts], pa.int64())

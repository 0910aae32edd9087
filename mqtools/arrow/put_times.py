"""Put times: put date and time of descriptors as timestamps, by column."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqtools.arrow.pages import values_of
from mqtools.formats.units import put_at_ms

_MIDNIGHT = "0" * 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def put_times(dates: Any, times: Any, arrivals: Any, kind: pa.DataType) -> pa.Array:
    """Return when messages were put; when they arrived if the descriptor has no valid time.

    dates: MQMD.PutDate of each, or one value for all.  times: MQMD.PutTime of each.  arrivals: of each, milliseconds
    since 1970.  Sequences or arrays. Raises ValueError: for invalid text.
    """
    found = _in_columns(dates, times, arrivals)
    if found is None:
        each = [dates] * len(times) if isinstance(dates, (str, bytes)) else values_of(dates)
        rows = zip(each, values_of(times), values_of(arrivals), strict=True)
        found = pa.array([_put_time(*row) for row in rows], pa.int64())
    return found.cast(pa.timestamp("ms", tz="UTC")).cast(kind)


def _put_time(put_date: Any, put_time: Any, arrived_at: int) -> int:
    if not (isinstance(put_date, str) and isinstance(put_time, str)):
        raise ValueError("the put date or time is not text")
    said = put_at_ms(put_date, put_time)
    return arrived_at if said is None else said


def _in_columns(dates: Any, times: Any, arrivals: Any) -> pa.Array | None:
    """Return the times in milliseconds since 1970, None if not all are written as dates and times."""
    came = arrivals if isinstance(arrivals, pa.Array) else pa.array(arrivals, pa.int64())
    days = _days(dates)
    if days is None and isinstance(dates, str):
        return came
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
    of_day = pc.add(pc.multiply(pc.add(pc.multiply(hours, 60), minutes), 60_000), pc.multiply(hundredths, 10))
    is_time = pc.and_(pc.less(hours, 24), pc.and_(pc.less(minutes, 60), pc.less(hundredths, 60_00)))
    return pc.if_else(is_time, pc.add(days, of_day), came)


def _days(dates: Any) -> Any:
    """Return the midnights in milliseconds since 1970, one for all or one for each; None if one is not valid."""
    if isinstance(dates, str):
        return put_at_ms(dates, _MIDNIGHT)
    texts = [None] if isinstance(dates, bytes) else values_of(dates)
    known = {text: put_at_ms(text, _MIDNIGHT) if isinstance(text, str) else None for text in set(texts)}
    return None if None in known.values() else pa.array([known[text] for text in texts], pa.int64())


def with_put_times(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch in which the put date and time of rows are those of their put_at, if they have one.

    Date and time that put_at was made of stay as they are, also if they are no valid time.
    """
    if "put_at" not in batch.schema.names:
        return batch
    names = [name for name in batch.schema.names if name not in ("put_at", "put_date", "put_time")]
    moments = batch.column("put_at").cast(pa.timestamp("ms", tz="UTC"), safe=False).cast(pa.int64()).to_pylist()
    dates, times = (
        batch.column(name).to_pylist() if name in batch.schema.names else [None] * batch.num_rows
        for name in ("put_date", "put_time")
    )
    texts = [*map(_texts, moments, dates, times)]
    arrays = [
        *(batch.column(name) for name in names),
        *(pa.array([text[n] for text in texts], pa.string()) for n in (0, 1)),
    ]
    return pa.RecordBatch.from_arrays(arrays, [*names, "put_date", "put_time"])


def _texts(moment: int | None, put_date: str | None, put_time: str | None) -> tuple[str | None, str | None]:
    """Return the put date and time of a row. moment: its put_at, in milliseconds since 1970."""
    said = put_at_ms(put_date or "", put_time or "")
    is_invalid = said is None and bool(put_date and put_date.strip())
    if moment is None or is_invalid or said == moment:
        return put_date, put_time
    at = _EPOCH + timedelta(milliseconds=moment)
    return f"{at:%Y%m%d}", f"{at:%H%M%S}{at.microsecond // 10_000:02}"

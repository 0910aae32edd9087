"""Queues and journals as Arrow batches: columns, ranges, conditions and conversion. Needs pyarrow, and no Spark."""

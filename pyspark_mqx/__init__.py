"""Package that Spark finds by name: makes ``spark.read.format("mqx")`` work without registration."""

from __future__ import annotations

from mqtools.pipeline.source.data_source import MqxDataSource as DefaultSource

__all__ = ["DefaultSource"]

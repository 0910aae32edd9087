"""Queues and journals as Spark data, and the jobs over them. Spark finds ``format("mqx")`` here by this package's name.

Functions of frames, for programs and notebooks; ``mqx pipeline`` uses the same. A frame of messages comes from
``spark.read.format("mqx")`` or ``read_archive``.

- ``read_archive(spark, path, names)``: archives of any version, in or below folders and URIs
- ``read_result(spark, place)``: the last result of a job, in a folder or below a URI
- ``reconcile(sent, reports)``: a row an original, with its outcome; ``by_group(rows)``: a row a group
- ``reassemble(messages)``: a row a logical message, with its gaps
- ``stats(events)``: a row a queue and hour
- ``with_latency(rows, sent, replies, sla_s)``: the rows of ``reconcile`` with the latency of each request
- ``without_reports(messages)``: the same messages, to be written to a queue without the reports that they request
- ``triage(letters, rules)``: a row a dead letter, with the rule for it; ``groups(letters, by)``: counts

Where Spark says DATA_SOURCE_NOT_FOUND it runs another Python than this one: set PYSPARK_PYTHON to ``sys.executable``
before the session begins, or let ``pyspark_mqx.session.session.start()`` do it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark_mqx.jobs.inputs import without_reports as without_reports
    from pyspark_mqx.jobs.latency import with_latency as with_latency
    from pyspark_mqx.jobs.places import read_result as read_result
    from pyspark_mqx.jobs.read_archive import read_archive as read_archive
    from pyspark_mqx.jobs.reassemble import reassemble as reassemble
    from pyspark_mqx.jobs.reconcile import by_group as by_group
    from pyspark_mqx.jobs.reconcile import reconcile as reconcile
    from pyspark_mqx.jobs.stats import stats as stats
    from pyspark_mqx.jobs.triage import groups as groups
    from pyspark_mqx.jobs.triage import triage as triage
    from pyspark_mqx.source.data_source import DefaultSource as DefaultSource

#: Name to its module, which is imported when the name is used: Spark is large.
_MODULES = {
    "read_archive": "jobs.read_archive",
    "read_result": "jobs.places",
    "reconcile": "jobs.reconcile",
    "by_group": "jobs.reconcile",
    "reassemble": "jobs.reassemble",
    "stats": "jobs.stats",
    "triage": "jobs.triage",
    "groups": "jobs.triage",
    "with_latency": "jobs.latency",
    "without_reports": "jobs.inputs",
    "DefaultSource": "source.data_source",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

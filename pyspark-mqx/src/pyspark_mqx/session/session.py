"""Start of Spark: check of Java, settings for this machine or a cluster, no output of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from mqtools.errors import UsageError
from pyspark_mqx.session import spark_home
from pyspark_mqx.source.shared_copy import PROCESSORS, processors_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The oldest Java that Spark runs on, and the oldest Spark whose data sources can do what batches and streams need.
JAVA_VERSION = 17
SPARK_VERSION, STREAMS_VERSION = (4, 1), (4, 2)

#: Bounds of Spark's share of the memory of this machine, which is half of it, in MiB.
_MEMORY = (1024, 8192)

_LOG_SETTINGS = os.path.join(os.path.dirname(__file__), "log4j2.properties")

#: Settings of every session; those of the caller take precedence.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.python.authenticate.socketTimeout": "60s",  # a slow start is no failure
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # otherwise each expression records its source lines
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",  # our manifest marks complete output
    "spark.driver.extraJavaOptions": shlex.quote(f"-Dlog4j2.configurationFile={_LOG_SETTINGS}"),
}

#: Makes Java ignore unknown options.
LENIENT = "-XX:+IgnoreUnrecognizedVMOptions"

#: Calls of a method before Java compiles it with full optimisation: ten times the default. Planning uses thousands of
#: methods, and most runs end before the compilation pays off; loops over rows are compiled as ever.
_JAVA_EFFORT = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
)

#: The garbage collector that costs least in one process: Spark's pages are large, and each would make the default
#: collector scan the whole memory while the tasks run.
_COLLECTOR = "-XX:+UseParallelGC"

#: Sends the warnings of Java about its class cache to stderr: stdout has our rows.
CLASS_CACHE_LOGGING = ("-Xlog:disable", "-Xlog:all=warning:stderr")

#: Environment variables that may name another collector (with two, Java does not start), or settings that do.
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_SPARK_SETTINGS = ("SPARK_HOME", "SPARK_CONF_DIR")

#: Further settings of a session on this machine: no look-up of host names. Small partitions sort fastest: there are
#: more than necessary, and small ones are coalesced. Spark lists many folders in as many tasks, unless it is told how
#: many there may be: one for each core.
LOCAL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "4m",
}
#: Prefix of the address of a standalone master, and the seconds to wait for a connection.
_STANDALONE, _ANSWER_S = "spark://", 5

#: Partitions for each core.
_PARTITIONS = 16


def check(*, streams: bool = False) -> None:
    """Check, without starting it, that Spark can start. streams: that it can follow a journal.

    Raises UsageError.
    """
    from pyspark import __version__ as spark_version

    wanted = STREAMS_VERSION if streams else SPARK_VERSION
    if tuple(map(int, re.findall(r"\d+", spark_version)[:2])) < wanted:
        oldest = ".".join(map(str, wanted))
        text = f"PySpark {spark_version} is too old{' for streams' if streams else ''}, {oldest} is the oldest"
        raise UsageError(text, "pip install -U 'mqtools[spark]'")
    version = java_version()
    if version is None:
        raise UsageError("Java is not installed", f"install Java {JAVA_VERSION} or newer, or set JAVA_HOME")
    if version < JAVA_VERSION:
        raise UsageError(
            f"Java {version} is too old for Spark", f"install Java {JAVA_VERSION} or newer, or set JAVA_HOME"
        )


def is_reachable(master: str) -> bool:
    """Return whether a standalone master accepts connections, at one address at least. True for other masters."""
    if not master.startswith(_STANDALONE):
        return True
    for place in master.removeprefix(_STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _ANSWER_S).close()
        except (OSError, ValueError):
            continue
        return True
    return False


def java_version() -> int | None:
    """Return the major version of the Java that Spark would use, None if there is none."""
    found = re.search(r'version "(?:1\.)?(\d+)', _version_output(_java()))
    return int(found[1]) if found else None


def classes_file(place: str) -> str:
    """Return the path of the class cache (module ``class_cache``) in a Spark home, for the Java in use."""
    return os.path.join(place, f"classes-{sha256(_version_output(_java()).encode()).hexdigest()[:16]}.jsa")


def _java() -> str:
    """Return the path of the Java that Spark would use, empty if there is none."""
    chosen = os.environ.get("JAVA_HOME")
    java = os.path.join(chosen, "bin", "java") if chosen else shutil.which("java")
    return java if java is not None and os.access(java, os.X_OK) else ""


@cache
def _version_output(java: str) -> str:
    """Return the output of ``java -version``, empty if it fails."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = (done.stderr + done.stdout).splitlines()
    return "\n".join(line for line in said if "Picked up" not in line)  # a message about options, not about Java


def start(master: str = "local[*]", settings: Mapping[str, str] | None = None, name: str = "mqx") -> SparkSession:
    """Start Spark, or return the session that is already running.

    master: ``local[N]``, ``spark://…``, or empty to leave it to spark-submit.
    settings: of Spark; they take precedence over ours.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        os.environ["LC_ALL"] = "C.UTF-8"  # Python decodes file names as UTF-8 in any case, Java only with this locale
    from pyspark.sql import SparkSession

    is_new = SparkSession.getActiveSession() is None
    is_here = master.startswith("local")
    place = spark_home.choose() if is_new and is_here else ""
    given = dict(SETTINGS)
    if is_new:
        os.environ[PROCESSORS] = str(processors_of(master))
    if is_here:
        given |= LOCAL | {
            "spark.sql.shuffle.partitions": str(_PARTITIONS * processors_of(master)),
            "spark.sql.sources.parallelPartitionDiscovery.parallelism": str(processors_of(master)),
            "spark.driver.memory": f"{_memory()}m",
            "spark.driver.extraJavaOptions": java_options(os.environ, place),
        }
    builder = SparkSession.builder.appName(name)
    if master:
        builder = builder.master(master)
    for key, value in {**given, **(settings or {})}.items():
        builder = builder.config(key, value)
    with spark_home.use_home(place):
        session: SparkSession = builder.getOrCreate()
    if is_new and shlex.quote(os.environ["PYSPARK_PYTHON"]) != os.environ["PYSPARK_PYTHON"]:
        # Spark finds no data sources if a shell would split the path of Python into several words.
        from pyspark_mqx.source.data_source import MqxDataSource

        session.dataSource.register(MqxDataSource)
    return session


def java_options(environ: Mapping[str, str], place: str = "") -> str:
    """Return the options of Java for a session on this machine.

    environ: environment, which may select other options.  place: home of Spark, which may have a class cache.
    """
    is_named = any("GC" in environ.get(name, "") for name in _JAVA_OPTIONS)
    is_free = not is_named and environ.keys().isdisjoint(_SPARK_SETTINGS)
    options = [SETTINGS["spark.driver.extraJavaOptions"], LENIENT, *_JAVA_EFFORT]
    if place and os.path.exists(kept := classes_file(place)):
        options += [shlex.quote(f"-XX:SharedArchiveFile={kept}"), *CLASS_CACHE_LOGGING]
    return " ".join([*options, _COLLECTOR] if is_free else options)


def _memory() -> int:
    """Return the MiB that Spark may use: one process does all the work, so Spark's default is too small."""
    least, most = _MEMORY
    return max(least, min(most, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**21))

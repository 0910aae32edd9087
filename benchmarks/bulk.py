"""Bulk paths, 20,000 messages each: processor time of whole commands without their start, against raw SQLite.

The raw side runs transactions of the same size on a file of the same format: rows that lie ready, or statements that
move and delete them. It knows no rule of MQ, reads and writes no text, and checks no sum. There are second figures with
a raw side that does more: it reads the file of a load into such rows with the standard library, and checks nothing of
it; and it writes a dump of the rows that it reads for an unload.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from binascii import hexlify, unhexlify
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from measure import BODY, Raw, new_qmgr, report

from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue

Row: TypeAlias = tuple[object, ...]

_COUNT, _ROUNDS = 20_000, 3
#: Messages in a transaction: of ``mqx load``, of ``mqx move``; of ``mqx delete``.
_LOADED, _MOVED, _DELETED = 200, 100, 100
_COLUMNS = 38
_GOALS = {
    "load of a dump that raw reads too": "at least 0.50", "load of JSON lines that raw reads too": "at least 0.50",
    "move": "at least 0.30", "delete": "at least 0.30",
}  # fmt: skip
#: What the raw side reads, in the order of its rows: code in a dump to name in JSON.
_NUMBERS = {
    b"RPT": "report", b"MST": "msg_type", b"FDB": "feedback", b"ENC": "encoding", b"CCS": "coded_char_set_id",
    b"PRI": "priority", b"PER": "persistence", b"BOC": "backout_count", b"PAT": "put_appl_type",
    b"MSQ": "msg_seq_number", b"OFF": "offset", b"MSF": "msg_flags", b"ORL": "original_length",
}  # fmt: skip
_TEXTS = {
    b"FMT": "format", b"RTQ": "reply_to_q", b"RTM": "reply_to_q_mgr", b"USR": "user_identifier",
    b"AIX": "appl_identity_data", b"PAN": "put_appl_name", b"PTD": "put_date", b"PTT": "put_time",
    b"AOX": "appl_origin_data",
}  # fmt: skip
_HEX = (b"AIX", b"AOX")
_IDS = {b"MSI": "msg_id", b"COI": "correl_id", b"ACC": "accounting_token", b"GRP": "group_id"}
#: Numbers that JSON lines have by name; those of one bit in a list.
_VALUES = {
    "MQMT_DATAGRAM": 8, "MQFB_NONE": 0, "MQPER_PERSISTENT": 1, "MQAT_UNIX": 6, "['MQRO_NONE']": 0, "['MQMF_NONE']": 0
}  # fmt: skip


def bulk() -> None:
    """Measure load, move, delete, unload and a write of the pipeline."""
    full, dump, nothing = _filled(), _file(), _file()
    _mqx(full, "unload", "BENCH", dump)
    text = Path(dump).read_bytes()
    lines = _file()
    with open(lines, "wb") as file:
        subprocess.run([_script(), "-m", full, "browse", "BENCH", "-o", "jsonl"], stdout=file, check=True)
    idle = ("load", "BENCH", nothing)
    _compare("load", lambda: _mqx(new_qmgr(), "load", "BENCH", dump), idle, _raw_load)
    for what, name, read in (("a dump", dump, _dump_rows), ("JSON lines", lines, _json_rows)):
        _compare(
            f"load of {what} that raw reads too",
            lambda name=name: _mqx(new_qmgr(), "load", "BENCH", name),
            idle,
            lambda name=name, read=read: _raw_load_of(name, read),
        )
    delete = ("delete", "BENCH", "--pos", "1..", "--no-trash", "--yes")
    _compare("move", lambda: _mqx(_filled(), "move", "BENCH", "OTHER"), ("move", "BENCH", "OTHER"), _raw_move)
    _compare("delete", lambda: _mqx(_filled(), *delete), delete, _raw_delete)
    unload = ("unload", "BENCH", "--force", _file())
    _compare("unload", lambda: _mqx(full, *unload), unload, lambda: _raw_unload(full, text))
    _compare("unload that raw writes too", lambda: _mqx(full, *unload), unload, lambda: _raw_unload_as(full, text))
    _pipeline()


def _compare(what: str, ours: Callable[[], float], idle: tuple[str, ...], theirs: Callable[[], float]) -> None:
    """Report the least processor time of a message on both sides. idle: the command on an empty queue manager."""
    empty = _empty()
    start_s = min(_mqx(empty, *idle) for _ in range(_ROUNDS))
    pairs = [(ours() - start_s, theirs()) for _ in range(_ROUNDS)]
    _report(what, *map(min, zip(*pairs, strict=True)))


def _report(what: str, ours_s: float, raw_s: float) -> None:
    mine, other = (each / _COUNT * 1e6 for each in (ours_s, raw_s))
    goal = _GOALS.get(what, "")
    report("bulk", f"{what}, a message: {mine:.1f} us, raw {other:.1f} us", f"{other / mine:.2f}", goal)


def _file() -> str:
    """Return the name of a new empty file."""
    number, name = tempfile.mkstemp()
    os.close(number)
    return name


def _empty() -> str:
    """Return a queue manager with empty queues BENCH and OTHER."""
    path = new_qmgr()
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "OTHER", {"max_q_depth": 999_999_999})
    return path


def _filled() -> str:
    """Return one with messages on BENCH."""
    path = _empty()
    with connect(path) as connection:
        for _ in range(0, _COUNT, 1000):
            connection.put_each("BENCH", [Message(BODY, MQMD(persistence=1)) for _ in range(1000)])
    return path


def _mqx(path: str, *words: str) -> float:
    """Run a command; return its processor time in seconds."""
    process = subprocess.Popen([_script(), "-m", path, "-q", *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 3), words
    return usage.ru_utime + usage.ru_stime


def _script() -> str:
    return str(Path(sys.executable).with_name("mqx"))


@contextmanager
def _timed(found: list[float]) -> Iterator[None]:
    begin = time.process_time()
    yield
    found.append(time.process_time() - begin)


def _transactions(raw: Raw, size: int, do: Callable[[int], object]) -> float:
    """Return the processor time of transactions over numbers of messages. do: takes the number before the first."""
    found: list[float] = []
    with _timed(found):
        for at in range(0, _COUNT, size):
            raw.sql.execute("begin immediate")
            do(at)
            raw.sql.execute("commit")
    return found[0]


def _raw_load() -> float:
    raw = Raw()
    rows = [raw.row() for _ in range(_COUNT)]
    return _transactions(raw, _LOADED, lambda at: raw.sql.executemany(raw.insert_text, rows[at : at + _LOADED]))


def _raw_load_of(name: str, read: Callable[[Raw, bytes], Iterator[Row]]) -> float:
    """Return the time of reading a file into rows and inserting them."""
    raw = Raw()
    found: list[float] = []
    with _timed(found), open(name, "rb") as file:
        rows = read(raw, file.read())
        while some := list(islice(rows, _LOADED)):
            raw.sql.execute("begin immediate")
            raw.sql.executemany(raw.insert_text, some)
            raw.sql.execute("commit")
    assert raw.number == _COUNT
    return found[0]


def _dump_rows(raw: Raw, text: bytes) -> Iterator[Row]:
    """Read a dump in the form that mqx writes."""
    for paragraph in text.split(b"\n\n"):
        head, _, data = paragraph.partition(b"\nX ")
        md = {line[2:5]: line[6:] for line in head.split(b"\n")}
        if b"MSI" in md:
            yield _raw_row(
                raw,
                [int(md[code]) for code in _NUMBERS],
                [(unhexlify(md[code]) if code in _HEX else md[code]).decode().rstrip() for code in _TEXTS],
                [unhexlify(md[code]) for code in _IDS],
                unhexlify(data.replace(b"\nX ", b"").strip()),
            )


def _json_rows(raw: Raw, text: bytes) -> Iterator[Row]:
    """Read JSON lines in the form that mqx writes."""
    for line in text.splitlines():
        message = json.loads(line)
        md = message["md"]
        numbers = (md[name] for name in _NUMBERS.values())
        yield _raw_row(
            raw,
            [each if isinstance(each, int) else _VALUES[str(each)] for each in numbers],
            [md[name] for name in _TEXTS.values()],
            [unhexlify(md[name]) for name in _IDS.values()],
            message["data"].encode() if "data" in message else b64decode(message["data_b64"]),
        )


def _raw_row(raw: Raw, numbers: list[int], texts: list[str], ids: list[bytes], data: bytes) -> Row:
    raw.number += 1
    at = raw.number
    place = ((1 << 40) | at, 1, 1, 0, (9 << 48) | at, None, None, None, time.time_ns() // 1_000_000)
    report, msg_type, feedback, encoding, ccsid, priority, persistence, backout, appl, *group = numbers
    fmt, *reply, user, identity, name, date, clock, origin = texts
    msg_id, correl_id, token, group_id = (each if any(each) else None for each in ids)
    return (
        *place, persistence, priority, msg_id, correl_id, group_id, *group, report, msg_type, feedback, encoding, ccsid,
        fmt, backout, *reply, user, token, identity, appl, name, date, clock, origin, None, len(data), data,
    )  # fmt: skip


def _raw_filled() -> Raw:
    raw = Raw()
    raw.sql.execute("begin")
    raw.sql.executemany(raw.insert_text, (raw.row() for _ in range(_COUNT)))
    raw.sql.execute("commit")
    return raw


def _raw_move() -> float:
    raw = _raw_filled()
    names = [row[0] for row in raw.sql.execute("select name from pragma_table_info('messages')")][:_COLUMNS]
    changed = {"seq": "seq + (1 << 40)", "queue_id": "2"}
    copy = (
        f"insert into messages ({', '.join(names)}) select {', '.join(changed.get(name, name) for name in names)}"
        " from messages where seq > ?1 and seq <= ?2"
    )

    def move(at: int) -> None:
        keys = ((1 << 40) + at, (1 << 40) + at + _MOVED)
        raw.sql.execute(copy, keys)
        raw.sql.execute("delete from messages where seq > ? and seq <= ?", keys)

    return _transactions(raw, _MOVED, move)


def _raw_delete() -> float:
    raw = _raw_filled()
    delete = "delete from messages where seq > ? and seq <= ?"
    first = 1 << 40
    return _transactions(raw, _DELETED, lambda at: raw.sql.execute(delete, (first + at, first + at + _DELETED)))


def _raw_unload(path: str, text: bytes) -> float:
    """Return the time of reading the rows and of writing what a dump of them has."""
    sql = sqlite3.connect(path)
    found: list[float] = []
    with _timed(found), open(_file(), "wb") as file:
        for _ in sql.execute("select * from messages where queue_id = 1 order by order_key"):
            pass
        file.write(text)
    sql.close()
    return found[0]


def _raw_unload_as(path: str, text: bytes) -> float:
    """Return the time of reading the rows and of writing a dump of them, which is the same as the one given."""
    first = text.split(b"\n\n")[1].split(b"\nX ")[0].split(b"\n")
    lengths = {line[2:5]: len(line) - 6 for line in first if line.startswith(b"A ")}
    names = {**_NUMBERS, **_TEXTS, **_IDS, b"VER": "2", b"EXP": "-1"}
    template = b"".join(b"A %b %%b\n" % code for code in lengths) + b"X %b\n\n"
    sql = sqlite3.connect(path)
    found: list[float] = []
    name = _file()
    query = f"select {', '.join(names[code] for code in lengths)}, data from messages where queue_id = 1 order by seq"
    with _timed(found), open(name, "wb") as file:
        for *values, data in sql.execute(query):
            shown = [_shown(code, value, lengths[code]) for code, value in zip(lengths, values, strict=True)]
            lines = hexlify(data, b"\n", -25).upper().replace(b"\n", b"\nX ")
            file.write(template % (*shown, lines))
    sql.close()
    assert text.endswith(Path(name).read_bytes())
    return found[0]


def _shown(code: bytes, value: object, length: int) -> bytes:
    """Return a value as a dump has it. length: of what an attribute line has of it."""
    if code in _NUMBERS or not isinstance(value, str):
        return b"%d" % value if isinstance(value, int) else hexlify(value or bytes(length // 2)).upper()
    return hexlify(value.encode().ljust(length // 2)).upper() if code in _HEX else value.encode().ljust(length)


def _pipeline() -> None:
    """Measure the transaction in which a write of the pipeline loads what its tasks have staged."""
    try:
        import pyarrow as pa
        from pyspark_mqx.source.writer import LoadJob, load_staged
    except ImportError:
        report("bulk", "pyspark is not installed", "")
        return
    staged = _file()
    table = pa.table(
        {
            "msg_id": pa.array([(b"AMQ BENCH       %08d" % n).hex() for n in range(_COUNT)]),
            "persistence": pa.array([1] * _COUNT, pa.int32()),
            "data": pa.array([BODY] * _COUNT, pa.binary()),
        }
    )
    with pa.OSFile(staged, "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)

    def ours() -> float:
        path, found = new_qmgr(), list[float]()
        with _timed(found):
            load_staged(LoadJob(path, "BENCH", "bench", ""), [staged])
        return found[0]

    def theirs() -> float:
        raw = Raw()
        rows = [raw.row() for _ in range(_COUNT)]
        return _transactions(raw, _COUNT, lambda _: raw.sql.executemany(raw.insert_text, rows))

    pairs = [(ours(), theirs()) for _ in range(_ROUNDS)]
    _report("pipeline write", *map(min, zip(*pairs, strict=True)))

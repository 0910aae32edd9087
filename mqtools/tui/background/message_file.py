"""Messages to a file: JSON lines as ``browse -o jsonl`` writes them, or the bytes of the data alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from mqtools.operations.views.message_view import Database, envelope_text, read_data, read_message
from mqtools.tui.display.outcome import Outcome

_JSON = (".jsonl", ".json", ".ndjson")


def write_file(
    db: Database, path: str, keys: Iterable[int], total: int, q_mgr_name: str, q_name: str, at: int | None
) -> Iterator[Outcome]:
    """Write messages to a file; yield the outcome after each. A new file is readable by its owner only.

    The data of several messages is separated by newlines. total: number of keys.  at: the instant that is listed,
    milliseconds since 1970; None for the present.  Raises OSError.
    """
    as_json = path.endswith(_JSON)
    outcome = Outcome(total)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        for seq in keys:
            stored = read_message(db, seq)
            if stored is None:
                outcome.gone += 1
            elif as_json:
                line = envelope_text(db, stored, q_mgr_name, q_name, at)
                file.write(line.encode("utf-8", "surrogatepass") + b"\n")
                outcome.done += 1
            else:
                file.write((b"\n" if outcome.done else b"") + read_data(db, seq))
                outcome.done += 1
            yield outcome

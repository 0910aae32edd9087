"""Writers of one folder: events that one has written are not written again by another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark_mqx.jobs import writers
from pyspark_mqx.jobs.output_files import FolderTarget

from mqtools.constants.reasons import MQRC_OBJECT_CHANGED
from mqtools.errors import MQError
from tests.errors import fails


def written(folder: Path, notes: dict[str, dict[str, Any]]) -> FolderTarget:
    """A folder with notes of writers."""
    target = FolderTarget(str(folder))
    with target:
        target.write_run(lambda data: Path(data).mkdir(), notes)
    return target


def streamed(end: dict[str, tuple[int, int]], *queues: str) -> dict[str, Any]:
    offset = {f"/{name}.db": {"id": name, "from": begun, "seq": last} for name, (begun, last) in end.items()}
    return {"batch": 3, "end": offset, "queues": list(queues)}


@pytest.mark.parametrize(
    ("spans", "refused"),
    [
        ({"one": (0, 5)}, "events 3 to 5 of one are there already, from another stream"),
        ({"one": (4, 20)}, "events 5 to 9 of one"),
        ({"one": (0, 3)}, "events 3 to 3 of one"),
        ({"one": (0, 2)}, ""),
        ({"one": (9, 12)}, ""),
        ({"other": (0, 99)}, ""),
    ],
)
def test_events_that_another_stream_has_written_are_refused(
    tmp_path: Path, spans: dict[str, tuple[int, int]], refused: str
) -> None:
    target = written(tmp_path, {writers.stream_note("first"): streamed({"one": (2, 9)})})
    for writer in ("second", ""):
        if not refused:
            writers.check(target, writer, (), spans)
            continue
        with fails(MQRC_OBJECT_CHANGED, refused):
            writers.check(target, writer, (), spans)
    writers.check(target, "first", (), spans)


def test_a_stream_passes_over_nothing_that_was_archived(tmp_path: Path) -> None:
    target = written(tmp_path, {writers.archive_note("one"): {"queues": ["Q"], "last": 7}})
    with pytest.raises(MQError, match=r"events 5 to 7 of one are there already, from archive --journal "):
        writers.check(target, "stream", ["Q"], {"one": (4, 9)})
    writers.check(target, "stream", ["Q"], {"one": (7, 9)})
    writers.check(target, "", ["Q"], {"one": (0, 9)})


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ([], ["Q"], True),
        (["Q"], [], True),
        (["Q"], ["Q"], True),
        (["Q"], ["Q1", "R"], False),
        (["A*"], ["AB"], True),
        (["AB"], ["A*"], True),
        (["A*"], ["B", "*"], True),
        (["AB*"], ["A*"], True),
        (["A*X"], ["AB*Y"], True),
        (["AB*"], ["AC*"], False),
        (["AB*"], ["A"], False),
        (["A"], ["AB*"], False),
    ],
)
def test_writers_of_other_queues_may_have_the_same_numbers(
    tmp_path: Path, one: list[str], other: list[str], both: bool
) -> None:
    target = written(tmp_path, {writers.stream_note("first"): streamed({"one": (0, 9)}, *one)})
    try:
        writers.check(target, "second", other, {"one": (0, 9)})
    except MQError:
        assert both
    else:
        assert not both

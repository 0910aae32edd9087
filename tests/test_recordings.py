"""The terminal recordings: made by their script, of sessions that still run."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "recordings"


@pytest.fixture(scope="module")
def recordings(man_script):
    return man_script("recordings")


def test_the_cast_of_the_demo_is_whole_and_in_order():
    head, *events = map(json.loads, (FOLDER / "demo.cast").read_text(encoding="utf-8").splitlines())
    assert (head["version"], head["width"]) == (2, 100)
    times = [event[0] for event in events]
    assert times == sorted(times)
    text = "".join(event[2] for event in events)
    demo = (ROOT / "examples" / "demo.sh").read_text(encoding="utf-8")
    titles = [line.split('"')[1] for line in demo.splitlines() if line.startswith("title ")]
    assert [title for title in titles if title not in text] == [], "run: make recordings"
    assert "0 lost, 0 doubled" in text


def test_a_recorded_line_keeps_its_characters_and_pauses(recordings):
    head, *events = map(json.loads, recordings.cast("printf 'gr\\303'; printf '\\274n\\n'", "green"))
    assert head["title"] == "green"
    assert "".join(event[2] for event in events) == "grün\r\n"


@pytest.mark.slow
def test_the_rehearsal_still_ends_as_recorded_and_is_in_the_picture(recordings):
    session = list(recordings.rehearse())
    assert [(command, status) for command, status, _ in session] == list(recordings.REHEARSAL)
    for picture in ((FOLDER / "rehearsal.svg").read_text(encoding="utf-8"), recordings.picture(session, "now")):
        text = html.unescape(picture).replace("\N{NO-BREAK SPACE}", " ")
        assert [command for command, _ in recordings.REHEARSAL if command not in text] == [], "run: make recordings"
        assert "did you mean FWDQ?" in text
        assert "@font-face" not in picture

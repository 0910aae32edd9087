"""The palette, and the help that can be searched: what is found by which words, and where it leads."""

from __future__ import annotations

import re

import pytest

from mqtools.admin import queue_managers
from mqtools.tui.dialogs.standard import ConfirmDialog
from mqtools.tui.display.fuzzy import match_cost
from mqtools.tui.display.synonyms import SYNONYMS
from mqtools.tui.keymap import KEYS


def listed(screen) -> list[str]:
    """Return what the palette lists: the ids of actions, and names."""
    return [entry.value.args[0] for entry in screen.app.screen._found]


async def test_the_palette_has_every_action_with_its_keys_and_runs_the_one_that_is_found(qm, browse):
    qm.put("x")
    async with browse() as screen:
        await screen.press("colon")
        press = screen.app.browser.press
        entries = {one.value.args[0]: one for one in screen.app.screen._entries if one.value.func == press}
        assert set(entries) == {key.id for key in KEYS} - {"palette"}
        assert entries["move.first"].note == "g home"
        assert entries["help"].note == "? f1"
        await screen.type("a rules")
        await screen.press("backspace", "escape", "colon")
        await screen.enter("delete", opens=ConfirmDialog)


@pytest.mark.parametrize(
    ("typed", "id"),
    [
        ("search", "filter"),
        ("purge", "delete"),
        ("mov", "move"),
        ("export", "write"),
        ("resend", "redrive"),
        ("history", "trace"),
        ("delte", "delete"),
        ("colunms", "columns"),
        ("mrk all", "mark.all"),
    ],
)
async def test_the_palette_finds_actions_by_synonyms_letters_and_with_typos(letters, browse, typed, id):
    async with browse("DLQ") as screen:
        await screen.press("colon")
        await screen.type(typed)
        assert id in listed(screen)[:3]


async def test_what_fits_the_context_is_first_in_the_palette(qm, letters, browse):
    qm.put("x")
    async with browse("DLQ") as screen:
        await screen.until(lambda: screen.app.browser.current)
        await screen.press("colon")
        assert listed(screen)[:2] == ["redrive", "explain"]
        await screen.press("escape", "escape", "colon")
        assert listed(screen)[0] == "open"
        assert listed(screen).index("live") > listed(screen).index("quit")  # there is no past to come back from


async def test_the_palette_goes_to_queues_and_says_when_nothing_matches(qm, browse, tmp_path):
    queue_managers.create(str(tmp_path / "OTHER.db"))
    qm.define("ORDERS.IN")
    qm.put("on orders", "ORDERS.IN")
    async with browse() as screen:
        await screen.press("colon")
        await screen.until(lambda: "OTHER" in listed(screen))
        await screen.type("zzzz")
        assert re.search("no match +search all queues for zzzz", screen.text)
        await screen.press(*["backspace"] * 4)
        await screen.enter("ordin")
        await screen.until(lambda: screen.detail == "on orders")
        assert screen.app.browser.pane == "messages"


async def test_nothing_is_chosen_where_nothing_matches(qm, browse):
    async with browse() as screen:
        await screen.press("t")
        await screen.enter("zzzz")
        assert "no match" in screen.text


async def test_a_queue_manager_under_a_read_only_session_has_no_actions_that_write(qm, browse):
    async with browse(read_only=True) as screen:
        await screen.press("colon")
        assert not {key.id for key in KEYS if key.writes} & set(listed(screen))


async def test_the_help_is_searched_by_words_synonyms_and_keys(qm, browse):
    async with browse() as screen:
        await screen.press("question_mark")
        assert "Moving" in screen.text
        await screen.type("purge")
        await screen.until(lambda: "one line down" not in screen.text)
        assert "delete" in screen.text
        await screen.press(*["backspace"] * 5)
        await screen.type("/")
        await screen.until(lambda: "filter by text" in screen.text)
        await screen.type("dead-letter queue")
        await screen.until(lambda: "✉" in screen.text)
        await screen.type("zzz")
        await screen.until(lambda: "no match" in screen.text)
        await screen.press("escape")
        assert screen.app.screen is screen.app.browser


def test_every_synonym_belongs_to_a_key():
    assert set(SYNONYMS) <= {key.id for key in KEYS}


def test_words_match_before_beginnings_synonyms_parts_and_letters():
    costs = [match_cost("mark", text, synonyms) for text, synonyms in _KINDS]
    assert costs == sorted(costs)
    assert len(set(costs)) == len(_KINDS)
    assert match_cost("mark", "move") is None
    assert match_cost("maark", "mark") is None
    assert match_cost("maark", "mark", has_typos=True) is not None
    assert match_cost("a" * 30 + "z", "A" * 48) is None, "at once, whatever the names of queues are"


_KINDS = (
    ("mark all", ""),
    ("the mark", ""),
    ("marked", ""),
    ("is marked", ""),
    ("select", "marking"),
    ("unmarked", ""),
    ("mat rink", ""),
)

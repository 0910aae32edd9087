"""The columns of the list of messages: which are chosen, which there is room for, what they say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants.properties import MQTYPE_STRING
from mqtools.message import Property
from mqtools.tui.dialogs.standard import MultiChoiceDialog
from mqtools.tui.display import columns
from mqtools.tui.display.body_values import json_values
from mqtools.tui.display.columns import ALL, DATA, USUAL, fit, select_known

IDS = [column.id for column in ALL]


@pytest.mark.parametrize(
    ("chosen", "width", "shown"),
    [
        ([], 77, ["time", "priority", "type", "length"]),
        ([], 61, ["time", "priority", "type", "length"]),
        ([], 60, ["time", "type", "length"]),
        ([], 58, ["time", "type"]),
        ([], 51, ["type"]),
        ([], 26, []),
        ([], 8, []),
        (["format", "msg_id"], 88, ["time", "priority", "type", "format", "msg_id", "length"]),
        (["format", "msg_id"], 70, ["time", "priority", "type", "format", "length"]),
        (["format", "msg_id"], 61, ["time", "priority", "type", "length"]),
    ],
)
def test_a_narrow_list_has_fewer_columns_the_chosen_ones_give_way_first(chosen, width, shown):
    assert [column.id for column, _ in fit(select_known([*USUAL, *chosen]), width).cells] == shown


@given(st.sets(st.sampled_from(IDS), min_size=1), st.integers(1, 300))
def test_what_is_shown_fits_and_is_in_one_order(chosen, width):
    fitted = fit(select_known(chosen), width)
    shown = [column.id for column, _ in fitted.cells]
    assert shown == [id for id in IDS if id in shown]
    assert fitted.has_data == (DATA in chosen)
    taken = columns.STATE + sum(cells + 1 for _, cells in fitted.cells)
    assert taken <= max(columns.STATE, width)
    assert len(fitted.heading("time")) <= max(columns.STATE, width) + len(" data")


def test_columns_that_do_not_exist_are_left_out_and_none_at_all_are_the_usual_ones():
    assert select_known(["length", "nonsense", "time"]) == ["time", "length"]
    assert select_known(["nonsense"]) == select_known([]) == list(USUAL)


async def test_columns_say_what_the_descriptor_says_made_visible(qm, browse, tmp_path):
    (tmp_path / "state/mqx").mkdir(parents=True)
    (tmp_path / "state/mqx/tui.json").write_text(json.dumps({"columns": ",".join(IDS)}))
    identifier = bytes(range(1, 25))
    qm.put(
        "hello",
        msg_id=identifier,
        correl_id=b"ORDER-7".ljust(24, b"\0"),
        expiry=36_000,
        reply_to_q="R",
        reply_to_q_mgr="QM9",
        persistence=1,
        format="MY\x1bFMT",
    )
    async with browse(size=(300, 30)) as screen:
        await screen.press("f")
        await screen.until(lambda: screen.app.browser.messages.size.width > 200)
        heading, row = screen.app.browser.messages.draw_line(0).text, screen.rows[0]
        assert heading.split()[:7] == ["time", "UTC", "p", "type", "format", "per", "expires"]
        for text in ("MY␛FMT", "yes", "59m", "other", "ana", "…1112131415161718", "4F524445522D37", "R@QM9", "5 hello"):
            assert text in row
        assert "\x1b" not in row


async def test_a_chosen_column_that_there_is_no_room_for_is_said(qm, browse):
    qm.put("hello")
    async with browse(size=(80, 24)) as screen:
        await screen.press("C", "G", "end", "k", "k", "k", "space", "enter")
        await screen.until(lambda: "no room here for: reply to" in screen.said)
        assert "reply to" not in screen.app.browser.messages.draw_line(0).text


async def test_columns_are_chosen_with_a_key_and_remembered(qm, browse, tmp_path):
    qm.put("hello", format="FMT")
    state = tmp_path / "state/mqx/tui.json"

    def heading(screen):
        return screen.app.browser.messages.draw_line(0).text.split()

    async with browse(read_only=True) as screen:
        await screen.press("C", opens=MultiChoiceDialog)
        assert "[x] time of arrival" in screen.text
        assert "[ ] format" in screen.text
        await screen.press("space", "j", "j", "j", "space", "enter")
        await screen.until(lambda: "format" in heading(screen))
        assert heading(screen) == ["p", "type", "format", "length", "data"]
        assert screen.rows[0].split()[1:] == ["datagram", "FMT", "5", "hello"]
        await screen.until(lambda: state.exists() and "format" in state.read_text())
    async with browse() as screen:
        assert heading(screen) == ["p", "type", "format", "length", "data"]
        await screen.press("C", "space", "escape")
        assert "time" not in heading(screen)
        await screen.press("C", "u", "enter")
        await screen.until(lambda: heading(screen) == ["time", "UTC", "p", "type", "length", "data"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, "b": {"c": [true, {"d": "x"}]}}', {"a": "1", "b.c[0]": "true", "b.c[1].d": "x"}),
        ('{"a": 1, "b": "cut in the mid', {"a": "1"}),
        ('{"a": 1, "b": 17', {"a": "1"}),
        ("[1, [2]]", {"[0]": "1", "[1][0]": "2"}),
        ("}}]", {}),
        ('{"": "\\u001b"}', {"": "\x1b"}),
    ],
)
def test_values_are_found_in_the_beginning_of_a_body(text, found):
    assert dict(json_values(text)) == found


async def test_columns_show_values_of_the_body_and_properties(qm, browse, tmp_path):
    for number in range(3):
        qm.put(
            f'{{"payment": {1000 + number}, "debtor": {{"name": "AC\\u001bME"}}}}',
            properties={"colour": Property(MQTYPE_STRING, "red")},
        )
    async with browse(size=(140, 30)) as screen:
        await screen.press("C", "G", "end", opens=MultiChoiceDialog)
        await screen.until(lambda: "[ ] JSON debtor.name" in screen.text and "[ ] property colour" in screen.text)
        await screen.press("space", "k", "space", "k", "space", "k", "k", "space", "enter")
        await screen.until(lambda: "debtor.na" in screen.app.browser.messages.draw_line(0).text)
        assert "red        1001       AC␛ME      …1001, " in screen.rows[1]
    assert "json:debtor.name" in (tmp_path / "state/mqx/tui.json").read_text()

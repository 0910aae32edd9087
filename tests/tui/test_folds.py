"""Folds in the data of a message: JSON, XML and the folders of its headers, with numbers, signs, keys and mouse."""

from __future__ import annotations

import json

import pytest

from mqtools.constants.message import MQFMT_RF_HEADER_2
from mqtools.headers.folders import outline
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.tui.background import tree_process
from mqtools.tui.display import json_layout, tabs
from mqtools.tui.display.folds import around, below_the_top, find_folds, summary, unfolded
from mqtools.tui.display.paged_lines import PAGE, PagedLines

from .test_panes import place

JSON = '{"id": 4711, "who": {"name": "ACME", "tags": ["a", "b"]}, "paid": true}'


def lines_of(text: str) -> list[str]:
    return [line for _, line in json_layout.lay_out(text)]


LINES = lines_of(JSON)


def test_numbers_and_names_that_come_twice_stay_as_they_are_in_json():
    text = '\ufeff{"n": 1.10, "n": 12345678901234567890.5, "e": 1E400, "u": "\\u00fc\\n", "o": {}, "l": [ ]}'
    assert lines_of(text) == [
        "{",
        '  "n": 1.10,',
        '  "n": 12345678901234567890.5,',
        '  "e": 1E400,',
        '  "u": "ü\\n",',
        '  "o": {},',
        '  "l": []',
        "}",
    ]


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": }', '["a" "b"]', "tru", "[1,]", "01", "1 2", '"\\x"', "[}", "[" * 1000]
)
def test_what_is_not_json_is_not_laid_out(text):
    with pytest.raises(ValueError, match=r"\w"):
        lines_of(text)


@pytest.mark.parametrize("text", ['"a"', "17", "[]", '[[[1], {"a": "[{"}]]'])
def test_any_json_value_is_laid_out(text):
    assert json.loads("\n".join(lines_of(text))) == json.loads(text)


def test_a_line_opens_what_is_indented_more_behind_it():
    assert LINES[2] == '  "who": {'
    assert find_folds(LINES) == {0: 10, 2: 8, 4: 7}
    assert find_folds(["<a>", "  <b>t</b>", "</a>"]) == {0: 2}
    assert find_folds(["one", "  x : 1", "", "two", "  y", "    z", ""]) == {0: 1, 3: 5, 4: 5}


def test_what_is_folded_is_one_line_that_says_how_much_is_in_it():
    folds = find_folds(LINES)
    assert list(unfolded(len(LINES), folds, {2})) == [0, 1, 2, 9, 10]
    assert summary(LINES, 2, 8) == (" 2 inside ", "},")
    assert summary(["usr", "  a : 1", "  b", "    c : 2"], 0, 3) == (" 2 inside ", "")
    assert around(5, folds) == [0, 2, 4]
    assert below_the_top(LINES, folds) == {2, 4}
    assert below_the_top(["a", "  b"], {0: 1}) == {0}


async def test_keys_fold_and_unfold_what_the_cursor_is_in(qm, browse):
    qm.put(JSON)
    async with browse() as screen:
        await screen.press("3", "enter")
        await screen.until(lambda: '3   ▾ "who": {' in screen.text)
        await screen.press("j", "j", "o")
        await screen.until(lambda: '3   ▸ "who": { 2 inside },' in screen.text)
        assert '10     "paid": true' in screen.text
        assert "ACME" not in screen.text.partition("JSON")[2]
        await screen.press("enter")
        await screen.until(lambda: '4       "name": "ACME"' in screen.text)
        await screen.press("j", "o")  # on a line that opens nothing: what it is in
        await screen.until(lambda: '3   ▸ "who": { 2 inside },' in screen.text)
        await screen.press("O")
        await screen.until(lambda: "▸" not in screen.text)
        await screen.press("O")
        await screen.until(lambda: screen.tree[2].endswith('▸ "who": { 2 inside },'))


async def test_a_click_on_its_sign_folds_an_element_and_one_beside_it_does_not(qm, browse):
    qm.put(JSON)
    async with browse() as screen:
        await screen.press("3")
        await screen.until(lambda: '▾ "who": {' in screen.text)
        column, line = place(screen, '▾ "who": {')
        await screen.pilot.click(offset=(column + 3, line))
        await screen.until(lambda: screen.app.browser.pane == "detail")
        assert "▸" not in screen.text
        await screen.pilot.click(offset=(column, line))
        await screen.until(lambda: '▸ "who": { 2 inside },' in screen.text)
        await screen.pilot.click(offset=(column, line))
        await screen.until(lambda: '▾ "who": {' in screen.text)


async def test_a_hit_and_a_line_inside_what_is_folded_are_unfolded(qm, browse):
    qm.put(JSON)
    async with browse() as screen:
        await screen.press("3", "enter", "O")
        await screen.until(lambda: "2 inside" in screen.text)
        await screen.press("slash", *"acme", "enter")
        await screen.until(lambda: '4       "name": "ACME"' in screen.text)
        await screen.press("O", "O")
        await screen.until(lambda: "2 inside" in screen.text)
        await screen.press("number_sign", "6", "enter")
        await screen.until(lambda: '6         "a"' in screen.text)


async def test_json_and_xml_are_detected_and_the_other_tab_says_so(qm, browse):
    qm.put('{"a": [1]}')
    qm.put("<a><b/></a>")
    qm.put("<a>")
    async with browse() as screen:
        await screen.press("4")
        await screen.until(lambda: screen.detail.endswith("; tab 3 shows it as JSON"))
        await screen.press("j")
        await screen.until(lambda: screen.detail == "<a>\n  <b></b>\n</a>")
        await screen.press("3")
        await screen.until(lambda: screen.detail.endswith("; tab 4 shows it as XML"))
        await screen.press("j")
        await screen.until(
            lambda: screen.app.browser.detail.detail.kind == 0 and "the body is not JSON" in screen.detail
        )
        assert "shows it as" not in screen.detail


async def test_the_folders_of_an_mqrfh2_are_a_tree(qm, browse):
    folders = ["<mcd><Msd>jms_text</Msd></mcd>", "<usr><n dt='i4'>5</n><in><er>x &amp; y</er></in></usr>", "<odd>"]
    header = MQRFH2(format="MQSTR", encoding=273, coded_char_set_id=1208, folders=folders)
    qm.put(pack_mqrfh2(header, 273, 1208) + b"hello", format=MQFMT_RF_HEADER_2, encoding=273, coded_char_set_id=1208)
    async with browse() as screen:
        await screen.press("6", "enter")
        await screen.until(lambda: "‹6 headers(1)›" in screen.text)
        wanted = (
            "  ▾ usr",
            "      n : 5  * i4",
            "    ▾ in",
            "        er : x & y",
            "    folder : <odd>  * MQRFH2: <odd>",
        )
        for line in wanted:
            assert any(shown.startswith(line) for shown in screen.tree), (line, screen.tree)
        await screen.press("O")
        await screen.until(lambda: "  ▸ usr 2 inside " in screen.tree)


def test_an_outline_names_the_elements_of_a_folder_and_refuses_what_is_not_one():
    assert list(outline("<usr><a dt='i4'>1</a><b/><c><d>x</d></c></usr> ")) == [
        (0, "usr", {}, ""),
        (1, "a", {"dt": "i4"}, "1"),
        (1, "b", {}, ""),
        (1, "c", {}, ""),
        (2, "d", {}, "x"),
    ]
    for wrong in ("<a>", "<a></b>", "text", "<a>text<b/></a>", "<a><b/>text</a>", "</a>"):
        with pytest.raises(Exception, match="MQRFH2"):
            list(outline(wrong))


async def test_tabs_keep_their_numbers_where_there_is_no_room_for_their_names(qm, browse):
    qm.put(JSON)
    async with browse(size=(40, 10)) as screen:
        await screen.press("3", "enter")
        await screen.until(lambda: " 1 text  2 ‹3 JSON› 4  5  6 headers " in screen.text)


def test_a_process_that_ends_within_a_page_is_an_error_and_writes_nothing_to_the_terminal(
    tmp_path, monkeypatch, capfd
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\ncat > /dev/null; echo noise >&2; printf 12345; exit 3\n")
    program.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(program))
    with pytest.raises(OSError, match="status 3"):
        list(tree_process.lay_out("[]", tabs.JSON, PagedLines(), {}))
    assert capfd.readouterr().err == ""


def test_pages_have_the_lines_that_were_added():
    wanted, lines = [f"line {number}" for number in range(2 * PAGE + 1)], PagedLines()
    for at in range(0, len(wanted), PAGE):
        lines.add_page("\n".join(wanted[at : at + PAGE]))
    assert (list(lines), len(lines), lines[PAGE], lines[-1]) == (wanted, len(wanted), wanted[PAGE], wanted[-1])
    assert lines[PAGE - 1 : PAGE + 1] == wanted[PAGE - 1 : PAGE + 1]
    with pytest.raises(IndexError):
        lines[len(wanted)]

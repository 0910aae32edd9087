"""Keys that do nothing where they are pressed: what they say, with the keys of the operator's own keymap."""

from __future__ import annotations

import pytest

from mqtools.tui.dialogs.standard import ChoiceDialog, TextDialog


@pytest.mark.parametrize(
    ("q_name", "keys", "said"),
    [
        ("", ("d",), "cannot delete: the queues have the focus; enter goes to the messages"),
        ("", ("escape",), "nothing to go back to; q quits"),
        ("R", ("m",), "no message is under the cursor"),
        ("R", ("space",), "cannot mark: no message is under the cursor"),
        ("Q", ("enter", "space"), "cannot mark: the message has the focus; esc goes to the list"),
        ("Q", ("plus",), "all of the data is shown"),
        ("Q", ("full_stop",), "this is the present"),
        ("Q", ("right_square_bracket",), "this is the present"),
        ("Q", ("comma",), "ALTER QLOCAL(Q) JOURNAL(BODY)"),
        ("Q", ("equals_sign",), "there is no time line here"),
    ],
)
async def test_a_key_without_effect_says_why(qm, browse, q_name, keys, said):
    qm.put("hello")
    async with browse(q_name) as screen:
        await screen.press(*keys)
        await screen.until(lambda: said in screen.said)
        await screen.press(keys[-1])
        await screen.until(lambda: screen.said.count(said) == 2)
        assert len(screen.app._notifications) == 1
        assert "● LIVE" in screen.status


async def test_a_hint_names_the_key_of_the_keymap(letters, browse):
    async with browse("DLQ") as screen:
        screen.app.session.keys |= {"explain": "f9", "filter": "f8,slash"}
        await screen.until(lambda: "f9 explains" in screen.about)
        await screen.press("n")
        assert "no hit here; f8 searches" in screen.said


async def test_a_dialog_shows_the_notification_that_it_hides(qm, browse):
    async with browse() as screen:
        await screen.press("z", "A")
        await screen.until(lambda: "╰─ nothing has been deleted" in screen.text)


async def test_two_marked_messages_are_compared_where_no_message_is_under_the_cursor(qm, browse):
    qm.put_numbered(2)
    async with browse() as screen:
        await screen.press("space", "space")
        await screen.until(lambda: "2 marked" in screen.place)
        await screen.press("slash", *"zzz", "enter")
        await screen.until(lambda: screen.app.browser.current is None)
        await screen.press("V", opens=TextDialog)


async def test_the_command_for_an_empty_list_is_copied_without_a_reason(qm, browse):
    async with browse() as screen:
        await screen.press("y", opens=ChoiceDialog)
        await screen.press("c")
        await screen.until(lambda: screen.app.clipboard == f"mqx browse Q -m {qm.path} --all-states")
        assert "no message" not in screen.said

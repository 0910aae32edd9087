"""``mqx edit`` from outside: an editor or options, a difference, one message in the place of another."""

from __future__ import annotations

import stat

import pytest

QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def ids(mqx, qm, tmp_path, environment):
    """Ids of a, b, c on the queue; drafts lie in a folder of the test."""
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    environment["TMPDIR"] = str(drafts)
    environment.pop("VISUAL", None)
    environment.pop("EDITOR", None)
    return mqx("put", QUEUE, "a", "b", "c", "--print-id", check=True).out.decode().split()


@pytest.fixture
def drafts(tmp_path):
    """The files that editors have been given and that are still there."""
    return lambda: [path for path in (tmp_path / "drafts").rglob("*") if path.is_file()]


@pytest.fixture
def editor(tmp_path, mqx_path):
    """Write an editor: shell commands with the file in $1."""

    def write(commands: str) -> str:
        path = tmp_path / "editor"
        path.write_text(f"#!/bin/sh\nmqx={mqx_path}\n{commands}\n", encoding="utf-8")
        path.chmod(0o700)
        return str(path)

    return write


# by options


def test_fields_properties_and_body_are_set(mqx, ids, browse):
    mqx("edit", QUEUE, "--msg-id", ids[1], "--set", "correl_id=AB", "--set", "report=MQRO_COA,MQRO_COD",
        "--set", "reply_to_q=R", "--set", "expiry=1h", "--set-property", "n:int32=3", "--body-from", "-",
        stdin=b"new", check=True)  # fmt: skip
    a, b, c = browse(QUEUE)
    assert (a["data"], b["data"], c["data"]) == ("a", "new", "c")
    assert b["md"]["msg_id"] == ids[1]
    assert b["md"]["correl_id"].startswith("AB00")
    assert b["md"]["report"] == ["MQRO_COA", "MQRO_COD"]
    assert 35_000 < b["md"]["expiry"] <= 36_000
    assert b["properties"] == {"n": {"type": "int32", "value": 3}}
    mqx("edit", QUEUE, "--msg-id", ids[1], "--unset-property", "n", check=True)
    assert browse(QUEUE)[1]["properties"] == {}


def test_a_selection_edits_all_that_it_means(mqx, ids, browse):
    done = mqx("edit", QUEUE, "--pos", "2..", "--set-property", "seen:bool=true", check=True)
    assert (done.out, "edited 2 messages on DEV.QUEUE.1" in done.err) == (b"", True)
    assert [list(one["properties"]) for one in browse(QUEUE)] == [[], ["seen"], ["seen"]]
    done = mqx("edit", QUEUE, "--pos", "1..", "--set-property", "seen:bool=true", "-o", "json", check=True)
    assert done.totals == {"messages": 1, "edited": 1, "unchanged": 2}


def test_a_dry_run_shows_the_difference(mqx, ids, browse):
    before = browse(QUEUE)
    done = mqx("edit", QUEUE, "--msg-id", ids[0], "--set", "priority=7", "--dry-run", check=True)
    assert b'-    "priority": 0,\n+    "priority": 7,\n' in done.out
    assert done.err == "would have edited 1 message on DEV.QUEUE.1\n"
    done = mqx("edit", QUEUE, "--msg-id", ids[0], "--set", "priority=7", "-v", check=True)
    assert '+    "priority": 7,' in done.err
    assert browse(QUEUE) == [{**before[0], "md": {**before[0]["md"], "priority": 7}}, *before[1:]]


def test_a_difference_cannot_steer_the_terminal(mqx, ids):
    done = mqx("edit", QUEUE, "--msg-id", ids[0], "--body-from", "-", "--dry-run", stdin=b"\x1b]52;c;x\x07", check=True)
    assert b"\x1b" not in done.out
    assert b"\\u001b]52" in done.out


def test_the_message_as_it_was_is_in_the_trash(mqx, ids, bodies):
    done = mqx("edit", QUEUE, "--msg-id", ids[0], "--body-from", "-", stdin=b"new", check=True)
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"a\n"
    assert "to restore: mqx trash restore --removal 1" in done.err
    done = mqx("edit", QUEUE, "--msg-id", ids[1], "--body-from", "-", "--no-trash", stdin=b"new", check=True)
    assert "trash" not in done.err
    assert mqx("trash", "list", "--messages", "-o", "raw").out == b"a\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "prio=7"), "did you mean priority?"),
        (("--set", "priority"), "expected FIELD=VALUE with a field of the descriptor"),
        (("--set", "priority=high"), "--set priority=high"),
        (("--set", "expiry=1y"), "1y"),
        (("--set", "msg_id=XY"), "XY"),
        (("--set-property", "a:int8=300"), "--set-property a:int8=300"),
        (("--set-property", "a"), "NAME=VALUE"),
        (("--body-from", "/nowhere/at/all"), "/nowhere/at/all"),
    ],
)
def test_a_mistake_in_an_option_is_2_and_changes_nothing(mqx, ids, browse, words, said):
    before = browse(QUEUE)
    done = mqx("edit", QUEUE, "--msg-id", ids[0], *words)
    assert (done.status, said in done.err) == (2, True), done.err
    assert browse(QUEUE) == before


def test_which_messages_has_to_be_said(mqx, ids, bodies):
    mqx("edit", QUEUE, "--set", "priority=7").ended(2, "--msg-id")


def test_nothing_there_or_locked_is_3(mqx, ids):
    done = mqx("edit", QUEUE, "--grep", "nowhere", "--set", "priority=7", "-o", "json")
    assert (done.status, done.out, done.err) == (
        3,
        b"",
        f'edited 0 messages on {QUEUE}\n{{"messages":0,"edited":0,"unchanged":0}}\n',
    )
    mqx("lock", QUEUE, "--msg-id", ids[0], check=True)
    mqx("edit", QUEUE, "--msg-id", ids[0], "--set", "priority=7").ended(3, "locked by")


# in an editor


def test_a_saved_message_takes_the_place_of_the_other(mqx, ids, browse, editor, drafts):
    before = browse(QUEUE)
    done = mqx("edit", QUEUE, "--msg-id", ids[1], EDITOR=editor("""sed -i 's/"b"/"B"/' "$1" """), check=True)
    assert '-  "data": "b"' in done.err
    assert '+  "data": "B"' in done.err
    assert "edited 1 message on DEV.QUEUE.1" in done.err
    assert browse(QUEUE) == [before[0], {**before[1], "data": "B"}, before[2]]
    assert drafts() == []


def test_visual_goes_before_editor_and_may_have_words(mqx, ids, bodies):
    mqx("edit", QUEUE, "--msg-id", ids[0], VISUAL='sed -i \'s/"a"/"A"/\'', EDITOR="false", check=True)
    assert bodies(QUEUE) == [b"A", b"b", b"c"]


def test_unchanged_is_nothing_done(mqx, ids, lying_on, editor, drafts):
    before = lying_on(QUEUE)
    for commands in ("true", """sed -i 's/"md"/ "md"/' "$1" """):
        done = mqx("edit", QUEUE, "--msg-id", ids[0], "-o", "json", EDITOR=editor(commands), check=True)
        assert done.totals == {"messages": 0, "edited": 0, "unchanged": 1}
        assert "unchanged" in done.err
    assert lying_on(QUEUE) == before
    assert drafts() == []


def test_bytes_are_hex_in_the_editor(mqx, ids, bodies, editor):
    mqx("edit", QUEUE, "--msg-id", ids[0], "--body-from", "-", stdin=b"\xff\x00\x01", check=True)
    mqx("edit", QUEUE, "--msg-id", ids[0], EDITOR=editor("""sed -i 's/FF0001/FF0002/' "$1" """), check=True)
    assert bodies(QUEUE)[0] == b"\xff\x00\x02"


def test_nobody_else_gets_it_meanwhile(mqx, ids, bodies, editor, tmp_path):
    commands = f"""
        stat -c %a "$1" > {tmp_path}/mode
        $mqx get {QUEUE} --msg-id {ids[0]} > {tmp_path}/got 2>&1; echo $? > {tmp_path}/status
        sed -i 's/"a"/"A"/' "$1"
    """
    mqx("edit", QUEUE, "--msg-id", ids[0], EDITOR=editor(commands), check=True)
    assert (tmp_path / "status").read_text().strip() == "3"
    assert "locked by" in (tmp_path / "got").read_text()
    assert (tmp_path / "mode").read_text().strip() == "600"
    assert mqx("get", QUEUE, check=True).out == b"A"


def test_a_killed_edit_leaves_no_lock(mqx, ids, start, environment, editor, eventually, tmp_path):
    environment["EDITOR"] = editor(f"touch {tmp_path}/open; exec sleep 30")
    process = start("edit", QUEUE, "--msg-id", ids[0])
    eventually((tmp_path / "open").exists)
    assert mqx("get", QUEUE, "--msg-id", ids[0]).status == 3
    process.kill()
    process.wait()
    assert mqx("get", QUEUE, "--msg-id", ids[0], check=True).out == b"a"


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ("""echo '{' > "$1" """, ":2:1: "),
        ("""sed -i 's/"priority": 0/"priority": 77/' "$1" """, "MQRC_PRIORITY_EXCEEDS_MAXIMUM"),
        ("""printf '\\377' > "$1" """, "decode"),
        ("""echo >> "$1"; exit 3""", "the editor ended with status 3"),
    ],
)
def test_a_mistake_keeps_what_was_edited_and_names_it(mqx, ids, lying_on, editor, drafts, commands, said):
    before = lying_on(QUEUE)
    done = mqx("edit", QUEUE, "--msg-id", ids[0], EDITOR=editor(commands))
    assert (done.status, said in done.err) == (2, True), done.err
    (draft,) = drafts()
    assert str(draft) in done.err
    assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
    assert lying_on(QUEUE) == before


def test_an_editor_that_gives_up_leaves_nothing_behind(mqx, ids, lying_on, drafts):
    before = lying_on(QUEUE)
    done = mqx("edit", QUEUE, "--msg-id", ids[0], EDITOR="false")
    assert (done.status, "status 1" in done.err, drafts()) == (2, True, [])
    assert lying_on(QUEUE) == before


def test_a_queue_manager_that_ends_meanwhile_costs_no_work(mqx, ids, editor, drafts):
    commands = """sed -i 's/"a"/"A"/' "$1"; $mqx qmgr end QM1 --immediate -q"""
    done = mqx("edit", QUEUE, "--msg-id", ids[0], EDITOR=editor(commands))
    assert done.status != 0
    (draft,) = drafts()
    assert str(draft) in done.err


def test_an_editor_takes_one_message(mqx, ids, editor):
    mqx("edit", QUEUE, "--pos", "1..2", EDITOR=editor("true")).ended(2, "cannot open 2 messages in an editor")


def test_without_editor_and_terminal_it_is_2(mqx, ids):
    mqx("edit", QUEUE, "--msg-id", ids[0]).ended(2, "$EDITOR")


def test_a_dry_run_in_json_has_the_counts_and_the_difference(mqx, ids, editor):
    counts = {"messages": 1, "edited": 0, "would_edit": 1, "unchanged": 0}
    change = ("edit", QUEUE, "--msg-id", ids[0], "--dry-run", "-o", "json")
    done = mqx(*change, "--set", "priority=7", check=True)
    assert (done.totals, '+    "priority": 7' in done.err) == (counts, True)
    done = mqx(*change, EDITOR=editor("""sed -i 's/"a"/"A"/' "$1" """), check=True)
    assert (done.totals, '+  "data": "A"' in done.err) == (counts, True)


def test_a_dry_run_in_an_editor_changes_nothing(mqx, ids, bodies, editor):
    done = mqx(
        "edit", QUEUE, "--msg-id", ids[0], "--dry-run", EDITOR=editor("""sed -i 's/"a"/"A"/' "$1" """), check=True
    )
    assert b'+  "data": "A"' in done.out
    assert bodies(QUEUE)[0] == b"a"


@pytest.mark.parametrize(("answer", "status", "body"), [("y\n", 0, b"A"), ("n\n", 2, b"a"), ("\x04", 2, b"a")])
def test_at_a_terminal_a_mistake_can_be_mended(ids, answered, editor, bodies, tmp_path, answer, status, body):
    commands = f"""
        if test -e {tmp_path}/again; then sed -i 's/"a"/"A"/; s/oops//' "$1"; else echo oops >> "$1"; fi
        touch {tmp_path}/again
    """
    done = answered("edit", QUEUE, "--msg-id", ids[0], asks="edit again", answer=answer, EDITOR=editor(commands))
    assert done == status
    assert bodies(QUEUE)[0] == body

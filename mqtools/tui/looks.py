"""What an operator may ask for without changing a message: filter, places, columns, explanations, groups, files."""

from __future__ import annotations

import os
import shlex

from mqtools.constants.message import MQFMT_DEAD_LETTER_HEADER, MQMT_REPORT
from mqtools.dlq.mistakes import RulesTableError
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.errors import MQError
from mqtools.explanations import lookup
from mqtools.formats.hexdump import hexdump
from mqtools.headers.chain import read_dlh
from mqtools.mqi.identity import now_ms
from mqtools.store.messages import messages
from mqtools.tui import columns
from mqtools.tui.detail import HEX, line_of
from mqtools.tui.dialogs import Ask, AskLine, Choose, ChooseSome, Groups, Reading
from mqtools.tui.filter import parse_filter
from mqtools.tui.goto import parse_aim
from mqtools.tui.groups import Group, Grouping, read_groups
from mqtools.tui.help import help_lines
from mqtools.tui.rehearsal import Rehearsal, rehearse
from mqtools.tui.row import BEGINNING_BYTES, text_of
from mqtools.tui.source import HitsSource
from mqtools.tui.state import COLUMNS
from mqtools.tui.times import LOCAL_TIME
from mqtools.tui.verbs import counted
from mqtools.tui.working import Working
from mqtools.tui.writing import envelope_text, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from mqtools.dlq.rule import RulesTable
    from mqtools.store.database import Database
    from mqtools.tui.app import Session

#: Bytes that are copied at most: more than that no terminal takes.
_MOST_COPIED = 100_000
#: Messages that a command line names at most.
_MOST_IDS = 100

_YANK = (
    ("i", "id", "the message id"),
    ("b", "body", "the data as text"),
    ("h", "hex", "the data in hex"),
    ("j", "json", "the message as JSON"),
    ("c", "command", "as a command line"),
    ("q", "queue", "the name of the queue"),
)


class Looks(Working):
    """Reading of another kind than moving about by lines."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._gone_to = ""

    @property
    def chosen(self) -> list[int]:
        """The keys of what an action is about: what is marked here, else what is under the cursor."""
        ours = self.ours.get(self.messages.q_name, set())
        if ours:
            return sorted(ours)
        row = self.current
        return [] if row is None or row.gone_at is not None else [row.seq]

    def ask(self, question: Callable[[Database], Any], answer: Callable[[Any], None]) -> None:
        """Have the reader answer; an error is said."""

        def take(value: Any) -> None:
            if isinstance(value, Exception):
                self.fail(value)
            else:
                answer(value)

        self.session.reader.ask(question, take)

    def read(self, title: str, lines: list[str]) -> None:
        """Show something to read."""
        self.app.push_screen(Reading(title, lines))

    # -- filter

    def action_filter(self) -> None:
        """Ask for a filter, and list what it finds; in the message, for what to find in it."""
        if self.pane == "detail":
            self.app.push_screen(AskLine("Find in this message", value=self.detail.lines.needle), self._find)
            return
        if not self.messages.q_name:
            self.say("open a queue first")
            return
        before = "" if self.listing.filter is None else self.listing.filter.words
        title = f"Filter {self.messages.q_name}: text, where SELECTOR, or hex BYTES; empty for none"
        self.app.push_screen(AskLine(title, value=before, empty="\0"), self._filter)

    def _filter(self, words: str | None) -> None:
        if not words:
            return
        if words == "\0":
            self.open_queue(self.messages.q_name)
            return
        try:
            wanted = parse_filter(words)
        except (MQError, ValueError) as error:
            self.fail(error)
            return
        self.open_queue(self.messages.q_name, wanted)

    def _find(self, words: str | None) -> None:
        if words:
            self.detail.lines.needle = words
            self.action_hit(1)

    # -- places and columns

    def action_goto(self) -> None:
        """Ask where to go in the list, or in the message, and go there."""
        q_name, detail = self.messages.q_name, self.detail.detail
        if self.pane == "detail" and detail is not None:
            what = "a byte" if detail.tab == HEX else "a line"
            self.app.push_screen(AskLine(f"Go to {what} of this message (500, 0x1F4, -1)"), self._go_to_line)
            return
        if not q_name:
            self.say("open a queue first")
            return
        zone = "local" if self.messages.times == LOCAL_TIME else "UTC"
        places = f"a number (500, -1), a part (50%), a time in {zone} (14:30, 2026-11-22 14:30), an age (10m)"
        self.app.push_screen(AskLine(f"Go to on {q_name}: {places}", value=self._gone_to), self._go_to)

    def _go_to(self, words: str | None) -> None:
        if not words:
            return
        try:
            aim = parse_aim(words, now_ms(), self.messages.times)
        except ValueError as error:
            self.fail(error)
            return
        self._gone_to = words
        self._stop_following()
        self.listing.go_to(aim, self.say)
        self.messages.focus()

    def _go_to_line(self, words: str | None) -> None:
        detail = self.detail.detail
        if words and detail is not None:
            try:
                self.detail.lines.go_to_line(line_of(detail, words))
            except ValueError as error:
                self.fail(error)

    def action_columns(self) -> None:
        """Ask which columns the list is to have; they are remembered."""
        choices = [(column.id, column.words) for column in columns.ALL]
        title = "Columns of the list, as far as there is room"
        self.app.push_screen(ChooseSome(title, choices, self.messages.columns, columns.USUAL), self._have_columns)

    def _have_columns(self, chosen: list[str] | None) -> None:
        if chosen is not None:
            self.messages.columns = columns.known(chosen)
            self.messages.refresh()
            self.session.remember(COLUMNS, ",".join(self.messages.columns))
            if left_out := columns.fit(self.messages.columns, self.messages.size.width).left_out:
                self.say(f"no room here for: {', '.join(column.heading for column in left_out)}")

    # -- help and explanations

    def action_help(self) -> None:
        """Show what the keys do."""
        lines = list(help_lines(self.session.keys, read_only=self.session.read_only))
        self.app.push_screen(Reading("Keys", lines))

    def action_explain(self) -> None:
        """Say what the reason of the message under the cursor means."""
        row = self.current
        if row is not None:
            self.ask(lambda db: _explanation(db, row.seq), lambda lines: self.read("Explain", lines))

    # -- dead letters

    def action_groups(self) -> None:
        """Show the dead letters of the queue by reason and destination; one group can be chosen."""
        q_name, source = self.messages.q_name, self.listing.source
        if source is None:
            return

        def show(seen: Any) -> None:
            if not isinstance(seen, Grouping) or job.cancelled.is_set():
                return
            if found := seen.groups():
                groups = Groups(q_name, found, can_mark=not self.session.read_only)
                self.show_when_free(groups, lambda group: self.group_chosen(q_name, source.queue_id, group))
            else:
                self.say("no messages that anybody could get")

        job = self.job_apart(
            f"Group the dead letters on {q_name}",
            "looked at",
            lambda db: read_groups(db, source.queue_id),
            None if self.listing.filter else self.messages.total,
            done=show,
            is_quiet=True,
        )

    def group_chosen(self, q_name: str, queue_id: int, group: Group | None) -> None:
        """Take the group that was chosen. A session that only reads has no use for it: see ``Actions``."""

    def action_rules(self) -> None:
        """Ask for a rules table, and show what it would do with what is marked, or with all that is listed."""
        q_name = self.messages.q_name
        if q_name:
            keys = self.marked_or_found
            self.app.push_screen(
                AskLine(f"Rules table (file), for {self._about(keys)} on {q_name}"),
                lambda path: self._read_rules(path, keys) if path else None,
            )

    @property
    def marked_or_found(self) -> frozenset[int] | None:
        """The keys of what is marked here, else of what the filter has found; None where neither is."""
        source = self.listing.source
        found = source.keys if isinstance(source, HitsSource) else None
        return frozenset(self.messages.ours) or (None if found is None else frozenset(found))

    def _about(self, keys: Collection[int] | None) -> str:
        return f"all {counted(self.messages.total)}" if keys is None else counted(len(keys))

    def _read_rules(self, path: str, keys: Collection[int] | None) -> None:
        def read(value: Any) -> None:
            if isinstance(value, RulesTableError):
                self.read(f"{path} has mistakes", [str(mistake) for mistake in value.mistakes])
            elif isinstance(value, Exception):
                self.fail(value)
            else:
                self._rehearse(value, keys)

        self.session.reader.ask(lambda _: _read_table(os.path.expanduser(path)), read)

    def _rehearse(self, table: RulesTable, keys: Collection[int] | None) -> None:
        """Show what a rules table would do with each message, and offer to run it where something may be changed."""
        q_name = self.messages.q_name

        def show(seen: Any) -> None:
            if not isinstance(seen, Rehearsal):
                return
            runs = {} if self.session.read_only else {"!": "run"}
            title = f"{table.name} on {q_name}: nothing is done yet" + ("; ! runs it" if runs else "")
            lines = seen.lines(is_whole=not job.cancelled.is_set())
            self.show_when_free(Reading(title, lines, runs), lambda answer: self.rehearsed(table, q_name, keys, answer))

        job = self.job_apart(
            f"Dry run of {table.name} on {q_name}",
            "looked at",
            lambda db: rehearse(db, table, q_name, keys),
            self.messages.total if keys is None else len(keys),
            done=show,
            is_quiet=True,
        )

    def rehearsed(self, table: RulesTable, q_name: str, keys: Collection[int] | None, answer: str | None) -> None:
        """Take the answer to a dry run. A session that only reads can do no more: see ``Actions``."""

    # -- text and files

    def action_yank(self) -> None:
        """Ask what to copy to the terminal's clipboard."""
        if self.messages.q_name:
            self.app.push_screen(Choose("Copy to the clipboard", _YANK), self._yank)

    def _yank(self, what: str | None) -> None:
        keys, row = self.chosen, self.current
        if what == "queue":
            self._copy(self.messages.q_name)
        elif what == "command":
            q_name, path = self.messages.q_name, self.session.path
            self.ask(lambda db: _command_line(db, path, q_name, keys), self._copy)
        elif what and row is not None:
            q_mgr_name, q_name = self.session.q_mgr_name, self.messages.q_name
            self.ask(lambda db: _text_of_message(db, row.seq, what, q_mgr_name, q_name), self._copy)

    def _copy(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.say(f"sent to the terminal's clipboard: {text[:60]}")

    def action_write(self) -> None:
        """Ask for a file, and write what is marked, or what is under the cursor, into it."""
        keys = self.chosen
        if keys:
            title = (
                f"Write {counted(len(keys))} from {self.messages.q_name} to (.jsonl, or any name for the bytes alone)"
            )
            self.app.push_screen(AskLine(title), lambda path: self._write(keys, path or ""))

    def _write(self, keys: list[int], path: str) -> None:
        path = os.path.expanduser(path)
        if path and os.path.lexists(path):
            question = f"{path} exists. Write {counted(len(keys))} over it?"
            self.app.push_screen(Ask(question, "Write"), lambda yes: self._write_now(keys, path) if yes else None)
        elif path:
            self._write_now(keys, path)

    def _write_now(self, keys: list[int], path: str) -> None:
        q_mgr_name, q_name = self.session.q_mgr_name, self.messages.q_name
        self.job_apart(
            f"Write {counted(len(keys))} from {q_name} to {path}",
            "wrote",
            lambda db: write_file(db, path, keys, q_mgr_name, q_name),
            len(keys),
        )


def _read_table(path: str) -> RulesTable:
    """Read a rules table. Raises RulesTableError, OSError."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return parse_rules_table(file.read(), path)


def _explanation(db: Database, seq: int) -> list[str]:
    """The words about the reason of a dead letter, the feedback of a report, or the type of any other message."""
    stored = messages.by_seq(db, seq)
    if stored is None:
        return ["the message is gone"]
    md = stored.md
    if md.format == MQFMT_DEAD_LETTER_HEADER:
        try:
            words = [str(read_dlh(md, messages.load_data(db, seq, BEGINNING_BYTES)).reason)]
        except MQError as error:
            return [error.text]
    elif md.msg_type == MQMT_REPORT:
        words = [str(md.feedback)]
    else:
        from mqtools.formats.descriptor import md_to_dict

        shown = md_to_dict(md)
        report = shown["report"] if isinstance(shown["report"], list) else []
        words = [str(shown["msg_type"]), str(shown["persistence"]), *map(str, report)]
    lines: list[str] = []
    for word in words:
        for meaning in lookup.explain(word):
            lines += [f"{meaning.name}  {meaning.value}", f"    {meaning.meaning}"]
            lines += [f"    What to do: {meaning.what_to_do}", ""] if meaning.what_to_do else [""]
    return lines or ["there is nothing to explain"]


def _command_line(db: Database, path: str, q_name: str, keys: list[int]) -> str:
    """Give the command that shows the same messages. Raises ValueError: too many for one."""
    if len(keys) > _MOST_IDS:
        raise ValueError(f"{counted(len(keys))} are too many for a command line; write them to a file")
    words = ["mqx", "browse", q_name, "-m", path, "--all-states"]
    for seq in keys:
        stored = messages.by_seq(db, seq)
        if stored is not None:
            words += ["--msg-id", stored.md.msg_id.hex().upper()]
    return shlex.join(words)


def _text_of_message(db: Database, seq: int, what: str, q_mgr_name: str, q_name: str) -> str:
    stored = messages.by_seq(db, seq)
    if stored is None:
        raise MQError("the message is gone", 2033)
    if what == "id":
        return stored.md.msg_id.hex().upper()
    if what == "json":
        return envelope_text(db, stored, q_mgr_name, q_name)
    data = messages.load_data(db, seq, _MOST_COPIED)
    if what == "hex":
        return "\n".join(hexdump(data, ebcdic=True))
    return text_of(data, stored.md.coded_char_set_id, stored.md.encoding, is_cut=True)

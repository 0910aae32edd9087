"""The queue manager of a test as one elsewhere: served in this process, and reached by the client protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi.connection import connect
from mqtools.network.dispatch import Service
from mqtools.network.listener import Listener

from ..listening import listening

REMOTE, READ_ONLY = "ELSEWHERE", "ELSEWHERE.RO"
CHANNEL = "DEV.ADMIN.SVRCONN"

#: Commands that work elsewhere.
COMMANDS = ("put", "get", "browse", "qdepth", "mqsc", "dlq-handle", "load", "unload", "move", "copy", "pub", "sub")
#: Options of these that only a queue manager of mqx offers, and those of which no message is sent.
_HERE = {
    *("--all-states", "--at", "--check", "--confirm-id", "--dead-letter", "--delay", "--deliver-at", "--dry-run"),
    *("--exec", "--explain", "--help", "--lease", "--live", "--lock-id", "--mark", "--no-trash", "--once", "--qmgr"),
    *("--read-only", "--redrive", "--reference", "--skip-unsupported", "--unmarked"),
    *("--watch", "-m"),
}
#: Options that get --exec lacks there.
_WITHOUT_EXEC = {"--exec-batch", "--complete", "--logical-order", "--all-available", "--dry-run"}


@contextmanager
def served(path: str) -> Iterator[int]:
    """Serve a queue manager to this user; yield the port."""
    with connect(path) as connection:
        run_mqsc(connection, "ALTER QMGR CHLAUTH(DISABLED)")
    listener = Listener(Service(path=path, connect=lambda: connect(path), note=lambda _: None), "127.0.0.1", 0)
    with listening(listener):
        yield listener.port


def write_remotes(home: Path, port: int) -> None:
    """Write the remotes of a home folder: one that may be changed, one that may not."""
    connection = f'connection = "127.0.0.1({port})"\nchannel = "{CHANNEL}"\n'
    text = f'[{REMOTE}]\n{connection}read_write = true\n["{READ_ONLY}"]\n{connection}'
    (home / "remotes.toml").write_text(text, encoding="utf-8")


def runs_elsewhere(words: Sequence[str]) -> bool:
    """Return whether a command line works on a queue manager elsewhere."""
    options = {word.partition("=")[0] for word in words}
    if words and words[0] == "dlq-handle":
        options -= {"--once", "--dry-run", "--explain", "--redrive"}
    if words and words[0] == "get" and not options & _WITHOUT_EXEC:
        options.discard("--exec")
    return bool(words) and words[0] in COMMANDS and not options & _HERE


_PROPERTIES = "properties travel in an MQRFH2, which the queue manager keeps as data"
_HELD = "what is locked or uncommitted cannot be seen"
_FILE = "it is about the file of the queue manager, or has it changed during the command"
_MADE_HERE = "the words, keys or warnings are those of our own queue manager"
_CHECKED = "a queue manager elsewhere checks headers that a load here does not"
_YES = "--yes, which a change needs there, answers another question, too"

#: Test to the reason why it is different elsewhere.
DIFFERENT = {
    "test_nothing_changes": _FILE,
    "test_what_a_dead_process_has_got_is_shown_again": _HELD,
    "test_an_inhibited_queue_is_8_and_all_states_reads_it": _MADE_HERE,
    "test_an_ended_queue_manager": _FILE,
    "test_a_dead_letter_with_a_damaged_header_shows_its_bytes": _CHECKED,
    "test_a_dead_letter_whose_header_is_damaged_loads_to_the_byte": _CHECKED,
    "test_a_message_without_all_of_its_data_is_said": _FILE,
    "test_a_damaged_message_is_named_and_left_out": _FILE,
    "test_only_what_is_selected_arrives": _PROPERTIES,
    "test_values_are_never_part_of_the_command": _PROPERTIES,
    "test_properties_are_in_the_environment": _PROPERTIES,
    "test_nul_in_a_value_is_made_visible": _PROPERTIES,
    "test_value_too_long_for_an_environment": _PROPERTIES,
    "test_values_too_long_together": _PROPERTIES,
    "test_a_failing_message_is_tried_to_the_threshold": _PROPERTIES,
    "test_a_message_inherits_priority": _PROPERTIES,
    "test_a_batch_is_json_lines": _PROPERTIES,
    "test_a_wait_ends_with": _PROPERTIES,
    "test_a_selection_is_of_the_messages_of_the_file": _PROPERTIES,
    "test_a_header_names_its_targets": _PROPERTIES,
    "test_every_field_of_the_descriptor_survives": _PROPERTIES,
    "test_headers_stay_with_the_first_segment": _PROPERTIES,
    "test_a_locked_message_is_not_there": _HELD,
    "test_what_is_locked_or_uncommitted_is_passed_over": _HELD,
    "test_what_is_held_is_left_out_and_that_is_said": _HELD,
    "test_the_oldest_message_counts_whatever_its_state": _HELD,
    "test_ids_without_a_lease_are_counted": _HELD,
    "test_a_lock_that_ended_does_not_count": _HELD,
    "test_an_unknown_queue_is_5_with_a_suggestion": _MADE_HERE,
    "test_a_wrong_name_gets_a_suggestion": _MADE_HERE,
    "test_json_output_": _MADE_HERE,
    "test_every_mistake_is_said_with_its_place": _MADE_HERE,
    "test_the_caret_stands_under_its_column": _MADE_HERE,
    "test_definitions_that_are_not_supported_lead_to": _MADE_HERE,
    "test_each_kind_of_object_has_the_messages_of_runmqsc[SERVICE": "what starts a program is not set from afar",
    "test_openmetrics_has_counters_of_queues_with_statistics": _FILE,
    "test_a_delayed_message": _FILE,
    "test_what_makes_no_reference": _MADE_HERE,
    "test_no_reply_in_time_is_status_3": _HELD,
    "test_message_of_a_killed_run_is_given_to_nobody": _HELD,
    "test_a_report_of_failure_is_in_the_hint": _HELD,
    "test_bytes_that_are_no_text_are_a_mistake": _MADE_HERE,
    "test_what_has_no_effect_is_said_once": _MADE_HERE,
    "test_ages_are_compared_in_milliseconds": "the age of the oldest message has whole seconds",
    "test_a_file_that_has_something_in_it": _YES,
    "test_one_file_a_message": _YES,
    "test_a_move_ended_by_sigterm": _FILE,
    "test_a_parquet_file_is_private": _FILE,
    "test_options_that_a_parquet_file_cannot_have": _FILE,
    "test_the_file_of_the_queue_manager_is_only_read": _FILE,
    "test_sigterm_is_0_for_a_service_and_143_for_one_pass": _FILE,
}


def difference(name: str) -> str:
    """Return why a test is different elsewhere, empty where it is not."""
    return next((reason for begin, reason in DIFFERENT.items() if name.startswith(begin)), "")

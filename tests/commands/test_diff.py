"""``mqx diff``: what is only on one side, and what differs."""

from __future__ import annotations

import json

import pytest

Q, R = "DEV.QUEUE.1", "DEV.QUEUE.2"


def test_a_copy_is_the_same(qm, here):
    here("put", Q, "a", "b", "--property", "x=1", "--expiry", "1h", check=True)
    here("copy", Q, R, check=True)
    same = here("diff", Q, R, "-o", "json")
    assert (same.status, same.out) == (0, b"[]\n")
    assert "0 messages only in A, 0 only in B, 0 different, 2 the same" in same.err
    here("lock", R, check=True)
    assert here("diff", f"QM1:{Q}", f"QM1:{R}").status == 0


def test_rows_name_the_side_and_the_fields(qm, here):
    here("put", Q, "a", "b", check=True)
    here("copy", Q, R, check=True)
    here("put", R, "c", check=True)
    first, second, third = (message["md"]["msg_id"] for message in here("browse", R, "-o", "jsonl").rows)
    here("delete", R, "--msg-id", first, check=True)
    here("edit", R, "--msg-id", second, "--set", "priority=7", check=True)
    done = here("diff", Q, R, "-o", "jsonl").ended(1)
    assert done.rows == [
        {"side": "a", "msg_id": first, "fields": []},
        {"side": "both", "msg_id": second, "fields": ["priority"]},
        {"side": "b", "msg_id": third, "fields": []},
    ]


def test_by_a_key_of_fields_and_properties(qm, here):
    for queue in (Q, R):
        here("put", queue, "a", "--property", "order=1", "--correl-id", "AA", check=True)
    assert here("diff", Q, R).status == 1
    ignored = ("--key", "order,correl_id,put_time,put_date")
    assert here("diff", Q, R, *ignored[:1], "order,put_time").status in (0, 1)
    here("put", R, "b", "--property", "order=2", check=True)
    (row,) = (row for row in here("diff", Q, R, "--key", "order", "-o", "jsonl").rows if row["side"] == "b")
    assert row == {"side": "b", "order": "2", "fields": []}
    here("diff", Q, R, "--key", "oder").ended(2, "no message has a property")
    assert here("diff", Q, R, "--key", "order,").status == 2


def test_a_queue_and_its_dump(qm, here, tmp_path):
    here("put", Q, "a", "b", "--property", "x=1", "--expiry", "1h", check=True)
    here("unload", Q, f"{tmp_path}/q.dump", check=True)
    here("unload", Q, f"{tmp_path}/q.jsonl", "--jsonl", check=True)
    for file in ("q.dump", f"{tmp_path}/q.jsonl", "./q.dump"):
        assert here("diff", Q, file).status == 0
    (tmp_path / "bad.dump").write_text("* QLOAD\nA VER x\n")
    here("diff", Q, "bad.dump").ended(2, "bad.dump:2:")


def test_an_archive(qm, here, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    here("put", Q, "a", "b", "--property", "x=1", check=True)
    found = here("browse", Q, "-o", "jsonl", check=True).rows
    table = {
        "msg_id": [message["md"]["msg_id"] for message in found],
        **{
            name: [message["md"][name] for message in found]
            for name in ("encoding", "coded_char_set_id", "format", "priority", "user_identifier", "put_appl_name")
        },
        **{name: [message["md"][name] for message in found] for name in ("put_date", "put_time", "expiry")},
        "persistence": [1, 1],
        "put_appl_type": [6, 6],
        "msg_type": [8, 8],
        "properties_json": [json.dumps(message["properties"]) for message in found],
        "data": [message["data"].encode() for message in found],
    }
    folder = tmp_path / "archive" / "queue=Q"
    folder.mkdir(parents=True)
    parquet.write_table(arrow.table(table), folder / "part.parquet")
    assert here("diff", Q, str(tmp_path / "archive")).out == b""
    parquet.write_table(arrow.table({**table, "event": ["put", "put"]}), folder / "part.parquet")
    assert here("diff", Q, str(tmp_path / "archive")).status == 2


@pytest.mark.parametrize(
    ("other", "status", "words"),
    [
        ("NOPE", 5, "NOPE is neither a queue nor a file"),
        ("/no/such/file", 5, "/no/such/file is neither a queue nor a file"),
        ("QM7:Q", 5, "there is no queue manager QM7"),
        (f"QM1:{Q}@lunch", 2, "'lunch' is not a time"),
        (f"{Q}@-1h", 2, "JOURNAL(BODY)"),
        (".", 2, "not an archive"),
    ],
)
def test_what_cannot_be_read(qm, here, other, status, words):
    here("diff", Q, other).ended(status, words)

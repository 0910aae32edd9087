"""Metrics for Prometheus."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from mqtools.formats.openmetrics import exposition


def test_a_depth_is_a_gauge_with_queue_manager_and_queue() -> None:
    assert list(exposition([{"name": "ORDERS", "depth": 5}, {"name": "B", "depth": 0}], qmgr="QM1")) == [
        "# TYPE mqx_queue_depth gauge",
        "# HELP mqx_queue_depth Messages on the queue, uncommitted puts included.",
        'mqx_queue_depth{qmgr="QM1",queue="ORDERS"} 5',
        'mqx_queue_depth{qmgr="QM1",queue="B"} 0',
        "# EOF",
    ]


def test_a_metric_is_one_block_whatever_the_number_of_queues() -> None:
    rows: list[dict[str, object]] = [{"name": name, "depth": 1, "max_depth": 5} for name in "AB"]
    metrics = [line.split("{")[0] for line in exposition(rows, qmgr="Q") if not line.startswith("#")]
    assert metrics == ["mqx_queue_depth"] * 2 + ["mqx_queue_max_depth"] * 2


def test_label_values_are_escaped() -> None:
    lines = list(exposition([{"name": 'a"b\\c\nd', "depth": 1}], qmgr="Q"))
    assert lines[2] == 'mqx_queue_depth{qmgr="Q",queue="a\\"b\\\\c\\nd"} 1'


def test_null_gives_no_sample_and_an_unknown_key_no_metric() -> None:
    lines = list(exposition([{"name": "A", "oldest_age_s": None, "secret": 4}], qmgr="Q"))
    assert lines[0] == "# TYPE mqx_queue_oldest_age_seconds gauge"
    assert lines[1] == "# UNIT mqx_queue_oldest_age_seconds seconds"
    assert [line for line in lines if not line.startswith("#")] == []


def test_times_become_unix_seconds() -> None:
    lines = list(exposition([{"name": "A", "last_put": "1970-01-01T00:01:00.500Z", "last_get": "never"}], qmgr="Q"))
    assert [line for line in lines if not line.startswith("#")] == [
        'mqx_queue_last_put_timestamp_seconds{qmgr="Q",queue="A"} 60.5'
    ]


def test_nothing_at_all_is_still_a_complete_document() -> None:
    assert list(exposition([], qmgr="Q")) == ["# EOF"]


def test_the_disk_of_a_queue_manager_has_gauges_without_a_queue() -> None:
    disk: dict[str, object] = {"qmgr": "QM1", "disk_free": 5, "disk_limit": 7, "puts_refused": True}
    lines = list(exposition([{"name": "A", "depth": 1}, disk], qmgr="QM1"))
    assert [line for line in lines if not line.startswith("#")][1:] == [
        'mqx_disk_free_bytes{qmgr="QM1"} 5',
        'mqx_disk_free_limit_bytes{qmgr="QM1"} 7',
        'mqx_disk_full{qmgr="QM1"} 1',
    ]


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
QUEUES = st.fixed_dictionaries(
    {"name": TEXTS, "depth": st.integers(0, 1 << 40)},
    optional={
        "oldest_age_s": st.none() | st.integers(0, 9999),
        "last_put": st.just("2026-11-28T10:00:00.5Z"),
        **{key: st.integers(0, 1 << 60) for key in ("arrivals", "puts", "gets", "put_bytes", "get_bytes")},
    },
)
STATES = ("inactive", "binding", "running", "retrying", "stopping", "stopped", "indoubt")
CHANNELS = st.fixed_dictionaries(
    {
        "channel": TEXTS,
        "partner": TEXTS,
        "state": st.sampled_from(STATES),
        "messages": st.integers(0, 1 << 40),
        "bytes": st.integers(0, 1 << 60),
    }
)
DISK: dict[str, object] = {"disk_free": 5, "disk_limit": 7, "puts_refused": False}


@given(
    st.lists(QUEUES, max_size=3, unique_by=lambda row: row["name"]),
    st.lists(CHANNELS, max_size=3, unique_by=lambda row: (row["channel"], row["partner"])),
)
def test_prometheus_reads_each_family_with_its_samples(
    queues: list[dict[str, object]], channels: list[dict[str, object]]
) -> None:
    text = "".join(f"{line}\n" for line in exposition([*queues, *channels, DISK], qmgr='Q"M\\'))
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for key, name in (("depth", "mqx_queue_depth"), ("puts", "mqx_queue_puts"), ("put_bytes", "mqx_queue_put_bytes")):
        expected = {row["name"]: row[key] for row in queues if key in row}
        samples = families[name].samples if name in families else []
        assert {sample.labels["queue"]: sample.value for sample in samples} == expected
    if channels:
        is_in = [sample for sample in families["mqx_channel_state"].samples if sample.value]
        assert {(each.labels["channel"], each.labels["state"]) for each in is_in} == {
            (row["channel"], row["state"]) for row in channels
        }
        assert families["mqx_channel_bytes"].unit == "bytes"
    assert {family.type for family in families.values()} <= {"gauge", "counter"}  # which the textfile collector takes

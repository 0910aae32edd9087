"""Queue depths for Prometheus."""

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

"""``mqx man``: pages without an installation."""

from __future__ import annotations


def test_a_page_is_plain_text_in_a_pipe(mqx):
    page = mqx("man", "dlq-handle", check=True).out
    assert b"mqx-dlq-handle - " in page
    assert b"\x1b" not in page
    assert b"\x08" not in page


def test_without_a_topic_it_is_the_page_of_mqx_and_there_is_one_of_the_states(mqx):
    assert b"mqx-put(1)" in mqx("man", check=True).out
    assert b"browse with lock" in mqx("man", "states", check=True).out


def test_a_page_has_the_name_that_man_knows_too(mqx):
    for known, words in (("mqx", []), ("mqx-states", ["states"])):
        assert mqx("man", known, "-o", "raw", check=True).out == mqx("man", *words, "-o", "raw").out


def test_raw_is_the_page_as_it_is_written(mqx):
    assert mqx("man", "put", "-o", "raw", check=True).out.startswith((b".", b"'"))


def test_where_nothing_can_show_it_the_page_itself_comes(mqx, tmp_path):
    page = mqx("man", "put", "-o", "raw").out
    assert mqx("man", "put", PATH=str(tmp_path)).out == page


def test_a_page_that_is_not_there_is_a_mistake(mqx):
    for topic in ("nope", "../mqx-put", "put/../put", "."):
        done = mqx("man", topic)
        assert (done.status, done.out) == (2, b"")
        assert "no manual page for" in done.err
    assert mqx("man", "put", "-o", "json").status == 2

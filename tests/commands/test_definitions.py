"""Definitions on the command line: ``mqx qmgr export``, output of dmpmqcfg, channels in MQSC."""

from __future__ import annotations


def test_an_export_recreates_a_queue_manager(inline, qm):
    inline("mqsc", "DEFINE QLOCAL(ORDERS) BOTHRESH(3)", "DEFINE TOPIC(T) TOPICSTR('a/b')", check=True)
    text = inline("qmgr", "export", "QM1", check=True).out
    inline("qmgr", "create", "QM2", check=True)
    inline("mqsc", "-m", "QM2", stdin=text, check=True)
    assert inline("--read-only", "qmgr", "export", "QM2", check=True).out == text


def test_output_of_dmpmqcfg_is_taken(inline, qm):
    text = b"DEFINE QLOCAL('A') +\n   FOO(1) +\n   MAXDEPTH(7)\nSET LOG TYPE(X)\n"
    done = inline("mqsc", "--skip-unsupported", stdin=text, check=True)
    assert done.err == "skipped: line 1: FOO\nskipped: line 4: SET LOG TYPE(X)\n"
    assert b"MAXDEPTH(7)" in inline("mqsc", "DISPLAY QLOCAL(A) MAXDEPTH").out
    assert inline("mqsc", stdin=text).status == 1


def test_one_error_line_for_each_command_that_failed(inline, qm):
    done = inline("mqsc", "DELETE QLOCAL(A)", "DEFINE QLOCAL(B)", "PING CHANNEL(C)").ended(9)
    assert done.err.splitlines() == [
        "mqx: mqsc: line 1: DELETE QLOCAL(A): queue A does not exist (MQRC_UNKNOWN_OBJECT_NAME 2085)",
        "mqx: mqsc: line 3: PING CHANNEL(C): channel C does not exist (MQRC_UNKNOWN_CHANNEL_NAME 2540)",
    ]


def test_channels_are_pinged_and_started_by_mqsc(inline, qm, eventually):
    inline("qmgr", "create", "QM2", check=True)
    inline("mqsc", "-m", "QM2", "DEFINE CHANNEL(A) CHLTYPE(RCVR)", "DEFINE QLOCAL(FAR)", check=True)
    sender = "DEFINE CHANNEL(A) CHLTYPE(SDR) XMITQ(QM2) CONNAME('qmgr:QM2')"
    inline("mqsc", "-m", "QM1", "DEFINE QLOCAL(QM2) USAGE(XMITQ)", sender, check=True)
    assert b"AMQ8020I" in inline("mqsc", "-m", "QM1", "PING CHANNEL(A)", check=True).out
    inline("put", "-m", "QM1", "FAR@QM2", "hello", check=True)
    assert b"AMQ8018I" in inline("mqsc", "-m", "QM1", "START CHANNEL(A)", check=True).out
    try:
        eventually(lambda: inline("-m", "QM2", "qdepth", "FAR", "--count").out == b"1\n")
    finally:
        inline("mqsc", "-m", "QM1", "STOP CHANNEL(A)", check=True)

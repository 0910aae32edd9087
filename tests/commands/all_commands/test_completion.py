"""``mqx completion``: what is offered, by real shells where there are any, and what is never done."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from ..conftest import script


@pytest.fixture
def offered(environment):
    """Ask as the shell's script does: the words so far, the last of them being completed."""

    def ask(line):
        words = line.split(" ")
        asked = {**environment, "_MQX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        done = subprocess.run([script()], env=asked, capture_output=True, check=False, timeout=60)
        assert done.stderr == b""
        return [word.partition(",")[2] for word in done.stdout.decode().split()]

    return ask


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mqx pu", ["put", "pub", "pull", "push"]),
        ("mqx qmgr st", ["start"]),
        ("mqx get DEV.D", ["DEV.DEAD.LETTER.QUEUE"]),
        ("mqx get Q --all-", ["--all-available"]),
        ("mqx put DEV.QUEUE", ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]),
        ("mqx move DEV.QUEUE.1 DEV.Q", ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]),
        ("mqx qdepth DEV.D", ["DEV.DEAD.LETTER.QUEUE"]),
        ("mqx put DEV.QUEUE.1 --reply-to DEV.D", ["DEV.DEAD.LETTER.QUEUE"]),
        ("mqx -m Q", ["QM1"]),
        ("mqx browse -m Q", ["QM1"]),
        ("mqx qmgr display Q", ["QM1"]),
        ("mqx channel receive Q", ["QM1"]),
        ("mqx browse DEV.QUEUE.1 -o js", ["json", "jsonl"]),
        ("mqx dlq-handle --reason MQRC_Q_FU", ["MQRC_Q_FULL"]),
        ("mqx put DEV.QUEUE.1 --type re", ["reply", "report", "request"]),
        ("mqx man sta", ["states", "stats"]),
        ("mqx man qm", ["qmgr"]),
        ("mqx config explain h", ["home"]),
        ("mqx config set h", []),
        ("mqx config set trash.", ["trash.max_age", "trash.max_size"]),
        ("mqx config unset def", ["default_qmgr"]),
        ("mqx completion ", ["bash", "fish", "zsh"]),
        ("mqx explain BROWSE-1", [f"BROWSE-{number}" for number in range(10, 20)]),
        ("mqx explain MQRC_Q_FU", ["MQRC_Q_FULL"]),
        ("mqx unload DEV.QUEUE.1 MQRC_Q_FU", []),
    ],
)
@pytest.mark.usefixtures("qm")
def test_words_and_names_are_completed(offered, line, words):
    assert offered(line) == words


@pytest.mark.usefixtures("qm")
def test_channels_are_completed(mqx, offered):
    for name in ("QM1.TO.QM2", "QM2.TO.QM1"):
        mqx("channel", "define", name, "CHLTYPE(RCVR)", check=True)
    assert offered("mqx channel stop QM1") == ["QM1.TO.QM2"]
    assert offered("mqx channel status ") == ["DEV.ADMIN.SVRCONN", "DEV.APP.SVRCONN", "QM1.TO.QM2", "QM2.TO.QM1"]


@pytest.mark.parametrize("before", ["", "-m QM1 "])
def test_ids_of_the_queue_on_the_line_are_completed(mqx, qm, offered, before):
    msg_id = mqx("put", "DEV.QUEUE.1", "x", "--print-id", check=True).out.decode().strip()
    mqx("put", "DEV.QUEUE.2", "x", check=True)
    assert offered(f"mqx get DEV.QUEUE.1 {before}--msg-id {msg_id[:7]}") == [msg_id]


def test_where_there_is_nothing_nothing_is_offered_and_nothing_made(offered, environment):
    assert offered("mqx put DEV") == []
    assert offered("mqx put -m NOPE DEV") == []
    assert offered("mqx get Q --msg-id zz") == []
    assert not os.path.exists(environment["MQX_HOME"])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_mqx(mqx, shell):
    text = mqx("completion", shell, check=True).out.decode()
    assert f"_MQX_COMPLETE={shell}_complete" in text


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/mqx"),
        ("zsh", ".local/share/zsh/site-functions/_mqx"),
        ("fish", "config/fish/completions/mqx.fish"),
    ],
)
def test_install_writes_where_the_shell_looks(mqx, tmp_path, shell, place):
    done = mqx("completion", shell, "--install", check=True, XDG_DATA_HOME="")
    assert done.out == b""
    assert (tmp_path / place).read_bytes() == mqx("completion", shell).out


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed here")
def test_bash_completes_a_queue(mqx, qm, environment):
    program = (
        f'PATH="$(dirname {script()}):$PATH"; source <(mqx completion bash); COMP_WORDS=(mqx put DEV.D);'
        " COMP_CWORD=2; _mqx_completion mqx; echo ${COMPREPLY[*]}"
    )
    done = subprocess.run(["bash", "-c", program], env=environment, capture_output=True, check=False, timeout=60)
    assert done.stdout == b"DEV.DEAD.LETTER.QUEUE\n"

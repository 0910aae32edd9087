"""What a session on this machine starts Java with."""

from __future__ import annotations

import shutil
import subprocess

import pytest

pytest.importorskip("pyspark")

from mqtools.pipeline import session


def test_java_knows_the_options_it_is_started_with() -> None:
    """It would pass over one that is misspelt."""
    java = shutil.which("java") or pytest.skip("there is no Java")
    options = [option for option in session.LOCAL["spark.driver.extraJavaOptions"].split() if option != session.LENIENT]
    done = subprocess.run([java, *options, "-version"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr

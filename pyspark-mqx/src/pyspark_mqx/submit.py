"""Program for spark-submit: ``spark-submit $(mqx pipeline --submit-file) pipeline triage --queue DLQ``."""

from __future__ import annotations

from runpy import run_module

if __name__ == "__main__":
    run_module("mqtools", run_name="__main__")

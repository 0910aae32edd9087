"""Program for spark-submit: ``spark-submit $(mqx pipeline --submit-file) pipeline triage --queue DLQ``."""

from __future__ import annotations

import sys

from mqtools.commands import main  # noqa: TID251 - the installed script, with a name that Spark takes for Python

if __name__ == "__main__":
    sys.exit(main())

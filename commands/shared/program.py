"""Command line that runs mqx again, in its own process."""

from __future__ import annotations

import sys

#: Begins such a line. -P: no module comes from the working directory, where a stranger may have put one.
AGAIN = (sys.executable, "-P", "-m", "mqtools")

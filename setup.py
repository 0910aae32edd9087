"""Build a wheel whose command starts fast: what pyproject.toml cannot say.

pip writes a file of its own for an entry point, and before version 25 that file imports ``re``, which takes a fifth of
the time of a put. So a wheel carries ``bin/mqx`` and no console entry points. An editable install has the entry point.

And it carries the modules of the everyday commands once more, compiled, in one file: see ``bundle.py``.
"""

from __future__ import annotations

import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

SCRIPTS = ["bin/mqx"]
BUNDLE_WRITER = Path(__file__).with_name("bundle.py")


class BuildWheel(bdist_wheel):
    """Builds a wheel with the scripts of the project in the place of its console entry points, and the bundle."""

    has_scripts = False

    def run(self) -> None:
        """Build the wheel. An editable one is built by another command, which does not come here."""
        self.distribution.scripts = SCRIPTS
        self.has_scripts = True
        super().run()

    def write_wheelfile(self, wheelfile_base: str, *arguments: object, **named: object) -> None:
        """Write the last file of the metadata, which is complete then, as the packages are."""
        super().write_wheelfile(wheelfile_base, *arguments, **named)
        if self.has_scripts:
            remove_console_scripts(Path(wheelfile_base, "entry_points.txt"))
            root = Path(wheelfile_base).parent.absolute()
            # The columns of a traceback's lines are the part of compiled code that takes a while to load.
            subprocess.run([sys.executable, "-X", "no_debug_ranges", BUNDLE_WRITER, root], check=True)


def remove_console_scripts(path: Path) -> None:
    """Remove the entry points that an installer would make scripts of, and write over ours."""
    entry_points = ConfigParser(delimiters=("=",), interpolation=None)
    entry_points.optionxform = str  # type: ignore[assignment, method-assign]
    entry_points.read(path, encoding="utf-8")
    entry_points.remove_section("console_scripts")
    with path.open("w", encoding="utf-8") as file:
        entry_points.write(file)


setup(cmdclass={"bdist_wheel": BuildWheel})

"""The project's folder, its project file, and where its command is."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]

(SCRIPT,) = entry_points(group="console_scripts", name="mqx")
PACKAGE = SCRIPT.load().__module__

"""``python -m mqtools``: the same command as ``mqx``."""

from __future__ import annotations

from importlib import import_module

if __name__ == "__main__":
    import_module("mqtools.commands").main()

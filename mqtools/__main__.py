"""``python -m mqtools``: the same command as ``mqx``."""

from __future__ import annotations

from mqtools.commands import main  # noqa: TID251 - the command itself, under the name of its package

if __name__ == "__main__":
    main()

"""Class ``PCFExecute``: a method for each PCF command, and the replies as dictionaries."""

from __future__ import annotations

from typing import Any

from mqtools.bindings.standin.constants import NamesByValue
from mqtools.bindings.standin.errors import ensure_not_unicode
from mqtools.bindings.standin.pcf_commands import PCFCommands, unpack_message
from mqtools.bindings.standin.queue_manager import QueueManager
from mqtools.constants import cmqc, cmqcfc


class _Method:
    """One command, called like a method."""

    def __init__(self, executor: PCFExecute, name: str) -> None:
        self.executor = executor
        self.name = name

    def __getattr__(self, name: str) -> _Method:
        return _Method(self.executor, f"{self.name}.{name}")

    def __call__(self, *args: Any) -> list[dict[int, Any]]:
        command = vars(cmqcfc)[self.name.rpartition(".")[2]]
        arguments = args[0] if args else {}
        filters = args[1] if len(args) > 1 else []
        return self.executor.execute(command, arguments or {}, filters or [])


class PCFExecute(PCFCommands, QueueManager):
    """Sender of commands. name: a connection, or the name of a queue manager to connect to."""

    iaStringDict = NamesByValue(cmqc, "MQIA_")
    caStringDict = NamesByValue(cmqc, "MQCA_")
    qm: Any = None

    def __init__(
        self,
        name: Any = None,
        disconnect_on_exit: bool = True,
        *args: Any,
        **options: Any,
    ) -> None:
        """args, options: further arguments of ``PCFCommands``."""
        if isinstance(name, QueueManager):
            self.qm = name
            QueueManager.__init__(self, None)
        else:
            QueueManager.__init__(self, name, disconnect_on_exit=disconnect_on_exit)
            self.qm = self
        PCFCommands.__init__(self, self.qm, *args, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Method(self, name)

    def disconnect(self) -> None:
        """Close the reply queue; the connection stays."""
        self.close()

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], Any]:
        """Return the values of a PCF message by selector, and its CFH. Raises NotImplementedError."""
        return unpack_message(message)

    @classmethod
    def stringify_keys(cls, raw_dict: dict[int, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in raw_dict.items():
            ensure_not_unicode(value)
            names = cls.caStringDict if isinstance(value, bytes) else cls.iaStringDict
            found[names.get(key) or key] = value
        return found

    stringifyKeys = stringify_keys

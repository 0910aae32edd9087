"""Modules of the everyday commands from one file, where a wheel has one: to find and open each of them costs more.

Importing some sixty modules takes a put six milliseconds of twenty, of which this saves the most. ``bundle.py`` writes
what put, get, browse and qdepth import, and the browser before its first rows, into ``modules.cpython-311``, or as the
Python that builds the wheel is called; any other Python, and an editable install, find no such file and import as
usual. So it is with a module that was changed since, and with all of them where a constant was: its value is in their
code.

What a command is known to import is loaded in one go, from a piece of the file that has all of it, each module after
those that it imports; what else it needs of the file is found there when it is imported.

This module, and the two that are imported before it, quote annotations: ``__future__`` is one more file to read.
"""

import gc
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import TypeAlias

    #: Module to the place of its code after the index, its length, whether it is a package, and the size of its source.
    Index: TypeAlias = dict[str, tuple[int, int, bool, int]]
    #: Place of the piece of a command, its length, and its modules.
    Piece: TypeAlias = tuple[int, int, Sequence[str]]

#: New objects before the garbage collector looks for cycles: more than the imports of a short command make.
_COLLECT_EVERY = 50_000
#: Seconds that an installer may take: a source that is newer than the file by more was changed.
_INSTALLING_S = 60
#: Bytes in front of the index: which Python can load the code, as in any compiled file, and the length of the index.
_VERSION, _HEAD = len(MAGIC_NUMBER), len(MAGIC_NUMBER) + 8
#: Bytes that are read at first: most often all of the index.
_BEGINNING = 32_768
#: The module that imports SQLite; it is to do so before others do.
_SQLITE = "mqtools.store.quick_import"


def install(words: "Sequence[str]") -> None:
    """Import modules from the file that lies beside this one, if there is one for this Python. Done once.

    words: of the command line. Those that the command is known to import are loaded at once.
    """
    gc.set_threshold(_COLLECT_EVERY)  # what is imported is garbage never
    if any(isinstance(finder, _Bundle) for finder in sys.meta_path):
        return
    folder = os.path.dirname(__file__)
    path = f"{folder}/modules.{sys.implementation.cache_tag}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    beginning = os.pread(descriptor, _BEGINNING, 0)
    if beginning[:_VERSION] != MAGIC_NUMBER:
        os.close(descriptor)
        return
    start = _HEAD + int.from_bytes(beginning[_VERSION:_HEAD], "little")
    if start > _BEGINNING:
        beginning = os.pread(descriptor, start, 0)
    index, commands, constants = loads(beginning[_HEAD:start])
    bundle = _Bundle(path, os.path.dirname(folder), descriptor, start, index)
    if not all(map(bundle.source, constants)):  # their values are in the code of others
        os.close(descriptor)
        return
    sys.meta_path.insert(0, bundle)
    for word in words:
        if word in commands:
            bundle.load(commands[word])
            return


class _Bundle:
    """The file: an index and the code of each module. root: the folder of the packages."""

    def __init__(self, path: str, root: str, descriptor: int, start: int, index: "Index") -> None:
        self._path = path
        self._descriptor = descriptor
        self._start = start
        self._index = index
        self._root = root
        self._newest = os.fstat(descriptor).st_mtime + _INSTALLING_S

    def source(self, name: str) -> str | None:
        """Return the source of a module; None where the file has not that module, or not as the source is now."""
        entry = self._index.get(name)
        if entry is None:
            return None
        _, _, is_package, size = entry
        source = f"{self._root}/{name.replace('.', '/')}{'/__init__' if is_package else ''}.py"
        try:
            found = os.stat(source)
        except OSError:
            return None
        return source if found.st_size == size and found.st_mtime <= self._newest else None

    def find_spec(
        self,
        name: str,
        path: "Sequence[str] | None" = None,  # noqa: ARG002
        target: "ModuleType | None" = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return where a module is imported from; None to look elsewhere."""
        source = self.source(name)
        if source is None:
            return None
        place, length, is_package, _ = self._index[name]
        loader = _Loader(name, source, self._descriptor, self._start + place, length)
        spec = ModuleSpec(name, loader, origin=source, is_package=is_package)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(source))
        spec.has_location = True
        spec.cached = self._path  # otherwise the place of what is not read is made up, which takes a while
        return spec

    def load(self, piece: "Piece") -> None:
        """Load modules as the import system does, but for its locks: they are in the order of their imports.

        Where one cannot be loaded the rest is left to be imported as usual, which says what is wrong.
        """
        modules = sys.modules
        new = type(sys)
        place, length, names = piece
        codes: "Sequence[CodeType]" = loads(os.pread(self._descriptor, length, self._start + place))
        for name, code in zip(names, codes, strict=True):
            if name in modules:
                continue
            spec = self.find_spec(name)
            if spec is None:
                return
            loader = spec.loader
            assert isinstance(loader, _Loader)
            module = new(name)
            package, _, last = name.rpartition(".")
            its = module.__dict__
            its.update(__spec__=spec, __loader__=loader, __file__=loader.path, __cached__=self._path)
            its["__package__"] = package if spec.submodule_search_locations is None else name
            if spec.submodule_search_locations is not None:
                its["__path__"] = spec.submodule_search_locations
            modules[name] = module
            _fix_co_filename(code, loader.path)  # where it was built is no place of this machine
            try:
                exec(code, its)
            except Exception:
                del modules[name]
                return
            setattr(modules[package], last, module)
            if name == _SQLITE:
                module.import_sqlite()


class _Loader(SourceFileLoader):
    """Loads a module's code from the file; all else about it is as its source says."""

    def __init__(self, name: str, source: str, descriptor: int, place: int, length: int) -> None:
        super().__init__(name, source)
        self._where = (descriptor, length, place)

    def get_code(self, fullname: str) -> "CodeType":  # noqa: ARG002
        code: "CodeType" = loads(os.pread(*self._where))
        _fix_co_filename(code, self.path)
        return code

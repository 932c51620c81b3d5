"""The on-disk cache of compiled kernels: never stale, never mixed up.

Numba's own cache looks only at the file of the cached function, so a kernel that was edited in one module lives on
inside a caller cached from another; and two processes that compile different specialisations of one function at the
same moment can write to the same data file. Both give wrong results without a word. Hence:

* the directory is named after a hash of *all* kernel sources (every package found through the entry points of games
  and engines included) and of the versions of Python, numba and llvmlite;
* every specialisation of a function has files of its own, and its compilation, and all reading and writing of these,
  happen under a file lock of its own, so that processes compile different kernels, or for different games, side by side
  (two kernels that call each other would wait for each other; one may call itself);
* what is kept carries a checksum: a file that is damaged counts as none, and is written anew;
* the user's own Numba configuration is neither read for this nor changed.

The directory is ``$MANCALA_AI_CACHE_DIR`` or the user's cache directory (platformdirs). Nothing is cached where it
cannot be written.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import pickle
import platform
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import filelock
import numba
import platformdirs
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

ENTRY_POINT_GROUPS = ("mancala_ai.games", "mancala_ai.engines")
CACHE_DIR_VARIABLE = "MANCALA_AI_CACHE_DIR"
COMPILING = "compiling kernels (once per version; a few seconds a game) ..."
"""What commands say when kernels have to be compiled."""
_CHECKSUM_BYTES = 16
_LOADING = 1.0  # seconds in which compiled code is loaded; whoever has a lock for longer compiles
UNUSED_AFTER_DAYS = 14  # a directory of other sources is removed when nothing has used it for so long


def cache_root() -> Path:
    """Returns the directory that holds one sub-directory per set of kernel sources."""
    override = os.environ.get(CACHE_DIR_VARIABLE)
    return Path(override) if override else Path(platformdirs.user_cache_dir("mancala-ai")) / "kernels"


def _sources_of(module: str) -> Iterator[Path]:
    """Yields every Python file of the package (or the one file of the module) that ``module`` belongs to."""
    spec = importlib.util.find_spec(module.partition(".")[0])
    if spec is None:
        return
    if spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            yield from Path(folder).rglob("*.py")
    elif spec.origin:
        yield Path(spec.origin)


def kernel_modules() -> set[str]:
    """Returns the names of the modules whose packages may contain kernels."""
    names = {__name__}
    for group in ENTRY_POINT_GROUPS:
        names.update(entry.module for entry in importlib.metadata.entry_points(group=group))
    return names


@functools.cache
def fingerprint() -> str:
    """Returns the hash of all kernel sources and of the versions of what compiles them, as 16 hex digits."""
    digest = hashlib.sha256()
    versions = (platform.python_implementation(), sys.version, numba.__version__, _llvmlite_version())
    digest.update(repr(versions).encode())
    for module in sorted({name.partition(".")[0] for name in kernel_modules()}):
        for path in sorted(_sources_of(module)):
            digest.update(f"\0{module}\0{'/'.join(path.parts[-3:])}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _llvmlite_version() -> str:
    return importlib.metadata.version("llvmlite")


@functools.cache
def cache_directory() -> Path | None:
    """Returns the directory for the present sources, made if missing; None when it cannot be written."""
    folder = cache_root() / fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # marks the directory as used, for _remove_unused
        with filelock.FileLock(folder / "lock", timeout=0):
            _remove_unused(folder)
    except filelock.Timeout:
        pass  # somebody cleans up already
    except OSError:
        return None
    return folder


def _remove_unused(current: Path) -> None:
    oldest = time.time() - UNUSED_AFTER_DAYS * 86400
    for folder in current.parent.iterdir():
        if folder != current and (folder / "lock").exists() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


class _Locator(_CacheLocator):
    """Tells Numba where a function's cache lies; freshness is the directory's name, so the stamp never changes."""

    def __init__(self, folder: Path, line: int) -> None:
        self._folder, self._line = folder, line

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return fingerprint()

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Impl(CompileResultCacheImpl):
    def __init__(self, py_func: Callable[..., Any], folder: Path, signature: Any) -> None:
        self._lineno = py_func.__code__.co_firstlineno
        self._locator = _Locator(folder / py_func.__module__, self._lineno)
        self._locator.ensure_cache_path()
        specialisation = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
        self._filename_base = f"{self.get_filename_base(py_func.__qualname__, '')}-{specialisation}"


class _Files(IndexDataCacheFile):
    """The files of a function's cache; compiled code stands behind its checksum."""

    def _save_data(self, name: str, data: Any) -> None:
        code = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(_checksum(code) + code)

    def _load_data(self, name: str) -> Any:
        stored = Path(self._data_path(name)).read_bytes()
        checksum, code = stored[:_CHECKSUM_BYTES], stored[_CHECKSUM_BYTES:]
        if checksum != _checksum(code):
            raise ValueError(f"{name}: damaged")
        return pickle.loads(code)


def _checksum(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_CHECKSUM_BYTES).digest()


class _Cache(FunctionCache):
    """The cache of one specialisation of a function, and its lock."""

    def __init__(self, py_func: Callable[..., Any], folder: Path, signature: Any) -> None:
        self._impl_class = functools.partial(_Impl, folder=folder, signature=signature)
        super().__init__(py_func)
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, fingerprint())
        self.lock = filelock.FileLock(Path(self.cache_path) / f"{self._impl.filename_base}.lock")

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # Numba would first load all that it can compile, SciPy's BLAS included: half a second which loading compiled
        # code does not need, but for the run-time library. A compilation, if there is one, loads the rest.
        rtsys.initialize(target_context)
        try:
            return self._load_overload(signature, target_context)
        except Exception:  # whatever reading a damaged file leads to
            with contextlib.suppress(OSError):
                self.flush()  # saving reads the index again
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # no room
            self._save_overload(signature, data)


def attach(dispatcher: Any) -> None:
    """Makes a Numba dispatcher keep its compiled code in the cache directory, and compile under file locks."""
    compile_signature = dispatcher.compile

    @functools.wraps(compile_signature)
    def compile_locked(signature: Any) -> Any:
        folder = cache_directory()
        with global_compiler_lock:  # first: of the threads of a process, one at a time may hold file locks
            if folder is None or tuple(normalize_signature(signature)[0]) in dispatcher.overloads:
                return compile_signature(signature)
            outer = dispatcher._cache  # of a specialisation of this function that is being compiled
            with contextlib.ExitStack() as undo:
                undo.callback(setattr, dispatcher, "_cache", outer)
                try:
                    dispatcher._cache = _Cache(dispatcher.py_func, folder, signature)
                    _acquire(dispatcher._cache.lock)
                    undo.callback(dispatcher._cache.lock.release)
                except OSError:  # nothing can be written there
                    dispatcher._cache = NullCache()
                return compile_signature(signature)

    dispatcher.compile = compile_locked


def _acquire(lock: filelock.FileLock) -> None:
    try:
        lock.acquire(timeout=_LOADING)
    except filelock.Timeout:
        for notice in _notices:
            notice.give()
        lock.acquire()


_notices: list[CompileNotice] = []


class CompileNotice(event.Listener):
    """Calls ``notify`` once, when this process compiles its first kernel, or waits for another to do so."""

    def __init__(self, notify: Callable[[], None]) -> None:
        self._notify, self._told, self._guard = notify, False, threading.Lock()

    def on_start(self, event: event.Event) -> None:
        """Numba's signal that a compilation begins."""
        self.give()

    def give(self) -> None:
        """Calls ``notify`` if it has not been called."""
        with self._guard:
            told, self._told = self._told, True
        if not told:
            self._notify()

    def on_end(self, event: event.Event) -> None:
        """Numba's signal that a compilation has ended: of no interest here."""


def announce_compilation(notify: Callable[[], None]) -> None:
    """Has ``notify`` called once if this process must compile a kernel, or wait for another that does.

    Args:
        notify: called without arguments, from the thread that compiles, before compilation or waiting begins.
    """
    _notices.append(CompileNotice(notify))
    event.register("numba:compile", _notices[-1])

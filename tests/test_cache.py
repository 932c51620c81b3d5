"""The cache of compiled kernels is never stale and never mixed up, seen from processes of their own.

Each test has a cache directory and a copy of the kernel sources of its own: they must not change but when it says so.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests import reference
from tests.helpers import ROOT, finish_python, run_python, start_python

# Counts perft of every position given, each in a thread of its own, and says what had to be compiled for that.
PERFTS = """
import json, sys, threading
from numba.core import event

class Compiled(event.Listener):
    names = []

    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
import mancala_ai, mancala_ai.cache
from mancala_ai import counting

notices = []
mancala_ai.cache.announce_compilation(lambda: notices.append(True))
found = {}

def count(text, position, depth):
    state = mancala_ai.load_game(text).state(position)
    found[text] = list(counting.perft_with_checksum(state, depth))

threads = [threading.Thread(target=count, args=arguments) for arguments in json.loads(sys.argv[1])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stats = getattr(counting._perft_words, "stats", None)
print(json.dumps({
    "perft": found,
    "compiled": Compiled.names,
    "notices": len(notices),
    "hits": sum(stats.cache_hits.values()) if stats else 0,
    "misses": sum(stats.cache_misses.values()) if stats else 0,
    "package": mancala_ai.__file__,
}))
"""

KPE = ("kpe(holes=3,seeds=4)", "1,3,2/4,3,3 S 2-6 abc/abc", 4)
RIO = ("rio_kadalis(holes=5)", "4,4,4,4,4/x,x,4,4,4 S 0-0", 3)
KISOLO = ("kisolo(holes=6)", "3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3 S", 2)


def environment(folder: Path, jit: bool = True) -> dict[str, str | None]:
    """Return the variables of a process with its kernels cached in a folder, and no other Numba settings."""
    unset = {name: None for name in os.environ if name.startswith("NUMBA_")}
    return {**unset, "MANCALA_AI_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": None if jit else "1"}


def perfts(path: list[Path], cache: Path, *positions: tuple[str, str, int], jit: bool = True) -> Any:
    """Run `PERFTS` and return what it printed.

    Args:
        path: where to import from first.
        cache: the cache directory.
        *positions: game string, position and depth of each perft.
        jit: whether to compile.
    """
    return json.loads(run_python(PERFTS, json.dumps(positions), path=path, env=environment(cache, jit)))


def expected(*positions: tuple[str, str, int]) -> dict[str, int]:
    """Return the perfts of the reference."""
    return {
        text: reference.perft(reference.load_game(text).state(position), depth) for text, position, depth in positions
    }


def counts(found: dict[str, Any]) -> dict[str, int]:
    """Return the perfts that a process found, without checksums."""
    return {text: count for text, (count, _) in found["perft"].items()}


def assert_warm(found: dict[str, Any]) -> None:
    """Everything came from the cache."""
    assert (found["compiled"], found["notices"], found["misses"]) == ([], 0, 0)
    assert found["hits"] == len(found["perft"])


def assert_cold(found: dict[str, Any]) -> None:
    """Something had to be compiled, and the user was told so once."""
    assert "_perft_words" in found["compiled"]
    assert found["notices"] == 1
    assert found["hits"] == 0


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A directory to import a copy of all kernel sources from."""
    for name in ("mancala_ai", "engines"):
        shutil.copytree(ROOT / name, tmp_path / "sources" / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "sources"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache directory."""
    return tmp_path / "cache"


def test_a_warm_process_compiles_nothing(sources: Path, cache: Path) -> None:
    """The second process takes everything from the first one's cache, with the same results."""
    cold = perfts([sources], cache, KPE)
    assert Path(cold["package"]).is_relative_to(sources)
    assert counts(cold) == expected(KPE)
    assert_cold(cold)
    warm = perfts([sources], cache, KPE)
    assert warm["perft"] == cold["perft"]
    assert_warm(warm)
    assert len(list(cache.iterdir())) == 1  # one directory for one set of sources


def test_a_changed_helper_in_another_module_is_noticed(sources: Path, cache: Path) -> None:
    """Numba itself looks only at the file of the cached function: here `counting.py`, which stays as it is."""
    before = perfts([sources], cache, KPE)
    assert counts(before) == expected(KPE)

    helper = sources / "mancala_ai" / "lanes.py"
    source = helper.read_text(encoding="utf-8")
    change = "\n\n@inline\ndef lane_sum(word):\n    return ((word * ONES) >> _56) + ((word * ONES) >> _56)\n"
    helper.write_text(source + change, encoding="utf-8")
    changed = perfts([sources], cache, KPE)
    assert changed["perft"] != before["perft"]
    assert changed["perft"] == perfts([sources], cache, KPE, jit=False)["perft"]
    assert_cold(changed)

    helper.write_text(source, encoding="utf-8")
    restored = perfts([sources], cache, KPE)
    assert restored["perft"] == before["perft"]
    assert_warm(restored)  # the old directory is still there


THIRD_PARTY = {
    "lonely-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: lonely\nVersion: 1.0\n",
    "lonely-1.0.dist-info/entry_points.txt": "[mancala_ai.games]\nlonely = lonely.rules:GAME\n",
    "lonely/__init__.py": "",
    "lonely/helper.py": """
import numpy as np
from mancala_ai.kernels import inline

@inline
def moves_left_out():
    return np.uint64(1)
""",
    "lonely/rules.py": """
from lonely.helper import moves_left_out
from mancala_ai.games import kpe
from mancala_ai.kernels import inline

class Lonely(kpe.Kpe3):
    "Kpe, of which the first moves are left out."

    __slots__ = ()

    @property
    def game_string(self):
        return "lonely"

    @classmethod
    def kernels(cls):
        made = kpe.Kpe3.kernels()
        every_move = inline(made.next_move)

        def next_move(rules, position, start):
            return every_move(rules, position, max(start, moves_left_out()))

        return made._replace(next_move=next_move)

GAME = kpe.GAME._replace(name="lonely", options=(), make=lambda options: Lonely(4, 1))
""",
}


def test_a_changed_third_party_game_is_noticed(tmp_path: Path, sources: Path, cache: Path) -> None:
    """A game of another package is found through its entry point, and its sources belong to the cache's name."""
    site = tmp_path / "site"
    for name, text in THIRD_PARTY.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    lonely = ("lonely", "4,4,4/4,4,4 S 0-0 -/-", 2)
    before = perfts([site, sources], cache, lonely)
    assert counts(before) == {"lonely": 4}  # b and c, twice
    assert_warm(perfts([site, sources], cache, lonely))

    helper = site / "lonely" / "helper.py"
    helper.write_text(helper.read_text(encoding="utf-8").replace("uint64(1)", "uint64(2)"), encoding="utf-8")
    after = perfts([site, sources], cache, lonely)
    assert counts(after) == {"lonely": 1}
    assert_cold(after)


def test_cold_processes_at_once_neither_disturb_nor_lose_anything(sources: Path, cache: Path) -> None:
    """Games in two processes and three threads, all cold: right results, and a cache that has everything, once."""
    games = [(KPE, RIO), (RIO, KISOLO)]
    processes = [
        start_python(PERFTS, json.dumps(positions), path=[sources], env=environment(cache)) for positions in games
    ]
    found = [json.loads(finish_python(process)) for process in processes]
    for positions, result in zip(games, found, strict=True):
        assert counts(result) == expected(*positions)
    assert [sum(result[what] for result in found) for what in ("misses", "hits")] == [3, 1]  # one waited for the other
    warm = perfts([sources], cache, KPE, RIO, KISOLO)
    assert warm["perft"] == found[0]["perft"] | found[1]["perft"]
    assert_warm(warm)


# Notes, whenever a kernel is compiled and its files are read or written, whether another process would have to wait.
_LOCKED = """
import filelock
from pathlib import Path
from numba.core import event
from numba.core.caching import IndexDataCacheFile
import mancala_ai, mancala_ai.cache
from mancala_ai import counting

seen = set()

def look(what, file):
    try:
        with filelock.FileLock(file, timeout=0):
            seen.add((what, "free"))
    except filelock.Timeout:
        seen.add((what, "locked"))

class Compiling(event.Listener):
    def on_start(self, event):
        if hasattr(event.data["dispatcher"]._cache, "lock"):
            look("compile", event.data["dispatcher"]._cache.lock.lock_file)

    def on_end(self, event):
        pass

event.register("numba:compile", Compiling())
for name in ("load", "save"):
    def watched(self, *args, original=getattr(IndexDataCacheFile, name), name=name):
        look(name, self._index_path.replace(".nbi", ".lock"))
        return original(self, *args)
    setattr(IndexDataCacheFile, name, watched)

counting.perft(mancala_ai.load_game("kpe").initial_state(), 1)
locks = list(mancala_ai.cache.cache_directory().rglob("*.lock"))
assert locks
for lock in locks:
    look("afterwards", lock)
print(sorted(seen))
"""


def test_compiling_reading_and_writing_happen_under_the_lock(sources: Path, cache: Path) -> None:
    """No process sees, or overwrites, what another one is writing."""
    locked = [("afterwards", "free"), ("compile", "locked"), ("load", "locked"), ("save", "locked")]
    assert run_python(_LOCKED, path=[sources], env=environment(cache)).strip() == str(locked)
    del locked[3], locked[1]
    assert run_python(_LOCKED, path=[sources], env=environment(cache)).strip() == str(locked)


def test_the_users_numba_configuration_is_neither_used_nor_changed(tmp_path: Path, sources: Path, cache: Path) -> None:
    """The user's own cached functions go where the user wants them, kernels do not."""
    own = tmp_path / "own.py"
    own.write_text(
        "import numba, os\n"
        "env = {k: v for k, v in os.environ.items() if k.startswith('NUMBA_')}\n"
        "def settings():\n"
        "    names = [name for name in dir(numba.config) if name.isupper()]\n"
        "    return {name: repr(getattr(numba.config, name)) for name in names}\n"
        "before = settings()\n"
        "@numba.njit(cache=True)\n"
        "def double(n):\n"
        "    return 2 * n\n"
    )
    program = (
        "import own, mancala_ai, os\n"
        f"state = mancala_ai.load_game({KPE[0]!r}).state({KPE[1]!r})\n"
        f"assert mancala_ai.perft(state, {KPE[2]}) == {expected(KPE)[KPE[0]]}\n"
        "assert own.settings() == own.before\n"
        "assert {k: v for k, v in os.environ.items() if k.startswith('NUMBA_')} == own.env\n"
        "print(own.double(4))\n"
    )
    env = {**environment(cache), "NUMBA_CACHE_DIR": str(tmp_path / "user")}
    assert run_python(program, path=[tmp_path, sources], env=env) == "8\n"
    users = [path.name for path in (tmp_path / "user").rglob("*.nb?")]
    assert users
    assert all(name.startswith("own.double") for name in users)
    ours = [path.name for path in cache.rglob("*.nb?")]
    assert any("_perft_words" in name for name in ours)
    assert not any("double" in name for name in ours)

    # A locator of the user's that cannot even be loaded: kernels do not ask for it.
    env["NUMBA_CACHE_LOCATOR_CLASSES"] = "no_such_module.Locator"
    assert_warm(json.loads(run_python(PERFTS, json.dumps([KPE]), path=[sources], env=env)))


def test_directories_unused_for_long_are_removed(sources: Path, cache: Path) -> None:
    """Only directories that the cache has made, and only after two weeks; using one makes it young again."""
    day = 86400.0
    ages = {"old": 15 * day, "recent": 13 * day, "not ours": 500 * day, "a file": 500 * day}
    cache.mkdir()
    for name, age in ages.items():
        folder = cache / name
        if name == "a file":
            folder.touch()
        else:
            folder.mkdir()
            (folder / ("notes" if name == "not ours" else "lock")).touch()
            (folder / "deep").mkdir()
        os.utime(folder, (time.time() - age,) * 2)
    program = "from mancala_ai import cache; print(cache.cache_directory())"
    used = Path(run_python(program, path=[sources], env=environment(cache)).strip())
    assert used.parent == cache
    assert {path.name for path in cache.iterdir()} == {used.name, "recent", "not ours", "a file"}
    os.utime(used, (time.time() - ages["old"],) * 2)
    assert Path(run_python(program, path=[sources], env=environment(cache)).strip()) == used
    assert time.time() - used.stat().st_mtime < day


def test_the_directory_can_be_chosen(tmp_path: Path, sources: Path, cache: Path) -> None:
    """By `MANCALA_AI_CACHE_DIR`; otherwise it lies in the user's cache directory."""
    program = "from mancala_ai import cache; print(cache.cache_root())"
    assert Path(run_python(program, path=[sources], env=environment(cache)).strip()) == cache
    env = {"MANCALA_AI_CACHE_DIR": None, "XDG_CACHE_HOME": str(tmp_path)}
    assert Path(run_python(program, path=[sources], env=env).strip()).name == "kernels"


# Makes the directory unwritable for this process even where tests run as root.
_READ_ONLY = """
import os

def refuse(*args, **kwargs):
    raise PermissionError(13, "Permission denied")

os.utime = os.mkdir = refuse
"""


@pytest.mark.parametrize("how", ["a file is in the way", "no permission"])
def test_where_nothing_can_be_written_kernels_work_uncached(sources: Path, cache: Path, how: str) -> None:
    """Compiled anew in every process, with right results."""
    prepare = _READ_ONLY if how == "no permission" else ""
    if how == "a file is in the way":
        cache.touch()
    found = json.loads(run_python(prepare + PERFTS, json.dumps([KPE]), path=[sources], env=environment(cache)))
    assert counts(found) == expected(KPE)
    assert_cold(found)
    assert not list(cache.parent.rglob("*.nb?"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"\0" * 500, None], ids=["empty", "zeros", "half"])
def test_a_damaged_file_is_replaced(sources: Path, cache: Path, ending: str, content: bytes | None) -> None:
    """What a power cut leaves behind: the kernel is compiled again, and kept."""
    before = perfts([sources], cache, KPE)
    files = list(cache.rglob(f"*.{ending}"))
    assert files
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    after = perfts([sources], cache, KPE)
    assert after["perft"] == before["perft"]
    assert_cold(after)
    assert_warm(perfts([sources], cache, KPE))


# Has the disk full, a directory unwritable, or a file that belongs to somebody else, once kernels are to be kept.
_FULL = """
import errno, os

def refuse(*args, **kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

os.replace = refuse
"""
_NO_NEW_FILES = """
import tempfile

def refuse(*args, **kwargs):
    raise PermissionError(13, "Permission denied")

tempfile.TemporaryFile = refuse
"""


@pytest.mark.parametrize("prepare", [_FULL, _NO_NEW_FILES], ids=["disk full", "unwritable"])
def test_kernels_that_cannot_be_kept_work(sources: Path, cache: Path, prepare: str) -> None:
    """The directory is there and can be locked, but takes no file."""
    found = json.loads(run_python(prepare + PERFTS, json.dumps([KPE]), path=[sources], env=environment(cache)))
    assert counts(found) == expected(KPE)
    assert_cold(found)


def test_a_kernel_locked_by_somebody_else_works(sources: Path, cache: Path) -> None:
    """A lock that cannot be opened, as one that another user has made: here a directory of that name."""
    before = perfts([sources], cache, KPE)
    for lock in cache.rglob("*.lock"):
        lock.unlink()
        lock.mkdir()
    assert perfts([sources], cache, KPE)["perft"] == before["perft"]

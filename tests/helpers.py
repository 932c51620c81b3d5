"""What several test files share: the games to try, the vectors, and Python in a process of its own."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mancala_ai import State, load_game

ROOT = Path(__file__).parents[1]
VECTORS = Path(__file__).parent / "vectors"
INFINITE = ("draw", "split", "own_side")


def _giuthi() -> list[str]:
    # Every number of holes with every meaning of both options; the seeds run through 4..9.
    seeds = itertools.cycle(range(4, 10))
    free = [
        f"giuthi(holes={holes},seeds={next(seeds)},capture_needs_target={needs},infinite={infinite})"
        for infinite in INFINITE
        for needs in (False, True)
        for holes in range(5, 11)
    ]
    named = ("2x5x4", "2x6x4", "2x6x6", "2x7x6", "2x8x4", "2x8x6", "2x8x8", "2x10x9")
    return ["giuthi", *(f"giuthi(setup={setup})" for setup in named), *free]


def _kpe() -> list[str]:
    seeds = itertools.cycle(range(1, 9))
    free = [
        f"kpe(holes={holes},seeds={next(seeds)},infinite={infinite})" for infinite in INFINITE for holes in range(3, 9)
    ]
    return ["kpe", "kpe(holes=8,seeds=8)", "kpe(holes=3,seeds=1)", *free]


def _oware() -> list[str]:
    seeds = itertools.cycle(range(1, 9))
    free = [
        f"oware(holes={holes},seeds={next(seeds)},infinite={infinite})"
        for infinite in INFINITE
        for holes in range(3, 9)
    ]
    return ["oware", "oware(holes=8,seeds=8)", *free]


# Every set-up and option that the rules name, by game.
GAME_STRINGS: dict[str, list[str]] = {
    "giuthi": _giuthi(),
    "kiothi": [
        "kiothi",
        *(f"kiothi(setup={setup},infinite={infinite})" for setup in ("6x5", "5x5", "5x6") for infinite in INFINITE),
    ],
    "kpe": _kpe(),
    "kisolo": ["kisolo", "kisolo(holes=6)", "kisolo(holes=7,infinite=draw)"],
    "rio_kadalis": [
        "rio_kadalis",
        *(
            f"rio_kadalis(holes={holes},clockwise={clockwise},infinite={infinite})"
            for holes in (6, 5)
            for clockwise in (False, True)
            for infinite in INFINITE
        ),
    ],
    "oware": _oware(),
    "kalah": [
        "kalah",
        *(f"kalah(holes={holes},seeds={seeds})" for holes, seeds in ((3, 1), (3, 6), (4, 2), (4, 3), (5, 5), (6, 6))),
    ],
}

# One game string per game, small enough for perft without compiled kernels, and one position of each late enough to
# show what the start does not: captures, marks, closed pits.
SMALL_PERFTS = [
    ("giuthi(holes=5,seeds=4)", "4,4,4,4,4/4,4,4,4,4 S 0-0", 3),
    ("giuthi(holes=6,seeds=4,capture_needs_target=True)", "0,3,0,0,1,2/1,0,0,2,0,5 N 10-4", 3),
    ("kiothi", "0,0,2,0,0,3*,1,0,0,2*/3,0,0,4*,0,0,1,2,0,1 S 20-15", 3),
    ("kiothi", "5,5,5,5,5,5,0,0,0,0/0,0,0,0,5,5,5,5,5,5 S 0-0 open:empty2", 3),
    ("kiothi(setup=5x5)", "1,5,5,0,0,5,4,0,0,0/1,0,0,0,0,5,5,5,5,4 N 0-0 open:place:2:c", 3),
    ("kpe", "6,6,6,6/6,6,6,6 S 0-0 -/-", 4),
    ("kpe(holes=3,seeds=4)", "1,3,1/0,3,3 S 7-6 abc/abc", 5),
    ("kisolo(holes=6)", "3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3/3,3,3,3,3,3 S", 2),
    ("kisolo", "1,0,2,0,3,1,0/0,1,0,2,0,0,1/2,0,1,0,1,3,0/1,1,0,4,0,0,2 N", 3),
    ("rio_kadalis", "4,4,4,4,4,4/x,x,4,4,4,4 S 0-0", 4),
    ("rio_kadalis(holes=5,clockwise=True)", "3,1,x,2,6/x,3,3,1,0 N 12-8", 4),
    ("oware", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", 3),
    ("oware(holes=7,seeds=3)", "0,0,0,0,0,2,1/1,0,3,1,0,2,2 S 9-12", 4),
    ("kalah", "4,4,4,4,4,4/4,4,4,4,4,4 S 0-0", 3),
    ("kalah(holes=4,seeds=4)", "2,0,9,0/0,1,0,2 N 8-7", 4),
]


def read_vectors(file: str) -> list[dict[str, Any]]:
    """Return the objects of a vector file, one of each line."""
    return [json.loads(line) for line in (VECTORS / file).read_text(encoding="utf-8").splitlines()]


def vector_parameters(file: str) -> list[Any]:
    """Return test parameters: one for every line of a vector file, named by number and game string."""
    return [pytest.param(line, id=f"{number}-{line['game']}") for number, line in enumerate(read_vectors(file), 1)]


def seeds_in(position: str) -> int:
    """Return all seeds of a position string: on the board, captured, in the hand of an opening."""
    board, _, *fields = position.split()
    text = " ".join([board, *fields]).replace("empty1", "").replace("empty2", "")
    return sum(map(int, re.findall(r"\d+", text)))


def without_captured(position: str) -> str:
    """Return a position string without its captured field: what decides repetition."""
    return re.sub(r" \d+-\d+", "", position)


def random_state(game: str, plies: int, rng_seed: int) -> State:
    """Return the state after so many random moves, or the last one before the game is over."""
    rng = random.Random(rng_seed)
    state = load_game(game).initial_state()
    for _ in range(plies):
        after = state.play_number(rng.choice(state.legal_move_numbers()))
        if after.is_over:
            break
        state = after
    return state


def tree_size(state: State, most: int) -> int | None:
    """Return how many states can follow, this one included, each way to one counted; None if more than ``most``."""
    size, left = 0, [state]
    while left:
        size += 1
        if size + len(left) > most:
            return None
        state = left.pop()
        left += [state.play_number(move) for move in state.legal_move_numbers()]
    return size


def late_states(game: str, least: int, most: int) -> Iterator[State]:
    """Yield states at the ends of random games whose `tree_size` lies between two bounds."""
    for rng_seed in itertools.count(1):
        state: State | None = random_state(game, 1000, rng_seed)
        while state is not None and (size := tree_size(state, most)):
            if size >= least:
                yield state
            state = state.parent


def run_python(
    code: str,
    *arguments: str,
    path: Sequence[Path] = (),
    flags: Sequence[str] = (),
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
) -> str:
    """Run code in a process of its own and return what it printed.

    Args:
        code: the program.
        *arguments: its ``sys.argv[1:]``.
        path: directories to import from before all others.
        flags: options of the interpreter.
        cwd: where to run.
        env: environment variables to set or, if None, to unset.

    Raises:
        AssertionError: the process failed; the message holds what it wrote.
    """
    process = start_python(code, *arguments, path=path, flags=flags, cwd=cwd, env=env)
    return finish_python(process)


def start_python(
    code: str,
    *arguments: str,
    path: Sequence[Path] = (),
    flags: Sequence[str] = (),
    cwd: Path | None = None,
    env: Mapping[str, str | None] | None = None,
) -> subprocess.Popen[str]:
    """Start what `run_python` runs; `finish_python` waits for it."""
    environment = {**os.environ, **{name: value or "" for name, value in (env or {}).items()}}
    for name, value in (env or {}).items():
        if value is None:
            environment.pop(name, None)
    search = [*map(str, path), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, search))
    return subprocess.Popen(
        [sys.executable, "-P", *flags, "-c", code, *arguments],  # -P: not from the working directory
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment,
    )


def finish_python(process: subprocess.Popen[str]) -> str:
    """Wait for a process of `start_python` and return what it printed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, f"exit code {process.returncode}\n{out}\n{err}"
    return out

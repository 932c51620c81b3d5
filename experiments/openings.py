"""Openings: positions from which engines play instead of the start of the game.

Random ones are positions after a few random moves. They depend on ``rng_seed``, game string, number of plies and number
in the sequence only: a longer tournament begins with the openings of a shorter one, and no engine or worker has a say.

A *suite* is a text file of position strings, one a line. Blank lines and what follows a ``#`` are ignored; a line
``[GAME STRING]`` says which game the lines after it belong to. Suites for the standard set-ups come with the program.
"""

from __future__ import annotations

import importlib.resources
import random
from collections.abc import Iterator
from pathlib import Path

from mancala_ai import Game, Limit, MancalaError, State, load_engine, load_game

ATTEMPTS = 500
"""Random lines tried for one opening before the ruleset is said to have run out of them."""
JUDGE, JUDGE_LIMIT = "alphabeta", Limit(nodes=20_000)
"""The engine, and its limit, that say how balanced an opening is."""


def random_opening(game: Game, plies: int, rng_seed: int | str) -> State:
    """Returns a state after random legal moves: not over, its outcome open, no position repeated on the way.

    Args:
        game: the game.
        plies: number of moves; a game with an opening phase of its own (the redistribution of Kiothi) plays that to its
            end instead, and then on if it was shorter.
        rng_seed: decides the opening, together with game and plies.

    Raises:
        MancalaError: hardly any game lasts that long.
    """
    rng = random.Random(f"{rng_seed}|{game}|{plies}")
    for _ in range(ATTEMPTS):
        state = _random_line(game, plies, rng)
        if state.decided is None and not state.is_over:
            return state
    raise MancalaError(
        f"openings of {game}: all of {ATTEMPTS} random games end within {plies} plies: expected fewer plies"
    )


def distinct_openings(game: Game, plies: int, rng_seed: int, balance: float | None = None) -> Iterator[State]:
    """Yields states after different random openings, until no new one is found.

    Args:
        game: the game.
        plies: see `random_opening`.
        rng_seed: start of the sequence.
        balance: those that a search values at more than this many seeds for either side are left out; None: none.

    Raises:
        MancalaError: there is not even one.
    """
    judge = None if balance is None else load_engine(JUDGE)
    found: set[str] = set()
    tried: set[str] = set()
    while True:
        for attempt in range(ATTEMPTS):
            state = random_opening(game, plies, f"{rng_seed}|{len(found)}|{attempt}")
            opening = str(state)
            if opening in tried:
                continue
            tried.add(opening)
            if judge is None or abs(judge.search(game.state(opening), JUDGE_LIMIT).value or 0) <= (balance or 0):
                break
        else:
            if not found:
                raise MancalaError(f"openings of {game}: none of {len(tried)} is within {balance} seeds: expected more")
            return
        found.add(opening)
        yield state


def suite_openings(game: Game, source: str) -> list[str]:
    """Returns the position strings of a suite for a game.

    Args:
        game: the game.
        source: ``"suite"`` for the one that comes with the program, or the path of a file.

    Raises:
        MancalaError: the file cannot be read, a position is malformed or a finished game, one is there twice, or there
            is none for this game.
    """
    try:
        if source == "suite":
            folder = importlib.resources.files("experiments") / "suites"
            lines = (folder / f"{game.name}.txt").read_text(encoding="utf-8").splitlines()
            source = f"suite of {game.name}"
        else:
            lines = Path(source).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise MancalaError(
            f"openings {source!r}: expected random, suite, none, or a file of position strings"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise MancalaError(f"openings {source!r}: cannot be read: {error}") from None
    openings: list[str] = []
    meant = True
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        where = f"{source} line {number}"
        try:
            if text.startswith("["):
                meant = str(load_game(text.strip("[]"))) == str(game)
                continue
            if not text or not meant:
                continue
            state = game.state(text)
        except MancalaError as error:
            raise MancalaError(f"{where}: {error}") from None
        if state.is_over:
            raise MancalaError(f"{where}: {text!r}: the game is over: expected one that can be played on")
        if str(state) in openings:
            raise MancalaError(f"{where}: {text!r}: is there twice: expected different openings")
        openings.append(str(state))
    if not openings:
        raise MancalaError(f"openings {source!r}: none for {game}: expected position strings of it")
    return openings


def _random_line(game: Game, plies: int, rng: random.Random) -> State:
    """Plays at random for ``plies`` plies and to the end of the game's own opening phase, or to the end of the game."""
    state = game.initial_state()
    played = 0
    while not state.is_over:
        moves = state.legal_move_numbers()
        weights = game.rules.opening_weights(state.position, moves)
        if played >= plies and weights is None:
            break
        state = state.play_number(rng.choices(moves, weights)[0])
        played += 1
    return state

"""Files of endgame databases: one a level, written once, never changed.

    bytes 0..4095       header: the line MAGIC, the CRC-32 of the next line, a line of JSON (`Header`), blanks
    2 a position        bounds, ``int8``: lower, upper (-128 and 127 stand for minus and plus infinity)
    2 or 4 a position   distances, ``uint8`` or little-endian ``uint16``: with the side to move as the forcer, and as
                        the defender (`engines.endgame.retrograde`); 0 where infinite play is the forcer's best

Positions stand in the order of `engines.endgame.index`. A file is written under another name, flushed to the disk and
then renamed, so that what carries a level's name is whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import platformdirs

from engines.endgame.index import level_size
from mancala_ai.errors import MancalaError
from mancala_ai.game import Game

DIR_VARIABLE = "MANCALA_AI_ENDGAME_DIR"
FORMAT = 1
MAGIC = b"mancala-ai endgame database\n"
_HEADER_BYTES = 4096
_BLOCK = 1 << 24  # bytes written or read at a time


class EndgameError(MancalaError):
    """A file of an endgame database is wrong, or a database cannot be built."""


@dataclass(frozen=True)
class Header:
    """What a file says about its level.

    Attributes:
        format: version of the file format.
        game: game string, without options that matter at the start only.
        seeds: seeds on the board.
        rules_version: the ruleset's.
        count: numbers of positions; mirrored positions share one.
        distance_bytes: 1 or 2.
        longest: the greatest distance.
        positions: number of positions; this and the following count mirrored positions as two.
        win: positions that the side to move wins if both have captured as much.
        draw: the same for a draw.
        loss: the same for a loss.
        exact: positions whose bounds are equal.
        cycle: positions whose bounds are both infinite.
        checksum: CRC-32 of all that follows the header.
    """

    format: int
    game: str
    seeds: int
    rules_version: int
    count: int
    distance_bytes: int
    longest: int
    positions: int
    win: int
    draw: int
    loss: int
    exact: int
    cycle: int
    checksum: int


@dataclass(frozen=True)
class Level:
    """A level: header, bounds and distances, shape ``(count, 2)`` each."""

    header: Header
    bounds: npt.NDArray[np.int8]
    distances: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


def directory_of(game: Game, base: Path | None = None) -> Path:
    """Returns the directory of a game's levels.

    Args:
        game: the game.
        base: holds one directory a game; by default $MANCALA_AI_ENDGAME_DIR or the user's data directory.
    """
    if base is None:
        override = os.environ.get(DIR_VARIABLE)
        base = Path(override) if override else Path(platformdirs.user_data_dir("mancala-ai")) / "endgames"
    return base / re.sub(r"\W+", "-", game.rules.endgame_string).strip("-")


def level_path(directory: Path, seeds: int) -> Path:
    """Returns where a level's file lies."""
    return directory / f"seeds-{seeds:02}.endgame"


def levels_in(directory: Path) -> list[int]:
    """Returns the seed counts of the levels that have a file, ascending."""
    names = (re.fullmatch(r"seeds-(\d\d)\.endgame", path.name) for path in directory.glob("seeds-*.endgame"))
    return sorted(int(name[1]) for name in names if name)


def file_bytes(count: int, distance_bytes: int) -> int:
    """Returns the size of a file with so many numbers."""
    return _HEADER_BYTES + (2 + 2 * distance_bytes) * count


def checksum(*arrays: npt.NDArray[Any]) -> int:
    """Returns the CRC-32 of arrays' bytes, one after the other."""
    crc = 0
    for array in arrays:
        data = memoryview(array.data).cast("B")
        for start in range(0, len(data), _BLOCK):
            crc = zlib.crc32(data[start : start + _BLOCK], crc)
    return crc


def write_level(path: Path, level: Level) -> None:
    """Writes a level's file: whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps(asdict(level.header)).encode()
    head = MAGIC + f"{zlib.crc32(text):08x}\n".encode() + text + b"\n"
    unfinished = path.with_suffix(UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            file.write(head.ljust(_HEADER_BYTES))
            for array in (level.bounds, level.distances):
                data = memoryview(array.data).cast("B")
                for start in range(0, len(data), _BLOCK):
                    file.write(data[start : start + _BLOCK])
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _flush_directory(path.parent)


UNFINISHED = ".unfinished"


def _flush_directory(directory: Path) -> None:
    """Makes a renaming last through a power failure, where the system has a way to."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_level(path: Path, game: Game, seeds: int, check: bool = False) -> Level:
    """Opens a level's file, as a read-only memory map.

    Args:
        path: the file.
        game: what it must be for.
        seeds: its level.
        check: also compare the checksum, which reads the whole file.

    Raises:
        EndgameError: the file is wrong; the message says what is, and what was expected.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        header = _read_header(path, file.read(_HEADER_BYTES))
        size = os.fstat(file.fileno()).st_size
    expected: dict[str, Any] = {
        "format": FORMAT,
        "game": game.rules.endgame_string,
        "rules_version": game.rules.version,
        "seeds": seeds,
        "count": level_size(game.rules, seeds),
    }
    for name, value in expected.items():
        found = getattr(header, name)
        if found != value:
            raise EndgameError(f"{path}: {name.replace('_', ' ')} {found}: expected {value}")
    whole = file_bytes(header.count, header.distance_bytes)
    if size != whole:
        raise EndgameError(
            f"{path}: {size:,} bytes: expected {whole:,}: the file is {'damaged' * (size > whole) or 'truncated'}"
        )
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=_HEADER_BYTES)
    bounds, distances = data[: 2 * header.count], data[2 * header.count :]
    if check and checksum(bounds, distances) != header.checksum:
        raise EndgameError(f"{path}: the checksum is not that of its header: the file is damaged")
    kind = np.dtype(np.uint8 if header.distance_bytes == 1 else "<u2")
    return Level(header, bounds.view(np.int8).reshape(-1, 2), distances.view(kind).reshape(-1, 2))


def _read_header(path: Path, block: bytes) -> Header:
    if not block.startswith(MAGIC):
        raise EndgameError(f"{path}: expected a file of an endgame database")
    crc, _, rest = block[len(MAGIC) :].partition(b"\n")
    text, end, _ = rest.partition(b"\n")
    try:
        if not end or int(crc, 16) != zlib.crc32(text):
            raise ValueError
        found = json.loads(text)
        header = Header(**{field.name: found[field.name] for field in fields(Header)})
    except (ValueError, KeyError, TypeError):
        raise EndgameError(f"{path}: the header is damaged: expected that of an endgame database") from None
    return header

"""Boards as a person would draw them: plain text for any terminal, South below and North above.

    >>> import mancala_ai
    >>> print(mancala_ai.load_game("kpe").initial_state().board())
                d    c    b    a    captured
             ┌────┬────┬────┬────┐
      North  │  6 │  6 │  6 │  6 │      0
             ├────┼────┼────┼────┤
    ▸ South  │  6 │  6 │  6 │  6 │      0
             └────┴────┴────┴────┘
                a    b    c    d
    <BLANKLINE>
    South to move.
    No capture before sowing from: South abcd, North abcd.

The triangle marks the side to move, ``*`` a nki, ``x`` a closed pit.
"""

from __future__ import annotations

from collections.abc import Iterator

from mancala_ai import kernels
from mancala_ai.game import INFINITE, State
from mancala_ai.notation import CLOSED, LETTERS, Fields, Pit

PLAYERS = ("South", "North")
TO_MOVE = "▸"
LEAST_DIGITS = 2  # so that the board does not change its width at every tenth seed


def draw_text(state: State) -> str:
    """Returns a drawing of the board and, below it, whose turn it is and what is to be done, or who has won."""
    fields = state.game.rules.unpack(state.position)
    lines = [*_board(fields, marked=not state.is_over), ""]
    if state.is_over:
        lines.append(f"Game over: {describe_result(state)}")
    else:
        lines.append(f"{PLAYERS[state.to_move]} to move.")
        lines += filter(None, [state.game.rules.remark(fields)])
    return "\n".join(lines)


def describe_result(state: State) -> str:
    """Returns the result of a finished game as a sentence: winner, margin, final scores, and the ending if unusual."""
    margin, final = state.margin, state.final
    if margin is None:
        raise ValueError(f"result of {str(state)!r}: expected a game that is over")
    text = f"{PLAYERS[margin < 0]} wins" if margin else "drawn"
    if margin and final is not None:
        text += f" by {abs(margin)}"
    if state.termination == INFINITE:
        kind = "an endless sowing" if state.words[-1] & kernels.ENDLESS else "a repetition"
        text += f" {'after' if margin else 'by'} infinite play, {kind}"
    if final is not None and final[0] - final[1] == margin:  # captures do not count where infinite play is a draw
        text += f" (South {final[0]}, North {final[1]})"
    name = state.game.rules.margin_names.get(abs(margin))
    return f"{text}, a {name}." if name else f"{text}."


def _board(fields: Fields, marked: bool) -> Iterator[str]:
    """Yields the lines of the board; ``marked`` says whether to mark the side to move."""
    rows, half = fields.rows, len(fields.rows) // 2
    digits = max(LEAST_DIGITS, *(len(str(pit.seeds)) for row in rows for pit in row))
    heading, totals = "captured", fields.captured
    if totals is None:  # no score: what counts is how many seeds each side has
        heading, totals = "seeds", (_seeds(rows[half:]), _seeds(rows[:half]))

    def labelled(player: int, line: str) -> str:
        mark = TO_MOVE if marked and player == fields.side else " "
        return f"{mark} {PLAYERS[player]}  {line}  {totals[player]:>{len(heading) // 2 + 1}}"

    def plain(line: str) -> str:
        return (" " * 9 + line).rstrip()

    def border(left: str, fill: str, cross: str, right: str, letters: str = "") -> str:
        cells = (fill * digits + (letter or fill) + fill for letter in letters or [""] * len(rows[0]))
        return left + cross.join(cells) + right

    def outside(letters: str) -> str:
        return "".join(f" {letter:>{digits + 1}} " for letter in letters)

    # Letters in own view, as in move strings: small ones for the outer row, capitals for the inner.
    south = LETTERS[: len(rows[0])]
    north = south[::-1]
    yield plain(f"{outside(north)}   {heading}")
    yield plain(border("┌", "─", "┬", "┐"))
    for number, row in enumerate(rows):
        player = int(number < half)
        if number == half:
            yield plain(border("╞", "═", "╪", "╡") if half > 1 else border("├", "─", "┼", "┤"))
        elif number:  # between a player's two rows: the letters of the inner one
            yield labelled(player, border("├", "─", "┼", "┤", (north if player else south).upper()))
        line = "│" + "│".join(_cell(pit, digits) for pit in row) + "│"
        yield labelled(player, line) if half == 1 else plain(line)
    yield plain(border("└", "─", "┴", "┘"))
    yield plain(outside(south))


def _cell(pit: Pit, digits: int) -> str:
    seeds, mark = (CLOSED, "") if pit.mark == CLOSED else (str(pit.seeds), pit.mark)
    return f" {seeds:>{digits}}{mark or ' '}"


def _seeds(rows: tuple[tuple[Pit, ...], ...]) -> int:
    return sum(pit.seeds for row in rows for pit in row)

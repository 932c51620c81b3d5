"""Puzzles: a format, a judge of solutions, making them from real play, solving them in the terminal, printing them."""

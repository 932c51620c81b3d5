"""Endgame databases: both bounds of every position with few seeds, and how far it is to the next capture."""

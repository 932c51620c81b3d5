"""The exact solver: outcomes and bounds of positions, beyond the endgame databases too."""

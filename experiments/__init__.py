"""What a researcher runs: games between engines, tournaments, ratings."""

"""Whatever chooses or values moves. Engines are loaded by name: ``mancala_ai.load_engine("alphabeta(depth=6)")``."""

"""Speed, measured: ``python -m benchmarks``."""

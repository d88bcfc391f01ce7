"""The parts of `bench.py`: what is measured, and what is written of it."""

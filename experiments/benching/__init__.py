"""The parts of `bench.py`: what is measured, and what is written of it.

Importing it keeps the libraries below NumPy to one thread.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

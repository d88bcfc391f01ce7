"""Agents for Hawaii, 1795: rules of thumb, exact battles, and the compiled search that `mcts` uses."""

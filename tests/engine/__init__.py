"""Tests of the engine behind the public API: contract, actions, positions, observations, modes."""

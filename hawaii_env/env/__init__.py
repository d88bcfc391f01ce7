"""Environments of PettingZoo and Gymnasium for any game of the interface `game.py`, one game or many at a time."""

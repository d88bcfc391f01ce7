"""Any game as an environment of PettingZoo and Gymnasium, one game or many at a time; it knows the contract `game.py`
and no game.
"""

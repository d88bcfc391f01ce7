"""How the page of ``hawaii serve`` speaks of Hawaii, 1795: its words, its guidance for players, its position editor
(static/).
"""

"""The rules of Hawaii, 1795: one module a chapter of the rulebook, the flow chart, the record of a state, the
actions.
"""

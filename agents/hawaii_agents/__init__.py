"""Baseline agents for the games of hawaii_env.

They use only the public API: ``hawaii_env`` and the exports of a game's own package. Each is found by name through the
entry-point group ``hawaii_env.agents``, to which other distributions can add; the random agent is in
``hawaii_env.agents``, because the environments' own checks need one.
"""

__all__: list[str] = []

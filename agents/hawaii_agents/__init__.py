"""Baseline agents for the games of hawaii_env.

They know the public API alone: ``hawaii_env`` and what a game's own package exports. Each is found by name through
the entry-point group ``hawaii_env.agents``, which other distributions may join; the random agent lives in
``hawaii_env.agents``, since the environments' own checks need one.
"""

__all__: list[str] = []

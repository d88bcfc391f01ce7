"""The rules of Maori Wars, one module a chapter of the rulebook; `rules.state` says how they hold a position."""

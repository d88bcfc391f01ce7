"""Pictures of positions: text here, further forms beside it."""

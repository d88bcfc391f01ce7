"""The rules of Hawaii, 1795, tested section by section."""

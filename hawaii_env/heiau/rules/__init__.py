"""The rules of Heiau Diplomacy: one module a chapter, in plain Python over small integers."""

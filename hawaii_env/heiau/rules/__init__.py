"""The rules of Heiau Diplomacy: one module a chapter, compiled or as plain Python, over arrays of whole numbers."""

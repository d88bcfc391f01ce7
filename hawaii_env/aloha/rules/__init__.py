"""The rules of ALOHA, one module a chapter of the rulebook, on one vector of integers a position."""

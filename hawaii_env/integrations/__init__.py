"""Interfaces to other libraries: one module per library, imported only on request."""

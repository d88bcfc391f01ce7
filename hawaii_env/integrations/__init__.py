"""Other libraries' interfaces to the environments: one module a library, imported only when asked for."""

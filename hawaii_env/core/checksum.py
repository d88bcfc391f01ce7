"""Checksums of bytes, to reject altered data before reading it, and machine code before running it."""

from __future__ import annotations

import hashlib

from hawaii_env.errors import StateError

__all__ = ["add_checksum", "verify_checksum"]

SIZE = 16


def add_checksum(data: bytes, name: str = "") -> bytes:
    """Return bytes followed by their checksum.

    Args:
        name: kind of data; the same bytes have another checksum under another name.
        name: kind of data; the same bytes under another name have another checksum.
    """
    digest = hashlib.blake2b(name.encode() + b"\0", digest_size=SIZE)
    digest.update(data)
    return data + digest.digest()


def verify_checksum(data: object, name: str = "") -> bytes:
    """Return the original bytes of `add_checksum`. Callers check the content.

    Args:
        data: what `add_checksum` returned.
        name: the name passed to `add_checksum`.

    Raises:
        StateError: the bytes were altered.
    """
    if not isinstance(data, bytes):
        raise StateError(f"a pickled state holds bytes, not {type(data).__name__}")
    if add_checksum(data[:-SIZE], name) != data:
        raise StateError("a pickled state whose bytes have been altered")
    return data[:-SIZE]

"""Checksums of bytes: altered data is refused before it is read, and machine code before it is run."""

from __future__ import annotations

import hashlib

from hawaii_env.errors import StateError

__all__ = ["add_checksum", "verify_checksum"]

SIZE = 16


def add_checksum(data: bytes, name: str = "") -> bytes:
    """Return bytes with their checksum behind them.

    Args:
        data: the bytes.
        name: what they are; the same bytes under another name have another checksum.
    """
    digest = hashlib.blake2b(name.encode() + b"\0", digest_size=SIZE)
    digest.update(data)
    return data + digest.digest()


def verify_checksum(data: object, size: int | None = None, name: str = "") -> bytes:
    """Return the bytes that `add_checksum` was given. Callers check what they say.

    Args:
        data: what `add_checksum` returned.
        size: how many bytes it was given; None: any number.
        name: the name that it was given.

    Raises:
        StateError: other bytes than those that were written.
    """
    if not isinstance(data, bytes):
        raise StateError(f"a pickled state holds bytes, not {type(data).__name__}")
    if size is not None and len(data) != size + SIZE:
        raise StateError(f"a pickled state has {size + SIZE} bytes, not {len(data)}: is it of another version?")
    if add_checksum(data[:-SIZE], name) != data:
        raise StateError("a pickled state whose bytes have been altered")
    return data[:-SIZE]

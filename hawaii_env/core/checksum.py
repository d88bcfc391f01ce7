"""Bytes of a pickle with a checksum: what was altered on the way is refused before anything is made of it."""

from __future__ import annotations

import zlib

from hawaii_env.errors import StateError

__all__ = ["add_checksum", "verify_checksum"]


def add_checksum(data: bytes) -> bytes:
    """Bytes with their checksum behind them."""
    return data + zlib.crc32(data).to_bytes(4, "little")


def verify_checksum(data: object, size: int | None = None) -> bytes:
    """The bytes that were sealed. Whether the rules can go on from them is for each game to say.

    Args:
        data: what `add_checksum` made.
        size: how many bytes were sealed; None: any number.

    Raises:
        StateError: other bytes than those that were written.
    """
    if not isinstance(data, bytes):
        raise StateError(f"a pickled state holds bytes, not {type(data).__name__}")
    if size is not None and len(data) != size + 4:
        raise StateError(f"a pickled state has {size + 4} bytes, not {len(data)}: is it of another version?")
    if add_checksum(data[:-4]) != data:
        raise StateError("a pickled state whose bytes have been altered")
    return data[:-4]

"""Draws from a Beta distribution that are the same in every version and language, to the last bit."""

from __future__ import annotations

from hashlib import sha256

import numpy as np


def beta_draw(key: bytes, above: int, below: int) -> int:
    """A draw from Beta(above, below), both whole and 1 or more, as a whole number of 2^64ths.

    Of above + below - 1 uniform numbers the `above`-th smallest has this distribution, so no logarithm and no
    rounding is needed. Block n of four uniform numbers is the SHA-256 of `key`, a line feed
    and n in decimal, read as four big-endian whole numbers of 64 bits.
    Source: order statistics of the uniform distribution (David and Nagaraja 2003, section 2.3).
    """
    count = above + below - 1
    blocks = b"".join(sha256(b"%b\n%d" % (key, number)).digest() for number in range((count + 3) // 4))
    uniform = np.frombuffer(blocks, dtype=">u8", count=count).astype(np.uint64)
    return int(np.partition(uniform, above - 1)[above - 1])
